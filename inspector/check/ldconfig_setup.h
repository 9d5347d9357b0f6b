// What ldconfig and the loader of an image are set up with: configured and default directories, and the cache.
//
// The configuration is read from the merged tree with its includes, as ldconfig -r would. Needs content of
// /etc/ld.so.conf, what it includes, and /etc/ld.so.cache: declare() says it to a plan. Default directories
// are Debian's when the image has the folder of its architecture (/usr/lib/x86_64-linux-gnu), else upstream's.
// Throws Error{corrupt, limit} for a configuration that cannot be read; a cache that cannot be read is a text.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "check/image_view.h"
#include "check/ldconfig_simulation.h"
#include "check/rule.h"
#include "facts/ld_so_cache.h"
#include "facts/ld_so_conf.h"

namespace ocilint {

inline constexpr std::string_view ld_so_conf_path = "/etc/ld.so.conf";
inline constexpr std::string_view ld_so_cache_path = "/etc/ld.so.cache";

struct LdconfigSetup {
  std::vector<LdSoConfDirectory> directories;  // configured ones, then the defaults; also what does not exist
  std::size_t configured = 0;                  // how many of them the configuration says
  std::vector<std::string> files;              // of the configuration
  std::optional<LdSoCache> cache;
  std::string cache_problem;  // why the cache that is there cannot be read
  bool ever = false;          // some layer had a configuration or a cache
  LdconfigOptions options;

  static void declare(Plan& plan);
  static LdconfigSetup read(const ImageView& image);
};

/// Where ldconfig looks in any case, in its order.
std::vector<std::string> default_library_directories(const MergedTree& tree, std::string_view architecture);

}  // namespace ocilint
