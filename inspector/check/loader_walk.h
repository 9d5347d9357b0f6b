// One walk of the loader: the root, what is preloaded, then breadth-first every name that an object asks for.
//
// Names are answered as in glibc's _dl_map_object() and musl's load_library(), step by step. Order of objects
// that DT_FILTER and DT_AUXILIARY bring is that of the tables, not glibc's insertion. Used by Loader alone.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "check/loader.h"
#include "check/loader_files.h"
#include "check/loader_system.h"

namespace ocilint {

// Hostile files can need each other in long chains. The largest real programs map some 500 objects.
inline constexpr std::size_t loader_objects_limit = 10'000;
inline constexpr std::size_t loader_edges_limit = 200'000;

class LoaderWalk {
 public:
  LoaderWalk(LoaderSystem& system, LoaderFiles& files, const LoaderOptions& options)
      : system_(system), files_(files), options_(options) {}

  /// With `preloads` those of the options are loaded before the root's own needs.
  Closure run(std::string_view root, bool preloads);

 private:
  /// A list of directories that is searched to its end, unless links in a circle stop it.
  struct Search {
    LoadPlace place;
    const std::vector<std::string>* directories;  // "" is the working directory
  };
  struct Found {
    Judgement judgement{Tried::absent, {}, true};
    std::string path;
    LoaderFile file;
    LoadPlace place = LoadPlace::system;
  };

  bool begin(std::string_view root);
  void check_interpreter();
  void preload_of_image();
  void preload_of_options();
  void drain();
  void needs_of(std::size_t object);

  /// Answers a name; `requester` is nullopt for what a program loads by dlopen().
  void ask(std::optional<std::size_t> requester, EdgeKind kind, std::string_view name);
  std::optional<std::size_t> loaded_as(const std::string& name);
  Found search(std::optional<std::size_t> requester, const std::string& name, std::vector<Try>& trail);
  Found search_written(const std::string& name, std::vector<Try>& trail);
  bool search_list(const Search& list, const std::string& name, std::vector<Try>& trail, Found& found);
  bool search_cache(const std::string& name, bool no_default, std::vector<Try>& trail, Found& found);
  bool try_path(LoadPlace place, std::string path, std::vector<Try>& trail, Found& found);
  void settle(LoadEdge edge, Found found, std::optional<std::size_t> requester);
  void take(LoadEdge& edge, const Found& found, std::optional<std::size_t> requester);

  std::vector<Search> lists_for(std::optional<std::size_t> requester);
  /// Expanded, and remembered; empty when the object has none.
  const std::vector<std::string>& rpath_of(std::size_t object);
  const std::vector<std::string>& runpath_of(std::size_t object);
  const std::vector<std::string>& library_path();
  std::vector<std::string> expand_list(std::size_t object, std::string_view list, std::string_view separators) const;
  std::vector<std::string> expand_musl(std::size_t object, std::string_view list) const;
  std::string expand(std::size_t object, std::string_view text) const;
  std::string origin_of(std::size_t object) const;
  std::string absolute(std::string_view path) const;
  bool musl() const { return loader_->kind == LoaderKind::musl; }

  void check_versions();
  void check_versions_of(std::size_t object);

  std::size_t add_object(LoadedObject object);
  void add_name(std::size_t object, const std::string& name) { by_name_.emplace(name, object); }

  LoaderSystem& system_;
  LoaderFiles& files_;
  const LoaderOptions& options_;
  const SystemLoader* loader_ = nullptr;
  LoaderTaste taste_;
  Closure closure_;
  bool stopped_ = false;
  std::size_t next_ = 0;  // the first object whose needs were not looked at
  std::unordered_map<std::string, std::size_t> by_name_;
  std::map<InodeId, std::size_t> by_inode_;
  std::unordered_map<std::size_t, std::vector<std::string>> rpaths_, runpaths_;
  std::optional<std::vector<std::string>> library_path_;
  std::optional<std::size_t> interpreter_;  // once it is in the list
};

}  // namespace ocilint
