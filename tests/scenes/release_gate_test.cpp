// The gate of a release, minutes after the push: the real program, a real registry, the images of the second story.
//
// The good image has the patched pair of libraries under every name; the stock one is what a build ships whose guards
// all ended in success. OCILINT_SCENES names the folder with both; CTest sets it.
#include <catch2/catch.hpp>

#include <atomic>
#include <cstdlib>

#include "base/file.h"
#include "cli/program.h"
#include "support/real_registry.h"

using namespace ocilint;
using namespace ocilint::testing;
namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t most = 64u << 20;
constexpr const char* symbol = "hsa_amd_signal_create_v2";
constexpr const char* replaced[] = {"libhsa-runtime64.so.1.18.70204", "libamdhip64.so.7.2.70204"};

std::string scenes() {
  const char* const value = std::getenv("OCILINT_SCENES");
  return value == nullptr ? "" : value;
}

const Json& row(const Json& list, const std::string& name) {
  for (const Json& one : list)
    if (one["name"] == name) return one;
  FAIL("no scene " << name);
  return list;
}

struct Gate : Program {
  Json list = parse_json(read_file(scenes() + "/scenes.json", most))["scenes"];
  std::string good = row(list, "swap-done-right-inline")["image"], stock = row(list, "stock-shipped")["image"];
  std::string policy = row(list, "stock-shipped")["policy"];
  RealRegistry registry;

  Gate() {
    registry.push(good, "release/image:good");
    registry.push(stock, "release/image:stock");
  }

  std::string tag(const std::string& address, const std::string& name) const {
    return "docker://" + address + "/release/" + name;
  }

  Finished check(std::vector<std::string> words) {
    words.insert(words.begin(), "check");
    words.insert(words.end(),
                 {"-p", policy, "--gate", "rocm-7.2.4=required", "--digest-file", "digest", "--attest", "statement"});
    return (*this)(words);
  }

  std::string text_of(const std::string& name) const { return read_file(path("work/" + name), most); }
  bool is_there(const std::string& name) const { return fs::exists(path("work/" + name)); }

  /// Of a tag as the registry has it now, computed by another tool.
  std::string digest_of(const std::string& name) const {
    const std::string file = path("manifest");
    REQUIRE(run_program({"skopeo", "inspect", "--raw", "--tls-verify=false", tag(registry.address(), name)}, file) ==
            0);
    return Digest::sha256_of(read_file(file, most)).text();
  }

  Json statement() const { return parse_json(text_of("statement")); }
};

std::vector<std::string> texts_of(const Json& sarif, const std::string& check) {
  std::vector<std::string> out;
  for (const Json& result : sarif["runs"][0]["results"])
    if (result["ruleId"].get<std::string>().ends_with("/" + check)) out.push_back(result.dump());
  return out;
}

bool any_has(const std::vector<std::string>& texts, std::string_view part) {
  return std::any_of(texts.begin(), texts.end(), [&](const std::string& text) { return contains(text, part); });
}

bool skipped() {
  if (!scenes().empty() && RealRegistry::is_there()) return false;
  WARN(
      "skipped: OCILINT_SCENES names no folder (ctest sets it), or docker-registry, skopeo, htpasswd or openssl is missing");
  return true;
}

}  // namespace

TEST_CASE("a release gate on published tags") {
  if (skipped()) return;
  Gate gate;
  const std::string registry = gate.registry.address();

  {
    INFO("the good tag: 0, with evidence, the digest for the next job and a statement about it");
    const Finished got = gate.check({gate.tag(registry, "image:good"), "-o", "text"});
    INFO(got.out << got.err);
    CHECK(got.status == 0);
    CHECK(contains(got.out, "verdict: pass (exit status 0)"));
    CHECK(contains(got.out, std::string("pass     backport-symbol")));
    CHECK(contains(got.out, symbol));
    CHECK(gate.text_of("digest") == gate.digest_of("image:good") + "\n");
    const Json statement = gate.statement();
    CHECK("sha256:" + statement["subject"][0]["digest"]["sha256"].get<std::string>() == gate.digest_of("image:good"));
    CHECK(statement["predicate"]["failedTests"].empty());
  }
  {
    INFO("the stock tag: 1, and both reports name the missing symbol and the files that should have been replaced");
    const Finished got =
        gate.check({gate.tag(registry, "image:stock"), "-o", "sarif=r.sarif", "-o", "junit=r.xml", "-o", "text"});
    INFO(got.out << got.err);
    CHECK(got.status == 1);
    const Json sarif = parse_json(gate.text_of("r.sarif"));
    CHECK(any_has(texts_of(sarif, "backport-symbol"), symbol));
    const std::string junit = gate.text_of("r.xml");
    CHECK(contains(junit, symbol));
    for (const char* const file : replaced) {
      INFO(file);
      CHECK(any_has(texts_of(sarif, "really-replaced"), file));
      CHECK(contains(junit, file));
    }
    CHECK_FALSE(gate.is_there("digest"));
    CHECK(gate.statement()["predicate"]["result"] == "FAILED");
    CHECK(contains(gate.statement()["predicate"]["failedTests"].dump(), "/backport-symbol"));
  }
}

TEST_CASE("a tag that moves between resolving and reading: the verdict is about the first digest") {
  if (skipped()) return;
  Gate gate;
  gate.registry.push(gate.good, "release/image:moving");
  const std::string first = gate.digest_of("image:moving");
  std::atomic<bool> moved{false};
  HttpServer proxy([&](const HttpServer::Request& request) {
    HttpServer::Reply reply = HttpServer::forward(request, gate.registry.port());
    if (request.target.ends_with("/manifests/moving") && !moved.exchange(true))
      gate.registry.push(gate.stock, "release/image:moving");
    return reply;
  });
  const Finished got = gate.check({gate.tag(proxy.address(), "image:moving"), "-o", "json"});
  INFO(got.out << got.err);
  REQUIRE(moved);
  CHECK(gate.digest_of("image:moving") != first);
  CHECK(got.status == 0);
  CHECK(parse_json(got.out)["images"][0]["manifest_digest"] == first);
  CHECK(gate.text_of("digest") == first + "\n");
  CHECK("sha256:" + gate.statement()["subject"][0]["digest"]["sha256"].get<std::string>() == first);
  // Who asks again hears of the other image.
  CHECK(gate.check({gate.tag(gate.registry.address(), "image:moving")}).status == 1);
}

TEST_CASE("a blob that is cut is 3, and of two tags the unreadable one hides nothing of the other") {
  if (skipped()) return;
  Gate gate;
  // Its layers are its own: what another image of the run has proven by digest need not be read again.
  gate.registry.push(row(gate.list, "swap-done-right-zstd")["image"], "release/cut:good");
  std::atomic<std::size_t> cuts{0};
  HttpServer proxy([&](const HttpServer::Request& request) {
    HttpServer::Reply reply = HttpServer::forward(request, gate.registry.port());
    constexpr std::size_t large = 5'000;  // layers; what asks for the rest of one gets nothing
    const bool rest = !request.header("range").empty();
    if (contains(request.target, "/release/cut/blobs/") && (rest || reply.body.size() > large)) {
      ++cuts;
      reply.cut_after = rest ? 0 : reply.body.size() / 2;
    }
    return reply;
  });
  const std::string cut = gate.tag(proxy.address(), "cut:good"), good = gate.tag(proxy.address(), "image:good");
  const Finished one = gate.check({cut, "--retry-times", "1"});
  INFO(one.out << one.err);
  CHECK(one.status == 3);
  CHECK(cuts > 0);
  CHECK_FALSE(gate.is_there("digest"));
  CHECK_FALSE(gate.is_there("statement"));

  for (const auto& order : {std::vector{good, cut}, std::vector{cut, good}}) {
    const Finished both = gate.check({order[0], order[1], "--retry-times", "0", "-o", "json"});
    INFO(both.out << both.err);
    CHECK(both.status == 3);
    const Json images = parse_json(both.out)["images"];
    REQUIRE(images.size() == 2);
    for (const Json& image : images) {
      const bool is_good = image["reference"] == good;
      CHECK(image["exit_status"] == (is_good ? 0 : 3));
      CHECK(image.contains("error") == !is_good);
      if (is_good) CHECK(image["manifest_digest"] == gate.digest_of("image:good"));
    }
    CHECK(contains(both.err, "cut:good"));
    CHECK_FALSE(gate.is_there("digest"));
    CHECK_FALSE(gate.is_there("statement"));
  }
}
