#include "policy/load_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/nearest.h"
#include "base/path.h"
#include "check/package_relation.h"
#include "policy/pattern.h"

namespace ocilint {
namespace {

/// The path of one file, which variables may stand in.
Template load_path(const YamlNode& node) {
  Template path = Template::parse(node);
  const std::string sample = with_placeholders(path, true);
  if (sample.find_first_of("*?[\\") != std::string::npos) node.fail("is the path of one file, not a pattern");
  if (!sample.starts_with('/') || normalise(sample).path != sample)
    node.fail("must be an absolute path without '.', '..' or a slash at the end");
  return path;
}

void verify_glob(const Template& glob) {
  if (glob.text.size() > policy_pattern_bytes)
    glob.place.fail(fmt::format("a pattern of more than {} bytes", policy_pattern_bytes));
  try {
    (void)Glob::parse(with_placeholders(glob, true));
  } catch (const Error& e) {
    glob.place.fail(fmt::format("'{}': {}", glob.text, e.what()));
  }
}

void verify_package(const YamlNode& node) {
  try {
    (void)PackageRelation::parse(node.text());
  } catch (const Error& e) {
    node.fail(e.what());
  }
}

/// Exactly one of these keys, which says what kind of thing the map describes.
const YamlNode& one_key_of(const YamlNode& map, std::initializer_list<std::string_view> keys) {
  const YamlNode* found = nullptr;
  for (const std::string_view key : keys) {
    const YamlNode* value = map.find(key);
    if (value && found) value->fail(fmt::format("stands beside '{}'; one of them is enough", found->key()));
    if (value) found = value;
  }
  if (!found) map.fail(fmt::format("needs one of: {}", fmt::join(keys, ", ")));
  return *found;
}

}  // namespace

void verify_keys(const YamlNode& map, std::initializer_list<std::string_view> known) {
  for (const YamlNode::Member& member : map.members()) {
    if (std::find(known.begin(), known.end(), member.key) != known.end()) continue;
    const std::vector<std::string> names(known.begin(), known.end());
    member.key_place.fail(fmt::format("unknown key '{}'{}", member.key, did_you_mean(member.key, names)));
  }
}

std::string load_name(const YamlNode& node) {
  const std::string& name = node.text();
  if (!is_name(name))
    node.fail(fmt::format("'{}' is not a name: letters, digits, '_', '-' and '.', at most {}", name, longest_name));
  return name;
}

void verify_name(const YamlNode::Member& member) {
  if (!is_name(member.key))
    member.key_place.fail(
        fmt::format("'{}' is not a name: letters, digits, '_', '-' and '.', at most {}", member.key, longest_name));
}

std::string load_plain(const YamlNode& node) {
  const std::string& text = node.text();
  if (text.find("$(") != std::string::npos) node.fail("variables are not expanded here");
  return text;
}

Variable load_variable(const YamlNode::Member& member) {
  verify_name(member);
  const YamlNode& node = *member.value;
  verify_keys(node, {"file", "key", "pattern", "each", "env", "label", "from", "default"});
  const YamlNode& source = one_key_of(node, {"file", "env", "label", "from"});
  Variable out;
  out.name = member.key;
  out.place = member.key_place;
  if (source.key() == "file") {
    out.source = Variable::Source::file;
    out.file = load_path(source);
  } else {
    out.source = source.key() == "env"     ? Variable::Source::env
                 : source.key() == "label" ? Variable::Source::label
                                           : Variable::Source::from;
    out.of = load_plain(source);
  }
  const YamlNode* key = node.find("key");
  const YamlNode* pattern = node.find("pattern");
  const YamlNode* each = node.find("each");
  if ((key || each) && out.source != Variable::Source::file)
    (key ? key : each)->fail("belongs to a variable that is read from a file");
  if (each && (key || pattern)) each->fail("stands alone: every line is a value");
  if (out.source == Variable::Source::from && !pattern) node.fail("'from' needs a pattern that chooses values");
  if (key) out.key = load_plain(*key);
  if (const YamlNode* re = each ? each : pattern) out.pattern = compile_pattern(load_plain(*re), re->place());
  out.list = each != nullptr;
  if (const YamlNode* otherwise = node.find("default")) out.otherwise = Template::parse(*otherwise);
  return out;
}

Gate load_gate(const YamlNode::Member& member) {
  verify_name(member);
  verify_keys(*member.value, {"detect", "mode"});
  const YamlNode* detect = member.value->find("detect");
  if (!detect) member.value->fail("a gate needs 'detect'");
  verify_keys(*detect, {"file", "package", "env", "label", "variable", "matches"});
  const YamlNode& kind = one_key_of(*detect, {"file", "package", "env", "label", "variable"});
  Gate out;
  out.name = member.key;
  out.place = member.key_place;
  if (kind.key() == "file") {
    out.kind = Gate::Kind::file;
    out.file = load_path(kind);
  } else {
    out.kind = kind.key() == "package" ? Gate::Kind::package
               : kind.key() == "env"   ? Gate::Kind::env
               : kind.key() == "label" ? Gate::Kind::label
                                       : Gate::Kind::variable;
    out.of = load_plain(kind);
  }
  if (out.kind == Gate::Kind::package) verify_package(kind);
  if (const YamlNode* matches = detect->find("matches")) {
    if (out.kind == Gate::Kind::package) matches->fail("a package has no text to match; write 'name (>= 1.2)'");
    out.matches = Template::parse(*matches);
    (void)compile_pattern(with_placeholders(*out.matches, false), matches->place());
  }
  if (const YamlNode* mode = member.value->find("mode")) {
    const std::string& text = mode->text();
    if (text != "auto" && text != "required") mode->fail(fmt::format("must be auto or required, is '{}'", text));
    out.mode = text == "required" ? GateMode::required : GateMode::automatic;
  }
  return out;
}

GateChoice load_choice(const YamlNode& node) {
  GateChoice out{{}, node.place()};
  for (const YamlNode* name : node.texts()) {
    if (std::find(out.gates.begin(), out.gates.end(), name->text()) != out.gates.end())
      name->fail(fmt::format("'{}' stands here twice", name->text()));
    out.gates.push_back(name->text());
  }
  return out;
}

FileSet load_file_set(const YamlNode& node) {
  FileSet out;
  out.place = node.place();
  const YamlNode* include = &node;
  if (node.kind() == YamlNode::Kind::map) {
    verify_keys(node, {"include", "exclude"});
    include = node.find("include");
    if (!include) node.fail("needs 'include'");
    if (const YamlNode* exclude = node.find("exclude")) {
      for (const YamlNode* item : exclude->texts()) {
        if (item->text().starts_with("set:")) item->fail("'exclude' takes patterns, not sets");
        out.exclude.push_back(Template::parse(*item));
        verify_glob(out.exclude.back());
      }
    }
  }
  for (const YamlNode* item : include->texts()) {
    const std::string& text = item->text();
    if (!out.text.empty()) out.text += ", ";
    out.text += text;
    if (text.starts_with("set:")) {
      out.sets.emplace_back(text.substr(4), item->place());
    } else {
      out.include.push_back(Template::parse(*item));
      verify_glob(out.include.back());
    }
  }
  for (const Template& exclude : out.exclude) out.text += " without " + exclude.text;
  return out;
}

}  // namespace ocilint
