#include "facts/apk_installed.h"

#include <fmt/format.h>

#include <charconv>

#include "base/base64.h"
#include "base/error.h"
#include "base/path.h"
#include "facts/limits.h"
#include "facts/lines.h"

namespace ocilint {
namespace {

class ApkReader {
 public:
  explicit ApkReader(std::string_view text) : lines_(text) {}

  ApkInstalled read() {
    while (lines_.next()) {
      const std::string_view line = lines_.text();
      if (line.size() > list_line_bytes && line[0] != 'D' && line[0] != 'p' && line[0] != 'i')
        limit_line(lines_.number(), "a line that is too long");
      if (line.size() < 2) {  // as apk reads it
        end();
        continue;
      }
      if (line[1] != ':') corrupt_line(lines_.number(), "no field: a letter and a colon");
      if (package_.line == 0) package_.line = lines_.number();
      field(line[0], line.substr(2));
    }
    end();
    return std::move(out_);
  }

 private:
  void field(char name, std::string_view value) {
    switch (name) {
      case 'P': package_.name = value; break;
      case 'V': package_.version = value; break;
      case 'A': package_.architecture = value; break;
      case 'o': package_.origin = value; break;
      case 'L': package_.license = value; break;
      case 'm': package_.maintainer = value; break;
      case 'U': package_.url = value; break;
      case 'c': package_.commit = value; break;
      case 'D': package_.dependencies = value; break;
      case 'p': package_.provides = value; break;
      case 'i': package_.install_if = value; break;
      case 'f': flags(value); break;
      case 'F': folder(value); break;
      case 'M':
        if (!in_folder_) corrupt_line(lines_.number(), "M: before a folder");
        (void)owner(value);
        break;
      case 'R': file(value); break;
      case 'a': {
        const ApkFile read = owner(value);
        ApkFile& at = last_file("a:");
        at.uid = read.uid;
        at.gid = read.gid;
        at.mode = read.mode;
        break;
      }
      case 'Z': last_file("Z:").digest = digest(value); break;
      default: break;  // C, S, I, T, t, k, r, q, s: of no use here
    }
  }

  void flags(std::string_view value) {
    cut_ = value.find('S') != std::string_view::npos;
    package_.broken = value.find_first_of("fsx") != std::string_view::npos;
  }

  std::string path_of(std::string_view below, std::string_view name) {
    const std::string raw = fmt::format("{}/{}", below, name);
    if (has_dot_dot(raw)) corrupt_line(lines_.number(), "a path with ..");
    return normalise(raw).path;
  }

  void folder(std::string_view value) {
    in_folder_ = true;
    in_file_ = false;
    package_.folders.push_back(path_of("", value));
    count();
  }

  void file(std::string_view value) {
    if (!in_folder_) corrupt_line(lines_.number(), "R: before a folder");
    if (value.empty() || value.find('/') != std::string_view::npos)
      corrupt_line(lines_.number(), "R: with no name of a file");
    package_.files.push_back({.path = path_of(package_.folders.back(), value), .digest = {}});
    in_file_ = true;
    count();
  }

  void count() {
    if (++paths_ > package_paths) limit_line(lines_.number(), "too many paths");
  }

  ApkFile& last_file(std::string_view what) {
    if (!in_file_) corrupt_line(lines_.number(), fmt::format("{} before a file", what));
    return package_.files.back();
  }

  ApkFile owner(std::string_view value) {
    ApkFile out;
    const auto number = [&](std::uint32_t& into, int base, bool last) {
      const std::string_view digits = value.substr(0, value.find(':'));
      const auto end = digits.data() + digits.size();
      const auto read = std::from_chars(digits.data(), end, into, base);
      const bool whole = read.ec == std::errc() && read.ptr == end;
      if (!whole || (digits.size() == value.size() && !last)) corrupt_line(lines_.number(), "no uid:gid:mode");
      value.remove_prefix(std::min(digits.size() + 1, value.size()));
    };
    number(out.uid, 10, false);
    number(out.gid, 10, false);
    number(out.mode, 8, true);
    if (out.mode > 07777) corrupt_line(lines_.number(), "no mode");
    return out;  // what follows is the digest of extended attributes
  }

  std::optional<RecordedDigest> digest(std::string_view value) {
    const auto unknown = [&]() -> std::optional<RecordedDigest> {
      add_note(out_.notes, lines_.number(), "a digest of a form that is not known");
      return std::nullopt;
    };
    if (value.size() < 3 || (value[0] != 'Q' && value[0] != 'X') || (value[1] != '1' && value[1] != '2'))
      return unknown();
    std::string raw;
    if (value[0] == 'Q') {
      auto decoded = decode_base64(value.substr(2));
      if (!decoded) return unknown();
      raw = std::move(*decoded);
    } else {
      const Algorithm algorithm = value[1] == '1' ? Algorithm::sha1 : Algorithm::sha256;
      if (value.size() - 2 != 2 * size_of(algorithm)) return unknown();
      if (value.substr(2).find_first_not_of("0123456789abcdefABCDEF") != std::string_view::npos) return unknown();
      raw = as_text(Digest::from_hex(algorithm, value.substr(2)).raw());
    }
    const bool is_sha1 = raw.size() == size_of(Algorithm::sha1) && value[1] == '1';
    if (!is_sha1 && raw.size() != size_of(Algorithm::sha256)) return unknown();
    return RecordedDigest{is_sha1 && !cut_ ? Algorithm::sha1 : Algorithm::sha256, std::move(raw), ""};
  }

  void end() {
    if (package_.line != 0) {
      if (package_.name.empty()) corrupt_line(package_.line, "a package without P:");
      if (package_.version.empty()) corrupt_line(package_.line, fmt::format("{} without V:", package_.name));
      if (out_.packages.size() == packages_most) limit_line(package_.line, "too many packages");
      out_.packages.push_back(std::move(package_));
    }
    package_ = {};
    in_folder_ = in_file_ = cut_ = false;
  }

  Lines lines_;
  ApkInstalled out_;
  ApkPackage package_;
  bool in_folder_ = false, in_file_ = false, cut_ = false;
  std::size_t paths_ = 0;
};

}  // namespace

ApkInstalled ApkInstalled::parse(std::string_view text) {
  require_text(text, status_bytes);
  return ApkReader(text).read();
}

std::string_view apk_name_of(std::string_view word) {
  return word.starts_with('!') ? std::string_view() : word.substr(0, word.find_first_of("<>=~@"));
}

std::vector<std::string> parse_apk_world(std::string_view text) {
  require_text(text, small_text_bytes);
  std::vector<std::string> out;
  constexpr std::string_view blanks = " \t\r\n";
  while (true) {
    const std::size_t begin = text.find_first_not_of(blanks);
    if (begin == std::string_view::npos) return out;
    text.remove_prefix(begin);
    const std::string_view word = text.substr(0, text.find_first_of(blanks));
    text.remove_prefix(word.size());
    if (const std::string_view name = apk_name_of(word); !name.empty()) out.emplace_back(name);
  }
}

}  // namespace ocilint
