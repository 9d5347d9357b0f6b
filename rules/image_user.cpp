#include <fmt/format.h>

#include <algorithm>

#include "check/rule.h"
#include "facts/passwd.h"

namespace ocilint::rules {
namespace {

constexpr Param params[] = {
    {"not", ParamType::texts, "users that the image must not run as: names or numbers, each means the user"},
    {"is", ParamType::texts, "users that it may run as"},
};

constexpr FindingKind kinds[] = {{"user", "the image runs as another user than the policy wants"}};

constexpr Example examples[] = {
    {"no user means root", "{not: [root]}", "layers: [{files: {/etc/passwd: \"root:x:0:0::/:/bin/sh\\n\"}}]",
     "user root"},
    {"another name for user 0 is root too", "{not: [root]}",
     "{config: {user: toor}, layers: [{files: {/etc/passwd: \"root:x:0:0::/:/bin/sh\\ntoor:x:0:0::/:/bin/sh\\n\"}}]}",
     "user toor"}};

void plan(const Params&, Plan& plan) { plan.content("/etc/passwd"); }

/// The number behind a name or number; nullopt when the image's passwd does not know the name.
std::optional<std::uint32_t> uid_of(std::string_view user, const Passwd& passwd) {
  if (user.empty()) return 0;
  if (const auto id = parse_id(user)) return id;
  if (const PasswdEntry* const entry = passwd.find(user)) return entry->uid;
  if (user == "root") return 0;
  return std::nullopt;
}

void check(const Params& with, const ImageView& image, Answer& answer) {
  const std::string& configured = image.config().user;
  const std::string user = configured.substr(0, configured.find(':'));
  if (with.texts("not").empty() && with.texts("is").empty()) {
    answer.could_not("neither not nor is is stated");
    return;
  }
  const Passwd passwd = Passwd::parse(image.text_of("/etc/passwd").value_or(""));
  // Engines read lines that are none: with "app:x:0" first they run app as root, whatever a later line says.
  if (!passwd.malformed.empty() && !user.empty() && !parse_id(user)) {
    answer.could_not(fmt::format("who '{}' is: /etc/passwd: {}", user, passwd.malformed.front()));
    return;
  }
  const auto uid = uid_of(user, passwd);
  if (!uid) {
    answer.could_not("the image runs as '" + user + "', which its /etc/passwd does not know");
    return;
  }
  const std::string shown = user.empty() ? "root" : user;
  const auto same = [&](const std::string& name) { return uid_of(name, passwd) == uid; };
  const auto& denied = with.texts("not");
  const auto& allowed = with.texts("is");
  const bool bad = std::ranges::any_of(denied, same) || (!allowed.empty() && std::ranges::none_of(allowed, same));
  if (bad) {
    Finding finding;
    finding.kind = "user";
    finding.subject = shown;
    finding.message = user.empty() ? "no USER is set, so it runs as root (0)"
                                   : fmt::format("runs as {}, which is user {}", user, *uid);
    finding.remedy = "set USER in the last stage of the Dockerfile";
    answer.finding(std::move(finding));
  }
  answer.evidence(fmt::format("runs as {} ({})", shown, *uid));
}

}  // namespace

extern const Rule image_user;
const Rule image_user{
    .doc = {.id = "image-user",
            .summary = "The image runs as an allowed user.",
            .details = R"(Compares users, not spellings: the configured user is looked up in the image's own
/etc/passwd, so that a second name for user 0, or `0`, or no USER at all, are all root. A name that the image does
not know makes the check an error.)",
            .severity = Severity::error,
            .security = "5.0",
            .since = "0.1",
            .params = params,
            .kinds = kinds,
            .examples = examples},
    .plan = plan,
    .check = check};

}  // namespace ocilint::rules
