// The parts of a policy, each made of its YAML node. load.cpp puts them together, and verify_names() then looks at
// what they say of each other. For this stage, and for the cases of policies, which are written in the same way.
// All throw Error{policy} with the place.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "policy/policy.h"

namespace ocilint {

inline constexpr std::size_t longest_name = 100;  // of ids, variables, gates and sets

/// Letters, digits, `_`, `-` and `.`; the first is a letter or a digit.
bool is_name(std::string_view text);

/// Refuses keys that are not `known`, with the nearest one.
void verify_keys(const YamlNode& map, std::initializer_list<std::string_view> known);

/// A name that this node gives to something.
std::string load_name(const YamlNode& node);
void verify_name(const YamlNode::Member& member);
/// "x" for every variable; at the front of a path "/x": what a pattern looks like, before values are known.
std::string with_placeholders(const Template& from, bool path);
/// A text in which variables are not expanded.
std::string load_plain(const YamlNode& node);

Variable load_variable(const YamlNode::Member& member);
Gate load_gate(const YamlNode::Member& member);
GateChoice load_choice(const YamlNode& node);
FileSet load_file_set(const YamlNode& node);  // a list, one text, or {include, exclude}
Check load_check(const YamlNode& node, std::span<const Rule* const> rules);
std::chrono::sys_days load_date(const YamlNode& node);  // YYYY-MM-DD
Waiver load_waiver(const YamlNode& node, std::chrono::sys_days today);

/// The set and every set that it refers to, each once.
std::vector<const FileSet*> sets_within(const Policy& policy, const FileSet& set);

/// Does the variable hold several values? Only for a policy whose names were verified.
bool is_list(const Policy& policy, const Variable& variable);

/// Every name leads somewhere, nothing leads to itself, and lists stand where lists may.
void verify_names(const Policy& policy, std::span<const Rule* const> rules);

}  // namespace ocilint
