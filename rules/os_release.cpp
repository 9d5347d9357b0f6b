#include <fmt/format.h>

#include <algorithm>

#include "base/version.h"
#include "check/rule.h"
#include "check/selection.h"
#include "facts/os_release.h"

namespace ocilint::rules {
namespace {

constexpr Param params[] = {
    {"id", ParamType::texts, "the ID that the file must state: debian, ubuntu, …; of a list, one of them"},
    {"version", ParamType::text, "a constraint on VERSION_ID in dotted order: '>= 12', '= 22.04'"},
};

constexpr FindingKind kinds[] = {{"id", "another operating system"},
                                 {"version", "another release"},
                                 {"missing", "the image has no os-release file"}};

constexpr Example examples[] = {{"a release that is too old", "{id: debian, version: '>= 12'}",
                                 R"(layers: [{files: {/etc/os-release: "ID=debian\nVERSION_ID=11\n"}}])",
                                 "version /etc/os-release"}};

void plan(const Params&, Plan& plan) {
  for (const std::string_view place : os_release_places) plan.content(place);
}

void check(const Params& with, const ImageView& image, Answer& answer) {
  for (const std::string_view place : os_release_places) {
    const std::optional<std::string> text = image.text_of(place);
    if (!text) continue;
    const OsRelease release = OsRelease::parse(*text);
    const auto find = [&](const char* kind, std::string message) {
      Finding finding;
      finding.kind = kind;
      finding.subject = place;
      finding.message = std::move(message);
      finding.layer = last_touched(image, image.resolve(place).path);
      answer.finding(std::move(finding));
    };
    const auto& ids = with.texts("id");
    if (!ids.empty() && std::ranges::find(ids, release.id()) == ids.end()) {
      std::string wanted;
      for (const std::string& id : ids) wanted += (wanted.empty() ? "" : " or ") + id;
      find("id", fmt::format("is {}, not {}", release.id(), wanted));
    }
    if (with.has("version")) {
      const VersionConstraint wanted = VersionConstraint::parse(with.text("version"));
      if (release.version_id().empty())
        find("version", "states no VERSION_ID; wanted is " + wanted.text());
      else if (!wanted.matches_dotted(release.version_id()))
        find("version", fmt::format("is {} {}, wanted is {}", release.id(), release.version_id(), wanted.text()));
    }
    answer.evidence(fmt::format("{} {}", release.id(), release.version_id()), image.resolve(place).path,
                    last_touched(image, image.resolve(place).path));
    return;
  }
  Finding finding;
  finding.kind = "missing";
  finding.subject = os_release_places[0];
  finding.message = "the image does not say what operating system it is";
  answer.finding(std::move(finding));
}

}  // namespace

extern const Rule os_release;
const Rule os_release{
    .doc = {.id = "os-release",
            .summary = "The image is of a stated operating system and release.",
            .details = R"(Reads /etc/os-release or, without it, /usr/lib/os-release as os-release(5) says. Versions
are compared part by part as numbers, so that 22.04 is before 22.10 and 9 before 12.)",
            .severity = Severity::error,
            .security = "none",
            .since = "0.1",
            .params = params,
            .kinds = kinds,
            .examples = examples},
    .plan = plan,
    .check = check};

}  // namespace ocilint::rules
