#include "source/archive_index.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/error.h"
#include "base/path.h"
#include "source/tar_header.h"

namespace ocilint {
namespace {

constexpr std::size_t block = 512;
constexpr std::size_t buffer_size = 64U << 10;

/// What libarchive's callbacks work on. Errors wait here: no exception may cross C code.
struct Input {
  const File& file;
  std::uint64_t at = 0;
  std::vector<std::uint8_t> buffer = std::vector<std::uint8_t>(buffer_size);
  std::exception_ptr problem;
};

la_ssize_t read_some(archive*, void* data, const void** out) {
  auto& input = *static_cast<Input*>(data);
  try {
    const std::size_t got = input.file.read_at(input.at, input.buffer);
    input.at += got;
    *out = input.buffer.data();
    return static_cast<la_ssize_t>(got);
  } catch (...) {
    input.problem = std::current_exception();
    return -1;
  }
}

la_int64_t skip_some(archive*, void* data, la_int64_t wanted) {
  auto& input = *static_cast<Input*>(data);
  const std::uint64_t left = input.file.size() - std::min(input.at, input.file.size());
  const std::uint64_t step = std::min<std::uint64_t>(static_cast<std::uint64_t>(std::max<la_int64_t>(wanted, 0)), left);
  input.at += step;
  return static_cast<la_int64_t>(step);
}

struct Closer {
  void operator()(archive* a) const { archive_read_free(a); }
};
using Reader = std::unique_ptr<archive, Closer>;

/// The one warning that is none: a name that the locale of this process cannot write; its bytes are used.
bool only_charset(int code, archive* a) {
  const char* why = code == ARCHIVE_WARN ? archive_error_string(a) : nullptr;
  return why != nullptr && std::strstr(why, "can't be converted from") != nullptr;
}

[[noreturn]] void refuse(archive* a, const Input& input) {
  if (input.problem) std::rethrow_exception(input.problem);
  const char* why = archive_error_string(a);
  corrupt(fmt::format("{}: not a readable tar archive near byte {}: {}", input.file.name(),
                      archive_read_header_position(a), why == nullptr ? "no reason given" : why));
}

}  // namespace

ArchiveIndex::ArchiveIndex(std::shared_ptr<const File> file) : file_(std::move(file)) { scan(); }

std::string ArchiveIndex::normal(std::string_view name) { return normalise(name).path; }

void ArchiveIndex::scan() {
  Input input{*file_, 0, std::vector<std::uint8_t>(buffer_size), nullptr};
  const Reader reader(archive_read_new());
  if (!reader) throw std::bad_alloc();
  archive* const a = reader.get();
  if (archive_read_support_format_tar(a) != ARCHIVE_OK || archive_read_support_filter_none(a) != ARCHIVE_OK ||
      archive_read_open2(a, &input, nullptr, read_some, skip_some, nullptr) != ARCHIVE_OK)
    refuse(a, input);

  std::size_t count = 0;
  archive_entry* entry = nullptr;
  int code = ARCHIVE_OK;
  std::uint64_t end = 0;  // of the last body, padding included
  while ((code = archive_read_next_header(a, &entry)) == ARCHIVE_OK || only_charset(code, a)) {
    if (++count > max_archive_entries)
      throw Error(ErrorKind::limit, fmt::format("{}: more than {} entries", file_->name(), max_archive_entries));
    const char* raw_name = archive_entry_pathname(entry);
    if (raw_name == nullptr) raw_name = archive_entry_pathname_utf8(entry);
    if (raw_name == nullptr) corrupt(fmt::format("{}: entry {} has no name", file_->name(), count));
    const NormalPath name = normalise(raw_name);
    Entry out;
    // After the headers are read, the position is that of the body.
    out.offset = static_cast<std::uint64_t>(archive_filter_bytes(a, 0));
    out.size = archive_entry_size_is_set(entry) != 0 ? static_cast<std::uint64_t>(archive_entry_size(entry)) : 0;
    const auto start = static_cast<std::uint64_t>(archive_read_header_position(a));
    if (out.offset < start + block || out.size > file_->size() || out.offset > file_->size() - out.size)
      corrupt(fmt::format("{}: '{}' does not fit into the archive", file_->name(), raw_name));
    if (archive_entry_sparse_count(entry) > 0)
      throw Error(ErrorKind::unsupported, fmt::format("{}: '{}' is stored as a sparse file", file_->name(), raw_name));
    const char* hard_link = archive_entry_hardlink(entry);
    if (hard_link == nullptr) hard_link = archive_entry_hardlink_utf8(entry);
    if (hard_link != nullptr) {
      out.kind = Entry::Kind::hard_link;
      out.target = hard_link;
    } else if (archive_entry_filetype(entry) == AE_IFLNK) {
      out.kind = Entry::Kind::symbolic_link;
      const char* link = archive_entry_symlink(entry);
      if (link == nullptr) link = archive_entry_symlink_utf8(entry);
      if (link == nullptr) corrupt(fmt::format("{}: link '{}' has no target", file_->name(), raw_name));
      out.target = link;
    } else if (archive_entry_filetype(entry) == AE_IFREG) {
      out.kind = Entry::Kind::file;
    }
    std::array<std::uint8_t, block> header{};
    (void)file_->read_at(out.offset - block, header);
    try {
      check_tar_header(header, out.kind == Entry::Kind::file ? out.size : 0, out.offset - start > block);
    } catch (Error& e) {
      e.within(fmt::format("{}: '{}'", file_->name(), raw_name));
      throw;
    }
    end = out.offset + (out.size + block - 1) / block * block;
    if (name.escaped)
      oddities_.push_back({"archive-entry-escapes", raw_name, "a name that leaves the archive; ignored"});
    else
      entries_[name.path].push_back(std::move(out));
    if (archive_read_data_skip(a) != ARCHIVE_OK) refuse(a, input);
  }
  if (code != ARCHIVE_EOF) refuse(a, input);
  if (count == 0) corrupt(fmt::format("{}: an empty archive", file_->name()));
  check_tail(end);
}

/// Two zero blocks end an archive; behind them only zeros are usual.
void ArchiveIndex::check_tail(std::uint64_t end) {
  std::vector<std::uint8_t> buffer(buffer_size);
  std::uint64_t zeros = 0;
  for (std::uint64_t at = std::min(end, file_->size());;) {
    const std::size_t got = file_->read_at(at, buffer);
    if (got == 0) break;
    const auto other = std::find_if(buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(got),
                                    [](std::uint8_t byte) { return byte != 0; });
    zeros += static_cast<std::uint64_t>(other - buffer.begin());
    at += got;
    if (other == buffer.begin() + static_cast<std::ptrdiff_t>(got)) continue;
    oddities_.push_back(
        {"data-after-archive-end", file_->name(),
         fmt::format("{} bytes follow the end of the archive at byte {}", file_->size() - end - zeros, end + zeros)});
    break;
  }
  if (zeros < 2 * block)
    oddities_.push_back({"archive-end-missing", file_->name(), "the archive has no end marker; it may be cut"});
}

StoredBlob ArchiveIndex::blob_of(const std::string& name, const Entry& entry) const {
  StoredBlob out;
  out.name = name.substr(1);
  out.file = file_;
  out.offset = entry.offset;
  out.size = entry.size;
  return out;
}

std::optional<std::string> ArchiveIndex::resolve(std::string_view name) const {
  std::string at = normal(name);
  for (int hops = 0; hops <= max_archive_links; ++hops) {
    const auto found = entries_.find(at);
    if (found == entries_.end()) {
      if (hops == 0) return std::nullopt;
      corrupt(fmt::format("{}: '{}' is a link to '{}', which is not in the archive", file_->name(), name, at));
    }
    const Entry& entry = found->second.back();
    switch (entry.kind) {
      case Entry::Kind::file: return at;
      case Entry::Kind::symbolic_link: at = resolve_lexically(at, entry.target).path; break;
      case Entry::Kind::hard_link: at = normal(entry.target); break;
      case Entry::Kind::other: corrupt(fmt::format("{}: '{}' is no regular file", file_->name(), at));
    }
  }
  corrupt(fmt::format("{}: '{}' is a link in circles", file_->name(), name));
}

std::optional<StoredBlob> ArchiveIndex::find(std::string_view name) const {
  const auto at = resolve(name);
  if (!at) return std::nullopt;
  const std::vector<Entry>& same = entries_.find(*at)->second;
  StoredBlob out = blob_of(*at, same.back());
  if (same.size() == 1) return out;
  // Writers that store a repeated layer twice are harmless; two contents under one name are two images.
  const auto digest_of = [](const StoredBlob& blob) {
    Hasher hasher(Algorithm::sha256);
    std::vector<std::uint8_t> buffer(buffer_size);
    const auto stream = blob.stream();
    while (const std::size_t got = stream->read(buffer)) hasher.update(Bytes(buffer).first(got));
    return hasher.finish();
  };
  const Digest last = digest_of(out);
  for (const Entry& entry : same)
    if (entry.kind != Entry::Kind::file || digest_of(blob_of(*at, entry)) != last)
      corrupt(fmt::format("{}: holds '{}' {} times, and not the same", file_->name(), out.name, same.size()));
  return out;
}

std::vector<std::string> ArchiveIndex::ending_in(std::string_view suffix) const {
  std::vector<std::string> out;
  for (const auto& [name, same] : entries_)
    if (name.ends_with(suffix)) out.push_back(name);
  return out;
}

}  // namespace ocilint
