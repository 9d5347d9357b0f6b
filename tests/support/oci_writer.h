// Writes small images for tests: an OCI layout folder or a docker-archive, from layer tars.
//
// TempDir is removed with everything in it. write_oci_layout() and write_docker_archive() return the
// reference to read what they wrote ("oci:DIR", "docker-archive:FILE"). Header only; gzip and zstd are
// written in stored form, so that no compressor is linked.
#pragma once

#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "base/json.h"

namespace ocilint::testing {

class TempDir {
 public:
  TempDir() {
    std::string name = (std::filesystem::temp_directory_path() / "ocilint-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp");
    path_ = name;
  }
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  const std::string& path() const { return path_; }
  std::string operator/(std::string_view name) const { return path_ + "/" + std::string(name); }

 private:
  std::string path_;
};

inline void write_file(const std::string& path, std::string_view bytes) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream out(path, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!out.flush()) throw std::runtime_error("cannot write " + path);
}

inline std::string little_endian(std::uint64_t value, int width) {
  std::string out;
  for (int i = 0; i < width; ++i) out.push_back(static_cast<char>(value >> (8 * i) & 0xff));
  return out;
}

/// One gzip member of stored blocks (RFC 1952, RFC 1951 3.2.4).
inline std::string gzip_stored(std::string_view bytes) {
  std::uint32_t crc = 0xffffffffU;
  for (const char c : bytes) {
    crc ^= static_cast<std::uint8_t>(c);
    for (int bit = 0; bit < 8; ++bit) crc = crc & 1 ? crc >> 1 ^ 0xedb88320U : crc >> 1;
  }
  std::string out("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);
  std::size_t at = 0;
  do {
    const std::string_view block = bytes.substr(at, 65535);
    at += block.size();
    out.push_back(at == bytes.size() ? '\1' : '\0');
    out += little_endian(block.size(), 2) + little_endian(~block.size(), 2);
    out += block;
  } while (at < bytes.size());
  return out + little_endian(~crc, 4) + little_endian(bytes.size(), 4);
}

/// One zstd frame of raw blocks (RFC 8878 3.1.1).
inline std::string zstd_stored(std::string_view bytes) {
  std::string out("\x28\xb5\x2f\xfd", 4);
  out.push_back('\0');    // no content size, no checksum
  out.push_back('\x38');  // window 2^17
  std::size_t at = 0;
  do {
    const std::string_view block = bytes.substr(at, 65536);
    at += block.size();
    out += little_endian(block.size() << 3 | (at == bytes.size() ? 1U : 0U), 3);
    out += block;
  } while (at < bytes.size());
  return out;
}

struct TestImage {
  std::vector<std::string> layer_tars;  // uncompressed, base first
  std::vector<std::string> created_by;  // history, one a layer; may be shorter
  std::string os = "linux";
  std::string architecture = "amd64";
  std::string ref_name;                                        // org.opencontainers.image.ref.name, or RepoTags
  Json config = Json::object();                                // members of "config": Env, Labels, User …
  Json config_extra = Json::object();                          // members of the image config itself, merged last
  Json manifest_extra = Json::object();                        // members of the manifest, merged last
  std::vector<std::string> media_types;                        // of layers, where they shall differ from the bytes
  std::vector<std::pair<std::string, TestImage>> others = {};  // images to compare with, for check_kit.h
};

inline std::string config_of(const TestImage& image) {
  Json json{{"os", image.os}, {"architecture", image.architecture}, {"config", image.config}};
  json["rootfs"] = {{"type", "layers"}, {"diff_ids", Json::array()}};
  for (const std::string& tar : image.layer_tars) json["rootfs"]["diff_ids"].push_back(Digest::sha256_of(tar).text());
  json["history"] = Json::array();
  for (const std::string& line : image.created_by) json["history"].push_back({{"created_by", line}});
  json.update(image.config_extra);
  return json.dump();
}

inline std::string compressed(std::string_view tar, std::string_view compression) {
  if (compression == "gzip") return gzip_stored(tar);
  if (compression == "zstd") return zstd_stored(tar);
  if (!compression.empty()) throw std::runtime_error("compression is gzip, zstd or empty");
  return std::string(tar);
}

/// Stores a blob in a layout and returns its descriptor.
inline Json put_blob(const std::string& dir, std::string_view bytes, const std::string& media_type) {
  const Digest digest = Digest::sha256_of(bytes);
  write_file(dir + "/blobs/sha256/" + digest.hex(), bytes);
  return {{"mediaType", media_type}, {"digest", digest.text()}, {"size", bytes.size()}};
}

/// Writes the blobs of an image and returns the manifest's descriptor, for an index.
inline Json put_image(const TestImage& image, const std::string& dir, std::string_view compression = {}) {
  const std::string oci = "application/vnd.oci.image.";
  Json manifest{{"schemaVersion", 2}, {"mediaType", oci + "manifest.v1+json"}};
  manifest["config"] = put_blob(dir, config_of(image), oci + "config.v1+json");
  manifest["layers"] = Json::array();
  for (std::size_t i = 0; i < image.layer_tars.size(); ++i) {
    std::string type = oci + "layer.v1.tar";
    if (!compression.empty()) type += "+" + std::string(compression);
    if (i < image.media_types.size()) type = image.media_types[i];
    manifest["layers"].push_back(put_blob(dir, compressed(image.layer_tars[i], compression), type));
  }
  manifest.update(image.manifest_extra);
  Json descriptor = put_blob(dir, manifest.dump(), oci + "manifest.v1+json");
  descriptor["platform"] = {{"os", image.os}, {"architecture", image.architecture}};
  if (!image.ref_name.empty()) descriptor["annotations"] = {{"org.opencontainers.image.ref.name", image.ref_name}};
  return descriptor;
}

/// Writes index.json and oci-layout over blobs that are there already.
inline std::string write_index(const std::string& dir, const std::vector<Json>& manifests) {
  const Json index{
      {"schemaVersion", 2}, {"mediaType", "application/vnd.oci.image.index.v1+json"}, {"manifests", manifests}};
  write_file(dir + "/index.json", index.dump());
  write_file(dir + "/oci-layout", R"({"imageLayoutVersion":"1.0.0"})");
  return "oci:" + dir;
}

/// compression: "" (none), "gzip" or "zstd". Returns "oci:DIR".
inline std::string write_oci_layout(const TestImage& image, const std::string& dir, std::string_view compression = {}) {
  return write_index(dir, {put_image(image, dir, compression)});
}

/// One ustar entry with its padding. `type` '0' file, '1' hard link, '2' symbolic link, '5' directory.
inline std::string tar_entry(const std::string& name, std::string_view bytes, char type = '0',
                             const std::string& link = {}) {
  std::array<char, 512> header{};
  const auto put = [&header](std::size_t at, std::string_view text) { text.copy(&header[at], text.size()); };
  const auto octal = [&put](std::size_t at, std::size_t width, std::uint64_t value) {
    std::string digits(width, '0');
    for (std::size_t i = width; i-- > 0; value >>= 3) digits[i] = static_cast<char>('0' + (value & 7));
    put(at, digits);
  };
  if (name.size() > 100 || link.size() > 100) throw std::runtime_error("name too long for ustar");
  put(0, name);
  octal(100, 7, type == '5' ? 0755 : 0644);
  octal(108, 7, 0);
  octal(116, 7, 0);
  octal(124, 11, bytes.size());
  octal(136, 11, 0);
  put(148, "        ");
  header[156] = type;
  put(157, link);
  put(257, std::string_view("ustar\00000", 8));
  std::uint64_t sum = 0;
  for (const char c : header) sum += static_cast<std::uint8_t>(c);
  octal(148, 6, sum);
  header[154] = '\0';
  std::string out(header.data(), header.size());
  out += bytes;
  out.resize((out.size() + 511) / 512 * 512);
  return out;
}

inline std::string tar_end() { return std::string(1024, '\0'); }

/// A docker save archive of the classic form (manifest.json, <id>/layer.tar). Returns "docker-archive:FILE".
inline std::string write_docker_archive(const TestImage& image, const std::string& file) {
  const std::string config = config_of(image);
  const std::string config_name = Digest::sha256_of(config).hex() + ".json";
  std::string tar = tar_entry(config_name, config);
  std::map<std::string, bool> written;
  Json item{{"Config", config_name}, {"RepoTags", nullptr}, {"Layers", Json::array()}};
  if (!image.ref_name.empty()) item["RepoTags"] = Json::array({image.ref_name});
  for (const std::string& layer : image.layer_tars) {
    const std::string name = Digest::sha256_of(layer).hex() + "/layer.tar";
    if (!written[name]) tar += tar_entry(name, layer);
    written[name] = true;
    item["Layers"].push_back(name);
  }
  tar += tar_entry("manifest.json", Json::array({item}).dump());
  write_file(file, tar + tar_end());
  return "docker-archive:" + file;
}

}  // namespace ocilint::testing
