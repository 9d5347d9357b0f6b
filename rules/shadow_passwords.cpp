#include <fmt/format.h>

#include "check/rule.h"
#include "check/selection.h"
#include "facts/passwd.h"

namespace ocilint::rules {
namespace {

constexpr FindingKind kinds[] = {
    {"empty", "an account that asks for no password"},
    {"hash", "a password hash is published with the image"},
};

constexpr Example examples[] = {
    {"an account without a password", "{}",
     R"(layers: [{files: {/etc/passwd: "a:x:1:1::/:/bin/sh\n", /etc/shadow: "a::1::::::\n"}}])", "empty a"},
    {"locked accounts", "{}",
     R"(layers: [{files: {/etc/passwd: "a:x:1:1::/:/bin/sh\n", /etc/shadow: "a:*:1::::::\n"}}])", "pass"}};

void plan(const Params&, Plan& plan) {
  plan.content("/etc/passwd");
  plan.content("/etc/shadow");
}

class Inspection {
 public:
  Inspection(const ImageView& image, Answer& answer) : image_(image), answer_(answer) {}

  void account(std::string_view file, const std::string& name, const Password& password) {
    ++accounts_;
    if (password.kind == PasswordKind::empty)
      find(file, name, "empty", "asks for no password", "lock it: usermod -L, or a * in the password field");
    if (password.kind == PasswordKind::hash || password.hash_behind_lock)
      find(file, name, "hash",
           fmt::format("a {} password hash stands in the image for everybody who can pull it", password.scheme),
           "lock the account in the image and set the password at deployment");
  }

  void malformed(std::string_view file, const Notes& lines) {
    for (const std::string& line : lines) answer_.could_not(std::string(file) + ": " + line);
  }

  std::size_t accounts() const { return accounts_; }

 private:
  void find(std::string_view file, const std::string& name, const char* kind, std::string message, const char* remedy) {
    Finding finding;
    finding.kind = kind;
    finding.subject = name;
    finding.message = std::move(message);
    finding.details.push_back("in " + std::string(file));
    finding.layer = last_touched(image_, file);
    finding.remedy = remedy;
    answer_.finding(std::move(finding));
  }

  const ImageView& image_;
  Answer& answer_;
  std::size_t accounts_ = 0;
};

void check(const Params&, const ImageView& image, Answer& answer) {
  const auto passwd_text = image.text_of("/etc/passwd");
  const auto shadow_text = image.text_of("/etc/shadow");
  if (!passwd_text && !shadow_text) {
    answer.evidence("the image has neither /etc/passwd nor /etc/shadow: there is no account to log in to");
    return;
  }
  Inspection inspection(image, answer);
  if (passwd_text) {
    const Passwd passwd = Passwd::parse(*passwd_text);
    inspection.malformed("/etc/passwd", passwd.malformed);
    for (const PasswdEntry& entry : passwd.entries)
      if (entry.password.kind != PasswordKind::shadowed) inspection.account("/etc/passwd", entry.name, entry.password);
  }
  if (shadow_text) {
    const Shadow shadow = Shadow::parse(*shadow_text);
    inspection.malformed("/etc/shadow", shadow.malformed);
    for (const ShadowEntry& entry : shadow.entries) inspection.account("/etc/shadow", entry.name, entry.password);
  }
  answer.evidence(fmt::format("{} password fields were looked at", inspection.accounts()));
}

}  // namespace

extern const Rule shadow_passwords;
const Rule shadow_passwords{
    .doc = {.id = "shadow-passwords",
            .summary = "No account has an empty password, and no password hash is published.",
            .details = R"(Reads /etc/shadow and the password fields of /etc/passwd. Locked fields (`*`, `!`) are
fine; a hash behind a lock is reported, since unlocking brings it back. A line that is no account makes the check
an error. Values are never shown.)",
            .severity = Severity::error,
            .security = "8.0",
            .since = "0.1",
            .params = {},
            .kinds = kinds,
            .examples = examples},
    .plan = plan,
    .check = check};

}  // namespace ocilint::rules
