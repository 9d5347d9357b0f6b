"""Small libraries in place of the C library and its like, with the SONAMEs and version nodes that real packages need."""

import collections
import os
import re

from . import debs, rocm, tools

HOST = "/usr/lib/x86_64-linux-gnu"
_NEEDED = re.compile(r"\(NEEDED\).*\[(.+)\]")
_SONAME = re.compile(r"\(SONAME\).*\[(.+)\]")
_FILE = re.compile(r"Version: 1  File: (\S+)")
_NODE = re.compile(r"Name: (\S+)  Flags:")


def package(shop, *real):
    """A package with a stand-in for each library that the real packages need and do not hold themselves."""
    return shop.once(("stand-ins", real), lambda: _package(shop, real))


def _package(shop, real):
    nodes, there = collections.defaultdict(set), set()
    for name in real:
        tree = shop.fresh()
        tools.run("dpkg-deb", "-x", debs.downloaded(shop, name), tree)
        for folder, _, files in os.walk(tree):
            for file in files:
                if ".so" in file and not os.path.islink(f"{folder}/{file}"):
                    _read(f"{folder}/{file}", nodes, there)
    libraries = {f"{HOST}/{soname}": _library(shop, soname, sorted(names))
                 for soname, names in nodes.items() if soname not in there}
    return debs.Deb("stand-ins", "1", libraries).build(shop)


def _read(path, nodes, there):
    text = tools.run("readelf", "-dVW", path)
    there.update(_SONAME.findall(text))
    for soname in _NEEDED.findall(text):
        nodes[soname]
    of = None
    for line in text.partition("Version needs section")[2].splitlines():
        if match := _FILE.search(line):
            of = match[1]
        elif of and (match := _NODE.search(line)):
            nodes[of].add(match[1])


def _library(shop, soname, versions):
    version_map = "".join(f"{version} {{ global: stand_in_{index}; }};\n" for index, version in enumerate(versions))
    source = "".join(f"int stand_in_{index}(void) {{ return {index}; }}\n" for index in range(max(1, len(versions))))
    return rocm.library(shop, soname, source, version_map or None)
