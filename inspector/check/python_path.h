// The Pythons of an image: where their distributions are, in the order in which an interpreter searches.
//
// Found are the folders named site-packages and dist-packages; those of one interpreter (by prefix and version,
// with Debian's three, lib and lib64, /usr/local and ~/.local where no interpreter of their own stands, and the
// system's when a virtual environment includes it) are one path. Package caches of conda are none. Not followed:
// PYTHONPATH and .pth files. Values; pure functions of the view; throw what the view throws, and Error{limit} for
// an image of hundreds of such folders.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "check/image_view.h"
#include "check/rule.h"
#include "facts/python_requirement.h"

namespace ocilint {

struct PythonPath {
  std::string prefix;        // "/opt/venv"; of folders without interpreter what stands before lib/python
  std::string version;       // "3.12", "" when nothing tells
  std::string full_version;  // "3.12.3", "" when nothing tells
  bool pypy = false;
  bool virtual_environment = false;
  bool interpreter = false;        // bin/python of the prefix, or pyvenv.cfg, exists
  std::vector<std::string> sites;  // canonical, in the order of the search

  std::string title() const;  // "Python 3.12 of /opt/venv"
};

/// Contents that find_python_paths() reads.
void plan_python_paths(Plan& plan);

/// `site` empty: all of the image. Else these folders alone, in the order of the globs: one path for each
/// version of Python that their names tell, with the folders of no version in each.
std::vector<PythonPath> find_python_paths(const ImageView& image, const PathSet& site);

/// The variables of markers as far as the image tells them.
PythonEnvironment python_environment(const PythonPath& path, const ImageView& image);

}  // namespace ocilint
