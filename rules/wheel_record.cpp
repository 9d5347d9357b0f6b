#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>

#include "base/error.h"
#include "base/path.h"
#include "check/path_groups.h"
#include "check/python_dists.h"
#include "check/rule.h"
#include "check/selection.h"

namespace ocilint::rules {
namespace {

constexpr Param params[] = {
    {"site", ParamType::paths, "folders of distributions; all of the image when absent"},
    {"dists", ParamType::texts,
     "the distributions to compare: 'torch', 'nvidia-*'; all that have a RECORD when absent"},
    {"allow", ParamType::paths, "files that may differ or be absent: '**/torch-*.dist-info/METADATA'"},
    {"every_hash", ParamType::flag, "an entry without a digest is a finding, but for RECORD itself and compiled files"},
    {"unlisted", ParamType::flag, "a file in a package's folder that no RECORD of the site lists is a finding"},
    {"allow_empty", ParamType::flag, "no distribution with a RECORD at all is fine"},
};

constexpr FindingKind kinds[] = {
    {"modified", "A file has other bytes than RECORD says, or is no regular file."},
    {"missing", "A file of RECORD is not there; or there is no RECORD at all to compare with."},
    {"size", "A file has another size than RECORD says, and its digest is right or absent."},
    {"unhashed", "RECORD has no digest for a file (every_hash)."},
    {"unlisted", "No RECORD lists a file that lies in a package's folder."},
    {"absent", "A distribution of the policy is not there."},
};

constexpr Example examples[] = {{"an edited module", "{dists: [a]}",
                                 R"(layers:
- files:
    /usr/lib/python3.12/site-packages/a-1.dist-info/METADATA: "Name: a\nVersion: 1\n\n"
    /usr/lib/python3.12/site-packages/a-1.dist-info/RECORD: "a.py,sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU,0\n"
    /usr/lib/python3.12/site-packages/a.py: 'x = 1'
)",
                                 "modified /usr/lib/python3.12/site-packages/a.py"},
                                {"as installed", "{site: /usr/lib/python3.12/site-packages}",
                                 R"(layers:
- files:
    /usr/lib/python3.12/site-packages/a-1.dist-info/METADATA: "Name: a\nVersion: 1\n\n"
    /usr/lib/python3.12/site-packages/a-1.dist-info/RECORD: "a.py,sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU,0\na-1.dist-info/RECORD,,\n"
    /usr/lib/python3.12/site-packages/a.py: ''
)",
                                 "pass"},
                                {"a line that says nothing", "{}",
                                 R"(layers:
- files:
    /usr/lib/python3.12/site-packages/a-1.dist-info/METADATA: "Name: a\nVersion: 1\n\n"
    /usr/lib/python3.12/site-packages/a-1.dist-info/RECORD: "a.py,md5,x\n"
)",
                                 "error /usr/lib/python3.12/site-packages/a-1.dist-info/RECORD: 1 lines"}};

constexpr std::size_t folded = 20;  // more files of one kind below one folder are one finding
constexpr std::size_t shown = 5;    // of them that the details name

/// Python makes compiled files anew, and images often drop them.
bool is_compiled(std::string_view path) { return path.ends_with(".pyc"); }

class Check {
 public:
  Check(const Params& with, const ImageView& image, Answer& answer) : with_(with), image_(image), answer_(answer) {
    for (const Glob& glob : with.paths("allow").include) allow_.add(glob, 0);
    for (const Glob& glob : with.paths("allow").exclude) not_allowed_.add(glob, 0);
    allow_.freeze();
    not_allowed_.freeze();
    for (const Match& match : image.match(with.paths("allow"))) allowed_.insert(match.canonical);
  }

  void run() {
    if (with_.has("dists") && with_.texts("dists").empty())
      return answer_.could_not("dists is an empty list, which asks for nothing");
    std::set<std::string> seen;
    for (PythonPath& path : find_python_paths(image_, with_.paths("site"))) {
      const PythonDists dists = PythonDists::read(image_, std::move(path));
      for (const PythonDist& dist : dists.all)
        if (seen.insert(dist.path).second) {
          if (with_.flag("unlisted")) note_listed(dist);
          if (chosen(dist)) compare(dist);
        }
    }
    if (with_.flag("unlisted")) unlisted();
    for (const std::string& name : with_.texts("dists"))
      if (!met_.contains(name))
        find("absent", name, fmt::format("{} is not installed, so nothing of it can be compared", name), {}, {},
             "install it, or take it out of the policy");
    summary();
  }

 private:
  struct Counts {
    std::size_t same = 0, allowed = 0, without_digest = 0, compiled = 0;
  };
  /// By kind, path: the lines of the finding.
  using Problems = std::map<std::string, std::map<std::string, std::vector<std::string>>>;

  bool chosen(const PythonDist& dist) {
    if (!with_.has("dists")) return true;
    bool any = false;
    for (const std::string& name : with_.texts("dists"))
      if (is_python_name(name, dist.normal)) {
        met_.insert(name);
        any = true;
      }
    return any;
  }

  bool is_allowed(const std::string& path) const {
    return (allow_.any(path) || allowed_.contains(path)) && !not_allowed_.any(path);
  }

  void compare(const PythonDist& dist) {
    const auto record = read_record(image_, dist);
    if (!record) {
      without_.push_back(dist.path);
      if (with_.has("dists"))
        answer_.could_not(fmt::format("{} has no RECORD to compare with: {}", dist.title(), dist.path));
      return;
    }
    ++compared_;
    if (record->refused != 0)
      answer_.could_not(fmt::format("{}: {} lines that cannot be used, {}", dist.record_path, record->refused,
                                    record->notes.front()));
    Counts counts;
    Problems problems;
    std::size_t outside = 0, unknown = 0;
    const auto has_digest = [](const PythonRecord::Row& row) { return row.digest || !row.algorithm.empty(); };
    if (record->refused == 0 && std::ranges::none_of(record->rows, has_digest)) {
      digestless_.push_back(dist.record_path);
      if (with_.has("dists"))
        answer_.could_not(fmt::format("{} lists no file with a digest: nothing of {} can be compared", dist.record_path,
                                      dist.title()));
    }
    for (const PythonRecord::Row& row : record->rows) {
      const auto path = path_of_row(dist, row);
      if (!path)
        ++outside;
      else if (!row.algorithm.empty() || (row.digest && row.digest->algorithm() != Algorithm::sha256))
        ++unknown;
      else
        judge(dist, row, *path, counts, problems);
    }
    if (outside != 0) answer_.could_not(fmt::format("{}: {} paths lead above the root", dist.record_path, outside));
    if (unknown != 0)
      answer_.could_not(fmt::format("{}: {} digests are not SHA-256 and are not compared", dist.record_path, unknown));
    for (const auto& [kind, files] : problems) report(dist, kind, files);
    total_.same += counts.same;
    total_.allowed += counts.allowed;
    total_.without_digest += counts.without_digest;
    total_.compiled += counts.compiled;
    if (with_.has("dists") && counts.same != 0)
      answer_.evidence(
          fmt::format("{}: {} files have the digest of RECORD, {} entries have none{}", dist.title(), counts.same,
                      counts.without_digest + counts.compiled, dist.editable ? ", and its code is elsewhere" : ""),
          dist.record_path, last_touched(image_, dist.record_path));
  }

  void judge(const PythonDist& dist, const PythonRecord::Row& row, const std::string& path, Counts& counts,
             Problems& problems) {
    if (!row.digest && (is_compiled(path) || path == dist.record_path)) {
      ++counts.compiled;
      return;
    }
    std::vector<std::string> details;
    const std::string kind = state(row, path, details);
    if (kind.empty()) {
      ++(row.digest ? counts.same : counts.without_digest);
      const bool signature = path.ends_with("/RECORD.jws") || path.ends_with("/RECORD.p7s");
      if (row.digest || signature || !with_.flag("every_hash")) return;
      if (is_allowed(path))
        ++counts.allowed;
      else
        problems["unhashed"][path] = {};
    } else if (is_allowed(path)) {
      ++counts.allowed;
    } else {
      problems[kind][path] = std::move(details);
    }
  }

  /// The kind of the finding, or "".
  std::string state(const PythonRecord::Row& row, const std::string& path, std::vector<std::string>& details) const {
    const Resolution at = image_.resolve(path);
    if (!at.found()) {
      if (at.dangling()) details.push_back("a link leads to " + at.path + ", which does not exist");
      return "missing";
    }
    if (at.path != path) details.push_back("leads to " + at.path);
    const Node& node = image_.tree()[at.node];
    if (node.type != EntryType::file) {
      details.push_back(fmt::format("a {}, not a regular file", to_string(node.type)));
      return "modified";
    }
    const bool other_size = row.size && *row.size != node.size;
    if (other_size) details.push_back(fmt::format("size: {} in RECORD, {} here", *row.size, node.size));
    if (row.digest) {
      const Digest& is = image_.sha256(node.inode);
      if (is != *row.digest) {
        details.push_back("expected " + row.digest->text());
        details.push_back("is " + is.text());
        return "modified";
      }
    }
    return other_size ? "size" : "";
  }

  void report(const PythonDist& dist, const std::string& kind,
              const std::map<std::string, std::vector<std::string>>& files) {
    std::vector<std::string> paths;
    for (const auto& [path, details] : files) paths.push_back(path);
    for (const PathGroup& group : group_by_folder(std::move(paths), folded)) {
      std::vector<std::string> details = {"recorded in " + dist.record_path};
      if (kind == "unlisted") details.clear();
      std::optional<std::uint32_t> layer;
      for (const std::string& path : group.paths) {
        const Resolution at = image_.resolve(path);
        const auto own = last_touched(image_, at.found() ? at.path : path);
        if (own && (!layer || *own > *layer)) layer = own;
      }
      std::string subject = group.folder, what;
      if (group.folder.empty()) {
        subject = group.paths.front();
        const auto& own = files.at(subject);
        details.insert(details.end(), own.begin(), own.end());
        what = "a file";
      } else {
        for (std::size_t i = 0; i < std::min(shown, group.paths.size()); ++i) details.push_back(group.paths[i]);
        what = fmt::format("each of {} files below this folder, a file", group.paths.size());
      }
      find(kind, subject, fmt::format("{} of {} {}", what, dist.title(), said(kind)), std::move(details), layer,
           remedy(kind, dist));
    }
  }

  static std::string_view said(const std::string& kind) {
    if (kind == "modified") return "is not what its wheel installed";
    if (kind == "missing") return "is not there";
    if (kind == "size") return "has another size than its RECORD says";
    if (kind == "unhashed") return "has no digest in its RECORD";
    return "is listed by no RECORD";
  }
  static std::string remedy(const std::string& kind, const PythonDist& dist) {
    if (kind == "unlisted") return fmt::format("remove it, or install {} anew", dist.name);
    return fmt::format("install {0} anew (pip install --force-reinstall --no-deps {0}), or name the file in allow",
                       dist.name);
  }

  void find(std::string kind, std::string subject, std::string message, std::vector<std::string> details,
            std::optional<std::uint32_t> layer, std::string remedy) {
    answer_.finding({.kind = std::move(kind),
                     .subject = std::move(subject),
                     .message = std::move(message),
                     .details = std::move(details),
                     .layer = layer,
                     .remedy = std::move(remedy),
                     .severity = {}});
  }

  /// What every RECORD of a site lists: folders are shared by distributions of one namespace.
  void note_listed(const PythonDist& dist) {
    const auto record = read_record(image_, dist);
    if (!record) return;
    for (const PythonRecord::Row& row : record->rows) {
      const auto path = path_of_row(dist, row);
      if (!path) continue;
      const Resolution at = image_.resolve(*path);
      listed_.insert(at.found() ? at.path : *path);
      if (!is_within(*path, dist.site) || *path == dist.site || !chosen(dist)) continue;
      const std::string below = path->substr(dist.site == "/" ? 1 : dist.site.size() + 1);
      const std::size_t slash = below.find('/');
      if (slash == below.npos) continue;
      const std::string folder = below.substr(0, slash);
      if (!folder.ends_with(".dist-info")) folders_.try_emplace(join(dist.site, folder), dist);
    }
  }

  void unlisted() {
    for (const auto& [folder, dist] : folders_) {
      const Resolution top = image_.resolve(folder);
      if (!top.found() || image_.tree()[top.node].type != EntryType::directory) continue;
      std::map<std::string, std::vector<std::string>> extra;
      std::vector<NodeId> open = {top.node};
      while (!open.empty()) {
        const NodeId node = open.back();
        open.pop_back();
        for (const NodeId child : image_.tree().children(node)) {
          if (image_.tree()[child].type == EntryType::directory) {
            open.push_back(child);
            continue;
          }
          std::string path = image_.tree().path(child);
          if (!is_compiled(path) && !listed_.contains(path) && !is_allowed(path)) extra[std::move(path)] = {};
        }
      }
      report(dist, "unlisted", extra);
    }
    answer_.evidence(fmt::format("{} folders of packages hold files that {} entries of RECORD list", folders_.size(),
                                 listed_.size()));
  }

  void summary() {
    if (compared_ == 0) {
      const std::string where = with_.has("site") ? with_.paths("site").text : "site-packages, dist-packages";
      if (with_.has("dists")) return;  // each of them was said
      if (with_.flag("allow_empty") && without_.empty())
        return answer_.evidence("no Python distribution: " + where + ", which the policy allows");
      if (!without_.empty())
        return answer_.could_not(
            fmt::format("none of {} distributions has a RECORD: {}", without_.size(), without_.front()));
      return find("missing", where, "no Python distribution with a RECORD", {}, {},
                  "name the folder that the image has");
    }
    if (digestless_.size() == compared_ && !with_.has("dists"))
      answer_.could_not(
          fmt::format("none of {} files RECORD lists a file with a digest: {}", compared_, digestless_.front()));
    std::string text = fmt::format("{} distributions: {} files have the digest of RECORD, {} entries have none",
                                   compared_, total_.same, total_.without_digest);
    text += fmt::format(" beside {} compiled files and RECORD itself", total_.compiled);
    if (total_.allowed != 0) text += fmt::format("; {} differ, which the policy allows", total_.allowed);
    if (!without_.empty())
      text += fmt::format("; {} distributions have no RECORD ({})", without_.size(), without_.front());
    if (!digestless_.empty())
      text += fmt::format("; {} have one without any digest ({})", digestless_.size(), digestless_.front());
    answer_.evidence(std::move(text));
  }

  const Params& with_;
  const ImageView& image_;
  Answer& answer_;
  GlobSet allow_, not_allowed_;
  std::unordered_set<std::string> allowed_;
  std::set<std::string> met_;
  std::size_t compared_ = 0;
  std::vector<std::string> without_, digestless_;
  Counts total_;
  std::unordered_set<std::string> listed_;
  std::map<std::string, PythonDist> folders_;
};

/// SHA-256 of everything below a folder is taken while the layers are read when the policy compares all of it;
/// of some distributions only what their RECORD names is read, a second time.
void plan(const Params& with, Plan& plan) {
  plan_python_dists(plan);
  plan_python_records(plan);
  plan.on_demand(FactKind::sha256);
  if (with.has("dists")) return;
  PathSet below;
  for (const Glob& glob : with.paths("site").include) {
    if (glob.text().starts_with("**/")) continue;  // widened: any folder of that name
    below.include.push_back(Glob::parse(glob.text() + "/**"));
    // Scripts are in PREFIX/bin.
    const std::string_view prefix = parent_path(parent_path(parent_path(glob.text())));
    if (prefix.size() > 1) below.include.push_back(Glob::parse(std::string(prefix) + "/bin/*"));
  }
  if (!below.empty()) plan.sha256(below);
}

void check(const Params& with, const ImageView& image, Answer& answer) { Check(with, image, answer).run(); }

}  // namespace

extern const Rule wheel_record;
const Rule wheel_record{
    .doc = {.id = "wheel-record",
            .summary = "The files of Python distributions are those that their wheels installed.",
            .details =
                R"(Compares every entry of `*.dist-info/RECORD` with the file of the image: it exists, has the digest
and the size. The finding names the layer that touched the file last. More than twenty files of one kind below one folder are one
finding. Compiled files (.pyc) and RECORD itself have no digest and are counted; they may be absent.

RECORD is weaker than a package manager's list: no installer reads it again, some wheels ship a wrong one, and whoever
changes a file can change RECORD. Edits that are meant (a METADATA that a build rewrites) belong into `allow`. Of an
editable install RECORD lists only a pointer, which the evidence says. A line that cannot be used, a digest that is not
SHA-256 and a distribution of `dists` without RECORD are errors of the check.

With `site` and without `dists` all files below the folders are hashed while the layers are read; else the layers
that hold the listed files are read a second time.)",
            .severity = Severity::error,
            .security = "none",
            .since = "0.1",
            .params = params,
            .kinds = kinds,
            .examples = examples},
    .plan = plan,
    .check = check};

}  // namespace ocilint::rules
