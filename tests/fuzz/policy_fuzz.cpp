// Policies over hostile bytes: the YAML reader and the loader answer or throw Error{policy} that names the
// file, and nothing else. What loads is put to the first phase too.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "policy/policy_kit.h"

namespace {

using namespace ocilint;

void walk(const YamlNode& node) {
  if (node.kind() == YamlNode::Kind::list)
    for (const YamlNode& item : node.items()) walk(item);
  if (node.kind() == YamlNode::Kind::map)
    for (const auto& member : node.members()) walk(*member.value);
  if (node.place().line == 0) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    walk(YamlNode::parse(text, "p.yaml"));
    const Policy policy = load_policy(text, "p.yaml", test::context());
    Demand demand;
    Plan plan(demand);
    plan_variables(policy, plan);
    for (const Check& check : policy.checks) (void)widened_params(policy, check);
    demand.freeze();
  } catch (const Error& e) {
    const std::string_view what = e.what();
    if (e.kind() != ErrorKind::policy || !(what.starts_with("p.yaml:") || what.starts_with("shipped:"))) std::abort();
  }
  return 0;
}
