// The overlay view: rows of the facts on layers that the conformance images do not hold.
#include <algorithm>
#include <catch2/catch.hpp>

#include "support/layer_builder.h"
#include "tree/merged_tree.h"

namespace ocilint::test {
namespace {

template <class... Layers>
MergedViews views_of(const Layers&... layers) {
  return MergedTree::build_views(pointers_to(layers...));
}

std::vector<std::string> ids(const std::vector<Refusal>& refusals) {
  std::vector<std::string> out;
  for (const Refusal& refusal : refusals) out.emplace_back(refusal.id);
  return out;
}

std::vector<std::string> ids(const Oddities& oddities) {
  std::vector<std::string> out;
  for (const Oddity& oddity : oddities) out.emplace_back(oddity.id);
  return out;
}

using Ids = std::vector<std::string>;

InodeId inode_of(const MergedTree& tree, std::string_view path) {
  const auto node = tree.find(path);
  INFO(path);
  REQUIRE(node);
  return tree[*node].inode;
}

}  // namespace

TEST_CASE("a hard link to a lower file binds to the lower inode and is refused", "[tree]") {
  const LayerIndex lower = LayerBuilder().file("/a", "x").build();
  const LayerIndex upper = LayerBuilder().hardlink("/b", "/a").build();
  const MergedViews views = views_of(lower, upper);
  CHECK(inode_of(views.overlay, "/b") == InodeId{0, 0});
  CHECK(ids(views.overlay.refusals()) == Ids{"cross-layer-hardlink"});
  CHECK(views.overlay.refusals()[0].layer == 1);
  CHECK(views.overlay.refusals()[0].path == "/b");
  CHECK(views.spec.refusals().empty());
  CHECK(views.spec.names_of({0, 0}).size() == 2);
}

TEST_CASE("a link to what comes later", "[tree]") {
  SECTION("binds late when there is nothing else") {
    const LayerIndex layer = LayerBuilder().hardlink("/b", "/a").file("/a", "x").build();
    const MergedViews views = views_of(layer);
    CHECK(inode_of(views.overlay, "/b") == InodeId{0, 1});
    CHECK(inode_of(views.spec, "/b") == InodeId{0, 1});
    CHECK(ids(views.overlay.refusals()) == Ids{"forward-hardlink"});
    CHECK(ids(views.spec.refusals()) == Ids{"forward-hardlink"});
  }
  SECTION("keeps the older file of a lower layer") {
    const LayerIndex lower = LayerBuilder().file("/a", "old").build();
    const LayerIndex upper = LayerBuilder().hardlink("/b", "/a").file("/a", "new").build();
    const MergedViews views = views_of(lower, upper);
    CHECK(inode_of(views.overlay, "/b") == InodeId{0, 0});
    CHECK(inode_of(views.overlay, "/a") == InodeId{1, 1});
    CHECK(inode_of(views.spec, "/b") == InodeId{0, 0});
  }
}

TEST_CASE("aliases own the inode, not the name", "[tree]") {
  const LayerIndex lower = LayerBuilder().file("/a", "old").hardlink("/b", "/a").hardlink("/c", "/b").build();
  SECTION("a name is removed") {
    const LayerIndex upper = LayerBuilder().whiteout("/a").build();
    const MergedViews views = views_of(lower, upper);
    CHECK(views.overlay.names_of({0, 0}).size() == 2);
    CHECK_FALSE(views.overlay.find("/a"));
    CHECK(views.overlay.refusals().empty());
  }
  SECTION("a name is written again") {
    const LayerIndex upper = LayerBuilder().file("/a", "new").hardlink("/b", "/a").build();
    const MergedViews views = views_of(lower, upper);
    CHECK(views.overlay.names_of({1, 0}).size() == 2);
    CHECK(views.overlay.names_of({0, 0}).size() == 1);
    CHECK(compare(views.overlay, views.spec).empty());
    const std::vector<Event> story = views.overlay.story("/b");
    REQUIRE(story.size() == 2);
    CHECK(story[0].deed == Deed::linked);
    CHECK(story[1].inode == InodeId{1, 0});
  }
}

TEST_CASE("links that cannot be made lose the name", "[tree]") {
  SECTION("to itself") {
    const LayerIndex layer = LayerBuilder().file("/a", "x").hardlink("/a", "/a").build();
    const MergedViews views = views_of(layer);
    CHECK_FALSE(views.overlay.find("/a"));
    CHECK(ids(views.overlay.refusals()) == Ids{"duplicate-entry", "self-hardlink"});
  }
  SECTION("to a directory") {
    const LayerIndex layer = LayerBuilder().dir("/d").hardlink("/a", "/d").build();
    CHECK(ids(views_of(layer).overlay.refusals()) == Ids{"hardlink-to-directory"});
    CHECK(ids(views_of(layer).spec.refusals()) == Ids{"hardlink-to-directory"});
  }
  SECTION("to nothing") {
    const LayerIndex layer = LayerBuilder().hardlink("/a", "/gone").build();
    CHECK(ids(views_of(layer).overlay.refusals()) == Ids{"missing-hardlink-target"});
    CHECK(ids(views_of(layer).spec.refusals()) == Ids{"missing-hardlink-target"});
  }
  SECTION("to what the layer removes") {
    const LayerIndex lower = LayerBuilder().file("/a", "x").build();
    const LayerIndex upper = LayerBuilder().whiteout("/a").hardlink("/b", "/a").build();
    const MergedViews views = views_of(lower, upper);
    CHECK_FALSE(views.overlay.find("/b"));
    CHECK_FALSE(views.spec.find("/b"));
    CHECK(ids(views.overlay.refusals()) == Ids{"hardlink-to-whiteout"});
    CHECK(ids(views.spec.refusals()) == Ids{"hardlink-to-whiteout"});
  }
}

TEST_CASE("a link's header changes the shared file", "[tree]") {
  const LayerIndex layer = LayerBuilder()
                               .file("/a", "x")
                               .hardlink("/b", "../a", {.mode = 04755, .uid = 7})
                               .symlink("/s", "a")
                               .hardlink("/t", "/s", {.mode = 0600})
                               .build();
  const MergedViews views = views_of(layer);
  for (const MergedTree* const tree : {&views.overlay, &views.spec}) {
    CHECK((*tree)[*tree->find("/a")].mode == 04755);
    CHECK((*tree)[*tree->find("/a")].uid == 7);
    CHECK((*tree)[*tree->find("/t")].type == EntryType::symlink);
    CHECK((*tree)[*tree->find("/s")].mode == 0777);
  }
  CHECK(ids(views.overlay.oddities()) == Ids{"hardlink-target-escapes", "hardlink-metadata-override"});
}

TEST_CASE("a re-added target: the link keeps what it was bound to", "[tree]") {
  const LayerIndex layer = LayerBuilder().file("/a", "1").hardlink("/b", "/a").file("/a", "2").build();
  const MergedViews views = views_of(layer);
  CHECK(inode_of(views.overlay, "/b") == InodeId{0, 0});
  CHECK(inode_of(views.overlay, "/a") == InodeId{0, 2});
  CHECK(ids(views.overlay.refusals()) == Ids{"duplicate-entry"});
}

TEST_CASE("whiteouts in the layer that writes", "[tree]") {
  const LayerIndex lower = LayerBuilder().dir("/d").file("/d/old", "o").build();
  SECTION("then a directory: lower files come back on overlay engines only") {
    const LayerIndex upper = LayerBuilder().whiteout("/d").dir("/d").file("/d/new", "n").build();
    const MergedViews views = views_of(lower, upper);
    CHECK(views.overlay.find("/d/old"));
    CHECK_FALSE(views.spec.find("/d/old"));
    CHECK(ids(views.overlay.oddities()) == Ids{"whiteout-then-directory"});
    const auto differences = compare(views.overlay, views.spec);
    REQUIRE(differences.size() == 1);
    CHECK(differences[0].path == "/d/old");
    CHECK(differences[0].text == "a file on overlay engines (written by layer 0), removed by layer 1 elsewhere");
    CHECK(differences[0].layer == 1);
  }
  SECTION("an opaque mark as well: nothing comes back") {
    const LayerIndex upper = LayerBuilder().whiteout("/d").dir("/d").opaque("/d").build();
    const MergedViews views = views_of(lower, upper);
    CHECK_FALSE(views.overlay.find("/d/old"));
    CHECK(views.overlay.oddities().empty());
    CHECK(views.overlay.removed_below("/d") == std::vector<std::string>{"/d/old"});
    CHECK(views.overlay.story("/d/old").back().deed == Deed::hidden);
  }
  SECTION("a directory, then its whiteout") {
    const LayerIndex upper = LayerBuilder().dir("/d").whiteout("/d").build();
    CHECK(ids(views_of(lower, upper).overlay.refusals()) == Ids{"whiteout-same-layer"});
  }
  SECTION("a whiteout below a whited-out folder") {
    const LayerIndex upper = LayerBuilder().whiteout("/d").whiteout("/d/old").build();
    const MergedViews views = views_of(lower, upper);
    CHECK_FALSE(views.overlay.find("/d"));
    CHECK(ids(views.overlay.refusals()) == Ids{"whiteout-same-layer"});
  }
}

TEST_CASE("what only overlay takes for a whiteout", "[tree]") {
  const LayerIndex lower = LayerBuilder().dir("/d").file("/d/x", "x").file("/a", "a").build();
  SECTION("a device 0:0, and a hard link to it") {
    const LayerIndex upper = LayerBuilder().char00("/a").hardlink("/d/x", "/a").build();
    const MergedViews views = views_of(lower, upper);
    CHECK_FALSE(views.overlay.find("/a"));
    CHECK_FALSE(views.overlay.find("/d/x"));
    CHECK(views.spec[*views.spec.find("/a")].type == EntryType::character);
    CHECK(ids(views.overlay.oddities())[0] == "smuggled-whiteout");
  }
  SECTION("trusted.overlay.opaque") {
    const LayerIndex upper = LayerBuilder().dir("/d").xattr("trusted.overlay.opaque", "y").build();
    const MergedViews views = views_of(lower, upper);
    CHECK_FALSE(views.overlay.find("/d/x"));
    CHECK(views.spec.find("/d/x"));
    CHECK(ids(views.overlay.oddities()) == Ids{"smuggled-whiteout"});
  }
  SECTION("user.overlay.opaque has no effect, and is told") {
    const LayerIndex upper = LayerBuilder().dir("/d").xattr("user.overlay.opaque", "y").build();
    const MergedViews views = views_of(lower, upper);
    CHECK(views.overlay.find("/d/x"));
    CHECK(ids(views.overlay.oddities()) == Ids{"smuggled-whiteout"});
  }
}

TEST_CASE("an opaque root", "[tree]") {
  const LayerIndex lower = LayerBuilder().file("/a", "x").build();
  const LayerIndex upper = LayerBuilder().opaque("/").file("/b", "y").build();
  const MergedViews views = views_of(lower, upper);
  CHECK(views.overlay.find("/a"));
  CHECK_FALSE(views.spec.find("/a"));
  CHECK(views.spec.find("/b"));
  CHECK(ids(views.overlay.oddities()) == Ids{"root-opaque"});
}

TEST_CASE("markers go by their exact base name", "[tree]") {
  const LayerIndex lower = LayerBuilder().dir("/d").file("/d/x", "x").build();
  SECTION("a name that begins like the opaque mark") {
    const LayerIndex upper = LayerBuilder().file("/d/.wh..wh..opqX").build();
    CHECK(views_of(lower, upper).overlay.find("/d/x"));
    CHECK(views_of(lower, upper).spec.find("/d/x"));
  }
  SECTION("markers that name nothing") {
    for (const char* const name : {"/d/.wh.", "/d/.wh..", "/d/.wh..."}) {
      const LayerIndex upper = LayerBuilder().file(name).build();
      const MergedViews views = views_of(lower, upper);
      CHECK(views.overlay.find("/d/x"));
      CHECK(ids(views.overlay.refusals()) == Ids{"invalid-whiteout-name"});
      CHECK(ids(views.spec.refusals()) == Ids{"invalid-whiteout-name"});
    }
  }
  SECTION("AUFS metadata") {
    const LayerIndex upper = LayerBuilder().dir("/.wh..wh.plnk").file("/.wh..wh.aufs", "").build();
    const MergedViews views = views_of(lower, upper);
    CHECK(views.overlay.size() == 3);
    CHECK(views.spec.size() == 3);
    CHECK(ids(views.overlay.oddities()) == Ids{"aufs-leftover"});
  }
}

TEST_CASE("implied folders keep lower attributes, and it is told", "[tree]") {
  const LayerIndex lower = LayerBuilder().dir("/tmp", {.mode = 01777}).dir("/usr").build();
  const LayerIndex upper = LayerBuilder().file("/tmp/x", "").file("/usr/y", "").build();
  const MergedViews views = views_of(lower, upper);
  CHECK(views.overlay[*views.overlay.find("/tmp")].mode == 01777);
  REQUIRE(ids(views.overlay.oddities()) == Ids{"implied-parent-resets-mode"});
  CHECK(views.overlay.oddities()[0].subject == "/tmp");
  CHECK(views.overlay.oddities()[0].layer == 1);
}

TEST_CASE("links within a layer are followed", "[tree]") {
  SECTION("up to the root, which they cannot leave") {
    const LayerIndex layer = LayerBuilder().dir("/z").symlink("/l", "../../z").file("/l/x", "").build();
    const MergedViews views = views_of(layer);
    CHECK(views.overlay.find("/z/x"));
    CHECK(views.spec.find("/z/x"));
    CHECK(ids(views.overlay.refusals()) == Ids{"escaping-symlink"});
  }
  SECTION("but not for ever") {
    const LayerIndex layer = LayerBuilder().symlink("/a", "b").symlink("/b", "a").file("/a/x", "").build();
    const MergedViews views = views_of(layer);
    CHECK(ids(views.overlay.refusals()) == Ids{"symlink-loop"});
    CHECK(ids(views.spec.refusals()) == Ids{"symlink-loop"});
  }
}

TEST_CASE("the ROCm case reads well", "[tree]") {
  const LayerIndex lower = LayerBuilder()
                               .symlink("/etc/alternatives/rocm", "/opt/rocm-7.2.4")
                               .file("/opt/rocm-7.2.4/lib/libhip.so", "h")
                               .symlink("/opt/rocm", "/etc/alternatives/rocm")
                               .build();
  const LayerIndex upper = LayerBuilder().file("/opt/rocm/lib/libnew.so", "n").build();
  const MergedViews views = views_of(lower, upper);
  const auto differences = compare(views.overlay, views.spec);
  REQUIRE(differences.size() == 2);
  CHECK(differences[0].path == "/opt/rocm");
  CHECK(differences[0].text ==
        "a directory on overlay engines (made by layer 1), a symbolic link to /etc/alternatives/rocm "
        "elsewhere; "
        "hides 1 name");
  CHECK(differences[0].layer == 1);
  CHECK(differences[1].path == "/opt/rocm-7.2.4/lib/libnew.so");
  CHECK(differences[1].text == "absent on overlay engines, a file elsewhere (written by layer 1)");
}

}  // namespace ocilint::test
