// Six engines' trees of one edge case each (tests/tree/conformance_images.h) against both views.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>

#include "support/places.h"
#include "tree/conformance_cases.h"
#include "tree/conformance_images.h"

namespace ocilint::test {
namespace {

const Choice* choice_of(const std::string& name, Family family) {
  for (const Choice& choice : choices())
    if (choice.name == name && choice.family == family) return &choice;
  return nullptr;
}

struct Expected {
  Listing tree;
  bool refused = false;        // the tree is what is asked for, or nothing
  bool needs_refusal = false;  // a refusal must be there beside the tree
  std::string note;
};

Expected expected_of(const std::string& name, const Measured& engines, Family family) {
  const Choice* const choice = choice_of(name, family);
  const std::vector<std::string> members = members_of(engines, family);
  bool all_same = true, some_refuse = false;
  for (const std::string& engine : members) {
    all_same = all_same && engines.at(engine) == engines.at(members.front());
    some_refuse = some_refuse || engines.at(engine).refused;
  }
  Expected out;
  if (choice == nullptr) {
    INFO(name << ": engines of one family differ, and no choice is made");
    REQUIRE(all_same);
    out.refused = engines.at(members.front()).refused;
    out.tree = engines.at(members.front()).names;
    return out;
  }
  CHECK_FALSE(choice->reason.empty());
  out.note = choice->reason;
  out.needs_refusal = family == Family::overlay && some_refuse && choice->refusal_expected;
  if (choice->engine == "refused") {
    out.refused = true;
  } else if (choice->engine == "ours") {
    std::vector<std::string> lines(choice->lines.begin(), choice->lines.end());
    out.tree = parse_listing(lines).names;
  } else {
    REQUIRE(engines.count(std::string(choice->engine)) == 1);
    out.refused = engines.at(std::string(choice->engine)).refused;
    out.tree = engines.at(std::string(choice->engine)).names;
  }
  return out;
}

struct Outcome {
  std::string answer;  // for the table
  bool agrees = false;
};

std::string refusal_ids(const std::vector<Refusal>& refusals) {
  std::set<std::string> ids;
  for (const Refusal& refusal : refusals) ids.insert(std::string(refusal.id));
  std::string out;
  for (const std::string& id : ids) out += (out.empty() ? "" : ", ") + id;
  return out;
}

void check_view(const Loaded& image, const Expected& expected, View view) {
  if (!image.error.empty()) {
    CAPTURE(image.error);
    CHECK(expected.refused);
    return;
  }
  const MergedTree& tree = view == View::overlay ? image.views->overlay : image.views->spec;
  CAPTURE(refusal_ids(tree.refusals()));
  if (expected.refused) {
    CHECK_FALSE(tree.refusals().empty());
    return;
  }
  CHECK(to_text(listing_of(tree, image)) == to_text(expected.tree));
  if (view == View::overlay) CHECK(tree.refusals().empty() != expected.needs_refusal);
}

std::string engines_say(const Measured& engines, Family family) {
  std::map<std::string, std::vector<std::string>> groups;
  for (const std::string& engine : members_of(engines, family)) {
    const Tree& tree = engines.at(engine);
    groups[tree.refused ? "refuse" : to_text(tree.names)].push_back(engine);
  }
  std::string out;
  for (const auto& [what, names] : groups) {
    if (!out.empty()) out += "; ";
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
    if (groups.size() == 1) list = "all";
    const std::size_t count = engines.at(names.front()).names.size();
    if (what == "refuse")
      out += list + " refuse";
    else
      out += list + ": " + std::to_string(count) + (count == 1 ? " name" : " names");
  }
  return out;
}

std::string we_say(const Loaded& image, View view, const Measured& engines, Family family) {
  if (!image.error.empty()) return "unreadable";
  const MergedTree& tree = view == View::overlay ? image.views->overlay : image.views->spec;
  const Listing mine = listing_of(tree, image);
  std::string same;
  std::size_t count = 0;
  const std::vector<std::string> members = members_of(engines, family);
  for (const std::string& engine : members) {
    if (engines.at(engine).refused || to_text(engines.at(engine).names) != to_text(mine)) continue;
    same += (same.empty() ? "as " : ", ") + engine;
    ++count;
  }
  if (count == members.size()) same = "the same";
  if (same.empty()) same = std::to_string(mine.size()) + (mine.size() == 1 ? " name" : " names");
  const std::string ids = refusal_ids(tree.refusals());
  return ids.empty() ? same : same + "; refusal: " + ids;
}

std::string document(const std::map<std::string, Measured>& results) {
  std::string rows;
  std::size_t agree = 0, overlay_agree = 0, cumulative_agree = 0, overlay_same = 0, cumulative_same = 0;
  for (const auto& [name, engines] : results) {
    const Loaded image = load_case(name);
    const std::string overlay = we_say(image, View::overlay, engines, Family::overlay);
    const std::string spec = we_say(image, View::spec, engines, Family::cumulative);
    const bool one = families_agree(engines, Family::overlay);
    const bool other = families_agree(engines, Family::cumulative);
    overlay_agree += one;
    cumulative_agree += other;
    agree += one && other &&
             engines.at(members_of(engines, Family::overlay).front()) ==
                 engines.at(members_of(engines, Family::cumulative).front());
    const Choice* const first = choice_of(name, Family::overlay);
    const Choice* const second = choice_of(name, Family::cumulative);
    overlay_same += one && first == nullptr;
    cumulative_same += other && second == nullptr;
    std::string note;
    if (first != nullptr) note = std::string(first->reason);
    if (second != nullptr && (first == nullptr || second->reason != first->reason))
      note += (note.empty() ? "" : " Cumulative: ") + std::string(second->reason);
    rows += "| " + name + " | " + engines_say(engines, Family::overlay) + " | " + overlay + " | " +
            engines_say(engines, Family::cumulative) + " | " + spec + " | " + note + " |\n";
  }
  const auto number = [](std::size_t value) { return std::to_string(value); };
  return "# Conformance: both views against six engines\n\n"
         "Written by the test `tree` (case \"conformance document\"), which fails when this page is stale, "
         "from\n"
         "the measured trees of Docker 20.10.24 on overlay2, containerd 1.6.20 on overlayfs and native, "
         "Podman\n"
         "4.3.1 on overlay and vfs, and umoci 0.4.7. The overlay view is compared with the three overlay "
         "trees,\n"
         "the spec view with the cumulative engines (native, vfs, umoci): path, type, mode, owner, content, "
         "link\n"
         "target and hard-link groups. Where the engines of one family differ, or we mean to differ from "
         "them,\n"
         "the note says why. A refusal is a finding of `engine-divergence`.\n\n"
         "- cases: " +
         number(results.size()) + ", engines all of one mind: " + number(agree) +
         "\n"
         "- overlay engines of one mind: " +
         number(overlay_agree) + ", our overlay view equal to them: " + number(overlay_same) +
         "\n"
         "- cumulative engines of one mind: " +
         number(cumulative_agree) + ", our spec view equal to them: " + number(cumulative_same) +
         "\n\n"
         "| case | overlay engines | overlay view | cumulative engines | spec view | note |\n"
         "|---|---|---|---|---|---|\n" +
         rows;
}

}  // namespace

TEST_CASE("both views show what the engines show", "[conformance]") {
  const auto results = measured();
  if (results.empty()) {
    WARN("skipped: no conformance images beside the repository");
    return;
  }
  for (const auto& [name, engines] : results) {
    DYNAMIC_SECTION(name) {
      const Loaded image = load_case(name);
      {
        INFO("overlay view");
        check_view(image, expected_of(name, engines, Family::overlay), View::overlay);
      }
      INFO("spec view");
      check_view(image, expected_of(name, engines, Family::cumulative), View::spec);
    }
  }
}

TEST_CASE("every choice belongs to a case", "[conformance]") {
  const auto results = measured();
  if (results.empty()) return;
  for (const Choice& choice : choices()) CHECK(results.count(std::string(choice.name)) == 1);
}

TEST_CASE("conformance document", "[conformance]") {
  const auto results = measured();
  if (results.empty()) {
    WARN("skipped: no conformance images beside the repository");
    return;
  }
  const std::string now = document(results);
  const std::string file = std::string(test::source_dir) + "/docs/conformance.md";
  if (std::getenv("OCILINT_WRITE_DOCS") != nullptr) std::ofstream(file, std::ios::binary) << now;
  std::ifstream in(file, std::ios::binary);
  const std::string committed{std::istreambuf_iterator<char>(in), {}};
  INFO("stale: run OCILINT_WRITE_DOCS=1 test_tree \"conformance document\"");
  CHECK(committed == now);
}

}  // namespace ocilint::test
