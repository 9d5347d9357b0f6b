#include "secrets/corpus.h"

#include <algorithm>
#include <array>

#include "base/digest.h"
#include "facts/secret_detectors.h"
#include "facts/secret_example.h"

namespace ocilint::bench {
namespace {

constexpr std::string_view alnum = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
constexpr std::string_view lower_hex = "0123456789abcdef";

/// What stands in real histories and is no secret, with fresh random parts.
struct Harmless {
  std::string_view group;
  std::string (*make)(ExampleRandom& random);
};

std::string words(ExampleRandom& random, std::size_t count) {
  constexpr std::array<std::string_view, 16> known = {"make",  "build", "token",   "secret",  "install", "config",
                                                      "key",   "auth",  "server",  "cache",   "login",   "update",
                                                      "image", "curl",  "machine", "password"};
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += std::string(i > 0 ? " " : "") + std::string(known[random.below(16)]);
  return out;
}

constexpr Harmless harmless[] = {
    {"a checksum", [](ExampleRandom& r) { return "NODE_SHA256=" + r.pick(lower_hex, 64); }},
    {"a digest", [](ExampleRandom& r) { return "FROM h.invalid/a/b@sha256:" + r.pick(lower_hex, 64); }},
    {"a revision", [](ExampleRandom& r) { return "REVISION=" + r.pick(lower_hex, 40); }},
    {"a fingerprint", [](ExampleRandom& r) { return "GPG_KEY=" + r.pick("0123456789ABCDEF", 40); }},
    {"a UUID",
     [](ExampleRandom& r) {
       return "TRACE_ID=" + r.pick(lower_hex, 8) + "-" + r.pick(lower_hex, 4) + "-4" + r.pick(lower_hex, 3) + "-a" +
              r.pick(lower_hex, 3) + "-" + r.pick(lower_hex, 12);
     }},
    {"an integrity", [](ExampleRandom& r) { return "integrity=sha512-" + r.pick(alnum, 86) + "=="; }},
    {"packages",
     [](ExampleRandom& r) {
       return "apt-get install -y libsecret-1-0=0." + r.pick("123456789", 2) + ".5-3 python3-keyring=23." +
              r.pick("123456789", 1) + ".3-2 libpam-passwdqc=2.0.2-1+deb12u" + r.pick("123456789", 1);
     }},
    {"a public key", [](ExampleRandom& r) { return "DEPLOY_KEY=ssh-rsa AAAAB3NzaC1yc2E" + r.pick(alnum, 200); }},
    {"a certificate",
     [](ExampleRandom& r) {
       return "-----BEGIN CERTIFICATE-----\nMII" + r.pick(alnum, 61) + "\n" + r.pick(alnum, 64) +
              "\n-----END CERTIFICATE-----";
     }},
    {"a header without a key",
     [](ExampleRandom& r) { return "grep -c -e '-----BEGIN RSA PRIVATE KEY-----' /etc/x" + r.pick(lower_hex, 6); }},
    {"a release URL",
     [](ExampleRandom& r) {
       return "https://h.invalid/download/v" + r.pick("123456789", 1) + ".2/tool-" + r.pick(lower_hex, 12) +
              ".tgz?ref=" + r.pick(lower_hex, 40);
     }},
    {"a masked URL",
     [](ExampleRandom& r) { return "https://xxxxx:xxxxx@git.invalid/" + r.pick(lower_hex, 8) + ".git"; }},
    {"a URL with references",
     [](ExampleRandom& r) { return "https://ci:${CI_TOKEN}@git.invalid/" + r.pick(lower_hex, 8) + ".git"; }},
    {"a public DSN",
     [](ExampleRandom& r) {
       return "https://" + r.pick(lower_hex, 32) + "@o" + r.pick("123456789", 5) + ".ingest.sentry.io/" +
              r.pick("123456789", 5);
     }},
    {"a git remote", [](ExampleRandom& r) { return "git clone git@git.invalid:g/" + r.pick(lower_hex, 8) + ".git"; }},
    {"a secret mount",
     [](ExampleRandom& r) { return "--mount=type=secret,id=npm" + r.pick(lower_hex, 4) + " npm ci"; }},
    {"a secret file", [](ExampleRandom& r) { return "DB_PASSWORD_FILE=/run/secrets/" + r.pick(lower_hex, 12); }},
    {"a path in a secret's name", [](ExampleRandom& r) { return "DB_PASSWORD=/run/secrets/" + r.pick(lower_hex, 12); }},
    {"a placeholder", [](ExampleRandom& r) { return "API_TOKEN=your-token-" + r.pick(lower_hex, 6); }},
    {"changeme", [](ExampleRandom& r) { return "DB_PASSWORD=changeme" + r.pick("0123456789", 2); }},
    {"a mask", [](ExampleRandom& r) { return "DB_PASSWORD=" + std::string(8 + r.below(9), '*'); }},
    {"a command's output",
     [](ExampleRandom& r) { return "NPM_TOKEN=$(cat /run/x" + r.pick(lower_hex, 4) + ") npm ci"; }},
    {"a bearer reference",
     [](ExampleRandom& r) {
       return "curl -H \"Authorization: Bearer ${T" + r.pick("ABCDEF", 3) + "}\" https://h.invalid";
     }},
    {"password from stdin",
     [](ExampleRandom& r) { return "docker login -u ci" + r.pick(lower_hex, 3) + " --password-stdin h.invalid"; }},
    {"a token's settings",
     [](ExampleRandom& r) {
       return "TOKEN_TTL=" + r.pick("123456789", 4) + " TOKEN_ENDPOINT=https://h.invalid/oauth/" + r.pick(lower_hex, 8);
     }},
    {"sccache settings",
     [](ExampleRandom& r) {
       return "SCCACHE_BUCKET=builds-" + r.pick(lower_hex, 6) + " SCCACHE_S3_NO_CREDENTIALS=true";
     }},
    {"words", [](ExampleRandom& r) { return words(r, 12); }},
    {"base64 of a text", [](ExampleRandom& r) { return "DATA=" + r.pick(alnum, 120); }},
    {"a docker configuration without logins",
     [](ExampleRandom& r) { return "{\"auths\": {\"h" + r.pick(lower_hex, 4) + ".invalid\": {\"auth\": \"\"}}}"; }},
};

/// Ways to write a credential that were not taken from the detectors: the value as people and tools make it.
constexpr std::string_view written[] = {
    "PGPASSWORD=([A-Za-z0-9]{12}) psql -h db.invalid",
    "MYSQL_PWD=([A-Za-z0-9]{10}) mysql -h db.invalid",
    "MYSQL_ROOT_PASSWORD=([a-z]{6}[0-9]{4})",
    "export GITHUB_TOKEN=([A-Za-z0-9]{40}) && make",
    "REDIS_PASSWORD='([A-Za-z0-9!#%*]{16})'",
    "DJANGO_SECRET_KEY=([a-z0-9!@#%^&*]{50})",
    "SECRET_KEY_BASE=([0-9a-f]{128})",
    "JWT_SECRET=([A-Za-z0-9]{32})",
    "npmToken: ([A-Za-z0-9]{36})",
    "{\"password\": \"([A-Za-z0-9]{14})\"}",
    "{\"client_secret\":\"([A-Za-z0-9~._-]{34})\"}",
    "password = ([A-Za-z0-9]{12})",
    "Server=db.invalid;Database=app;User Id=sa;Password=([A-Za-z0-9!]{14});Encrypt=true",
    "jdbc:postgresql://db.invalid/app?user=app&password=([A-Za-z0-9]{14})",
    "jdbc:sqlserver://db.invalid:1433;user=sa;password=([A-Za-z0-9]{14});",
    "mongodb+srv://app:([A-Za-z0-9]{16})\\@c.invalid/app?retryWrites=true",
    "amqp://app:([A-Za-z0-9]{10})\\@mq.invalid:5672/",
    "smtp://mail%40h.invalid:([A-Za-z0-9]{16})\\@smtp.invalid:587",
    "pip install --index-url https://ci:([A-Za-z0-9]{20})\\@h.invalid/simple p",
    "git remote set-url origin https://oauth2:([A-Za-z0-9_-]{20})\\@git.invalid/g/p.git",
    "wget --user=ci --password=([A-Za-z0-9]{12}) https://h.invalid/f",
    "curl --header 'X-Auth-Token: ([0-9a-f]{32})' https://h.invalid/",
    "curl -u ci:([A-Za-z0-9!]{12}) -T f https://h.invalid/",
    "curl https://h.invalid/api?api_key=([A-Za-z0-9]{32})",
    "docker build --build-arg NPM_TOKEN=([A-Za-z0-9]{36}) .",
    "mysql -u root -p([A-Za-z0-9]{12}) app",
    "redis-cli -a ([A-Za-z0-9]{16}) ping",
    "echo ([A-Za-z0-9]{20}) | docker login -u ci --password-stdin",
    "echo root:([A-Za-z0-9]{12}) | chpasswd",
    "useradd -p '($6$[A-Za-z0-9]{16}$[A-Za-z0-9./]{86})' app",
    "openssl pkcs12 -export -passout pass:([A-Za-z0-9]{12}) -in c.pem",
    "SCCACHE_WEBDAV_TOKEN=([A-Za-z0-9]{40})",
    "SCCACHE_REDIS_ENDPOINT=rediss://:([A-Za-z0-9]{20})\\@cache.invalid:6380",
    "SCCACHE_DOWNLOAD_URL=https://b.s3.amazonaws.com/s.tgz?X-Amz-Credential=x&X-Amz-Signature=([0-9a-f]{64})",
    "AWS_SECRET_ACCESS_KEY=([A-Za-z0-9/+]{40}) aws s3 cp a s3://b",
    "aws configure set aws_secret_access_key ([A-Za-z0-9/+]{40})",
    "machine h.invalid login ci password ([A-Za-z0-9]{14})",
    "//npm.invalid/:_auth=(<ci:[A-Za-z0-9]{16}>)",
    "ENCRYPTION_KEY=([A-Za-z0-9+/]{43}=)",
    "STRIPE_KEY=(sk_live_[A-Za-z0-9]{32})",
};

void add(std::vector<Case>& out, std::string group, const std::string& text, std::string value) {
  for (const Surface& surface : surfaces())
    out.push_back({group, surface.name, {surface.kind, "made", surface.write(text)}, value});
}

}  // namespace

std::vector<Case> make_corpus(std::uint64_t seed, unsigned rounds) {
  std::vector<Case> out;
  ExampleRandom random(seed);
  for (unsigned round = 0; round < rounds; ++round) {
    for (const Detector& detector : secret_detectors()) {
      const SecretExample made = make_example(detector.example, random);
      const std::string value = made.text.substr(made.begin, made.end - made.begin);
      add(out, std::string(detector.id), made.text, value);
      const std::string before = made.text.substr(0, made.begin), after = made.text.substr(made.end);
      add(out, "mask of " + std::string(detector.id), make_mask(detector.example).text, "");
      add(out, "reference of " + std::string(detector.id), before + "${CI_VALUE}" + after, "");
    }
    for (const std::string_view form : written) {
      const SecretExample made = make_example(form, random);
      const std::size_t end = std::min(form.find('('), std::size_t{40});
      add(out, "written: " + std::string(form.substr(0, end)), made.text,
          made.text.substr(made.begin, made.end - made.begin));
    }
    for (const Harmless& none : harmless) add(out, std::string(none.group), none.make(random), "");
  }
  return out;
}

}  // namespace ocilint::bench
