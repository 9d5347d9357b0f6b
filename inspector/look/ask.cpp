#include "look/ask.h"

#include <fmt/format.h>

#include "base/path.h"
#include "look/command_text.h"
#include "run/evaluate.h"

namespace ocilint {

void ask(ReadImage& image, const RunOptions& options, const Demand& demand, Wants declared,
         const std::function<void(const ImageView&)>& body) {
  settle(image.scanned(), declared, body,
         [&](const Scanned&, const Refill& missing) { image.read_again(demand, missing, options); });
}

TreeUpTo::TreeUpTo(const Scanned& scanned, std::optional<std::size_t> last) : whole_(scanned.tree) {
  if (!last) return;
  std::vector<const LayerIndex*> layers = scanned.facts.indexes();
  if (*last >= layers.size())
    throw Error(ErrorKind::usage, layers.empty() ? fmt::format("--layer {}: the image has no layer", *last)
                                                 : fmt::format("--layer {}: the layers of the image are 0 to {}", *last,
                                                               layers.size() - 1));
  layers.resize(*last + 1);
  own_.emplace(MergedTree::build(layers, scanned.tree->view()));
}

NodeId find_path(const Scanned& scanned, const MergedTree& tree, std::string_view path, Last last) {
  const std::string normal = normalise(path).path;
  const Resolution at = resolve(tree, normal, last);
  if (at.found()) return at.node;
  std::string why = normal + ": ";
  if (at.status == Resolution::Status::loop) throw Error(ErrorKind::usage, why + "its links lead in a circle");
  if (at.status == Resolution::Status::not_a_directory)
    throw Error(ErrorKind::usage, why + at.path + " is no directory");
  if (at.dangling()) why += fmt::format("its link {} leads to {}, which ", at.hops.back().path, at.path);
  const std::vector<Event> story = tree.story(at.path);
  if (story.empty()) throw Error(ErrorKind::usage, why + "was never in the image");
  throw Error(ErrorKind::usage, why + "is gone since " + layer_title(scanned, story.back().layer));
}

std::string layer_title(const Scanned& scanned, std::uint32_t layer) {
  std::string out = fmt::format("layer {}", layer);
  if (layer >= scanned.layers.size()) return out;
  const std::string command = parse_command(scanned.layers[layer].created_by).text();
  return command.empty() ? out : out + " (" + command + ")";
}

}  // namespace ocilint
