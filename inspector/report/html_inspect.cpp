// `ocilint inspect` as a page: what the image is, what an auditor asks first, and then everything that a check shows.
#include <fmt/format.h>

#include "report/escape.h"
#include "report/html_parts.h"
#include "report/inspect.h"

namespace ocilint {
namespace {

constexpr std::size_t files_most = 500;  // package files that differ; JSON has every one
constexpr std::size_t lines_most = 60;   // variables, labels, facts of a stack

std::string code(std::string_view text) { return "<code>" + for_html(text) + "</code>"; }

std::string joined(const std::vector<std::string>& texts, std::string_view between) {
  std::string out;
  for (std::size_t i = 0; i < std::min(texts.size(), lines_most); ++i) out += (i == 0 ? "" : std::string(between)) + code(texts[i]);
  if (texts.size() > lines_most) out += fmt::format(" and {} more", texts.size() - lines_most);
  return out;
}

class InspectPage {
 public:
  explicit InspectPage(const Inspection& look) : look_(look), place_{"i0", look.layers.rows.size()} {}

  std::string write() {
    head();
    package_files();
    out_ += html_image_parts(look_.result, place_);
    return html_page(look_.image.reference + " · ocilint",
                     "<p class=\"skip\"><a href=\"#main\">Skip to the report</a></p>\n<main id=\"main\">\n<article class=\"image\" id=\"i0\">\n" + out_ +
                         "</article>\n</main>\n<footer>Made by ocilint inspect. Nothing in this page was loaded from elsewhere.</footer>\n");
  }

 private:
  void fact(std::string_view label, const std::string& markup) {
    if (!markup.empty()) out_ += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", label, markup);
  }

  std::string layer_of(std::optional<std::uint32_t> layer) const {
    return layer && *layer < place_.layers ? " " + place_.layer_link(*layer) : "";
  }

  static std::string figure(std::string_view label, const std::string& value, std::string_view kind) {
    return fmt::format("<div class=\"{}\"><dt>{}</dt><dd>{}</dd></div>", kind, label, value);
  }
  /// What nobody looked for is not none.
  static std::string counted(std::string_view label, std::size_t count, bool known, std::string_view kind) {
    return known ? figure(label, grouped(count), count == 0 ? "nil" : kind) : figure(label, "?", "unsure");
  }

  void head() {
    out_ += fmt::format("<header class=\"head\">\n<p class=\"verdict\"><span class=\"word\">{}</span></p>\n<h1>{}</h1>\n<dl class=\"facts\">\n",
                        look_.system.pretty.empty() ? "An image" : for_html(look_.system.pretty, 60), for_html(look_.image.full_reference));
    fact("digest", look_.image.manifest_digest.empty() ? "" : code(look_.image.manifest_digest));
    fact("platform", for_html(look_.image.platform));
    const ImageConfig& config = look_.config;
    fact("created", config.created.empty() ? "not recorded" : for_html(config.created));
    fact("author", for_html(config.author));
    std::string base = for_html(look_.base.name);
    if (!look_.base.digest.empty()) base += (base.empty() ? "" : "@") + for_html(look_.base.digest);
    fact("base", base.empty() ? "not recorded" : base + " (" + for_html(look_.base.where) + ")");
    fact("system", look_.system.path.empty() ? "no os-release file" : for_html(look_.system.id + " " + look_.system.version) + " " + code(look_.system.path) + layer_of(look_.system.layer));
    fact("user", config.user.empty() ? "root (none is set)" : for_html(config.user));
    fact("entrypoint", joined(config.entrypoint, " "));
    fact("command", joined(config.cmd, " "));
    fact("folder", for_html(config.working_dir));
    fact("ports", joined(config.ports, ", "));
    fact("volumes", joined(config.volumes, ", "));
    fact("healthcheck", joined(config.healthcheck, " "));
    fact("environment", joined(config.env, "<br/>"));
    std::vector<std::string> labels;
    for (const auto& [name, value] : config.labels) labels.push_back(name + "=" + value);
    fact("labels", joined(labels, "<br/>"));
    carried();
    out_ += "</dl>\n";
    if (!look_.unread.empty()) {
      out_ += "<ul class=\"holes\">";
      for (const std::string& why : look_.unread) out_ += "<li>could not be told: " + for_html(why) + "</li>";
      out_ += "</ul>\n";
    }
    out_ += "<dl class=\"figures\">" + counted("package files that differ", look_.files_differing(), look_.packages.compared, "bad") +
            counted("secrets", look_.secrets.size(), !look_.searched.empty(), "bad") + counted("checks that fail", look_.checks_failed, true, "bad") +
            counted("could not be checked", look_.checks_not_evaluated, true, "unsure") + counted("checks passed", look_.checks_passed, true, "good") +
            "</dl>\n</header>\n";
  }

  void carried() {
    fact("packages", look_.packages.found ? count_text(look_.packages.packages.size(), "package") + " (" + for_html(look_.packages.presence) + ")" : for_html(look_.packages.presence));
    for (const PythonRow& row : look_.pythons)
      fact("Python", for_html(row.title) + ", " + count_text(row.dists, "distribution") +
                         (row.unreadable == 0 ? "" : fmt::format(", {} cannot be read", row.unreadable)));
    for (const Stack& stack : look_.stacks) {
      std::string facts;
      for (std::size_t i = 0; i < std::min(stack.facts.size(), lines_most); ++i) {
        const StackFact& one = stack.facts[i];
        facts += (i == 0 ? "" : "<br/>") + for_html(one.what) + " " + code(one.name) + " " + for_html(one.value) + layer_of(one.layer);
      }
      if (stack.facts.size() > lines_most) facts += fmt::format("<br/>and {} more", stack.facts.size() - lines_most);
      fact(for_html(stack.name), facts);
    }
  }

  void package_files() {
    if (!look_.packages.compared || look_.files_differing() + look_.files_missing() == 0) return;
    out_ += fmt::format("<section class=\"part\" aria-labelledby=\"i0-files\">\n<h2 id=\"i0-files\">Package files that differ</h2>\n<p class=\"lead\">{} differ, {} are missing.</p>\n"
                        "<div class=\"wide\"><table><thead><tr><th scope=\"col\">state</th><th scope=\"col\">path</th><th scope=\"col\">package</th><th scope=\"col\">by</th></tr></thead><tbody>\n",
                        grouped(look_.files_differing()), grouped(look_.files_missing()));
    std::size_t shown = 0, all = 0;
    for (const bool differs : {true, false})
      for (const PackageRow& row : look_.packages.packages)
        for (const PackageFileRow& file : row.differing) {
          if (file.differs != differs) continue;
          ++all;
          if (shown == files_most) continue;
          ++shown;
          out_ += fmt::format("<tr><td{}>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n", differs ? " class=\"bad\"" : "", for_html(file.state), code(file.path),
                              for_html(row.name), layer_of(file.layer));
        }
    out_ += "</tbody></table></div>\n";
    if (shown < all) out_ += fmt::format("<p class=\"more\">{} more are not shown here; <code>-o json</code> has every one.</p>\n", grouped(all - shown));
    out_ += "</section>\n";
  }

  const Inspection& look_;
  const HtmlPlace place_;
  std::string out_;
};

}  // namespace

std::string write_inspect_html(const Inspection& look) { return InspectPage(look).write(); }

}  // namespace ocilint
