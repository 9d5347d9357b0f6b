// Packages for tests of apt's algorithm: texts of status and extended_states, and what comes out by names.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "check/apt_autoremove.h"
#include "check/apt_options.h"
#include "check/apt_universe.h"
#include "facts/apt_conf.h"
#include "facts/apt_extended_states.h"
#include "facts/dpkg_status.h"

namespace ocilint::test {

using Names = std::vector<std::string>;

class PackageSet {
 public:
  PackageSet(std::string_view status, std::string_view states, std::vector<std::string> architectures = {"amd64"})
      : status_(DpkgStatus::parse(status)),
        universe_(members(status_, AptExtendedStates::parse(states), architectures), architectures) {
    options_.architectures = std::move(architectures);
  }
  PackageSet(const PackageSet&) = delete;

  AptOptions& options() { return options_; }
  void configure(std::string_view apt_conf) { options_.take(AptConf::parse(apt_conf)); }
  const AptUniverse& universe() const { return universe_; }

  AptAutoremove autoremove() const { return {universe_, options_}; }
  Names names(const std::vector<std::uint32_t>& members) const {
    Names out;
    for (const std::uint32_t member : members) out.push_back(universe_.name(member));
    std::sort(out.begin(), out.end());
    return out;
  }
  Names removed(bool perhaps = false) const { return names(autoremove().removed(perhaps)); }
  std::uint32_t member(std::string_view name) const {
    for (std::uint32_t i = 0; i < universe_.members().size(); ++i)
      if (universe_.name(i) == name) return i;
    throw std::runtime_error("no such member");
  }
  AptLevel level(std::string_view name) const { return autoremove().level(member(name)); }
  std::string chain(std::string_view name) const { return autoremove().chain_text(member(name)); }
  /// Members with a dependency of which apt's order of stanzas decides whether it is met.
  Names doubtful() const {
    std::vector<std::uint32_t> out;
    for (std::uint32_t i = 0; i < universe_.members().size(); ++i)
      for (const AptUniverse::Need& need : universe_.needs(universe_.members()[i]))
        if (universe_.choice(need).order_matters) out.push_back(i);
    return names(out);
  }
  /// Members with a dependency that is unmet, or that clash with another.
  Names broken() const {
    std::vector<std::uint32_t> out;
    for (const AptUniverse::Unmet& unmet : universe_.unmet()) out.push_back(unmet.member);
    for (const AptUniverse::Clash& clash : universe_.clashes()) out.push_back(clash.member);
    Names all = names(out);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  }

 private:
  static std::vector<AptUniverse::Member> members(const DpkgStatus& status, const AptExtendedStates& states,
                                                  const std::vector<std::string>& architectures) {
    std::vector<AptUniverse::Member> out;
    for (const DpkgPackage& package : status.packages)
      out.push_back({.control = &package,
                     .automatic = states.automatic(
                         package.name, package.architecture == "all" ? architectures.front() : package.architecture)});
    return out;
  }

  DpkgStatus status_;
  AptUniverse universe_;
  AptOptions options_;
};

}  // namespace ocilint::test
