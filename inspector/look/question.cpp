#include "look/question.h"

#include <fmt/format.h>

#include "base/path.h"
#include "look/ask.h"

namespace ocilint {

void ask_image(ReadImage& image, const RunOptions& options, const std::function<void(Plan&)>& plan,
               const std::function<void(const ImageView&)>& question) {
  Demand demand;
  Plan planned(demand);
  plan(planned);
  read_all(image, options, demand);
  ask(image, options, demand, planned.declared(), question);
}

Resolution file_behind(const ImageView& view, std::string_view path) {
  const NodeId node = find_path(view.scanned(), view.tree(), path, Last::follow);
  const EntryType type = view.tree()[node].type;
  if (type != EntryType::file) throw Error(ErrorKind::usage, fmt::format("{} is a {}, no file", path, to_string(type)));
  return view.resolve(normalise(path).path);
}

std::string glob_of_name(std::string_view path) {
  const std::string normal = normalise(path).path;
  std::string out = "**/";
  for (const char byte : base_name(normal)) {
    if (std::string_view("*?[\\").find(byte) != std::string_view::npos) out += '\\';
    out += byte;
  }
  return out;
}

}  // namespace ocilint
