#include "look/inspect.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "check/image_records.h"
#include "check/selection.h"
#include "facts/os_release.h"

namespace ocilint {
namespace {

/// What is asked beside the checks. Every part that fails says so, and leaves the others what they are.
class Inspector {
 public:
  Inspector(const ImageView& view, const KnownStacks& stacks, Inspection& out)
      : view_(view), stacks_(stacks), out_(out) {}

  void run() {
    take_config(view_.config());
    part("base", [&] { find_base(); });
    part("os-release", [&] { find_system(); });
    out_.layers = measure_layers(view_.scanned());
    part("packages", [&] { out_.packages = survey_packages(view_, {}); });
    std::vector<PythonDist> dists;
    part("python", [&] { dists = find_pythons(); });
    out_.stacks = stacks_.find(view_, out_.packages, dists, out_.unread);
    for (const std::string& why : out_.packages.unread) out_.unread.push_back("packages: " + why);
  }

 private:
  template <typename Body>
  void part(std::string_view name, Body&& body) {
    try {
      body();
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::internal) throw;
      if (!view_.pending()) out_.unread.push_back(fmt::format("{}: {}", name, error.what()));
    }
  }

  void take_config(const Config& config) {
    out_.config = {config.created,       config.author,     config.user,        config.working_dir,
                   config.stop_signal,   config.entrypoint, config.cmd,         config.env,
                   config.exposed_ports, config.volumes,    config.healthcheck, config.labels};
  }

  void find_base() {
    const Image& image = view_.scanned().image;
    const auto name = find_record(image, base_name_key), digest = find_record(image, base_digest_key);
    if (name) out_.base.name = name->value;
    if (digest) out_.base.digest = digest->value;
    if (name || digest) out_.base.where = name ? name->where : digest->where;
  }

  void find_system() {
    for (const std::string_view place : os_release_places) {
      const std::optional<std::string> text = view_.text_of(place);
      if (!text) continue;
      const OsRelease release = OsRelease::parse(*text);
      const std::string path = view_.resolve(place).path;
      out_.system = {std::string(release.pretty_name()),
                     std::string(release.id()),
                     std::string(release.version_id()),
                     std::string(release.version_codename()),
                     path,
                     last_touched(view_, path)};
      return;
    }
  }

  std::vector<PythonDist> find_pythons() {
    std::vector<PythonDist> out;
    for (PythonPath& path : find_python_paths(view_, {})) {
      PythonRow row{path.title(), path.sites, 0, 0};
      for (PythonDist& dist : PythonDists::read(view_, std::move(path)).all) {
        ++row.dists;
        if (!dist.problem.empty()) {
          ++row.unreadable;
          out_.unread.push_back("python: " + dist.path + ": " + dist.problem);
        }
        out.push_back(std::move(dist));
      }
      if (row.dists > 0) out_.pythons.push_back(std::move(row));
    }
    return out;
  }

  const ImageView& view_;
  const KnownStacks& stacks_;
  Inspection& out_;
};

void redact_parts(const RedactText& redact, Inspection& look) {
  const auto all = [&](std::vector<std::string>& texts) {
    for (std::string& text : texts) redact(text);
  };
  ImageConfig& config = look.config;
  for (std::string* const text : {&config.created, &config.author, &config.user, &config.working_dir,
                                  &config.stop_signal, &look.base.name, &look.base.digest, &look.system.pretty,
                                  &look.system.id, &look.system.version, &look.system.codename, &look.system.path})
    redact(*text);
  for (auto* const texts : {&config.entrypoint, &config.cmd, &config.env, &config.ports, &config.volumes,
                            &config.healthcheck, &look.unread})
    all(*texts);
  std::map<std::string, std::string> labels;
  for (auto [name, value] : config.labels) {
    // The name tells that the value is one.
    std::string line = name + "=" + value;
    redact(line);
    const std::size_t equals = line.find('=');
    labels.emplace(line.substr(0, equals), equals == std::string::npos ? "" : line.substr(equals + 1));
  }
  config.labels = std::move(labels);
  redact_layers(redact, look.layers);
  redact_packages(redact, look.packages);
  for (PythonRow& row : look.pythons) {
    redact(row.title);
    all(row.sites);
  }
  for (Stack& stack : look.stacks)
    for (StackFact& fact : stack.facts) {
      redact(fact.name);
      redact(fact.value);
    }
}

void take_checks(const ImageResult& result, Inspection& out) {
  std::set<std::tuple<std::string, std::string, std::optional<std::uint32_t>>> secrets;
  for (const CheckResult& check : result.checks) {
    CheckRow& row = out.checks.emplace_back();
    row.policy = check.policy;
    row.id = check.id;
    row.rule = check.rule;
    row.outcome = check.outcome;
    row.findings = check.findings.size();
    row.waived = check.waived_findings();
    for (const ReportedFinding& found : check.findings) {
      if (found.waived || (!row.first.empty() && found.severity <= row.worst)) continue;
      row.worst = found.severity;
      row.first = finding_line(found.finding.subject, found.finding.message);
    }
    if (check.outcome == Outcome::error && !check.errors.empty()) row.first = check.errors.front();
    if (check.outcome == Outcome::not_applicable) row.first = check.reason;
    out.checks_passed += check.outcome == Outcome::pass;
    out.checks_failed += check.outcome == Outcome::fail;
    out.checks_not_applicable += check.outcome == Outcome::not_applicable;
    out.checks_not_evaluated += check.outcome == Outcome::error;
    for (const std::string& why : check.errors) out.unread.push_back(check.policy + "/" + check.id + ": " + why);

    if (check.rule != "history-secrets" && check.rule != "file-secrets") continue;
    if (check.outcome != Outcome::not_applicable) out.searched.push_back(check.policy + "/" + check.id);
    // Two policies may both look.
    for (const ReportedFinding& found : check.findings)
      if (!found.waived && secrets.emplace(found.finding.subject, found.finding.message, found.finding.layer).second)
        out.secrets.push_back({check.policy + "/" + check.id, found.finding.kind, found.finding.subject,
                               found.finding.message, found.severity, found.finding.layer});
  }
  for (const std::string& hole : result.ledger.holes()) out.unread.push_back(hole);
  if (out.searched.empty()) out.unread.push_back("secrets: no check of the policies looks for them");
  std::ranges::stable_sort(out.secrets, std::greater<>(), &SecretRow::severity);
}

}  // namespace

std::string finding_line(const std::string& subject, const std::string& message) {
  return subject.starts_with('/') && message.find(subject) != std::string::npos ? message : subject + ": " + message;
}

std::vector<const PackageRow*> Inspection::package_rows() const {
  std::vector<const PackageRow*> out;
  for (const PackageRow& row : packages.packages) out.push_back(&row);
  for (const ManagerLook& other : packages.others)
    for (const PackageRow& row : other.packages) out.push_back(&row);
  return out;
}

bool Inspection::packages_compared() const {
  return packages.compared || std::ranges::any_of(packages.others, &ManagerLook::compared);
}

std::size_t Inspection::files_differing() const {
  std::size_t out = 0;
  for (const PackageRow* const row : package_rows())
    out += static_cast<std::size_t>(std::ranges::count_if(row->differing, &PackageFileRow::differs));
  return out;
}

std::size_t Inspection::files_missing() const {
  std::size_t out = 0;
  for (const PackageRow* const row : package_rows()) out += row->missing();
  return out;
}

Inspection inspect_image(const RunOptions& options) {
  const KnownStacks stacks = KnownStacks::shipped();
  Inspection out;
  Beside beside;
  beside.plan = [&](Plan& plan) {
    plan_packages({}, plan);
    plan_python_dists(plan);
    stacks.plan(plan);
    for (const std::string_view place : os_release_places) plan.content(place);
  };
  beside.look = [&](const ImageView& view) {
    out = {};
    Inspector(view, stacks, out).run();
  };
  beside.done = [&](const RedactText& redact) { redact_parts(redact, out); };
  ImageResult result = check_image(options, all_rules(), beside);
  if (result.unreadable) throw *result.unreadable;
  out.image = {result.reference, result.full_reference, result.manifest_digest,
               result.platform,  result.layers.size(),  result.ledger.blob_bytes_listed};
  take_checks(result, out);
  out.result = std::move(result);
  return out;
}

}  // namespace ocilint
