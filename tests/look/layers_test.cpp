// `ocilint layers` and what it measures. Dive's own figures for one of its images are the oracle of the score.
// To accept new texts: OCILINT_APPROVE=1 ctest -R ^look
#include "report/layers.h"

#include "look_kit.h"

using namespace ocilint;
using namespace ocilint::testing;

namespace {

ImageLayers layers_of(const TestImage& image) { return look_at(image, look_at_layers); }
ImageLayers layers_of(const char* yaml) { return layers_of(describe_image(yaml)); }

constexpr const char* usual_image = R"(
layers:
  - run: ADD rootfs.tar /
    directories: [/etc, /var/cache, /opt]
    files: {/etc/a: aaaaaaaaaa, /var/cache/x: 0123456789, /var/cache/y: '01234', /opt/kept: kkkkkkkk}
    hardlinks: {/opt/alias: /opt/kept}
    links: {/etc/link: a}
  - run: RUN /bin/sh -c chmod 600 /etc/a && rm -r /var/cache && rm /opt/kept && echo a very long command that does not fit into any line
    files: {/etc/a: {content: aaaaaaaaaa, mode: '600'}, /etc/b: b}
    remove: [/var/cache, /opt/kept]
  - run: ENV A=b
  - run: RUN ln -s b /etc/a
    links: {/etc/a: b}
)";

}  // namespace

TEST_CASE("layers: the approved text and JSON") {
  const ImageLayers layers = layers_of(usual_image);
  check_approved("look/layers.txt", write_layers_text(layers, looked_at(100), 2));
  check_approved("look/layers_file.txt", write_layers_text(layers, looked_at(0), 0));
  check_approved("look/layers.json", without_version(write_layers_json(layers, 10), "version"));
}

TEST_CASE("layers: a narrow terminal has room for the command before it has for digits") {
  const ImageLayers layers = layers_of(usual_image);
  const std::string narrow = write_layers_text(layers, looked_at(60), 0),
                    usual = write_layers_text(layers, looked_at(80), 0);
  CHECK(narrow.find("stored") == std::string::npos);
  CHECK(usual.find("stored") != std::string::npos);
  CHECK(usual.find("digest") == std::string::npos);
  for (const auto& [text, width] : {std::pair(&narrow, 60u), std::pair(&usual, 80u)}) {
    std::istringstream lines(*text);
    std::string line;
    std::getline(lines, line);  // a digest is not broken
    while (std::getline(lines, line)) CHECK(columns(line) <= width);
  }
}

TEST_CASE("layers: what each adds, changes, removes and hides") {
  const ImageLayers layers = layers_of(usual_image);
  REQUIRE(layers.rows.size() == 4);
  const auto use = [&](std::size_t layer) {
    const LayerUse& one = layers.rows[layer].use;
    return std::vector<std::uint64_t>{one.added, one.changed, one.removed, one.content_bytes, one.hidden_bytes};
  };
  CHECK(use(0) == std::vector<std::uint64_t>{6, 0, 0, 33, 25});  // /etc/a and the cache; /opt/kept has an alias
  CHECK(use(1) == std::vector<std::uint64_t>{1, 1, 3, 11, 10});
  CHECK(use(2) == std::vector<std::uint64_t>{0, 0, 0, 0, 0});
  CHECK(use(3) == std::vector<std::uint64_t>{0, 1, 0, 0, 0});
  const Efficiency& efficiency = layers.efficiency;
  CHECK(efficiency.content_bytes == 44);
  CHECK(efficiency.hidden_bytes == 35);
  REQUIRE(efficiency.hidden.size() == 3);
  CHECK(efficiency.hidden[0].path == "/etc/a");
  CHECK(efficiency.hidden[0].bytes == 20);
  CHECK(efficiency.hidden[0].layers == std::vector<std::uint32_t>{0, 1});
  CHECK(efficiency.hidden[0].last_layer == 3);
  CHECK(efficiency.hidden[1].path == "/var/cache/x");
  CHECK(efficiency.hidden[1].last_layer == 1);
}

TEST_CASE("layers: the score by dive's definition, by hand") {
  const auto score = [](const char* yaml) { return layers_of(yaml).efficiency.score(); };
  CHECK(score("layers: [{files: {/a: 0123456789}}]") == 1.0);
  CHECK(score("layers: []") == 1.0);
  CHECK(score("layers: [{files: {/a: 0123456789}}, {files: {/a: 0123456789}}]") == 0.5);
  CHECK(score("layers: [{files: {/a: 0123456789}}, {files: {/a: '01234'}}]") == Approx(5.0 / 15));
  CHECK(score("layers: [{files: {/a: 0123456789}}, {remove: [/a]}]") == 0.0);
  CHECK(score("layers: [{files: {/a: 01234, /b: 0123456789}}, {remove: [/a]}]") == Approx(10.0 / 15));
  // The removal of a folder counts with what was below, once: it lowers nothing.
  CHECK(score("layers: [{directories: [/d], files: {/d/a: 0123456789}}, {remove: [/d]}]") == 1.0);
  CHECK(score("layers: [{directories: [/d], files: {/d/a: '0123456789'}}, {remove: [/d]}, {directories: [/d]}]") ==
        Approx(10.0 / 20));
  CHECK(score("layers: [{files: {/a: 0123456789}, hardlinks: {/b: /a}}, {hardlinks: {/b: /a}}]") == 1.0);
}

TEST_CASE("layers: dive's own image has dive's own figures") {
  const std::string image = fixtures + "/dive__test-docker-image.tar";
  if (!std::filesystem::exists(image)) {
    WARN("skipped: the image is not there");
    return;
  }
  const ImageLayers layers = look_at_layers(look_options(image));
  CHECK(layers.efficiency.score() == Approx(0.9844212134184309).epsilon(1e-12));
  CHECK(layers.efficiency.repeated_bytes == 32025);
  CHECK(layers.efficiency.content_bytes == 1220598);
  CHECK(layers.rows.size() == 14);
}

TEST_CASE("layers: every fixture is measured or refused, and figures are plausible") {
  std::size_t shown = 0;
  for (const std::string& reference : fixture_references()) {
    INFO(reference);
    try {
      const ImageLayers layers = look_at_layers(look_options(reference));
      ++shown;
      const Efficiency& efficiency = layers.efficiency;
      CHECK(layers.rows.size() == layers.image.layers);
      CHECK(efficiency.hidden_bytes <= efficiency.content_bytes);
      CHECK(efficiency.least_bytes <= efficiency.stated_bytes);
      std::uint64_t of_paths = 0;
      for (const HiddenPath& path : efficiency.hidden) of_paths += path.bytes;
      CHECK(of_paths == efficiency.hidden_bytes);
      CHECK(acting(write_layers_text(layers, looked_at(), 20), true) == "");
      CHECK(acting(write_layers_json(layers, 20), false) == "");
    } catch (const Error& error) {
      CHECK(error.kind() != ErrorKind::internal);
    }
  }
  if (std::filesystem::is_directory(fixtures)) CHECK(shown > 40);
}

TEST_CASE("layers: hostile names and lines act on nobody") {
  TestImage image;
  const std::string name = hostile_text();
  for (const char* const content : {"1", "22"}) {
    test::TarWriter tar;
    tar.file(name.substr(1), content, {});
    image.layer_tars.push_back(tar.finish());
    image.created_by.push_back("RUN \x1b[2J\n::error::x ##[error] && y");
  }
  const ImageLayers layers = layers_of(image);
  REQUIRE_FALSE(layers.efficiency.hidden.empty());
  for (const std::size_t width : {0u, 40u, 100u})
    CHECK(acting(write_layers_text(layers, looked_at(width), 9), true) == "");
  CHECK(acting(write_layers_json(layers, 9), false) == "");
  REQUIRE_NOTHROW(parse_json(write_layers_json(layers, 9)));
}

TEST_CASE("a share is rounded down, so that 100 % is all of it") {
  CHECK(percent(1.0) == "100.0 %");
  CHECK(percent(0.99999) == "99.9 %");
  CHECK(percent(0.0) == "0.0 %");
}
