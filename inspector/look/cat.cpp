#include "look/cat.h"

#include <fmt/format.h>

#include "look/ask.h"

namespace ocilint {

FileContent look_into_file(const RunOptions& options, const CatOptions& wanted) {
  FileContent out;
  with_image(options, [&](ReadImage& read, const RedactText& redact) {
    out.image = describe_image(options, read.image(), redact);
    out.redact = redact;
    Demand demand;
    Plan plan(demand);
    plan.on_demand(FactKind::content);
    read_all(read, options, demand);
    const TreeUpTo tree(read.scanned(), wanted.layer);
    const NodeId node = find_path(read.scanned(), *tree, wanted.path, Last::follow);
    if ((*tree)[node].type != EntryType::file)
      throw Error(ErrorKind::usage,
                  fmt::format("{}: a {}, not a regular file", tree->path(node), to_string((*tree)[node].type)));
    out.file = describe_file(*tree, node, redact);
    const InodeId inode = (*tree)[node].inode;
    ask(read, options, demand, plan.declared(),
        [&](const ImageView& view) { out.content = view.content(inode); });
  });
  return out;
}

}  // namespace ocilint
