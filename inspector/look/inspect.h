// `ocilint inspect`: what an image is, and what an auditor asks first: which package files differ, which secrets it
// carries, which checks of the given policies fail.
//
// One pass over the layers answers all of it: the checks are those of check_image(), the rest is asked beside them.
// Secrets are what the rules history-secrets and file-secrets of the policies find (`searched` names their checks;
// without any nobody looked). What could not be read or told stands in `unread`. Strings are raw bytes without
// secrets. Throws what makes the image unreadable. Cost: MD5 of every owned file, and that of the policies.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "look/known_stacks.h"
#include "look/layers.h"
#include "look/open_image.h"
#include "look/packages.h"
#include "run/result.h"

namespace ocilint {

/// What the config says that a container does.
struct ImageConfig {
  std::string created, author, user, working_dir, stop_signal;
  std::vector<std::string> entrypoint, cmd, env, ports, volumes, healthcheck;
  std::map<std::string, std::string> labels;
};

/// org.opencontainers.image.base.*; `where`: "annotation", "label"; all empty when nothing records it.
struct ImageBase {
  std::string name, digest, where;
};

struct ImageSystem {
  std::string pretty, id, version, codename;
  std::string path;  // of the file that says so; "" when there is none
  std::optional<std::uint32_t> layer;
};

struct PythonRow {
  std::string title;  // "Python 3.12 of /opt/venv"
  std::vector<std::string> sites;
  std::size_t dists = 0, unreadable = 0;
};

struct SecretRow {
  std::string check, kind, subject, message;
  Severity severity = Severity::error;
  std::optional<std::uint32_t> layer;
};

/// Checks of the policies; built-in ones are among them.
struct CheckRow {
  std::string policy, id, rule;
  Outcome outcome = Outcome::error;
  Severity worst = Severity::note;  // of the findings that are not waived
  std::size_t findings = 0, waived = 0;
  std::string first;  // finding, or why it could not be evaluated
};

struct Inspection {
  LookedAt image;
  ImageConfig config;
  ImageBase base;
  ImageSystem system;
  ImageLayers layers;     // its own `image` is empty
  PackagesLook packages;  // likewise
  std::vector<PythonRow> pythons;
  std::vector<Stack> stacks;
  std::vector<SecretRow> secrets;
  std::vector<std::string> searched;
  std::vector<CheckRow> checks;
  std::size_t checks_passed = 0, checks_failed = 0, checks_not_applicable = 0, checks_not_evaluated = 0;
  ImageResult result;  // what `ocilint check` has with the same policies
  std::vector<std::string> unread;

  /// Packages of every manager, dpkg's first.
  std::vector<const PackageRow*> package_rows() const;
  bool packages_compared() const;  // of any manager
  std::size_t files_differing() const;
  std::size_t files_missing() const;
};

/// A finding in one line: its place, unless that is a path which the message names, and the message.
std::string finding_line(const std::string& subject, const std::string& message);

/// `options.policies` are those to be judged by.
Inspection inspect_image(const RunOptions& options);

}  // namespace ocilint
