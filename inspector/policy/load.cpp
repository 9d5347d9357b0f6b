#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/nearest.h"
#include "policy/known_detectors.h"
#include "policy/load_parts.h"

namespace ocilint {
namespace {

bool is_path(std::string_view text) {
  return text.find('/') != std::string_view::npos || text.ends_with(".yaml") || text.ends_with(".yml");
}

const ShippedPolicy* find_shipped(std::string_view name, std::span<const ShippedPolicy> shipped) {
  const auto found = std::ranges::find(shipped, name, &ShippedPolicy::name);
  return found == shipped.end() ? nullptr : &*found;
}

std::string unknown_shipped(std::string_view name, std::span<const ShippedPolicy> shipped) {
  std::vector<std::string> names;
  for (const ShippedPolicy& policy : shipped) names.emplace_back(policy.name);
  return fmt::format("no policy '{}' is shipped{} (a path has a slash or ends in .yaml)", name,
                     did_you_mean(name, names));
}

std::string shipped_file(std::string_view name) { return fmt::format("shipped:{}", name); }

/// One policy and what it extends. Bases are put in before what builds on them, each once.
class Loader {
 public:
  explicit Loader(const LoadContext& context) : context_(context) {}

  Policy load(std::string_view text, const std::string& file) {
    out_.file = file;
    take(text, file, false);
    verify_names(out_, context_.rules);
    (void)known_detectors({&out_, 1});
    return std::move(out_);
  }

 private:
  void take(std::string_view text, const std::string& file, bool shipped) {
    const YamlNode top = YamlNode::parse(text, file);
    verify_keys(top, {"policy", "language", "summary", "extends", "variables", "gates", "files", "checks", "waivers"});
    verify_language(top);
    open_.push_back(file);
    if (const YamlNode* bases = top.find("extends"))
      for (const YamlNode* base : bases->texts()) take_base(*base, file, shipped);
    open_.pop_back();
    done_.push_back(file);
    take_own(top);
    out_.sources.push_back({file, Digest::sha256_of(text)});
  }

  static void verify_language(const YamlNode& top) {
    const YamlNode* language = top.find("language");
    if (!language) top.fail("a policy needs 'language: 1'");
    if (const std::uint64_t number = language->number(); number != 1)
      language->fail(fmt::format("this program knows language 1, not {}", number));
  }

  void take_base(const YamlNode& base, const std::string& file, bool shipped) {
    const std::string& name = base.text();
    if (!is_path(name)) {
      const ShippedPolicy* found = find_shipped(name, context_.shipped);
      if (!found) base.fail(unknown_shipped(name, context_.shipped));
      if (enter(base, shipped_file(name))) take(found->text, shipped_file(name), true);
      return;
    }
    if (shipped) base.fail("a shipped policy extends shipped policies only");
    const std::filesystem::path beside = std::filesystem::path(file).parent_path() / name;
    const std::string path = beside.lexically_normal().string();
    if (!enter(base, path)) return;
    std::string text;
    try {
      text = context_.read_file(path);
    } catch (const Error& e) {
      base.fail(e.what());
    }
    take(text, path, false);
  }

  /// False: it is part of the policy already.
  bool enter(const YamlNode& base, const std::string& file) {
    if (std::ranges::find(open_, file) != open_.end() ||
        std::filesystem::path(open_.front()).lexically_normal() == std::filesystem::path(file))
      base.fail(fmt::format("'{}' extends itself: {} -> {}", file, fmt::join(open_, " -> "), file));
    if (std::ranges::find(done_, file) != done_.end()) return false;
    if (open_.size() + done_.size() >= policy_bases)
      base.fail(fmt::format("more than {} policies extend each other", policy_bases));
    return true;
  }

  void take_own(const YamlNode& top) {
    const YamlNode* name = top.find("policy");
    if (!name) top.fail("a policy needs its name: 'policy: NAME'");
    out_.name = load_name(*name);
    out_.summary.clear();
    if (const YamlNode* summary = top.find("summary")) out_.summary = load_plain(*summary);
    if (const YamlNode* variables = top.find("variables"))
      for (const auto& member : variables->members())
        out_.variables.insert_or_assign(member.key, load_variable(member));
    if (const YamlNode* gates = top.find("gates")) take_gates(*gates);
    if (const YamlNode* files = top.find("files")) {
      for (const auto& member : files->members()) {
        verify_name(member);
        out_.files.insert_or_assign(member.key, load_file_set(*member.value));
      }
    }
    if (const YamlNode* checks = top.find("checks")) take_checks(*checks);
    if (const YamlNode* waivers = top.find("waivers"))
      for (const YamlNode& item : waivers->items()) out_.waivers.push_back(load_waiver(item, context_.today));
  }

  void take_gates(const YamlNode& gates) {
    for (const auto& member : gates.members()) {
      if (member.key == "any_of") {
        out_.any_of = load_choice(*member.value);
      } else if (member.key == "one_of") {
        out_.one_of = load_choice(*member.value);
      } else if (member.value->kind() == YamlNode::Kind::list) {
        const std::string keys[] = {"any_of", "one_of"};
        member.key_place.fail(
            fmt::format("a list of gates is any_of or one_of, not '{}'{}", member.key, did_you_mean(member.key, keys)));
      } else {
        out_.gates.insert_or_assign(member.key, load_gate(member));
      }
    }
  }

  void take_checks(const YamlNode& checks) {
    std::vector<std::string> own;  // of this file: overriding is for what another one brought
    for (const YamlNode& item : checks.items()) {
      Check check = load_check(item, context_.rules);
      if (std::ranges::find(own, check.id) != own.end())
        item.find("id")->fail(fmt::format("there are two checks '{}'", check.id));
      own.push_back(check.id);
      const auto inherited = std::ranges::find(out_.checks, check.id, &Check::id);
      if (inherited != out_.checks.end()) {
        *inherited = std::move(check);
      } else {
        if (out_.checks.size() >= policy_checks)
          item.fail(fmt::format("more than {} checks in one policy", policy_checks));
        out_.checks.push_back(std::move(check));
      }
    }
  }

  const LoadContext& context_;
  Policy out_;
  std::vector<std::string> open_;  // from the policy itself down to the base being read
  std::vector<std::string> done_;
};

}  // namespace

const Check* Policy::find_check(std::string_view id) const {
  const auto found = std::ranges::find(checks, id, &Check::id);
  return found == checks.end() ? nullptr : &*found;
}

Policy load_policy(std::string_view text, std::string file_name, const LoadContext& context) {
  return Loader(context).load(text, file_name);
}

Policy load_named(const std::string& name_or_path, const LoadContext& context) {
  if (is_path(name_or_path)) return load_policy(context.read_file(name_or_path), name_or_path, context);
  const ShippedPolicy* found = find_shipped(name_or_path, context.shipped);
  if (!found) throw Error(ErrorKind::usage, unknown_shipped(name_or_path, context.shipped));
  return load_policy(found->text, shipped_file(name_or_path), context);
}

}  // namespace ocilint
