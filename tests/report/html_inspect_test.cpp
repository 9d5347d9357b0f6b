// The page of `ocilint inspect`, as a parser reads it. What a browser makes of it: tests/browser.
#include <functional>

#include "html_kit.h"
#include "report/inspect.h"

using namespace ocilint;
using namespace ocilint::testing;

namespace {

/// Everything an inspection can have, each text made by `text`.
Inspection inspection(const std::function<std::string()>& text) {
  Inspection look;
  look.result = every_feature();
  look.image = {text(), text(), text(), text(), 2, 2560};
  look.config = {text(),   text(),   text(),   text(),   text(),   {text(), text()},
                 {text()}, {text()}, {text()}, {text()}, {text()}, {{text(), text()}}};
  look.base = {text(), text(), "label"};
  look.system = {text(), text(), text(), text(), "/etc/os-release" + text(), 1};
  look.layers.rows.resize(2);
  look.packages.presence = text();
  look.packages.found = look.packages.compared = true;
  PackageRow row;
  row.name = text();
  row.status = "installed";
  row.differing = {{"/usr/lib/" + text(), "modified", true, false, 1, text()}, {text(), "missing", false, true, 7, ""}};
  look.packages.packages = {row};
  ManagerLook apk{"apk", text(), true, {row}};
  look.packages.others = {apk};
  look.pythons = {{text(), {}, 3, 1}};
  look.stacks = {{text(), {{"release", text(), text(), 1}, {"package", text(), "", {}}}}};
  look.secrets = {{"p/c", text(), text(), text(), Severity::error, 1},
                  {"p/c", text(), text(), text(), Severity::note, {}}};
  look.searched = {"p/c" + text()};
  look.checks_passed = 3;
  look.checks_failed = 2;
  look.unread = {text()};
  return look;
}

}  // namespace

TEST_CASE("the page of an inspection: what it is, what differs, which secrets, and the checks with layers and map") {
  const Inspection look = inspection([] { return std::string("x"); });
  const Read page = well_formed(write_inspect_html(look));
  CHECK(page.text("//h1") == "x\n");
  CHECK(page.text("//p[@class='verdict unsure']/span[@class='word']") == "x\n");
  CHECK(page.document.select_nodes("//section[@aria-labelledby='i0-files']//tbody/tr").size() == 4);
  CHECK(page.document.select_nodes("//section[@aria-labelledby='i0-secrets']//tbody/tr").size() == 2);
  CHECK(
      page.text("//dl[@class='figures']/div/dt") ==
      "package files that differ\npackage files missing\nsecrets\nchecks that fail\ncould not be checked\nchecks passed\n");
  CHECK(page.text("//dl[@class='figures']/div/dd") == "2\n2\n1\n2\n0\n3\n");
  for (const char* const id : {"i0-checks", "i0-layers", "i0-map", "i0-layer0", "i0-layer1"})
    CHECK(page.ids.contains(id));
  // A layer that the table does not have is no link.
  CHECK_FALSE(page.ids.contains("i0-layer7"));
}

TEST_CASE("what nobody looked for is no zero on the page of an inspection") {
  Inspection look;
  look.unread = {"secrets: no check of the policies looks for them"};
  const Read page = well_formed(write_inspect_html(look));
  CHECK(page.text("//dl[@class='figures']/div/dd") == "?\n?\n?\n0\n0\n0\n");
  CHECK(page.text("//ul[@class='holes']/li").find("no check of the policies looks") != std::string::npos);
  CHECK(page.document.select_nodes("//section[@aria-labelledby='i0-secrets']").empty());
}

TEST_CASE("no text of an inspection becomes markup of its page") {
  std::string all;
  for (const std::string& part : hostile_parts()) all += part;
  well_formed(write_inspect_html(inspection([&] { return all; })));
  std::mt19937 random(20260404);
  for (int round = 0; round < 100; ++round)
    well_formed(write_inspect_html(inspection([&] { return hostile(random); })));
}

TEST_CASE("what the page of an inspection leaves out is counted") {
  Inspection look = inspection([] { return std::string("x"); });
  PackageRow& row = look.packages.packages.front();
  row.differing.assign(700, row.differing.front());
  look.secrets.assign(503, look.secrets.front());
  look.config.env.assign(100, "A=b");
  const std::string html = write_inspect_html(look);
  const Read page = well_formed(html);
  CHECK(page.document.select_nodes("//section[@aria-labelledby='i0-files']//tbody/tr").size() == 500);
  CHECK(page.text("//section[@aria-labelledby='i0-files']/p[@class='more']").find("202 more are") != std::string::npos);
  CHECK(page.text("//section[@aria-labelledby='i0-secrets']/p[@class='more']").find("3 more are") != std::string::npos);
  CHECK(html.find("and 40 more") != std::string::npos);
  // Lists of that length can be filtered.
  CHECK(page.document.select_nodes("//div[@class='filter']").size() == 3);
}
