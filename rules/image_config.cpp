#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "check/config_term.h"
#include "check/environment.h"
#include "check/program_lookup.h"
#include "check/rule.h"
#include "check/selection.h"
#include "facts/passwd.h"

namespace ocilint::rules {
namespace {

constexpr std::string_view demands[] = {"required", "forbidden"};

constexpr Param params[] = {
    {"env", ParamType::texts, "variables that must be so: NAME, NAME=VALUE or NAME~REGEX; * in NAME is any bytes"},
    {"env_forbidden", ParamType::texts, "variables that must not be: NAME (even empty), NAME=VALUE or NAME~REGEX"},
    {"env_empty_or_absent", ParamType::texts, "names whose variables have no value, as in SCCACHE_*"},
    {"path_lists", ParamType::texts, "variables that are lists of folders: no element is empty or relative"},
    {"directories_exist", ParamType::flag, "each element of path_lists is a folder of the image"},
    {"env_paths", ParamType::texts, "variables whose value, where they are set, is a path that the image has"},
    {"labels", ParamType::texts, "labels that must be so: NAME, NAME=VALUE or NAME~REGEX"},
    {"labels_forbidden", ParamType::texts, "labels that must not be: NAME (even empty), NAME=VALUE or NAME~REGEX"},
    {"user", ParamType::pattern, "what User must match, as it is written"},
    {"entrypoint", ParamType::pattern, "what the words of Entrypoint, with a blank between two, must match"},
    {"cmd", ParamType::pattern, "what the words of Cmd, with a blank between two, must match"},
    {"working_dir", ParamType::pattern, "what WorkingDir must match"},
    {"stop_signal", ParamType::pattern, "what StopSignal must match"},
    {"programs_exist", ParamType::flag, "the program of Entrypoint or Cmd, WorkingDir and User are in the image"},
    {"ports", ParamType::texts, "ports that may be exposed, as in 8000/tcp; `none` alone for no port"},
    {"volumes", ParamType::texts, "volumes that may be declared; `none` alone for no volume"},
    {"healthcheck", ParamType::text, "whether there is one that does something", false, demands},
};

constexpr FindingKind kinds[] = {
    {"unset", "a variable, label or other setting is not there"},
    {"value", "it has another value"},
    {"forbidden", "it is there and must not be"},
    {"not-empty", "a variable that must be empty or absent has a value"},
    {"empty-element", "a list of folders has an empty element: the working directory"},
    {"relative-element", "a list of folders has an element that depends on the working directory"},
    {"no-directory", "a folder that the config names is not in the image"},
    {"no-path", "a path that a variable names is not in the image"},
    {"no-program", "the program that would be started is not in the image"},
    {"no-user", "the user or group is not in the image's passwd or group"},
};

constexpr Example examples[] = {
    {"a variable with a value, a label with a pattern",
     "{env: [IPC_MODE=1], labels: ['com.example.version~^[0-9]+[.][0-9]+$']}",
     "{config: {env: [IPC_MODE=1], labels: {com.example.version: '7.2'}}, layers: [{files: {/a: x}}]}", "pass"},
    {"a build cache that is still configured", "{env_empty_or_absent: [SCCACHE_*]}",
     "{config: {env: [SCCACHE_BUCKET=builds, SCCACHE_REGION=]}, layers: [{files: {/a: x}}]}",
     "not-empty SCCACHE_BUCKET"},
    {"a colon at the end means the working directory", "{path_lists: [LD_LIBRARY_PATH]}",
     "{config: {env: ['LD_LIBRARY_PATH=/opt/lib:']}, layers: [{files: {/a: x}}]}", "empty-element LD_LIBRARY_PATH"},
    {"a program that no folder of PATH has", "{programs_exist: true}",
     "{config: {env: [PATH=/usr/bin], cmd: [serve, --port, '80']}, layers: [{files: {/opt/serve: {content: x, mode: "
     "'755'}}}]}",
     "no-program serve"}};

void plan(const Params& with, Plan& plan) {
  if (with.flag("directories_exist") || with.has("env_paths")) plan.tree();
  if (with.flag("programs_exist")) {
    plan.content("/etc/passwd");
    plan.content("/etc/group");
  }
}

std::string joined(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, " ")); }

std::string excerpt(std::string_view text) {
  constexpr std::size_t most = 120;
  return text.size() <= most ? std::string(text) : std::string(text.substr(0, most)) + "…";
}

class Inspection {
 public:
  Inspection(const Params& with, const ImageView& image, Answer& answer)
      : with_(with), image_(image), config_(image.config()), environment_(config_), answer_(answer) {}

  void run() {
    for (const std::string& text : with_.texts("env")) require_variable(ConfigTerm::parse(text));
    for (const std::string& text : with_.texts("env_forbidden")) forbid_variable(ConfigTerm::parse(text));
    for (const std::string& text : with_.texts("env_empty_or_absent")) empty_or_absent(text);
    for (const std::string& name : with_.texts("path_lists")) path_list(name);
    for (const std::string& name : with_.texts("env_paths")) env_path(name);
    for (const std::string& text : with_.texts("labels")) require_label(ConfigTerm::parse(text));
    for (const std::string& text : with_.texts("labels_forbidden")) forbid_label(ConfigTerm::parse(text));
    setting("user", "User", config_.user);
    setting("entrypoint", "Entrypoint", joined(config_.entrypoint));
    setting("cmd", "Cmd", joined(config_.cmd));
    setting("working_dir", "WorkingDir", config_.working_dir);
    setting("stop_signal", "StopSignal", config_.stop_signal);
    if (with_.has("ports")) allowed("port", "EXPOSE", config_.exposed_ports, with_.texts("ports"), "/tcp");
    if (with_.has("volumes")) allowed("volume", "VOLUME", config_.volumes, with_.texts("volumes"), "");
    if (with_.has("healthcheck")) healthcheck();
    if (with_.flag("programs_exist")) {
      program();
      working_dir();
      user();
    }
    if (with_.flag("directories_exist") && with_.texts("path_lists").empty())
      answer_.could_not("directories_exist speaks of path_lists, and there are none");
  }

 private:
  /// `instruction`: of the Dockerfile; the last history line of it that names the subject is quoted.
  void find(const char* kind, std::string subject, std::string message, std::string_view instruction,
            std::vector<std::string> details = {}, std::string remedy = {},
            std::optional<std::uint32_t> layer = std::nullopt) {
    for (auto entry = config_.history.rbegin(); entry != config_.history.rend(); ++entry) {
      const std::string& line = entry->created_by;
      const std::size_t at = line.find(std::string(instruction) + " ");
      const bool alone = instruction != "ENV" && instruction != "LABEL";
      if (at == std::string::npos || (!alone && line.find(subject, at) == std::string::npos)) continue;
      details.push_back(fmt::format("history entry {}: {}", config_.history.rend() - entry - 1, excerpt(line)));
      break;
    }
    Finding finding;
    finding.kind = kind;
    finding.subject = std::move(subject);
    finding.message = std::move(message);
    finding.details = std::move(details);
    finding.layer = layer;
    finding.remedy = std::move(remedy);
    answer_.finding(std::move(finding));
  }

  static std::string repeated(const EnvironmentVariable& variable) {
    return variable.entries > 1 ? fmt::format(", the last of {} entries", variable.entries) : "";
  }

  void require_variable(const ConfigTerm& term) {
    const EnvironmentVariable* other = nullptr;
    for (const EnvironmentVariable& variable : environment_.variables()) {
      if (!term.names(variable.name)) continue;
      if (term.fits(variable.value)) {
        answer_.evidence(fmt::format("env {} is {}{}", variable.name, excerpt(variable.value), repeated(variable)));
        return;
      }
      other = &variable;
    }
    if (other == nullptr)
      find("unset", term.name(), "the image sets no such environment variable", "ENV", {"wanted: " + term.text()},
           "set it with ENV in the last stage of the Dockerfile");
    else
      find("value", other->name, other->value.empty() ? "it is empty" : "it has another value", "ENV",
           {"wanted: " + term.text(), "is: " + excerpt(other->value) + repeated(*other)});
  }

  void forbid_variable(const ConfigTerm& term) {
    bool found = false;
    for (const EnvironmentVariable& variable : environment_.variables()) {
      if (!term.names(variable.name)) continue;
      if (term.kind() != ConfigTerm::Kind::named && !term.fits(variable.value)) continue;
      found = true;
      find("forbidden", variable.name, "the image sets it, and the policy forbids " + term.text(), "ENV", {},
           "take it out of the Dockerfile, or set it for the one RUN that needs it");
    }
    if (!found)
      answer_.evidence(fmt::format("none of {} variables is {}", environment_.variables().size(), term.text()));
  }

  void empty_or_absent(const std::string& name) {
    const ConfigTerm term = ConfigTerm::parse(name);
    if (term.kind() != ConfigTerm::Kind::named)
      throw Error(ErrorKind::policy, "env_empty_or_absent: '" + name + "' is no name");
    bool found = false;
    for (const EnvironmentVariable& variable : environment_.variables()) {
      if (!term.names(variable.name) || variable.value.empty()) continue;
      found = true;
      find("not-empty", variable.name, "it has a value and must be empty or absent", "ENV", {},
           "use ARG for what only the build needs, or set it to nothing in the last stage");
    }
    if (!found) answer_.evidence(fmt::format("no variable {} has a value", name));
  }

  /// Only env, labels and their opposites take patterns: as a name one would never be set.
  static void require_name(const char* param, const std::string& text) {
    if (text.empty() || text.find_first_of("*=~") != std::string::npos)
      throw Error(ErrorKind::policy, fmt::format("{}: '{}' is no name of a variable", param, text));
  }

  void path_list(const std::string& name) {
    require_name("path_lists", name);
    const EnvironmentVariable* const variable = environment_.find(name);
    if (variable == nullptr) {
      answer_.evidence(fmt::format("{} is not set", name));
      return;
    }
    // An empty list is none, but an empty PATH is the working directory.
    if (variable->value.empty() && name != "PATH") {
      answer_.evidence(fmt::format("{} is empty", name));
      return;
    }
    // The loader takes both separators.
    const std::string_view separators = name == "LD_LIBRARY_PATH" ? ":;" : ":";
    const std::string& value = variable->value;
    std::size_t elements = 0;
    const std::size_t before = answer_.findings().size();
    bool empty = false;
    for (std::size_t begin = 0; begin <= value.size(); ++elements) {
      const std::size_t end = std::min(value.find_first_of(separators, begin), value.size());
      const std::string element = value.substr(begin, end - begin);
      begin = end + 1;
      if (element.empty())
        empty = true;
      else
        path_element(name, element, value);
    }
    if (empty)
      find("empty-element", name, "an empty element means the directory that the program happens to be started in",
           "ENV", {"is: " + excerpt(value)}, "write ${" + name + ":+:$" + name + "} where the old value may be empty");
    if (answer_.findings().size() == before)
      answer_.evidence(fmt::format("{} has {} absolute folder{}{}{}", name, elements, elements == 1 ? "" : "s",
                                   with_.flag("directories_exist") ? ", each of them there" : "", repeated(*variable)));
  }

  void path_element(const std::string& name, const std::string& element, const std::string& value) {
    if (!element.starts_with('/')) {
      find("relative-element", name, fmt::format("'{}' depends on the directory that a program is started in", element),
           "ENV", {"is: " + excerpt(value)}, "write an absolute path");
      return;
    }
    if (!with_.flag("directories_exist")) return;
    const Resolution at = image_.resolve(element);
    if (at.found() && image_.tree()[at.node].type == EntryType::directory) return;
    // Python imports from archives too.
    if (at.found() && name == "PYTHONPATH" && image_.tree()[at.node].type == EntryType::file) return;
    find("no-directory", name, fmt::format("'{}' is {}", element, what_is(at)), "ENV", {"is: " + excerpt(value)},
         "take the element out, or make the folder in the image");
  }

  std::string what_is(const Resolution& at) const {
    if (at.found()) return fmt::format("a {}, not a directory", to_string(image_.tree()[at.node].type));
    if (at.status == Resolution::Status::loop) return "a loop of symbolic links";
    return at.dangling() ? "a link that leads to " + at.path + ", which does not exist" : "not in the image";
  }

  void env_path(const std::string& name) {
    require_name("env_paths", name);
    const EnvironmentVariable* const variable = environment_.find(name);
    if (variable == nullptr || variable->value.empty()) {
      answer_.evidence(fmt::format("{} is {}", name, variable == nullptr ? "not set" : "empty"));
      return;
    }
    if (!variable->value.starts_with('/')) {
      find("no-path", name, "its value is no absolute path", "ENV", {"is: " + excerpt(variable->value)});
      return;
    }
    const Resolution at = image_.resolve(variable->value);
    if (at.found())
      answer_.evidence(fmt::format("{} names {}", name, variable->value), at.path);
    else
      find("no-path", name, fmt::format("it names {}, which is {}", variable->value, what_is(at)), "ENV", {},
           "copy the file into the image, or take the variable out", last_touched(image_, at.path));
  }

  void require_label(const ConfigTerm& term) {
    const std::pair<const std::string, std::string>* other = nullptr;
    for (const auto& label : config_.labels) {
      if (!term.names(label.first)) continue;
      if (term.fits(label.second)) {
        answer_.evidence(fmt::format("label {} is {}", label.first, excerpt(label.second)));
        return;
      }
      other = &label;
    }
    if (other == nullptr)
      find("unset", term.name(), "the image has no such label", "LABEL", {"wanted: " + term.text()},
           "set it with LABEL, or with --label when building");
    else
      find("value", other->first, other->second.empty() ? "the label is empty" : "the label has another value", "LABEL",
           {"wanted: " + term.text(), "is: " + excerpt(other->second)});
  }

  void forbid_label(const ConfigTerm& term) {
    bool found = false;
    for (const auto& [name, value] : config_.labels) {
      if (!term.names(name) || (term.kind() != ConfigTerm::Kind::named && !term.fits(value))) continue;
      found = true;
      find("forbidden", name, "the image has this label, and the policy forbids " + term.text(), "LABEL");
    }
    if (!found) answer_.evidence(fmt::format("none of {} labels is {}", config_.labels.size(), term.text()));
  }

  void setting(const char* param, const char* name, const std::string& value) {
    if (!with_.has(param)) return;
    const std::string shown = value.empty() ? "not set" : excerpt(value);
    if (value_pattern(with_.text(param)).found_in(value)) {
      answer_.evidence(fmt::format("{} is {}", name, shown));
      return;
    }
    std::string instruction = name;
    const auto upper = [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; };
    std::ranges::transform(instruction, instruction.begin(), upper);
    find(value.empty() ? "unset" : "value", name, fmt::format("does not match {}", with_.text(param)), instruction,
         {"is: " + shown});
  }

  /// `without` may be left out behind an item: 8000 is 8000/tcp. "none" is no item of any image.
  void allowed(const char* what, const char* instruction, const std::vector<std::string>& there,
               const std::vector<std::string>& fine, const std::string& without) {
    const auto whole = [&](const std::string& item) {
      return without.empty() || item.find('/') != std::string::npos ? item : item + without;
    };
    bool found = false;
    for (const std::string& item : there) {
      const bool known = std::ranges::any_of(fine, [&](const std::string& each) { return whole(each) == whole(item); });
      if (known) continue;
      found = true;
      find("forbidden", item, fmt::format("the image declares this {}, which is not in the list", what), instruction,
           {"in the list: " + joined(fine)});
    }
    if (!found)
      answer_.evidence(there.empty() ? fmt::format("no {} is declared", what)
                                     : fmt::format("{}s declared: {}", what, joined(there)));
  }

  void healthcheck() {
    const std::vector<std::string>& test = config_.healthcheck;
    const bool there = !test.empty() && test.front() != "NONE";
    const bool wanted = with_.text("healthcheck") == "required";
    if (there == wanted)
      answer_.evidence(there ? "health check: " + excerpt(joined(test)) : "no health check");
    else if (wanted)
      find("unset", "Healthcheck", test.empty() ? "the image has no health check" : "the health check is switched off",
           "HEALTHCHECK");
    else
      find("forbidden", "Healthcheck", "the image has a health check", "HEALTHCHECK", {"is: " + excerpt(joined(test))});
  }

  void program() {
    const bool entry = !config_.entrypoint.empty();
    const std::vector<std::string>& words = entry ? config_.entrypoint : config_.cmd;
    const char* const name = entry ? "Entrypoint" : "Cmd";
    if (words.empty()) {
      answer_.evidence("neither Entrypoint nor Cmd is set: the image starts nothing by itself");
      return;
    }
    const EnvironmentVariable* const path = environment_.find("PATH");
    const std::string list = path == nullptr ? std::string(default_path) : path->value;
    ProgramLookup lookup = find_program(image_, words.front(), list, config_.working_dir);
    if (!lookup.path.empty()) {
      answer_.evidence(fmt::format("{} runs {}", name, words.front()), lookup.path, lookup.layer);
      return;
    }
    constexpr std::size_t shown = 10;
    std::vector<std::string> details{fmt::format("{}: {}", name, excerpt(joined(words)))};
    if (lookup.tried.empty()) details.push_back("PATH has no absolute folder: '" + excerpt(list) + "'");
    for (std::size_t i = 0; i < std::min(shown, lookup.tried.size()); ++i) details.push_back(lookup.tried[i]);
    if (lookup.tried.size() > shown) details.push_back(fmt::format("and {} more", lookup.tried.size() - shown));
    find("no-program", words.front(), "no program of that name can be started in this image",
         entry ? "ENTRYPOINT" : "CMD", std::move(details), {}, lookup.layer);
  }

  void working_dir() {
    const std::string& directory = config_.working_dir;
    if (directory.empty()) return;
    const Resolution at = image_.resolve(directory);
    if (at.found() && image_.tree()[at.node].type == EntryType::directory)
      answer_.evidence("WorkingDir is " + directory, at.path);
    else
      find("no-directory", "WorkingDir", fmt::format("{} is {}", directory, what_is(at)), "WORKDIR");
  }

  void user() {
    const std::size_t colon = config_.user.find(':');
    const std::string name = config_.user.substr(0, colon);
    if (!name.empty() && !parse_id(name)) {
      const Passwd passwd = Passwd::parse(image_.text_of("/etc/passwd").value_or(""));
      account("user", "/etc/passwd", name, passwd.find(name) != nullptr, passwd.malformed);
    }
    if (colon != std::string::npos) {
      const std::string of = config_.user.substr(colon + 1);
      if (!of.empty() && !parse_id(of)) {
        const Group group = Group::parse(image_.text_of("/etc/group").value_or(""));
        account("group", "/etc/group", of, group.find(of) != nullptr, group.malformed);
      }
    }
    answer_.evidence(config_.user.empty() ? "User is not set: root" : "User is " + config_.user);
  }

  /// Engines read lines that are none, each in its own way.
  void account(const char* what, const char* file, const std::string& name, bool there, const Notes& malformed) {
    if (!malformed.empty())
      answer_.could_not(fmt::format("who {} '{}' is: {}: {}", what, name, file, malformed.front()));
    else if (!there)
      find("no-user", name, fmt::format("{} has no {} of that name, so no container starts", file, what), "USER", {},
           "add it in the image, or use a number");
  }

  const Params& with_;
  const ImageView& image_;
  const Config& config_;
  Environment environment_;
  Answer& answer_;
};

void check(const Params& with, const ImageView& image, Answer& answer) { Inspection(with, image, answer).run(); }

}  // namespace

extern const Rule image_config;
const Rule image_config{
    .doc = {.id = "image-config",
            .summary = "The image's config is as stated: environment, labels, what is started and as whom.",
            .details = R"(Everything that is stated must hold; a check that states nothing is an error. Variables and
labels are described by one text:

| text | required (`env`, `labels`) | forbidden (`env_forbidden`, `labels_forbidden`) |
|---|---|---|
| `NAME` | there, with a value that is not empty | there, even empty |
| `NAME=VALUE` | exactly this value; `NAME=` is the empty one | with this value |
| `NAME~REGEX` | a value that matches; `NAME~` is any | with a value that matches |

A `*` in NAME stands for any bytes: required, one such variable must fit; forbidden, none may. `^` and `$` are the
ends of the value. Put variables of the policy behind `=`: behind `~` their bytes would be a pattern.

When the config has several entries of one variable the last one counts, as engines have it; the evidence says so.
What a variable is set to at run time (`docker run -e`, a profile script) no image can show.

`path_lists` knows that an empty element of PATH, LD_LIBRARY_PATH or PYTHONPATH is the working directory:
`LD_LIBRARY_PATH=/opt/lib:$LD_LIBRARY_PATH` leaves one behind when the variable was not set before, and whoever can
write to the directory that a program is started in then gives it libraries. Only `directories_exist`, `env_paths` and
`programs_exist` read layers. The program is looked up as container engines do it: in the folders of PATH (their
default when there is none), a regular file with an execute bit. Whether the interpreter of a script or the loader of
a binary is there is not looked at. `healthcheck` is a field of Docker's; images in OCI format have none.

For a variable that must go with a state of the image (a patched runtime, a base), use a gate.)",
            .severity = Severity::error,
            .security = "none",
            .since = "0.1",
            .params = params,
            .kinds = kinds,
            .examples = examples},
    .plan = plan,
    .check = check};

}  // namespace ocilint::rules
