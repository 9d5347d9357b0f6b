#include "check/secret_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <future>

#include "base/error.h"
#include "facts/secret_expiry.h"
#include "facts/secret_id.h"

namespace ocilint {
namespace {

constexpr std::size_t shortest_digest = 12;  // digits of a layer that is allowed: fewer may be another's tomorrow

bool names_layer(std::string_view given, std::string_view digest) {
  if (given.find(':') == std::string_view::npos) digest.remove_prefix(std::min(digest.find(':') + 1, digest.size()));
  return digest.starts_with(given);
}

}  // namespace

std::vector<ExtraDetector> known_detectors(const Params& with) {
  std::vector<ExtraDetector> out;
  for (const std::string& known : with.texts("known")) out.push_back(ExtraDetector::parse(known));
  return out;
}

std::vector<ExtraDetector> file_detectors(const Params& with) {
  std::vector<ExtraDetector> out = known_detectors(with);
  for (const std::string& name : with.texts("never")) out.push_back(never_detector(name));
  return out;
}

SecretSettings::SecretSettings(const Params& with, const ImageView& image, const std::vector<ExtraDetector>& extra)
    : jobs_(image.scanned().jobs),
      query_{with.texts("never"), with.texts("allow")},
      salt_(secret_salt(with.has("salt") ? with.text("salt") : image.scanned().image.manifest_digest)),
      created_(image.config().created) {
  if (with.has("min_confidence"))
    least_ = ocilint::confidence_of(with.text("min_confidence")).value_or(Confidence::low);  // one of the choices
  if (!extra.empty()) {
    detectors_ = std::make_unique<const DetectorSet>(extra);
    query_.detectors = detectors_.get();
  }
  for (const std::string& id : with.texts("allow_values")) {
    if (!is_secret_id(id)) throw Error(ErrorKind::policy, fmt::format("'{}' in allow_values is no id of a value", id));
    allowed_ids_.push_back(id);
    const std::string salt(salt_of(id));
    if (std::ranges::find(salts_, salt) == salts_.end()) salts_.push_back(salt);
  }
  const auto& layers = image.layers();
  allowed_layers_.resize(layers.size());
  for (const std::string& given : with.texts("allow_layers")) {
    if (given.substr(std::min(given.find(':') + 1, given.size())).size() < shortest_digest)
      throw Error(ErrorKind::policy, fmt::format("'{}' in allow_layers: give 12 digits of the digest or more", given));
    for (std::size_t i = 0; i < layers.size(); ++i)
      if (names_layer(given, layers[i].name) ||
          (!layers[i].diff_id.empty() && names_layer(given, layers[i].diff_id.text())))
        allowed_layers_[i] = true;
  }
}

std::string_view SecretSettings::describe(std::string_view detector) const {
  if (detector == "never") return "a value that must not be there";
  const Detector* const row = query_.set().find(detector);
  return row == nullptr ? "a secret" : row->what;
}

bool SecretSettings::was_over(std::chrono::sys_seconds expires) const {
  // RFC 3339 in UTC, as every builder writes it, sorts as text; another zone is off by hours.
  const std::size_t seconds = std::string_view("2031-01-01T00:00:00").size();
  return created_.size() >= seconds && time_text(expires).substr(0, seconds) < created_.substr(0, seconds);
}

std::string SecretSettings::expiry_text(std::chrono::sys_seconds expires) const {
  const std::string when = time_text(expires);
  return was_over(expires) ? fmt::format("expired at {} by its own words, before the image was made", when)
                           : fmt::format("good until {} by its own words", when);
}

bool SecretSettings::is_sure(Confidence confidence) {
  if (confidence >= least_) return true;
  ++left_out_;
  return false;
}

std::string SecretSettings::left_out_text() const {
  if (left_out_ == 0) return {};
  return fmt::format("{} of less than {} confidence left out by min_confidence", left_out_, to_string(least_));
}

Confidence SecretSettings::confidence_of(std::string_view detector) const {
  const Detector* const row = query_.set().find(detector);
  return row == nullptr ? Confidence::medium : row->confidence;
}

bool SecretSettings::allows_layer(std::optional<std::uint32_t> layer) const {
  return layer && *layer < allowed_layers_.size() && allowed_layers_[*layer];
}

std::optional<std::string> SecretSettings::make_id(std::string_view salt, std::string_view value) {
  std::pair<std::string, std::string> key{salt, value};
  if (const auto known = made_.find(key); known != made_.end()) return known->second;
  if (made_.size() >= most_ids) return std::nullopt;
  return made_.emplace(std::move(key), secret_id(salt, value)).first->second;
}

void SecretSettings::make_ids(std::span<const std::string_view> values) {
  std::vector<std::string_view> fresh;
  for (const std::string_view value : values)
    if (made_.size() + fresh.size() < most_ids && !made_.contains({salt_, std::string(value)}) &&
        std::ranges::find(fresh, value) == fresh.end())
      fresh.push_back(value);
  std::vector<std::string> ids(fresh.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i; (i = next++) < fresh.size();) ids[i] = secret_id(salt_, fresh[i]);
  };
  std::vector<std::future<void>> others;
  for (std::size_t i = 1; i < std::min<std::size_t>(jobs_, fresh.size()); ++i)
    others.push_back(std::async(std::launch::async, work));
  work();
  for (std::future<void>& other : others) other.get();
  for (std::size_t i = 0; i < fresh.size(); ++i)
    made_.emplace(std::pair(salt_, std::string(fresh[i])), std::move(ids[i]));
}

bool SecretSettings::allows_value(std::string_view value) {
  for (const std::string& salt : salts_) {
    const auto id = make_id(salt, value);
    if (id && std::ranges::find(allowed_ids_, *id) != allowed_ids_.end()) return true;
  }
  return false;
}

std::string SecretSettings::id_of(std::string_view value) { return make_id(salt_, value).value_or(""); }

}  // namespace ocilint
