// What a picture is drawn from: sizes that add up, each inode once, the stories of names with findings, no secrets.
#include "run/survey.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <fstream>

#include "check/image_view.h"
#include "run/redact.h"
#include "support/check_kit.h"

using namespace ocilint;
using namespace ocilint::testing;

namespace {

constexpr const char* image_text = R"(
layers:
  - run: ADD rootfs.tar /
    directories: [/opt/lib, /var/cache]
    files: {/opt/lib/libx.so.1.0: aaaaaaaaaaaaaaaaaaaa, /var/cache/x: '0123456789', /etc/a: a}
    hardlinks: {/opt/lib/libx.so.1: /opt/lib/libx.so.1.0}
    links: {/lib: opt/lib, /opt/lib/libx.so: libx.so.1}
  - run: RUN cp new /opt/lib/libx.so.1
    files: {/opt/lib/libx.so.1: bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb}
    remove: [/var/cache]
  - run: RUN ln -f
    hardlinks: {/opt/lib/copy: /opt/lib/libx.so.1}
    files: {/opt/lib/libx.so.1: bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb}
)";

ImageResult surveyed(const std::string& image, const std::string& policy) {
  RunOptions options = run_options(policy);
  options.survey = true;
  return run_on(describe_image(image), options);
}

const SizeNode* find(const ImageSurvey& survey, const std::string& path, bool rest = false) {
  const auto found =
      std::ranges::find_if(survey.sizes, [&](const SizeNode& node) { return node.path == path && node.rest == rest; });
  return found == survey.sizes.end() ? nullptr : &*found;
}

std::string events_of(const StoryName& name) {
  static constexpr const char* words[] = {"wrote", "linked", "removed", "hidden"};
  std::string out = name.path;
  for (const StoryEvent& event : name.events) {
    out += " " + std::to_string(event.layer) + words[static_cast<int>(event.deed)];
    if (event.inode != SizeNode::none) out += static_cast<char>('A' + event.inode);
  }
  return out;
}

}  // namespace

TEST_CASE("survey: only when asked for, and it changes nothing else") {
  const std::string policy = policy_of("file-absent", "{files: [/opt/lib/libx.so.1]}");
  const ImageResult without = run_on(describe_image(image_text), run_options(policy));
  CHECK_FALSE(without.survey);
  const ImageResult with = surveyed(image_text, policy);
  REQUIRE(with.survey);
  REQUIRE(with.checks.size() == without.checks.size());
  for (std::size_t i = 0; i < with.checks.size(); ++i) CHECK(lines_of(with.checks[i]) == lines_of(without.checks[i]));
}

TEST_CASE("survey: sizes add up, an inode counts once, layers and findings are entered") {
  const ImageResult result = surveyed(image_text, policy_of("file-absent", "{files: [/lib/libx.so.1.0]}"));
  REQUIRE(result.survey);
  const ImageSurvey& survey = *result.survey;
  REQUIRE(!survey.sizes.empty());
  CHECK(survey.sizes[0].path == "/");
  for (std::size_t i = 0; i < survey.sizes.size(); ++i) {
    std::uint64_t below = 0;
    bool any = false;
    for (std::size_t j = 0; j < survey.sizes.size(); ++j)
      if (survey.sizes[j].parent == i) {
        CHECK(j > i);
        below += survey.sizes[j].bytes;
        any = true;
      }
    if (any) CHECK(below == survey.sizes[i].bytes);
  }
  REQUIRE(find(survey, "/opt/lib/libx.so.1.0") != nullptr);
  CHECK(find(survey, "/opt/lib/libx.so.1.0")->bytes == 20);
  CHECK(find(survey, "/opt/lib/libx.so.1.0")->layer == 0);
  CHECK(find(survey, "/var/cache/x") == nullptr);
  // The finding's path leads through a link; the folders above know of it.
  CHECK(find(survey, "/opt/lib/libx.so.1.0")->severity == std::uint8_t{2});
  CHECK(survey.sizes[0].severity == std::uint8_t{2});
  CHECK_FALSE(find(survey, "/etc")->severity.has_value());
  REQUIRE(survey.layers.size() == 3);
  CHECK(survey.layers[0].added == 6);
  CHECK(survey.layers[0].hidden_bytes == 10);
  CHECK(survey.hidden_bytes >= 10);
  CHECK_FALSE(survey.packages_known);
}

TEST_CASE("survey: owners of every manager whose database was read, and none of those that nobody read") {
  const std::string apk =
      "C:Q1AAAAAAAAAAAAAAAAAAAAAAAAAAA=\\nP:musl\\nV:1.2-r0\\nA:x86_64\\nF:lib\\nR:ld-musl.so\\n\\n";
  const std::string image = "layers:\n  - files: {/lib/apk/db/installed: \"" + apk +
                            "\", /lib/ld-musl.so: '0123456789012345678901234567890123456789', /srv/own: '" +
                            std::string(300, 'o') + "'}\n";
  const ImageResult read = surveyed(image, policy_of("package-files", "{managers: [apk]}"));
  REQUIRE(read.survey);
  CHECK(read.survey->packages_known);
  CHECK(read.survey->packages == std::vector<std::string>{"musl"});
  REQUIRE(find(*read.survey, "/lib/ld-musl.so") != nullptr);
  CHECK(find(*read.survey, "/lib/ld-musl.so")->package == 0u);
  CHECK(find(*read.survey, "/srv/own")->package == SizeNode::none);
  const ImageResult other = surveyed(image, policy_of("file-absent", "{files: [/nothing]}"));
  CHECK_FALSE(other.survey->packages_known);
  CHECK(other.survey->packages.empty());
}

TEST_CASE("survey: Python's distributions by RECORD, but not those of the operating system") {
  const std::string site = "/opt/venv/lib/python3.11/site-packages";
  const std::string image =
      "layers:\n  - files: {" + site + "/six.py: '" + std::string(200, 's') + "', " + site +
      "/six-1.dist-info/METADATA: \"Name: six\\nVersion: 1\\n\\n\", " + site +
      "/six-1.dist-info/RECORD: \"six.py,,\\nsix-1.dist-info/METADATA,,\\nsix-1.dist-info/RECORD,,\\n\", /opt/venv/pyvenv.cfg: \"home = /usr/bin\\n\"}\n";
  const ImageResult result = surveyed(image, policy_of("package-files", "{managers: [python]}"));
  REQUIRE(result.survey);
  REQUIRE(find(*result.survey, site + "/six.py") != nullptr);
  REQUIRE(result.survey->packages_known);
  CHECK(result.survey->packages == std::vector<std::string>{"six (python)"});
  CHECK(find(*result.survey, site + "/six.py")->package == 0u);
}

TEST_CASE("survey: the story of a finding's file has every name that ever was one file with it") {
  const ImageResult result = surveyed(image_text, policy_of("file-absent", "{files: [/lib/libx.so.1, /etc/nothing]}"));
  const CheckResult* const check = find_check(result, "tested");
  REQUIRE(check != nullptr);
  REQUIRE(check->findings.size() == 1);
  REQUIRE(check->findings[0].story == 0u);
  const NameStory& story = result.survey->stories.at(0);
  std::vector<std::string> lines;
  for (const StoryName& name : story.names) lines.push_back(events_of(name));
  REQUIRE(lines.size() >= 2);
  CHECK(lines[0] == "/opt/lib/libx.so.1 0linkedA 1wroteB 2wroteC");
  CHECK(std::ranges::find(lines, "/opt/lib/libx.so.1.0 0wroteA") != lines.end());
}

TEST_CASE("survey: hundreds of thousands of names become what can be drawn, and the rest is counted") {
  std::string files;
  for (int i = 0; i < 5000; ++i)
    files += (i == 0 ? "" : ", ") +
             ("/d/" + std::to_string(i / 100) + "/f" + std::to_string(i) + ": x" + std::string(i % 7, 'y'));
  const ImageResult result =
      surveyed("layers:\n  - files: {" + files + ", /big: '" + std::string(800'000, 'z') + "'}\n",
               policy_of("file-absent", "{files: [/nothing]}"));
  REQUIRE(result.survey);
  CHECK(result.survey->sizes.size() < 200);
  CHECK(result.survey->sizes[0].files == 5001);
  REQUIRE(find(*result.survey, "/", true) == nullptr);
  CHECK(find(*result.survey, "/d")->files == 5000);
}

TEST_CASE("survey: a secret in a name is hidden in the whole path and in its folders") {
  const std::string secret = std::string("Kx9") + "vT2/" + "qLm7Rw" + "Zp4D";
  ImageResult result;
  result.survey.emplace();
  ImageSurvey& survey = *result.survey;
  const auto add = [&](const std::string& path, std::uint32_t parent) {
    SizeNode& node = survey.sizes.emplace_back();
    node.path = path;
    node.parent = parent;
  };
  add("/", SizeNode::none);
  add("/srv", 0);
  add("/srv/Kx9vT2", 1);
  add("/srv/" + secret, 2);
  survey.hidden.push_back({"/tmp/" + secret, 1, {0}, 0});
  survey.packages = {secret};
  survey.stories.push_back({{{"/x/" + secret, secret, {}}}, 0});
  redact(result, {}, Redaction{{secret}, {}});
  std::string all;
  for (const SizeNode& node : survey.sizes) all += node.path + "\n";
  all += survey.hidden[0].path + "\n" + survey.packages[0] + "\n" + survey.stories[0].names[0].path + "\n" +
         survey.stories[0].names[0].link;
  INFO(all);
  CHECK(all.find("Kx9") == std::string::npos);
  CHECK(all.find("qLm7Rw") == std::string::npos);
  CHECK(survey.sizes[1].path == "/srv");
  CHECK(survey.sizes[2].path.starts_with("/srv/["));
}
