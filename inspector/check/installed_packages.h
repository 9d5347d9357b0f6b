// What package managers other than dpkg say is installed in one merged tree: apk, rpm, Python, Node, one shape for all.
//
// dpkg's database is check/package_db.h's, which knows more (diversions, conffiles, states). A database that is there
// and cannot be read is in the list, with `problems`: no question may pass it over. So is one that a layer removed, and
// that of a manager which this program does not read (pacman; rpm's of Berkeley DB). Paths are canonical. Python's
// distributions in folders of an operating system's packages are said to be so: their files are those packages'.
// Values that copy what they need; pure functions of the view; throw what the view throws. Cost: about 150 bytes a
// path.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "check/image_view.h"
#include "check/rule.h"
#include "facts/recorded_digest.h"

namespace ocilint {

enum class Manager : std::uint8_t { dpkg, apk, rpm, pacman, python, node };

std::string_view to_string(Manager);  // as a policy names it
std::optional<Manager> manager_of(std::string_view name);

struct InstalledFile {
  enum class Type : std::uint8_t {
    file,
    link,
    file_or_link,  // apk does not record which
    presence,      // whose bytes or target the package itself says may be others
    other,         // a folder, a device, or one that the manager itself does not compare
  };

  std::string path;      // canonical
  std::string recorded;  // as the database spells it
  Type type = Type::file;
  std::optional<RecordedDigest> digest;
  std::string link;            // of a link: its target
  bool links_mode = false;     // file_or_link: recorded with the mode of a link
  bool configuration = false;  // an edit is expected
  bool optional = false;       // may be absent: not installed by choice, replaced by another package
};

/// A line of what a package asks for, or of what it gives.
struct InstalledRelation {
  std::string field;    // "depends", "Requires"; "" of what it gives
  std::string name;     // "so:libssl.so.3", "/bin/sh"
  std::string text;     // as its manager writes it
  std::string version;  // asked for: the only one that fits, "" where others may; given: of what is given
};

struct Installed {
  Manager manager = Manager::apk;
  std::string name, version, architecture;
  std::string source;           // the package that it was built from, "" when not recorded
  std::string license, vendor;  // as recorded
  std::optional<bool> manual;   // asked for by name; nullopt when nothing records it
  std::vector<InstalledFile> files;
  std::string path;                                // of Python and Node: its own metadata
  std::string owner;                               // of Python: the operating system's package that it belongs to
  std::string unusable;                            // why its files cannot be compared, "" when they can
  bool interrupted = false;                        // the manager did not finish with it
  std::vector<InstalledRelation> asks{}, gives{};  // of apk and rpm, for check/package_graph.h; else empty

  std::string title() const { return version.empty() ? name : name + " " + version; }
};

struct InstalledPackages {
  Manager manager = Manager::apk;
  std::string path;                   // canonical, of the database; of Python and Node one of many
  std::vector<std::string> problems;  // why it, or a part of it, cannot be read
  std::vector<Installed> packages;
  std::size_t without_digests = 0;  // of Python: distributions without RECORD
};

/// Contents that read_installed() reads, those of PackageDb among them.
void plan_installed(Plan& plan, std::span<const Manager> managers);

/// A database for each of these managers that is (or was) in the image, in this order. dpkg is left out.
std::vector<InstalledPackages> read_installed(const ImageView& image, std::span<const Manager> managers);

}  // namespace ocilint
