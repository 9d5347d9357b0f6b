#include "source/choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "oci/registry_name.h"

namespace ocilint {
namespace {

using Candidates = std::vector<const Choice*>;

constexpr std::size_t listed_choices = 40;
constexpr std::size_t least_digest_prefix = 6;

/// "tag" of "registry:5000/name:tag"; empty without one.
std::string_view tag_of(std::string_view name) {
  const std::size_t at = name.find('@');
  if (at != std::string_view::npos) name = name.substr(0, at);
  const std::size_t colon = name.rfind(':');
  if (colon == std::string_view::npos || name.find('/', colon) != std::string_view::npos) return {};
  return name.substr(colon + 1);
}

/// Docker leaves out what containerd writes in full.
std::string familiar(std::string_view name) {
  for (const std::string_view prefix : {"docker.io/library/", "docker.io/"})
    if (name.starts_with(prefix)) return std::string(name.substr(prefix.size()));
  return std::string(name);
}

bool digest_matches(const Choice& choice, std::string_view wanted) {
  const std::size_t colon = wanted.find(':');
  const std::string_view hex = colon == std::string_view::npos ? wanted : wanted.substr(colon + 1);
  if (hex.size() < least_digest_prefix) return false;
  return std::any_of(choice.digests.begin(), choice.digests.end(), [&](std::string_view digest) {
    return digest.starts_with(wanted) || digest.substr(digest.find(':') + 1).starts_with(wanted);
  });
}

/// Exact names win over tags, tags over digests.
Candidates named(const Candidates& all, const std::string& wanted) {
  const auto by = [&all](auto&& matches) {
    Candidates out;
    std::copy_if(all.begin(), all.end(), std::back_inserter(out), [&](const Choice* c) { return matches(*c); });
    return out;
  };
  const auto any_name = [](const Choice& choice, auto&& matches) {
    return std::any_of(choice.names.begin(), choice.names.end(), matches);
  };
  Candidates out = by([&](const Choice& choice) {
    return any_name(choice, [&](const std::string& name) { return familiar(name) == familiar(wanted); });
  });
  if (out.empty())
    out = by([&](const Choice& choice) {
      return any_name(choice, [&](const std::string& name) { return tag_of(name) == wanted; });
    });
  if (out.empty()) out = by([&](const Choice& choice) { return digest_matches(choice, wanted); });
  return out;
}

bool control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

/// The list has a line an image; no text of one may add a line.
std::string on_one_line(std::string text) {
  std::replace_if(text.begin(), text.end(), control, '?');
  return text;
}

std::string list(const Candidates& candidates, const Reference& reference) {
  std::string out;
  std::size_t shown = 0;
  for (const Choice* choice : candidates) {
    if (shown++ == listed_choices) {
      out += fmt::format("\n  … and {} more", candidates.size() - listed_choices);
      break;
    }
    Reference one = reference;
    one.name.clear();
    one.index.reset();
    one.transport = choice->transport;
    // A name chooses only where no other entry has it.
    const bool unique = !choice->names.empty() && std::ranges::none_of(choice->names.front(), control) &&
                        std::none_of(candidates.begin(), candidates.end(), [&](const Choice* other) {
                          return other->group != choice->group &&
                                 std::count(other->names.begin(), other->names.end(), choice->names.front()) != 0;
                        });
    if (unique)
      one.name = choice->names.front();
    else
      one.index = choice->index;
    const std::string spelt =
        choice->transport == Transport::registry
            ? fmt::format("docker://{}@{}", RegistryName::parse(reference.path).image(), choice->digest)
            : one.text();
    const std::string platform = choice->platform.text();
    out += fmt::format("\n  {}  {}  {}", spelt, platform.empty() ? "no platform stated" : on_one_line(platform),
                       choice->digest);
    if (!unique && !choice->names.empty()) out += "  " + on_one_line(choice->names.front());
  }
  return out;
}

[[noreturn]] void no_image(const Candidates& candidates, const Reference& reference) {
  // Missing beats artifact: an image that is not there is the more likely intention.
  for (const auto state : {Choice::State::broken, Choice::State::missing, Choice::State::artifact})
    for (const Choice* choice : candidates)
      if (choice->state == state && choice->problem) throw *choice->problem;
  throw Error(ErrorKind::not_found, fmt::format("{} holds no image", reference.text()));
}

/// Entries of the top-level list that are one image for several platforms: same names, platforms all
/// different.
bool one_image(const Candidates& candidates) {
  std::set<std::string> platforms;
  for (const Choice* choice : candidates) {
    if (choice->group == candidates.front()->group) continue;
    if (choice->names != candidates.front()->names) return false;
  }
  const bool several = std::any_of(candidates.begin(), candidates.end(),
                                   [&](const Choice* choice) { return choice->group != candidates.front()->group; });
  if (!several) return true;
  return std::all_of(candidates.begin(), candidates.end(), [&](const Choice* choice) {
    const Platform platform = choice->platform.normalised();
    return !platform.empty() && platforms.insert(platform.text() + " " + platform.os_version).second;
  });
}

const Choice* nearest(const Candidates& candidates, const Platform& wanted) {
  const Choice* best = nullptr;
  int best_distance = 0;
  for (const Choice* choice : candidates) {
    if (choice->platform.empty()) continue;
    const auto far = distance(wanted, choice->platform);
    if (far && (best == nullptr || *far < best_distance)) {
      best = choice;
      best_distance = *far;
    }
  }
  return best;
}

const Choice& usable(const Choice& choice) {
  if (choice.state != Choice::State::image && choice.problem) throw *choice.problem;
  return choice;
}

/// What a reference names, before a platform is chosen.
struct Meant {
  Candidates all;     // of its name or index
  Candidates images;  // of these, images that are there, each once
};

Meant meant_by(const std::vector<Choice>& choices, const Reference& reference) {
  Candidates all;
  for (const Choice& choice : choices) all.push_back(&choice);
  const Candidates everything = all;
  if (reference.index) {
    std::erase_if(all, [&](const Choice* choice) { return choice->index != *reference.index; });
  } else if (!reference.name.empty()) {
    all = named(all, reference.name);
  }
  if (all.empty() && !everything.empty())
    throw Error(ErrorKind::not_found,
                fmt::format("{}: there is no such image; there are:{}", reference.text(), list(everything, reference)));

  Candidates images;
  std::set<std::string> seen;  // one image may be listed under several names
  for (const Choice* choice : all) {
    const bool candidate = choice->state == Choice::State::image || choice->state == Choice::State::broken;
    if (!candidate) continue;
    if (seen.insert(choice->digest).second) {
      images.push_back(choice);
    } else if (choice->state == Choice::State::broken) {
      // Listed twice and once with a lie: the lie counts.
      *std::ranges::find(images, choice->digest, &Choice::digest) = choice;
    }
  }
  if (images.empty()) {
    // What is absent may still be what the caller asked for by platform.
    no_image(all, reference);
  }
  if (!one_image(images))
    throw Error(ErrorKind::usage, fmt::format("{} holds {} images{}; choose one:{}", reference.text(), images.size(),
                                              reference.name.empty() ? "" : " of that name", list(images, reference)));
  return {std::move(all), std::move(images)};
}

}  // namespace

std::vector<const Choice*> every_choice(const std::vector<Choice>& choices, const Reference& reference) {
  const Meant meant = meant_by(choices, reference);
  Candidates out;
  for (const Choice* choice : meant.all) {
    if (choice->state == Choice::State::artifact) continue;
    const auto image = std::ranges::find(meant.images, choice->digest, &Choice::digest);
    const Choice* const settled = image == meant.images.end() ? choice : *image;
    if (std::ranges::find(out, settled->digest, &Choice::digest) == out.end()) out.push_back(settled);
  }
  return out;
}

const Choice& choose_listed(const std::vector<Choice>& choices, const Reference& reference, const std::string& digest) {
  for (const Choice* choice : every_choice(choices, reference))
    if (choice->digest == digest) return usable(*choice);
  throw Error(ErrorKind::not_found, fmt::format("{} holds no image {}", reference.text(), digest));
}

const Choice& choose(const std::vector<Choice>& choices, const Reference& reference,
                     const std::optional<Platform>& platform) {
  const Meant meant = meant_by(choices, reference);
  const Candidates &all = meant.all, &images = meant.images;
  if (platform) {
    if (const Choice* found = nearest(images, *platform)) {
      // An exact match that is listed but absent must not be replaced by an older variant.
      for (const Choice* choice : all)
        if (choice->state == Choice::State::missing && !choice->platform.empty() &&
            distance(*platform, choice->platform) < distance(*platform, found->platform) &&
            distance(*platform, choice->platform))
          throw *choice->problem;
      return usable(*found);
    }
    for (const Choice* choice : all)
      if (choice->state == Choice::State::missing && !choice->platform.empty() && distance(*platform, choice->platform))
        throw *choice->problem;
    throw Error(ErrorKind::not_found, fmt::format("{} holds no image for {}; there are:{}", reference.text(),
                                                  platform->text(), list(images, reference)));
  }
  if (images.size() == 1) return usable(*images.front());
  if (const Choice* found = nearest(images, Platform::host())) return usable(*found);
  throw Error(ErrorKind::usage, fmt::format("{} holds no image for this host ({}); choose a platform:{}",
                                            reference.text(), Platform::host().text(), list(images, reference)));
}

}  // namespace ocilint
