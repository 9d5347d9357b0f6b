#include "report/packages.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.h"
#include "look/command_text.h"
#include "report/escape.h"
#include "report/json_text.h"
#include "report/table.h"

namespace ocilint {
namespace {

using Ordered = nlohmann::ordered_json;

constexpr std::size_t shown = 5;  // differing files of a package; --files lists all

std::string text_of(const PackageFileRow& file) {
  std::string out = file.state + "  " + for_terminal(file.path);
  if (!file.text.empty()) out += ", " + for_terminal(file.text);
  if (file.layer) out += fmt::format("  (layer {})", *file.layer);
  return out;
}

Hue hue_of(const PackageFileRow& file) { return file.differs ? Hue::red : file.missing ? Hue::yellow : Hue::plain; }

void add_differing(const PackageRow& row, Table& table) {
  for (std::size_t i = 0; i < std::min(shown, row.differing.size()); ++i)
    table.below(text_of(row.differing[i]), hue_of(row.differing[i]));
  if (row.differing.size() > shown)
    table.below(fmt::format("… and {} more: --files {}", row.differing.size() - shown, for_terminal(row.name)),
                Hue::grey);
}

struct Totals {
  std::size_t manual = 0, automatic = 0, files = 0, compared = 0, differ = 0, missing = 0;

  void add(const PackageRow& row) {
    manual += row.mark == "manual";
    automatic += row.mark == "automatic";
    files += row.files;
    compared += row.compared;
    missing += row.missing();
    differ += row.differing.size() - row.missing();
  }
};

std::string keeps_of(const PackageRow& row) {
  if (row.status == "config-files" || row.status == "not-installed") return row.status;
  std::string out = row.status == "installed" ? "" : row.status + "; ";
  // The chain says who is manual at its begin; that somebody is kept by one needs no words.
  if (!row.chain.empty())
    return out + (row.keeps == "kept by a chain" ? "" : row.keeps + ": ") + for_terminal(row.chain);
  return out + (row.keeps == row.mark ? "" : row.keeps);
}

std::string list_of(const PackagesLook& look, const LookStyle& style) {
  Table table({{"package"},
               {"version"},
               {"mark"},
               {"files", Table::Align::right},
               {"differ", Table::Align::right},
               {"missing", Table::Align::right},
               {"kept by"}});
  for (const PackageRow& row : look.packages) {
    const std::size_t missing = row.missing();
    const auto number = [&](std::size_t count) { return look.compared ? std::to_string(count) : std::string("?"); };
    table.row({for_terminal(row.name), for_terminal(row.version), row.mark.empty() ? "?" : row.mark, number(row.files),
               number(row.differing.size() - missing), number(missing), keeps_of(row)},
              row.removable ? Hue::yellow : Hue::plain);
    add_differing(row, table);
    if (!row.unusable.empty()) table.below("cannot be compared: " + for_terminal(row.unusable), Hue::red);
  }
  return table.write(style.width, style.color);
}

std::string files_of(const PackagesLook& look, const LookStyle& style) {
  Table table({{"state"}, {"layer", Table::Align::right}, {"path"}});
  const auto add = [&](const std::vector<PackageRow>& rows) {
    for (const PackageRow& row : rows)
      for (const PackageFileRow& file : row.all)
        table.row({file.state, file.layer ? std::to_string(*file.layer) : "-",
                   for_terminal(file.path) + (file.text.empty() ? "" : ", " + for_terminal(file.text))},
                  hue_of(file));
  };
  add(look.packages);
  for (const ManagerLook& other : look.others) add(other.packages);
  return table.write(style.width, style.color);
}

/// Another manager's packages: no marks where nothing records them, the place where it matters.
std::string list_of(const ManagerLook& look, const LookStyle& style) {
  const bool placed = look.manager == "python" || look.manager == "node";
  std::vector<Table::Column> columns = {{"package"}, {"version"}};
  if (look.manager != "node" && look.manager != "rpm") columns.push_back({"mark"});
  if (look.compared)
    for (const char* const name : {"files", "differ", "missing"}) columns.push_back({name, Table::Align::right});
  columns.push_back({placed ? "place" : "licence"});
  Table table(columns);
  for (const PackageRow& row : look.packages) {
    std::vector<std::string> cells = {for_terminal(row.name), for_terminal(row.version)};
    if (look.manager != "node" && look.manager != "rpm") cells.push_back(row.mark.empty() ? "?" : row.mark);
    const std::size_t missing = row.missing();
    if (look.compared)
      for (const std::size_t count : {row.files, row.differing.size() - missing, missing})
        cells.push_back(row.owner.empty() ? std::to_string(count) : std::string("-"));
    cells.push_back(placed ? for_terminal(row.path) + (row.owner.empty() ? "" : ", of " + for_terminal(row.owner))
                           : for_terminal(row.license));
    table.row(cells, Hue::plain);
    add_differing(row, table);
    if (!row.unusable.empty() && row.owner.empty())
      table.below("cannot be read: " + for_terminal(row.unusable), Hue::red);
  }
  std::string out = paint(look.manager, Hue::bold, style.color) + "  " + for_terminal(look.database) + "\n" +
                    table.write(style.width, style.color) + "\n";
  Totals all;
  for (const PackageRow& row : look.packages) all.add(row);
  out += count_of(look.packages.size(), "package");
  if (all.manual + all.automatic > 0) out += fmt::format(": {} manual, {} automatic", all.manual, all.automatic);
  if (look.compared)
    out += fmt::format("; {}, {} compared: {} differ, {} missing", count_of(all.files, "file"), all.compared,
                       all.differ, all.missing);
  return out + "\n";
}

std::string totals_of(const PackagesLook& look) {
  std::size_t installed = 0, removable = 0;
  Totals all;
  for (const PackageRow& row : look.packages) {
    if (row.status == "config-files" || row.status == "not-installed") continue;
    ++installed;
    removable += row.removable;
    all.add(row);
  }
  std::string out = count_of(installed, "package");
  if (look.states_problem.empty()) out += fmt::format(": {} manual, {} automatic", all.manual, all.automatic);
  out += fmt::format("; {} for autoremove", removable);
  if (look.compared)
    out += fmt::format("; {}, {} compared by digest: {} differ, {} missing", count_of(all.files, "file"), all.compared,
                       all.differ, all.missing);
  out += "\n";
  if (!look.states_problem.empty())
    out += for_terminal(look.states_problem) + ": apt takes all packages for manual ones\n";
  return out;
}

std::string history_line(std::uint32_t layer, const std::string& created_by) {
  return fmt::format("layer {}", layer) +
         (created_by.empty() ? "" : ": " + for_terminal(parse_command(created_by).text()));
}

std::string joined(const std::vector<std::string>& texts, const std::string& between = ", ") {
  std::string out;
  for (const std::string& text : texts) out += (out.empty() ? "" : between) + for_terminal(text);
  return out;
}

std::string reason_of(const PackageReason& reason, const LookStyle& style) {
  const auto line = [&](const std::string& text) {
    std::string out;
    for (const std::string& one : wrap(text, style.width, 4)) out += one + "\n";
    return out;
  };
  const std::string title = for_terminal(reason.name + (reason.version.empty() ? "" : " " + reason.version));
  std::string out;
  if (reason.installed) {
    const bool apt = reason.manager == "dpkg";
    const std::string mark = reason.mark.empty() ? "no mark" : reason.mark;
    out += paint(title, Hue::bold, style.color) + (apt ? "" : " (" + reason.manager + ")") + ": " + mark +
           (reason.keeps == mark ? "" : ", " + reason.keeps) + "\n";
    if (!reason.place.empty())
      out +=
          line("  " + for_terminal(reason.place) + (reason.owner.empty() ? "" : ", of " + for_terminal(reason.owner)));
    if (!reason.chain.empty()) out += line("  " + for_terminal(reason.chain));
    if (!reason.keepers.empty())
      out += line((apt ? "  a purge of " : "  removing ") + joined(reason.keepers, " or ") + " lets it go; " +
                  for_terminal(apt ? "apt-mark manual " + reason.name : reason.remedy) + " keeps it");
    if (!reason.limits.empty()) out += line("  " + reason.limits);
  } else {
    out += paint(title + " is not installed", Hue::red, style.color) + "\n";
    if (reason.removed_in) out += line("  removed in " + history_line(*reason.removed_in, reason.removed_by));
    if (!reason.before_problem.empty()) out += line("  why cannot be told: " + for_terminal(reason.before_problem));
    if (!reason.mark.empty())
      out += line("  before, it was " + reason.mark + (reason.keeps == reason.mark ? "" : ", " + reason.keeps));
    if (!reason.chain.empty()) out += line("  " + for_terminal(reason.chain));
    if (reason.let_go_in) {
      out += line(fmt::format("  up to layer {} it was {}", *reason.let_go_in - 1, reason.keeps_before) +
                  (reason.chain_before.empty() ? "" : ": " + for_terminal(reason.chain_before)));
      out += line("  let go in " + history_line(*reason.let_go_in, reason.let_go_by));
      if (!reason.gone_along.empty()) out += line("  that layer removed " + joined(reason.gone_along));
    } else if (!reason.gone_along.empty())
      out += line("  that layer also removed " + joined(reason.gone_along) +
                  (reason.mark == "automatic" ? ", after which apt autoremove takes what only they kept" : ""));
  }
  if (reason.users.empty())
    return out + (reason.installed      ? "  nothing asks for it\n"
                  : reason.mark.empty() ? ""
                                        : "  nothing asked for it then\n");
  Table table({{"  asked for by"}, {"field"}, {"kept"}, {"relation"}});
  for (const PackageUser& user : reason.users)
    table.row({"  " + for_terminal(user.name), user.field, user.keeps, for_terminal(user.relation)});
  return out + table.write(style.width, style.color);
}

Ordered of(const PackageFileRow& file) {
  Ordered out;
  put_text(out, "path", file.path);
  out["state"] = file.state;
  out["layer"] = file.layer ? Ordered(*file.layer) : Ordered();
  if (!file.text.empty()) put_text(out, "text", file.text);
  return out;
}

Ordered of(const std::vector<PackageFileRow>& files) {
  Ordered out = Ordered::array();
  for (const PackageFileRow& file : files) out.push_back(of(file));
  return out;
}

Ordered of(const PackageRow& row, bool compared) {
  Ordered out;
  put_text(out, "name", row.name);
  put_text(out, "version", row.version);
  put_text(out, "architecture", row.architecture);
  put_text(out, "source", row.source);
  put_text(out, "source_version", row.source_version);
  out["status"] = row.status;
  out["mark"] = row.mark.empty() ? Ordered() : Ordered(row.mark);
  out["kept"] = row.keeps.empty() ? Ordered() : Ordered(row.keeps);
  out["removable"] = row.removable;
  if (!row.chain.empty()) put_text(out, "chain", row.chain);
  if (compared) {
    out["files"] = row.files;
    out["files_compared"] = row.compared;
    out["differing"] = of(row.differing);
  }
  for (const auto& [key, text] :
       {std::pair("license", &row.license), {"vendor", &row.vendor}, {"path", &row.path}, {"owner", &row.owner}})
    if (!text->empty()) put_text(out, key, *text);
  if (!row.all.empty()) out["all_files"] = of(row.all);
  if (!row.unusable.empty()) put_text(out, "unusable", row.unusable);
  return out;
}

Ordered of(const PackageReason& reason) {
  Ordered out;
  put_text(out, "name", reason.name);
  out["manager"] = reason.manager;
  out["installed"] = reason.installed;
  put_text(out, "version", reason.version);
  out["mark"] = reason.mark.empty() ? Ordered() : Ordered(reason.mark);
  out["kept"] = reason.keeps.empty() ? Ordered() : Ordered(reason.keeps);
  put_text(out, "chain", reason.chain);
  out["a_purge_of_lets_it_go"] = json_texts(reason.keepers);
  out["asked_for_by"] = Ordered::array();
  for (const PackageUser& user : reason.users) {
    Ordered one;
    put_text(one, "name", user.name);
    one["field"] = user.field;
    put_text(one, "relation", user.relation);
    one["kept"] = user.keeps;
    out["asked_for_by"].push_back(std::move(one));
  }
  for (const auto& [key, text] :
       {std::pair("place", &reason.place), {"owner", &reason.owner}, {"limits", &reason.limits}})
    if (!text->empty()) put_text(out, key, *text);
  if (reason.installed) return out;
  out["removed_in"] = reason.removed_in ? Ordered(*reason.removed_in) : Ordered();
  put_text(out, "removed_by", reason.removed_by);
  if (reason.let_go_in) {
    out["let_go_in"] = *reason.let_go_in;
    put_text(out, "let_go_by", reason.let_go_by);
    out["kept_before"] = reason.keeps_before;
    put_text(out, "chain_before", reason.chain_before);
  }
  out["removed_along"] = json_texts(reason.gone_along);
  if (!reason.before_problem.empty()) put_text(out, "problem", reason.before_problem);
  return out;
}

}  // namespace

std::string write_packages_text(const PackagesLook& look, const LookStyle& style) {
  std::string out = heading(look.image, style) + "\n";
  if (!look.reasons.empty()) {
    for (const PackageReason& reason : look.reasons)
      out += (&reason == &look.reasons.front() ? "" : "\n") + reason_of(reason, style);
  } else if (const std::string files = files_of(look, style); !files.empty()) {
    out += files + (look.found ? "\n" + totals_of(look) : "");
  } else {
    if (look.found) {
      const std::string rows = list_of(look, style);
      out += rows + (rows.empty() ? "" : "\n") + totals_of(look);
    } else if (look.others.empty()) {
      out += for_terminal(look.presence) + "\n";
    }
    for (const ManagerLook& other : look.others)
      out += (look.found || &other != &look.others.front() ? "\n" : "") + list_of(other, style);
  }
  for (const std::string& why : look.unread)
    out += paint("not to be trusted", Hue::red, style.color) + ": " + for_terminal(why) + "\n";
  return out;
}

std::string write_packages_json(const PackagesLook& look) {
  Ordered out = look_document("packages", look.image);
  put_text(out, "database", look.presence);
  if (!look.states_problem.empty()) put_text(out, "marks_problem", look.states_problem);
  if (look.reasons.empty()) {
    out["found"] = look.found;
    out["compared"] = look.compared;
    out["packages"] = Ordered::array();
    for (const PackageRow& row : look.packages) out["packages"].push_back(of(row, look.compared));
    for (const ManagerLook& other : look.others) {
      Ordered one;
      one["manager"] = other.manager;
      put_text(one, "database", other.database);
      one["compared"] = other.compared;
      one["packages"] = Ordered::array();
      for (const PackageRow& row : other.packages) one["packages"].push_back(of(row, other.compared));
      out["managers"].push_back(std::move(one));
    }
  } else {
    out["why"] = Ordered::array();
    for (const PackageReason& reason : look.reasons) out["why"].push_back(of(reason));
  }
  out["unread"] = json_texts(look.unread);
  return json_text(out);
}

}  // namespace ocilint
