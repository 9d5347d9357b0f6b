// Every layer of the fixtures and of the conformance images, read by our walker and by libarchive's tar reader.
// They must agree on names, types, targets, sizes and contents; where they do not, the table says why.
#include <archive.h>
#include <archive_entry.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "blob/decompress.h"
#include "support/places.h"
#include "support/memory_stream.h"
#include "support/walk.h"

namespace ocilint {
namespace {

using namespace test;
namespace fs = std::filesystem;

/// One line an entry: what both readers must say.
using Listing = std::vector<std::string>;

constexpr const char* refused = "REFUSED";

std::string line(std::string_view type, std::string_view name, std::string_view link, std::uint64_t size,
                 const Digest& digest) {
  return std::string(type) + " '" + std::string(name) + "' -> '" + std::string(link) + "' " + std::to_string(size) +
         " " + digest.short_text();
}

Listing ours(const std::string& plain) {
  const Walk walk = walk_tar(plain, 64 << 10);
  Listing out;
  for (const WalkedEntry& e : walk.entries)
    out.push_back(line(to_string(e.type), e.name, e.link, e.type == EntryType::file ? e.size : 0, e.digest));
  if (walk.error) out.push_back(refused);
  return out;
}

std::string_view type_of(archive_entry* entry) {
  if (archive_entry_hardlink(entry) != nullptr) return to_string(EntryType::hard_link);
  switch (archive_entry_filetype(entry)) {
    case AE_IFREG: return to_string(EntryType::file);
    case AE_IFLNK: return to_string(EntryType::symlink);
    case AE_IFDIR: return to_string(EntryType::directory);
    case AE_IFCHR: return to_string(EntryType::character);
    case AE_IFBLK: return to_string(EntryType::block);
    case AE_IFIFO: return to_string(EntryType::fifo);
    default: return "?";
  }
}

Digest content_of(archive* reader, std::uint64_t file_size) {
  Hasher hasher(Algorithm::sha256);
  std::int64_t at = 0;
  const void* block = nullptr;
  std::size_t size = 0;
  la_int64_t offset = 0;
  int result = ARCHIVE_OK;
  while ((result = archive_read_data_block(reader, &block, &size, &offset)) == ARCHIVE_OK) {
    const std::string hole(static_cast<std::size_t>(offset - at), '\0');
    hasher.update(as_bytes(hole));
    hasher.update({static_cast<const std::uint8_t*>(block), size});
    at = offset + static_cast<std::int64_t>(size);
  }
  if (result == ARCHIVE_EOF) hasher.update(as_bytes(std::string(file_size - static_cast<std::uint64_t>(at), '\0')));
  return hasher.finish();
}

Listing libarchives(const std::string& plain) {
  archive* reader = archive_read_new();
  archive_read_support_format_tar(reader);
  Listing out;
  int result = archive_read_open_memory(reader, plain.data(), plain.size());
  archive_entry* entry = nullptr;
  while (result == ARCHIVE_OK && (result = archive_read_next_header(reader, &entry)) == ARCHIVE_OK) {
    const std::string_view type = type_of(entry);
    const char* name = archive_entry_pathname(entry);
    const char* link = archive_entry_hardlink(entry) ? archive_entry_hardlink(entry) : archive_entry_symlink(entry);
    const bool file = type == to_string(EntryType::file);
    const auto size = static_cast<std::uint64_t>(archive_entry_size(entry));
    out.push_back(line(type, name ? name : "", link ? link : "", file ? size : 0,
                       file ? content_of(reader, size) : Digest::sha256_of(std::string_view())));
  }
  if (result != ARCHIVE_EOF) out.push_back(refused);
  archive_read_free(reader);
  return out;
}

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string plain_of(const std::string& blob) {
  MemoryStream source(blob);
  Oddities oddities;
  Decompressor decompressor(source, oddities);
  return read_all(decompressor);
}

/// The members of an outer archive by name.
std::map<std::string, std::string> members_of(const std::string& archive) {
  struct Keep final : TarSink {
    std::map<std::string, std::string> members;
    std::string name;
    Body entry(const Entry& entry) override {
      name = entry.name;
      return Body::pieces;
    }
    void body(std::uint64_t, Bytes bytes, bool) override { members[name] += as_text(bytes); }
  } keep;
  Oddities oddities;
  Walker walker(keep, oddities, archive.size() + 1024);
  walker.push(as_bytes(archive), true);
  walker.finish();
  return keep.members;
}

std::map<std::string, std::string> layers_of_conformance(const fs::path& folder) {
  std::map<std::string, std::string> layers;
  for (const auto& file : fs::directory_iterator(folder)) {
    const auto members = members_of(read_file(file.path()));
    const auto manifest = nlohmann::json::parse(members.at("manifest.json"));
    int index = 0;
    for (const auto& layer : manifest.at(0).at("Layers"))
      layers[file.path().stem().string() + "/" + std::to_string(index++)] =
          plain_of(members.at(layer.get<std::string>()));
  }
  return layers;
}

std::map<std::string, std::string> layers_of_fixtures(const fs::path& folder) {
  std::map<std::string, std::string> layers;
  std::ifstream index(folder / "INDEX.tsv");
  for (std::string row; std::getline(index, row);) {
    const std::size_t tab = row.find('\t');
    const std::string name = row.substr(0, tab), kind = row.substr(tab + 1, row.find('\t', tab + 1) - tab - 1);
    if ((kind == "layer" || kind == "tar" || kind == "tar.gz") && fs::exists(folder / name))
      layers[name] = plain_of(read_file(folder / name));
  }
  return layers;
}

const std::map<std::string, std::string> known_differences = {
    {"tar-split__pax-multi-hdrs.tar", "libarchive refuses several x headers before one entry; engines take the last"},
    {"tar-split__pax-nul-path.tar", "libarchive cuts a PAX path at its NUL byte; engines refuse the layer"},
    {"tar-split__sparse-formats.tar", "libarchive reads old GNU sparse files; engines refuse the layer"},
    {"t_cont7/0", "libarchive reads type 7 as a file; engines refuse the layer"},
    {"t_unknown_Q/0", "libarchive reads an unknown type as a file; engines refuse the layer"},
    {"t_unknown_V/0", "libarchive passes over volume headers in silence; engines refuse the layer"},
    {"t_trunc/0", "both refuse; what is left of the last file is hashed by the oracle only"},
};

void compare(const std::map<std::string, std::string>& layers) {
  std::set<std::string> different;
  for (const auto& [name, plain] : layers) {
    const Listing mine = ours(plain), theirs = libarchives(plain);
    if (mine == theirs) continue;
    different.insert(name);
    if (known_differences.contains(name)) continue;
    std::string text = name + "\n";
    for (const std::string& entry : mine) text += "  ocilint    " + entry + "\n";
    for (const std::string& entry : theirs) text += "  libarchive " + entry + "\n";
    FAIL_CHECK(text);
  }
  for (const auto& [name, reason] : known_differences) {
    INFO(name << " is listed as different: " << reason);
    if (layers.contains(name)) CHECK(different.contains(name));
  }
}

TEST_CASE("libarchive reads the same in every fixture and conformance layer") {
  const fs::path shared = fs::path(test::source_dir) / "../shared";
  if (!fs::exists(shared / "fixtures/INDEX.tsv") || !fs::exists(shared / "conformance/images")) {
    WARN("skipped: no fixtures beside the source tree");
    return;
  }
  const auto fixtures = layers_of_fixtures(shared / "fixtures");
  CHECK(fixtures.size() >= 10);
  compare(fixtures);
  const auto conformance = layers_of_conformance(shared / "conformance/images");
  CHECK(conformance.size() >= 70);
  compare(conformance);
}

}  // namespace
}  // namespace ocilint
