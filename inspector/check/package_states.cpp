#include "check/package_states.h"

#include <fmt/format.h>

#include <algorithm>

#include "check/selection.h"

namespace ocilint {
namespace {

constexpr std::size_t shown = 5;  // notes of a package's lists that are shown

void report_unverifiable(const ImageView& image, const Package& of, std::size_t files, Answer& answer) {
  Finding out;
  out.kind = "unverifiable";
  out.subject = of.name();
  if (of.refused_lines > 0 && !of.digests.empty())
    out.message = fmt::format("{} files of {} are not covered: {} lines of its lists were refused", files, of.title(),
                              of.refused_lines);
  else
    out.message = fmt::format("{} recorded no digests: its files cannot be compared", of.title());
  out.details.push_back(of.has_digest_file ? of.digests_path : of.digests_path + " is not there");
  for (std::size_t i = 0; i < std::min(shown, of.notes.size()); ++i) out.details.push_back(of.notes[i]);
  if (!of.has_digest_file) out.layer = last_touched(image, of.digests_path);
  out.severity = Severity::note;
  answer.finding(std::move(out));
}

}  // namespace

void report_package_states(const ImageView& image, const PackageDb& db,
                           const std::map<std::uint32_t, std::size_t>& unverifiable,
                           const std::set<std::uint32_t>& unusable, Answer& answer) {
  for (std::uint32_t i = 0; i < db.packages().size(); ++i) {
    const Package& of = db.packages()[i];
    // Without a list nothing says which files it has; with one, only a selected file makes it matter.
    if (!of.unusable.empty() && (of.listed.empty() || unusable.contains(i)))
      answer.could_not(fmt::format("{}: its files cannot be compared: {}", of.title(), of.unusable));
    if (const auto hit = unverifiable.find(i); hit != unverifiable.end())
      report_unverifiable(image, of, hit->second, answer);
    if (of.distroless && !of.has_digest_file && of.unusable.empty()) report_unverifiable(image, of, 0, answer);
    if (of.control.state == DpkgState::half_installed || of.control.state == DpkgState::unpacked ||
        of.control.state == DpkgState::half_configured) {
      Finding out;
      out.kind = "not-configured";
      out.subject = of.name();
      out.message = fmt::format("{} is {}: dpkg did not finish with it", of.title(), to_string(of.control.state));
      out.details.push_back("status: " + of.control.status_text());
      if (!of.list_path.empty()) out.layer = last_touched(image, of.list_path);
      out.remedy = "run dpkg --configure -a, or reinstall it, in the step that unpacked it";
      out.severity = Severity::warning;
      answer.finding(std::move(out));
    }
  }
  for (const std::string& path : db.journal()) {
    Finding out;
    out.kind = "interrupted";
    out.subject = path;
    out.message = "a journal of dpkg that was never merged: the step ended in the middle of dpkg's work";
    out.layer = last_touched(image, path);
    out.remedy = "run dpkg --configure -a in the step that was interrupted";
    out.severity = Severity::warning;
    answer.finding(std::move(out));
  }
}

}  // namespace ocilint
