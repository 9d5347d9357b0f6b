#include "facts/dpkg_relations.h"

#include "base/error.h"
#include "facts/dpkg_names.h"
#include "facts/limits.h"

namespace ocilint {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

class RelationReader {
 public:
  explicit RelationReader(std::string_view text) : text_(text) {}

  DpkgRelations read() {
    DpkgRelations out;
    std::size_t atoms = 0;
    while (skip_blanks()) {
      if (text_[at_] == ',') {  // dpkg and apt pass over empty groups
        ++at_;
        continue;
      }
      DpkgRelations::Group& group = out.groups.emplace_back();
      for (;;) {
        if (++atoms > dependency_atoms) throw Error(ErrorKind::limit, "too many relations in one field");
        group.push_back(read_relation());
        if (!skip_blanks() || text_[at_] != '|') break;
        ++at_;
      }
      if (at_ < text_.size() && text_[at_] != ',') refuse("a comma or a bar was expected");
    }
    return out;
  }

 private:
  [[noreturn]] void refuse(std::string_view why) const {
    const std::size_t from = start_ > text_.size() ? text_.size() : start_;
    corrupt("\"" + std::string(text_.substr(from, 80)) + "\" is no relation of packages: " + std::string(why));
  }

  bool skip_blanks() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
    return at_ < text_.size();
  }

  std::string_view take_until(std::string_view ends) {
    const std::size_t from = at_;
    while (at_ < text_.size() && !is_blank(text_[at_]) && ends.find(text_[at_]) == std::string_view::npos) ++at_;
    return text_.substr(from, at_ - from);
  }

  DpkgRelation read_relation() {
    skip_blanks();
    start_ = at_;
    DpkgRelation out;
    std::string_view name = take_until("(,|[<");
    if (const std::size_t colon = name.find(':'); colon != std::string_view::npos) {
      out.qualifier = name.substr(colon + 1);
      name = name.substr(0, colon);
      if (!is_package_name(out.qualifier)) refuse("what follows the colon is no architecture");
    }
    if (!is_package_name(name)) refuse("no name of a package");
    out.name = name;
    if (skip_blanks() && text_[at_] == '(') read_version(out);
    return out;
  }

  void read_version(DpkgRelation& out) {
    ++at_;
    skip_blanks();
    const std::size_t mark_from = at_;
    while (at_ < text_.size() && std::string_view("<>=").find(text_[at_]) != std::string_view::npos) ++at_;
    std::string constraint(text_.substr(mark_from, at_ - mark_from));
    if (constraint == "<" || constraint == ">") constraint += '=';
    skip_blanks();
    const std::string_view version = take_until(")");
    if (!skip_blanks() || text_[at_] != ')') refuse("a version without its closing parenthesis");
    ++at_;
    try {
      out.version = VersionConstraint::parse(constraint + std::string(version));
    } catch (const Error& error) {
      refuse(error.what());
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t start_ = 0;  // of the relation that is being read, for messages
};

}  // namespace

std::string DpkgRelation::text() const {
  std::string out = name;
  if (!qualifier.empty()) out += ":" + qualifier;
  if (version) out += " (" + version->text() + ")";
  return out;
}

DpkgRelations DpkgRelations::parse(std::string_view field) { return RelationReader(field).read(); }

std::string to_text(const DpkgRelations::Group& group) {
  std::string out;
  for (const DpkgRelation& relation : group) {
    if (!out.empty()) out += " | ";
    out += relation.text();
  }
  return out;
}

}  // namespace ocilint
