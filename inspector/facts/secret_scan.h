// The search for secrets in the contents of files that stream by.
//
// A SecretScanner is the table of detectors, compiled; const, for any thread. A SecretScan searches one file after
// another: begin(), then add() until the last bytes. A file that comes in one piece is searched where it stands, and so
// are long pieces, with what a match can reach on both sides of every border; short ones are put together to a window
// of a megabyte. So no border hides anything and the result is that of the whole file. UTF-16 with a byte order mark is
// searched as text too. No size is skipped. Memory: a window, and most_kept secrets of a file; the others are counted.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "facts/file_secret.h"
#include "facts/keyword_finder.h"
#include "facts/secret_detectors.h"

namespace ocilint {

class SecretScanner {
 public:
  /// The table and more. Throws Error{policy} for an id that is taken, Error{unsupported}.
  explicit SecretScanner(std::span<const ExtraDetector> extra);

  const DetectorSet& detectors() const { return set_; }

 private:
  friend class SecretWindow;
  DetectorSet set_;
  KeywordFinder in_files_, in_all_;
};

/// One text in windows; SecretScan has one, and a second one for UTF-16.
class SecretWindow {
 public:
  explicit SecretWindow(const SecretScanner& scanner);

  void begin(SecretScope scope);
  void add(std::string_view bytes, bool last, FileSecrets& out);

 private:
  struct Found {
    std::size_t begin, end;  // in the window; before its beginning: 0
    const Detector* detector;
    bool told;
  };

  void stream(std::string_view bytes, bool last, FileSecrets& out);
  void search(std::string_view text, bool last, FileSecrets& out);
  void tell(std::string_view text, std::size_t settled, FileSecrets& out);
  std::string excerpt(std::string_view text, std::size_t begin, std::size_t end, bool in_address) const;
  void forget(std::string_view text, std::size_t cut);

  const SecretScanner& scanner_;
  KeywordFinder::Scratch in_files_, in_all_;
  SecretScope scope_ = SecretScope::file;
  std::string window_;
  std::uint64_t base_ = 0;    // offset of the window in the file
  std::size_t searched_ = 0;  // in the window: keywords before it are done
  std::uint64_t lines_ = 0;   // before the window
  bool binary_ = false;       // before the window
  DetectorSet::Looked looked_;
  std::vector<Found> found_;  // of the window, sorted by their beginning once told
  std::vector<KeywordAt> candidates_;
  std::vector<ShapeHit> hits_;
};

class SecretScan {
 public:
  static constexpr std::size_t most_kept = 1000;  // of a file: enough to see what it is

  explicit SecretScan(const SecretScanner& scanner);

  void begin(SecretScope scope);
  void add(Bytes bytes, bool last);
  /// Of the file, after its last bytes.
  FileSecrets take();

 private:
  void feed(std::string_view bytes, bool last);
  void feed_wide(std::string_view bytes, bool last);

  enum class Wide : std::uint8_t { no, little, big };

  SecretWindow narrow_, wide_;
  FileSecrets secrets_, wide_secrets_;
  SecretScope scope_ = SecretScope::file;
  std::string start_;  // while it is too short to have a mark
  bool started_ = false;
  Wide width_ = Wide::no;
  std::string unit_;     // half of one
  std::string letters_;  // of a piece of UTF-16
};

}  // namespace ocilint
