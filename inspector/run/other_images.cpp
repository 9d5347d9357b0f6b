#include "run/other_images.h"

namespace ocilint {

/// What fails with another image says so: it is not the one that the report is about.
template <typename Step>
void OtherImages::attempt(const std::string& name, Held& held, Step&& step) {
  if (held.failed) throw *held.failed;
  try {
    step();
  } catch (Error& error) {
    error.within("--with " + name);
    held.failed = error;
    throw;
  }
}

std::vector<OtherImages::Other> OtherImages::resolve(const Image& main) {
  std::vector<Other> out;
  const Selection same{options_.platform || main.platform.empty() ? options_.platform : std::optional(main.platform)};
  const std::string platform = same.platform ? same.platform->text() : std::string();
  for (const auto& [name, needs] : plan_.others) {
    const auto given = options_.others.find(name);
    if (given == options_.others.end()) continue;
    Held& held = held_[{name, platform}];
    const bool earlier = held.merged;
    attempt(name, held, [&] {
      if (!held.image) held.image.emplace(open_source(options_, given->second), same);
    });
    out.push_back({name, given->second, &*held.image, earlier});
  }
  return out;
}

OtherImages::Held& OtherImages::held(const Other& other) {
  for (auto& [key, held] : held_)
    if (held.image && &*held.image == other.image) return held;
  throw Error(ErrorKind::internal, "an image to compare with is not known");
}

void OtherImages::read(const Other& other, const ReadImage& main) {
  Held& held = this->held(other);
  if (held.merged) return;
  attempt(other.name, held, [&] {
    const OtherDemand& needs = plan_.others.find(other.name)->second;
    if (needs.layers) other.image->read(needs.demand, options_, other.image->known_from(main), other.name);
    other.image->merge(options_);
    held.merged = true;
  });
}

void OtherImages::read_again(const Other& other, const Refill& missing) {
  attempt(other.name, held(other),
          [&] { other.image->read_again(plan_.others.find(other.name)->second.demand, missing, options_); });
}

}  // namespace ocilint
