// The files that a check is about: those of its `file` and `files` parameters, with where each name leads.
//
// Sorted by path, each once. Pure. "Matches nothing" is for the rule to judge: require_some() makes the finding
// that most rules want, unless the policy says allow_empty.
#pragma once

#include <string>
#include <vector>

#include "check/finding.h"
#include "check/image_view.h"
#include "check/params.h"

namespace ocilint {

struct Selected {
  Match match;
  Resolution end;  // links of the last component followed

  bool is_link() const { return !end.hops.empty(); }
};

/// Error{policy} for a set without a pattern: nothing was asked, whatever allow_empty says.
std::vector<Selected> select(const PathSet& set, const ImageView& image);
/// The union of the parameters `file` and `files`.
PathSet files_of(const Params& with);

/// A finding "missing" when nothing was selected; with `allowed` evidence instead. True when some was.
bool require_some(const std::vector<Selected>& selected, const PathSet& set, bool allowed, const ImageView& image,
                  Answer& answer);

/// The layer of the last event of a name, removals included; nullopt for a name that never was.
std::optional<std::uint32_t> last_touched(const ImageView& image, std::string_view path);

/// "layer 2: RUN apt-get install x", or "layer 2" when the history has no line for it.
std::string layer_text(const ImageView& image, std::uint32_t layer);

/// A finding "missing" for a name that leads to no regular file, with the layer that last touched where it leads.
Finding no_regular_file(const Selected& selected, const ImageView& image);

/// "/opt/rocm/lib/libx.so.1 -> libx.so.1.2 (/opt/rocm-7/lib/libx.so.1.2)": the name, and where it leads.
std::string describe(const Selected& selected);

}  // namespace ocilint
