// The HTML report as a parser reads it: it is well-formed, so a text of the image that broke out of its place would
// show as an element, an attribute or an error. What a browser makes of it: tests/browser.
#include <functional>

#include "base/base64.h"
#include "base/digest.h"
#include "report/diff.h"
#include "html_kit.h"
#include "report/html_parts.h"

using namespace ocilint;
using namespace ocilint::testing;

namespace {

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
    diff.packages.push_back({text(), "apk", change, text(), text()});
    diff.history.push_back({change, 0, text(), text()});
    diff.files.push_back({"/opt/" + text(), change, {text(), text()}, 100, 200, text(), 0, 1});
    diff.files.push_back({"/opt/" + text(), change, {"file"}, {}, 300, "", {}, {}});
  }
  diff.files.push_back({"/opt/time", Change::changed, {"time"}, 1, 1, "", 0, 1});
  diff.libraries.push_back({text(), text(), text(), text(), {text()}, {text()}, {text()}, {text()}});
  diff.unread = {text()};
  diff.equal_layers = 1;
  for (auto* const layers : {&diff.layers_before, &diff.layers_after}) {
    layers->emplace();
    for (int i = 0; i < 3; ++i) {
      LayerRow& row = (*layers)->rows.emplace_back();
      row.name = text();
      row.created_by = text();
      row.compression = text();
      row.unpacked_bytes = row.stored_bytes = 4096;
      row.use = {2, 1, 1, 4000, 1000};
    }
    (*layers)->efficiency.content_bytes = 12'000;
    (*layers)->efficiency.hidden_bytes = 3'000;
    (*layers)->efficiency.hidden = {{"/opt/" + text(), 1'000, {0}, 1}};
  }
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
  // The layers of both, those that both have marked; files name theirs.
  for (const char* const id : {"d-b-layers", "d-a-layers", "d-b-layer2", "d-a-layer2"}) CHECK(page.ids.contains(id));
  CHECK(page.document.select_nodes("//svg[@class='strip']//rect[contains(@class,' both')]").size() == 2);
  CHECK(page.document.select_nodes("//section[@aria-labelledby='d-files']//a[@href='#d-a-layer1']").size() == 1);
  CHECK(page.text("//section[@aria-labelledby='d-a-layers']//p[@class='more']").find("2.0 KiB more in smaller files") !=
        std::string::npos);
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
  const std::set<std::string> silent = {
      "image",  "item",   "sub",   "head", "group", "checks",   "d1",     "d2",   "d3",     "d4",       "d5", "grounds",
      "linked", "reason", "place", "mark", "words", "evidence", "waived", "skip", "layers", "of-layer", "tl", "some"};
  for (const std::string& name : page.classes) {
    INFO("." << name);
    CHECK((silent.contains(name) || html_style.find("." + name) != std::string_view::npos));
  }
}

TEST_CASE("the page's policy names its own style and script, and nothing else may run or load") {
  const std::string html = write_html(results(), stated());
  const Read page(html);
  const std::string policy =
      page.document.select_node("//meta[@http-equiv='Content-Security-Policy']/@content").attribute().value();
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

TEST_CASE("what is cut from picture and stories is counted too") {
  ImageResult image = every_feature();
  image.survey->stories_left_out = 7;
  image.survey->sizes.front().files = 900;
  image.survey->hidden_bytes = image.survey->hidden.front().bytes + 5;
  image.survey->hidden.front().layers = {0, 1, 0, 1, 0, 1, 0, 1};
  const std::string html = write_html({&image, 1}, stated());
  const Read page(html);
  CHECK(html.find("Of 7 more findings how the file came about is not told here") != std::string::npos);
  CHECK(page.text("//summary").find("The biggest 2 of 900 files as a table") != std::string::npos);
  CHECK(html.find("5 B more in smaller files") != std::string::npos);
  CHECK(html.find("</a> and 2 more</td>") != std::string::npos);
}

TEST_CASE("what the page of a difference leaves out is counted") {
  ImageDiff diff;
  for (int i = 0; i < 5'000; ++i)
    diff.files.push_back({"/d/" + std::to_string(i), Change::added, {"file"}, {}, 100, "", {}, {}});
  for (int i = 0; i < 3'002; ++i) diff.packages.push_back({"p" + std::to_string(i), "dpkg", Change::added, "", "1"});
  DiffLibrary library{"/l", "/l", "", "", {}, {}, {}, {}};
  library.symbols_added.assign(201, "s");
  diff.libraries.assign(60, library);
  const std::string html = write_diff_html(diff);
  const Read page(html);
  CHECK(page.text("//section[@aria-labelledby='d-files']/p[@class='more']").find("2,000 more are") !=
        std::string::npos);
  CHECK(page.text("//section[@aria-labelledby='d-packages']/p[@class='more']").find("2 more are") != std::string::npos);
  CHECK(page.text("//section[@aria-labelledby='d-map']/p[@class='more']").find("2,500 more are") != std::string::npos);
  // 200 of a library, 10,000 of the page.
  CHECK(page.document.select_nodes("//section[@aria-labelledby='d-libraries']//li[not(@class)]").size() == 10'000);
  CHECK(html.find("and 201 more added") != std::string::npos);
}

TEST_CASE("direction marks and control bytes are seen, and markup is text") {
  CHECK(for_html("a<b>&\"'") == "a&lt;b&gt;&amp;&quot;&#39;");
  CHECK(for_html("x\xe2\x80\xae\x1b[1m\xff") == "x\\u{202e}\\x1b[1m\\xff");
  CHECK(for_html(std::string(100, '<'), 10).find('<') == std::string::npos);
}
