// The reports for CI systems, read back by real parsers: nothing of an image breaks out of its place.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <pugixml.hpp>
#include <set>

#include "report/problems.h"
#include "report_kit.h"

using namespace ocilint;
using namespace ocilint::testing;

namespace {

// GitHub.

struct Command {
  std::string name, message;
  std::map<std::string, std::string> properties;
};

std::string without_escapes(std::string text, bool property) {
  std::vector<std::pair<std::string, std::string>> escapes = {{"%0D", "\r"}, {"%0A", "\n"}};
  if (property) escapes.insert(escapes.end(), {{"%3A", ":"}, {"%2C", ","}});
  escapes.emplace_back("%25", "%");  // last, as the runner does
  for (const auto& [from, to] : escapes)
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
      text.replace(at, from.size(), to);
  return text;
}

/// As the runner reads a log: a line that begins with two colons (after blanks) up to the next two colons.
std::vector<Command> commands_of(const std::string& log) {
  std::vector<Command> out;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    line.erase(0, line.find_first_not_of(' '));
    if (!line.starts_with("::")) continue;
    const std::size_t end = line.find("::", 2);
    REQUIRE(end != std::string::npos);
    const std::string head = line.substr(2, end - 2);
    Command& command = out.emplace_back();
    command.name = head.substr(0, head.find(' '));
    command.message = without_escapes(line.substr(end + 2), false);
    std::istringstream parts(head.find(' ') == std::string::npos ? "" : head.substr(head.find(' ') + 1));
    for (std::string part; std::getline(parts, part, ',');)
      command.properties[part.substr(0, part.find('='))] = without_escapes(part.substr(part.find('=') + 1), true);
  }
  return out;
}

// Markdown.

/// What CommonMark with GitHub's extensions makes of it; empty without the program.
std::string rendered(const std::string& markdown) {
  if (std::system("cmark-gfm --version >/dev/null 2>&1") != 0) return "";
  char name[] = "/tmp/ocilint-markdown-XXXXXX";
  const int descriptor = ::mkstemp(name);
  REQUIRE(descriptor >= 0);
  REQUIRE(::write(descriptor, markdown.data(), markdown.size()) == static_cast<ssize_t>(markdown.size()));
  ::close(descriptor);
  std::string out;
  FILE* const pipe = ::popen(
      (std::string("cmark-gfm --unsafe -e table -e autolink -e strikethrough -e tagfilter ") + name).c_str(), "r");
  REQUIRE(pipe != nullptr);
  char step[4096];
  for (std::size_t got; (got = std::fread(step, 1, sizeof step, pipe)) > 0;) out.append(step, got);
  CHECK(::pclose(pipe) == 0);
  std::filesystem::remove(name);
  return out;
}

std::string text_of(const pugi::xml_node& node) {
  std::string out;
  if (node.type() == pugi::node_pcdata || node.type() == pugi::node_cdata) out = node.value();
  for (const pugi::xml_node& child : node.children()) out += text_of(child);
  return out;
}

struct Page {
  pugi::xml_document document;
  std::map<std::string, std::size_t> elements;
  std::size_t attributes = 0;

  explicit Page(const std::string& html) {
    const auto parsed = document.load_string(("<page>" + html + "</page>").c_str(),
                                             pugi::parse_default | pugi::parse_ws_pcdata | pugi::parse_comments);
    INFO(parsed.description() << " at " << parsed.offset);
    REQUIRE(parsed);
    count(document.first_child());
  }
  void count(const pugi::xml_node& node) {
    for (const pugi::xml_node& child : node.children()) {
      if (child.type() == pugi::node_comment) ++elements["comment"];
      if (child.type() != pugi::node_element) continue;
      ++elements[child.name()];
      attributes += static_cast<std::size_t>(std::distance(child.attributes_begin(), child.attributes_end()));
      count(child);
    }
  }
};

void check_markdown(const std::vector<ImageResult>& made) {
  const std::string markdown = write_markdown(made, stated());
  const std::string html = rendered(markdown);
  if (html.empty()) {
    WARN("skipped: no cmark-gfm");
    return;
  }
  INFO(markdown << html);
  const Page page(html);
  static const std::set<std::string> known = {"h2", "h3",   "table", "thead",   "tbody",   "tr", "th",
                                              "td", "code", "br",    "details", "summary", "p",  "comment"};
  for (const auto& [name, count] : page.elements) {
    INFO(name);
    CHECK(known.contains(name));
  }
  CHECK(page.attributes == 0);
  const bool cut = markdown.find("left out: this report") != std::string::npos;
  // Every row has its cells, and every problem its row.
  std::size_t rows = 0;
  for (const pugi::xpath_node& table : page.document.select_nodes("//table")) {
    const std::size_t columns = table.node().select_nodes("thead/tr/th").size();
    for (const pugi::xpath_node& row : table.node().select_nodes("tbody/tr")) {
      CHECK(row.node().select_nodes("td").size() == columns);
      rows += columns == 4;
    }
  }
  std::size_t expected = made.size();
  std::vector<std::string> subjects;
  for (const ImageResult& image : made)
    for (const Problem& problem : problems_of(image, stated())) {
      ++expected;
      if (problem.found != nullptr) subjects.push_back(for_terminal(problem.found->finding.subject, 400));
    }
  if (cut) {
    CHECK(rows <= expected);
    return;
  }
  CHECK(rows == expected);
  std::multiset<std::string> codes;
  for (const pugi::xpath_node& node : page.document.select_nodes("//td[3]/code")) codes.insert(text_of(node.node()));
  for (const std::string& subject : subjects)
    if (subject.find_first_not_of(' ') != std::string::npos) {
      INFO(subject);
      CHECK(codes.contains(subject));
    }
}

pugi::xml_document junit(const std::vector<ImageResult>& made, const ReportStyle& style = stated()) {
  pugi::xml_document out;
  const std::string text = write_junit(made, style);
  const auto parsed = out.load_string(text.c_str());
  INFO(parsed.description() << " at " << parsed.offset << " of " << text);
  REQUIRE(parsed);
  return out;
}

std::size_t number(const pugi::xml_node& node, const char* name) { return node.attribute(name).as_ullong(); }

/// The shape that JUnit readers share, and counts that are those of the cases.
void check_junit(const std::vector<ImageResult>& made) {
  const pugi::xml_document document = junit(made);
  const pugi::xml_node suites = document.document_element();
  REQUIRE(suites.name() == std::string("testsuites"));
  std::size_t tests = 0, count = 0;
  std::set<std::string> classes;
  for (const pugi::xml_node& suite : suites.children()) {
    REQUIRE(suite.name() == std::string("testsuite"));
    std::map<std::string, std::size_t> seen;
    std::size_t own = 0;
    for (const pugi::xml_node& child : suite.children()) {
      if (child.name() == std::string("properties")) continue;
      if (child.type() != pugi::node_element) continue;
      REQUIRE(child.name() == std::string("testcase"));
      ++own;
      CHECK(child.attribute("name"));
      CHECK(child.attribute("classname"));
      std::size_t parts = 0;
      for (const pugi::xml_node& part : child.children()) {
        if (part.type() != pugi::node_element) continue;
        ++parts;
        ++seen[part.name()];
        for (const pugi::xml_node& inner : part.children()) CHECK(inner.type() == pugi::node_pcdata);
      }
      CHECK(parts <= 1);
    }
    seen.erase("system-out");
    CHECK(number(suite, "tests") == own);
    CHECK(number(suite, "failures") == seen["failure"]);
    CHECK(number(suite, "errors") == seen["error"]);
    CHECK(number(suite, "skipped") == seen["skipped"]);
    seen.erase("failure"), seen.erase("error"), seen.erase("skipped");
    CHECK(seen.empty());
    tests += own;
    ++count;
  }
  CHECK(count == made.size());
  CHECK(number(suites, "tests") == tests);
}

}  // namespace

TEST_CASE("GitHub reads the commands of the report and none of the image") {
  const auto check = [](const std::vector<ImageResult>& made) {
    const std::string log = write_github(made, stated());
    std::size_t problems = 0;
    for (const ImageResult& image : made) problems += problems_of(image, stated()).size();
    const std::vector<Command> commands = commands_of(log);
    INFO(log);
    CHECK(commands.size() == std::min<std::size_t>(problems, 10));
    for (const Command& command : commands) {
      CHECK((command.name == "error" || command.name == "warning" || command.name == "notice"));
      CHECK(command.properties.size() == 3);
      CHECK(command.properties.contains("file"));
      CHECK(std::stoul(command.properties.at("line")) >= 1);
      CHECK_FALSE(command.message.empty());
      CHECK(command.message.find('\r') == std::string::npos);
    }
    // Everything else is a line of ours.
    std::istringstream lines(log);
    for (std::string line; std::getline(lines, line);) CHECK((line.starts_with("::") || line.starts_with("ocilint: ")));
  };
  check(results());
  check(worst_results());
  std::mt19937 random(11);
  for (int round = 0; round < 200; ++round) check(random_results(random));
}

TEST_CASE("a GitHub annotation holds the whole finding") {
  std::vector<ImageResult> made = {every_feature()};
  made[0].checks = {failed_check()};
  made[0].checks[0].file = "ci/a,b:c%.yaml";
  made[0].checks[0].findings[0].finding.subject = "/a\n::error::b%0A,";
  complete(made[0]);
  const std::vector<Command> commands = commands_of(write_github(made, stated()));
  REQUIRE(commands.size() == 2);
  CHECK(commands[0].name == "error");
  CHECK(commands[0].properties.at("file") == "ci/a,b:c%.yaml");
  CHECK(commands[0].properties.at("line") == "20");
  CHECK(commands[0].properties.at("title") == "service/runtime-is-one-file");
  CHECK(commands[0].message.starts_with("split: /a\\n::error::b%0A,: same bytes"));
  CHECK(commands[0].message.find("\nto do: link every name in one RUN\n") != std::string::npos);
  CHECK(commands[0].message.ends_with("\nimage: oci:image:tag@sha256:cc linux/amd64"));
}

TEST_CASE("GitHub is shown the ten worst, and how many more there are") {
  std::vector<ImageResult> made = {every_feature(), every_feature()};
  made[0].checks = {failed_check()};
  ReportedFinding one = made[0].checks[0].findings[0];
  made[0].checks[0].findings.assign(30, one);
  for (ReportedFinding& found : made[0].checks[0].findings) found.severity = Severity::note;
  for (ImageResult& image : made) complete(image);
  const std::string log = write_github(made, stated());
  const std::vector<Command> commands = commands_of(log);
  REQUIRE(commands.size() == 10);
  CHECK(commands[0].name == "error");
  CHECK(std::ranges::is_sorted(commands, {}, [](const Command& command) {
    return command.name == "error" ? 0 : command.name == "warning" ? 1 : 2;
  }));
  std::size_t all = 0;
  for (const ImageResult& image : made) all += problems_of(image, stated()).size();
  CHECK(log.find("ocilint: and " + std::to_string(all - 10) + " more\n") != std::string::npos);
}

TEST_CASE("the Code Quality report has the shape that GitLab reads") {
  const auto check = [](const std::vector<ImageResult>& made) {
    const Json list = parse_json(write_gitlab(made, stated()));
    REQUIRE(list.is_array());
    std::size_t problems = 0;
    for (const ImageResult& image : made) problems += problems_of(image, stated()).size();
    CHECK(list.size() == problems);
    std::set<std::string> fingerprints;
    for (const Json& entry : list) {
      CHECK(fingerprints.insert(entry.at("fingerprint")).second);
      CHECK(std::set<std::string>{"info", "minor", "major", "critical", "blocker"}.contains(entry.at("severity")));
      const std::string description = entry.at("description"), id = entry.at("check_name");
      CHECK(description.starts_with(id.substr(0, 900)));
      const std::string path = entry.at("location").at("path");
      CHECK_FALSE(path.empty());
      CHECK_FALSE(path.starts_with("/"));
      CHECK_FALSE(path.starts_with("./"));
      CHECK(entry.at("location").at("lines").at("begin") >= 1);
    }
  };
  check(results());
  check(worst_results());
  check({every_feature(), every_feature()});
  std::mt19937 random(13);
  for (int round = 0; round < 200; ++round) check(random_results(random));
  const Json list = parse_json(write_gitlab(results(), stated()));
  CHECK(list[0]["severity"] == "blocker");
  CHECK(std::ranges::count_if(list, [](const Json& entry) { return entry["check_name"] == "ocilint/unreadable"; }) ==
        2);
}

TEST_CASE("the JUnit report is well-formed, and its counts are those of its cases") {
  check_junit(results());
  check_junit(worst_results());
  std::mt19937 random(17);
  for (int round = 0; round < 200; ++round) check_junit(random_results(random));
}

TEST_CASE("each check is a JUnit case with its outcome") {
  const pugi::xml_document document = junit(results());
  const auto outcome = [&](const std::string& name) {
    const pugi::xml_node found = document.select_node(("//testcase[@name='" + name + "']").c_str()).node();
    REQUIRE(found);
    return std::string(found.first_child().name());
  };
  CHECK(outcome("packages") == "error");
  CHECK(outcome("runtime-is-one-file") == "failure");
  CHECK(outcome("modes") == "failure");
  CHECK(outcome("left-over") == "system-out");  // a note, below the threshold
  CHECK(outcome("hsa") == "skipped");
  CHECK(outcome("config-is-there") == "system-out");
  CHECK(outcome("readable") == "error");
  CHECK(outcome("coverage") == "error");
  ReportStyle strict = stated();
  strict.fail_on = Severity::note;
  CHECK(junit(results(), strict).select_node("//testcase[@name='left-over']/failure"));
  // GitLab knows a case by both names.
  std::set<std::string> names;
  const pugi::xml_document three = junit({every_feature(), every_feature(), unreadable_image()});
  for (const pugi::xpath_node& node : three.select_nodes("//testcase"))
    CHECK(names
              .insert(std::string(node.node().attribute("classname").value()) + "\n" +
                      node.node().attribute("name").value())
              .second);
}

TEST_CASE("texts of an image come out of JUnit as they went in, but for what is escaped") {
  std::vector<ImageResult> made = {every_feature()};
  made[0].checks[2].findings[0].finding.message = "<b>&amp;]]>\"'\x01\xef\xbf\xbf\n</failure>";
  const std::string text =
      junit(made).select_node("//testcase[@name='runtime-is-one-file']/failure").node().text().get();
  CHECK(text.find("split: /opt/lib/libx.so.1: <b>&amp;]]>\"'\\x01\\u{ffff}\\n</failure>\n") != std::string::npos);
}

TEST_CASE("Markdown shows texts of an image and obeys none") {
  check_markdown(results());
  check_markdown(worst_results());
  std::mt19937 random(19);
  for (int round = 0; round < 60; ++round) check_markdown(random_results(random));
}

TEST_CASE("Markdown that is too long ends with a row and says what is left out") {
  std::vector<ImageResult> made = {every_feature()};
  ReportedFinding one = made[0].checks[2].findings[0];
  made[0].checks[2].findings.clear();
  for (int i = 0; i < 3000; ++i) {
    one.finding.subject = "/f/" + std::to_string(i);
    made[0].checks[2].findings.push_back(one);
  }
  const std::string markdown = write_markdown(made, stated());
  CHECK(markdown.size() <= 60'000);
  CHECK(markdown.size() > 50'000);
  CHECK(markdown.starts_with("## ocilint: not to be trusted (exit status 2)\n"));
  std::istringstream lines(markdown);
  std::string last;
  std::size_t rows = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("| error |")) {
      ++rows;
      CHECK(line.ends_with(" |"));
    }
    if (!line.empty()) last = line;
  }
  INFO(last);
  CHECK(rows > 50);
  CHECK(last.find("rows are left out") != std::string::npos);
  // Of 3000 findings, two errors, two holes and one warning, note and waiver each, what is not there is counted.
  const std::size_t problems = problems_of(made[0], stated()).size();
  CHECK(std::stoul(last) >= problems - rows);
  // Cut within what can be folded: it is closed.
  made[0].checks[2].findings.clear();
  made[0].checks.resize(3);
  made[0].checks[2].outcome = Outcome::pass;
  for (int i = 0; i < 2000; ++i) {
    CheckResult passed = check_of("passed-" + std::to_string(i), "file", Outcome::pass, 1);
    passed.evidence.push_back({"a file of 3 bytes", "/etc/app/x", 1});
    made[0].checks.push_back(passed);
  }
  const std::string folded = write_markdown(made, stated());
  CHECK(folded.size() <= 60'000);
  CHECK(folded.find("\n</details>\n\n") != std::string::npos);
  CHECK(folded.find("rows are left out") > folded.find("</details>"));
}
