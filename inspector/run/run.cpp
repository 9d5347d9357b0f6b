#include "run/run.h"

#include <algorithm>

#include "run/enter.h"
#include "run/other_images.h"
#include "run/plan.h"
#include "run/read_image.h"
#include "run/redact.h"
#include "run/shared_layers.h"
#include "run/turns.h"
#include "run/waive.h"
#include "source/open.h"

namespace ocilint {
namespace {

/// What the images of a run have in common.
struct Session {
  Session(const RunOptions& asked, const RunPlan& planned, const Beside* who = nullptr)
      : options(asked), plan(planned), beside(who), others(asked, planned), layers(asked.limits) {}

  const RunOptions& options;
  const RunPlan& plan;
  const Beside* beside;  // null: nobody
  OtherImages others;
  SharedLayers layers;
};

/// The image of a result, and those that it is compared with.
struct Looked {
  std::optional<ReadImage> main;
  std::vector<OtherImages::Other> others;

  std::vector<const Image*> all() const {
    std::vector<const Image*> out;
    if (main) out.push_back(&main->image());
    for (const OtherImages::Other& other : others) out.push_back(&other.image->image());
    return out;
  }
};

void check_resolved(ImageResult& result, Session& session, std::shared_ptr<Source> source, const StoredAt& at,
                    Image image, Looked& looked) {
  const RunOptions& options = session.options;
  const RunPlan& plan = session.plan;
  // The reference was resolved once; from here on everything is named by digest.
  ReadImage& main = looked.main.emplace(std::move(source), std::move(image));
  enter_listed(result, main.image(), plan.layers);

  // So are the images that checks compare with, for the same platform.
  looked.others = session.others.resolve(main.image());

  // One pass over every layer, beside each other: verified to the last byte, headers kept, demanded facts made.
  if (plan.layers) {
    main.read(plan.demand, options, session.layers.known(at, main.image()));
    const std::string platform = main.image().platform.text();
    session.layers.keep(at, main.image(), main.image().reference + (platform.empty() ? "" : " " + platform),
                        main.layers());
  }
  for (const OtherImages::Other& other : looked.others) session.others.read(other, main);

  // The layers are merged by name, in both readings: what overlay engines show, and what the specification says.
  main.merge(options);
  enter_layers(result, main);
  for (const OtherImages::Other& other : looked.others) {
    enter_other(result, other.name, other.reference, *other.image, main, other.earlier);
    main.scanned().others.emplace(other.name, &other.image->scanned());
  }

  // Every check answers from what it declared; the few facts that no pattern foresaw are read in a second pass.
  const Scanned& scanned = main.scanned();
  const ReadMore read_more = [&](const Scanned& of, const Refill& missing) {
    ++result.stats.refill_rounds;
    for (const auto& [layer, asked] : missing) {
      ++result.stats.refilled_layers;
      result.stats.refilled_facts += asked.size();
    }
    if (&of == &scanned) {
      main.read_again(plan.demand, missing, options);
      return;
    }
    for (const OtherImages::Other& other : looked.others)
      if (&other.image->scanned() == &of) session.others.read_again(other, missing);
  };
  const Evaluation evaluation = evaluate(plan, scanned, options.overrides, read_more);
  if (session.beside != nullptr) settle(scanned, plan.beside, session.beside->look, read_more);

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
  if (session.beside != nullptr) session.beside->done(redactor(result, looked.all(), more));
  redact(result, looked.all(), more);
}

ImageResult begin(const RunOptions& options, const std::string& reference) {
  ImageResult result;
  result.reference = reference;
  result.full_reference = reference;
  result.strict_waivers = options.strict_waivers;
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
void guarded(ImageResult& result, Looked& looked, const std::vector<ExtraDetector>& known, Body&& body) {
  result.unreadable = failure_of(body);
  // What ended the run may quote the image too.
  if (result.unreadable) redact(result, looked.all(), {{}, known});
}

ImageResult check_turn(Session& session, Turn turn) {
  ImageResult result = begin(session.options, turn.reference);
  // An image of several says which one it is, also when that is all there is to say.
  if (turn.listed) result.platform = turn.listed->platform.text();
  if (session.options.begins)
    session.options.begins(turn.reference + (result.platform.empty() ? "" : " " + result.platform));
  Looked looked;
  guarded(result, looked, session.plan.known, [&] {
    if (turn.failed) throw *turn.failed;
    const StoredAt at = turn.source->stored_at();
    check_resolved(result, session, std::move(turn.source), at, std::move(*turn.image), looked);
  });
  return result;
}

/// Null when `result` says why there is none.
std::unique_ptr<RunPlan> plan_for(const RunOptions& options, std::span<const Rule* const> rules, ImageResult& result,
                                  const Beside* beside = nullptr) {
  std::unique_ptr<RunPlan> plan;
  Looked none;
  guarded(result, none, {}, [&] { plan = plan_run(options, rules, beside); });
  return plan;
}

void check_all(const RunOptions& options, std::span<const std::string> references, std::span<const Rule* const> rules,
               const Beside* beside, const OnResult& done) {
  ImageResult refused = begin(options, {});
  const std::unique_ptr<RunPlan> plan = plan_for(options, rules, refused, beside);
  if (!plan) {
    for (const std::string& reference : references) done(unread(options, reference, *refused.unreadable), true);
    return;
  }
  Session session(options, *plan, beside);
  const bool several = references.size() > 1 || options.every_platform;
  Turns turns(options, references, session.layers, plan->layers && several);
  while (std::optional<Turn> turn = turns.next()) {
    const bool last = turn->last;
    done(check_turn(session, std::move(*turn)), last);
  }
}

ImageResult check_one(const RunOptions& options, std::span<const Rule* const> rules, const Beside* beside) {
  ImageResult out;
  check_all(options, std::span(&options.reference, 1), rules, beside,
            [&](ImageResult result, bool) { out = std::move(result); });
  return out;
}

}  // namespace

void check_images(const RunOptions& options, std::span<const std::string> references,
                  std::span<const Rule* const> rules, const OnResult& done) {
  check_all(options, references, rules, nullptr, done);
}

ImageResult check_image(const RunOptions& options, std::span<const Rule* const> rules) {
  return check_one(options, rules, nullptr);
}

ImageResult check_image(const RunOptions& options, std::span<const Rule* const> rules, const Beside& beside) {
  return check_one(options, rules, &beside);
}

ImageResult check_image(const RunOptions& options, std::span<const Rule* const> rules, Source& source) {
  ImageResult result = begin(options, options.reference);
  const std::unique_ptr<RunPlan> plan = plan_for(options, rules, result);
  if (!plan) return result;
  Session session(options, *plan);
  Looked looked;
  guarded(result, looked, session.plan.known, [&] {
    const std::shared_ptr<Source> borrowed(&source, [](Source*) {});
    check_resolved(result, session, borrowed, {}, source.resolve(Selection{options.platform}), looked);
  });
  return result;
}

std::unique_ptr<ImageStore> open_source(const RunOptions& options, const std::string& reference) {
  return options.open ? options.open(reference) : open_source(Reference::parse(reference), options.registry);
}

ImageResult unread(const RunOptions& options, const std::string& reference, Error why) {
  ImageResult result = begin(options, reference);
  Looked none;
  guarded(result, none, {}, [&] { throw why; });
  return result;
}

}  // namespace ocilint
