#include "policy/known_detectors.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/error.h"
#include "check/secret_settings.h"
#include "facts/secret_detectors.h"

namespace ocilint {
namespace {

bool is_known(const Param& param) { return param.name == secret_known.name && param.doc == secret_known.doc; }

std::optional<std::string> literal_text(const Template& from) {
  std::string out;
  for (const Template::Piece& piece : from.pieces) {
    if (piece.variable) return std::nullopt;
    out += piece.text;
  }
  return out;
}

class Collector {
 public:
  void add(const std::vector<Template>& list) {
    std::set<std::string> here;
    for (const Template& item : list) {
      const auto text = literal_text(item);
      if (!text) continue;
      ExtraDetector detector = parsed(*text, item.place);
      if (DetectorSet::standard().find(detector.id) != nullptr)
        item.place.fail(
            fmt::format("known: there is a detector '{}' already, one of those that always search", detector.id));
      if (!here.insert(detector.id).second)
        item.place.fail(fmt::format("known: there are two detectors '{}'", detector.id));
      const auto [known, fresh] = by_id_.try_emplace(detector.id, Known{detector, item.place});
      if (fresh) {
        out_.push_back(std::move(detector));
      } else if (known->second.detector != detector) {
        item.place.fail(
            fmt::format("known: detector '{}' is another one in {}", detector.id, known->second.place.text()));
      }
    }
  }

  std::vector<ExtraDetector> take() { return std::move(out_); }

 private:
  struct Known {
    ExtraDetector detector;
    Place place;
  };

  static ExtraDetector parsed(const std::string& text, const Place& place) {
    try {
      return ExtraDetector::parse(text);
    } catch (const Error& error) {
      place.fail(std::string("known: ") + error.what());
    }
  }

  std::map<std::string, Known> by_id_;
  std::vector<ExtraDetector> out_;
};

}  // namespace

std::vector<ExtraDetector> known_detectors(std::span<const Policy> policies) {
  Collector collector;
  for (const Policy& policy : policies)
    for (const Check& check : policy.checks)
      for (const Argument& argument : check.with)
        if (is_known(*argument.param))
          if (const auto* const list = std::get_if<std::vector<Template>>(&argument.value)) collector.add(*list);
  return collector.take();
}

}  // namespace ocilint
