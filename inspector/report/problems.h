// What of a result somebody has to act on, worst first: the list that sarif, github, gitlab and markdown share.
//
// What could not be checked is a problem like any other: a viewer that is shown an empty list says "all is well".
// Texts are raw bytes of the image and of policies; each format escapes them. A Problem points into the result
// it was made from. Pure; linear in the findings.
#pragma once

#include <string>
#include <vector>

#include "report/report.h"

namespace ocilint {

struct Problem {
  enum class Kind : std::uint8_t { unreadable, untrusted, not_evaluated, finding, stale_waiver };

  Kind kind = Kind::finding;
  Severity severity = Severity::error;
  const CheckResult* check = nullptr;      // null: of the run
  const ReportedFinding* found = nullptr;  // of a finding
  std::string id;                          // policy/check, or ocilint/… for the run: stable over runs
  std::string text;                        // "split: /opt/lib/libx.so.1: same bytes, but a separate file"
  std::vector<std::string> more;           // details, layer, what to do; a line each
  std::string fingerprint;                 // of policy, check, kind and subject, with a count: alone in its image
  std::string file;                        // relative to the repository
  std::uint32_t line = 1;
};

/// Waived findings and those of the baseline only when asked for.
std::vector<Problem> problems_of(const ImageResult& result, const ReportStyle& style, bool with_waived = false,
                                 bool with_known = false);

/// Of each image that it was compared with, "base: oci:image:tag@sha256:… linux/amd64".
std::vector<std::string> compared_with(const ImageResult& result);

/// "2 findings of baseline.txt are gone: …; …", "" when there are none.
std::string fixed_line(const ReportStyle& style);

/// The place that viewers of a repository are shown: --anchor, or the check's line in its policy file, below
/// the folder of the run. Never absolute, never empty, never with a scheme or "..".
std::string repository_path(std::string_view file, const ReportStyle& style);

/// The reference without transport, tag and digest: the same for every tag of an image.
std::string image_name(const ImageResult& result);

/// Names for the images of one report that differ from each other: image_name(), with the reference or the
/// platform where that says too little.
std::vector<std::string> distinct_names(std::span<const ImageResult> results);

/// "oci:image:tag@sha256:…"
std::string pinned_reference(const ImageResult& result);

/// "4 images: 1 pass, 1 fail, 2 unreadable"
std::string count_images(std::span<const ImageResult> results, Severity fail_on);

/// "9 checks: 5 passed, 2 failed, 1 not applicable, 1 could not be evaluated; 3 findings; 2 waived"
std::string count_line(const ImageResult& result, Severity fail_on);

}  // namespace ocilint
