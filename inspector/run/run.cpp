#include "run/run.h"

#include <fmt/format.h>

#include <algorithm>

#include "run/plan.h"
#include "run/read_image.h"
#include "run/redact.h"
#include "run/waive.h"
#include "source/open.h"

namespace ocilint {
namespace {

void enter_stats(Stats& stats, const LayerIndex& index) {
  stats.hashed_files += index.counts.hashed_files;
  stats.hashed_bytes += index.counts.hashed_bytes;
  stats.kept_files += index.counts.kept_files;
  stats.kept_bytes += index.counts.kept_bytes;
  stats.elf_files += index.counts.elf_files;
  stats.entries += index.entries.size();
}

/// What was listed of the image is entered before a layer is read, so that a read that ends early leaves a hole.
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
    enter_stats(result.stats, index);
  }
  result.stats.names = read.names();
  result.stats.spooled_bytes = read.spooled();
}

/// Layers of an image to compare with count like the image's own; bytes of shared ones were counted there.
void enter_other(ImageResult& result, const std::string& name, const std::string& reference, const ReadImage& read,
                 bool layers_needed) {
  const Image& image = read.image();
  OtherImageResult& other = result.others.emplace_back();
  other.name = name;
  other.reference = reference;
  other.full_reference = image.reference;
  other.manifest_digest = image.manifest_digest;
  other.platform = image.platform.text();
  other.layers = image.layers.size();
  result.stats.spooled_bytes += read.spooled();
  if (!layers_needed) return;
  result.ledger.layers_listed += image.layers.size();
  for (std::size_t i = 0; i < image.layers.size(); ++i) {
    const LayerIndex& index = read.scanned().facts.layers().at(i);
    result.ledger.layers_verified += index.counts.verified;
    result.ledger.layers_parsed += index.counts.parsed;
    if (read.shares(i)) {
      ++other.layers_shared;
      continue;
    }
    ++other.layers_read;
    result.ledger.blob_bytes_listed += image.layers[i].size.value_or(0);
    if (image.layers[i].size) result.ledger.blob_bytes_hashed += index.counts.stored_bytes;
    enter_stats(result.stats, index);
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

/// What fails with another image says so: it is not the one that the report is about.
template <typename Step>
void of_other(const std::string& name, Step&& step) {
  try {
    step();
  } catch (Error& error) {
    error.within("--with " + name);
    throw;
  }
}

void check_source(ImageResult& result, const RunOptions& options, const RunPlan& plan, Source& source,
                  ReadImages& images) {
  // The reference is resolved once; from here on everything is named by digest.
  ReadImage& main = images.main.emplace(source, Selection{options.platform});
  enter_listed(result, main.image(), plan.layers);

  // So are the images that checks compare with, for the same platform.
  const Platform& platform = main.image().platform;
  const Selection same{options.platform || platform.empty() ? options.platform : std::optional(platform)};
  for (const auto& [name, needs] : plan.others)
    if (const auto given = options.others.find(name); given != options.others.end())
      of_other(name, [&] { images.others.try_emplace(name, open_source(Reference::parse(given->second), options.registry), same); });

  // One pass over every layer, beside each other: verified to the last byte, headers kept, demanded facts made.
  if (plan.layers) main.read(plan.demand, options);
  for (auto& [name, other] : images.others)
    of_other(name, [&] {
      const OtherDemand& needs = plan.others.find(name)->second;
      if (needs.layers) other.read(needs.demand, options, &main, name);
    });

  // The layers are merged by name, in both readings: what overlay engines show, and what the specification says.
  main.merge(options.view);
  enter_layers(result, main);
  for (auto& [name, other] : images.others) {
    of_other(name, [&] { other.merge(options.view); });
    enter_other(result, name, options.others.find(name)->second, other, other.was_read());
    main.scanned().others.emplace(name, &other.scanned());
  }

  // Every check answers from what it declared; the few facts that no pattern foresaw are read in a second pass.
  const Scanned& scanned = main.scanned();
  const Evaluation evaluation =
      evaluate(plan, scanned, options.overrides, [&](const Scanned& of, const Refill& missing) {
        ++result.stats.refill_rounds;
        for (const auto& [layer, asked] : missing) {
          ++result.stats.refilled_layers;
          result.stats.refilled_facts += asked.size();
        }
        if (&of == &scanned) {
          main.read_again(plan.demand, missing, options);
          return;
        }
        for (auto& [name, other] : images.others)
          if (&other.scanned() == &of)
            of_other(name, [&] { other.read_again(plan.others.find(name)->second.demand, missing, options); });
      });

  // From here on no byte of an image is read: the answers become the result.
  result.ledger.checks_listed = evaluation.checks.size();
  enter_checks(result, evaluation, scanned.layers);
  for (const Policy& policy : options.policies) waive(result, policy, options.today);
  if (options.survey && main.was_read()) result.survey = survey(scanned, result.checks);
  Redaction more{{}, plan.known};
  for (const Evaluated& evaluated : evaluation.checks) {
    const std::vector<std::string>& found = evaluated.answer.hidden();
    more.hidden.insert(more.hidden.end(), found.begin(), found.end());
  }
  redact(result, images.all(), more);
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
  ReadImages images;
  try {
    body(result, images);
  } catch (const Error& error) {
    result.unreadable = error;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    result.unreadable = Error(ErrorKind::internal, error.what());
  }
  // What ended the run may quote the image too.
  if (result.unreadable) redact(result, images.all());
  return result;
}

}  // namespace

ImageResult check_image(const RunOptions& options, std::span<const Rule* const> rules, Source& source) {
  return guarded(options, [&](ImageResult& result, ReadImages& images) {
    const auto plan = plan_run(options, rules);
    check_source(result, options, *plan, source, images);
  });
}

ImageResult check_image(const RunOptions& options, std::span<const Rule* const> rules) {
  std::unique_ptr<Source> source;  // outlives what is read from it
  return guarded(options, [&](ImageResult& result, ReadImages& images) {
    const auto plan = plan_run(options, rules);
    source = open_source(Reference::parse(options.reference), options.registry);
    check_source(result, options, *plan, *source, images);
  });
}

ImageResult unread(const RunOptions& options, Error why) {
  return guarded(options, [&](ImageResult&, ReadImages&) { throw why; });
}

}  // namespace ocilint
