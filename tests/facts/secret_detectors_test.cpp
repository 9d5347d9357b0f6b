#include "facts/secret_detectors.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>
#include <string>

#include "base/error.h"
#include "facts/secret_example.h"

using namespace ocilint;

namespace {

constexpr std::string_view alnum = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// Are these bytes of the text found by that detector?
bool found(const DetectorSet& set, const std::string& text, SecretScope scope, std::string_view id, std::size_t begin,
           std::size_t end) {
  const auto hits = set.scan(text, scope);
  return std::ranges::any_of(
      hits, [&](const ShapeHit& hit) { return hit.detector->id == id && hit.begin == begin && hit.end == end; });
}

bool finds(const std::string& text, SecretScope scope, std::string_view id) {
  const auto hits = DetectorSet::standard().scan(text, scope);
  return std::ranges::any_of(hits, [&](const ShapeHit& hit) { return hit.detector->id == id; });
}

SecretScope widest(const Detector& detector) {
  return (detector.guards & Guard::named) != 0 ? SecretScope::credential_file : SecretScope::document;
}

/// The detectors' examples and other forms of the same tokens.
std::vector<std::pair<std::string_view, std::string_view>> forms() {
  std::vector<std::pair<std::string_view, std::string_view>> out;
  for (const Detector& detector : secret_detectors()) out.emplace_back(detector.id, detector.example);
  const std::pair<std::string_view, std::string_view> more[] = {
      {"aws-access-key-id", "(ASIA[A-Z2-7]{16})"},
      {"aws-secret-access-key", "\"SecretAccessKey\": \"([A-Za-z0-9/+]{40})\""},
      {"aws-secret-access-key", "AWS_SECRET_ACCESS_KEY: ([A-Za-z0-9/+]{40})"},
      {"aws-session-token", "(FwoGZXIvYXdz[A-Za-z0-9/+]{200}==)"},
      {"gitlab-token", "(glrt-[A-Za-z0-9_-]{20})"},
      {"gitlab-token", "corp(glpat-[A-Za-z0-9_-]{20})"},
      {"github-token", "(gho_[A-Za-z0-9]{36})"},
      {"github-token", "(ghu_[A-Za-z0-9]{36})"},
      {"github-app-token", "(ghs_[A-Za-z0-9]{36})"},
      {"github-token", "x\\\\n(ghp_[A-Za-z0-9]{36})\\\\n"},
      {"connection-string", "Data Source=db.invalid;Pwd=\"([A-Za-z0-9;]{14,20})\";"},
      {"connection-string", "Host=db.invalid;Username=ci;Password='([A-Za-z0-9;]{14,20})'"},
      {"connection-string", "\"Db\": \"Uid=ci;Pwd=([A-Za-z0-9]{14,20});Server=tcp:db.invalid,1433;\""},
      {"connection-string", "x=\\\"Server=db.invalid;Password=([A-Za-z0-9#!]{14,20})\\\""},
      {"jdbc-password", "jdbc:oracle:thin:ci/([A-Za-z0-9]{14,20})\\@//db.invalid:1521/app"},
      {"xml-password", "\\<add key=\"ClearTextPassword\" value=\"([A-Za-z0-9]{14,20})\" /\\>"},
      {"jwt", "(eyJ[A-Za-z0-9_-]{60}.[A-Za-z0-9_-]{86}.[A-Za-z0-9_-]{16}.[A-Za-z0-9_-]{200}.[A-Za-z0-9_-]{22})"},
      {"jwt", "(eyJ[A-Za-z0-9_-]{33}..[A-Za-z0-9_-]{16}.[A-Za-z0-9_-]{200}.[A-Za-z0-9_-]{22})"},
      {"framework-key", "APP_KEY=(base64:[A-Za-z0-9+/]{43}=)"},
      {"framework-key", "  secret_key_base: ([0-9a-f]{128})"},
      {"square-key", "(sq0atp-[A-Za-z0-9_-]{22})"},
      {"slack-token", "(xoxp-[0-9]{12}-[0-9]{12}-[0-9]{12}-[a-f0-9]{32})"},
      {"slack-token", "(xoxe.xoxp-1-[A-Za-z0-9]{166})"},
      {"slack-token", "(xapp-1-A[A-Z0-9]{10}-[0-9]{13}-[0-9a-f]{64})"},
      {"slack-token", "(xoxd-[A-Za-z0-9%]{140})"},
      {"slack-webhook", "(hooks.slack.com/workflows/T[A-Z0-9]{8}/A[A-Z0-9]{8}/[0-9]{18}/[A-Za-z0-9]{24})"},
      {"stripe-key", "(rk_live_[A-Za-z0-9]{24})"},
      {"stripe-key", "(whsec_[A-Za-z0-9]{32})"},
      {"twilio-key", "twilio_api_key: '(SK[0-9a-f]{32})'"},
      {"mailgun-key", "mailgun.api-key = \"([0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8})\""},
      {"npmrc-auth", "//h.invalid/npm/:_password=([A-Za-z0-9]{24}==)"},
      {"dockerhub-token", "(dckr_oat_[A-Za-z0-9_-]{32})"},
      {"jfrog-token", "(cmVmdGtuO[A-Za-z0-9]{54})"},
      {"openai-key", "(sk-[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20})"},
      {"llm-vendor-keys", "(r8_[A-Za-z0-9]{37})"},
      {"llm-vendor-keys", "(xai-[A-Za-z0-9]{80})"},
      {"llm-vendor-keys", "(pplx-[A-Za-z0-9]{48})"},
      {"llm-vendor-keys", "(sk-or-v1-[0-9a-f]{64})"},
      {"llm-vendor-keys", "(nvapi-[A-Za-z0-9_-]{63}x)"},
      {"llm-vendor-keys", "(pcsk_[A-Za-z0-9_]{70}x)"},
      {"wandb-key", "wandb login: (wandb_v1_[A-Za-z0-9]{70})"},
      {"datadog-key", "datadog_app_key: \"([0-9a-f]{40})\""},
      {"sentry-token", "(sntrys_eyJ[A-Za-z0-9+/]{90})"},
      {"grafana-token", "(glc_eyJ[A-Za-z0-9+/]{90})"},
      {"flyio-token", "(fm2_[A-Za-z0-9+/]{120})"},
      {"vault-token", "(hvb.[A-Za-z0-9_-]{140})"},
      {"digitalocean-token", "(doo_v1_[0-9a-f]{64})"},
      {"atlassian-token", "(ATBB[A-Za-z0-9]{32})"},
      {"atlassian-token", "(ATCTT3xFfG[A-Za-z0-9_-]{160}=[0-9A-F]{8})"},
      {"discord-webhook", "(discordapp.com/api/webhooks/[1-9][0-9]{17}/[A-Za-z0-9_-]{68})"},
      {"misc-saas", "(dp.pt.[A-Za-z0-9]{43})"},
      {"misc-saas", "(PMAK-[0-9a-f]{24}-[0-9a-f]{34})"},
      {"misc-saas", "(tskey-auth-[A-Za-z0-9]{12}-[A-Za-z0-9]{32})"},
      {"misc-saas", "(sbp_[0-9a-f]{40})"},
      {"misc-saas", "(ntn_[A-Za-z0-9]{46})"},
      {"misc-saas", "(figd_[A-Za-z0-9]{40})"},
      {"misc-saas", "(EZAK[A-Za-z0-9]{54})"},
      {"misc-saas", "(shippo_live_[0-9a-f]{40})"},
      {"pem-private-key",
       "-----BEGIN OPENSSH PRIVATE KEY-----\n(b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMw[A-Za-z0-9+/]"
       "{8}\n[A-Za-z0-9+/]{70}\n)-----END OPENSSH PRIVATE KEY-----"},
      {"pem-private-key",
       "-----BEGIN RSA PRIVATE KEY-----\n(Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,[0-9A-F]{32}\n\n"
       "[A-Za-z0-9+/]{64}\n[A-Za-z0-9+/]{64}\n)-----END RSA PRIVATE KEY-----"},
      {"pem-private-key",
       "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n(lQOY[A-Za-z0-9+/]{60}\n[A-Za-z0-9+/]{64}\n=[A-Za-z0-9]{4}\n)"
       "-----END PGP PRIVATE KEY BLOCK-----"},
      {"pem-private-key",
       "-----BEGIN EC PRIVATE KEY-----\\\\n(MHcC[A-Za-z0-9+/]{60}\\\\n[A-Za-z0-9+/]{64}\\\\n)-----END"},
      {"presigned-aws",
       "https://d.cloudfront.net/f?Expires=1&Signature=([A-Za-z0-9~-]{342})&Key-Pair-Id=APK[A-Z0-9]{17}"},
      {"presigned-aws",
       "https://b.s3.amazonaws.com/k?AWSAccessKeyId=ASI[A-Z0-9]{9}&Expires=1&Signature=([A-Za-z0-9]{27}%3D)"},
      {"presigned-gcs",
       "https://storage.googleapis.com/b?GoogleAccessId=a@b.invalid&Expires=1&Signature=([A-Za-z0-9%]{340})"},
      {"shadow-hash", "('$y$j9T$[A-Za-z0-9./]{22}$[A-Za-z0-9./]{43})'"},
      {"basic-auth-url", "redis://:([A-Za-z0-9]{16})\\@cache.invalid:6379/0"},
      {"basic-auth-url", "postgresql://app:([A-Za-z0-9!*_-]{16})\\@db.invalid/app?sslmode=require"},
      {"token-user-url", "https://([A-Za-z0-9]{40}):x-oauth-basic@git.invalid/r.git"},
      {"auth-header", "\\\"authorization\\\": \\\"Basic ([A-Za-z0-9+/]{30}==)\\\""},
      {"cli-password", "mysqldump --password ([A-Za-z0-9]{12})"},
      {"cli-password", "sshpass -p ([A-Za-z0-9]{12}) ssh h.invalid"},
      {"cli-password", "az login --client-secret='([A-Za-z0-9~.]{34})'"},
      {"login-dash-p", "podman login -p ([A-Za-z0-9]{14}) -u ci r.invalid"},
      {"curl-user", "curl --user 'ci:([A-Za-z0-9]{12})' -O https://h.invalid/f"},
      {"tool-password", "mysqldump --single-transaction -p([A-Za-z0-9]{12}) app"},
      {"tool-password", "redis-cli -h r -a ([A-Za-z0-9]{16}) ping"},
      {"tool-password", "openssl pkcs12 -passout pass:([A-Za-z0-9]{12}) -in c.pem"},
      {"piped-password", "echo 'root:([A-Za-z0-9]{12})' | chpasswd"},
      {"secret-header", "-H 'PRIVATE-TOKEN: ([A-Za-z0-9_-]{24})'"},
      {"git-extraheader",
       "git config http.https://git.invalid/.extraheader \"AUTHORIZATION: basic (<x-access-token:[A-Za-z0-9]{40}>)\""},
  };
  out.insert(out.end(), std::begin(more), std::end(more));
  return out;
}

/// What `( )` marked, without a quote that only the template needs there.
SecretExample marked(std::string_view form, ExampleRandom& random) {
  SecretExample made = make_example(form, random);
  if (made.text[made.begin] == '\'') ++made.begin;
  return made;
}

}  // namespace

TEST_CASE("the table of detectors: ids are single, every row has keywords and an example") {
  std::set<std::string_view> ids;
  for (const Detector& detector : secret_detectors()) {
    INFO(detector.id);
    CHECK(ids.insert(detector.id).second);
    CHECK_FALSE(detector.what.empty());
    CHECK_FALSE(detector.keywords.empty());
    CHECK_FALSE(detector.example.empty());
  }
  CHECK(ids.size() >= 77);
  for (const Keyword& keyword : DetectorSet::standard().keywords()) {
    INFO(keyword.text);
    CHECK(keyword.text.size() >= shortest_keyword);
    if (keyword.any_case) CHECK(std::ranges::none_of(keyword.text, [](char c) { return c >= 'A' && c <= 'Z'; }));
  }
}

TEST_CASE("every detector finds what it is for, all of the value and nothing more") {
  const DetectorSet& set = DetectorSet::standard();
  std::uint64_t seed = 1;
  for (const auto& [id, form] : forms()) {
    const Detector* const detector = set.find(id);
    REQUIRE(detector != nullptr);
    std::size_t missed = 0;
    for (int round = 0; round < 40; ++round) {
      ExampleRandom random(seed++);
      const SecretExample made = marked(form, random);
      // A line that is part of a text, and the text alone.
      const std::string before = "first line\n", inside = before + made.text + "\nlast line";
      missed += !found(set, made.text, widest(*detector), id, made.begin, made.end);
      missed += !found(set, inside, widest(*detector), id, before.size() + made.begin, before.size() + made.end);
    }
    INFO(id << " as " << form);
    CHECK(missed == 0);
  }
}

TEST_CASE("a prefilter that finds the keywords gets the same hits from verify") {
  const DetectorSet& set = DetectorSet::standard();
  std::uint64_t seed = 5000;
  for (const auto& [id, form] : forms()) {
    const Detector* const detector = set.find(id);
    ExampleRandom random(seed++);
    const SecretExample made = marked(form, random);
    const std::string text = std::string(500, '.') + "\n" + made.text + "\n" + std::string(500, '.');
    std::vector<ShapeHit> hits;
    for (std::size_t keyword = 0; keyword < set.keywords().size(); ++keyword)
      for (std::size_t at = 0; at < text.size(); ++at) set.verify(text, keyword, at, widest(*detector), hits);
    INFO(id << " as " << form);
    CHECK(std::ranges::any_of(hits, [&](const ShapeHit& hit) {
      return hit.detector == detector && hit.begin == 501 + made.begin && hit.end == 501 + made.end;
    }));
  }
}

TEST_CASE("masks, cut tokens and parts of longer words are none") {
  std::uint64_t seed = 9000;
  for (const Detector& detector : secret_detectors()) {
    INFO(detector.id);
    CHECK_FALSE(finds(make_mask(detector.example).text, widest(detector), detector.id));
    if (detector.kind != Detector::Kind::prefix) continue;
    ExampleRandom random(seed++);
    const SecretExample made = make_example(detector.example, random);
    const std::string cut = made.text.substr(0, made.begin + std::min<std::size_t>(24, (made.end - made.begin) / 5));
    CHECK_FALSE(finds(cut + made.text.substr(made.end), widest(detector), detector.id));
    if ((detector.guards & Guard::boundary) == 0) continue;
    const std::string glued = made.text.substr(0, made.begin) + "x" + made.text.substr(made.begin);
    CHECK_FALSE(finds(glued, widest(detector), detector.id));
  }
}

TEST_CASE("what the contents of any file are not searched for") {
  std::uint64_t seed = 12'000;
  for (const Detector& detector : secret_detectors()) {
    INFO(detector.id);
    ExampleRandom random(seed++);
    const std::string text = make_example(detector.example, random).text;
    const bool anywhere = detector.kind == Detector::Kind::prefix || detector.kind == Detector::Kind::context;
    CHECK(finds(text, SecretScope::file, detector.id) == anywhere);
    CHECK(finds(text, SecretScope::credential_file, detector.id));
  }
}

TEST_CASE("keys that are none: headers alone, certificates, public keys, bytes that are no key") {
  ExampleRandom random(3);
  const std::string body = random.pick(alnum, 64) + "\n" + random.pick(alnum, 64) + "\n";
  for (const std::string& text :
       {std::string("-----BEGIN RSA PRIVATE KEY-----"), "-----BEGIN CERTIFICATE-----\nMII" + body,
        "-----BEGIN PUBLIC KEY-----\nMII" + body, "-----BEGIN RSA PRIVATE KEY-----\n!!" + body,
        "-----BEGIN PRIVATE KEY-----\nAAAA" + body + "-----END PRIVATE KEY-----",
        std::string("\"-----BEGIN PRIVATE KEY-----\\n\" + body + \"-----END PRIVATE KEY-----\"")}) {
    INFO(text);
    CHECK_FALSE(finds(text, SecretScope::document, "pem-private-key"));
  }
}

TEST_CASE("in a credential file a word of documentation excuses nothing") {
  const std::string text = "DB_PASSWORD=my-sample-" + std::string("pass7Kq");
  CHECK(finds(text, SecretScope::credential_file, "secret-variable"));
  CHECK_FALSE(finds("DB_PASSWORD=${OTHER_PASSWORD}", SecretScope::credential_file, "secret-variable"));
  CHECK_FALSE(finds("DB_PASSWORD=****************", SecretScope::credential_file, "secret-variable"));
  CHECK_FALSE(finds("PUBLIC_KEY_TOKEN=b77a5c561934e089", SecretScope::credential_file, "secret-variable"));
}

TEST_CASE("a detector of a policy") {
  const ExtraDetector acme = ExtraDetector::parse("acme-token; acme_, ACX-; ((?:acme_|ACX-)[0-9a-f]{12})");
  CHECK(acme.id == "acme-token");
  CHECK(acme.keywords == std::vector<std::string>{"acme_", "ACX-"});
  const std::vector<ExtraDetector> extra{acme};
  const DetectorSet set(extra);
  ExampleRandom random(8);
  const std::string token = "ACX-" + random.pick("0123456789abcdef", 12), text = "RUN use " + token + " now";
  CHECK(found(set, text, SecretScope::file, "acme-token", 8, 8 + token.size()));
  CHECK(DetectorSet::standard().scan(text, SecretScope::file).empty());
  REQUIRE(set.find("acme-token") != nullptr);

  for (const std::string text_of :
       {"", "a; b", "two words; acme_; x", "a; ; x", "a; ab; ab", "a; abc; (", "a; abc; ", "a; abc; (a)(b)(c)(d)(e)"}) {
    INFO(text_of);
    CHECK_THROWS_AS(ExtraDetector::parse(text_of), Error);
  }
  const std::vector<ExtraDetector> taken{ExtraDetector::parse("jwt; eyJ; (eyJ.)")};
  CHECK_THROWS_AS(DetectorSet(taken), Error);
}

TEST_CASE("texts made of keywords take linear time") {
  for (const Keyword& keyword : DetectorSet::standard().keywords()) {
    std::string text;
    while (text.size() < 20'000) text += keyword.text + "-";
    CHECK(DetectorSet::standard().scan(text, SecretScope::document).size() < text.size());
  }
}
