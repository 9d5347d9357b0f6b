// `ocilint blame`. To accept new texts: OCILINT_APPROVE=1 ctest -R ^look
#include "report/blame.h"

#include "look_kit.h"

using namespace ocilint;
using namespace ocilint::testing;

namespace {

// A library of a package is replaced by a link to a build, put back by a later layer, and one alias stays behind.
constexpr const char* usual_image = R"(
layers:
  - run: ADD rootfs.tar /
    directories: [/usr/lib]
    files: {/usr/lib/libx.so.1.0: stock}
    links: {/lib: usr/lib}
    hardlinks: {/usr/lib/alias.so: /usr/lib/libx.so.1.0, /usr/lib/other.so: /usr/lib/libx.so.1.0}
  - run: RUN /bin/sh -c make install
    files: {/opt/x/libx.so: built}
  - run: RUN /bin/sh -c ln -f /opt/x/libx.so /usr/lib/libx.so.1.0
    files: {/opt/x/libx.so: built}
    hardlinks: {/usr/lib/libx.so.1.0: /opt/x/libx.so}
  - run: RUN /bin/sh -c chown 1:2 /usr/lib/libx.so.1.0 && chmod 600 /usr/lib/libx.so.1.0
    files: {/usr/lib/libx.so.1.0: {content: built, mode: '600', owner: '1:2'}}
  - run: RUN /bin/sh -c apt-get install --reinstall libx1
    files: {/usr/lib/libx.so.1.0: stock}
  - run: RUN /bin/sh -c rm /usr/lib/libx.so.1.0
    remove: [/usr/lib/libx.so.1.0]
  - run: RUN /bin/sh -c ln -s alias.so /usr/lib/libx.so.1.0
    links: {/usr/lib/libx.so.1.0: alias.so}
  - run: RUN /bin/sh -c rm -r /usr/lib
    remove: [/usr/lib]
)";

Blame blame_of(const TestImage& image, const std::string& path) {
  return look_at(image, [&](const RunOptions& options) { return look_at_story(options, path); });
}
using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("blame: each layer that touched the name, what changed and what shared its file") {
  const Blame blame = blame_of(describe_image(usual_image), "/usr/lib/libx.so.1.0");
  std::vector<std::uint32_t> layers;
  for (const BlameRow& row : blame.rows) layers.push_back(row.layer);
  REQUIRE(layers == std::vector<std::uint32_t>{0, 2, 3, 4, 5, 6, 7});
  CHECK(blame.rows[0].deeds == std::vector{Deed::wrote});
  CHECK(blame.rows[0].changes.empty());
  CHECK(blame.rows[0].shared == Texts{"/usr/lib/alias.so", "/usr/lib/other.so"});
  CHECK(blame.rows[1].deeds == std::vector{Deed::linked});
  CHECK(blame.rows[1].changes == Texts{"content, 5 -> 5 bytes", "names"});
  CHECK(blame.rows[1].shared == Texts{"/opt/x/libx.so"});
  CHECK(blame.rows[2].changes == Texts{"mode 0644 -> 0600", "owner 0:0 -> 1:2", "names"});
  CHECK(blame.rows[2].sha256 == blame.rows[1].sha256);
  CHECK(blame.rows[2].shared.empty());
  CHECK(blame.rows[3].changes == Texts{"content, 5 -> 5 bytes", "mode 0600 -> 0644", "owner 1:2 -> 0:0"});
  CHECK(blame.rows[3].sha256 == blame.rows[0].sha256);
  CHECK(blame.rows[4].deeds == std::vector{Deed::removed});
  CHECK_FALSE(blame.rows[4].after);
  CHECK(blame.rows[5].changes.empty());  // there was nothing before
  REQUIRE(blame.rows[5].after);
  CHECK(blame.rows[5].after->link == "alias.so");
  CHECK_FALSE(blame.rows[6].after);
  CHECK(blame.rows[3].command.text() == "RUN apt-get install --reinstall libx1");
}

TEST_CASE("blame: links in parent folders are followed while they are there") {
  const char* const image = "layers:\n- files: {/usr/lib/a: x}\n  links: {/lib: usr/lib}\n- files: {/usr/lib/a: y}\n";
  const Blame blame = blame_of(describe_image(image), "/lib/a");
  CHECK(blame.path == "/usr/lib/a");
  CHECK(blame.rows.size() == 2);
  CHECK(blame_of(describe_image(image), "/lib").rows.size() == 1);
}

TEST_CASE("blame: a name that never was is no story") {
  try {
    blame_of(describe_image(usual_image), "/usr/lib/liby.so");
    FAIL("nothing was thrown");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::usage);
    CHECK(std::string(error.what()) == "/usr/lib/liby.so: no layer ever had it");
  }
}

TEST_CASE("blame: the approved texts") {
  const Blame blame = blame_of(describe_image(usual_image), "/usr/lib/libx.so.1.0");
  check_approved("look/blame.txt", write_blame_text(blame, looked_at()));
  check_approved("look/blame.json", without_version(write_blame_json(blame), "version"));
}

TEST_CASE("blame: hostile names and lines act on nobody") {
  TestImage image;
  const std::string name = hostile_text();
  for (int i = 0; i < 2; ++i) {
    test::TarWriter tar;
    tar.file(name.substr(1), std::string(static_cast<std::size_t>(i), 'x'), {});
    image.layer_tars.push_back(tar.finish());
    image.created_by.push_back("RUN a\n::error::x \x1b[2J && ##[error]");
  }
  const Blame blame = blame_of(image, name);
  CHECK(blame.rows.size() == 2);
  for (const std::size_t width : {0u, 40u, 100u}) CHECK(acting(write_blame_text(blame, looked_at(width)), true) == "");
  CHECK(acting(write_blame_json(blame), false) == "");
}

TEST_CASE("blame: the names of one file over the layers of the fixtures") {
  const std::string image = fixtures + "/oci-tools__hard-link-delete-4";
  if (!std::filesystem::exists(image)) {
    WARN("skipped: the image is not there");
    return;
  }
  // A file and its alias, an alias of that in the next layer, and the third removes the first alias.
  const RunOptions options = look_options(image);
  const Blame middle = look_at_story(options, "/a/b/bar");
  REQUIRE(middle.rows.size() == 2);
  CHECK(middle.rows[0].layer == 0);
  CHECK(middle.rows[0].shared == Texts{"/a/b/foo"});
  CHECK(middle.rows[1].layer == 2);
  CHECK_FALSE(middle.rows[1].after);
  const Blame last = look_at_story(options, "/a/b/baz");
  REQUIRE(last.rows.size() == 1);
  CHECK(last.rows[0].layer == 1);
  CHECK(last.rows[0].deeds == std::vector{Deed::linked});
  CHECK(last.rows[0].shared == Texts{"/a/b/bar", "/a/b/foo"});
}
