"""ROCm-shaped packages under their true names, paths, SONAMEs and version nodes, with small real ELF files."""

import os

from . import debs, tools

RELEASE, PATCH, BUILD = "7.2.4", "70204", "70204-93~22.04"
COMMIT = "b539bf7c0de5a1f2e3d4c5b6a798897a6b5c4d3e"  # names the patched build: its first seven digits end HIP's file name
TREE = f"/opt/rocm-{RELEASE}"
LIB = TREE + "/lib"
HSA, HIP = "libhsa-runtime64.so.1", "libamdhip64.so.7"
STOCK_HSA, STOCK_HIP = "libhsa-runtime64.so.1.18." + PATCH, "libamdhip64.so.7.2." + PATCH
NEW_HSA, NEW_HIP = "libhsa-runtime64.so.1.18.0", "libamdhip64.so.7.2.53211-" + COMMIT[:7]
SYMBOL = "hsa_amd_signal_create_v2"

_HIP_NODES = ("4.2", "4.3", "4.5", "5.0", "5.1", "5.2", "5.3", "5.5", "5.6", "6.0", "6.1", "6.2", "7.0", "7.1", "7.2")
_HSA_CALLS = ("hsa_init", "hsa_shut_down", "hsa_signal_create", "hsa_amd_signal_create", "hsa_amd_memory_pool_allocate")


def hsa_source(build, patched):
    names = _HSA_CALLS + ((SYMBOL,) if patched else ())
    body = "".join(f"int {name}(void) {{ return {index}; }}\n" for index, name in enumerate(names))
    return f'const char rocr_build[] = "{build}";\nstruct {{ int version; }} _amdgpu_r_debug = {{ 10 }};\n{body}'


HSA_MAP = "ROCR_1 { global: hsa_*; _amdgpu_r_debug; local: *; };\n"


def hip_source(build, patched):
    calls = ("hsa_init", "hsa_amd_signal_create") + ((SYMBOL,) if patched else ())
    body = "".join(f"extern int {name}(void);\n" for name in calls)
    body += "".join(f"int hip_entry_{node.replace('.', '_')}(void) {{ return {i}; }}\n" for i, node in enumerate(_HIP_NODES))
    return body + f'const char hip_build[] = "{build}";\nint hipInit(void) {{ return {" + ".join(c + "()" for c in calls)}; }}\n'


def hip_map():
    text, below = "", ""
    for node in _HIP_NODES:
        first = " hipInit;" if not below else ""
        text += f"hip_{node} {{ global:{first} hip_entry_{node.replace('.', '_')};" + (" local: *;" if not below else "")
        text += f" }}{below};\n"
        below = f" hip_{node}"
    return text


def library(shop, soname, source, version_map, needed=(), extra=(), rpath="$ORIGIN"):
    """Compiles one shared library. `needed` are files to link with: their SONAMEs become NEEDED entries."""
    stem = os.path.join(shop.fresh(), soname)  # the file's base name is in the library: no counter in it
    tools.write(stem + ".c", source)
    flags = ["-shared", "-fPIC", "-O1", "-nostdlib", f"-Wl,-soname,{soname}", "-Wl,--build-id=sha1", f"-Wl,-rpath,{rpath}",
             "-Wl,--enable-new-dtags", "-Wl,--no-as-needed", f"-ffile-prefix-map={os.path.dirname(stem)}=."]
    if version_map:
        flags.append("-Wl,--version-script," + tools.write(stem + ".map", version_map))
    tools.run("gcc", *flags, *extra, stem + ".c", *needed, "-o", stem + ".so")
    return stem + ".so"


class Libraries:
    """The stock pair and the patched pair. HIP is linked with the HSA runtime of its own build."""

    def __init__(self, shop):
        self.stock_hsa = library(shop, HSA, hsa_source("stock", False), HSA_MAP)
        self.stock_hip = library(shop, HIP, hip_source("stock", False), hip_map(), [self.stock_hsa])
        self.new_hsa = library(shop, HSA, hsa_source(COMMIT, True), HSA_MAP)
        self.new_hip = library(shop, HIP, hip_source(COMMIT, True), hip_map(), [self.new_hsa])
        self.rtc = library(shop, "libhiprtc.so.7", "int hiprtcVersion(void) { return 7; }\n", "hip_6.0 { global: hiprtc*; local: *; };\n")
        self.builtins = library(shop, "libhiprtc-builtins.so.7", "int hiprtc_builtins(void) { return 1; }\n", None)
        self.core = library(shop, "librocm-core.so.1", "int getROCmVersion(void) { return 70204; }\n", None)
        self.comgr = library(shop, "libamd_comgr.so.3", "int amd_comgr_get_version(void) { return 3; }\n",
                             "amd_comgr_3.0 { global: amd_comgr_*; local: *; };\n")


def libraries(shop):
    return shop.once("libraries", lambda: Libraries(shop))


# As rocm-core does it; dpkg sets DPKG_ROOT when it runs scripts from outside, and it is empty in a chroot.
_POSTINST = f"""#!/bin/sh
set -e
[ "$1" = configure ] || exit 0
if [ -n "${{DPKG_ROOT:-}}" ]; then set -- --root "$DPKG_ROOT"; else set --; fi
update-alternatives "$@" --log /dev/null --quiet --install /opt/rocm rocm {TREE} 70204
"""
_PRERM = f"""#!/bin/sh
set -e
[ "$1" = remove ] || exit 0
if [ -n "${{DPKG_ROOT:-}}" ]; then set -- --root "$DPKG_ROOT"; else set --; fi
update-alternatives "$@" --log /dev/null --quiet --remove rocm {TREE}
"""


def _chain(shop, name, stem, soname_major, full, source):
    """A library file and its SONAME link, as dpkg's file lists hold them."""
    return {f"{LIB}/{stem}.so.{full}": source}, {f"{LIB}/{stem}.so.{soname_major}": f"{stem}.so.{full}"}


def packages(shop):
    """name -> .deb of the stock release."""
    return shop.once("rocm packages", lambda: _packages(shop))


def _packages(shop):
    made = libraries(shop)
    core_files, core_links = _chain(shop, "rocm-core", "librocm-core", "1", "1.0." + PATCH, made.core)
    core_files[TREE + "/.info/version"] = (RELEASE + "\n").encode()
    hsa_files, hsa_links = _chain(shop, "hsa-rocr", "libhsa-runtime64", "1", "1.18." + PATCH, made.stock_hsa)
    hip_files, hip_links = _chain(shop, "hip", "libamdhip64", "7", "7.2." + PATCH, made.stock_hip)
    for stem, source in (("libhiprtc", made.rtc), ("libhiprtc-builtins", made.builtins)):
        files, links = _chain(shop, stem, stem, "7", "7.2." + PATCH, source)
        hip_files.update(files)
        hip_links.update(links)
    hip_files[TREE + "/share/hip/version"] = b"HIP_VERSION_MAJOR=7\nHIP_VERSION_MINOR=2\nHIP_VERSION_PATCH=70204\n"
    comgr_files, comgr_links = _chain(shop, "comgr", "libamd_comgr", "3", "3.0." + PATCH, made.comgr)
    ldconfig = {"triggers": "activate-noawait ldconfig\n"}
    hsa_files["/etc/ld.so.conf.d/rocr-runtime.conf"] = (LIB + "\n").encode()
    return {deb.name: deb.build(shop) for deb in (
        debs.Deb("rocm-core", f"{RELEASE}.{BUILD}", core_files, core_links, scripts={"postinst": _POSTINST, "prerm": _PRERM}),
        debs.Deb("comgr", f"3.0.0.{BUILD}", comgr_files, comgr_links, {"Depends": "rocm-core"}),
        debs.Deb("hsa-rocr", f"1.18.0.{BUILD}", hsa_files, hsa_links, {"Depends": "libelf1, rocm-core"}, ldconfig),
        debs.Deb("hip-runtime-amd", f"7.2.53211.{BUILD}", hip_files, hip_links,
                 {"Depends": "hsa-rocr, comgr, rocm-core", "Provides": "hip-rocclr"}, ldconfig))}


SWAP_LINE = "RUN /bin/sh -c /tmp/atom/install-rocm-runtime.sh --legacy-names --markers # buildkit"
SWAP = f"""cd "$ROOT/opt/rocm-{RELEASE}/lib"
install -m 644 "$HSA" {NEW_HSA}
install -m 644 "$HIP" {NEW_HIP}
touch {STOCK_HSA} {STOCK_HIP}    # copy up: the layer then records each alias itself
ln -f {NEW_HSA} {STOCK_HSA}
ln -f {NEW_HIP} {STOCK_HIP}
ln -sfn {NEW_HSA} {HSA}
ln -sfn {NEW_HIP} {HIP}
printf '%s\\n' {COMMIT} > ../.info/atom-rocm-runtime-commit
printf '%s\\n' {HIP} {HSA} > ../.info/atom-rocm-runtime-sonames
"""


def swap(shop):
    """The action that replaces the pair as the second story does it."""
    made = libraries(shop)
    return lambda root: tools.shell(SWAP, root, HSA=made.new_hsa, HIP=made.new_hip)


def names(*files):
    """The paths of library files below the real tree."""
    return [os.path.join(LIB, file) for file in files]
