// Report formats: each writes the results of a run as text. One file a format; the table is all there is to
// know about them. Writers are pure: they print nothing, and look at nothing but the results.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "run/result.h"
#include "run/verdict.h"

namespace ocilint {

/// The baseline that findings of the run were compared with.
struct BaselineUse {
  std::string file;
  std::vector<std::string> fixed;  // fingerprints that no image has any more; none where that cannot be told
};

struct ReportStyle {
  bool color = false;
  std::size_t width = 100;  // columns, for text
  Severity fail_on = Severity::error;
  bool stats = false;
  std::string anchor_file = {};  // where viewers of a repository are led instead of to the policy
  std::uint32_t anchor_line = 1;
  std::string folder = {};        // of the run, absolute: files below it are named relative to it
  bool sarif_suppressed = false;  // waived findings too, as suppressed ones
  std::optional<BaselineUse> baseline = {};
};

struct Format {
  std::string_view name;
  std::string_view summary;
  std::string (*write)(std::span<const ImageResult> results, const ReportStyle& style);
  bool draws = false;  // from ImageResult::survey too
};

std::span<const Format> formats();
const Format* find_format(std::string_view name);

std::string write_text(std::span<const ImageResult> results, const ReportStyle& style);
std::string write_json(std::span<const ImageResult> results, const ReportStyle& style);
std::string write_sarif(std::span<const ImageResult> results, const ReportStyle& style);
std::string write_junit(std::span<const ImageResult> results, const ReportStyle& style);
std::string write_github(std::span<const ImageResult> results, const ReportStyle& style);
std::string write_gitlab(std::span<const ImageResult> results, const ReportStyle& style);
std::string write_markdown(std::span<const ImageResult> results, const ReportStyle& style);

std::string write_html(std::span<const ImageResult> results, const ReportStyle& style);

std::string_view to_string(ExitStatus status);

/// "19.4 GiB"
std::string human_bytes(std::uint64_t bytes);

}  // namespace ocilint
