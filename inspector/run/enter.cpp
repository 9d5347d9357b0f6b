#include "run/enter.h"

#include <fmt/format.h>

#include "run/waive.h"

namespace ocilint {
namespace {

void enter_stats(Stats& stats, const LayerIndex& index) {
  stats.hashed_files += index.counts.hashed_files;
  stats.hashed_bytes += index.counts.hashed_bytes;
  stats.kept_files += index.counts.kept_files;
  stats.kept_bytes += index.counts.kept_bytes;
  stats.elf_files += index.counts.elf_files;
  stats.searched_files += index.counts.scanned_files;
  stats.searched_bytes += index.counts.scanned_bytes;
}

ReportedFinding report(const Finding& finding, const CheckResult& check, const std::vector<LayerInfo>& layers) {
  ReportedFinding out;
  out.finding = finding;
  out.severity = finding.severity.value_or(check.severity);
  if (finding.layer && *finding.layer < layers.size()) {
    out.layer_name = layers[*finding.layer].name;
    out.created_by = layers[*finding.layer].created_by;
  }
  out.fingerprint = fingerprint_of(check.policy, check.id, finding);
  out.secret = finding.content != nullptr;
  return out;
}

CheckResult enter_check(const Evaluated& evaluated, const std::vector<LayerInfo>& layers) {
  CheckResult check;
  check.policy = evaluated.policy == nullptr ? "built-in" : evaluated.policy->name;
  if (evaluated.planned != nullptr) {
    check.id = evaluated.planned->check->id;
    check.rule = evaluated.planned->check->rule->doc.id;
    check.severity = evaluated.planned->check->level();
    check.why = evaluated.planned->check->why;
  } else {
    check.id = evaluated.gate_id;
    check.rule = "gate";
  }
  if (evaluated.place.file) check.file = *evaluated.place.file;
  check.line = evaluated.place.line;
  check.column = evaluated.place.column;
  check.reason = evaluated.not_applicable.empty() ? evaluated.answer.reason() : evaluated.not_applicable;
  check.outcome = evaluated.not_applicable.empty() ? evaluated.answer.outcome() : Outcome::not_applicable;
  check.evidence = evaluated.answer.evidence();
  check.errors = evaluated.answer.errors();
  for (const Coverage& coverage : evaluated.answer.coverage())
    if (coverage.listed != coverage.done)
      check.errors.push_back(fmt::format("{}: {} of {}", coverage.what, coverage.done, coverage.listed));
  if (check.outcome == Outcome::error && check.errors.empty())
    check.errors.push_back("the check looked at nothing, which proves nothing");
  for (const Finding& finding : evaluated.answer.findings()) check.findings.push_back(report(finding, check, layers));
  return check;
}

}  // namespace

void enter_listed(ImageResult& result, const Image& image, bool layers_needed) {
  result.full_reference = image.reference;
  result.manifest_digest = image.manifest_digest;
  result.platform = image.platform.text();
  result.ledger.layers_listed = image.layers.size();
  result.ledger.layers_needed = layers_needed;
  for (const LayerSource& layer : image.layers) result.ledger.blob_bytes_listed += layer.size.value_or(0);
}

void enter_layers(ImageResult& result, const ReadImage& read) {
  const Scanned& scanned = read.scanned();
  for (std::size_t i = 0; i < scanned.layers.size(); ++i) {
    const LayerInfo& info = scanned.layers[i];
    LayerResult& layer = result.layers.emplace_back();
    layer.name = info.name;
    layer.created_by = info.created_by;
    layer.diff_id = info.diff_id.empty() ? "" : info.diff_id.text();
    layer.stored_bytes = info.stored_bytes;
    if (!read.was_read()) continue;
    const LayerIndex& index = scanned.facts.layers().at(i);
    layer.compression = index.compression;
    layer.stored_bytes = index.counts.stored_bytes;
    layer.unpacked_bytes = index.counts.unpacked_bytes;
    layer.entries = index.entries.size();
    layer.diff_id = index.diff_id.text();
    result.ledger.layers_verified += index.counts.verified;
    result.ledger.layers_parsed += index.counts.parsed;
    if (read.image().layers[i].size) result.ledger.blob_bytes_hashed += index.counts.stored_bytes;
    result.stats.entries += index.entries.size();
    if (read.shares(i)) {
      layer.shared_with = read.shared_with(i);
      ++result.ledger.layers_shared;
      continue;
    }
    enter_stats(result.stats, index);
  }
  result.stats.names = read.names();
  result.stats.spooled_bytes = read.spooled();
}

void enter_other(ImageResult& result, const std::string& name, const std::string& reference, const ReadImage& read,
                 const ReadImage& main, bool earlier) {
  const Image& image = read.image();
  OtherImageResult& other = result.others.emplace_back();
  other.name = name;
  other.reference = reference;
  other.full_reference = image.reference;
  other.manifest_digest = image.manifest_digest;
  other.platform = image.platform.text();
  other.layers = image.layers.size();
  other.earlier = earlier;
  if (!earlier) result.stats.spooled_bytes += read.spooled();
  if (!read.was_read()) return;
  result.ledger.layers_listed += image.layers.size();
  const KnownLayers own = earlier ? read.known_from(main) : KnownLayers();
  for (std::size_t i = 0; i < image.layers.size(); ++i) {
    const LayerIndex& index = read.scanned().facts.layers().at(i);
    result.ledger.layers_verified += index.counts.verified;
    result.ledger.layers_parsed += index.counts.parsed;
    if (earlier ? i < own.size() && own[i].index : read.shares(i)) {
      ++other.layers_shared;
      continue;
    }
    ++other.layers_read;
    result.ledger.blob_bytes_listed += image.layers[i].size.value_or(0);
    if (image.layers[i].size) result.ledger.blob_bytes_hashed += index.counts.stored_bytes;
    if (earlier) continue;
    result.stats.entries += index.entries.size();
    enter_stats(result.stats, index);
  }
}

void enter_checks(ImageResult& result, const Evaluation& evaluation, const std::vector<LayerInfo>& layers) {
  result.gates = evaluation.gates;
  for (const Evaluated& evaluated : evaluation.checks) {
    const CheckResult& check = result.checks.emplace_back(enter_check(evaluated, layers));
    ++result.ledger.checks_evaluated;
    const auto& covered = evaluated.answer.coverage();
    result.ledger.covered.insert(result.ledger.covered.end(), covered.begin(), covered.end());
    const bool asked_for = check.policy != "built-in" && check.rule != "gate";
    if (!asked_for) continue;
    result.ledger.checks_passed += check.outcome == Outcome::pass;
    result.ledger.checks_failed += check.outcome == Outcome::fail;
    result.ledger.checks_not_evaluated += check.outcome == Outcome::error;
  }
}

}  // namespace ocilint
