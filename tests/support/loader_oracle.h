// What the machine's own dynamic loader says of a root: LD_TRACE_LOADED_OBJECTS in a chroot, as ldd asks it,
// made comparable with a Closure.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "check/loader.h"

namespace ocilint::test {

struct LoaderAnswer {
  bool failed = false;              // the loader gave up, or would when it is not only asked
  std::vector<std::string> loaded;  // canonical paths in load order, without the root and the loader itself
  std::set<std::string> missing;    // names
  std::set<std::string> versions;   // "FILE VERSION" that are not found
  std::string text;                 // all it said

  friend bool operator==(const LoaderAnswer& one, const LoaderAnswer& other) {
    if (one.failed || other.failed) return one.failed == other.failed;
    return one.loaded == other.loaded && one.missing == other.missing && one.versions == other.versions;
  }
};

inline std::string run_command(const std::string& command, int* status = nullptr) {
  FILE* pipe = popen(command.c_str(), "r");
  std::string text;
  char buffer[65536];
  for (std::size_t got = 0; pipe != nullptr && (got = fread(buffer, 1, sizeof buffer, pipe)) > 0;)
    text.append(buffer, got);
  const int ended = pipe == nullptr ? -1 : pclose(pipe);
  if (status != nullptr) *status = ended;
  return text;
}

/// Runs `arguments` inside `root` with exactly this environment: both streams, and the status as of waitpid().
inline std::string run_inside(const std::string& root, std::vector<std::string> arguments, std::vector<std::string> env,
                              int* status) {
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], 1);
    dup2(ends[1], 2);
    close(ends[0]);
    std::vector<char*> argv, envp;
    for (std::string& one : arguments) argv.push_back(one.data());
    for (std::string& one : env) envp.push_back(one.data());
    argv.push_back(nullptr);
    envp.push_back(nullptr);
    if (chroot(root.c_str()) != 0 || chdir("/") != 0) _exit(126);
    execve(argv[0], argv.data(), envp.data());
    _exit(127);
  }
  close(ends[1]);
  std::string text;
  char buffer[65536];
  for (ssize_t got = 0; (got = read(ends[0], buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(got));
  close(ends[0]);
  waitpid(child, status, 0);
  return text;
}

/// `canonical` turns a path of the loader into the canonical one.
template <typename Canonical>
LoaderAnswer parse_list(const std::string& text, int status, const std::string& interpreter, Canonical&& canonical) {
  LoaderAnswer answer;
  answer.text = text;
  std::istringstream lines(text);
  const std::string loader = canonical(interpreter);
  for (std::string line; std::getline(lines, line);) {
    const auto words = [&](const char* mark) { return line.find(mark) != std::string::npos; };
    if (const std::size_t at = line.find("version `"); at != std::string::npos && words("not found")) {
      const std::string version = line.substr(at + 9, line.find('\'', at) - at - 9);
      const std::string file = line.substr(0, line.find(": version"));
      answer.versions.insert(canonical(file.substr(file.rfind(' ') + 1)) + " " + version);
      continue;
    }
    // musl: "Error loading shared library NAME: No such file or directory (needed by …)".
    if (const std::size_t at = line.find("shared library ");
        words("Error loading") && (words("No such file") || words("No error info") || words("link loop"))) {
      answer.missing.insert(line.substr(at + 15, line.find(": ", at) - at - 15));
      continue;
    }
    if (words("error while loading") || words("Error loading") || words("Error relocating") || words("Inconsistency")) {
      answer.failed = true;
      continue;
    }
    if (line.empty() || line[0] != '\t' || words("linux-vdso") || words("statically linked")) continue;
    line.erase(0, 1);
    const std::size_t arrow = line.find(" => ");
    if (arrow != std::string::npos && line.compare(arrow, 13, " => not found") == 0) {
      answer.missing.insert(line.substr(0, arrow));
      continue;
    }
    std::string path = arrow == std::string::npos ? line : line.substr(arrow + 4);
    path = canonical(path.substr(0, path.find(" (0x")));
    if (path != loader) answer.loaded.push_back(path);
  }
  // With names that are not found the loader's status says nothing more.
  if (status != 0 && answer.missing.empty() && answer.versions.empty()) answer.failed = true;
  return answer;
}

/// The same of our own walk.
inline LoaderAnswer answer_of(const Closure& closure, const std::string& interpreter_canonical) {
  LoaderAnswer answer;
  for (const LoadEdge& edge : closure.edges) {
    if (edge.kind == EdgeKind::preload && edge.state != EdgeState::resolved) continue;  // ignored with a warning
    if (edge.state == EdgeState::missing) answer.missing.insert(edge.name);
    if (edge.state == EdgeState::fatal || edge.state == EdgeState::unknown) answer.failed = true;
    answer.text += closure.objects[edge.requester].path + " " + edge.name + ": " + std::string(to_string(edge.state)) +
                   " " + edge.reason + "\n";
    for (const std::string& line : describe_search(closure, edge)) answer.text += "    " + line + "\n";
  }
  for (const VersionFault& fault : closure.version_faults) {
    answer.text += "version " + fault.file + " " + fault.version + ": " + fault.reason + "\n";
    if (!fault.provider || !fault.known)
      answer.failed = true;
    else
      answer.versions.insert(closure.objects[*fault.provider].canonical + " " + fault.version);
  }
  for (std::size_t i = 1; i < closure.objects.size(); ++i)
    if (closure.objects[i].canonical != interpreter_canonical) answer.loaded.push_back(closure.objects[i].canonical);
  return answer;
}

}  // namespace ocilint::test
