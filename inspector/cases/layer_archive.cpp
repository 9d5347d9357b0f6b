#include "cases/layer_archive.h"

#include <archive.h>
#include <archive_entry.h>

#include "base/error.h"
#include "base/path.h"

namespace ocilint {
namespace {

la_ssize_t append(archive*, void* into, const void* bytes, std::size_t count) {
  static_cast<std::string*>(into)->append(static_cast<const char*>(bytes), count);
  return static_cast<la_ssize_t>(count);
}

}  // namespace

void LayerArchive::FreeEntry::operator()(archive_entry* entry) const { archive_entry_free(entry); }

LayerArchive::LayerArchive() : archive_(archive_write_new()) {
  if (archive_ == nullptr) throw std::bad_alloc();
  check(archive_write_set_format_pax_restricted(archive_));
  check(archive_write_set_options(archive_, "pax:hdrcharset=BINARY,pax:xattrheader=SCHILY"));
  // The end marker and nothing behind it.
  check(archive_write_set_bytes_per_block(archive_, 512));
  check(archive_write_set_bytes_in_last_block(archive_, 1));
  check(archive_write_open(archive_, &bytes_, nullptr, append, nullptr));
}

LayerArchive::~LayerArchive() { archive_write_free(archive_); }

void LayerArchive::check(int result) {
  if (result < ARCHIVE_OK) {
    const char* const why = archive_error_string(archive_);
    throw Error(ErrorKind::internal,
                std::string("an archive could not be written: ") + (why ? why : "no reason is known"));
  }
}

LayerArchive::Entry LayerArchive::entry(const std::string& name, unsigned type, std::uint32_t mode) {
  Entry out(archive_entry_new());
  if (!out) throw std::bad_alloc();
  archive_entry_set_pathname(out.get(), name.c_str());
  archive_entry_set_filetype(out.get(), type);
  archive_entry_set_perm(out.get(), mode);
  archive_entry_set_mtime(out.get(), 0, 0);
  return out;
}

void LayerArchive::write(const Entry& entry, std::string_view content) {
  archive_entry_set_size(entry.get(), static_cast<la_int64_t>(content.size()));
  check(archive_write_header(archive_, entry.get()));
  if (!content.empty() &&
      archive_write_data(archive_, content.data(), content.size()) != static_cast<la_ssize_t>(content.size()))
    check(ARCHIVE_FATAL);
}

void LayerArchive::file(const std::string& name, std::string_view content, const FileMeta& meta) {
  const Entry out = entry(name, AE_IFREG, meta.mode);
  archive_entry_set_uid(out.get(), meta.uid);
  archive_entry_set_gid(out.get(), meta.gid);
  for (const auto& [key, value] : meta.attributes)
    archive_entry_xattr_add_entry(out.get(), key.c_str(), value.data(), value.size());
  write(out, content);
}

void LayerArchive::directory(const std::string& name) { write(entry(name, AE_IFDIR, 0755), {}); }

void LayerArchive::symlink(const std::string& name, const std::string& target) {
  const Entry out = entry(name, AE_IFLNK, 0777);
  archive_entry_set_symlink(out.get(), target.c_str());
  write(out, {});
}

void LayerArchive::hard_link(const std::string& name, const std::string& target) {
  const Entry out = entry(name, AE_IFREG, 0644);
  archive_entry_set_hardlink(out.get(), target.c_str());
  write(out, {});
}

void LayerArchive::whiteout(const std::string& name) {
  const std::size_t slash = name.rfind('/');
  const std::size_t base = slash == std::string::npos ? 0 : slash + 1;
  file(name.substr(0, base) + ".wh." + name.substr(base), {});
}

void LayerArchive::opaque(const std::string& name) {
  file(name + (name.ends_with('/') ? "" : "/") + ".wh..wh..opq", {});
}

std::string LayerArchive::finish() {
  check(archive_write_close(archive_));
  return std::move(bytes_);
}

}  // namespace ocilint
