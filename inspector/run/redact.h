// No value of a known secret leaves the program: the last stage of a run replaces every one that the
// documents of its images hold, wherever it turns up in the result (a history line beside a finding, a subject,
// the reason why an image could not be read).
//
// The one choke point for strings of an image on their way to a report. What counts as a secret:
// facts/secrets.h, the detectors that any policy of the run knows (also of checks that did not run), and the variables
// that a check of the result found although they must `never` have a value.
// Values of six bytes or more are replaced everywhere, also percent-encoded or escaped; shorter ones only where
// they stand behind their name, since a text like "test" is in every path. Digests, fingerprints and ids stay.
// Cost: linear in the strings of the result, a microsecond for the name of a file; the documents are parsed once more.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "facts/extra_detector.h"
#include "run/result.h"
#include "source/source.h"

namespace ocilint {

/// What the documents do not show.
struct Redaction {
  std::vector<std::string> hidden;   // values that checks found (Answer::hide)
  std::vector<ExtraDetector> known;  // of the policies (policy/known_detectors.h)
};

/// Throws Error{policy} for two detectors of one id.
void redact(ImageResult& result, std::span<const Image* const> images, const Redaction& more = {});

/// The same for texts that belong to no result. The images may go; copies share what was found in them.
using RedactText = std::function<void(std::string&)>;
RedactText redactor(std::span<const Image* const> images);
/// As redact() has it, for texts beside the result; before its own are replaced.
RedactText redactor(const ImageResult& result, std::span<const Image* const> images, const Redaction& more);

}  // namespace ocilint
