// The graphs of package_graph.h that are not made of read_installed()'s lists, one file a manager.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "check/package_graph.h"

namespace ocilint {

/// One for each path that has distributions. nullopt and empty: there are none.
std::vector<PackageGraph> python_graphs(const ImageView& image);
std::optional<PackageGraph> node_graph(const ImageView& image);

/// Error{limit} beyond what managers meet, which keeps hostile databases from squares of their size.
void count_relation(std::size_t& so_far);

}  // namespace ocilint
