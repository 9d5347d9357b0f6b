// JUnit XML: a suite an image, a case a check. GitLab knows a case by classname and name and drops a second one of
// both, so the class is policy and image. What could not be checked is an <error>, also for the image as a whole.
#include <fmt/format.h>

#include <pugixml.hpp>
#include <sstream>

#include "report/escape.h"
#include "report/problems.h"

namespace ocilint {
namespace {

constexpr std::size_t findings_shown = 50;  // of a check: GitLab takes 30 MB a file
constexpr std::size_t evidence_shown = 6;
constexpr std::size_t line_most = 1000;  // characters
constexpr std::size_t message_most = 300;

/// for_terminal() leaves two characters that XML 1.0 does not have.
std::string for_xml(std::string_view text, std::size_t most = line_most) {
  std::string out = for_terminal(text, most);
  for (const auto& [bytes, shown] : {std::pair("\xef\xbf\xbe", "\\u{fffe}"), std::pair("\xef\xbf\xbf", "\\u{ffff}")})
    for (std::size_t at = 0; (at = out.find(bytes, at)) != std::string::npos;) out.replace(at, 3, shown);
  return out;
}

void put(pugi::xml_node node, const char* name, const std::string& value) {
  node.append_attribute(name).set_value(value.c_str());
}

struct Counts {
  std::size_t tests = 0, failures = 0, errors = 0, skipped = 0;

  void write(pugi::xml_node node) const {
    put(node, "tests", std::to_string(tests));
    put(node, "failures", std::to_string(failures));
    put(node, "errors", std::to_string(errors));
  }
};

class Suite {
 public:
  Suite(pugi::xml_node node, const ImageResult& result, const std::string& name, const ReportStyle& style)
      : node_(node), image_(for_xml(name)), style_(style), problems_(problems_of(result, style)) {
    put(node_, "name", image_);
    properties(result);
    of_run();
    of_waivers(result);
    for (const CheckResult& check : result.checks) of_check(check);
  }

  const Counts& counts() const { return counts_; }

 private:
  void properties(const ImageResult& result) {
    pugi::xml_node list = node_.append_child("properties");
    const auto property = [&](const char* name, const std::string& value) {
      pugi::xml_node entry = list.append_child("property");
      put(entry, "name", name);
      put(entry, "value", for_xml(value));
    };
    property("image", pinned_reference(result));
    property("platform", result.platform);
    for (const std::string& other : compared_with(result)) property("compared with", other);
    if (const std::string fixed = fixed_line(style_); !fixed.empty()) property("baseline", fixed);
    property("verdict", std::string(to_string(verdict(result, style_.fail_on))));
  }

  pugi::xml_node test_case(const std::string& policy, const std::string& name) {
    ++counts_.tests;
    pugi::xml_node out = node_.append_child("testcase");
    put(out, "classname", for_xml(policy) + " " + image_);
    put(out, "name", name);
    return out;
  }

  static void part(pugi::xml_node parent, const char* element, const std::string& type, const std::string& message,
                   const std::string& text) {
    pugi::xml_node out = parent.append_child(element);
    put(out, "message", message);
    if (!type.empty()) put(out, "type", type);
    if (!text.empty()) out.append_child(pugi::node_pcdata).set_value(text.c_str());
  }

  /// What keeps the whole result from being one: a case each kind, so that their names stay the same over runs.
  void of_run() {
    std::string unreadable, untrusted;
    for (const Problem& problem : problems_) {
      if (problem.kind == Problem::Kind::unreadable) unreadable += for_xml(problem.text) + "\n";
      if (problem.kind == Problem::Kind::untrusted) untrusted += for_xml(problem.text) + "\n";
    }
    for (const auto& [name, text] : {std::pair("readable", unreadable), std::pair("coverage", untrusted)}) {
      if (text.empty()) continue;
      ++counts_.errors;
      part(test_case("ocilint", name), "error", name, for_xml(text.substr(0, text.find('\n')), message_most), text);
    }
  }

  /// What only strict waivers make a failure of.
  void of_waivers(const ImageResult& result) {
    std::string text;
    for (const Problem& problem : problems_)
      if (problem.kind == Problem::Kind::stale_waiver) text += for_xml(problem.text) + "\n";
    if (text.empty() || !result.strict_waivers) return;
    ++counts_.failures;
    part(test_case("ocilint", "waivers"), "failure", "waivers", for_xml(text.substr(0, text.find('\n')), message_most),
         text);
  }

  void of_check(const CheckResult& check) {
    pugi::xml_node out = test_case(check.policy, for_xml(check.id));
    const std::string type = for_xml(check.rule);
    if (check.outcome == Outcome::error) {
      ++counts_.errors;
      std::string text;
      for (const std::string& error : check.errors) text += for_xml(error) + "\n";
      part(out, "error", type, check.errors.empty() ? "could not check" : for_xml(check.errors.front(), message_most),
           text + findings(check));
    } else if (check.outcome == Outcome::not_applicable) {
      ++counts_.skipped;
      part(out, "skipped", "", for_xml(check.reason), "");
    } else if (const std::size_t open = check.open_findings(style_.fail_on); open > 0) {
      ++counts_.failures;
      const Problem* first = nullptr;
      for (const Problem& problem : problems_)
        if (first == nullptr && problem.check == &check && problem.found != nullptr) first = &problem;
      part(out, "failure", type,
           fmt::format("{} finding{}, first {}", open, open == 1 ? "" : "s", for_xml(first->text, message_most)),
           findings(check) + known(check));
    } else if (const std::string text = findings(check) + known(check) + evidence(check); !text.empty()) {
      out.append_child("system-out").append_child(pugi::node_pcdata).set_value(text.c_str());
    }
  }

  std::string findings(const CheckResult& check) const {
    std::string out;
    std::size_t count = 0;
    for (const Problem& problem : problems_) {
      if (problem.check != &check || problem.found == nullptr) continue;
      if (++count > findings_shown) continue;
      out += fmt::format("{}: {}\n", to_string(problem.severity), for_xml(problem.text));
      for (const std::string& line : problem.more) out += "  " + for_xml(line) + "\n";
    }
    if (count > findings_shown) out += fmt::format("and {} more\n", count - findings_shown);
    return out;
  }

  static std::string known(const CheckResult& check) {
    std::string out;
    std::size_t count = 0;
    for (const ReportedFinding& found : check.findings) {
      if (!found.known || found.waived || ++count > findings_shown) continue;
      out +=
          fmt::format("known, of the baseline: {}: {}\n", for_xml(found.finding.kind), for_xml(found.finding.subject));
    }
    if (count > findings_shown) out += fmt::format("and {} more known\n", count - findings_shown);
    return out;
  }

  static std::string evidence(const CheckResult& check) {
    std::string out;
    std::size_t waived = 0;
    for (const ReportedFinding& found : check.findings) {
      if (!found.waived || ++waived > findings_shown) continue;
      out += fmt::format("waived until {} ({}: {}): {}\n", for_xml(found.waived->expires), for_xml(found.waived->owner),
                         for_xml(found.waived->reason), for_xml(found.finding.subject));
    }
    if (waived > findings_shown) out += fmt::format("and {} more waived\n", waived - findings_shown);
    for (std::size_t i = 0; i < check.evidence.size(); ++i) {
      if (i == evidence_shown) {
        out += fmt::format("and {} more\n", check.evidence.size() - i);
        break;
      }
      const Evidence& shown = check.evidence[i];
      out += for_xml(shown.text);
      if (!shown.path.empty() && shown.text.find(shown.path) == std::string::npos) out += ": " + for_xml(shown.path);
      out += "\n";
    }
    return out;
  }

  pugi::xml_node node_;
  const std::string image_;
  const ReportStyle& style_;
  const std::vector<Problem> problems_;
  Counts counts_;
};

}  // namespace

std::string write_junit(std::span<const ImageResult> results, const ReportStyle& style) {
  pugi::xml_document document;
  pugi::xml_node declaration = document.append_child(pugi::node_declaration);
  put(declaration, "version", "1.0");
  put(declaration, "encoding", "UTF-8");
  pugi::xml_node suites = document.append_child("testsuites");
  put(suites, "name", "ocilint");
  Counts sum;
  const std::vector<std::string> names = distinct_names(results);
  for (std::size_t i = 0; i < results.size(); ++i) {
    pugi::xml_node node = suites.append_child("testsuite");
    const Suite suite(node, results[i], names[i], style);
    suite.counts().write(node);
    put(node, "skipped", std::to_string(suite.counts().skipped));  // the sum has no such attribute
    sum.tests += suite.counts().tests;
    sum.failures += suite.counts().failures;
    sum.errors += suite.counts().errors;
  }
  sum.write(suites);
  std::ostringstream out;
  document.save(out, "  ");
  return out.str();
}

}  // namespace ocilint
