// What libapt-pkg itself would autoremove: the oracle of the random databases in tests/check.
//
//   apt_garbage FOLDER ARCHITECTURE...     cases on standard input, a line each: NAME SUGGESTS RECOMMENDS (0 or 1)
//
// reads FOLDER/NAME.status and FOLDER/NAME.states and writes a line "NAME: a b:i386 !c": what is garbage, and with `!`
// what has an unmet dependency. apt-get itself refuses to answer where something is unmet; the library does not.
// A process of its own for each case, since the library keeps what it has read.
#include <sys/wait.h>
#include <unistd.h>

#include <apt-pkg/cachefile.h>
#include <apt-pkg/configuration.h>
#include <apt-pkg/depcache.h>
#include <apt-pkg/error.h>
#include <apt-pkg/init.h>
#include <apt-pkg/pkgsystem.h>

#include <iostream>
#include <sstream>
#include <string>

namespace {

std::string native;

int answer(const std::string& folder, const std::string& name, bool suggests, bool recommends) {
  _config->Set("Dir::State::status", folder + "/" + name + ".status");
  _config->Set("Dir::State::extended_states", folder + "/" + name + ".states");
  _config->Set("APT::AutoRemove::SuggestsImportant", suggests ? "true" : "false");
  _config->Set("APT::AutoRemove::RecommendsImportant", recommends ? "true" : "false");
  if (!pkgInitSystem(*_config, _system)) return 1;
  pkgCacheFile cache;
  if (!cache.BuildCaches(nullptr, false) || !cache.BuildDepCache(nullptr)) return 1;
  pkgDepCache& packages = *cache.GetDepCache();
  std::ostringstream out;
  out << name << ":";
  for (auto package = packages.PkgBegin(); !package.end(); ++package) {
    if (package->CurrentVer == 0) continue;
    const std::string architecture = package.Arch();
    const std::string shown = std::string(package.Name()) + (architecture == native ? "" : ":" + architecture);
    if (packages[package].Garbage) out << " " << shown;
    if (packages[package].InstBroken()) out << " !" << shown;
  }
  std::cout << out.str() << std::endl;
  return _error->PendingError() ? 1 : 0;
}

}  // namespace

int main(int count, char** words) {
  if (count < 3) return 2;
  const std::string folder = words[1];
  native = words[2];
  pkgInitConfig(*_config);
  _config->Clear("APT::NeverAutoRemove");
  _config->Set("Dir", folder + "/root/");
  _config->Set("Dir::Cache::pkgcache", "");
  _config->Set("Dir::Cache::srcpkgcache", "");
  _config->Set("Debug::NoLocking", "1");
  _config->Set("APT::Architecture", native);
  for (int i = 2; i < count; ++i) _config->Set("APT::Architectures::", words[i]);
  std::string name;
  bool suggests = false, recommends = false;
  while (std::cin >> name >> suggests >> recommends) {
    const pid_t child = fork();
    if (child == 0) {
      const int status = answer(folder, name, suggests, recommends);
      if (status != 0) _error->DumpErrors(std::cerr);
      _exit(status);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) < 0 || status != 0) return 1;
  }
  return 0;
}
