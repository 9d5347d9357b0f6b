// Limits of the parsers of small text files. What is above is refused, as Error{limit} or as a malformed file;
// the run goes on. Real figures: the status file of 1,045 packages has 1 MB, its longest stanza 40 kB.
#pragma once

#include <cstddef>

namespace ocilint {

inline constexpr std::size_t status_bytes = 64u << 20;  // var/lib/dpkg/status, extended_states
inline constexpr std::size_t stanza_bytes = 1u << 20;   // Provides of generated packages reach 300 kB
inline constexpr std::size_t stanza_fields = 256;
inline constexpr std::size_t dependency_atoms = 10'000;      // of one package, over all its fields
inline constexpr std::size_t packages_most = 200'000;        // three times what Debian has
inline constexpr std::size_t list_line_bytes = 8192;         // a path is at most 4096, and a digest before it
inline constexpr std::size_t list_bytes = 32u << 20;         // .list, .md5sums, diversions, statoverride
inline constexpr std::size_t account_bytes = 16u << 20;      // passwd, group, shadow
inline constexpr std::size_t account_line_bytes = 64 << 10;  // a group with thousands of members
inline constexpr std::size_t small_text_bytes = 1u << 20;    // os-release, apt.conf, dpkg.cfg, KEY=value files
inline constexpr std::size_t path_filter_rules = 10'000;     // each path is compared with all of them
inline constexpr std::size_t apt_conf_depth = 64;            // nested braces
inline constexpr std::size_t apt_conf_items = 20'000;        // real configurations have 500
inline constexpr std::size_t apt_conf_key_bytes = 256;       // a key holds those of all blocks around it
inline constexpr std::size_t os_release_variables = 1000;    // real files have 25; they are searched one by one

inline constexpr std::size_t python_version_bytes = 256;           // the longest of a public index has 80
inline constexpr std::size_t python_requirement_bytes = 16 << 10;  // markers of generated packages reach 2 kB
inline constexpr std::size_t python_marker_depth = 200;            // open parentheses, as Python's own parser has it
inline constexpr std::size_t python_metadata_bytes = 8u << 20;     // with the description; real files have 300 kB
inline constexpr std::size_t python_header_fields = 20'000;        // real files have 800
inline constexpr std::size_t python_record_bytes = 48u << 20;      // 15,000 files are 2 MB
inline constexpr std::size_t python_record_rows = 500'000;

inline constexpr std::size_t package_paths = 5'000'000;       // of one database; a full desktop has 600,000
inline constexpr std::size_t rpm_header_bytes = 64u << 20;    // of one package; rpm itself allows 256 MB
inline constexpr std::size_t rpm_index_entries = 65'536;      // tags of one header; real ones have 80
inline constexpr std::size_t sqlite_rows = 200'000;           // of the table of packages
inline constexpr std::size_t node_manifest_bytes = 4u << 20;  // package.json; the longest of a public registry has 1 MB

}  // namespace ocilint
