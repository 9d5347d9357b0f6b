// Every verb that looks, on every image of the fixtures: nothing crashes, and every exit status is one that the verb
// has. A run takes a tenth of the pairs, [.full] all of them.
#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>

#include "support/places.h"
#include "program.h"

using namespace ocilint;
using namespace ocilint::testing;

namespace {

const std::string fixtures = std::string(test::source_dir) + "/../shared/fixtures";

std::vector<std::string> references() {
  std::vector<std::string> out;
  if (!std::filesystem::is_directory(fixtures)) {
    WARN("skipped: no fixtures beside the repository");
    return out;
  }
  for (const auto& entry : std::filesystem::directory_iterator(fixtures))
    if (entry.path().filename().string().find("__") != std::string::npos) out.push_back(entry.path().string());
  std::ranges::sort(out);
  return out;
}

/// A regular file of the image, or one that no image has.
std::string some_file(const Program& run, const std::string& reference) {
  const Finished found = run({"find", reference, "--type", "f", "-o", "json"});
  if (found.status != 0) return "/etc/passwd";
  const Json json = parse_json(found.out);
  return json["files"].empty() ? "/etc/passwd" : json["files"][json["files"].size() / 2]["path"].get<std::string>();
}

void look(const Program& run, const std::vector<std::string>& call) {
  INFO(call[0] << " " << call[1]);
  const Finished got = run(call);
  INFO(got.err);
  const bool sane = got.status == 0 || got.status == 2 || got.status == 3 || (got.status == 1 && call[0] == "diff");
  CHECK(sane);
  CHECK_FALSE(contains(got.err, "internal"));
  CHECK((got.status != 3 || (got.out.empty() && !got.err.empty())));
  const bool json = std::ranges::find(call, "json") != call.end();
  if (json && !got.out.empty()) CHECK_NOTHROW(parse_json(got.out));
}

void look_at_all(std::size_t one_of) {
  Program run;
  std::size_t turn = 0;
  for (const std::string& reference : references()) {
    std::string file;
    const std::vector<std::string> verbs = {"inspect", "history", "layers", "ls",    "find", "packages",
                                            "diff",    "stat",    "cat",    "blame", "elf"};
    for (const std::string& verb : verbs) {
      if (turn++ % one_of != 0) continue;
      std::vector<std::string> call = {verb, reference};
      if (verb == "diff") call.push_back(reference);
      if (verb == "stat" || verb == "cat" || verb == "blame" || verb == "elf") {
        if (file.empty()) file = some_file(run, reference);
        call.push_back(file);
      }
      look(run, call);
      if (one_of > 1) continue;
      call.insert(call.end(), {"-o", "json"});
      look(run, call);
    }
  }
}

}  // namespace

TEST_CASE("verbs that look end as they say on real images: some") { look_at_all(10); }

TEST_CASE("verbs that look end as they say on real images: all", "[.full]") { look_at_all(1); }
