#include "facts/secret_table.h"

namespace ocilint::secret_table {
namespace {

using enum Detector::Kind;
using enum Confidence;
using enum Guard::Bit;

// clang-format off: a pattern is one literal, so that it can be searched for
constexpr Detector rows[] = {
    {"basic-auth-url", "a URL with a password before its host", medium, context, 0, reference | userinfo, "://",
     R"re([A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s:/@"'<>?#\\]{0,64}:([^\s"'<>/?#\\]{3,256})@[A-Za-z0-9\[][A-Za-z0-9.:\]-]{1,253})re",
     "https://ci:([A-Za-z0-9]{12,24})\\@git.invalid/group/project.git"},
    {"token-user-url", "a URL with a token before its host", medium, context, 3.2, placeholder | reference | token_user,
     "://", R"re(https?://([A-Za-z0-9_%-]{20,255})(?::(?:x-oauth-basic|x-access-token)?)?@[A-Za-z0-9.-]{3,253})re",
     "https://([A-Za-z0-9]{32,40})@git.invalid/group/project.git"},
    {"connection-string", "a password in a connection string", medium, context, 2.6,
     placeholder | reference | words | any_case, "password= pwd=",
     R"re((?i)(?:\b(?:server|host|hostname|data source|datasource|dsn|driver|addr|address)\s?=\s?[^;\n"'<>=]{1,128};(?:[^\n<>]{0,300};)?\s?(?:password|pwd)=(?:\\{0,2}"([^"\n\\]{4,128})\\{0,2}"|'([^'\n]{4,128})'|([^;"'\s<>{}$%\\][^;"'\s<>\\]{3,127}))|\b(?:password|pwd)=([^;"'\s<>{}$%\\][^;"'\s<>\\]{3,127});(?:[^\n<>]{0,300};)?\s?(?:server|host|hostname|data source|datasource|dsn|driver)\s?=\s?[^;\n"'<>=]))re",
     "Server=db.invalid,1433;Initial Catalog=app;User ID=ci;Password=([A-Za-z0-9]{14,20});Encrypt=True"},
    {"jdbc-password", "a password in the address of a database driver", medium, prefix, 2.6,
     placeholder | reference | words | any_case, "jdbc:",
     R"re((?i)jdbc:(?:oracle:[a-z]{3,5}:[^\s/@"']{1,64}/([^\s@"'/<>${]{4,64})@|[a-z:]{2,30}//[^\s"'<>]{1,300}?[?&;]password=([^\s"'&;<>$%{][^\s"'&;<>]{3,127})))re",
     "jdbc:postgresql://db.invalid:5432/app?user=ci&password=([A-Za-z0-9]{14,20})&ssl=true"},
    {"framework-key", "the key by which a web application signs", medium, context, 3.4,
     placeholder | reference | words | any_case, "secret_key app_key",
     R"re((?:\bSECRET_KEY\s{0,2}=\s{0,2}["']([^"'\s]{40,128})["']|secret_key_base["']?\s{0,2}[:=]\s{0,2}["']?([0-9a-f]{64,128})(?:[^0-9a-zA-Z]|$)|\bAPP_KEY["']?\s{0,2}[=:]\s{0,2}["']?(base64:[A-Za-z0-9+/]{43}=)))re",
     "SECRET_KEY = '([A-Za-z0-9!*^-]{50})'"},
    {"xml-password", "a password in an element or a setting of XML", medium, metadata, 2.5,
     placeholder | reference | words | any_case,
     "password> passphrase> token> secret> apikey> password\" token\" secret\" apikey\"",
     R"re((?i)(?:<[a-z0-9_.:-]{0,30}(?:password|passphrase|token|secret|apikey)>\s{0,4}([^\s<>{}$][^\s<>]{5,256})\s{0,4}</|\bkey\s?=\s?"[^"<>]{0,40}(?:password|token|secret|apikey)"\s{1,8}value\s?=\s?"([^"\s$%{][^"\s]{5,256})"))re",
     "\\<server\\>\\<password\\>([A-Za-z0-9]{14,20})\\</password\\>\\</server\\>"},
    {"url-token", "a token in the query of a URL", medium, metadata, 2.8, placeholder | reference | any_case,
     "token=", R"re((?i)[?&;](?:amp;)?(?:[a-z]{2,12}[_-])?token=([A-Za-z0-9%+/=~._-]{12,}))re",
     "https://h.invalid/a.tgz?access_token=([A-Za-z0-9]{20,40})&x=1"},
    {"auth-header", "an Authorization header", medium, metadata, 2.7, placeholder | reference | any_case,
     "authorization",
     R"re((?i)authorization["'\\]{0,3}\s{0,3}:\s{0,3}["'\\]{0,3}(?:(?:bearer|basic|token|apikey|api-token|negotiate)\s{1,3})?([A-Za-z0-9+/=_.~-]{12,}))re",
     "curl -H \"Authorization: Bearer ([A-Za-z0-9]{20,40})\" https://h.invalid/"},
    {"cli-password", "a password on a command line", medium, metadata, 2.2, placeholder | reference | words | any_case,
     "-password -passwd -token -api-key -secret -access-key sshpass",
     R"re((?i)(?:--(?:[a-z0-9]{1,12}-){0,2}(?:password|passwd|token|api-key|secret|access-key|secret-key|client-secret)(?:=|\s{1,2})["']?|sshpass\s{1,3}-p\s?["']?)([^\s"'$<{-][^\s"',)\]]{5,256}))re",
     "run --db-password=([A-Za-z0-9]{12,20}) --verbose"},
    {"login-dash-p", "a password given to a login", medium, metadata, 2.2, placeholder | reference | any_case, "login",
     R"re((?i)\blogin(?:\s[^\n|;&]{0,200}?)?\s-p[ =]?["']?([^\s"'$<{-][^\s"']{5,256}))re",
     "docker login -u ci -p ([A-Za-z0-9]{14,20}) registry.invalid"},
    {"curl-user", "a password given to curl", medium, metadata, 1.9, placeholder | reference | words | any_case, "curl",
     R"re((?i)\bcurl\b[^\n|;]{0,400}?\s(?:-[a-z]{0,4}u|--user)[ =]?["']?[^\s"'$<{:]{1,80}["']?:["']?([^\s"'$<{]{4,256}))re",
     "curl -fsSLu ci:([A-Za-z0-9]{12,20}) https://h.invalid/f"},
    {"tool-password", "a password in an option of a tool", low, metadata, 1.9,
     placeholder | reference | words | any_case, "mysql mariadb redis-cli pass:",
     R"re((?i)(?:\b(?:mysql|mariadb)[a-z-]{0,10}\s[^\n|;]{0,200}?\s-p([^\s"'$<{-][^\s"']{5,256})|\bredis-cli\s[^\n|;]{0,200}?-a[ =]["']?([^\s"'$<{-][^\s"']{5,256})|\s["']?pass:([^\s"'$<{][^\s"']{5,256})))re",
     "mysql -h db -u root -p([A-Za-z0-9]{12,16}) app"},
    {"piped-password", "a password that is piped into a tool", medium, metadata, 1.9,
     placeholder | reference | words | any_case, "chpasswd --password-stdin",
     R"re((?i)(?:echo|printf)\s{1,3}(?:-n\s{1,3})?["']?(?:[^\s:"'$|]{1,64}:([^\s"'$<{|][^\s"'|]{3,256})["']?\s{0,3}\|\s{0,3}(?:[a-z/]{1,20}\s)?chpasswd|([^\s"'$<{|][^\s"'|]{5,256})["']?\s{0,3}\|[^\n|;]{0,200}\s--password-stdin))re",
     "echo ([A-Za-z0-9]{16,20}) | docker login -u ci --password-stdin registry.invalid"},
    {"secret-header", "a header that carries a key", medium, metadata, 3.0, placeholder | reference | words | any_case,
     "key token secret",
     R"re((?i)(?:^|[^a-z0-9])(?:x-)?(?:api|auth|access|private|vault|figma|amz-security)[-_]?(?:key|token|secret)["'\\]{0,3}:\s{0,3}["'\\]{0,3}([A-Za-z0-9+/=_.~-]{16,}))re",
     "wget --header=\"X-Api-Key: ([A-Za-z0-9]{20,40})\" https://h.invalid/"},
    {"secret-variable", "a value whose name says that it is a secret", medium, metadata, 3.3,
     reference | words | named | any_case,
     "passw passphrase secret token api_key apikey api-key credential private_key privatekey private-key access_key "
     "accesskey access-key auth_key authkey auth-key",
     R"re((?i)([A-Za-z0-9_.-]{0,40}(?:passw(?:or)?d|passphrase|secret|token|api[_-]?key|credential|private[_-]?key|access[_-]?key|auth[_-]?key)[A-Za-z0-9_-]{0,20})["']?\s{0,3}(?::=|=>|[:=])\s{0,3}["']?([^\s"'`,;<>(){}\[\]$]{8,200}))re",
     "DB_PASSWORD=([A-Za-z0-9]{16,24})"},
};
// clang-format on

}  // namespace

std::span<const Detector> texts() { return rows; }

}  // namespace ocilint::secret_table
