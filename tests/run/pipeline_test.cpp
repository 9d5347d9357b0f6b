// Which bytes a run reads, and what becomes of a run whose layers cannot be read to the end.
#include <catch2/catch.hpp>

#include <chrono>

#include "report/report.h"
#include "support/check_kit.h"
#include "support/compress.h"
#include "support/recording_source.h"
#include "support/tar_writer.h"

using namespace ocilint;
using namespace ocilint::testing;

namespace {

using Layers = std::vector<std::size_t>;

const std::string looks_at_files = policy_of("file-mode", "{files: ['/**'], deny: o+w}");
const std::string looks_at_history = policy_of("history-secrets", "{}");

TestImage small_image() {
  return describe_image(R"(
config: {user: app, env: [A=b]}
layers:
  - {run: FROM base, files: {/etc/passwd: 'root:x:0:0::/:/bin/sh', /srv/a: one, /data/real/settings: 'key=1'}}
  - {run: RUN one, files: {/srv/b: two}, links: {/srv/conf: ../data/real/settings}}
  - {run: RUN two, files: {/srv/c: three}}
)");
}

/// Several layers of some MiB that do not compress: the reads of one are under way when another fails.
TestImage big_image(std::size_t layers = 4, std::size_t megabytes = 2) {
  TestImage image;
  std::uint64_t state = 88172645463325252ull;
  for (std::size_t i = 0; i < layers; ++i) {
    test::TarWriter tar;
    for (std::size_t file = 0; file < megabytes; ++file) {
      std::string content(1 << 20, '\0');
      for (char& c : content) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        c = static_cast<char>(state);
      }
      tar.file("srv/" + std::to_string(i) + "/" + std::to_string(file), content);
    }
    image.layer_tars.push_back(tar.finish());
    image.created_by.push_back("RUN step " + std::to_string(i));
  }
  return image;
}

struct Run {
  ImageResult result;
  Layers opened;
  double seconds = 0;
};

Run run_recorded(const std::string& reference, RunOptions options, const std::map<std::size_t, Fault>& faults = {}) {
  RecordingSource source(reference);
  for (const auto& [layer, fault] : faults) source.spoil(layer, fault);
  options.reference = reference;
  const auto begin = std::chrono::steady_clock::now();
  Run run;
  run.result = check_image(options, all_rules(), source);
  run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  run.opened = source.opened();
  return run;
}

ExitStatus status_of(const ImageResult& result) { return verdict(result, Severity::error); }

std::string json_of(const ImageResult& result) {
  const std::vector<ImageResult> results{result};
  return write_json(results, {.stats = true});
}

}  // namespace

TEST_CASE("pipeline: a policy of documents opens no layer") {
  const TempDir dir;
  const std::string reference = write_oci_layout(small_image(), dir / "image", "gzip");
  const Run run = run_recorded(reference, run_options(looks_at_history));
  CHECK(run.opened.empty());
  CHECK(status_of(run.result) == ExitStatus::good);
  CHECK(run.result.ledger.layers_listed == 3);
  CHECK(run.result.ledger.layers_verified == 0);
  CHECK_FALSE(run.result.ledger.layers_needed);
}

TEST_CASE("pipeline: every layer is read once and to its last byte") {
  const TempDir dir;
  const TestImage image = small_image();
  const std::string reference = write_oci_layout(image, dir / "image");
  RecordingSource source(reference);
  RunOptions options = run_options(looks_at_files);
  options.reference = reference;
  const ImageResult result = check_image(options, all_rules(), source);
  CHECK(status_of(result) == ExitStatus::good);
  CHECK(source.opened() == Layers{0, 1, 2});
  for (std::size_t i = 0; i < 3; ++i) CHECK(source.bytes_of(i) == image.layer_tars[i].size());
  CHECK(result.stats.refilled_layers == 0);
}

TEST_CASE("pipeline: shipped policies read nothing twice on a simple image") {
  const TempDir dir;
  const TestImage image = describe_image(R"(
config: {user: app}
layers:
  - run: FROM debian
    directories: [/var/lib/dpkg, /usr/bin]
    files:
      /etc/os-release: "ID=debian\nVERSION_ID=\"12\"\n"
      /etc/passwd: "root:x:0:0::/:/bin/sh\napp:x:1000:1000::/:/bin/sh\n"
      /etc/group: "root:x:0:\napp:x:1000:\n"
      /etc/shadow: "root:*:1::::::\napp:!:1::::::\n"
      /var/lib/dpkg/status: "Package: tool\nStatus: install ok installed\nArchitecture: amd64\nVersion: 1\n\n"
      /var/lib/dpkg/info/format: "1\n"
      /var/lib/dpkg/info/tool.list: "/.\n/usr\n/usr/bin\n/usr/bin/tool\n"
      /var/lib/dpkg/info/tool.md5sums: "9dd4e461268c8034f5c8564e155c67a6  usr/bin/tool\n"
      /usr/bin/tool: x
)");
  const std::string reference = write_oci_layout(image, dir / "image", "zstd");
  for (const ShippedPolicy& shipped : shipped_policies()) {
    INFO(shipped.name);
    RunOptions options;
    options.policies.push_back(load_policy(std::string(shipped.text), std::string(shipped.name), test_context()));
    options.today = test_context().today;
    const Run run = run_recorded(reference, options);
    INFO(write_text(std::vector<ImageResult>{run.result}, {}));
    CHECK_FALSE(run.result.unreadable);
    CHECK(run.opened.size() <= 1);
    CHECK(run.result.stats.refill_rounds == 0);
  }
}

TEST_CASE("pipeline: a second read opens only the layer that holds the file") {
  const TempDir dir;
  const std::string reference = write_oci_layout(small_image(), dir / "image", "gzip");
  const Run run = run_recorded(reference, run_options(policy_of("file", "{file: /srv/conf, content: '^key=1$'}")));
  CHECK(status_of(run.result) == ExitStatus::good);
  CHECK(run.opened == Layers{0, 0, 1, 2});
  CHECK(run.result.stats.refilled_layers == 1);
  CHECK(run.result.stats.refilled_facts == 1);
}

TEST_CASE("pipeline: a layer that does not come to its end makes the image unreadable") {
  const TempDir dir;
  const TestImage image = big_image();
  for (const std::string compression : {"", "gzip"}) {
    const std::string reference = write_oci_layout(image, dir / ("image" + compression), compression);
    for (const unsigned jobs : {1u, 2u, 4u}) {
      for (const auto kind :
           {Fault::Kind::ends, Fault::Kind::throws, Fault::Kind::throws_other, Fault::Kind::endless}) {
        for (const std::uint64_t at : {std::uint64_t{0}, std::uint64_t{700'000}, std::uint64_t{2 << 20}}) {
          INFO(compression << " jobs " << jobs << " fault " << static_cast<int>(kind) << " at " << at);
          RunOptions options = run_options(looks_at_files);
          options.jobs = jobs;
          const Run run = run_recorded(reference, options, {{2, {kind, at}}});
          REQUIRE(run.result.unreadable);
          // What is no Error of ours is a fault of the program: as little to be trusted, and said so.
          const bool ours = kind == Fault::Kind::throws_other;
          CHECK(status_of(run.result) == (ours ? ExitStatus::untrusted : ExitStatus::unreadable));
          CHECK(run.result.checks.empty());
          CHECK(run.seconds < 10);
        }
      }
    }
  }
}

TEST_CASE("pipeline: a fault while one layer is read by two threads ends both") {
  const TempDir dir;
  // One layer, big enough to be split, with a core to spare.
  TestImage image = big_image(1, 56);
  const std::string good = write_oci_layout(image, dir / "good");
  RunOptions options = run_options(looks_at_files);
  options.jobs = 2;
  CHECK(status_of(run_recorded(good, options).result) == ExitStatus::good);
  for (const std::uint64_t at : {std::uint64_t{34 << 20}, std::uint64_t{50 << 20}})
    for (const auto kind : {Fault::Kind::ends, Fault::Kind::throws, Fault::Kind::endless})
      CHECK(status_of(run_recorded(good, options, {{0, {kind, at}}}).result) == ExitStatus::unreadable);
  // The tar walk gives up while the other thread waits for a buffer.
  constexpr std::size_t member = (1 << 20) + 512;
  for (std::size_t at = 36 * member; at < image.layer_tars[0].size() - member; at += member)
    image.layer_tars[0][at] = 'x';
  const std::string bad = write_oci_layout(image, dir / "bad");
  for (int i = 0; i < 10; ++i) CHECK(status_of(run_recorded(bad, options).result) == ExitStatus::unreadable);
}

TEST_CASE("pipeline: the same image gives the same bytes, whatever the number of threads") {
  const TempDir dir;
  for (const TestImage& image : {small_image(), big_image(6, 1)}) {
    const std::string reference = write_oci_layout(image, dir / std::to_string(image.layer_tars.size()), "gzip");
    std::string first;
    for (const unsigned jobs : {1u, 2u, 4u, 2u, 1u}) {
      RunOptions options = run_options(
          "policy: test\nlanguage: 1\nsummary: a test\nchecks:\n"
          "  - {id: modes, rule: file-mode, with: {files: ['/**'], deny: 'o+r'}}\n"
          "  - {id: conf, rule: file, with: {files: ['/srv/**'], sha256: '" +
          std::string(64, 'a') +
          "'}}\n"
          "  - {id: one, rule: same-file, with: {files: ['/srv/*']}}\n");
      options.jobs = jobs;
      const std::string json = json_of(run_recorded(reference, options).result);
      if (first.empty()) first = json;
      CHECK(json == first);
    }
  }
}

TEST_CASE("pipeline: sizes that no stream keeps are refused at once") {
  const TempDir dir;
  const std::string policy =
      "policy: test\nlanguage: 1\nsummary: a test\nchecks:\n"
      "  - {id: hash, rule: file, with: {files: ['/**'], sha256: '" +
      std::string(64, 'a') +
      "'}}\n"
      "  - {id: text, rule: file, with: {files: ['/**'], content: x}}\n"
      "  - {id: elf, rule: file, with: {files: ['/**'], kind: elf}}\n";
  int number = 0;
  for (const std::uint64_t size : {std::uint64_t{1} << 33, std::uint64_t{1} << 40, std::uint64_t{1} << 62}) {
    const std::string sparse_size = std::to_string(size);
    const std::string archives[] = {
        test::TarWriter()
            .header({.name = "big", .size = size})
            .raw("\x7f"
                 "ELF")
            .finish(),
        test::TarWriter().pax({{"size", sparse_size}}).header({.name = "big"}).raw("text").finish(),
        test::TarWriter()
            .pax({{"GNU.sparse.major", "0"},
                  {"GNU.sparse.minor", "1"},
                  {"GNU.sparse.name", "big"},
                  {"GNU.sparse.size", sparse_size},
                  {"GNU.sparse.map", "0,4," + sparse_size + ",0"}})
            .file("GNUSparseFile.0/big", "text")
            .finish(),
    };
    for (const std::string& archive : archives) {
      if (size == std::uint64_t{1} << 33 && &archive == &archives[2]) continue;  // 8 GiB of zeros are hashed
      INFO("size " << size << " archive " << &archive - archives);
      TestImage image;
      image.layer_tars.push_back(archive);
      const std::string reference = write_oci_layout(image, dir / std::to_string(number++), "gzip");
      const Run run = run_recorded(reference, run_options(policy));
      CHECK(status_of(run.result) == ExitStatus::unreadable);
      CHECK(run.seconds < 5);
    }
  }
}

TEST_CASE("pipeline: one layer listed many times is bounded by the limits of the image") {
  const TempDir dir;
  test::TarWriter tar;
  for (int i = 0; i < 50; ++i) tar.file("srv/" + std::to_string(i), "some content");
  const std::string archive = tar.finish();
  const std::string path = dir / "image";
  const Json descriptor = put_blob(path, test::zstd(archive), "application/vnd.oci.image.layer.v1.tar+zstd");
  TestImage image;
  image.config_extra["rootfs"] = {{"type", "layers"},
                                  {"diff_ids", std::vector<std::string>(400, Digest::sha256_of(archive).text())}};
  image.manifest_extra["layers"] = std::vector<Json>(400, descriptor);
  const std::string reference = write_oci_layout(image, path);
  const auto refused = [&](ImageLimits limits, const char* what) {
    RunOptions options = run_options(policy_of("file", "{files: ['/srv/*'], content: some}"));
    options.limits = limits;
    const Run run = run_recorded(reference, options);
    REQUIRE(run.result.unreadable);
    CHECK(run.result.unreadable->kind() == ErrorKind::limit);
    CHECK_THAT(run.result.unreadable->what(), Catch::Contains(what));
    CHECK(status_of(run.result) == ExitStatus::unreadable);
    CHECK(run.opened.size() < 400);
  };
  refused({.entries = 10'000}, "more than 10000 entries");
  refused({.unpacked_bytes = archive.size() * 200}, "unpacked bytes");
  refused({.kept_bytes = 12 * 50 * 200}, "bytes of file contents");
  RunOptions options = run_options(policy_of("file", "{files: ['/srv/*'], content: some}"));
  options.limits = {.entries = 20'000, .unpacked_bytes = archive.size() * 400, .kept_bytes = 12 * 20'000};
  CHECK(status_of(run_recorded(reference, options).result) == ExitStatus::good);
}

namespace {

/// A rule of the test's own, built in so that no policy need name it.
Rule own_rule(std::string_view id, void (*check)(const Params&, const ImageView&, Answer&)) {
  Rule rule{};
  rule.doc.id = id;
  rule.doc.summary = "of a test";
  rule.doc.built_in = true;
  rule.plan = [](const Params&, Plan& plan) {
    plan.tree();
    plan.on_demand(FactKind::content);
  };
  rule.check = check;
  return rule;
}

ImageResult run_with(const Rule& rule, const std::string& reference) {
  std::vector<const Rule*> rules(all_rules().begin(), all_rules().end());
  rules.push_back(&rule);
  RunOptions options = run_options(looks_at_files);
  options.reference = reference;
  return check_image(options, rules);
}

}  // namespace

TEST_CASE("pipeline: a rule that trips over a placeholder is asked again") {
  const TempDir dir;
  const std::string reference = write_oci_layout(small_image(), dir / "image");
  const Rule rule = own_rule("own", [](const Params&, const ImageView& image, Answer& answer) {
    const std::string text = image.text_of("/data/real/settings").value();
    answer.evidence(std::string(1, text.at(4)));  // out_of_range on the empty placeholder
  });
  const ImageResult result = run_with(rule, reference);
  REQUIRE_FALSE(result.unreadable);
  const CheckResult* const own = find_check(result, "own");
  REQUIRE(own != nullptr);
  CHECK(own->outcome == Outcome::pass);
  CHECK(own->evidence.front().text == "1");
  CHECK(status_of(result) == ExitStatus::good);
}

TEST_CASE("pipeline: what a rule throws is the error of that check") {
  const TempDir dir;
  const std::string reference = write_oci_layout(small_image(), dir / "image");
  const Rule rule = own_rule("own", [](const Params&, const ImageView&, Answer& answer) {
    answer.evidence("looked");
    throw std::out_of_range("a fault of the rule");
  });
  const ImageResult result = run_with(rule, reference);
  REQUIRE_FALSE(result.unreadable);
  CHECK(find_check(result, "own")->outcome == Outcome::error);
  CHECK(find_check(result, "tested")->outcome == Outcome::pass);
  CHECK(status_of(result) == ExitStatus::untrusted);
}

TEST_CASE("pipeline: a chain of names longer than the rounds of reading is an error, never off") {
  // Each variable names the file of the next; each file lies behind a link, so that no pattern foresees it.
  std::string image = "layers: [{files: {";
  std::string links = "links: {", variables, texts;
  constexpr int length = 9;
  for (int i = 0; i < length; ++i) {
    image += "/x/" + std::to_string(i) + ": n" + std::to_string(i + 1) + ", ";
    links += "/l/n" + std::to_string(i) + ": ../x/" + std::to_string(i) + ", ";
    variables +=
        "  v" + std::to_string(i + 1) + ": {file: '/l/" + (i == 0 ? "n0" : "$(v" + std::to_string(i) + ")") + "'}\n";
  }
  const TempDir dir;
  const std::string reference =
      write_oci_layout(describe_image(image + "/z: z}, " + links + "/l/z: ../z}}]"), dir / "image");
  for (const char* mode : {"auto", "required"}) {
    const std::string gated = "policy: test\nlanguage: 1\nsummary: a test\nvariables:\n" + variables +
                              "gates:\n  late: {detect: {variable: v9, matches: '^never$'}, mode: " + mode +
                              "}\n"
                              "checks:\n  - {id: behind, rule: file, when: late, with: {file: /no/such/file}}\n"
                              "  - {id: always, rule: file, with: {file: /z}}\n";
    const Run run = run_recorded(reference, run_options(gated));
    INFO(write_text(std::vector<ImageResult>{run.result}, {}));
    REQUIRE_FALSE(run.result.unreadable);
    CHECK(status_of(run.result) == ExitStatus::untrusted);
    CHECK(find_check(run.result, "behind")->outcome == Outcome::error);
  }
}

TEST_CASE("facts: checks that look at one big file ask for its ranges together") {
  std::deque<LayerIndex> layers(1);
  FactStore facts(std::move(layers));
  const InodeId inode{0, 7};
  const std::vector<Range> ranges{{1 << 20, 64}};
  for (int read = 0; read < FactStore::targeted_reads; ++read) {
    for (int check = 0; check < 10; ++check) CHECK(facts.want_elf_ranges(inode, ranges));
    const Refill refill = facts.take_missing();
    REQUIRE(refill.size() == 1);
    CHECK(refill.at(0).at(7).ranges.size() == 1);
  }
  CHECK_FALSE(facts.want_elf_ranges(inode, ranges));
  CHECK(facts.take_missing().empty());
}
