// The HTML report as a parser reads it: it is well-formed, so a text of the image that broke out of its place would
// show as an element, an attribute or an error. What a browser makes of it: tests/browser.
#include <algorithm>
#include <functional>
#include <pugixml.hpp>
#include <set>

#include "base/base64.h"
#include "base/digest.h"
#include "report/diff.h"
#include "report/html_parts.h"
#include "report_kit.h"

using namespace ocilint;
using namespace ocilint::testing;

namespace {

struct Read {
  pugi::xml_document document;
  std::multiset<std::string> elements;
  std::set<std::string> attributes, ids, classes;
  std::vector<std::string> targets;

  explicit Read(const std::string& html) {
    const auto parsed = document.load_string(html.c_str(), pugi::parse_default | pugi::parse_ws_pcdata | pugi::parse_comments);
    INFO(parsed.description() << " at " << html.substr(std::max<std::ptrdiff_t>(0, parsed.offset - 80), 160));
    REQUIRE(parsed);
    walk(document);
  }
  void walk(const pugi::xml_node& node) {
    for (const pugi::xml_node& child : node.children()) {
      if (child.type() == pugi::node_comment) elements.insert("comment");
      if (child.type() != pugi::node_element) continue;
      elements.insert(child.name());
      for (const pugi::xml_attribute& attribute : child.attributes()) {
        attributes.insert(attribute.name());
        if (std::string(attribute.name()) == "id") CHECK(ids.insert(attribute.value()).second);
        if (std::string(attribute.name()) == "href") targets.emplace_back(attribute.value());
        if (std::string(attribute.name()) == "class") {
          std::istringstream words(attribute.value());
          for (std::string word; words >> word;) classes.insert(word);
        }
      }
      walk(child);
    }
  }
  std::string text(const char* path) const {
    std::string out;
    for (const pugi::xpath_node& found : document.select_nodes(path)) out += std::string(found.node().text().get()) + "\n";
    return out;
  }
};

const std::set<std::string> known_elements = {
    "html", "head", "meta", "title", "style", "script", "body", "p", "a", "main", "nav", "article", "header", "section", "footer", "div", "span",
    "h1", "h2", "h3", "dl", "dt", "dd", "ul", "ol", "li", "table", "caption", "thead", "tbody", "tr", "th", "td", "details", "summary", "code",
    "b", "i", "br", "ins", "del", "label", "input", "button", "output", "svg", "defs", "pattern", "rect", "text"};
const std::set<std::string> known_attributes = {
    "lang", "charset", "http-equiv", "content", "name", "class", "id", "href", "hidden", "open", "for", "type", "role", "scope", "checked", "disabled",
    "autocomplete", "spellcheck", "placeholder", "data-state", "aria-pressed", "aria-live", "aria-label", "aria-labelledby", "aria-hidden", "tabindex",
    "viewBox", "preserveAspectRatio", "x", "y", "width", "height", "fill", "patternUnits", "patternTransform"};

Read well_formed(const std::string& html) {
  Read page(html);
  for (const std::string& name : page.elements) {
    INFO("<" << name << ">");
    CHECK(known_elements.contains(name));
  }
  for (const std::string& name : page.attributes) {
    INFO("attribute " << name);
    CHECK(known_attributes.contains(name));
  }
  for (const std::string& target : page.targets) {
    INFO("link to " << target);
    REQUIRE(target.starts_with('#'));
    CHECK((target == "#main" || page.ids.contains(target.substr(1))));
  }
  CHECK(page.elements.count("script") == 1);
  CHECK(page.elements.count("style") == 1);
  return page;
}

void check_structure(const std::vector<ImageResult>& made) {
  CHECK(well_formed(write_html(made, stated())).elements.count("article") == made.size());
}

/// Everything a difference can have, each text made by `text`.
ImageDiff difference(const std::function<std::string()>& text) {
  ImageDiff diff;
  diff.before = {text(), text(), text(), text(), 2, 100};
  diff.after = {text(), text(), text(), text(), 3, 200};
  diff.layer_lines = {text(), text(), text()};
  for (const Change change : {Change::added, Change::removed, Change::changed}) {
    diff.fields.push_back({text(), change, text(), text()});
    diff.packages.push_back({text(), change, text(), text()});
    diff.history.push_back({change, 0, text(), text()});
    diff.files.push_back({"/opt/" + text(), change, {text(), text()}, 100, 200, text(), 0, 1});
    diff.files.push_back({"/opt/" + text(), change, {"file"}, {}, 300, "", {}, {}});
  }
  diff.files.push_back({"/opt/time", Change::changed, {"time"}, 1, 1, "", 0, 1});
  diff.libraries.push_back({text(), text(), text(), text(), {text()}, {text()}, {text()}, {text()}});
  diff.unread = {text()};
  return diff;
}

}  // namespace

TEST_CASE("the HTML report is well-formed, leads nowhere else and has one script") {
  check_structure(results());
  check_structure({every_feature()});
  check_structure({});
}

TEST_CASE("no text of a result becomes markup of the HTML report") {
  check_structure(worst_results());
  std::mt19937 random(20260202);
  for (int round = 0; round < 100; ++round) {
    INFO("round " << round);
    check_structure(random_results(random));
  }
}

TEST_CASE("the page of a difference: well-formed whatever its texts, a row a file, times only counted") {
  const Read page = well_formed(write_diff_html(difference([] { return std::string("x"); })));
  CHECK(page.document.select_nodes("//li[@class='item']").size() == 6);
  CHECK(page.text("//p[@class='lead']").find("1 file with another time only") != std::string::npos);
  CHECK(page.text("//span[@class='word']") == "Not to be trusted\n");
  CHECK(page.document.select_nodes("//rect[starts-with(@class,'t g-')]").size() > 2);
  ImageDiff equal;
  CHECK(well_formed(write_diff_html(equal)).text("//span[@class='word']") == "Equal\n");
  std::string all;
  for (const std::string& part : hostile_parts()) all += part;
  well_formed(write_diff_html(difference([&] { return all; })));
  std::mt19937 random(20260303);
  for (int round = 0; round < 100; ++round) well_formed(write_diff_html(difference([&] { return hostile(random); })));
}

TEST_CASE("every class that no text can choose has a rule in the style") {
  // A class without a rule is a typing error in one of the two.
  const Read page(write_html(results(), stated()));
  const std::set<std::string> silent = {"image", "item", "sub", "head", "group", "checks", "d1", "d2", "d3", "d4", "d5", "grounds", "linked", "reason",
                                        "place", "mark", "words", "evidence", "waived", "skip", "layers", "of-layer", "tl", "some"};
  for (const std::string& name : page.classes) {
    INFO("." << name);
    CHECK((silent.contains(name) || html_style.find("." + name) != std::string_view::npos));
  }
}

TEST_CASE("the page's policy names its own style and script, and nothing else may run or load") {
  const std::string html = write_html(results(), stated());
  const Read page(html);
  const std::string policy = page.document.select_node("//meta[@http-equiv='Content-Security-Policy']/@content").attribute().value();
  CHECK(policy.find("default-src 'none'") != std::string::npos);
  CHECK(policy.find("unsafe") == std::string::npos);
  for (const char* const element : {"style", "script"}) {
    const std::string open = std::string("<") + element + ">", close = std::string("</") + element + ">";
    const std::size_t from = html.find(open) + open.size();
    const std::string body = html.substr(from, html.find(close) - from);
    std::string raw;
    const std::string hex = Digest::sha256_of(body).hex();
    for (std::size_t i = 0; i < hex.size(); i += 2) raw += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
    CHECK(policy.find(std::string(element) + "-src 'sha256-" + encode_base64(raw) + "'") != std::string::npos);
  }
}

TEST_CASE("the HTML report says what the result says") {
  const Read page(write_html(std::vector<ImageResult>{every_feature()}, stated()));
  CHECK(page.text("//p[@class='verdict unsure']/span[@class='word']") == "Not to be trusted\n");
  // What could not be checked and what was found stand open, the rest is closed; worst first.
  std::vector<std::string> states;
  for (const pugi::xpath_node& found : page.document.select_nodes("//details[starts-with(@class,'check ')]")) {
    states.emplace_back(found.node().attribute("data-state").value());
    CHECK(found.node().attribute("open").empty() == (states.back() != "unsure" && states.back() != "bad"));
  }
  CHECK(states == std::vector<std::string>{"unsure", "bad", "bad", "bad", "waived", "good", "good", "good", "skip"});
  CHECK(page.text("//code[@class='subject']").find("/opt/lib/\\xff.so") != std::string::npos);
  CHECK(page.text("//p[@class='todo']/text()").find("link every name in one RUN") != std::string::npos);
  CHECK(page.document.select_nodes("//table[@class='layers']/tbody/tr").size() == 2);
  CHECK(page.document.select_nodes("//rect[starts-with(@class,'seg') and parent::a]").size() == 2);
  // The story: a row a name, a cell a layer, and the same in words.
  CHECK(page.document.select_nodes("//table[@class='lanes']/tbody/tr").size() == 3);
  CHECK(page.text("//table[@class='lanes']//td/span[@class='vh']") ==
        "links file A\nwrites file B\nwrites file A\nwrites file C\nremoves it\n");
  CHECK(page.text("//ol[@class='deeds']/li").find("writes file B") != std::string::npos);
}

TEST_CASE("what is not shown of a long report is counted") {
  ImageResult image = every_feature();
  CheckResult many = failed_check();
  const ReportedFinding one = many.findings[0];
  many.findings.assign(5'000, one);
  many.evidence.assign(300, Evidence{"looked", "/a", {}});
  image.checks = {many};
  const std::string html = write_html({&image, 1}, stated());
  const Read page(html);
  CHECK(page.document.select_nodes("//section[contains(@class,'finding ')]").size() == 200);
  CHECK(page.text("//p[@class='more']").find("4,800 more") != std::string::npos);
  CHECK(html.find("and 240 more") != std::string::npos);
}

TEST_CASE("direction marks and control bytes are seen, and markup is text") {
  CHECK(for_html("a<b>&\"'") == "a&lt;b&gt;&amp;&quot;&#39;");
  CHECK(for_html("x\xe2\x80\xae\x1b[1m\xff") == "x\\u{202e}\\x1b[1m\\xff");
  CHECK(for_html(std::string(100, '<'), 10).find('<') == std::string::npos);
}
