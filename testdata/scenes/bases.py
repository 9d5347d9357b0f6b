"""The roots that scenes stand on: a micro root by dpkg alone, ROCm on it, and one full Debian root by mmdebstrap."""

import hashlib
import os
import shutil
import subprocess

from . import debs, rocm, tools
from .image import Image

FROM_LINE = "/bin/sh -c #(nop) ADD file:3b1f1c5f0f7c6b0c7b1de0a5f4c5a3b1c7b2f4d6e8a90b1c2d3e4f5061728394 in / "
ROCM_LINE = ("RUN /bin/sh -c apt-get update && apt-get install -y rocm-core comgr hsa-rocr hip-runtime-amd "
             "&& rm -rf /var/lib/apt/lists/* # buildkit")

# What real packages of the micro root depend on; the root has no libc of its own, nothing in it ever runs.
_PROVIDED = ("libc6 (= 2.36-9)", "libgcc-s1 (= 12.2.0-14)", "libstdc++6 (= 12.2.0-14)", "zlib1g (= 1:1.2.13)",
             "liblzma5 (= 5.4.1-1)", "libbz2-1.0 (= 1.0.8-5)", "libnuma1 (= 2.0.16)", "libhsakmt1 (= 5.2.3)",
             "libamd-comgr2 (= 5.2.3)", "awk", "libzstd1 (= 1.5.4)")


def runtime_package(shop):
    return shop.once("runtime", lambda: debs.Deb(
        "micro-runtime", "1", {"/usr/share/doc/micro-runtime/README": b"Stands for the C library and its like.\n"},
        control={"Provides": ", ".join(_PROVIDED), "Essential": "yes", "Multi-Arch": "foreign"}).build(shop))


def micro(shop):
    """A merged-/usr root with the real base-files and a dpkg database that dpkg itself wrote."""
    return shop.once("micro", lambda: _micro(shop))


def _micro(shop):
    image = Image(shop, "micro")
    image.step(FROM_LINE, lambda root: fill_micro(shop, root))
    image.note('CMD ["/bin/sh"]', comment="buildkit.dockerfile.v0")
    return image


def fill_micro(shop, root):
    os.chmod(root, 0o755)
    for directory in ("bin", "sbin", "lib", "lib64"):
        os.makedirs(f"{root}/usr/{directory}")
        os.symlink("usr/" + directory, f"{root}/{directory}")
    for name, text, mode in (("passwd", "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534::/nonexistent:/usr/sbin/nologin\n", 0o644),
                             ("group", "root:x:0:\nmail:x:8:\nutmp:x:43:\nstaff:x:50:\nnogroup:x:65534:\n", 0o644),
                             ("ld.so.conf", "include /etc/ld.so.conf.d/*.conf\n", 0o644),
                             ("shadow", "root:*:19000:0:99999:7:::\nnobody:*:19000:0:99999:7:::\n", 0o640)):
        tools.write(f"{root}/etc/{name}", text, mode)
    debs.empty_database(root)
    debs.install(root, runtime_package(shop), debs.downloaded(shop, "base-files"))


def with_rocm(shop):
    """The micro root with the stock ROCm 7.2.4 packages (layer 1)."""
    def make():
        image = micro(shop).branch("rocm")
        stock = rocm.packages(shop)
        image.step(ROCM_LINE, lambda root: debs.install(root, debs.downloaded(shop, "libelf1"), *stock.values()))
        image.note("LABEL com.amd.rocm.version=7.2.4", comment="buildkit.dockerfile.v0")
        image.note("ENV LD_LIBRARY_PATH=/opt/rocm/lib", comment="buildkit.dockerfile.v0")
        image.config["Labels"] = {"com.amd.rocm.version": "7.2.4"}
        image.config["Env"].append("LD_LIBRARY_PATH=/opt/rocm/lib")
        return image
    return shop.once("with rocm", make)


def debian(shop):
    """A full Debian root (essential packages and apt), cached by the script that makes it and the week."""
    return shop.once("debian", lambda: _debian(shop))


def _debian(shop):
    image = Image(shop, "debian")
    root_tar = _finished_root(shop)
    image.step(FROM_LINE, lambda root: tools.run("tar", "--xattrs", "--xattrs-include=*", "--numeric-owner", "--zstd", "-xpf",
                                                 root_tar, "-C", root))
    return image


_MMDEBSTRAP = ("mmdebstrap", "--mode=root", "--variant=apt", "--aptopt=Acquire::Languages none",
               "--dpkgopt=path-exclude=/usr/share/doc/*", "--dpkgopt=path-include=/usr/share/doc/*/copyright",
               "--dpkgopt=path-exclude=/usr/share/man/*", "--dpkgopt=path-exclude=/usr/share/locale/*")


def start_debian(shop):
    """Path in the cache, path being made, process. Begins to make the Debian root in the background unless it is cached: by how it is made, and by the week."""
    return shop.once("debian root", lambda: _start_debian(shop))


def _start_debian(shop):
    key = hashlib.sha256(repr(_MMDEBSTRAP).encode()).hexdigest()[:12]
    cached = f"{shop.cache}/debian-{key}-{tools.week()}.tar.zst"
    if os.path.exists(cached):
        return cached, None, None
    partial = f"{shop.space}/debian.tar.zst"
    log = open(shop.space + "/mmdebstrap.log", "wb")
    process = subprocess.Popen([*_MMDEBSTRAP, "bookworm", partial], env=tools.environment(TMPDIR=shop.space),
                               stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    return cached, partial, process


def _finished_root(shop):
    cached, partial, process = start_debian(shop)
    if process and not os.path.exists(cached):
        if process.wait():
            with open(shop.space + "/mmdebstrap.log", encoding="utf-8", errors="replace") as log:
                raise RuntimeError("mmdebstrap failed:\n" + log.read()[-4000:])
        shutil.copyfile(partial, cached + ".part")
        os.rename(cached + ".part", cached)
    return cached
