#include "facts/secrets.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

using namespace ocilint;
using Lines = std::vector<std::string>;

namespace {

// Made here, so that the source holds nothing that looks like a credential.
const std::string secret = std::string("Kx9") + "vT2" + "qLm7Rw" + "Zp4Ds";
const std::string hex = [] {
  std::string out;
  for (unsigned i = 0, value = 7; i < 64; ++i, value = (value * 29 + 11) % 251) out += "0123456789abcdef"[value % 16];
  return out;
}();

std::string value_of(std::string_view text, const SecretHit& hit) {
  return std::string(text.substr(hit.begin, hit.end - hit.begin));
}

/// "detector name=value" of each hit.
Lines found(const std::string& text, TextForm form, const SecretQuery& query = {}) {
  Lines out;
  for (const SecretHit& hit : find_secrets(text, query, form))
    out.push_back(hit.detector + " " + hit.name + "=" + value_of(text, hit));
  return out;
}
Lines in_history(const std::string& text, const SecretQuery& query = {}) {
  return found(text, TextForm::history, query);
}
Lines in_words(const std::string& text, const SecretQuery& query = {}) { return found(text, TextForm::words, query); }

const SecretQuery never{{"SCCACHE_DOWNLOAD_URL"}, {}};
const std::string url = "https://cache.invalid/sccache-v0.8.tar.gz";

}  // namespace

TEST_CASE("secret-named variables in the histories of each builder") {
  const Lines token{"secret-variable NPM_TOKEN=" + secret};
  CHECK(in_history("/bin/sh -c #(nop)  ENV API=1 NPM_TOKEN=" + secret + " PLAIN=x y") == token);
  CHECK(in_history("/bin/sh -c #(nop)  ARG NPM_TOKEN=" + secret) == token);
  CHECK(in_history("/bin/busybox sh -c #(nop)  LABEL NPM_TOKEN=" + secret) == token);
  CHECK(in_history("cmd /S /C #(nop)  ENV NPM_TOKEN=" + secret) == token);
  CHECK(in_history("|2 NPM_TOKEN=" + secret + " SPACED=a b /bin/sh -c npm ci") == token);
  CHECK(in_history("|1 NPM_TOKEN=" + secret + " /bin/sh -c echo exec form") == token);
  CHECK(in_history("RUN |3 UNSET= NPM_TOKEN=" + secret + " X=1 /bin/sh -c npm ci # buildkit") == token);
  CHECK(in_history("RUN |1 NPM_TOKEN=" + secret + " /bin/sh -c npm ci # buildkit") == token);
  CHECK(in_history("ENV A=x y NPM_TOKEN=" + secret + " B=z") == token);
  CHECK(in_history("ARG NPM_TOKEN=" + secret) == token);
  CHECK(in_history("/bin/sh -c #(nop) ENV A=S \"NPM_TOKEN\"=\"" + secret + "\"") == token);
  CHECK(in_history("/bin/sh -c #(nop) ENV NPM_TOKEN=\"" + secret + "\" B=c|unsetLabel=true|force-mtime=10") == token);
  CHECK(in_history("|7 A=x y NPM_TOKEN=" + secret + " /bin/sh -c B=1 make") == token);
  CHECK(in_history("ENV NPM_TOKEN " + secret) == token);
  CHECK(in_history("/bin/sh -c #(nop)  ONBUILD ENV NPM_TOKEN=" + secret) == token);
}

TEST_CASE("a value with blanks ends where the next name begins") {
  const std::string words = "horse " + secret + " staple";
  CHECK(in_history("ENV DB_PASSWORD=" + words + " OTHER=1") == Lines{"secret-variable DB_PASSWORD=" + words});
  CHECK(in_history("|2 DB_PASSWORD=" + words + " OTHER=1 /bin/sh -c x") ==
        Lines{"secret-variable DB_PASSWORD=" + words});
  CHECK(in_history("|1 DB_PASSWORD=" + words + " /bin/sh -c x") == Lines{"secret-variable DB_PASSWORD=" + words});
  CHECK(in_history("/bin/sh -c #(nop) ENV \"DB_PASSWORD\"=\"" + words + "\" B=1") ==
        Lines{"secret-variable DB_PASSWORD=" + words});
}

TEST_CASE("commands, Dockerfiles and escaped lists") {
  const Lines token{"secret-variable NPM_TOKEN=" + secret};
  CHECK(in_history("RUN /bin/sh -c export NPM_TOKEN=" + secret + "; npm ci # buildkit") == token);
  CHECK(in_history("RUN /bin/sh -c NPM_TOKEN='" + secret + "' npm ci") == token);
  CHECK(in_words("FROM x\nARG \\\n  A=1 \\\n  NPM_TOKEN=" + secret + "\nRUN make") == token);
  CHECK(in_words("docker build --build-arg=NPM_TOKEN=" + secret + " .") == token);
  CHECK(in_words("cmake -DNPM_TOKEN=" + secret + " .") == token);
  CHECK(in_words("[auth]\nNPM_TOKEN = " + secret + "\n") == token);
  CHECK(in_words("NPM_TOKEN    =  \"" + secret + "\"\n") == token);
  CHECK(in_words("NPM_TOKEN := \"" + secret + "\"\n") == token);
  CHECK(in_words("array('NPM_TOKEN' => '" + secret + "')") == token);
  CHECK(in_words("{'NPM_TOKEN'=>'" + secret + "'}") == token);
  CHECK(in_words("if NPM_TOKEN == \"" + secret + "\"").empty());
  CHECK(in_history("RUN /bin/sh -c test \"$NPM_TOKEN\" = " + secret).empty());
  CHECK(in_words("{\"NPM_TOKEN\": \"" + secret + "\"}") == token);
  CHECK(in_history("/bin/sh -c #(nop)  CMD [\"sh\" \"-c\" \"run --password=" + secret + "\"]") ==
        Lines{"cli-password password=" + secret});
  CHECK(in_history("/bin/sh -c #(nop)  HEALTHCHECK &{[\"CMD-SHELL\" \"wget --header \\\"Authorization: Bearer " +
                   secret + "\\\" http://h\"] \"0s\"}") == Lines{"auth-header =" + secret});
}

TEST_CASE("URLs with a password, a token or a signature") {
  CHECK(in_history("ADD https://ci:" + secret + "@h.invalid/a /a # buildkit") == Lines{"basic-auth-url =" + secret});
  CHECK(in_history("|1 HTTP_PROXY=http://u:" + secret + "@h:3128 /bin/sh -c x") ==
        Lines{"basic-auth-url HTTP_PROXY=" + secret});
  CHECK(in_words("redis://:" + secret + "@r.invalid:6379/0") == Lines{"basic-auth-url =" + secret});
  CHECK(in_words("https://ci:p@" + secret + "@h.invalid/") == Lines{"basic-auth-url =p@" + secret});
  CHECK(in_words("https://" + secret + secret + "@git.invalid/r.git") == Lines{"token-user-url =" + secret + secret});
  CHECK(in_words("https://h/a?X-Amz-Signature=" + hex) == Lines{"presigned-aws =" + hex});
  CHECK(in_words("https://h/a?se=1\\u0026sig=" + hex + "\\u0026x=1") == Lines{"azure-sas-url =" + hex});
  CHECK(in_words("https://h/a?x=1&access_token=" + secret + "&y") == Lines{"url-token =" + secret});
}

TEST_CASE("what stands where a value would is no hit") {
  for (const std::string text : {"ARG NPM_TOKEN",
                                 "ENV NPM_TOKEN=",
                                 "RUN |2 NPM_TOKEN= B= /bin/sh -c make # buildkit",
                                 "ENV NPM_TOKEN=${OTHER}",
                                 "RUN /bin/sh -c TOKEN=$(cat /run/secrets/token) npm ci",
                                 "ENV DB_PASSWORD_FILE=/run/secrets/db",
                                 "|1 A=1 /bin/sh -c --mount=type=secret,id=token cat /run/secrets/token",
                                 "ENV API_TOKEN=changeme-please",
                                 "/bin/sh -c #(nop) ARG HTTP_PROXY NPM_TOKEN WITH_DEFAULT",
                                 "ENV TOKEN=xxxxxxxxxxxx",
                                 "ENV SECRET=********",
                                 "ENV AUTH=disabled",
                                 "ENV PRIMARY_KEY=users_by_name_4711",
                                 "ENV TOKEN_URL=https://h.invalid/oauth/token",
                                 "CLIENT_SECRET = settings.GITHUB_API_SECRET",
                                 "DB_PASSWORD=os.environ['DATABASE_PASSWORD_1']",
                                 "Host=db.invalid;Pwd=getPassword();",
                                 "Host=db.invalid;Pwd=DB_PASSWORD;",
                                 "LABEL repo=https://xxxxx:xxxxx@git.invalid/r.git",
                                 "LABEL repo=https://user:pass@git.invalid/r.git",
                                 "RUN git clone https://bot:${TOKEN}@git.invalid/r",
                                 "LABEL doc=https://bot:hunter22@example.com/r",
                                 "ENV SCCACHE_BUCKET=builds SCCACHE_REGION=eu-1 SCCACHE_S3_NO_CREDENTIALS=false",
                                 "ENV AUTH_METHOD=certificates",
                                 "RUN sshd -h git@git.invalid:group/project.git",
                                 "ENV X_SECRET=sha512-Zm9vYmFyYmF6"}) {
    INFO(text);
    CHECK(in_history(text).empty());
    CHECK(in_words(text).empty());
  }
  CHECK(in_history("ENV GPG_KEY=" + hex.substr(0, 40) + " SOURCE_SHA256=" + hex).empty());
  CHECK(in_history("/bin/sh -c #(nop) COPY file:" + hex + " in /dst ").empty());
  CHECK(in_history("|1 SCCACHE_DOWNLOAD_URL=" + url + " /bin/sh -c make").empty());
}

TEST_CASE("never: any value, in every spelling") {
  const Lines hit{"never SCCACHE_DOWNLOAD_URL=" + url};
  for (const std::string& text :
       {"/bin/sh -c #(nop)  ENV SCCACHE_DOWNLOAD_URL=" + url, "/bin/sh -c #(nop)  ARG SCCACHE_DOWNLOAD_URL=" + url,
        "/bin/sh -c #(nop)  LABEL SCCACHE_DOWNLOAD_URL=" + url, "|1 SCCACHE_DOWNLOAD_URL=" + url + " /bin/sh -c make",
        "ENV SCCACHE_DOWNLOAD_URL=" + url, "ARG SCCACHE_DOWNLOAD_URL=" + url,
        "RUN |2 SCCACHE_DOWNLOAD_URL=" + url + " B= /bin/sh -c make # buildkit",
        "RUN /bin/sh -c curl -o s ${SCCACHE_DOWNLOAD_URL:-" + url + "} # buildkit",
        "/bin/sh -c #(nop) ENV \"SCCACHE_DOWNLOAD_URL\"=\"" + url + "\"",
        "RUN /bin/sh -c export SCCACHE_DOWNLOAD_URL=" + url + " && make"}) {
    INFO(text);
    CHECK(in_history(text, never) == hit);
  }
  CHECK(in_history("ENV sccache_download_url=x", never) == Lines{"never sccache_download_url=x"});
  CHECK(in_words("{\"SCCACHE_DOWNLOAD_URL\":\"" + url + "\"}", never) == hit);
  CHECK(in_history("ARG SCCACHE_DOWNLOAD_URL", never).empty());
  CHECK(in_history("RUN |1 SCCACHE_DOWNLOAD_URL= /bin/sh -c make # buildkit", never).empty());
  CHECK(in_history("RUN /bin/sh -c curl \"${SCCACHE_DOWNLOAD_URL}\"", never).empty());
  CHECK(in_history("RUN /bin/sh -c URL=$X SCCACHE_DOWNLOAD_URL=$X make", never).empty());
}

TEST_CASE("never covers what else is found in the value; allow silences, but not never") {
  const std::string leaky = "https://ci:" + secret + "@h.invalid/s";
  CHECK(in_history("ENV SCCACHE_DOWNLOAD_URL=" + leaky, never) == Lines{"never SCCACHE_DOWNLOAD_URL=" + leaky});
  CHECK(in_history("ENV TOKEN=" + secret, {{}, {"token"}}).empty());
  CHECK(in_history("ENV SRC=" + leaky, {{}, {"SRC"}}).empty());
  CHECK(in_history("ENV TOKEN=" + secret, {{"TOKEN"}, {"TOKEN"}}) == Lines{"never TOKEN=" + secret});
}

TEST_CASE("exact values: nothing ends them, and attestations name build arguments") {
  const auto hits = [](const std::string& name, const std::string& value, const SecretQuery& query = {}) {
    Lines out;
    for (const SecretHit& hit : find_secrets_in_value(name, value, query))
      out.push_back(hit.detector + " " + hit.name + "=" + value_of(value, hit));
    return out;
  };
  const std::string odd = secret + " B=c \"x\" ";
  CHECK(hits("DB_PASSWORD", odd) == Lines{"secret-variable DB_PASSWORD=" + odd});
  CHECK(hits("build-arg:NPM_TOKEN", secret) == Lines{"secret-variable NPM_TOKEN=" + secret});
  CHECK(hits("build-arg:SCCACHE_DOWNLOAD_URL", "$X", never) == Lines{"never SCCACHE_DOWNLOAD_URL=$X"});
  CHECK(hits("vcs:source", "https://b:" + secret + "@h.invalid/r") == Lines{"basic-auth-url source=" + secret});
  CHECK(hits("PATH", "/usr/bin:/bin").empty());
  CHECK(hits("NPM_TOKEN", "").empty());
}

TEST_CASE("hits are sorted and disjoint, and masked() leaves nothing of them") {
  const std::string text = "ENV A_TOKEN=" + secret + " B=https://x:" + secret + "@h.invalid/?access_token=" + secret;
  const std::vector<SecretHit> hits = find_secrets(text, {}, TextForm::history);
  REQUIRE(hits.size() == 3);
  for (std::size_t i = 1; i < hits.size(); ++i) CHECK(hits[i - 1].end <= hits[i].begin);
  const std::string shown = masked(text, hits);
  CHECK(shown.find(secret) == std::string::npos);
  CHECK(shown == "ENV A_TOKEN=" + secret_mark(secret.size()) + " B=https://x:" + secret_mark(secret.size()) +
                     "@h.invalid/?access_token=" + secret_mark(secret.size()));
}

TEST_CASE("long hostile texts take linear time") {
  std::string assignments, openings, quotes, blanks = "ENV ";
  for (int i = 0; i < 60'000; ++i) {
    assignments += "token=";
    openings += "${A:-";
    quotes += "a='b=\"";
    blanks += "A= ";
  }
  for (const std::string& text : {assignments, openings, quotes, blanks, "|99999999 " + blanks})
    CHECK(find_secrets(text, never, TextForm::history).size() < text.size());
}
