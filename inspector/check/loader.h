// Which files the dynamic loader would map for a program or library of the image, found without running anything.
//
// Follows glibc or musl, whichever the root asks for; docs/loader.md says what is modelled and how it was compared
// with the real loaders. Everything comes from the view: a fact that is not there yet makes the edge `unknown`
// and the view pending, and the walk goes on, so that one refill brings as much as possible. Anything else
// that cannot be told (a malformed file, an unreadable cache) is `unknown` with a reason, never resolved or
// missing. No exception of its own. One Loader a check, one thread; pointers live as long as the view. Cost:
// microseconds an edge, candidates are remembered between roots.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "check/image_view.h"

namespace ocilint {

class Plan;

enum class LoaderKind : std::uint8_t { glibc, musl };

/// Where the loader looks, in no order.
enum class LoadPlace : std::uint8_t {
  loaded,        // an object that is already there answers to the name
  written,       // the name has a slash: it is the path
  rpath,         // DT_RPATH of the requester, of what loaded it, … of the root
  library_path,  // LD_LIBRARY_PATH of the image configuration
  runpath,       // DT_RUNPATH of the requester alone
  cache,         // /etc/ld.so.cache
  system,        // the default directories
  root,          // it is where the walk began
};

enum class Tried : std::uint8_t {
  taken,
  absent,
  no_directory,  // the whole directory is not there
  dangling,      // a link to nothing
  loop,          // links in a circle: the rest of that list of directories is skipped
  other_class,   // 32-bit for 64-bit, or the reverse
  other_machine,
  not_allowed,  // a default directory, and the requester has DF_1_NODEFLIB
  fatal,        // the loader gives up here, whatever comes later
  unknown,
};

struct Try {
  LoadPlace place = LoadPlace::system;
  Tried result = Tried::absent;
  std::string path;  // as the loader spells it; a directory for no_directory
  std::string why;   // of fatal and unknown
};

enum class EdgeState : std::uint8_t {
  resolved,
  through_preload,  // only because a library of LoaderOptions::preloads is loaded before
  missing,
  fatal,    // a file was found that makes the loader give up
  unknown,  // cannot be told: see `reason`
};

enum class EdgeKind : std::uint8_t { needed, filter, auxiliary, preload };

std::string_view to_string(LoaderKind);
std::string_view to_string(LoadPlace);
std::string_view to_string(Tried);
std::string_view to_string(EdgeState);
std::string_view to_string(EdgeKind);

struct LoadedObject {
  std::string path;       // as the loader opened it: its directory is $ORIGIN
  std::string canonical;  // where the file stands
  InodeId inode;          // its identity
  const ElfFacts* facts = nullptr;
  std::optional<std::size_t> loader;  // the object that made it come
  LoadPlace place = LoadPlace::root;
};

/// One name that one object asks for.
struct LoadEdge {
  std::size_t requester = 0;  // in Closure::objects
  EdgeKind kind = EdgeKind::needed;
  std::string name;  // with $ORIGIN and the like expanded
  EdgeState state = EdgeState::unknown;
  std::optional<std::size_t> provider;  // in Closure::objects
  std::string reason;                   // why missing, fatal or unknown
  std::vector<Try> trail;               // every candidate, in the loader's order
};

/// A symbol version that an object needs of another and that is not there.
struct VersionFault {
  std::size_t requester = 0;
  std::string file, version;
  std::optional<std::size_t> provider;
  bool known = true;  // false: the tables could not be read
  std::string reason;
};

enum class RootState : std::uint8_t {
  loadable,
  unknown,  // malformed or unread: see `problem`
  no_file,  // nothing there, or no regular file
  not_elf,
  not_loadable,  // ELF, but for another loader: .o, core, GPU or BPF code
};

struct Closure {
  RootState state = RootState::unknown;
  std::string problem;  // why the root is not loadable
  LoaderKind loader = LoaderKind::glibc;
  std::vector<LoadedObject> objects;  // the root first, then breadth-first as the loader maps them
  std::vector<LoadEdge> edges;
  std::vector<VersionFault> version_faults;
  std::size_t versions_checked = 0;
  bool secure = false;              // set-user-ID or set-group-ID: LD_LIBRARY_PATH and LD_PRELOAD are not used
  std::string interpreter;          // PT_INTERP of the root, "" when it has none
  std::string interpreter_problem;  // why that cannot start it, "" when it can

  /// Nothing missing, fatal or unknown; resolved through a preload counts as found.
  bool complete() const;
  /// "/usr/bin/a -> liba.so.1 -> libb.so.2": how the object came in, by the names that were asked for.
  std::string chain(std::size_t object) const;
  /// The object that answered this name first; nullopt when none did.
  std::optional<std::size_t> provider_of(std::string_view name) const;
};

struct LoaderOptions {
  bool library_path = true;           // LD_LIBRARY_PATH of the configuration
  bool image_preloads = true;         // its LD_PRELOAD, and /etc/ld.so.preload
  std::vector<std::string> preloads;  // what a program loads before the root: names or paths
  unsigned cpu_level = 1;             // 1: no glibc-hwcaps folder; 2 … for the next better processor
  bool origin_as_given = false;       // as `ld.so --list PATH`: $ORIGIN of a program is not its real directory
};

class Loader {
 public:
  /// What every check that uses a Loader must declare, besides the ELF facts of its roots.
  static void plan(Plan& plan);

  explicit Loader(const ImageView& view, LoaderOptions options = {});
  ~Loader();
  Loader(Loader&&) noexcept;

  /// `root` is a normal path; links are followed.
  Closure closure_of(std::string_view root);

  /// The facts of a file, nullptr while they are still to come.
  const ElfFacts* facts_of(InodeId inode) const;

  /// Processor levels at which this image may load other files than at level 1: those whose folder exists.
  static std::vector<unsigned> levels_of(const ImageView& view);
  /// What the answers rest on, a line each: loader and version, default directories, cache, LD_LIBRARY_PATH.
  std::vector<std::string> basis() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

/// The search as lines of a finding: "RUNPATH /opt/x/lib: absent". Directories without the file are folded.
std::vector<std::string> describe_search(const Closure& closure, const LoadEdge& edge);

}  // namespace ocilint
