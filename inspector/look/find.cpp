#include "look/find.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <unordered_set>

#include "check/package_db.h"
#include "look/ask.h"
#include "look/installed_rows.h"
#include "look/question.h"

namespace ocilint {
namespace {

std::uint32_t parse_id(std::string_view text) {
  std::uint32_t out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || end != text.data() + text.size())
    throw Error(ErrorKind::usage, fmt::format("--owner: '{}' is no number; names are not known here", text));
  return out;
}

class Finder {
 public:
  Finder(const FindOptions& wanted, const ImageView& view) : wanted_(wanted), view_(view) {
    const std::string_view owner = wanted.owner;
    const std::size_t colon = owner.find(':');
    if (const std::string_view user = owner.substr(0, colon); !user.empty()) uid_ = parse_id(user);
    if (colon != std::string_view::npos) gid_ = parse_id(owner.substr(colon + 1));
    if (!wanted.package.empty()) find_package();
  }

  std::vector<Match> matches() const {
    PathSet everything;
    if (wanted_.paths.empty()) everything.include.push_back(Glob::parse("/**"));
    std::vector<Match> out = view_.match(wanted_.paths.empty() ? everything : wanted_.paths);
    std::erase_if(out, [&](const Match& match) { return !holds(match); });
    return out;
  }

 private:
  /// A database that cannot be read answers nothing; the image itself was read.
  template <typename Read>
  static auto readable(const Read& read) -> decltype(read()) try {
    return read();
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::internal) throw;
    throw Error(ErrorKind::usage, std::string("--package: ") + error.what());
  }

  void find_package() {
    const PackageDb& packages = readable([&]() -> const PackageDb& { return view_.packages(); });
    const std::vector<InstalledPackages> others = readable([&] { return read_installed(view_, owning_managers); });
    if (view_.pending()) return;
    if (!packages.found() && others.empty()) throw Error(ErrorKind::usage, "--package: " + packages.presence_text());
    for (const Package& package : packages.packages())
      if (package.name() == wanted_.package || package.control.name == wanted_.package)
        packages_.push_back(packages.index_of(package));
    bool known = !packages_.empty();
    for (const InstalledPackages& read : others)
      for (const Installed& package : read.packages) {
        if (package.name != wanted_.package || !package.owner.empty()) continue;  // or its files are that package's
        if (!package.unusable.empty())
          throw Error(ErrorKind::usage, fmt::format("--package {}: {}", wanted_.package, package.unusable));
        known = true;
        for (const InstalledFile& file : package.files) paths_.insert(file.path);
      }
    if (known) return;
    for (const InstalledPackages& read : others)
      if (!read.problems.empty()) throw Error(ErrorKind::usage, "--package: " + read.problems.front());
    throw Error(ErrorKind::usage, fmt::format("--package {}: the image has no such package", wanted_.package));
  }

  bool holds(const Match& match) const {
    const Node& node = view_.tree()[match.node];
    if (wanted_.type && node.type != *wanted_.type) return false;
    if (!wanted_.sizes.empty() && node.type != EntryType::file) return false;
    for (const SizeTerm& size : wanted_.sizes)
      if (!size.holds(node.size)) return false;
    if (wanted_.mode && !has_mode(node)) return false;
    if (uid_ && node.uid != *uid_) return false;
    if (gid_ && node.gid != *gid_) return false;
    if (wanted_.layer && (!node.inode.created() || node.inode.layer != *wanted_.layer)) return false;
    return wanted_.package.empty() || owned(match.canonical);
  }

  bool has_mode(const Node& node) const {
    if (node.type == EntryType::symlink) return false;  // its mode means nothing
    const std::uint32_t bits = wanted_.mode->bits;
    return wanted_.mode->octal ? node.mode == bits : (node.mode & bits) == bits;
  }

  bool owned(const std::string& canonical) const {
    if (view_.pending()) return false;
    if (paths_.contains(canonical)) return true;
    const PackageDb& packages = view_.packages();
    const OwnedPath* const owned = packages.find(canonical);
    if (owned == nullptr) return false;
    return std::ranges::any_of(packages.files(*owned), [&](const PackageFile& file) {
      return std::ranges::find(packages_, file.package) != packages_.end();
    });
  }

  const FindOptions& wanted_;
  const ImageView& view_;
  std::optional<std::uint32_t> uid_, gid_;
  std::vector<std::size_t> packages_;      // of dpkg
  std::unordered_set<std::string> paths_;  // of other managers
};

}  // namespace

SizeTerm SizeTerm::parse(std::string_view text) {
  SizeTerm out;
  std::string_view rest = text;
  if (rest.starts_with('+')) out.kind = Kind::at_least;
  if (rest.starts_with('-')) out.kind = Kind::at_most;
  if (out.kind != Kind::exactly) rest.remove_prefix(1);
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), out.bytes);
  const std::string_view unit(end, static_cast<std::size_t>(rest.data() + rest.size() - end));
  const int shift = unit.empty() ? 0 : unit == "K" ? 10 : unit == "M" ? 20 : unit == "G" ? 30 : -1;
  if (error != std::errc() || shift < 0 || out.bytes > (~std::uint64_t{0} >> shift))
    throw Error(ErrorKind::usage,
                fmt::format("--size {}: a number, perhaps after + or -, before K, M or G, is wanted", text));
  out.bytes <<= shift;
  return out;
}

bool SizeTerm::holds(std::uint64_t size) const {
  switch (kind) {
    case Kind::exactly: return size == bytes;
    case Kind::at_least: return size >= bytes;
    case Kind::at_most: return size <= bytes;
  }
  return false;
}

EntryType parse_type(std::string_view text) {
  struct Name {
    std::string_view letter, word;
    EntryType type;
  };
  static constexpr Name names[] = {{"f", "file", EntryType::file},    {"d", "directory", EntryType::directory},
                                   {"l", "link", EntryType::symlink}, {"c", "character", EntryType::character},
                                   {"b", "block", EntryType::block},  {"p", "fifo", EntryType::fifo}};
  for (const Name& name : names)
    if (text == name.letter || text == name.word) return name.type;
  throw Error(ErrorKind::usage, fmt::format("--type {}: f, d, l, c, b or p is wanted", text));
}

FileList find_files(const RunOptions& options, const FindOptions& wanted) {
  FileList out;
  with_image(options, [&](ReadImage& read, const RedactText& redact) {
    std::vector<Match> found;
    const auto declare = [&](Plan& plan) {
      plan.tree();
      if (!wanted.package.empty()) plan_installed(plan, owning_managers);
    };
    ask_image(read, options, declare, [&](const ImageView& view) {
      if (wanted.layer) (void)TreeUpTo(view.scanned(), wanted.layer);  // says when there is no such layer
      found = Finder(wanted, view).matches();
    });
    out.image = describe_image(options, read.image(), redact);
    for (const Match& match : found) {
      FileRow& row = out.rows.emplace_back(describe_file(*read.scanned().tree, match.node, redact));
      row.path = match.path;
      redact(row.path);
    }
  });
  return out;
}

}  // namespace ocilint
