#include "base/json.h"

#include <fmt/format.h>

#include "report/escape.h"
#include "report/json_text.h"
#include "report/report.h"

namespace ocilint {
namespace {

constexpr int schema_version = 1;  // fields are only ever added to a version

using Ordered = nlohmann::ordered_json;

Ordered of(const ReportedFinding& found) {
  Ordered out;
  out["kind"] = for_json(found.finding.kind);
  out["severity"] = to_string(found.severity);
  put_text(out, "subject", found.finding.subject);
  put_text(out, "message", found.finding.message);
  out["details"] = json_texts(found.finding.details);
  if (found.finding.confidence) out["confidence"] = to_string(*found.finding.confidence);
  if (found.finding.layer) {
    out["layer"] = *found.finding.layer;
    put_text(out, "layer_name", found.layer_name);
    put_text(out, "created_by", found.created_by);
  }
  if (!found.finding.remedy.empty()) out["remedy"] = for_json(found.finding.remedy);
  out["fingerprint"] = for_json(found.fingerprint);
  if (found.waived) {
    const WaiverUse& waiver = *found.waived;
    out["waived"] = {{"reason", for_json(waiver.reason)},
                     {"owner", for_json(waiver.owner)},
                     {"expires", for_json(waiver.expires)},
                     {"ticket", for_json(waiver.ticket)},
                     {"place", for_json(waiver.place)}};
  }
  if (found.known) out["known"] = true;
  if (!found.expired_waiver.empty()) out["expired_waiver"] = for_json(found.expired_waiver);
  return out;
}

Ordered of(const CheckResult& check) {
  Ordered out;
  out["id"] = for_json(check.id);
  out["rule"] = for_json(check.rule);
  out["policy"] = for_json(check.policy);
  if (!check.file.empty()) {
    out["file"] = for_json(check.file);
    out["line"] = check.line;
    out["column"] = check.column;
  }
  out["severity"] = to_string(check.severity);
  if (!check.why.empty()) out["why"] = for_json(check.why);
  out["outcome"] = to_string(check.outcome);
  if (!check.reason.empty()) put_text(out, "reason", check.reason);
  out["findings"] = Ordered::array();
  for (const ReportedFinding& found : check.findings) out["findings"].push_back(of(found));
  out["evidence"] = Ordered::array();
  for (const Evidence& evidence : check.evidence) {
    Ordered entry;
    put_text(entry, "text", evidence.text);
    if (!evidence.path.empty()) put_text(entry, "path", evidence.path);
    if (evidence.layer) entry["layer"] = *evidence.layer;
    out["evidence"].push_back(std::move(entry));
  }
  out["errors"] = json_texts(check.errors);
  return out;
}

Ordered of(const Ledger& ledger) {
  Ordered out = {{"checks_listed", ledger.checks_listed},
                 {"checks_evaluated", ledger.checks_evaluated},
                 {"checks_passed", ledger.checks_passed},
                 {"checks_failed", ledger.checks_failed},
                 {"checks_not_evaluated", ledger.checks_not_evaluated},
                 {"layers_needed", ledger.layers_needed},
                 {"layers_listed", ledger.layers_listed},
                 {"layers_verified", ledger.layers_verified},
                 {"layers_parsed", ledger.layers_parsed},
                 {"layers_shared", ledger.layers_shared},
                 {"blob_bytes_listed", ledger.blob_bytes_listed},
                 {"blob_bytes_hashed", ledger.blob_bytes_hashed}};
  out["covered"] = Ordered::array();
  for (const Coverage& coverage : ledger.covered)
    out["covered"].push_back({{"what", for_json(coverage.what)}, {"listed", coverage.listed}, {"done", coverage.done}});
  out["holes"] = json_texts(ledger.holes());
  return out;
}

Ordered of(const OtherImageResult& other) {
  Ordered out;
  out["name"] = for_json(other.name);
  put_text(out, "reference", other.reference);
  put_text(out, "full_reference", other.full_reference);
  out["manifest_digest"] = for_json(other.manifest_digest);
  out["platform"] = for_json(other.platform);
  out["layers_listed"] = other.layers;
  out["layers_read"] = other.layers_read;
  out["layers_shared"] = other.layers_shared;
  if (other.earlier) out["earlier"] = true;
  return out;
}

Ordered of(const Stats& stats) {
  return {{"entries", stats.entries},
          {"names", stats.names},
          {"hashed_files", stats.hashed_files},
          {"hashed_bytes", stats.hashed_bytes},
          {"kept_files", stats.kept_files},
          {"kept_bytes", stats.kept_bytes},
          {"elf_files", stats.elf_files},
          {"searched_files", stats.searched_files},
          {"searched_bytes", stats.searched_bytes},
          {"refill_rounds", stats.refill_rounds},
          {"refilled_layers", stats.refilled_layers},
          {"refilled_facts", stats.refilled_facts},
          {"spooled_bytes", stats.spooled_bytes}};
}

Ordered of(const ImageResult& result, Severity fail_on) {
  Ordered out;
  put_text(out, "reference", result.reference);
  put_text(out, "full_reference", result.full_reference);
  out["manifest_digest"] = for_json(result.manifest_digest);
  out["platform"] = for_json(result.platform);
  out["view"] = for_json(result.view);
  const ExitStatus status = verdict(result, fail_on);
  out["verdict"] = to_string(status);
  out["exit_status"] = static_cast<int>(status);
  if (result.unreadable) {
    out["error"] = {{"kind", to_string(result.unreadable->kind())}, {"message", for_json(result.unreadable->what())}};
  }
  for (const OtherImageResult& other : result.others) out["others"].push_back(of(other));
  out["policies"] = Ordered::array();
  for (const PolicyResult& policy : result.policies) {
    Ordered entry = {
        {"name", for_json(policy.name)}, {"summary", for_json(policy.summary)}, {"file", for_json(policy.file)}};
    entry["sources"] = Ordered::array();
    for (const auto& [file, digest] : policy.sources)
      entry["sources"].push_back({{"file", for_json(file)}, {"digest", for_json(digest)}});
    out["policies"].push_back(std::move(entry));
  }
  out["layers"] = Ordered::array();
  for (const LayerResult& layer : result.layers) {
    Ordered entry;
    put_text(entry, "name", layer.name);
    entry["diff_id"] = for_json(layer.diff_id);
    entry["compression"] = for_json(layer.compression);
    entry["stored_bytes"] = layer.stored_bytes;
    entry["unpacked_bytes"] = layer.unpacked_bytes;
    entry["entries"] = layer.entries;
    put_text(entry, "created_by", layer.created_by);
    if (!layer.shared_with.empty()) put_text(entry, "shared_with", layer.shared_with);
    out["layers"].push_back(std::move(entry));
  }
  out["gates"] = Ordered::array();
  for (const GateResult& gate : result.gates)
    out["gates"].push_back({{"policy", for_json(gate.policy)},
                            {"name", for_json(gate.name)},
                            {"state", for_json(gate.state)},
                            {"mode", for_json(gate.mode)},
                            {"text", for_json(gate.text)}});
  out["checks"] = Ordered::array();
  for (const CheckResult& check : result.checks) out["checks"].push_back(of(check));
  out["unused_waivers"] = json_texts(result.unused_waivers);
  out["expired_waivers"] = json_texts(result.expired_waivers);
  out["ledger"] = of(result.ledger);
  out["stats"] = of(result.stats);
  return out;
}

Ordered of(std::span<const ImageResult> results, const ReportStyle& style) {
  std::size_t count[4] = {};
  for (const ImageResult& result : results) ++count[static_cast<int>(verdict(result, style.fail_on))];
  const ExitStatus status = verdict(results, style.fail_on, 1, 1);
  return {{"images", results.size()},
          {"pass", count[0]},
          {"fail", count[1]},
          {"not_to_be_trusted", count[2]},
          {"unreadable", count[3]},
          {"verdict", to_string(status)},
          {"exit_status", static_cast<int>(status)}};
}

}  // namespace

std::string write_json(std::span<const ImageResult> results, const ReportStyle& style) {
  Ordered out;
  out["schema_version"] = schema_version;
  out["tool"] = {{"name", "ocilint"}, {"version", OCILINT_VERSION}};
  out["fail_on"] = to_string(style.fail_on);
  out["images"] = Ordered::array();
  for (const ImageResult& result : results) out["images"].push_back(of(result, style.fail_on));
  if (style.baseline)
    out["baseline"] = {{"file", for_json(style.baseline->file)}, {"fixed", json_texts(style.baseline->fixed)}};
  out["summary"] = of(results, style);
  return json_text(out);
}

}  // namespace ocilint
