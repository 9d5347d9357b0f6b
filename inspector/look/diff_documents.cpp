#include "look/diff_documents.h"

#include <algorithm>
#include <map>

namespace ocilint {
namespace {

using Fields = std::map<std::string, std::string>;

std::string list_text(const std::vector<std::string>& items) {
  std::string out;
  for (const std::string& item : items) out += (out.empty() ? "" : " ") + item;
  return out;
}

Fields fields_of(const Config& config, bool ignore_timestamps) {
  Fields out;
  const auto put = [&](const std::string& name, const std::string& value) {
    if (!value.empty()) out[name] = value;
  };
  put("platform", config.platform.text());
  put("author", config.author);
  put("user", config.user);
  put("working directory", config.working_dir);
  put("stop signal", config.stop_signal);
  if (!ignore_timestamps) put("created", config.created);
  put("entrypoint", list_text(config.entrypoint));
  put("cmd", list_text(config.cmd));
  put("shell", list_text(config.shell));
  put("on build", list_text(config.on_build));
  put("health check", list_text(config.healthcheck));
  for (const std::string& port : config.exposed_ports) out["port " + port] = "exposed";
  for (const std::string& volume : config.volumes) out["volume " + volume] = "declared";
  for (const auto& [name, value] : config.labels) out["label " + name] = value;
  for (const std::string& text : config.env) {
    const std::size_t equals = text.find('=');
    out["env " + text.substr(0, equals)] = equals == std::string::npos ? "" : text.substr(equals + 1);
  }
  return out;
}

bool same(const History& a, const History& b, bool ignore_timestamps) {
  return a.created_by == b.created_by && a.comment == b.comment && a.author == b.author &&
         a.empty_layer == b.empty_layer && (ignore_timestamps || a.created == b.created);
}

}  // namespace

std::vector<DiffField> diff_configs(const Config& before, const Config& after, bool ignore_timestamps) {
  Fields one = fields_of(before, ignore_timestamps), two = fields_of(after, ignore_timestamps);
  // Words joined by blanks can look alike and be other lists.
  const auto list = [&](const char* name, const std::vector<std::string>& a, const std::vector<std::string>& b) {
    if (a != b && one[name] == two[name]) {
      one[name] += " (" + std::to_string(a.size()) + " words)";
      two[name] += " (" + std::to_string(b.size()) + " words)";
    }
  };
  list("entrypoint", before.entrypoint, after.entrypoint);
  list("cmd", before.cmd, after.cmd);
  list("shell", before.shell, after.shell);
  list("on build", before.on_build, after.on_build);
  list("health check", before.healthcheck, after.healthcheck);

  std::vector<DiffField> out;
  for (const auto& [name, value] : one) {
    const auto other = two.find(name);
    if (other == two.end())
      out.push_back({name, Change::removed, value, ""});
    else if (other->second != value)
      out.push_back({name, Change::changed, value, other->second});
  }
  for (const auto& [name, value] : two)
    if (!one.contains(name)) out.push_back({name, Change::added, "", value});
  std::ranges::stable_sort(out, {}, &DiffField::name);
  return out;
}

std::vector<DiffHistory> diff_histories(const std::vector<History>& before, const std::vector<History>& after,
                                        bool ignore_timestamps) {
  const std::size_t shorter = std::min(before.size(), after.size());
  std::size_t begin = 0, end = 0;
  while (begin < shorter && same(before[begin], after[begin], ignore_timestamps)) ++begin;
  while (end < shorter - begin &&
         same(before[before.size() - 1 - end], after[after.size() - 1 - end], ignore_timestamps))
    ++end;
  std::vector<DiffHistory> out;
  for (std::size_t i = begin; i < before.size() - end; ++i)
    out.push_back({Change::removed, i, before[i].created_by, before[i].comment});
  for (std::size_t i = begin; i < after.size() - end; ++i)
    out.push_back({Change::added, i, after[i].created_by, after[i].comment});
  return out;
}

}  // namespace ocilint
