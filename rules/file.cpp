#include <fmt/format.h>

#include <algorithm>

#include "base/mode.h"
#include "base/path.h"
#include "base/pattern.h"
#include "check/rule.h"
#include "check/selection.h"
#include "facts/passwd.h"

namespace ocilint::rules {
namespace {

constexpr std::string_view types[] = {"file", "directory", "symlink", "character", "block", "fifo"};
constexpr std::string_view content_kinds[] = {"elf", "text"};

constexpr Param params[] = {
    {"file", ParamType::paths, "the file"},
    {"files", ParamType::paths, "several files; each must be as stated"},
    {"absent", ParamType::flag, "no such file may exist"},
    {"count", ParamType::number, "how many there must be, exactly"},
    {"type", ParamType::text, "what the name leads to; symlink is said of the name itself", false, types},
    {"kind", ParamType::text, "what the content is", false, content_kinds},
    {"non_empty", ParamType::flag, "a file has bytes, a directory has entries"},
    {"dangling", ParamType::flag, "false: no link of the set leads nowhere"},
    {"mode", ParamType::mode, "permissions: '0644' exactly, or bits that must be set"},
    {"owner", ParamType::text, "user, user:group or numbers"},
    {"content", ParamType::pattern, "a regular expression that the content must match; ^ and $ are line ends"},
    {"sha256", ParamType::text, "the digest of the content, 64 hex digits"},
    {"target", ParamType::text, "the recorded target of the symbolic link"},
    {"resolves_to", ParamType::text, "a glob for the file that the name leads to; without a slash, for its name"},
    {"allow_empty", ParamType::flag, "no such file is fine"},
};

constexpr FindingKind kinds[] = {
    {"missing", "no such file"},          {"present", "the file exists and must not"},
    {"count", "another number of files"}, {"dangling", "a link leads nowhere"},
    {"type", "another type"},             {"empty", "no bytes, or no entries"},
    {"content", "other content"},         {"mode", "other permissions"},
    {"owner", "another owner"},           {"digest", "another digest"},
    {"target", "the link leads elsewhere"},
};

constexpr Example examples[] = {
    {"a marker with a commit", "{file: /m, content: '^[0-9a-f]{4}$'}", "layers: [{files: {/m: beef}}]", "pass"},
    {"an empty marker", "{file: /m, non_empty: true}", "layers: [{files: {/m: ''}}]", "empty /m"},
    {"a link that leads nowhere", "{files: [/l/*], dangling: false}", "layers: [{links: {/l/a: b}}]", "dangling /l/a"}};

void plan(const Params& with, Plan& plan) {
  plan.tree();
  const PathSet files = files_of(with);
  if (with.has("content") || with.text("kind") == "text") plan.content(files);
  if (with.has("sha256")) plan.sha256(files);
  if (with.text("kind") == "elf") plan.elf(files);
  if (with.has("owner")) {
    plan.content("/etc/passwd");
    plan.content("/etc/group");
  }
}

struct Owner {
  std::uint32_t uid = 0;
  std::optional<std::uint32_t> gid;
};

/// Names are those of the image's own passwd and group.
Owner owner_of(const std::string& text, const ImageView& image) {
  const std::size_t colon = text.find(':');
  const std::string user = text.substr(0, colon);
  Owner owner;
  if (const auto id = parse_id(user)) {
    owner.uid = *id;
  } else {
    const Passwd passwd = Passwd::parse(image.text_of("/etc/passwd").value_or(""));
    const PasswdEntry* const entry = passwd.find(user);
    if (entry == nullptr && !image.pending()) corrupt("the image's /etc/passwd has no user " + user);
    if (entry != nullptr) owner.uid = entry->uid;
  }
  if (colon == std::string::npos) return owner;
  const std::string name = text.substr(colon + 1);
  owner.gid = parse_id(name);
  if (owner.gid) return owner;
  const Group group = Group::parse(image.text_of("/etc/group").value_or(""));
  const GroupEntry* const entry = group.find(name);
  if (entry == nullptr && !image.pending()) corrupt("the image's /etc/group has no group " + name);
  if (entry != nullptr) owner.gid = entry->gid;
  return owner;
}

/// A marker is worth quoting, a long file is not.
std::string excerpt(const std::string& content) {
  constexpr std::size_t most = 80;
  if (content.size() > most) return fmt::format("is {} bytes of other content", content.size());
  return "is: " + content;
}

class Inspection {
 public:
  Inspection(const Params& with, const ImageView& image, Answer& answer) : with_(with), image_(image), answer_(answer) {
    if (with.has("content")) content_.emplace(Pattern::compile(with.text("content")));
    if (with.has("mode")) mode_.emplace(ModeSpec::parse(with.text("mode")));
    if (with.has("owner")) owner_.emplace(owner_of(with.text("owner"), image));
    if (with.has("sha256")) digest_.emplace(Digest::from_hex(Algorithm::sha256, with.text("sha256")));
  }

  void look_at(const Selected& one) {
    one_ = &one;
    const std::size_t before = answer_.findings().size();
    name_itself();
    if (!one.end.found()) {
      if (one.end.status == Resolution::Status::loop)
        find("dangling", "a loop of symbolic links");
      else if (asks_behind_link())
        find("dangling", "leads to " + one.end.path + ", which does not exist");
      if (answer_.findings().size() == before) evidence(image_.tree()[one.match.node]);
      return;
    }
    const Node& node = image_.tree()[one.end.node];
    header(node);
    if (node.type == EntryType::file) content(node);
    if (answer_.findings().size() == before) evidence(node);
  }

 private:
  bool asks_behind_link() const {
    if (with_.has("dangling") && !with_.flag("dangling")) return true;
    const std::string& type = with_.text("type");
    const bool of_link_only = type == "symlink" || with_.has("target");
    const bool behind = with_.flag("non_empty") || with_.has("content") || with_.has("sha256") || with_.has("kind") ||
                        with_.has("resolves_to") || with_.has("mode") || with_.has("owner");
    return behind || !of_link_only;
  }

  void name_itself() {
    const Node& name = image_.tree()[one_->match.node];
    if (with_.text("type") == "symlink" && name.type != EntryType::symlink)
      find("type", fmt::format("a {}, not a symbolic link", to_string(name.type)));
    if (with_.has("target")) {
      if (name.type != EntryType::symlink) {
        if (with_.text("type") != "symlink")
          find("target", fmt::format("a {}, not a symbolic link to {}", to_string(name.type), with_.text("target")));
      } else if (name.link != with_.text("target")) {
        find("target", fmt::format("leads to {}, not to {}", name.link, with_.text("target")));
      }
    }
  }

  void header(const Node& node) {
    const std::string& type = with_.text("type");
    if (!type.empty() && type != "symlink" && type != to_string(node.type))
      find("type", fmt::format("a {}, not a {}", to_string(node.type), type));
    if (with_.flag("non_empty")) {
      const bool empty = node.type == EntryType::directory ? image_.tree().children(one_->end.node).empty()
                                                           : node.type == EntryType::file && node.size == 0;
      if (empty) find("empty", node.type == EntryType::directory ? "an empty directory" : "an empty file");
    }
    if (mode_) {
      const bool fits = mode_->octal ? node.mode == mode_->bits : (node.mode & mode_->bits) == mode_->bits;
      if (!fits) find("mode", fmt::format("mode {}, not {}", mode_text(node.mode), with_.text("mode")));
    }
    if (owner_ && (node.uid != owner_->uid || (owner_->gid && node.gid != *owner_->gid)))
      find("owner", fmt::format("owner {}:{}, not {}", node.uid, node.gid, with_.text("owner")));
    if (with_.has("resolves_to")) {
      const std::string& wanted = with_.text("resolves_to");
      const bool whole = wanted.find('/') != std::string::npos;
      const Glob glob = Glob::parse(whole ? wanted : "**/" + wanted);
      if (!glob.matches(one_->end.path)) find("target", "resolves to " + one_->end.path + ", not to " + wanted);
    }
    const bool of_content = content_ || digest_ || with_.has("kind");
    if (of_content && node.type != EntryType::file)
      find("type", fmt::format("a {}, which has no content", to_string(node.type)));
  }

  void content(const Node& node) {
    if (with_.text("kind") == "elf") {
      const ElfFacts& elf = image_.elf(node.inode);
      if (elf.kind != ElfKind::elf)
        find("content", node.size == 0 ? "an empty file, no ELF file" : fmt::format("no ELF file: {}", to_string(elf.kind)));
      else if (!elf.malformed.empty())
        find("content", "a malformed ELF file: " + elf.malformed);
    }
    if (with_.text("kind") == "text" && image_.content(node.inode).find('\0') != std::string::npos)
      find("content", "not text: it holds NUL bytes");
    if (content_ && !content_->found_in(image_.content(node.inode)))
      find("content", "does not match " + with_.text("content"), {excerpt(image_.content(node.inode))});
    if (digest_ && image_.sha256(node.inode) != *digest_)
      find("digest", "another content", {"expected " + digest_->text(), "is " + image_.sha256(node.inode).text()});
  }

  void evidence(const Node& node) {
    std::string text = describe(*one_) + fmt::format(" is a {}", to_string(node.type));
    if (node.type == EntryType::file) text += fmt::format(" of {} bytes", node.size);
    if (with_.text("kind") == "elf") text += ", ELF";
    if (content_) text += ", its content matches";
    if (digest_) text += ", its digest is the stated one";
    answer_.evidence(std::move(text), one_->end.path,
                     node.inode.created() ? std::optional(node.inode.layer) : std::nullopt);
  }

  void find(const char* kind, std::string message, std::vector<std::string> details = {}) {
    Finding finding;
    finding.kind = kind;
    finding.subject = one_->match.path;
    finding.message = std::move(message);
    finding.details = std::move(details);
    if (one_->is_link()) finding.details.push_back(describe(*one_));
    finding.layer = last_touched(image_, one_->end.found() ? one_->end.path : one_->match.canonical);
    answer_.finding(std::move(finding));
  }

  const Params& with_;
  const ImageView& image_;
  Answer& answer_;
  std::optional<Pattern> content_;
  std::optional<ModeSpec> mode_;
  std::optional<Owner> owner_;
  std::optional<Digest> digest_;
  const Selected* one_ = nullptr;
};

void check(const Params& with, const ImageView& image, Answer& answer) {
  const PathSet files = files_of(with);
  const std::vector<Selected> selected = select(files, image);
  if (with.flag("absent")) {
    for (const Selected& one : selected) {
      Finding finding;
      finding.kind = "present";
      finding.subject = one.match.path;
      finding.message = "exists and must not";
      finding.layer = last_touched(image, one.match.canonical);
      answer.finding(std::move(finding));
    }
    if (selected.empty()) answer.evidence("no file matches " + files.text);
    return;
  }
  const auto count = with.number("count");
  if (count && *count != selected.size()) {
    Finding finding;
    finding.kind = "count";
    finding.subject = files.text;
    finding.message = fmt::format("{} files, {} are asked for", selected.size(), *count);
    for (const Glob& glob : files.include) finding.details.push_back("looked for " + glob.text());
    for (const Selected& one : selected) finding.details.push_back("is there: " + one.match.path);
    answer.finding(std::move(finding));
  }
  const bool none_is_fine = with.flag("allow_empty") || (count && *count == 0);
  if (!require_some(selected, files, none_is_fine, image, answer)) return;
  Inspection inspection(with, image, answer);
  for (const Selected& one : selected) inspection.look_at(one);
}

}  // namespace

extern const Rule file;
const Rule file{
    .doc = {.id = "file",
            .summary = "A file exists and is as stated.",
            .details = R"(Links are followed inside the image; the findings show where a name leads. Everything that
is stated must hold for each file of the set, and a set that matches nothing is a finding unless `allow_empty`.

`count`, `type`, `kind`, `non_empty`, `mode`, `owner`, `content`, `sha256`, `target` and `resolves_to` can be
combined. `absent: true` asserts that no such name exists; `dangling: false` that no link leads nowhere.)",
            .severity = Severity::error,
            .since = "0.1",
            .params = params,
            .kinds = kinds,
            .examples = examples},
    .plan = plan,
    .check = check};

}  // namespace ocilint::rules
