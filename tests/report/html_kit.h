// A page as a parser reads it, for tests of the pages: well-formed, of known elements and attributes, leading nowhere
// else.
#pragma once

#include <algorithm>
#include <pugixml.hpp>
#include <set>
#include <sstream>

#include "report_kit.h"

namespace ocilint::testing {

struct Read {
  pugi::xml_document document;
  std::multiset<std::string> elements;
  std::set<std::string> attributes, ids, classes;
  std::vector<std::string> targets;

  explicit Read(const std::string& html) {
    const auto parsed =
        document.load_string(html.c_str(), pugi::parse_default | pugi::parse_ws_pcdata | pugi::parse_comments);
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
    for (const pugi::xpath_node& found : document.select_nodes(path))
      out += std::string(found.node().text().get()) + "\n";
    return out;
  }
};

inline const std::set<std::string> known_elements = {
    "html", "head",    "meta",   "title",   "style",   "script", "body",  "p",       "a",     "main",
    "nav",  "article", "header", "section", "footer",  "div",    "span",  "h1",      "h2",    "h3",
    "dl",   "dt",      "dd",     "ul",      "ol",      "li",     "table", "caption", "thead", "tbody",
    "tr",   "th",      "td",     "details", "summary", "code",   "b",     "i",       "br",    "ins",
    "del",  "label",   "input",  "button",  "output",  "svg",    "defs",  "pattern", "rect",  "text"};
inline const std::set<std::string> known_attributes = {"lang",
                                                       "charset",
                                                       "http-equiv",
                                                       "content",
                                                       "name",
                                                       "class",
                                                       "id",
                                                       "href",
                                                       "hidden",
                                                       "open",
                                                       "for",
                                                       "type",
                                                       "role",
                                                       "scope",
                                                       "checked",
                                                       "disabled",
                                                       "autocomplete",
                                                       "spellcheck",
                                                       "placeholder",
                                                       "data-state",
                                                       "aria-pressed",
                                                       "aria-live",
                                                       "aria-label",
                                                       "aria-labelledby",
                                                       "aria-hidden",
                                                       "tabindex",
                                                       "viewBox",
                                                       "preserveAspectRatio",
                                                       "x",
                                                       "y",
                                                       "width",
                                                       "height",
                                                       "fill",
                                                       "patternUnits",
                                                       "patternTransform"};

inline Read well_formed(const std::string& html) {
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

}  // namespace ocilint::testing
