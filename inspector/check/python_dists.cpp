#include "check/python_dists.h"

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/glob.h"
#include "base/json.h"
#include "base/path.h"
#include "check/selection.h"
#include "facts/lines.h"

namespace ocilint {
namespace {

constexpr std::size_t dists_most = 20'000;  // of one path; large environments have 1,000

struct Suffix {
  std::string_view text;
  PythonDist::Kind kind;
};
constexpr Suffix suffixes[] = {{".dist-info", PythonDist::Kind::dist_info},
                               {".egg-info", PythonDist::Kind::egg_info},
                               {".egg-link", PythonDist::Kind::egg_link},
                               {".egg", PythonDist::Kind::egg}};

class DistReader {
 public:
  DistReader(const ImageView& image, const std::string& site, std::string_view name, const Suffix& suffix)
      : image_(image) {
    dist_.kind = suffix.kind;
    dist_.site = site;
    dist_.path = join(site, name);
    name.remove_suffix(suffix.text.size());
    // NAME-VERSION, of an egg perhaps with -py3.9 behind it.
    const std::size_t dash = std::min(name.find('-'), name.size());
    dist_.name = name.substr(0, dash);
    dist_.version = name.substr(std::min(dash + 1, name.size()));
    if (suffix.kind != PythonDist::Kind::dist_info)
      dist_.version.resize(std::min(dist_.version.find('-'), dist_.version.size()));
  }

  PythonDist read() {
    try {
      if (!is_directory() && dist_.kind == PythonDist::Kind::egg_info)
        metadata(dist_.path);
      else if (!is_directory())
        dist_.problem = dist_.kind == PythonDist::Kind::egg_link
                            ? "a link of a development install, which is not followed"
                            : "an archive, which is not read";
      else if (dist_.kind == PythonDist::Kind::egg)
        egg(join(dist_.path, "EGG-INFO"));
      else if (dist_.kind == PythonDist::Kind::egg_info)
        egg(dist_.path);
      else
        dist_info();
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::internal) throw;
      dist_.problem = error.what();
    }
    dist_.normal = normal_python_name(dist_.name);
    dist_.layer = last_touched(image_, dist_.metadata_path.empty() ? dist_.path : dist_.metadata_path);
    return std::move(dist_);
  }

 private:
  bool is_directory() const {
    const Resolution at = image_.resolve(dist_.path);
    return at.found() && image_.tree()[at.node].type == EntryType::directory;
  }
  bool exists(std::string_view path) const { return image_.resolve(path).found(); }

  void metadata(const std::string& path) {
    const auto text = image_.text_of(path);
    if (!text) corrupt("there is no " + path);
    dist_.metadata_path = image_.resolve(path).path;
    dist_.metadata = PythonMetadata::parse(*text);
    dist_.name = dist_.metadata.name;
    dist_.version = dist_.metadata.version;
    dist_.requirements = dist_.metadata.requirements;
  }

  void egg(const std::string& folder) {
    metadata(join(folder, "PKG-INFO"));
    if (!dist_.requirements.empty()) return;
    if (const auto text = image_.text_of(join(folder, "requires.txt"))) dist_.requirements = parse_egg_requires(*text);
  }

  void dist_info() {
    if (const std::string record = join(dist_.path, "RECORD"); exists(record)) dist_.record_path = record;
    dist_.requested = exists(join(dist_.path, "REQUESTED"));
    metadata(join(dist_.path, "METADATA"));
    if (const auto text = image_.text_of(join(dist_.path, "INSTALLER")))
      dist_.installer = trim_blanks(std::string_view(*text).substr(0, text->find_first_of("\r\n")));
    const auto origin = image_.text_of(join(dist_.path, "direct_url.json"));
    if (!origin || image_.pending()) return;
    const Json document = parse_json(*origin);
    if (!document.is_object()) corrupt("direct_url.json is no object");
    dist_.url = json_string(document, "url");
    const Json* const folder = member(document, "dir_info");
    dist_.editable = folder != nullptr && folder->is_object() && json_flag(*folder, "editable");
  }

  const ImageView& image_;
  PythonDist dist_;
};

/// "x.so", "libx.so.1.2".
bool is_native(std::string_view path) {
  std::string_view name = base_name(path);
  name = name.substr(0, name.find_last_not_of(".0123456789") + 1);
  return name.size() > 3 && name.ends_with(".so");
}

}  // namespace

void plan_python_dists(Plan& plan) {
  plan_python_paths(plan);
  for (const std::string_view glob :
       {"**/*.dist-info/METADATA", "**/*.dist-info/INSTALLER", "**/*.dist-info/direct_url.json", "**/*.egg-info",
        "**/*.egg-info/PKG-INFO", "**/*.egg-info/requires.txt", "**/*.egg/EGG-INFO/PKG-INFO",
        "**/*.egg/EGG-INFO/requires.txt"})
    plan.content(glob);
}

void plan_python_records(Plan& plan) { plan.content("**/*.dist-info/RECORD"); }

PythonDists PythonDists::read(const ImageView& image, PythonPath path) {
  PythonDists out;
  out.path = std::move(path);
  for (const std::string& site : out.path.sites) {
    const Resolution at = image.resolve(site);
    if (!at.found() || image.tree()[at.node].type != EntryType::directory) continue;
    for (const NodeId child : image.tree().children(at.node)) {
      const std::string_view name = image.tree().name(child);
      const auto suffix = std::ranges::find_if(suffixes, [&](const Suffix& each) { return name.ends_with(each.text); });
      if (suffix == std::ranges::end(suffixes) || name.size() == suffix->text.size()) continue;
      if (out.all.size() == dists_most)
        throw Error(ErrorKind::limit,
                    out.path.title() + ": more than " + std::to_string(dists_most) + " distributions");
      if (name.front() == '~') {
        out.leftovers.push_back(join(site, name));
        continue;
      }
      out.all.push_back(DistReader(image, site, name, *suffix).read());
    }
  }
  for (std::size_t i = 0; i < out.all.size(); ++i) out.first_.try_emplace(out.all[i].normal, i);
  return out;
}

const PythonDist* PythonDists::find(std::string_view normal) const {
  const auto found = first_.find(normal);
  return found == first_.end() ? nullptr : &all[found->second];
}

std::vector<const PythonDist*> PythonDists::visible() const {
  std::vector<const PythonDist*> out;
  for (const PythonDist& dist : all)
    if (find(dist.normal) == &dist) out.push_back(&dist);
  return out;
}

std::optional<PythonRecord> read_record(const ImageView& image, const PythonDist& dist) {
  if (dist.record_path.empty()) return std::nullopt;
  const auto text = image.text_of(dist.record_path);
  if (!text) return std::nullopt;
  return PythonRecord::parse(*text);
}

std::optional<std::string> path_of_row(const PythonDist& dist, const PythonRecord::Row& row) {
  NormalPath at = normalise(row.path.starts_with('/') ? row.path : dist.site + "/" + row.path);
  if (at.escaped) return std::nullopt;
  return std::move(at.path);
}

std::vector<std::string> native_files(const ImageView& image, const PythonDist& dist) {
  const auto record = read_record(image, dist);
  if (!record) corrupt(dist.title() + " has no RECORD, so its native files are unknown: " + dist.path);
  if (record->refused != 0)
    corrupt(dist.record_path + " has rows that cannot be read, the first: " + record->notes.front());
  std::set<std::string> out;
  for (const PythonRecord::Row& row : record->rows)
    if (is_native(row.path))
      if (auto path = path_of_row(dist, row)) out.insert(std::move(*path));
  return {out.begin(), out.end()};
}

bool is_python_name(std::string_view pattern, std::string_view normal) {
  // A name has no slash, so a component of a glob is enough.
  return Glob::parse("/" + normal_python_name(pattern)).matches("/" + std::string(normal));
}

std::string escape_glob(std::string_view path) {
  std::string out;
  for (const char c : path) {
    if (c == '*' || c == '?' || c == '[' || c == ']' || c == '\\' || c == '{') out += '\\';
    out += c;
  }
  return out;
}

}  // namespace ocilint
