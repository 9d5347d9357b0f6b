// Extension modules that the interpreter of their path will not load: their names say another one's tag
// ("_x.cpython-311-x86_64-linux-gnu.so" below python3.12). Names only; no file is read. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "check/python_path.h"

namespace ocilint {

struct ForeignModules {
  std::string site, package;       // the folder or file below the site that they are in
  std::vector<std::string> files;  // sorted
};

struct PythonModules {
  std::size_t tagged = 0;               // with the tag of an interpreter
  std::size_t untagged = 0;             // .abi3.so, or no tag at all
  std::vector<ForeignModules> foreign;  // one each package
};

/// `versions`: of the interpreters that search the site ("3.12"). A module of another tag is fine when one of
/// the same name beside it fits.
PythonModules find_modules(const ImageView& image, const std::string& site, const std::vector<std::string>& versions);

}  // namespace ocilint
