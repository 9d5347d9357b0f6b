// Who of the installed packages asks for whom, by the records of apk, rpm, Python and Node, and what keeps each there.
//
// dpkg's is check/apt_autoremove.h, which decides as apt does. Here names are matched as each manager matches them:
// apk's so:, cmd:, pc: and what else is provided; rpm's provides and owned paths; Python's names where markers and
// extras hold for the interpreter; Node's folders node_modules, from a package upwards. Of versions only those that
// must be equal are judged: whoever installed the packages did the rest. Several that give the same count as asked for,
// each. Values; pure functions of the view; throw what the view throws, Error{limit} for more relations than managers
// meet.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "check/image_view.h"
#include "check/installed_packages.h"
#include "check/rule.h"

namespace ocilint {

struct PackageGraph {
  struct Ask {
    std::string field;                  // "depends", "Requires", "Requires-Dist", "dependencies"
    std::string text;                   // as recorded: "so:libssl.so.3", "bash >= 5"
    std::vector<std::uint32_t> met_by;  // members; none: nobody is there
  };
  struct Member {
    std::string name, version, architecture;
    std::string place;             // of Python and Node: its metadata
    std::optional<bool> manual{};  // asked for by name; nullopt when nothing records it
    bool outside = false;          // no package: a list or project that asks for some
    std::vector<Ask> asks{};
  };
  struct Step {
    std::uint32_t member = 0;
    const Ask* by = nullptr;  // of the step before; null: the chain begins here
  };

  Manager manager = Manager::apk;
  std::string title;  // "Python 3.12 of /opt/venv", "" where there is one
  std::vector<Member> members;
  std::vector<std::string> problems;  // what could not be read: somebody who asks may be missing

  bool knows_who_was_asked_for() const;
  /// Members that ask for it, with the ask.
  std::vector<std::pair<std::uint32_t, const Ask*>> users(std::uint32_t member) const;
};

/// The shortest chain to each member: from what was asked for by name, or where nothing records that, from packages
/// that nobody asks for. One search of the graph, which must outlive it.
class PackageChains {
 public:
  /// `without`: as if that one were not there.
  explicit PackageChains(const PackageGraph& graph, std::optional<std::uint32_t> without = {});

  bool known() const { return known_; }  // who was asked for by name
  bool leads_to(std::uint32_t member) const { return came_[member].here; }
  /// Empty: there is none.
  std::vector<PackageGraph::Step> to(std::uint32_t member) const;
  /// By another member, kept or not.
  bool is_asked_for(std::uint32_t member) const { return asked_for_[member]; }

 private:
  struct Came {
    bool here = false;
    std::uint32_t from = 0;
    const PackageGraph::Ask* by = nullptr;  // null: the chain begins here
  };

  void begin(std::optional<std::uint32_t> without);
  void show_lists();

  const PackageGraph& graph_;
  const bool known_;
  std::vector<bool> asked_for_;
  std::vector<Came> came_;
  std::vector<std::uint32_t> reached_;
};

/// Contents and facts that package_graphs() reads, beside those of plan_installed().
void plan_package_graphs(Plan& plan);
std::vector<PackageGraph> package_graphs(const ImageView& image);

}  // namespace ocilint
