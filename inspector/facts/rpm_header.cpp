#include "facts/rpm_header.h"

#include <fmt/format.h>

#include <map>

#include "base/error.h"
#include "facts/limits.h"

namespace ocilint {
namespace {

enum Tag : std::uint32_t {
  name = 1000,
  version = 1001,
  release = 1002,
  epoch = 1003,
  vendor = 1011,
  license = 1014,
  packager = 1015,
  url = 1020,
  architecture = 1022,
  old_file_names = 1027,
  file_sizes = 1028,
  file_states = 1029,
  file_modes = 1030,
  file_digests = 1035,
  file_links = 1036,
  file_flags = 1037,
  source_rpm = 1044,
  file_verify_flags = 1045,
  provide_names = 1047,
  require_flags = 1048,
  require_names = 1049,
  require_versions = 1050,
  provide_flags = 1112,
  provide_versions = 1113,
  recommend_names = 5046,
  recommend_versions = 5047,
  recommend_flags = 5048,
  suggest_names = 5049,
  suggest_versions = 5050,
  suggest_flags = 5051,
  directory_indexes = 1116,
  base_names = 1117,
  directory_names = 1118,
  long_file_sizes = 5008,
  digest_algorithm = 5011,
};

enum Type : std::uint32_t {
  char_type = 1,
  int8 = 2,
  int16 = 3,
  int32 = 4,
  int64 = 5,
  string = 6,
  binary = 7,
  string_array = 8,
  i18n_string = 9
};

std::uint64_t width_of(std::uint32_t type) {
  switch (type) {
    case char_type:
    case int8: return 1;
    case int16: return 2;
    case int32: return 4;
    case int64: return 8;
    default: return 0;
  }
}

struct Entry {
  std::uint32_t type = 0, offset = 0, count = 0;
};

class HeaderReader {
 public:
  explicit HeaderReader(Bytes header) {
    if (header.size() > rpm_header_bytes) throw Error(ErrorKind::limit, "a header of an rpm package that is too large");
    Cursor in(header, Endian::big);
    const std::uint32_t entries = in.u32(), size = in.u32();
    if (entries == 0 || entries > rpm_index_entries)
      corrupt(fmt::format("a header of an rpm package with {} tags", entries));
    Bytes index = in.take(std::uint64_t{entries} * 16);
    data_ = in.take(size);
    Cursor at(index, Endian::big);
    for (std::uint32_t i = 0; i < entries; ++i) {
      const std::uint32_t tag = at.u32();
      const Entry entry{at.u32(), at.u32(), at.u32()};
      entries_[tag] = entry;
    }
  }

  bool has(Tag tag) const { return entries_.contains(tag); }

  std::string text(Tag tag) const {
    const Entry* const entry = find(tag);
    if (entry == nullptr) return {};
    if (entry->type != string && entry->type != i18n_string && entry->type != string_array) wrong(tag);
    std::size_t at = entry->offset;
    return std::string(take_text(at));
  }

  std::vector<std::string_view> texts(Tag tag) const {
    std::vector<std::string_view> out;
    const Entry* const entry = find(tag);
    if (entry == nullptr) return out;
    if (entry->type != string_array && !(entry->type == string && entry->count == 1)) wrong(tag);
    // Each has a NUL at its end, so there cannot be more of them than bytes.
    if (entry->offset > data_.size() || entry->count > data_.size() - entry->offset)
      corrupt(fmt::format("tag {} reaches beyond its header", std::uint32_t{tag}));
    out.reserve(entry->count);
    std::size_t at = entry->offset;
    for (std::uint32_t i = 0; i < entry->count; ++i) out.push_back(take_text(at));
    return out;
  }

  std::vector<std::uint64_t> numbers(Tag tag) const {
    std::vector<std::uint64_t> out;
    const Entry* const entry = find(tag);
    if (entry == nullptr) return out;
    const std::uint64_t width = width_of(entry->type);
    if (width == 0) wrong(tag);
    Cursor in(data_, Endian::big);
    in.seek(entry->offset);
    Cursor each(in.take(width * entry->count), Endian::big);
    out.reserve(entry->count);
    for (std::uint32_t i = 0; i < entry->count; ++i)
      out.push_back(width == 1 ? each.u8() : width == 2 ? each.u16() : width == 4 ? each.u32() : each.u64());
    return out;
  }

 private:
  const Entry* find(Tag tag) const {
    const auto found = entries_.find(tag);
    return found == entries_.end() ? nullptr : &found->second;
  }
  [[noreturn]] static void wrong(Tag tag) { corrupt(fmt::format("tag {} has the wrong type", std::uint32_t{tag})); }

  std::string_view take_text(std::size_t& at) const {
    const std::string_view all = as_text(data_);
    const std::size_t end = at < all.size() ? all.find('\0', at) : std::string_view::npos;
    if (end == std::string_view::npos) corrupt("a text reaches beyond its header");
    const std::string_view out = all.substr(at, end - at);
    at = end + 1;
    return out;
  }

  Bytes data_;
  std::map<std::uint32_t, Entry> entries_;
};

/// OpenPGP's numbers (RFC 4880, section 9.4).
RecordedDigest digest_form(std::uint64_t algorithm) {
  switch (algorithm) {
    case 1: return {Algorithm::md5, "", ""};
    case 2: return {Algorithm::sha1, "", ""};
    case 8: return {Algorithm::sha256, "", ""};
    case 9: return {Algorithm::sha256, "", "sha384"};
    case 10: return {Algorithm::sha256, "", "sha512"};
    case 11: return {Algorithm::sha256, "", "sha224"};
    default: return {Algorithm::sha256, "", fmt::format("algorithm {}", algorithm)};
  }
}

std::vector<std::string> paths_of(const HeaderReader& header) {
  std::vector<std::string> out;
  if (!header.has(base_names)) {
    for (const std::string_view path : header.texts(old_file_names)) out.emplace_back(path);
    return out;
  }
  const auto names = header.texts(base_names), folders = header.texts(directory_names);
  const auto indexes = header.numbers(directory_indexes);
  if (indexes.size() != names.size()) corrupt("as many names of files as folders of them are not there");
  out.reserve(names.size());
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (indexes[i] >= folders.size()) corrupt("a file in a folder that is not listed");
    std::string path = std::string(folders[indexes[i]]) + std::string(names[i]);
    // One long folder may stand before each of a million names.
    bytes += path.size();
    if (bytes > rpm_header_bytes * 4) throw Error(ErrorKind::limit, "the paths of an rpm package are too long");
    out.push_back(std::move(path));
  }
  return out;
}

void read_files(const HeaderReader& header, std::vector<RpmFile>& files) {
  std::vector<std::string> paths = paths_of(header);
  const auto numbers = [&](Tag tag) {
    auto out = header.numbers(tag);
    if (!out.empty() && out.size() != paths.size())
      corrupt(fmt::format("tag {} is not of every file", std::uint32_t{tag}));
    return out;
  };
  const auto texts = [&](Tag tag) {
    auto out = header.texts(tag);
    if (!out.empty() && out.size() != paths.size())
      corrupt(fmt::format("tag {} is not of every file", std::uint32_t{tag}));
    return out;
  };
  const auto modes = numbers(file_modes), flags = numbers(file_flags), verify = numbers(file_verify_flags),
             states = numbers(file_states);
  const auto sizes = numbers(header.has(long_file_sizes) ? long_file_sizes : file_sizes);
  const auto digests = texts(file_digests), links = texts(file_links);
  if (!paths.empty() && modes.empty()) corrupt("files without modes");
  const auto algorithms = header.numbers(digest_algorithm);
  const RecordedDigest form = digest_form(algorithms.empty() ? 1 : algorithms.front());
  files.resize(paths.size());
  for (std::size_t i = 0; i < paths.size(); ++i) {
    RpmFile& file = files[i];
    file.path = std::move(paths[i]);
    file.mode = static_cast<std::uint32_t>(modes[i] & 0xffff);
    if (!sizes.empty()) file.size = sizes[i];
    if (!flags.empty()) file.flags = static_cast<std::uint32_t>(flags[i]);
    if (!verify.empty()) file.verify = static_cast<std::uint32_t>(verify[i]);
    if (!states.empty() && states[i] <= static_cast<std::uint64_t>(RpmFile::State::wrong_color))
      file.state = static_cast<RpmFile::State>(states[i]);
    if (!links.empty()) file.link = links[i];
    if (digests.empty() || digests[i].empty() || file.type() != RpmFile::regular) continue;
    file.digest = form;
    if (form.unknown.empty()) file.digest->bytes = as_text(Digest::from_hex(form.algorithm, digests[i]).raw());
  }
}

void read_relations(const HeaderReader& header, std::vector<RpmRelation>& out) {
  using Field = RpmRelation::Field;
  const struct {
    Field field;
    Tag names, versions, flags;
  } lists[] = {{Field::require, require_names, require_versions, require_flags},
               {Field::recommend, recommend_names, recommend_versions, recommend_flags},
               {Field::suggest, suggest_names, suggest_versions, suggest_flags},
               {Field::provide, provide_names, provide_versions, provide_flags}};
  for (const auto& list : lists) {
    const auto names = header.texts(list.names), versions = header.texts(list.versions);
    const auto flags = header.numbers(list.flags);
    // Packages of rpm before release 4 have names alone.
    if (!versions.empty() && versions.size() != names.size())
      corrupt("as many versions of relations as names are not there");
    if (!flags.empty() && flags.size() != names.size()) corrupt("as many flags of relations as names are not there");
    for (std::size_t i = 0; i < names.size(); ++i)
      out.push_back({list.field, std::string(names[i]), versions.empty() ? std::string() : std::string(versions[i]),
                     flags.empty() ? 0 : static_cast<std::uint32_t>(flags[i])});
  }
}

}  // namespace

std::string RpmRelation::text() const {
  if (version.empty()) return name;
  std::string out = name + " ";
  if ((flags & less) != 0) out += '<';
  if ((flags & greater) != 0) out += '>';
  if ((flags & equal) != 0) out += '=';
  return out + " " + version;
}

std::string RpmPackage::evr() const {
  std::string out = version + "-" + release;
  return epoch ? fmt::format("{}:{}", *epoch, out) : out;
}

RpmPackage RpmPackage::parse(Bytes bytes) {
  const HeaderReader header(bytes);
  RpmPackage out;
  out.name = header.text(Tag::name);
  out.version = header.text(Tag::version);
  out.release = header.text(Tag::release);
  if (out.name.empty() || out.version.empty()) corrupt("an rpm package without name or version");
  try {
    if (const auto epochs = header.numbers(Tag::epoch); !epochs.empty())
      out.epoch = static_cast<std::uint32_t>(epochs.front());
    out.architecture = header.text(Tag::architecture);
    out.source = header.text(Tag::source_rpm);
    out.license = header.text(Tag::license);
    out.vendor = header.text(Tag::vendor);
    out.packager = header.text(Tag::packager);
    out.url = header.text(Tag::url);
    read_files(header, out.files);
    read_relations(header, out.relations);
  } catch (Error& error) {
    error.within(out.name + " " + out.evr());
    throw;
  }
  return out;
}

}  // namespace ocilint
