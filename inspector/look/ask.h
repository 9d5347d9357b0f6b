// Facts of files for verbs that look at an image, and the tree as it was after one of its layers.
//
// ask() calls `body` until everything that it asked the view for is there: facts that the first read did not
// bring come with further reads of single layers (evaluation_rounds at most, then Error{limit}). `body` is a
// pure function of the view; only its last call counts, and what it throws over a fact that is still to come counts
// as little. Throws what the last call and layers throw. One thread.
#pragma once

#include <functional>
#include <optional>

#include "check/image_view.h"
#include "check/rule.h"
#include "look/open_image.h"

namespace ocilint {

void ask(ReadImage& image, const RunOptions& options, const Demand& demand, Wants declared,
         const std::function<void(const ImageView& view)>& body);

/// The tree that the options name: of all layers, or of those up to `last`. Error{usage} for a layer that is
/// none.
class TreeUpTo {
 public:
  TreeUpTo(const Scanned& scanned, std::optional<std::size_t> last);

  const MergedTree& operator*() const { return own_ ? *own_ : *whole_; }
  const MergedTree* operator->() const { return &**this; }

 private:
  const MergedTree* whole_;
  std::optional<MergedTree> own_;
};

/// Where a path that a person wrote leads, links of all parts followed; of the last one as `last` says. What
/// is not there is Error{usage}, with the layer that removed it when one did.
NodeId find_path(const Scanned& scanned, const MergedTree& tree, std::string_view path, Last last);

/// "layer 2 (RUN rm x)": with its history line as its author wrote it.
std::string layer_title(const Scanned& scanned, std::uint32_t layer);

}  // namespace ocilint
