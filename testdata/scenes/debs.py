"""Toy .debs made by dpkg-deb, real .debs downloaded by apt, and dpkg working on a root from outside."""

import glob
import hashlib
import os
import shutil

from . import tools

FORCED = ("--force-script-chrootless", "--force-depends", "--force-unsafe-io", "--force-confold")


class Deb:
    """A binary package from files. md5sums are shipped unless `md5sums` says otherwise (None: no such file;
    a function: takes the correct lines and returns the file's bytes)."""

    def __init__(self, name, version, files=(), links=(), control=None, scripts=None, conffiles=(), md5sums="full",
                 arch="amd64"):
        self.name, self.version, self.arch = name, version, arch
        self.files, self.links = dict(files), dict(links)  # path -> bytes | source path; path -> target
        self.control, self.scripts = dict(control or {}), dict(scripts or {})
        self.conffiles, self.md5sums = list(conffiles), md5sums

    def build(self, shop):
        tree = shop.fresh()
        sums = []
        for path, content in sorted(self.files.items()):
            target = tree + path
            data = content if isinstance(content, bytes) else open(content, "rb").read()
            tools.write(target, data, 0o755 if data[:4] == b"\x7fELF" or "/bin/" in path else 0o644)
            if path not in self.conffiles:
                sums.append(f"{hashlib.md5(data).hexdigest()}  {path[1:]}\n")
        for path, target in sorted(self.links.items()):
            os.makedirs(os.path.dirname(tree + path), exist_ok=True)
            os.symlink(target, tree + path)
        fields = {"Package": self.name, "Version": self.version, "Architecture": self.arch,
                  "Maintainer": "Scenes <scenes@example.invalid>", "Section": "misc", "Priority": "optional",
                  **self.control, "Description": f"{self.name} as scenes need it"}
        tools.write(tree + "/DEBIAN/control", "".join(f"{k}: {v}\n" for k, v in fields.items()))
        if self.md5sums == "full":
            tools.write(tree + "/DEBIAN/md5sums", "".join(sums))
        elif self.md5sums is not None:
            tools.write(tree + "/DEBIAN/md5sums", self.md5sums(sums))
        if self.conffiles:
            tools.write(tree + "/DEBIAN/conffiles", "".join(f"{path}\n" for path in self.conffiles))
        for script, text in self.scripts.items():
            tools.write(f"{tree}/DEBIAN/{script}", text, 0o644 if script == "triggers" else 0o755)
        os.makedirs(tree + ".out")
        out = f"{tree}.out/{self.name}_{self.version}_{self.arch}.deb"
        tools.run("dpkg-deb", "--root-owner-group", "-Znone", "--build", tree, out)
        shutil.rmtree(tree)
        return out


def downloaded(shop, name):
    """A real package of this machine's distribution, from the cache when it is there."""
    directory = f"{shop.cache}/debs-{tools.week()}"
    os.makedirs(directory, exist_ok=True)
    if not glob.glob(f"{directory}/{name}_*.deb"):
        download = ("apt-get", "-q", "-o", "APT::Sandbox::User=root", "download", name)
        try:
            tools.run(*download, cwd=directory)
        except RuntimeError:  # the package lists may be absent or old
            tools.run("apt-get", "-q", "update")
            tools.run(*download, cwd=directory)
    return sorted(glob.glob(f"{directory}/{name}_*.deb"))[-1]


def empty_database(root):
    """What dpkg needs before its first run on a root."""
    for directory in ("info", "updates", "alternatives", "triggers"):
        os.makedirs(f"{root}/var/lib/dpkg/{directory}", exist_ok=True)
    for file in ("status", "available"):
        tools.write(f"{root}/var/lib/dpkg/{file}", "")
    tools.write(f"{root}/var/lib/dpkg/info/format", "1\n")


def dpkg(root, *arguments):
    """dpkg from outside; the machine's own path-exclude lines must not shape a scene."""
    return tools.run("dpkg", f"--root={root}", "--log=/dev/null", "--path-include=/*", *FORCED, *arguments)


def install(root, *packages):
    dpkg(root, "-i", *packages)


def apt(root, *arguments, tool="apt-get"):
    """The real apt on a root from outside, its own dpkg calls included."""
    for directory in ("etc/apt/apt.conf.d", "etc/apt/sources.list.d", "etc/apt/preferences.d", "etc/apt/trusted.gpg.d",
                      "var/lib/apt/lists/partial", "var/cache/apt/archives/partial", "var/log/apt"):
        os.makedirs(f"{root}/{directory}", exist_ok=True)
    options = [f"Dir={root}", f"Dir::State::status={root}/var/lib/dpkg/status", "Dir::Log=/dev", "Dir::Log::Terminal=null",
               "Dir::Log::History=null", "Dir::Log::Planner=null", "Dir::Cache::pkgcache=", "Dir::Cache::srcpkgcache=",
               "Debug::NoLocking=1", "APT::Sandbox::User=root", "APT::Architecture=amd64", "Dir::Bin::dpkg=/usr/bin/dpkg",
               f"DPkg::Options::=--root={root}", "DPkg::Options::=--log=/dev/null", "DPkg::Options::=--path-include=/*"]
    options += [f"DPkg::Options::={force}" for force in FORCED]
    flags = [part for option in options for part in ("-o", option)]
    return tools.run(tool, *flags, *arguments, env=tools.environment(APT_CONFIG="/dev/null"))
