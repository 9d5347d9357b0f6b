#include "report/inspect.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/age.h"
#include "report/escape.h"
#include "report/layers.h"
#include "report/report.h"
#include "report/table.h"

namespace ocilint {
namespace {

constexpr std::size_t label_columns = 12;

std::string layer_of(const std::optional<std::uint32_t>& layer) {
  return layer ? fmt::format("layer {}", *layer) : std::string();
}

/// ["a","b c"] as a Dockerfile has it.
std::string words_of(const std::vector<std::string>& words) {
  std::string out = "[";
  for (const std::string& word : words) out += (out.size() == 1 ? "\"" : ", \"") + for_terminal(word) + "\"";
  return out + "]";
}

std::string list_of(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += (out.empty() ? "" : ", ") + for_terminal(text);
  return out;
}

Hue hue_of(Severity severity) {
  return severity == Severity::error ? Hue::red : severity == Severity::warning ? Hue::yellow : Hue::plain;
}

class Page {
 public:
  Page(const Inspection& look, const LookStyle& style, std::size_t most) : look_(look), style_(style), most_(most) {}

  std::string write() {
    out_ = heading(look_.image, style_) + "\n";
    what_it_is();
    what_it_runs();
    what_it_carries();
    differing_files();
    secrets();
    checks();
    for (const std::string& why : look_.unread)
      out_ += paint("not to be trusted", Hue::red, style_.color) + ": " + for_terminal(why) + "\n";
    return std::move(out_);
  }

 private:
  /// The texts stand below each other beside the label.
  void lines(std::string_view label, const std::vector<std::string>& texts) {
    bool first = true;
    for (const std::string& text : texts) {
      const std::string before = fmt::format("{:<{}}", first ? label : "", label_columns);
      const std::size_t room =
          style_.width == 0 ? 0 : std::max<std::size_t>(style_.width, 2 * label_columns) - label_columns;
      bool begun = false;
      for (const std::string& part : wrap(text, room, 2)) {
        out_ += (begun ? std::string(label_columns, ' ') : before) + part + "\n";
        begun = true;
      }
      first = false;
    }
  }
  void line(std::string_view label, const std::string& text) {
    if (!text.empty()) lines(label, {text});
  }

  void what_it_is() {
    const ImageConfig& config = look_.config;
    const std::string age = age_text(config.created, style_.now);
    line("created", config.created.empty() ? "not recorded"
                                           : for_terminal(config.created) + (age.empty() ? "" : " (" + age + " ago)"));
    line("author", for_terminal(config.author));
    std::string base = for_terminal(look_.base.name);
    if (!look_.base.digest.empty()) base += (base.empty() ? "" : "@") + for_terminal(look_.base.digest);
    line("base", base.empty() ? "not recorded" : base + fmt::format(" ({})", look_.base.where));
    std::string system = look_.system.path.empty() ? "no os-release file" : for_terminal(look_.system.pretty);
    if (!look_.system.path.empty())
      system +=
          fmt::format("{}{}{} ({}{}{})", system.empty() ? "" : ", ", for_terminal(look_.system.id),
                      look_.system.version.empty() ? "" : " " + for_terminal(look_.system.version),
                      for_terminal(look_.system.path), look_.system.layer ? ", " : "", layer_of(look_.system.layer));
    line("system", system);
    std::uint64_t stored = 0, unpacked = 0;
    for (const LayerRow& row : look_.layers.rows) {
      stored += row.stored_bytes;
      unpacked += row.unpacked_bytes;
    }
    const Efficiency& efficiency = look_.layers.efficiency;
    line("size", fmt::format("{} stored, {} unpacked, {}, {} hidden by later layers; efficiency {}",
                             human_bytes(stored), human_bytes(unpacked), count_of(look_.result.stats.names, "name"),
                             human_bytes(efficiency.hidden_bytes), percent(efficiency.score())));
  }

  void what_it_runs() {
    const ImageConfig& config = look_.config;
    line("user", config.user.empty() ? "root (none is set)" : for_terminal(config.user));
    if (!config.entrypoint.empty()) line("entrypoint", words_of(config.entrypoint));
    if (!config.cmd.empty()) line("command", words_of(config.cmd));
    if (config.entrypoint.empty() && config.cmd.empty()) line("command", "none is set");
    line("folder", for_terminal(config.working_dir));
    line("ports", list_of(config.ports));
    line("volumes", list_of(config.volumes));
    line("stop signal", for_terminal(config.stop_signal));
    if (!config.healthcheck.empty()) line("healthcheck", words_of(config.healthcheck));
    std::vector<std::string> env, labels;
    for (const std::string& variable : config.env) env.push_back(for_terminal(variable));
    for (const auto& [name, value] : config.labels) labels.push_back(for_terminal(name + "=" + value));
    some("environment", std::move(env));
    some("labels", std::move(labels));
  }

  /// Not more than asked for, and said so.
  void some(std::string_view label, std::vector<std::string> texts) {
    const std::size_t all = texts.size();
    if (most_ != 0 && all > most_ + 1) {  // a line for one more would be as long
      texts.resize(most_);
      texts.push_back(fmt::format("… and {} more", all - most_));
    }
    lines(label, texts);
  }

  void what_it_carries() {
    const PackagesLook& packages = look_.packages;
    std::size_t installed = 0, manual = 0, known = 0;
    for (const PackageRow& row : packages.packages) {
      if (row.status == "config-files" || row.status == "not-installed") continue;
      ++installed;
      manual += row.mark == "manual";
      known += !row.mark.empty();
    }
    std::vector<std::string> managers;
    if (packages.found)
      managers.push_back(count_of(installed, "package") + (known == 0 ? "" : fmt::format(", {} manual", manual)) +
                         " (" + for_terminal(packages.presence) + ")");
    for (const ManagerLook& other : packages.others)
      if (other.manager != "python")  // has lines of its own
        managers.push_back(for_terminal(other.manager) + ": " + count_of(other.packages.size(), "package") + " (" +
                           for_terminal(other.database) + ")");
    if (managers.empty()) managers.push_back(for_terminal(packages.presence));
    lines("packages", managers);
    std::vector<std::string> pythons;
    for (const PythonRow& row : look_.pythons)
      pythons.push_back(for_terminal(row.title) + ": " + count_of(row.dists, "distribution") +
                        (row.unreadable == 0 ? "" : fmt::format(", {} cannot be read", row.unreadable)));
    lines("Python", pythons);
    for (const Stack& stack : look_.stacks) {
      std::vector<std::string> facts;
      for (const StackFact& fact : stack.facts)
        facts.push_back(fact.what + " " + for_terminal(fact.name) +
                        (fact.value.empty() ? "" : " " + for_terminal(fact.value)) +
                        (fact.layer ? ", " + layer_of(fact.layer) : ""));
      // The longest name has its own line.
      if (columns(stack.name) >= label_columns) out_ += for_terminal(stack.name) + "\n";
      some(columns(stack.name) >= label_columns ? "" : stack.name, std::move(facts));
    }
  }

  void title(std::string_view text, Hue hue) { out_ += "\n" + paint(text, hue, style_.color) + "\n"; }

  void differing_files() {
    const std::vector<const PackageRow*> rows = look_.package_rows();
    if (!look_.packages_compared()) {
      title("Package files that differ: not compared", rows.empty() ? Hue::bold : Hue::red);
      return;
    }
    std::size_t compared = 0;
    for (const PackageRow* const row : rows) compared += row->compared;
    const std::size_t differ = look_.files_differing(), missing = look_.files_missing();
    title(fmt::format("Package files that differ: {} of {} compared; {} missing", differ, compared, missing),
          differ > 0    ? Hue::red
          : missing > 0 ? Hue::yellow
                        : Hue::bold);
    Table table({{"state"}, {"layer", Table::Align::right}, {"package"}, {"path"}});
    // Files that differ first: what is missing was mostly meant to be.
    std::size_t shown = 0;
    for (const bool differs : {true, false})
      for (const PackageRow* const row : rows)
        for (const PackageFileRow& file : row->differing) {
          if (file.differs != differs || (most_ != 0 && shown == most_)) continue;
          ++shown;
          table.row({file.state, file.layer ? std::to_string(*file.layer) : "-", for_terminal(row->name),
                     for_terminal(file.path) + (file.text.empty() ? "" : ", " + for_terminal(file.text))},
                    file.differs ? Hue::red : Hue::yellow);
        }
    out_ += table.write(style_.width, style_.color);
    if (differ + missing > shown)
      out_ += fmt::format("… and {} more: --all, or ocilint packages\n", differ + missing - shown);
  }

  void secrets() {
    if (look_.searched.empty()) {
      title("Secrets: nobody looked", Hue::red);
      return;
    }
    const std::size_t samples = static_cast<std::size_t>(
        std::ranges::count_if(look_.secrets, [](const SecretRow& row) { return row.severity == Severity::note; }));
    const std::size_t real = look_.secrets.size() - samples;
    std::string text = fmt::format("Secrets: {}", real);
    if (samples > 0) text += fmt::format(", and {} that may be samples", samples);
    if (!looked("file-secrets")) text += " in documents; nobody looked into files";
    if (!looked("history-secrets")) text += " in files; nobody looked into documents";
    title(text, real > 0 ? Hue::red : Hue::bold);
    Table table({{"severity"}, {"layer", Table::Align::right}, {"where and what"}});
    for (std::size_t i = 0; i < look_.secrets.size() && (most_ == 0 || i < most_); ++i) {
      const SecretRow& row = look_.secrets[i];
      table.row({std::string(to_string(row.severity)), row.layer ? std::to_string(*row.layer) : "-",
                 for_terminal(finding_line(row.subject, row.message))},
                hue_of(row.severity));
    }
    out_ += table.write(style_.width, style_.color);
    if (most_ != 0 && look_.secrets.size() > most_)
      out_ += fmt::format("… and {} more: --all\n", look_.secrets.size() - most_);
  }

  bool looked(std::string_view rule) const {
    return std::ranges::any_of(
        look_.checks, [&](const CheckRow& row) { return row.rule == rule && row.outcome != Outcome::not_applicable; });
  }

  void checks() {
    std::string policies;
    for (const PolicyResult& policy : look_.result.policies)
      policies += (policies.empty() ? "" : ", ") + for_terminal(policy.name);
    const Hue hue = look_.checks_not_evaluated > 0 || look_.checks_failed > 0 ? Hue::red : Hue::bold;
    std::string counts =
        fmt::format("Checks that fail under {}: {} of {}", policies, look_.checks_failed, look_.checks.size());
    if (look_.checks_not_evaluated > 0)
      counts += fmt::format(", {} could not be evaluated", look_.checks_not_evaluated);
    if (look_.checks_not_applicable > 0) counts += fmt::format(", {} not applicable", look_.checks_not_applicable);
    title(counts, hue);
    Table table({{"severity"}, {"check"}, {"findings", Table::Align::right}, {"the worst"}});
    for (const CheckRow& row : look_.checks) {
      if (row.outcome != Outcome::fail && row.outcome != Outcome::error) continue;
      const bool error = row.outcome == Outcome::error;
      table.row({error ? "unknown" : std::string(to_string(row.worst)), for_terminal(row.policy + "/" + row.id),
                 std::to_string(row.findings), for_terminal(row.first)},
                error ? Hue::red : hue_of(row.worst));
    }
    out_ += table.write(style_.width, style_.color);
  }

  const Inspection& look_;
  const LookStyle& style_;
  std::size_t most_;
  std::string out_;
};

}  // namespace

std::string write_inspect_text(const Inspection& look, const LookStyle& style, std::size_t most) {
  return Page(look, style, most).write();
}

}  // namespace ocilint
