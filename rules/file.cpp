#include <fmt/format.h>

#include <algorithm>

#include "base/mode.h"
#include "base/path.h"
#include "base/pattern.h"
#include "check/rule.h"
#include "check/selection.h"
#include "facts/key_value.h"
#include "facts/passwd.h"

namespace ocilint::rules {
namespace {

constexpr std::string_view types[] = {"file", "directory", "symlink", "character", "block", "fifo"};
constexpr std::string_view content_kinds[] = {"elf", "text"};

constexpr Param params[] = {
    {"file", ParamType::paths, "the file"},
    {"files", ParamType::paths, "several files; each must be as stated"},
    {"each", ParamType::flag, "each pattern of the list selects some file, not only the list as a whole"},
    {"absent", ParamType::flag, "no such file may exist"},
    {"count", ParamType::number, "how many there must be, exactly"},
    {"type", ParamType::text, "what the name leads to; symlink is said of the name itself", false, types},
    {"kind", ParamType::text, "what the content is", false, content_kinds},
    {"non_empty", ParamType::flag, "a file has bytes, a directory has entries"},
    {"dangling", ParamType::flag, "false: no link of the set leads nowhere"},
    {"mode", ParamType::mode, "permissions: '0644' exactly, or bits that must be set"},
    {"owner", ParamType::text, "user, user:group or numbers"},
    {"content", ParamType::patterns, "regular expressions that the content must match; ^ and $ are line ends"},
    {"without", ParamType::patterns, "regular expressions that the content must not match"},
    {"lines", ParamType::pattern, "a regular expression that each line of the content must match"},
    {"line_count", ParamType::number, "how many lines the content has, exactly"},
    {"keys", ParamType::texts, "KEY=value or KEY: value lines that the content must have, with a value"},
    {"max_size", ParamType::number, "how many bytes a file may have at most"},
    {"sha256", ParamType::text, "the digest of the content, 64 hex digits"},
    {"not_sha256", ParamType::texts, "digests that the content must not have"},
    {"target", ParamType::text, "the recorded target of the symbolic link"},
    {"target_pattern", ParamType::pattern,
     "a regular expression that the recorded target of each symbolic link of "
     "the set must match; ^[^/]+$ is a name beside the link"},
    {"resolves_to", ParamType::text, "a glob for the file that the name leads to; without a slash, for its name"},
    {"allow_empty", ParamType::flag, "no such file is fine"},
};

constexpr FindingKind kinds[] = {
    {"missing", "no such file"},
    {"present", "the file exists and must not"},
    {"count", "another number of files"},
    {"dangling", "a link leads nowhere"},
    {"type", "another type"},
    {"empty", "no bytes, or no entries"},
    {"content", "other content"},
    {"mode", "other permissions"},
    {"owner", "another owner"},
    {"digest", "another digest"},
    {"size", "more bytes than allowed"},
    {"target", "the link leads elsewhere"},
};

constexpr Example examples[] = {
    {"a marker with a commit", "{file: /m, content: '^[0-9a-f]{4}$'}", "layers: [{files: {/m: beef}}]", "pass"},
    {"a list of two names", "{file: /m, lines: '^lib.+\\.so\\.\\d+$', line_count: 2}",
     "layers: [{files: {/m: \"liba.so.1\\nlibb.so\\n\"}}]", "content /m"},
    {"two folders, and one of them is gone", "{files: [/x/bin, /x/lib], each: true}",
     "layers: [{files: {/x/lib/a: b}}]", "missing /x/bin"},
    {"an empty marker", "{file: /m, non_empty: true}", "layers: [{files: {/m: ''}}]", "empty /m"},
    {"a link that leads nowhere", "{files: [/l/*], dangling: false}", "layers: [{links: {/l/a: b}}]", "dangling /l/a"},
    {"links into their own directory", "{files: ['/l/lib*.so.*'], target_pattern: '^[^/]+$'}",
     "layers: [{files: {/l/liba.so.1.0: x, /o/libb.so.1.0: x}, links: {/l/liba.so.1: liba.so.1.0, "
     "/l/libb.so.1: /o/libb.so.1.0}}]",
     "target /l/libb.so.1"},
    {"no absolute target but of alternatives", "{files: ['/l/**'], target_pattern: '^([^/]|/etc/alternatives/)'}",
     "layers: [{files: {/etc/alternatives/a: x}, links: {/l/a: /etc/alternatives/a, /l/b: a}}]", "pass"}};

bool reads_content(const Params& with) {
  constexpr std::string_view names[] = {"content", "without", "lines", "line_count", "keys"};
  return with.text("kind") == "text" ||
         std::ranges::any_of(names, [&](std::string_view name) { return with.has(name); });
}

void plan(const Params& with, Plan& plan) {
  plan.tree();
  const PathSet files = files_of(with);
  if (reads_content(with)) plan.content(files);
  if (with.has("sha256") || with.has("not_sha256")) plan.sha256(files);
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

/// The last line may end in a newline or not.
std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
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
    for (const std::string& text : with.texts("content")) content_.push_back(Pattern::compile(text));
    for (const std::string& text : with.texts("without")) without_.push_back(Pattern::compile(text));
    if (with.has("lines")) lines_.emplace(Pattern::compile(with.text("lines")));
    if (with.has("target_pattern")) target_.emplace(Pattern::compile(with.text("target_pattern")));
    if (with.has("mode")) mode_.emplace(ModeSpec::parse(with.text("mode")));
    if (with.has("owner")) owner_.emplace(owner_of(with.text("owner"), image));
    if (with.has("sha256")) digest_.emplace(Digest::from_hex(Algorithm::sha256, with.text("sha256")));
    for (const std::string& text : with.texts("not_sha256"))
      other_digests_.push_back(Digest::from_hex(Algorithm::sha256, text));
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
    const bool of_link_only = type == "symlink" || with_.has("target") || target_;
    const bool behind = with_.flag("non_empty") || of_content() || with_.has("max_size") || with_.has("resolves_to") ||
                        with_.has("mode") || with_.has("owner");
    return behind || !of_link_only;
  }

  bool of_content() const { return reads_content(with_) || with_.has("kind") || digest_ || !other_digests_.empty(); }

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
    // A line of a target is not the target.
    if (target_ && name.type == EntryType::symlink &&
        (!target_->found_in(name.link) || name.link.find('\n') != name.link.npos))
      find("target", fmt::format("leads to {}, which does not match {}", name.link, with_.text("target_pattern")));
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
    const auto most = with_.number("max_size");
    if (most && node.type == EntryType::file && node.size > *most)
      find("size", fmt::format("{} bytes, at most {} are allowed", node.size, *most));
    if (of_content() && node.type != EntryType::file)
      find("type", fmt::format("a {}, which has no content", to_string(node.type)));
  }

  void content(const Node& node) {
    if (with_.text("kind") == "elf") {
      const ElfFacts& elf = image_.elf(node.inode);
      if (elf.kind != ElfKind::elf)
        find("content",
             node.size == 0 ? "an empty file, no ELF file" : fmt::format("no ELF file: {}", to_string(elf.kind)));
      else if (!elf.malformed.empty())
        find("content", "a malformed ELF file: " + elf.malformed);
    }
    if (reads_content(with_)) text(image_.content(node.inode));
    if (digest_ && image_.sha256(node.inode) != *digest_)
      find("digest", "another content", {"expected " + digest_->text(), "is " + image_.sha256(node.inode).text()});
    for (const Digest& other : other_digests_)
      if (image_.sha256(node.inode) == other) find("digest", "has the content that it must not have", {other.text()});
  }

  void text(const std::string& content) {
    if (with_.text("kind") == "text" && content.find('\0') != std::string::npos)
      find("content", "not text: it holds NUL bytes");
    for (std::size_t i = 0; i < content_.size(); ++i)
      if (!content_[i].found_in(content))
        find("content", "does not match " + with_.texts("content")[i], {excerpt(content)});
    for (std::size_t i = 0; i < without_.size(); ++i)
      if (const auto found = without_[i].first_in(content))
        find("content", "matches " + with_.texts("without")[i], {excerpt(*found)});
    const std::vector<std::string_view> lines = lines_of(content);
    if (lines_)
      for (std::size_t i = 0; i < lines.size(); ++i)
        if (!lines_->found_in(lines[i])) {
          find("content", fmt::format("line {} does not match {}", i + 1, with_.text("lines")),
               {excerpt(std::string(lines[i]))});
          break;
        }
    const auto count = with_.number("line_count");
    if (count && *count != lines.size())
      find("content", fmt::format("{} lines, {} are asked for", lines.size(), *count), {excerpt(content)});
    if (with_.has("keys")) keys(content);
  }

  void keys(const std::string& content) {
    const KeyValue found = KeyValue::parse(content);
    for (const std::string& key : with_.texts("keys")) {
      const auto value = found.find(key);
      if (!value || value->empty()) find("content", value ? key + " has no value" : "has no " + key);
    }
  }

  void evidence(const Node& node) {
    std::string text = describe(*one_) + fmt::format(" is a {}", to_string(node.type));
    if (node.type == EntryType::file) text += fmt::format(" of {} bytes", node.size);
    if (with_.text("kind") == "elf") text += ", ELF";
    if (with_.has("content"))
      text += ", its content matches";
    else if (reads_content(with_))
      text += ", its content is as stated";
    if (digest_ || !other_digests_.empty()) text += ", its digest is as stated";
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
  std::vector<Pattern> content_, without_;
  std::optional<Pattern> lines_, target_;
  std::optional<ModeSpec> mode_;
  std::optional<Owner> owner_;
  std::optional<Digest> digest_;
  std::vector<Digest> other_digests_;
  const Selected* one_ = nullptr;
};

void require_each(const PathSet& files, const ImageView& image, Answer& answer) {
  for (const Glob& glob : files.include) {
    const PathSet single{.include = {glob}, .exclude = files.exclude, .text = glob.text()};
    (void)require_some(select(single, image), single, false, image, answer);
  }
}

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
  if (with.flag("each") && !none_is_fine) require_each(files, image, answer);
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

All of `count`, `type`, `non_empty`, `mode`, `content` and so on can be combined. `target_pattern` speaks of the
links of the set only; with `type: symlink` every name must be one. With `each` a list of files is a
list of promises: every pattern of it must select something. A content that is not read whole (more than 64 MiB)
makes the check an error. `absent: true` asserts that no such name exists; `dangling: false` that no link leads nowhere.)",
            .severity = Severity::error,
            .security = "none",
            .since = "0.1",
            .params = params,
            .kinds = kinds,
            .examples = examples},
    .plan = plan,
    .check = check};

}  // namespace ocilint::rules
