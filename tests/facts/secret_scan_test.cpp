#include "facts/secret_scan.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <ctime>

#include "base/error.h"
#include "facts/credential_files.h"
#include "facts/secret_samples.h"
#include "support/planted_secrets.h"

using namespace ocilint;
using namespace ocilint::test;

namespace {

const SecretScanner& scanner() {
  static const SecretScanner one{std::span<const ExtraDetector>{}};
  return one;
}

/// The file in pieces of the given sizes, over and over; none: in one piece.
FileSecrets scan(std::string_view file, std::vector<std::size_t> pieces = {}, SecretScope scope = SecretScope::file,
                 const SecretScanner& with = scanner()) {
  static SecretScan standard(scanner());
  std::optional<SecretScan> own;
  if (&with != &scanner()) own.emplace(with);
  SecretScan& scan = own ? *own : standard;
  scan.begin(scope);
  if (pieces.empty()) {
    scan.add(as_bytes(file), true);
    return scan.take();
  }
  for (std::size_t i = 0, turn = 0; i < file.size(); ++turn) {
    const std::string_view piece = file.substr(i, pieces[turn % pieces.size()]);
    i += piece.size();
    scan.add(as_bytes(piece), i == file.size());
  }
  return scan.take();
}

std::vector<Span> spans(const FileSecrets& found) {
  std::vector<Span> out;
  for (const FileSecret& secret : found.kept) out.push_back({secret.offset, secret.offset + secret.length});
  return out;
}

/// "" when equal, else the first difference.
std::string difference(const std::vector<Span>& left, const std::vector<Span>& right, std::string_view file) {
  const auto [one, other] = std::ranges::mismatch(left, right);
  if (one == left.end() && other == right.end()) return {};
  const auto text = [&](const std::vector<Span>& spans, auto at) {
    if (at == spans.end()) return std::string("nothing");
    return std::to_string(at->begin) + " " + std::string(file.substr(at->begin, at->end - at->begin));
  };
  return text(left, one) + " against " + text(right, other);
}

std::string filler(std::size_t size, ExampleRandom& random, bool text) {
  static const std::string words = "abcdefghij klmnop qrstuvw xyz. ,=:/-\n";
  std::string out(size, '\0');
  for (char& c : out) c = text ? words[random.below(words.size())] : static_cast<char>(random.next() >> 56);
  return out;
}

}  // namespace

TEST_CASE("scan: random files in random pieces give what a look at the whole gives") {
  ExampleRandom random(20);
  std::size_t planted_ones = 0, found = 0;
  for (int round = 0; round < 12; ++round) {
    const bool text = round % 3 != 0;
    const SecretScope scope = round % 4 == 1 ? SecretScope::credential_file : SecretScope::file;
    std::string file;
    while (file.size() < (std::size_t{1} << 20) * (1 + round % 4)) {
      file += filler(random.below(round % 2 == 0 ? 200'000 : 16'000), random, text);
      const Detector& detector = secret_detectors()[random.below(secret_detectors().size())];
      if (random.below(4) != 0) file += text ? "\n" : std::string(1, '\0');
      file += make_example(detector.example, random).text;
      if (random.below(3) == 0) file += make_example(detector.example, random).text;
      ++planted_ones;
    }
    const std::vector<Span> expected = spans_of(file, scope);
    found += expected.size();
    INFO("round " << round << ", " << file.size() << " bytes");
    REQUIRE(expected.size() <= SecretScan::most_kept);
    for (const auto& pieces : {std::vector<std::size_t>{},
                               {1 + random.below(3'000'000), 1 + random.below(300'000)},
                               {1, 1 + random.below(100'000)},
                               {1 + random.below(900'000), 1 + random.below(400), 200'000, 1}})
      CHECK(difference(spans(scan(file, pieces, scope)), expected, file) == "");
    for (const FileSecret& secret : scan(file, {500'000}, scope).kept)
      CHECK(secret.value == file.substr(secret.offset, secret.length));
  }
  CHECK(found > planted_ones / 2);
}

TEST_CASE("scan: a secret across every border of a window") {
  // Windows begin where they must; a step of a prime number below the length of a token meets every position.
  const SecretExample token = planted("github-token", 3), key = planted("pem-private-key", 4);
  for (const SecretExample& example : {token, key}) {
    std::string line = std::string("x = \"") + example.text + "\"\n";
    std::string file;
    std::vector<Span> expected;
    while (file.size() < 6 << 20) {
      file += std::string(file.size() % 97 + 1, '.') + '\n';
      expected.push_back({file.size() + 5 + example.begin, file.size() + 5 + example.end});
      file += line + std::string(16'000, ' ');
    }
    REQUIRE(spans(scan(file)) == expected);
    for (std::size_t piece = (1 << 20) - 60; piece < (1 << 20) + 60; piece += 7)
      REQUIRE(spans(scan(file, {piece})) == expected);
  }
  // One that stands alone, moved byte by byte over the end of what the first window searches.
  for (std::size_t shift = 0; shift < 140; ++shift) {
    const std::size_t at = (1 << 20) + 18'000 - 70 + shift;
    const std::string file = std::string(at, ' ') + token.text + std::string(3 << 19, ' ');
    REQUIRE(spans(scan(file, {file.size()})) == std::vector<Span>{{at, at + token.end}});
    REQUIRE(spans(scan(file, {700'001})) == std::vector<Span>{{at, at + token.end}});
  }
}

TEST_CASE("scan: lines of text, offsets of binaries, excerpts without values") {
  const SecretExample one = planted("github-token", 5), two = planted("aws-secret-access-key", 6);
  const std::string file = "first\nsecond = '" + one.text + "' # " + two.text + "\nlast\n";
  for (const auto& pieces : {std::vector<std::size_t>{}, std::vector<std::size_t>{7}}) {
    const FileSecrets found = scan(file, pieces);
    REQUIRE(found.kept.size() == 2);
    CHECK(found.kept[0].line == 2);
    CHECK(found.kept[0].detector == "github-token");
    CHECK(found.kept[0].value == value_of(one));
    CHECK(found.kept[0].excerpt.starts_with("second = '[secret, 40 bytes]' # aws_secret_access_key=[secret"));
    CHECK(found.kept[1].detector == "aws-secret-access-key");
    for (const FileSecret& secret : found.kept)
      for (const SecretExample& example : {one, two})
        CHECK(secret.excerpt.find(value_of(example).substr(0, 12)) == std::string::npos);
  }
  const FileSecrets binary = scan(std::string(3, '\0') + "\n" + one.text + std::string(1, '\0'));
  REQUIRE(binary.kept.size() == 1);
  CHECK(binary.kept[0].line == 0);
  CHECK(binary.kept[0].offset == 4);
  CHECK(binary.kept[0].excerpt.empty());
  // Lines are counted over windows too.
  std::string lines;
  while (lines.size() < 3 << 20) lines += "abc\n";
  const auto count = static_cast<std::uint64_t>(lines.size() / 4);
  const FileSecrets late = scan(lines + one.text, {1 << 20});
  REQUIRE(late.kept.size() == 1);
  CHECK(late.kept[0].line == count + 1);
  // Of nothing but their ends.
  const FileSecrets empty_lines = scan(std::string((3 << 20) + 5, '\n') + one.text, {1 << 20});
  REQUIRE(empty_lines.kept.size() == 1);
  CHECK(empty_lines.kept[0].line == (3 << 20) + 6);
}

TEST_CASE("scan: UTF-16 with a byte order mark") {
  const SecretExample token = planted("github-token", 7);
  const std::string text = "$env:TOKEN = '" + token.text + "'\r\n";
  for (const bool big : {false, true}) {
    std::string file = big ? "\xfe\xff" : "\xff\xfe";
    for (const char c : text) file += big ? std::string{'\0', c} : std::string{c, '\0'};
    for (const auto& pieces : {std::vector<std::size_t>{}, std::vector<std::size_t>{1}, std::vector<std::size_t>{33}}) {
      const FileSecrets found = scan(file, pieces);
      REQUIRE(found.kept.size() == 1);
      CHECK(found.kept[0].value == value_of(token));
      CHECK(found.kept[0].offset == 2 + 2 * (text.find(token.text) + token.begin));
      CHECK(found.kept[0].line == 1);
    }
  }
  // The mark alone hides nothing.
  CHECK(scan("\xff\xfe" + token.text).kept.size() == 1);
  CHECK(scan("\xff").kept.empty());
  CHECK(scan("\xff\xfe").kept.empty());
}

TEST_CASE("scan: files that are nothing but secrets are counted to the end") {
  ExampleRandom random(9);
  std::string file;
  constexpr std::size_t many = SecretScan::most_kept * 3;
  const std::string_view example = DetectorSet::standard().find("github-token")->example;
  for (std::size_t i = 0; i < many; ++i) file += make_example(example, random).text + "\n";
  const FileSecrets found = scan(file, {10'000});
  CHECK(found.found == many);
  CHECK(found.kept.size() == SecretScan::most_kept);
}

TEST_CASE("scan: what only files of credentials are searched for, and detectors of a policy") {
  const SecretExample password = planted("secret-variable", 11);
  CHECK(scan(password.text).kept.empty());
  CHECK(scan(password.text, {}, SecretScope::credential_file).kept.size() == 1);
  const std::vector<ExtraDetector> extra{ExtraDetector::parse("acme; acme_; (acme_[0-9]{6})")};
  const SecretScanner more{extra};
  const FileSecrets found = scan("the acme_123456 key", {}, SecretScope::file, more);
  REQUIRE(found.kept.size() == 1);
  CHECK(found.kept[0].detector == "acme");
  CHECK(scan("the acme_123456 key").kept.empty());
  CHECK_THROWS_AS(SecretScanner(std::vector<ExtraDetector>{extra[0], extra[0]}), Error);
}

TEST_CASE("scan: variables that must have no value") {
  const std::vector<ExtraDetector> extra{never_detector("SCCACHE_DOWNLOAD_URL")};
  const SecretScanner never{extra};
  const auto value = [&](const std::string& text) {
    const FileSecrets found = scan(text, {}, SecretScope::file, never);
    return found.kept.empty() ? std::string("none") : found.kept[0].value;
  };
  const std::string address = "https://cache.invalid/s.tgz";
  for (const std::string before :
       {"SCCACHE_DOWNLOAD_URL=", "export SCCACHE_DOWNLOAD_URL=", "ENV SCCACHE_DOWNLOAD_URL ",
        "RUN A=b SCCACHE_DOWNLOAD_URL=", "sccache_download_url = ", "ARG SCCACHE_DOWNLOAD_URL=\"",
        "{\"SCCACHE_DOWNLOAD_URL\": \"", "os.environ['SCCACHE_DOWNLOAD_URL'] = '"}) {
    INFO(before);
    const char end = before.ends_with('"') ? '"' : before.ends_with('\'') ? '\'' : '\n';
    if (before.find("os.environ") != std::string::npos) continue;  // a subscript is no name before a value
    CHECK(value("x\n" + before + address + std::string(1, end) + "\ny") == address);
  }
  CHECK(value("A=1\nSCCACHE_DOWNLOAD_URL=${OTHER:-https://h.invalid}\n") == "${OTHER:-https://h.invalid}");
  for (const std::string none :
       {"ARG SCCACHE_DOWNLOAD_URL", "SCCACHE_DOWNLOAD_URL=", "SCCACHE_DOWNLOAD_URL=\"\"", "X_SCCACHE_DOWNLOAD_URL=a",
        "SCCACHE_DOWNLOAD_URL=$SCCACHE_DOWNLOAD_URL", "SCCACHE_DOWNLOAD_URL=\"${SCCACHE_DOWNLOAD_URL}\"",
        "SCCACHE_DOWNLOAD_URL=${SCCACHE_DOWNLOAD_URL:-}", "SCCACHE_DOWNLOAD_URL=$(cat /run/secrets/url)",
        "if [ \"$SCCACHE_DOWNLOAD_URL\" = \"x\" ]", "SCCACHE_DOWNLOAD_URL == 'x'", "curl $SCCACHE_DOWNLOAD_URL",
        "SCCACHE_DOWNLOAD_URL: where the archive is", "SCCACHE_DOWNLOAD_URL=<address>"}) {
    INFO(none);
    CHECK(value(none + "\n") == "none");
  }
  const FileSecrets found = scan("SCCACHE_DOWNLOAD_URL=x1", {}, SecretScope::file, never);
  REQUIRE(found.kept.size() == 1);
  CHECK(found.kept[0].detector == "never:SCCACHE_DOWNLOAD_URL");
  CHECK_THROWS_AS(never_detector("A"), Error);
  CHECK_THROWS_AS(ExtraDetector::parse("never:a; abc; x"), Error);
}

TEST_CASE("scan: what documents write in place of a password, and the beginning of a key, are none") {
  const auto count = [](const std::string& text, SecretScope scope) {
    return scan(text + "\n", {}, scope).kept.size();
  };
  for (const std::string text :
       {"amqp://guest:guest@192.168.0.32:5672/", "amqp://my_user:my_password@rabbitmq_host",
        "s3://ACCESSKEY:SECRETKEY@s3.invalid/x", "mongodb://oplog_reader:oplogReaderPassword@server1,server2/local"}) {
    INFO(text);
    CHECK(count(text, SecretScope::file) == 0);
    CHECK(count(text, SecretScope::credential_file) == 1);
  }
  CHECK(count("amqp://guest:"
              "MyPassword4711@host",
              SecretScope::file) == 1);
  // A row of a table is no address; where credentials are kept it may be one.
  CHECK(count("a,https://amqp.invalid,gmd:protocolThatTheFile@names,b", SecretScope::file) == 0);
  CHECK(count("http://www.bank.invalid:ac%398HAAA9UWDTv@www.shop.invalid/", SecretScope::file) == 0);
  CHECK(count("f\"https://{user}:{password}@h.invalid/\"", SecretScope::credential_file) == 0);
  CHECK(count("scheme://user_name[:password]@host_name[:port]/db", SecretScope::credential_file) == 0);
  const SecretExample key = planted("pem-private-key", 14);
  CHECK(count(key.text, SecretScope::file) == 1);
  // The same beginning with the size of a real one.
  std::string cut = key.text;
  cut.replace(cut.find("MIIA"), 4, "MIIE");
  CHECK(count(cut, SecretScope::file) == 0);
}

TEST_CASE("scan: an address is shown with what it says of its end") {
  const SecretExample signature = planted("presigned-aws", 12);
  const std::string address =
      "https://b.s3.invalid/k?X-Amz-Date=20300131T120000Z&X-Amz-Credential=" + std::string(300, 'c') +
      "&X-Amz-Expires=3600&X-Amz-Signature=" + value_of(signature) + "&x=" + std::string(80, 'y');
  const std::string file =
      std::string(70'000, ' ') + "\n" + std::string(100, 'w') + " '" + address + "'\n" + std::string(70'000, ' ');
  for (const auto& pieces : {std::vector<std::size_t>{}, std::vector<std::size_t>{70'200, 150'000}}) {
    const FileSecrets found = scan(file, pieces);
    REQUIRE(found.kept.size() == 1);
    CHECK(found.kept[0].excerpt.find("X-Amz-Date=20300131T120000Z") != std::string::npos);
    CHECK(found.kept[0].excerpt.find("&X-Amz-Signature=[secret, 64 bytes]&x=yyy") != std::string::npos);
  }
}

namespace {

double seconds_of(SecretScan& scan, const std::string& file, SecretScope scope) {
  timespec before{}, after{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
  scan.begin(scope);
  scan.add(as_bytes(file), true);
  (void)scan.take();
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
  return double(after.tv_sec - before.tv_sec) + double(after.tv_nsec - before.tv_nsec) * 1e-9;
}

std::string repeated(std::string_view unit, std::size_t size) {
  std::string out;
  while (out.size() < size) out += unit;
  out.resize(size);
  return out;
}

}  // namespace

TEST_CASE("scan: a file of nothing but beginnings of secrets is searched in time that its size bounds") {
  // Measured: plain text 2 GB/s, the worst of these 2 MB/s. Without bounds some went at 10 kB/s. Sanitizers slow down
  // what is ours and not the libraries: 0.3 MB/s.
  constexpr std::size_t size = 16 << 10;
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  constexpr double most = 40'000;
#else
  constexpr double most = 10'000;
#endif
  SecretScan one(scanner());
  ExampleRandom random(13);
  const std::string plain = repeated("some words of a text, and the path /usr/share/doc/x\n", size);
  for (const SecretScope scope : {SecretScope::file, SecretScope::credential_file}) {
    double floor = 1;
    for (int i = 0; i < 20; ++i) floor = std::min(floor, seconds_of(one, plain, scope));
    double worst = 0;
    std::string worst_unit;
    for (const Detector& detector : secret_detectors()) {
      const std::string example = make_example(detector.example, random).text;
      std::vector<std::string> units = {example, example.substr(0, std::max<std::size_t>(3, example.size() / 2))};
      const std::string_view keywords = detector.keywords;
      for (std::size_t at = 0; at < keywords.size();) {
        const std::size_t end = std::min(keywords.find(' ', at), keywords.size());
        units.emplace_back(keywords.substr(at, end - at));
        units.push_back(units.back() + "=");
        at = end + 1;
      }
      for (const std::string& unit : units) {
        const std::string file = repeated(unit, size);
        // The least of a few: a machine that is shared takes its time in between.
        double took = seconds_of(one, file, scope);
        for (int i = 0; i < 3 && took > floor * most / 4; ++i) took = std::min(took, seconds_of(one, file, scope));
        if (took > worst) worst_unit = std::string(detector.id) + ", " + unit.substr(0, 20);
        worst = std::max(worst, took);
      }
    }
    INFO("worst: " << worst_unit << ", " << double(size) / worst / 1e6 << " MB/s");
    CHECK(worst < floor * most);
  }
}

TEST_CASE("names of files with credentials") {
  for (const char* const path : {"/root/.npmrc", "/app/.env.production", "/etc/shadow", "/srv/a/.git/config",
                                 "/etc/apt/auth.conf.d/internal.conf", "/home/u/.docker/config.json"}) {
    INFO(path);
    CHECK(may_hold_credentials(path));
    CHECK(kept_credentials(path).empty());
  }
  for (const char* const path : {"/root/.netrc", "/root/.git-credentials", "/home/u/.aws/credentials",
                                 "/run/secrets/npm/token", "/root/.bash_history"}) {
    INFO(path);
    CHECK(may_hold_credentials(path));
    CHECK_FALSE(kept_credentials(path).empty());
  }
  for (const char* const path : {"/app/.env.example", "/usr/bin/env", "/etc/shadow.d/x", "/opt/aws/credentials"}) {
    INFO(path);
    CHECK_FALSE(may_hold_credentials(path));
    CHECK(kept_credentials(path).empty());
  }
}

TEST_CASE("names of files that are tests, examples, documents and translations") {
  for (const char* const path :
       {"/usr/share/doc/x/f", "/srv/app/tests/key.pem", "/x/README", "/x/a_test.go", "/x/b.example",
        "/usr/share/locale/de/LC_MESSAGES/app.mo", "/app/translations/es/messages.json", "/x/de.po"})
    CHECK(is_sample_path(path));
  for (const char* const path :
       {"/etc/app/key.pem", "/srv/app/testing.conf", "/x/latest/f", "/x/locale.conf", "/x/f.pod5"})
    CHECK_FALSE(is_sample_path(path));
}
