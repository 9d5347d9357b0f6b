#include "base/json.h"
#include "report/escape.h"
#include "report/inspect.h"
#include "report/json_text.h"

namespace ocilint {
namespace {

using Ordered = nlohmann::ordered_json;

Ordered of(const std::optional<std::uint32_t>& layer) { return layer ? Ordered(*layer) : Ordered(); }

Ordered of(const ImageConfig& config) {
  Ordered out;
  put_text(out, "created", config.created);
  put_text(out, "author", config.author);
  put_text(out, "user", config.user);
  put_text(out, "working_dir", config.working_dir);
  put_text(out, "stop_signal", config.stop_signal);
  out["entrypoint"] = json_texts(config.entrypoint);
  out["cmd"] = json_texts(config.cmd);
  out["env"] = json_texts(config.env);
  out["ports"] = json_texts(config.ports);
  out["volumes"] = json_texts(config.volumes);
  out["healthcheck"] = json_texts(config.healthcheck);
  out["labels"] = Ordered::object();
  for (const auto& [name, value] : config.labels) out["labels"][for_json(name)] = for_json(value);
  return out;
}

Ordered of(const ImageSystem& system) {
  if (system.path.empty()) return {};
  Ordered out;
  put_text(out, "pretty_name", system.pretty);
  put_text(out, "id", system.id);
  put_text(out, "version_id", system.version);
  put_text(out, "version_codename", system.codename);
  put_text(out, "path", system.path);
  out["layer"] = of(system.layer);
  return out;
}

Ordered of(const ImageLayers& layers) {
  Ordered out = Ordered::array();
  for (std::size_t i = 0; i < layers.rows.size(); ++i) {
    const LayerRow& row = layers.rows[i];
    Ordered one;
    one["layer"] = i;
    put_text(one, "name", row.name);
    one["diff_id"] = for_json(row.diff_id);
    one["stored_bytes"] = row.stored_bytes;
    one["unpacked_bytes"] = row.unpacked_bytes;
    one["hidden_bytes"] = row.use.hidden_bytes;
    put_text(one, "created_by", row.created_by);
    out.push_back(std::move(one));
  }
  return out;
}

Ordered packages_of(const Inspection& look) {
  Ordered out;
  std::size_t installed = 0, compared = 0;
  out["found"] = look.packages.found;
  put_text(out, "database", look.packages.presence);
  Ordered differing = Ordered::array();
  for (const PackageRow& row : look.packages.packages)
    installed += row.status != "config-files" && row.status != "not-installed";
  for (const PackageRow* const row : look.package_rows()) {
    compared += row->compared;
    for (const PackageFileRow& file : row->differing) {
      Ordered one;
      put_text(one, "path", file.path);
      put_text(one, "package", row->name);
      one["state"] = file.state;
      one["layer"] = of(file.layer);
      differing.push_back(std::move(one));
    }
  }
  out["installed"] = installed;
  out["others"] = Ordered::array();
  for (const ManagerLook& other : look.packages.others) {
    Ordered one;
    one["manager"] = other.manager;
    put_text(one, "database", other.database);
    one["packages"] = other.packages.size();
    one["compared"] = other.compared;
    out["others"].push_back(std::move(one));
  }
  out["compared"] = look.packages_compared();
  out["files_compared"] = compared;
  out["files_differing"] = look.files_differing();
  out["files_missing"] = look.files_missing();
  out["differing"] = std::move(differing);
  return out;
}

Ordered of(const Stack& stack) {
  Ordered out;
  out["name"] = stack.name;
  out["facts"] = Ordered::array();
  for (const StackFact& fact : stack.facts) {
    Ordered one;
    one["what"] = fact.what;
    put_text(one, "name", fact.name);
    put_text(one, "value", fact.value);
    one["layer"] = of(fact.layer);
    out["facts"].push_back(std::move(one));
  }
  return out;
}

Ordered of(const SecretRow& row) {
  Ordered out;
  out["check"] = for_json(row.check);
  out["kind"] = for_json(row.kind);
  put_text(out, "subject", row.subject);
  put_text(out, "message", row.message);
  out["severity"] = to_string(row.severity);
  out["layer"] = of(row.layer);
  return out;
}

Ordered of(const CheckRow& row) {
  Ordered out;
  out["policy"] = for_json(row.policy);
  out["id"] = for_json(row.id);
  out["rule"] = for_json(row.rule);
  out["outcome"] = to_string(row.outcome);
  if (row.outcome == Outcome::fail) out["worst"] = to_string(row.worst);
  out["findings"] = row.findings;
  out["waived"] = row.waived;
  put_text(out, "first", row.first);
  return out;
}

template <typename Rows>
Ordered all_of(const Rows& rows) {
  Ordered out = Ordered::array();
  for (const auto& row : rows) out.push_back(of(row));
  return out;
}

}  // namespace

std::string write_inspect_json(const Inspection& look) {
  Ordered out = look_document("inspect", look.image);
  out["config"] = of(look.config);
  Ordered& base = out["base"];
  if (!look.base.where.empty()) {
    put_text(base, "name", look.base.name);
    base["digest"] = for_json(look.base.digest);
    base["recorded_as"] = look.base.where;
  }
  out["system"] = of(look.system);
  out["layers"] = of(look.layers);
  out["names"] = look.result.stats.names;
  out["hidden_bytes"] = look.layers.efficiency.hidden_bytes;
  out["efficiency"] = look.layers.efficiency.score();
  out["packages"] = packages_of(look);
  out["pythons"] = Ordered::array();
  for (const PythonRow& row : look.pythons) {
    Ordered one;
    put_text(one, "title", row.title);
    one["sites"] = json_texts(row.sites);
    one["distributions"] = row.dists;
    one["unreadable"] = row.unreadable;
    out["pythons"].push_back(std::move(one));
  }
  out["stacks"] = all_of(look.stacks);
  out["secrets"] = {{"searched_by", json_texts(look.searched)}, {"found", all_of(look.secrets)}};
  out["policies"] = Ordered::array();
  for (const PolicyResult& policy : look.result.policies) out["policies"].push_back(for_json(policy.name));
  out["checks_passed"] = look.checks_passed;
  out["checks_failed"] = look.checks_failed;
  out["checks_not_applicable"] = look.checks_not_applicable;
  out["checks_not_evaluated"] = look.checks_not_evaluated;
  out["checks"] = all_of(look.checks);
  out["unread"] = json_texts(look.unread);
  return json_text(out);
}

}  // namespace ocilint
