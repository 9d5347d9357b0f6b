#include <catch2/catch.hpp>

#include "base/error.h"
#include "check/python_dists.h"
#include "support/toy_packages.h"

using namespace ocilint;
using namespace ocilint::test;
using Lines = std::vector<std::string>;
using Texts = std::vector<std::string>;

namespace {

const std::string venv = "/opt/venv/lib/python3.12/site-packages";

std::string metadata(const std::string& name, const std::string& version, const Texts& requires_dist = {}) {
  std::string out = "Metadata-Version: 2.1\nName: " + name + "\nVersion: " + version + "\n";
  for (const std::string& text : requires_dist) out += "Requires-Dist: " + text + "\n";
  return out + "\nA description.\n";
}

/// A .dist-info as pip leaves it.
void add(ToyLayer& layer, const std::string& site, const std::string& name, const std::string& version,
         const Texts& requires_dist = {}) {
  layer.raw().file(site + "/" + name + "-" + version + ".dist-info/METADATA", metadata(name, version, requires_dist));
}

struct Dist {
  std::string name, version;
  Texts requires_dist{};
};

ToyImage image_of(const std::vector<Dist>& dists, const std::string& site = venv) {
  ToyImage image;
  ToyLayer& layer = image.layer("RUN pip install");
  layer.raw().file("/etc/os-release", "ID=debian\n");
  for (const Dist& dist : dists) add(layer, site, dist.name, dist.version, dist.requires_dist);
  return image;
}

Lines with(const std::vector<Dist>& dists, ToyImage::With values) {
  return lines(image_of(dists).check("python-dists", values));
}

}  // namespace

TEST_CASE("python-dists: required, by name and version") {
  const std::vector<Dist> dists = {{"PyYAML", "6.0.2"}, {"numpy", "2.2.6"}, {"amd_aiter", "0.1.21.post1"}};
  CHECK(with(dists, {{"required", Texts{"pyyaml", "numpy == 2.2.6", "amd-aiter==0.1.21.post1"}}}).empty());
  CHECK(with(dists, {{"required", Texts{"flydsl == 0.3.2"}}}) == Lines{"absent flydsl"});
  CHECK(with(dists, {{"required", Texts{"numpy < 2", "amd-aiter ~= 0.2"}}}) ==
        Lines{"version amd-aiter", "version numpy"});
  ToyImage image = image_of(dists);
  const Answer answer = image.check("python-dists", {{"required", Texts{"numpy == 2.2.6"}}});
  CHECK(answer.outcome() == Outcome::pass);
  CHECK(says(answer, "numpy 2.2.6 in /opt/venv/lib/python3.12/site-packages is installed, as numpy == 2.2.6 asks for"));
  CHECK(says(answer, "Python 3.12 of /opt/venv: 3 distributions"));
}

TEST_CASE("python-dists: absent names the layer that took it") {
  ToyImage image;
  add(image.layer("RUN pip install"), venv, "PyYAML", "6.0.2");
  add(image.layer("RUN pip install"), venv, "numpy", "2.2.6");
  image.layer("RUN pip uninstall -y PyYAML").raw().whiteout(venv + "/PyYAML-6.0.2.dist-info");
  const Answer answer = image.check("python-dists", {{"required", Texts{"PyYAML"}}});
  REQUIRE(lines(answer) == Lines{"absent PyYAML"});
  CHECK(answer.findings().front().layer == 2u);
  CHECK(says(answer, "it was removed"));
}

TEST_CASE("python-dists: forbidden and implied") {
  const std::vector<Dist> dists = {{"nvidia-cublas-cu12", "12.8"}, {"torch", "2.9.0+cu128"}, {"amd-aiter", "0.1"}};
  CHECK(with(dists, {{"forbidden", Texts{"nvidia_*", "cupy*"}}}) == Lines{"present nvidia-cublas-cu12"});
  CHECK(with(dists, {{"forbidden", Texts{"torch < 2.9", "triton"}}}).empty());
  CHECK(with(dists, {{"implied", Texts{"amd_aiter -> PyYAML"}}}) == Lines{"implied PyYAML"});
  CHECK(with(dists, {{"implied", Texts{"amd-aiter -> torch >= 2", "amd-aiter > 1 -> PyYAML", "flydsl -> PyYAML"}}})
            .empty());
}

TEST_CASE("python-dists: Requires-Dist with markers and extras") {
  const std::vector<Dist> dists = {
      {"app",
       "1",
       {"lib[fast,docs] (>=2,<3)", "winonly; sys_platform == 'win32'", "old; python_version < '3.9'",
        "dev-tool; extra == 'dev'", "arm; platform_machine == 'aarch64'"}},
      {"lib", "2.5", {"speedup>=1 ; extra == 'fast'", "sphinx; extra == 'docs'", "never; extra == 'other'", "base"}},
      {"speedup", "0.9"},
      {"base", "1"}};
  ToyImage image = image_of(dists);
  const Answer answer = image.check("python-dists", {{"requires_satisfied", true}});
  // The architecture of an image without one is unknown, so whether `arm` is needed is too.
  CHECK(answer.outcome() == Outcome::error);
  CHECK(says(answer, "app 1 asks for arm; platform_machine == 'aarch64'"));
  CHECK(lines(answer) == Lines{"requires-missing sphinx", "requires-version speedup"});
  CHECK(says(answer, "by its extra fast"));
  CHECK(with(dists, {{"requires_satisfied", true}, {"ignore", Texts{"lib: *", "arm"}}}).empty());
  CHECK(with(dists, {{"requires_satisfied", true}, {"ignore", Texts{"app: speedup", "sphinx"}}}) ==
        Lines{"requires-version speedup"});
}

TEST_CASE("python-dists: requirements in a circle and of itself end") {
  const std::vector<Dist> dists = {{"a", "1", {"b[x]", "a[all]; extra == 'x'"}},
                                   {"b", "1", {"a[x]; extra == 'x'", "c; extra == 'y'"}}};
  CHECK(with(dists, {{"requires_satisfied", true}}).empty());
}

TEST_CASE("python-dists: a requirement that cannot be read is no pass") {
  ToyImage image = image_of({{"a", "1", {"b (>dev)"}}});
  const Answer answer = image.check("python-dists", {{"requires_satisfied", true}});
  CHECK(answer.outcome() == Outcome::error);
  CHECK(says(answer, ">dev"));
  ToyImage ignored = image_of({{"a", "1", {"b (>dev)"}}});
  CHECK(ignored.check("python-dists", {{"requires_satisfied", true}, {"ignore", Texts{"a: *"}}}).outcome() ==
        Outcome::pass);
}

TEST_CASE("python-dists: metadata that cannot be read is an error, whatever was asked") {
  ToyImage image = image_of({{"numpy", "2"}});
  image.layer("RUN rm").raw().whiteout(venv + "/numpy-2.dist-info/METADATA").file(venv + "/numpy-2.dist-info/RECORD");
  const Answer answer = image.check("python-dists", {{"required", Texts{"numpy"}}});
  CHECK(answer.outcome() == Outcome::error);
  CHECK(says(answer, "there is no " + venv + "/numpy-2.dist-info/METADATA"));
  for (const char* name : {"old-1.0-py3.12.egg", "dev.egg-link"}) {
    ToyImage egg = image_of({{"numpy", "2"}});
    egg.layer("RUN").raw().file(venv + "/" + name, "x");
    INFO(name);
    CHECK(egg.check("python-dists", {{"forbidden", Texts{"torch"}}}).outcome() == Outcome::error);
  }
}

TEST_CASE("python-dists: eggs, as files and folders") {
  ToyImage image;
  LayerBuilder& layer = image.layer("RUN apt-get install").raw();
  const std::string site = "/usr/lib/python3/dist-packages";
  layer.file("/usr/bin/python3.11", "elf").symlink("/usr/bin/python3", "python3.11");
  layer.file(site + "/six-1.16.egg-info", metadata("six", "1.16"));
  layer.file(site + "/Debian_X-2.egg-info/PKG-INFO", metadata("Debian-X", "2"));
  layer.file(site + "/Debian_X-2.egg-info/requires.txt", "six>=2\n\n[:python_version < \"3\"]\nenum34\n");
  const Answer answer =
      image.check("python-dists", {{"required", Texts{"six", "debian.x"}}, {"requires_satisfied", true}});
  CHECK(lines(answer) == Lines{"requires-version six"});
  CHECK(says(answer, "Python 3.11 of /usr"));
}

TEST_CASE("python-dists: Debian's folders are one path, a virtual environment another") {
  const std::string local = "/usr/local/lib/python3.11/dist-packages", system = "/usr/lib/python3/dist-packages";
  ToyImage image;
  ToyLayer& layer = image.layer("RUN");
  layer.raw().file("/usr/bin/python3.11", "elf").file("/opt/venv/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.2\n");
  add(layer, system, "requests", "2.28", {"idna"});
  add(layer, local, "requests", "2.32", {"idna"});
  add(layer, local, "idna", "3");
  add(layer, "/opt/venv/lib/python3.11/site-packages", "requests", "2.31", {"idna"});
  const Answer answer = image.check(
      "python-dists", {{"one_version", true}, {"requires_satisfied", true}, {"required", Texts{"requests == 2.32"}}});
  CHECK(lines(answer) == Lines{"duplicate requests", "requires-missing idna"});
  CHECK(says(answer, "requests 2.31 of /opt/venv requires idna"));
  CHECK(says(answer, "2.32 is found first"));
}

TEST_CASE("python-dists: a virtual environment that includes the system's folders") {
  ToyImage image;
  ToyLayer& layer = image.layer("RUN");
  layer.raw().file("/usr/bin/python3.11", "elf");
  layer.raw().file("/opt/venv/pyvenv.cfg", "home = /usr/bin\ninclude-system-site-packages = true\nversion = 3.11.2\n");
  add(layer, "/usr/lib/python3/dist-packages", "idna", "3");
  add(layer, "/opt/venv/lib/python3.11/site-packages", "requests", "2.31", {"idna"});
  CHECK(lines(image.check("python-dists", {{"requires_satisfied", true}})).empty());
}

TEST_CASE("python-dists: site limits it, in the order of the policy") {
  ToyImage image;
  ToyLayer& layer = image.layer("RUN");
  add(layer, "/app/one", "a", "1");
  add(layer, "/app/two", "a", "2");
  add(layer, venv, "b", "1");
  const Answer answer = image.check(
      "python-dists",
      {{"site", paths({"/app/two", "/app/one"})}, {"required", Texts{"a == 2", "b"}}, {"one_version", true}});
  CHECK(lines(answer) == Lines{"absent b", "duplicate a"});
  CHECK(says(answer, "2 is found first"));
}

TEST_CASE("python-dists: an image without Python") {
  ToyImage none;
  none.layer("COPY").raw().file("/app", "x");
  const Answer missing = none.check("python-dists", {{"forbidden", Texts{"torch"}}});
  CHECK(lines(missing) == Lines{"missing site-packages, dist-packages"});
  ToyImage allowed;
  allowed.layer("COPY").raw().file("/app", "x");
  CHECK(allowed.check("python-dists", {{"forbidden", Texts{"torch"}}, {"allow_empty", true}}).outcome() ==
        Outcome::pass);
  ToyImage site = image_of({{"a", "1"}});
  CHECK(lines(site.check("python-dists", {{"site", paths({"/opt/other"})}, {"required", Texts{"a"}}})) ==
        Lines{"missing /opt/other"});
}

TEST_CASE("python-dists: the file of constraints is what is installed") {
  const std::vector<Dist> dists = {{"torch", "2.9.0+rocm7.0"}, {"triton", "3.4"}, {"numpy", "2.2.6"}};
  const auto check = [&](const std::string& text, std::uint64_t count) {
    ToyImage image = image_of(dists);
    image.layer("RUN pip freeze").raw().file("/etc/rocm-constraints.txt", text);
    return image.check("python-dists",
                       {{"constraints", paths({"/etc/rocm-constraints.txt"})}, {"constraints_count", count}});
  };
  const Answer same =
      check("# pinned\ntorch==2.9.0+rocm7.0\ntriton == 3.4  # comment\nnumpy==2.2.6; os_name == 'posix'\n", 3);
  CHECK(same.outcome() == Outcome::pass);
  CHECK(says(same, "torch 2.9.0+rocm7.0 in " + venv + " is as line 2"));
  CHECK(lines(check("torch==2.9.0+cu128\nflash-attn==2\n", 5)) ==
        Lines{"absent flash-attn", "constraint torch", "count /etc/rocm-constraints.txt"});
  CHECK(check("torch @ file:///w/torch-2.9.0%2Brocm7.0-cp312-cp312-linux_x86_64.whl\n", 1).outcome() == Outcome::pass);
  CHECK(lines(check("torch @ file:///w/torch-2.8.0-cp312-cp312-linux_x86_64.whl\n", 1)) == Lines{"constraint torch"});
  CHECK(check("-r other.txt\ntorch==2.9.0+rocm7.0\n", 1).outcome() == Outcome::error);
  CHECK_THROWS_AS(check("torch=2.9\n", 1), Error);
  ToyImage none = image_of(dists);
  CHECK(lines(none.check("python-dists", {{"constraints", paths({"/etc/none.txt"})}})) ==
        Lines{"missing /etc/none.txt"});
}

TEST_CASE("python-dists: build tags and lines of the metadata") {
  const std::vector<Dist> dists = {{"torch", "2.9.0+rocm7.0", {"rocm[libraries]==7.0", "filelock"}}};
  CHECK(with(dists, {{"version_pattern", Texts{"torch ~ \\+rocm", "torch !~ \\+cu"}}}).empty());
  CHECK(with(dists, {{"version_pattern", Texts{"torch !~ \\+rocm", "torch~^2\\.8"}}}) ==
        Lines{"pattern torch", "pattern torch"});
  CHECK(with(dists, {{"version_pattern", Texts{"vllm !~ cu"}}}) == Lines{"absent vllm"});
  CHECK(with(dists, {{"metadata_lines",
                      Texts{"torch ~ ^Requires-Dist: rocm\\[libraries\\]", "torch !~ ^Requires-Dist: triton"}}})
            .empty());
  ToyImage image = image_of({{"torch", "2.9.0", {"triton==3.4"}}});
  const Answer answer = image.check("python-dists", {{"metadata_lines", Texts{"torch !~ ^Requires-Dist: triton"}}});
  CHECK(lines(answer) == Lines{"metadata torch"});
  CHECK(says(answer, "Requires-Dist: triton==3.4"));
}

TEST_CASE("python-dists: extension modules carry the tag of their interpreter") {
  ToyImage image = image_of({{"a", "1"}});
  LayerBuilder& layer = image.layer("COPY --from=build").raw();
  for (const char* name :
       {"a/_x.cpython-312-x86_64-linux-gnu.so", "a/_y.abi3.so", "a/libz.so", "b/_old.cpython-311-x86_64-linux-gnu.so",
        "c/_two.cpython-311-x86_64-linux-gnu.so", "c/_two.cpython-312-x86_64-linux-gnu.so"})
    layer.file(venv + "/" + name, "x");
  const Answer answer = image.check("python-dists", {{"abi", true}});
  REQUIRE(lines(answer) == Lines{"abi " + venv + "/b"});
  CHECK(answer.findings().front().layer == 1u);
  CHECK(says(answer, "4 extension modules with the tag"));
}

TEST_CASE("python-dists: what a policy must not say") {
  const auto refuses = [](ToyImage::With values) {
    ToyImage image = image_of({{"a", "1"}});
    CHECK_THROWS_AS(image.check("python-dists", values), Error);
  };
  refuses({{"required", Texts{"a b"}}});
  refuses({{"required", Texts{"a; os_name == 'x'"}}});
  refuses({{"implied", Texts{"a, b"}}});
  refuses({{"version_pattern", Texts{"torch rocm"}}});
  refuses({{"version_pattern", Texts{"torch ~ ("}}});
  refuses({{"forbidden", Texts{"a == x y"}}});
  ToyImage nothing = image_of({{"a", "1"}});
  CHECK(nothing.check("python-dists").outcome() == Outcome::error);
  ToyImage empty = image_of({{"a", "1"}});
  CHECK(empty.check("python-dists", {{"required", Texts{}}, {"one_version", true}}).outcome() == Outcome::error);
}

TEST_CASE("the native files of a distribution") {
  ToyImage image;
  ToyLayer& layer = image.layer("RUN");
  add(layer, venv, "a", "1");
  layer.raw().file(
      venv + "/a-1.dist-info/RECORD",
      "a/_x.cpython-312-x86_64-linux-gnu.so,,\na.libs/libq-12.so.1.2,,\na/x.py,,\n../../../bin/a.so,,\na/so.so.py,,\n");
  Params none(rule_of("wheel-record").doc.params);
  const ImageView& view = image.view("wheel-record", none);
  const auto found = find_python_paths(view, {});
  REQUIRE(found.size() == 1);
  const PythonDists dists = PythonDists::read(view, found.front());
  REQUIRE(dists.find("a") != nullptr);
  CHECK(native_files(view, *dists.find("a")) ==
        Texts{"/opt/venv/bin/a.so", venv + "/a.libs/libq-12.so.1.2", venv + "/a/_x.cpython-312-x86_64-linux-gnu.so"});
}

TEST_CASE("python-dists: a version that cannot be compared is no proof of absence") {
  ToyImage image = image_of({{"a", "unknown"}});
  for (const auto& with : {std::pair("forbidden", "a < 2"), std::pair("implied", "a < 2 -> b")}) {
    const Answer answer = image.check("python-dists", {{with.first, Texts{with.second}}});
    CHECK(answer.outcome() == Outcome::error);
    CHECK(says(answer, "unknown"));
  }
  CHECK(lines(image.check("python-dists", {{"forbidden", Texts{"a"}}})) == Lines{"present a"});
}

TEST_CASE("python-dists: a file of constraints without any is a finding") {
  ToyImage image = image_of({{"a", "1"}});
  image.layer("RUN pip freeze").raw().file("/c.txt", "# nothing\n");
  CHECK(lines(image.check("python-dists", {{"constraints", paths({"/c.txt"})}})) == Lines{"count /c.txt"});
  CHECK(image.check("python-dists", {{"constraints", paths({"/c.txt"})}, {"constraints_count", std::uint64_t{0}}})
            .outcome() == Outcome::pass);
}

TEST_CASE("python-dists: conda's cache of packages is no environment, and no file can make a folder one") {
  const std::string cache = "/opt/conda/pkgs/a-1-py312_0";
  ToyImage conda = image_of({{"a", "1"}}, cache + "/lib/python3.12/site-packages");
  conda.layer("RUN conda")
      .raw()
      .file(cache + "/info/index.json", "{}")
      .file(venv + "/b-1.dist-info/METADATA", metadata("b", "1"));
  CHECK(conda.check("python-dists", {{"forbidden", Texts{"a"}}}).outcome() == Outcome::pass);

  ToyImage hidden = image_of({{"a", "1"}}, "/usr/lib/python3.12/site-packages");
  hidden.layer("RUN touch")
      .raw()
      .file("/usr/info/index.json", "{}")
      .file(venv + "/b-1.dist-info/METADATA", metadata("b", "1"));
  CHECK(lines(hidden.check("python-dists", {{"forbidden", Texts{"a"}}})) == Lines{"present a"});
}
