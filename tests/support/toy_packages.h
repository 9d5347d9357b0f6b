// Images with a small dpkg database, for tests of rules about packages: layers by LayerBuilder, packages as dpkg
// would have recorded them, and the answer of one rule.
//
//   ToyImage image;
//   image.layer("FROM").install({.name = "a", .files = {{"/usr/x", "1"}}});
//   image.layer("RUN cp").raw().file("/usr/x", "2");
//   const Answer answer = image.check("package-files");
#pragma once

#include <algorithm>
#include <deque>
#include <initializer_list>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "check/package_db.h"
#include "check/rule.h"
#include "support/layer_builder.h"

namespace ocilint::test {

inline std::string md5_hex(std::string_view text) {
  Hasher hasher(Algorithm::md5);
  hasher.update(as_bytes(text));
  return hasher.finish().hex();
}

struct Toy {
  std::string name;
  std::string version = "1.0";
  std::string architecture = "amd64";
  std::string status = "install ok installed";
  std::map<std::string, std::string> files{};      // path -> content, with a digest
  std::map<std::string, std::string> links{};      // path -> target
  std::map<std::string, std::string> conffiles{};  // path -> content
  std::string control{};                           // more lines of the stanza
  bool same = false;                               // Multi-Arch: same

  std::string info_name() const { return same ? name + ":" + architecture : name; }
  std::string stanza() const {
    std::string out = "Package: " + name + "\nStatus: " + status + "\nArchitecture: " + architecture +
                      "\nVersion: " + version + "\n" + control;
    if (same) out += "Multi-Arch: same\n";
    if (!conffiles.empty()) out += "Conffiles:\n";
    for (const auto& [path, content] : conffiles) out += " " + path + " " + md5_hex(content) + "\n";
    return out + "\n";
  }
  std::string list() const {
    std::map<std::string, bool> paths;
    for (const auto* part : {&files, &links, &conffiles})
      for (const auto& [path, unused] : *part)
        for (std::string_view at = path; at != "/"; at = parent_path(at)) paths[std::string(at)] = true;
    std::string out = "/.\n";
    for (const auto& [path, unused] : paths) out += path + "\n";
    return out;
  }
  std::string md5sums() const {
    std::string out;
    for (const auto& [path, content] : files) out += md5_hex(content) + "  " + path.substr(1) + "\n";
    return out;
  }
};

class ToyLayer {
 public:
  explicit ToyLayer(std::map<std::string, Toy>& packages) : packages_(packages) {}

  LayerBuilder& raw() { return builder_; }
  ToyLayer& install(const Toy& toy) {
    record(toy);
    for (const auto* part : {&toy.files, &toy.conffiles})
      for (const auto& [path, content] : *part) builder_.file(path, content);
    for (const auto& [path, target] : toy.links) builder_.symlink(path, target);
    return *this;
  }
  /// The database alone, with other texts where the test wants them.
  ToyLayer& record(const Toy& toy) { return record(toy, toy.list(), toy.md5sums()); }
  ToyLayer& record(const Toy& toy, std::string_view list, std::string_view md5sums) {
    packages_[toy.info_name()] = toy;
    touched_ = true;
    builder_.file("/var/lib/dpkg/info/" + toy.info_name() + ".list", list);
    builder_.file("/var/lib/dpkg/info/" + toy.info_name() + ".md5sums", md5sums);
    return *this;
  }
  ToyLayer& status(const Toy& toy) {
    packages_[toy.info_name()] = toy;
    touched_ = true;
    return *this;
  }
  ToyLayer& remove(const std::string& info_name) {
    packages_.erase(info_name);
    touched_ = true;
    return *this;
  }
  LayerIndex build() {
    if (touched_) {
      std::string text;
      for (const auto& [name, toy] : packages_) text += toy.stanza();
      builder_.file("/var/lib/dpkg/status", text);
      builder_.file("/var/lib/dpkg/info/format", "1\n");
    }
    return builder_.build();
  }

 private:
  std::map<std::string, Toy>& packages_;
  LayerBuilder builder_;
  bool touched_ = false;
};

inline const Rule& rule_of(std::string_view id) {
  const Rule* const rule = find_rule(all_rules(), id);
  if (rule == nullptr) throw std::runtime_error("no such rule");
  return *rule;
}

class ToyImage {
 public:
  /// Finishes the layer before.
  ToyLayer& layer(std::string created_by) {
    finish();
    created_by_.push_back(std::move(created_by));
    return open_.emplace(packages_);
  }

  /// Ends the image and makes its view, with what the rule declares.
  const ImageView& view(std::string_view rule, const Params& with) {
    finish();
    if (layers_.empty() && facts_ != nullptr) return again(rule, with);
    facts_ = std::make_unique<FactStore>(std::move(layers_));
    tree_ = std::make_unique<MergedTree>(MergedTree::build(facts_->indexes(), View::overlay));
    scanned_ = std::unique_ptr<Scanned>(new Scanned{image_, {}, tree_.get(), nullptr, {}, *facts_, nullptr});
    for (const std::string& line : created_by_) {
      LayerInfo info;
      info.created_by = line;
      scanned_->layers.push_back(info);
    }
    return again(rule, with);
  }
  /// A new view of the same image.
  const ImageView& again(std::string_view rule, const Params& with) {
    Demand demand;
    Plan plan(demand);
    rule_of(rule).plan(with, plan);
    view_ = std::make_unique<ImageView>(*scanned_, plan.declared());
    return *view_;
  }
  FactStore& facts() { return *facts_; }

  using With = std::initializer_list<std::pair<std::string_view, ParamValue>>;
  Answer check(std::string_view rule, With values = {}) {
    Params with(rule_of(rule).doc.params);
    for (const auto& [name, value] : values) with.set(name, value);
    Answer answer;
    rule_of(rule).check(with, view(rule, with), answer);
    if (view_->pending()) throw std::runtime_error("a fact is missing");
    return answer;
  }

 private:
  void finish() {
    if (open_) layers_.push_back(open_->build());
    open_.reset();
  }

  std::map<std::string, Toy> packages_;
  std::optional<ToyLayer> open_;
  std::deque<LayerIndex> layers_;
  std::vector<std::string> created_by_;
  Image image_;
  std::unique_ptr<FactStore> facts_;
  std::unique_ptr<MergedTree> tree_;
  std::unique_ptr<Scanned> scanned_;
  std::unique_ptr<ImageView> view_;
};

inline PathSet paths(std::initializer_list<std::string_view> globs) {
  PathSet out;
  for (const std::string_view glob : globs) {
    out.include.push_back(Glob::parse(glob));
    out.text += (out.text.empty() ? "" : ", ") + std::string(glob);
  }
  return out;
}

/// "kind subject" of each finding, sorted.
inline std::vector<std::string> lines(const Answer& answer) {
  std::vector<std::string> out;
  for (const Finding& finding : answer.findings()) out.push_back(finding.kind + " " + finding.subject);
  std::sort(out.begin(), out.end());
  return out;
}

inline bool says(const Answer& answer, std::string_view text) {
  for (const Evidence& evidence : answer.evidence())
    if (evidence.text.find(text) != std::string::npos) return true;
  for (const std::string& error : answer.errors())
    if (error.find(text) != std::string::npos) return true;
  for (const Finding& finding : answer.findings()) {
    if (finding.message.find(text) != std::string::npos) return true;
    for (const std::string& detail : finding.details)
      if (detail.find(text) != std::string::npos) return true;
  }
  return false;
}

}  // namespace ocilint::test
