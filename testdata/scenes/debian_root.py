"""Both stories on a full Debian root, by the real apt in a chroot."""

import os

from . import bases, debs, rocm, tools
from .autoremove import AUTOREMOVE_LINE, PURGE_LINE, SETUP, copy_profiler, setup_packages
from .autoremove import policy as libdw1_policy
from .runtime_swap import policy as swap_policy
from .workshop import Finding

REPOSITORY = "var/local/repository"
SOURCE_LINE = "RUN /bin/sh -c echo 'deb [trusted=yes] file:/var/local/repository ./' > /etc/apt/sources.list.d/local.list # buildkit"
INSTALL_LINE = ("RUN /bin/sh -c apt-get update && apt-get install -y rocm-core comgr hsa-rocr hip-runtime-amd # buildkit")
SETUP_LINE = "RUN /bin/sh -c apt-get install -y --no-install-recommends software-properties-common # buildkit"
INTACT = "{id: packages-intact, rule: package-files, with: {under: [/usr/**]}}"


def chroot(root, script):
    """A shell in the image: its own mount and process namespace, nothing of the machine's environment."""
    inner = 'mount -t proc proc "$1/proc" && exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive LC_ALL=C chroot "$1" /bin/sh -euc "$2"'
    return tools.run("unshare", "-m", "-p", "-f", "--kill-child", "sh", "-euc", inner, "sh", root, script)


def apt(root, arguments):
    return chroot(root, "apt-get -q -o APT::Sandbox::User=root -o Dir::Etc::sourceparts=- "
                        f"-o Dir::Etc::sourcelist=/etc/apt/sources.list.d/local.list {arguments}; "
                        "rm -f /var/cache/ldconfig/aux-cache /var/cache/apt/*.bin /var/log/apt/* /var/log/dpkg.log /var/log/alternatives.log")


def repository(shop, root):
    """A local package repository in the image: ROCm, the setup packages, the real libdw1 and what it needs."""
    directory = f"{root}/{REPOSITORY}"
    os.makedirs(directory)
    stock = [*rocm.packages(shop).values(), *setup_packages(shop)]
    for path in stock + [debs.downloaded(shop, name) for name in ("libdw1", "libelf1")]:
        tools.run("cp", path, directory + "/")
    tools.write(directory + "/Packages", tools.run("dpkg-scanpackages", "-m", ".", cwd=directory))
    tools.write(f"{root}/etc/apt/sources.list.d/local.list", "deb [trusted=yes] file:/var/local/repository ./\n")


def build(shop):
    base = bases.debian(shop).branch("debian-rocm")
    base.step(SOURCE_LINE, lambda root: repository(shop, root))
    base.step(INSTALL_LINE, lambda root: apt(root, "update && apt-get -q -o APT::Sandbox::User=root install -y "
                                                   "rocm-core comgr hsa-rocr hip-runtime-amd"))
    base.step(rocm.SWAP_LINE, rocm.swap(shop))
    shop.record(base.branch("debian-swapped"), "debian-root", True, swap_policy(shop), 0, form="zstd", oracles=())
    shop.record(base.branch("debian-intact"), "debian-root", True, shop.policy("debian-intact", (INTACT,)), 0, form="zstd",
                compared=1000, why="a whole real database, nothing changed below /usr")
    reinstall(shop, base)
    removed_by_apt(shop, base)


def reinstall(shop, base):
    image = base.branch("debian-reinstalled")
    line = "RUN /bin/sh -c apt-get install -y --reinstall hsa-rocr # buildkit"
    layer = image.step(line, lambda root: apt(root, "install -y --reinstall hsa-rocr"))
    path = f"{rocm.LIB}/{rocm.STOCK_HSA}"
    shop.record(image, "debian-root", False, swap_policy(shop), 1,
                [Finding("package-files", "reverted", path, layer, line, "really-replaced", also={"package": "hsa-rocr"}),
                 Finding("same-file", "differs", (path, f"{rocm.LIB}/{rocm.NEW_HSA}"), layer, line, "hsa-is-one-file"),
                 Finding("elf-symbols", "absent", f"/opt/rocm/lib/{rocm.HSA}", layer, line, "backport-symbol")],
                form="zstd", why="real apt, real dpkg, real ldconfig trigger")


def removed_by_apt(shop, base):
    image = base.branch("debian-libdw1-installed")
    image.step(SETUP_LINE, lambda root: apt(root, "install -y --no-install-recommends software-properties-common"))
    image.step("COPY /install/rocprofiler-sdk/ /opt/rocm-7.2.4/ # buildkit", lambda root: copy_profiler(shop, root))
    names = ("libdw1", "libdw1 | libdw1t64", "libdw1, libdw1t64")
    for name, manual in (("removed", False), ("kept", True)):
        twin = image.branch("debian-libdw1-" + name)
        if manual:
            twin.step("RUN /bin/sh -c apt-mark manual libdw1 # buildkit", lambda root: chroot(root, "apt-mark manual libdw1"))
        twin.step(PURGE_LINE, lambda root: apt(root, "purge -y " + " ".join(SETUP)))
        layer = twin.step(AUTOREMOVE_LINE, lambda root: apt(root, "autoremove -y"))
        if twin.look(lambda root: os.path.exists(root + "/usr/lib/x86_64-linux-gnu/libdw-0.188.so")) != manual:
            raise RuntimeError("apt-get autoremove did otherwise than the scene says")
        findings = [] if manual else [Finding("package-installed", "absent", names, layer, AUTOREMOVE_LINE, "profiler-runtime-deps")]
        shop.record(twin, "debian-root", manual, libdw1_policy(shop), 0 if manual else 1, findings, form="zstd", oracles=())
