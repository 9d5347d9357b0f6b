#include "run/turns.h"

#include <filesystem>

#include "oci/reference.h"

namespace ocilint {
namespace {

constexpr std::size_t images_ahead = 32;                // each holds a file or some connections open
constexpr std::uint64_t documents_ahead = 64ull << 20;  // bytes; attestations may be large

/// Whether opening may take as long as somebody else likes, or copies the image.
bool is_waited_for(const std::string& text) {
  try {
    const Reference reference = Reference::parse(text);
    if (reference.transport == Transport::registry) return false;
    if (reference.transport == Transport::docker_daemon || reference.path == "-") return true;
    std::error_code problem;
    const auto type = std::filesystem::status(reference.path, problem).type();
    return type != std::filesystem::file_type::regular && type != std::filesystem::file_type::directory &&
           type != std::filesystem::file_type::not_found;
  } catch (const Error&) {
    return false;
  }
}

std::uint64_t size_of(const Image& image) {
  std::uint64_t out = 0;
  for (const Document& document : image.documents) out += document.text.size();
  return out;
}

}  // namespace

void Turns::open(const std::string& reference) {
  std::vector<Turn> made;
  const auto failed = failure_of([&] {
    const std::shared_ptr<ImageStore> source = open_source(options_, reference);
    std::vector<std::optional<ListedImage>> images;
    if (options_.every_platform)
      for (ListedImage& image : source->every()) images.emplace_back(std::move(image));
    else
      images.emplace_back();
    if (images.empty()) throw Error(ErrorKind::not_found, reference + " holds no image");
    for (std::optional<ListedImage>& image : images) {
      Turn& turn = made.emplace_back();
      turn.reference = reference;
      turn.listed = std::move(image);
      turn.source = source;
      turn.last = false;
    }
  });
  if (failed) {
    made.assign(1, {});
    made[0].reference = reference;
    made[0].failed = failed;
  }
  made.back().last = true;
  for (Turn& turn : made) turns_.push_back(std::move(turn));
}

void Turns::settle(Turn& turn) {
  turn.failed = failure_of([&] {
    turn.image =
        turn.listed ? turn.source->resolve_listed(*turn.listed) : turn.source->resolve(Selection{options_.platform});
    layers_.expect(*turn.image);
  });
  if (turn.failed) turn.image.reset();
}

void Turns::look_ahead() {
  std::uint64_t documents = 0;
  bool spooled = false;
  for (std::size_t at = 0;; ++at) {
    const bool room = at < images_ahead && documents < documents_ahead && !spooled;
    if (at == turns_.size()) {
      if (!room || opened_ == references_.size() || is_waited_for(references_[opened_])) return;
      open(references_[opened_++]);
    }
    Turn& turn = turns_[at];
    if (!turn.settled()) {
      if (!room) return;
      settle(turn);
    }
    if (turn.image) documents += size_of(*turn.image);
    spooled = spooled || (at > 0 && turn.source && turn.source->spooled() > 0);
  }
}

std::optional<Turn> Turns::next() {
  if (turns_.empty() && opened_ < references_.size()) open(references_[opened_++]);
  if (turns_.empty()) return std::nullopt;
  if (!turns_.front().settled()) settle(turns_.front());
  if (ahead_) look_ahead();
  std::optional<Turn> out = std::move(turns_.front());
  turns_.pop_front();
  if (out->image) layers_.arrived(*out->image);
  return out;
}

}  // namespace ocilint
