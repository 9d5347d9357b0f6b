#include "check/apt_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/path.h"
#include "check/image_view.h"
#include "check/package_db.h"
#include "facts/apt_conf.h"

namespace ocilint {
namespace {

constexpr std::string_view parts = "/etc/apt/apt.conf.d";
constexpr std::string_view last = "/etc/apt/apt.conf";

std::vector<std::string> paths_of(const ImageView& image) {
  std::vector<std::string> out;
  if (const auto variable = image.config().env_value("APT_CONFIG"); variable && variable->starts_with('/'))
    out.push_back(normalise(*variable).path);
  if (const Resolution folder = image.resolve(parts); folder.found()) {
    for (const NodeId child : image.tree().children(folder.node)) {
      const std::string_view name = image.tree().name(child);
      if (AptConf::counts(name)) out.push_back(join(parts, name));
    }
  }
  out.emplace_back(last);
  return out;
}

}  // namespace

void AptOptions::take(const AptConf& conf) {
  recommends = conf.flag("APT::AutoRemove::RecommendsImportant", true);
  suggests = conf.flag("APT::AutoRemove::SuggestsImportant", true);
  honour_hold = !conf.flag("APT::Ignore-Hold", false);
  never.clear();
  for (const std::string& text : conf.list("APT::NeverAutoRemove")) {
    try {
      never.push_back(Pattern::compile("(?i)" + text));
    } catch (const Error& error) {
      problems.push_back(fmt::format("APT::NeverAutoRemove: {}", error.what()));
    }
  }
  if (const auto native = conf.find("APT::Architecture"); native && !native->empty()) {
    std::erase(architectures, *native);
    architectures.insert(architectures.begin(), *native);
  }
  for (const std::string& architecture : conf.list("APT::Architectures"))
    if (std::find(architectures.begin(), architectures.end(), architecture) == architectures.end())
      architectures.push_back(architecture);
}

AptOptions AptOptions::read(const ImageView& image) {
  AptOptions out;
  out.architectures = image.packages().architectures();
  AptConf conf;
  for (const std::string& path : paths_of(image)) {
    try {
      const std::optional<std::string> text = image.text_of(path);
      if (!text) continue;
      conf.append(*text);
      out.files.push_back(path);
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::internal) throw;
      out.problems.push_back(fmt::format("{}: {}", path, error.what()));
    }
  }
  if (conf.includes) out.problems.emplace_back("apt's configuration has an #include, which is not followed");
  out.take(conf);
  return out;
}

bool AptOptions::never_removed(std::string_view name) const {
  return std::any_of(never.begin(), never.end(), [name](const Pattern& pattern) { return pattern.found_in(name); });
}

}  // namespace ocilint
