#include "tar/compose.h"

#include <fmt/format.h>

#include "base/error.h"

namespace ocilint::tar {
namespace {

constexpr std::size_t old_real_size_at = 483;
constexpr std::uint64_t largest_id = 0xfffffffe;  // the kernel's (uid_t)-1 means "no change"

EntryType type_of(char flag, std::string_view name) {
  switch (flag) {
    case '0': return EntryType::file;
    case '\0': return name.ends_with('/') ? EntryType::directory : EntryType::file;
    case '1': return EntryType::hard_link;
    case '2': return EntryType::symlink;
    case '3': return EntryType::character;
    case '4': return EntryType::block;
    case '5': return EntryType::directory;
    case '6': return EntryType::fifo;
    default: return EntryType::unsupported;
  }
}

void check_path(std::string_view path, std::string_view what) {
  if (path.size() > max_path)
    throw Error(ErrorKind::limit, fmt::format("the {} has more than {} bytes", what, max_path));
}

bool version_is(const PaxRecords& pax, std::string_view major, std::string_view minor) {
  return pax.sparse_major == major && pax.sparse_minor == minor;
}

bool unknown_sparse_version(const PaxRecords& pax) {
  return !(pax.sparse_major.empty() && pax.sparse_minor.empty()) && !version_is(pax, "0", "0") &&
         !version_is(pax, "0", "1") && !version_is(pax, "1", "0");
}

/// Fills `map` for the formats that keep it in the header.
Layout sparse_layout(const PaxRecords& pax, SparseMap& map) {
  if (version_is(pax, "1", "0")) {
    map.clear();
    return Layout::map_first;
  }
  const bool has_map = !pax.sparse_map.empty() || !pax.sparse.empty();
  const bool version_0 = version_is(pax, "0", "0") || version_is(pax, "0", "1");
  if (unknown_sparse_version(pax) || (!version_0 && !has_map)) return Layout::plain;
  map = pax.sparse;
  if (!pax.sparse_map.empty()) map.parse_list(pax.sparse_map);
  if (!pax.sparse_regions || *pax.sparse_regions != map.regions().size())
    corrupt("the sparse map does not have the number of regions that GNU.sparse.numblocks says");
  return Layout::mapped;
}

std::string_view joined_name(const Header& header, std::string& joined) {
  if (header.prefix.empty()) return header.name;
  joined.assign(header.prefix).append(1, '/').append(header.name);
  return joined;
}

}  // namespace

std::uint64_t recorded_size(const Header& header, const SpecialHeaders& special) {
  return special.pax().size.value_or(header.size);
}

Layout compose(const Header& header, Bytes block, const SpecialHeaders& special, std::uint64_t size, Entry& entry,
               std::string& joined, SparseMap& map) {
  const PaxRecords& pax = special.pax();
  entry.name = !special.long_name().empty() ? special.long_name()
               : !pax.path.empty()          ? pax.path
                                            : joined_name(header, joined);
  entry.type_flag = header.type;
  entry.type = type_of(header.type, entry.name);
  entry.mode = entry.type == EntryType::symlink ? 0777 : static_cast<std::uint32_t>(header.mode & 07777);
  entry.uid = pax.uid.value_or(header.uid);
  entry.gid = pax.gid.value_or(header.gid);
  entry.mtime = pax.mtime.value_or(header.mtime);
  entry.attributes.assign(pax.attributes.begin(), pax.attributes.end());
  entry.link_target = {};
  if (entry.type == EntryType::hard_link || entry.type == EntryType::symlink)
    entry.link_target = !special.long_link().empty() ? special.long_link() : !pax.link.empty() ? pax.link : header.link;
  entry.device_major = entry.device_minor = 0;
  if (entry.type == EntryType::character || entry.type == EntryType::block) {
    if (header.device_major > UINT32_MAX || header.device_minor > UINT32_MAX) corrupt("a device number above 32 bits");
    entry.device_major = static_cast<std::uint32_t>(header.device_major);
    entry.device_minor = static_cast<std::uint32_t>(header.device_minor);
  }

  Layout layout = Layout::plain;
  entry.size = entry.stored = 0;
  if (entry.type == EntryType::file || entry.type == EntryType::unsupported) entry.size = entry.stored = size;
  if (entry.type == EntryType::hard_link) entry.stored = size;
  if (header.type == 'S' && header.dialect == Dialect::gnu) {
    layout = Layout::old_sparse;
    entry.size = parse_unsigned(block.subspan(old_real_size_at, 12), "size of the sparse file");
  } else if (entry.type != EntryType::unsupported) {
    layout = sparse_layout(pax, map);
    if (layout != Layout::plain) {
      if (entry.type != EntryType::file) corrupt("a sparse map for something that is not a file");
      entry.size = pax.sparse_size.value_or(entry.size);
      if (!pax.sparse_name.empty()) entry.name = pax.sparse_name;
    }
  }
  check_path(entry.name, "name");
  check_path(entry.link_target, "link target");
  return layout;
}

void report_oddities(const Header& header, const SpecialHeaders& special, const Entry& entry, OddityLog& log) {
  const auto odd = [&](std::string_view id, std::string text) { log.add(id, entry.name, std::move(text)); };
  const PaxRecords& pax = special.pax();
  if (entry.type == EntryType::unsupported)
    odd("unknown-entry-type",
        fmt::format("type flag 0x{:02x} is none that container engines know: they refuse the whole layer",
                    static_cast<unsigned char>(header.type)));
  if (entry.type == EntryType::hard_link && entry.stored > 0)
    odd("hardlink-with-body",
        fmt::format("a hard link with a body of {} bytes: container engines refuse the layer", entry.stored));
  if (entry.uid > largest_id || entry.gid > largest_id)
    odd("id-too-large", fmt::format("user {} or group {} does not fit into 32 bits", entry.uid, entry.gid));
  if (header.prefix_in_gnu)
    odd("gnu-header-with-prefix", "a GNU header with a ustar name prefix: readers disagree about the name");
  if (!special.pending()) return;
  if (pax.size && header.size != 0 && *pax.size != header.size)
    odd("size-disagreement",
        fmt::format("the PAX header says {} bytes, the ustar header {}: readers that believe the other see "
                    "different archives",
                    *pax.size, header.size));
  if (!pax.duplicate.empty())
    odd("duplicate-pax-record", fmt::format("PAX record {} is there twice; the last counts", pax.duplicate));
  if (!pax.ignored_xattr.empty())
    odd("ignored-xattr", fmt::format("container engines ignore the attribute {}", pax.ignored_xattr));
  if (unknown_sparse_version(pax))
    odd("unknown-sparse-format", fmt::format("sparse format {}.{} is unknown: engines unpack the stored bytes",
                                             pax.sparse_major, pax.sparse_minor));
}

}  // namespace ocilint::tar
