// `ocilint inspect` as a page: what the image is, what an auditor asks first, and then everything that a check shows.
#include <fmt/format.h>

#include <algorithm>

#include "report/escape.h"
#include "report/html_parts.h"
#include "report/inspect.h"
#include "report/layers.h"

namespace ocilint {
namespace {

constexpr std::size_t rows_most = 500;    // package files that differ, secrets; JSON has every one
constexpr std::size_t lines_most = 60;    // variables, labels, facts of a stack
constexpr std::size_t filter_least = 12;  // rows that are looked through without a filter

std::string joined(const std::vector<std::string>& texts, std::string_view between) {
  std::string out;
  for (std::size_t i = 0; i < std::min(texts.size(), lines_most); ++i)
    out += (i == 0 ? "" : std::string(between)) + html_code(texts[i]);
  if (texts.size() > lines_most)
    out += fmt::format("{}and {} more; <code>-o json</code> has every one", between, texts.size() - lines_most);
  return out;
}

class InspectPage {
 public:
  explicit InspectPage(const Inspection& look) : look_(look), place_{"i0", look.result.layers.size()} {}

  std::string write() {
    head();
    settings();
    package_files();
    secrets();
    out_ += html_image_parts(look_.result, place_);
    return html_look_page(look_.image.reference, "inspect", place_.id, out_);
  }

 private:
  void fact(std::string_view label, const std::string& markup) { out_ += html_fact(label, markup); }

  std::string layer_of(std::optional<std::uint32_t> layer) const {
    return layer && *layer < place_.layers ? " " + place_.layer_link(*layer) : "";
  }

  void open_part(std::string_view id, std::string_view title) {
    out_ += fmt::format("<section class=\"part\" aria-labelledby=\"{0}-{1}\">\n<h2 id=\"{0}-{1}\">{2}</h2>\n",
                        place_.id, id, title);
  }

  void head() {
    const bool told = look_.unread.empty();
    const std::string name = look_.system.pretty.empty() ? "An image" : for_html(look_.system.pretty, 60);
    out_ += fmt::format(
        "<header class=\"head\">\n<p class=\"verdict{}\"><span class=\"word\">{}</span> <span class=\"means\">{}</span></p>\n<h1>{}</h1>\n<dl class=\"facts\">\n",
        told ? "" : " unsure", name, told ? "" : "Something could not be told, so what follows is not to be trusted.",
        for_html(look_.image.full_reference));
    fact("digest", look_.image.manifest_digest.empty() ? "" : html_code(look_.image.manifest_digest));
    fact("platform", for_html(look_.image.platform));
    fact("created", look_.config.created.empty() ? "not recorded" : for_html(look_.config.created));
    fact("author", for_html(look_.config.author));
    std::string base = look_.base.name.empty() ? "" : html_code(look_.base.name);
    if (!look_.base.digest.empty()) base += (base.empty() ? "" : " ") + html_code(look_.base.digest);
    fact("base", base.empty() ? "not recorded" : base + " (" + for_html(look_.base.where) + ")");
    system();
    size();
    carried();
    out_ += "</dl>\n" + html_holes("could not be told: ", look_.unread) + "<dl class=\"figures\">";
    const bool compared = look_.packages_compared();
    const auto known = [](bool asked, std::size_t count) { return asked ? std::optional(count) : std::nullopt; };
    out_ += html_figure("package files that differ", known(compared, look_.files_differing()), "bad") +
            html_figure("package files missing", known(compared, look_.files_missing()), "some") +
            html_figure("secrets", known(!look_.searched.empty(), look_.secrets.size() - samples()), "bad") +
            html_figure("checks that fail", look_.checks_failed, "bad") +
            html_figure("could not be checked", look_.checks_not_evaluated, "unsure") +
            html_figure("checks passed", look_.checks_passed, "good") + "</dl>\n</header>\n";
  }

  void system() {
    const ImageSystem& system = look_.system;
    if (system.path.empty()) return fact("system", "no os-release file");
    const std::string name = system.version.empty() ? system.id : system.id + " " + system.version;
    fact("system", for_html(name) + (name.empty() ? "" : " ") + html_code(system.path) + layer_of(system.layer));
  }

  void size() {
    std::uint64_t stored = 0, unpacked = 0;
    for (const LayerRow& row : look_.layers.rows) {
      stored += row.stored_bytes;
      unpacked += row.unpacked_bytes;
    }
    const Efficiency& efficiency = look_.layers.efficiency;
    fact("size", fmt::format("{}, {} stored, {} unpacked; {}, {} hidden by later layers",
                             count_text(look_.layers.rows.size(), "layer"), human_bytes(stored), human_bytes(unpacked),
                             count_text(look_.result.stats.names, "name"), human_bytes(efficiency.hidden_bytes)));
  }

  void carried() {
    std::string managers;
    const auto add = [&](const std::string& markup) { managers += (managers.empty() ? "" : "<br/>") + markup; };
    if (look_.packages.found) {
      const auto installed = std::ranges::count_if(look_.packages.packages, [](const PackageRow& row) {
        return row.status != "config-files" && row.status != "not-installed";
      });
      add(count_text(static_cast<std::size_t>(installed), "package") + " " + html_code(look_.packages.presence));
    }
    for (const ManagerLook& other : look_.packages.others)
      if (other.manager != "python")  // has lines of its own
        add(for_html(other.manager) + ": " + count_text(other.packages.size(), "package") + " " +
            html_code(other.database));
    fact("packages", managers.empty() ? for_html(look_.packages.presence) : managers);
    std::string pythons;
    for (const PythonRow& row : look_.pythons)
      pythons += (pythons.empty() ? "" : "<br/>") + for_html(row.title) + ": " + count_text(row.dists, "distribution") +
                 (row.unreadable == 0 ? "" : fmt::format(", {} cannot be read", row.unreadable));
    fact("Python", pythons);
    for (const Stack& stack : look_.stacks) {
      std::string facts;
      for (std::size_t i = 0; i < std::min(stack.facts.size(), lines_most); ++i) {
        const StackFact& one = stack.facts[i];
        facts += (i == 0 ? "" : "<br/>") + for_html(one.what) + " " + html_code(one.name) + " " + for_html(one.value) +
                 layer_of(one.layer);
      }
      if (stack.facts.size() > lines_most) facts += fmt::format("<br/>and {} more", stack.facts.size() - lines_most);
      fact(for_html(stack.name), facts);
    }
  }

  void settings() {
    const ImageConfig& config = look_.config;
    open_part("runs", "What a container of it runs");
    out_ += "<dl class=\"facts\">\n";
    fact("user", config.user.empty() ? "root (none is set)" : for_html(config.user));
    fact("entrypoint", joined(config.entrypoint, " "));
    fact("command", config.entrypoint.empty() && config.cmd.empty() ? "none is set" : joined(config.cmd, " "));
    fact("folder", config.working_dir.empty() ? "" : html_code(config.working_dir));
    fact("ports", joined(config.ports, ", "));
    fact("volumes", joined(config.volumes, ", "));
    fact("stop signal", for_html(config.stop_signal));
    fact("healthcheck", joined(config.healthcheck, " "));
    fact("environment", joined(config.env, "<br/>"));
    std::vector<std::string> labels;
    for (const auto& [name, value] : config.labels) labels.push_back(name + "=" + value);
    fact("labels", joined(labels, "<br/>"));
    out_ += "</dl>\n</section>\n";
  }

  /// Shown by the script; a short list is looked through without.
  void filter(std::string_view id, std::size_t rows, std::string_view of) {
    if (rows < filter_least) return;
    out_ += fmt::format(
        "<div class=\"filter\" role=\"search\" hidden=\"\"><label for=\"{0}-{1}-q\">Filter</label><input id=\"{0}-{1}-q\" type=\"search\" autocomplete=\"off\" "
        "spellcheck=\"false\" placeholder=\"{2}\"/><output aria-live=\"polite\"></output></div>\n",
        place_.id, id, of);
  }

  void package_files() {
    const std::size_t all = look_.files_differing() + look_.files_missing();
    if (all == 0) return;
    open_part("files", "Package files that differ");
    std::size_t compared = 0;
    for (const PackageRow* const row : look_.package_rows()) compared += row->compared;
    out_ += fmt::format("<p class=\"lead\">{} of {} compared; {} missing.</p>\n", grouped(look_.files_differing()),
                        grouped(compared), grouped(look_.files_missing()));
    filter("files", all, "state, path, package");
    out_ +=
        "<div class=\"wide\"><table><thead><tr><th scope=\"col\">state</th><th scope=\"col\">path</th><th scope=\"col\">package</th><th scope=\"col\">last touched by</th></tr></thead><tbody>\n";
    std::size_t shown = 0;
    // What is missing was mostly meant to be.
    for (const bool differs : {true, false})
      for (const PackageRow* const row : look_.package_rows())
        for (const PackageFileRow& file : row->differing) {
          if (file.differs != differs || shown == rows_most) continue;
          ++shown;
          out_ += fmt::format("<tr class=\"item\"><td{}>{}</td><td>{}{}</td><td>{}</td><td>{}</td></tr>\n",
                              differs ? " class=\"bad\"" : "", for_html(file.state), html_code(file.path),
                              file.text.empty() ? "" : "<br/>" + for_html(file.text), for_html(row->name),
                              layer_of(file.layer));
        }
    out_ += "</tbody></table></div>\n" + html_left_out(all - shown) + "</section>\n";
  }

  std::size_t samples() const {
    return static_cast<std::size_t>(std::ranges::count(look_.secrets, Severity::note, &SecretRow::severity));
  }

  void secrets() {
    if (look_.secrets.empty()) return;
    open_part("secrets", "Secrets");
    std::string checks;
    for (const std::string& check : look_.searched) checks += (checks.empty() ? "" : ", ") + html_code(check);
    out_ +=
        "<p class=\"lead\">Found by " + checks + "; their values are on no page." +
        (samples() == 0 ? ""
                        : fmt::format(" {} may be {}.", grouped(samples()), samples() == 1 ? "a sample" : "samples")) +
        "</p>\n";
    filter("secrets", look_.secrets.size(), "path, kind");
    out_ +=
        "<div class=\"wide\"><table><thead><tr><th scope=\"col\">severity</th><th scope=\"col\">where and what</th><th scope=\"col\">layer</th></tr></thead><tbody>\n";
    for (std::size_t i = 0; i < std::min(look_.secrets.size(), rows_most); ++i) {
      const SecretRow& row = look_.secrets[i];
      out_ +=
          fmt::format("<tr class=\"item\"><td><span class=\"badge {0}\">{0}</span></td><td>{1}</td><td>{2}</td></tr>\n",
                      to_string(row.severity), for_html(finding_line(row.subject, row.message)), layer_of(row.layer));
    }
    out_ += "</tbody></table></div>\n" +
            html_left_out(look_.secrets.size() - std::min(look_.secrets.size(), rows_most)) + "</section>\n";
  }

  const Inspection& look_;
  const HtmlPlace place_;
  std::string out_;
};

}  // namespace

std::string write_inspect_html(const Inspection& look) { return InspectPage(look).write(); }

}  // namespace ocilint
