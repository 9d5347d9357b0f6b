#include "report/starter.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/utf8.h"
#include "report/escape.h"

namespace ocilint {
namespace {

struct Proposal {
  std::string id, rule, with, why;
};

/// Letters, digits and dashes; never empty.
std::string policy_name(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (letter)
      out += c;
    else if (!out.empty() && out.back() != '-')
      out += '-';
  }
  while (out.ends_with('-')) out.pop_back();
  constexpr std::size_t most = 60;
  return out.empty() ? "my-image" : out.substr(0, most);
}

/// A text of the image as a scalar that means itself: no pattern, no variable. "" for what YAML cannot say plainly.
std::string as_glob(const std::string& path) {
  if (first_invalid_utf8(path) != std::string::npos) return "";
  std::string out = "'";
  for (std::size_t i = 0; i < path.size(); ++i) {
    const char c = path[i];
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return "";
    if (std::string_view("*?[]{}\\").find(c) != std::string_view::npos) out += '\\';
    if (c == '$' && path.substr(i, 2) == "$(") out += '$';
    out += c;
    if (c == '\'') out += c;
  }
  return out + "'";
}

bool is_word(const std::string& text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';
  });
}

const CheckResult* result_of(const StarterImage& image, const std::string& id) {
  if (image.result == nullptr) return nullptr;
  const auto found = std::ranges::find(image.result->checks, id, &CheckResult::id);
  return found == image.result->checks.end() ? nullptr : &*found;
}

std::string known_setuid(const StarterImage& image) {
  const CheckResult* const result = result_of(image, "known-setuid");
  std::string list;
  if (result != nullptr)
    for (const ReportedFinding& found : result->findings)
      if (const std::string path = as_glob(found.finding.subject); !path.empty())
        list += (list.empty() ? "" : ", ") + path;
  if (image.traits == nullptr) list = "/usr/bin/passwd, /usr/bin/su";
  return list.empty() ? "" : "{allow: [" + list + "]}";
}

std::vector<Proposal> proposals(const StarterImage& image) {
  const ImageTraits* const traits = image.traits;
  std::vector<Proposal> out;
  if (traits != nullptr && is_word(traits->os_id))
    out.push_back({"distribution", "os-release",
                   is_word(traits->os_version)
                       ? fmt::format("{{id: '{}', version: '= {}'}}", traits->os_id, traits->os_version)
                       : fmt::format("{{id: '{}'}}", traits->os_id),
                   "the base is still the one that was meant"});
  out.push_back({"no-secrets", "history-secrets", "", "what ENV, ARG and RUN lines tell everybody who can pull"});
  out.push_back({"no-secrets-in-files", "file-secrets", "", "also in files that a later layer deleted"});
  out.push_back({"runs-unprivileged", "image-user", "{not: [root, '0']}", ""});
  if (traits == nullptr || traits->program)
    out.push_back({"program-is-there", "image-config", "{programs_exist: true}", "what the image starts, and as whom"});
  out.push_back(
      {"known-setuid", "setuid-files", known_setuid(image), "programs that run with other rights, all of them known"});
  out.push_back({"not-world-writable", "file-mode",
                 "{files: [/etc/**, /usr/**, /opt/**, /app/**], deny: 'o+w', allow_empty: true}", ""});
  if (traits != nullptr && traits->dpkg_database) {
    out.push_back({"packages-intact", "package-files", "{under: [/usr/**]}", "files are what their packages brought"});
    if (traits->dpkg) out.push_back({"packages-consistent", "dpkg-consistent", "", "nothing half-installed"});
    out.push_back({"no-empty-password", "shadow-passwords", "", ""});
  }
  if (traits != nullptr && traits->python)
    out.push_back({"python-fits", "python-dists", "{requires_satisfied: true, one_version: true}",
                   "what each distribution asks for is installed"});
  return out;
}

/// "pass", "2 findings, the first: …"
std::string today(const CheckResult& check) {
  if (!check.errors.empty()) return "could not be checked: " + check.errors.front();
  if (check.outcome == Outcome::not_applicable) return "does not apply: " + check.reason;
  if (check.findings.empty()) return "passes";
  const Finding& first = check.findings.front().finding;
  return fmt::format("{} finding{}, the first: {}: {}", check.findings.size(), check.findings.size() == 1 ? "" : "s",
                     first.kind, first.subject);
}

std::string entry(const Proposal& proposal, const StarterImage& image) {
  std::string out = "\n";
  if (!proposal.why.empty()) out += "  # " + proposal.why + "\n";
  if (const CheckResult* const result = result_of(image, proposal.id)) {
    constexpr std::size_t most = 100;
    // The list was made of its findings.
    const bool listed = proposal.id == "known-setuid" && result->errors.empty();
    out += "  # today: " + for_terminal(listed ? "passes, by this list" : today(*result), most) + "\n";
  }
  out += "  - id: " + proposal.id + "\n    rule: " + proposal.rule + "\n";
  if (!proposal.with.empty()) out += "    with: " + proposal.with + "\n";
  return out;
}

}  // namespace

std::string write_starter(std::string_view name, const StarterImage& image) {
  const std::string own = policy_name(name);
  std::string out =
      "# yaml-language-server: $schema=.ocilint.schema.json\n"
      "# Made by `ocilint policy init`. For an editor that completes: ocilint schema > .ocilint.schema.json\n"
      "# What a rule asserts and its parameters: ocilint explain RULE. All rules: ocilint rules\n";
  if (image.traits != nullptr)
    out += "# Proposed for " + for_terminal(image.traits->image.full_reference) + "\n#   " +
           for_terminal(image.traits->image.manifest_digest) + "\n";
  out += "\npolicy: " + own + "\nlanguage: 1\nsummary: What every image of " + own + " must carry.\n";
  out +=
      "\n# Another policy's checks too; a check of the same id in this file takes the place of theirs.\n"
      "# extends: [debian-baseline]\n"
      "\n# Read from the image, and put where $(release) stands:\n"
      "# variables:\n"
      "#   release: {file: /opt/app/VERSION, pattern: '^[0-9.]+'}\n"
      "\n# Kinds of images. A check with `when: app` applies only to these.\n"
      "# gates:\n"
      "#   app: {detect: {file: /opt/app}}\n"
      "\nchecks:";
  for (const Proposal& proposal : proposals(image)) out += entry(proposal, image);
  out +=
      "\n# A finding that is to stay for a time:\n"
      "# waivers:\n"
      "#   - {check: known-setuid, paths: [/usr/bin/ping], reason: a health probe needs it, owner: '@team', expires: 'YYYY-MM-DD'}\n";
  return out;
}

}  // namespace ocilint
