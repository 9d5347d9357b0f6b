#include "run/run.h"

#include <fmt/format.h>

#include <algorithm>

#include "run/plan.h"
#include "run/redact.h"
#include "run/waive.h"
#include "source/open.h"

namespace ocilint {
namespace {

std::vector<LayerInfo> describe_layers(const Image& image) {
  const HistoryPairing pairing = pair_history(image.config.history, image.layers.size());
  std::vector<LayerInfo> out;
  for (std::size_t i = 0; i < image.layers.size(); ++i) {
    LayerInfo& layer = out.emplace_back();
    layer.name = image.layers[i].name;
    layer.history_certain = pairing.certain;
    if (const auto entry = pairing.entry_of_layer[i]) layer.created_by = image.config.history[*entry].created_by;
    if (image.layers[i].diff_id) layer.diff_id = *image.layers[i].diff_id;
    layer.stored_bytes = image.layers[i].size.value_or(0);
  }
  return out;
}

void enter_layers(ImageResult& result, const Image& image, const std::vector<LayerInfo>& infos,
                  const std::deque<LayerIndex>& indexes) {
  for (std::size_t i = 0; i < infos.size(); ++i) {
    LayerResult& layer = result.layers.emplace_back();
    layer.name = infos[i].name;
    layer.created_by = infos[i].created_by;
    layer.diff_id = infos[i].diff_id.empty() ? "" : infos[i].diff_id.text();
    layer.stored_bytes = infos[i].stored_bytes;
    if (i >= indexes.size()) continue;
    const LayerIndex& index = indexes[i];
    layer.compression = index.compression;
    layer.stored_bytes = index.counts.stored_bytes;
    layer.unpacked_bytes = index.counts.unpacked_bytes;
    layer.entries = index.entries.size();
    layer.diff_id = index.diff_id.text();
    result.ledger.layers_verified += index.counts.verified;
    result.ledger.layers_parsed += index.counts.parsed;
    if (image.layers[i].size) result.ledger.blob_bytes_hashed += index.counts.stored_bytes;
    result.stats.hashed_files += index.counts.hashed_files;
    result.stats.hashed_bytes += index.counts.hashed_bytes;
    result.stats.kept_files += index.counts.kept_files;
    result.stats.kept_bytes += index.counts.kept_bytes;
    result.stats.elf_files += index.counts.elf_files;
    result.stats.entries += index.entries.size();
  }
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

void check_source(ImageResult& result, const RunOptions& options, const RunPlan& plan, Source& source) {
  // The reference is resolved once; from here on everything is named by digest.
  const Image image = source.resolve({options.platform});
  result.full_reference = image.reference;
  result.manifest_digest = image.manifest_digest;
  result.platform = image.platform.text();
  std::vector<LayerInfo> layers = describe_layers(image);
  result.ledger.layers_listed = image.layers.size();
  result.ledger.layers_needed = plan.layers;
  for (const LayerSource& layer : image.layers) result.ledger.blob_bytes_listed += layer.size.value_or(0);

  // One pass over every layer, beside each other: verified to the last byte, headers kept, demanded facts made.
  FactStore facts(plan.layers ? read_layers(source, image, plan.demand, options.jobs, options.limits, options.progress)
                              : std::deque<LayerIndex>{});
  enter_layers(result, image, layers, facts.layers());

  // The layers are merged by name, in both readings: what overlay engines show, and what the specification says.
  const std::vector<const LayerIndex*> indexes = facts.indexes();
  std::optional<MergedViews> views;
  if (plan.layers) {
    views.emplace(MergedTree::build_views(indexes));
    result.stats.names = views->overlay.size();
  }
  Scanned scanned{.image = image, .layers = std::move(layers), .tree = nullptr, .other = nullptr,
                  .oddities = image.oddities, .facts = facts, .packages = {}};
  if (plan.layers) {
    const bool by_overlay = options.view == View::overlay;
    scanned.tree = by_overlay ? &views->overlay : &views->spec;
    scanned.other = by_overlay ? &views->spec : &views->overlay;
    for (const LayerIndex* const index : indexes)
      scanned.oddities.insert(scanned.oddities.end(), index->oddities.begin(), index->oddities.end());
    const Oddities& merging = views->overlay.oddities();
    scanned.oddities.insert(scanned.oddities.end(), merging.begin(), merging.end());
  }

  // Every check answers from what it declared; the few facts that no pattern foresaw are read in a second pass.
  const Evaluation evaluation = evaluate(plan, scanned, options.overrides, [&](const Refill& missing) {
    std::vector<LayerIndex> again = read_again(source, image, plan.demand, missing, options.jobs, options.limits);
    ++result.stats.refill_rounds;
    std::size_t at = 0;
    for (const auto& [layer, asked] : missing) {
      facts.add(layer, std::move(again[at++]), asked);
      ++result.stats.refilled_layers;
      result.stats.refilled_facts += asked.size();
    }
  });

  // From here on no byte of the image is read: the answers become the result.
  result.ledger.checks_listed = evaluation.checks.size();
  enter_checks(result, evaluation, scanned.layers);
  for (const Policy& policy : options.policies) waive(result, policy, options.today);
  redact(result, image);
  result.stats.spooled_bytes = source.spooled();
}

ImageResult begin(const RunOptions& options) {
  ImageResult result;
  result.reference = options.reference;
  result.full_reference = options.reference;
  result.view = options.view == View::overlay ? "overlay" : "spec";
  for (const Policy& policy : options.policies) {
    PolicyResult& entry = result.policies.emplace_back();
    entry.name = policy.name;
    entry.summary = policy.summary;
    entry.file = policy.file;
    for (const PolicySource& source : policy.sources) entry.sources.emplace_back(source.file, source.digest.text());
  }
  return result;
}

template <typename Body>
ImageResult guarded(const RunOptions& options, Body&& body) {
  ImageResult result = begin(options);
  try {
    body(result);
  } catch (const Error& error) {
    result.unreadable = error;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    result.unreadable = Error(ErrorKind::internal, error.what());
  }
  return result;
}

}  // namespace

ImageResult check_image(const RunOptions& options, std::span<const Rule* const> rules, Source& source) {
  return guarded(options, [&](ImageResult& result) {
    const auto plan = plan_run(options, rules);
    check_source(result, options, *plan, source);
  });
}

ImageResult check_image(const RunOptions& options, std::span<const Rule* const> rules) {
  return guarded(options, [&](ImageResult& result) {
    const auto plan = plan_run(options, rules);
    const auto source = open_source(Reference::parse(options.reference));
    check_source(result, options, *plan, *source);
  });
}

}  // namespace ocilint
