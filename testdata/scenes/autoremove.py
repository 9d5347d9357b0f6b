"""The first story: libdw1 was there for repository-setup packages only; purge, autoremove, and it is gone."""

import os

from . import bases, debs, rocm, stand_ins, tools
from .workshop import Finding

SITE = "/usr/local/lib/python3.12/dist-packages"
SETUP_LINE = "RUN /bin/sh -c apt-get update && apt-get install -y software-properties-common # buildkit"
COPY_LINE = "COPY /install/rocprofiler-sdk/ /opt/rocm-7.2.4/ # buildkit"
PURGE_LINE = ("RUN /bin/sh -c apt-get purge -y software-properties-common python3-software-properties python3-gi "
              "# buildkit")
AUTOREMOVE_LINE = "RUN /bin/sh -c apt-get autoremove -y && apt-get clean # buildkit"
SETUP = ("software-properties-common", "python3-software-properties", "python3-gi")
CHECK = "{id: profiler-runtime-deps, rule: package-installed, with: {any_of: [libdw1, libdw1t64], manual: true}}"
VLLM = "rocm-vllm"


def setup_packages(shop):
    """Repository-setup packages: each depends on the next, the last on libdw1."""
    def make():
        needs = (*SETUP[1:], "libdw1")
        return [debs.Deb(name, "0.99.22.9", {f"/usr/share/doc/{name}/copyright": b"none\n"}, arch="all",
                         control={"Depends": need}).build(shop) for name, need in zip(SETUP, needs)]
    return shop.once("setup packages", make)


def install_setup(shop, root, manual=()):
    debs.install(root, debs.downloaded(shop, "libdw1"), stand_ins.package(shop, "libdw1", "libelf1"), *setup_packages(shop))
    debs.apt(root, "auto", *SETUP[1:], "libdw1", "libelf1", tool="apt-mark")
    if manual:
        debs.apt(root, "manual", *manual, tool="apt-mark")


def profiler(shop):
    """Libraries that no package owns: the profiler SDK, which needs libdw, and torch with its hook."""
    def make():
        dw = rocm.library(shop, "libdw.so.1", "int dwarf_begin(void) { return 0; }\n", "ELFUTILS_0.122 { global: dwarf_*; local: *; };\n")
        sdk = rocm.library(shop, "librocprofiler-sdk.so.1", "extern int dwarf_begin(void);\nint rocprofiler_start(void) { return dwarf_begin(); }\n",
                           None, [dw])
        torch = rocm.library(shop, "libtorch_cpu.so", "extern int rocprofiler_start(void);\nint rocprofiler_configure(void) { return rocprofiler_start(); }\n",
                             None, [sdk])
        return sdk, torch
    return shop.once("profiler", make)


def copy_profiler(shop, root):
    sdk, torch = profiler(shop)
    tools.shell(f"""install -D -m 644 "$SDK" .{rocm.LIB}/librocprofiler-sdk.so.1.3.2
ln -s librocprofiler-sdk.so.1.3.2 .{rocm.LIB}/librocprofiler-sdk.so.1
install -D -m 644 "$TORCH" .{SITE}/torch/lib/libtorch_cpu.so
mkdir -p app; printf 'PYTHON_VERSION: 3.12\\nROCM_VERSION: 7.2.4\\n' > app/versions.txt""", root, SDK=sdk, TORCH=torch)


def vllm_base(shop, manual=()):
    """ROCm, the setup packages, the swap and the copied profiler: layers 1 to 4."""
    def make():
        image = bases.with_rocm(shop).branch("vllm" + "-".join(manual))
        image.step(SETUP_LINE + (" && apt-mark manual " + " ".join(manual) if manual else ""),
                   lambda root: install_setup(shop, root, manual))
        image.step(rocm.SWAP_LINE, rocm.swap(shop))
        image.step(COPY_LINE, lambda root: copy_profiler(shop, root))
        image.config["Env"].append("SITE_PACKAGES=" + SITE)
        image.note("ENV SITE_PACKAGES=" + SITE, comment="buildkit.dockerfile.v0")
        return image
    return shop.once("vllm" + "-".join(manual), make)


def policy(shop):
    return shop.once("libdw1 policy", lambda: shop.policy("libdw1", (CHECK,)))


def purge(image):
    image.step(PURGE_LINE, lambda root: debs.apt(root, "purge", "-y", *SETUP))
    return image


def autoremove(image):
    return image.step(AUTOREMOVE_LINE, lambda root: debs.apt(root, "autoremove", "-y"))


def build(shop):
    bad = purge(vllm_base(shop).branch("libdw1-removed"))
    exposed = bad.branch("libdw1-automatic-exposed")
    layer = autoremove(bad)
    if bad.look(lambda root: os.path.exists(root + "/usr/lib/x86_64-linux-gnu/libdw-0.188.so")):
        raise RuntimeError("apt did not remove libdw1: the scene would prove nothing")
    removed = Finding("package-installed", "absent", ("libdw1", "libdw1 | libdw1t64", "libdw1, libdw1t64"), layer,
                      AUTOREMOVE_LINE, "profiler-runtime-deps")
    shop.record(bad, "libdw1-removed", False, policy(shop), 1, [removed],
                why="real apt-get purge of the setup packages, then real apt-get autoremove", oracles=())
    shop.record(bad.branch("libdw1-removed-vllm"), "libdw1-removed", False, VLLM, 1,
                [removed, Finding("elf-needed", "missing", f"{rocm.LIB}/librocprofiler-sdk.so.1.3.2", layer, AUTOREMOVE_LINE, "libraries-are-found")],
                gates=["apt"], others=True, oracles=())
    good = purge(vllm_base(shop, ("libdw1",)).branch("libdw1-kept"))
    autoremove(good)
    shop.record(good, "libdw1-removed", True, policy(shop), 0, oracles=())
    shop.record(good.branch("libdw1-kept-vllm"), "libdw1-removed", True, VLLM, 0, gates=["apt"], form="zstd", others=True, oracles=())

    automatic = ("libdw1", "libdw1 | libdw1t64", "libdw1:amd64")
    shop.record(vllm_base(shop).branch("libdw1-automatic"), "libdw1-automatic", False, policy(shop), 1,
                [Finding("package-installed", "automatic", automatic, 2, SETUP_LINE, "profiler-runtime-deps")],
                why="installed, and kept only by the setup packages", oracles=())
    shop.record(exposed, "libdw1-automatic", False, policy(shop), 1,
                [Finding("package-installed", "automatic", automatic, 2, SETUP_LINE, "profiler-runtime-deps")],
                why="the setup packages are purged; the next autoremove takes it", oracles=())
    shop.record(exposed.branch("libdw1-exposed-vllm"), "libdw1-automatic", False, VLLM, 1,
                [Finding("autoremove-safe", "exposed", "libdw1", 5, PURGE_LINE, "survives-autoremove"),
                 Finding("package-installed", "automatic", automatic, 2, SETUP_LINE, "profiler-runtime-deps")], gates=["apt"],
                others=True, oracles=(), why="it is still there, and every check of the files alone passes")
    shop.record(vllm_base(shop, ("libdw1",)).branch("libdw1-manual"), "libdw1-automatic", True, policy(shop), 0, oracles=())
    without_states(shop)
    never_installed(shop)


def without_states(shop):
    image = vllm_base(shop).branch("libdw1-no-extended-states")
    image.step("RUN /bin/sh -c rm /var/lib/apt/extended_states # buildkit",
               lambda root: tools.shell("rm var/lib/apt/extended_states", root))
    shop.record(image, "libdw1-automatic", False, policy(shop), 2,
                why="no extended_states: whether it was asked for cannot be known, so the check is an error", oracles=())


def never_installed(shop):
    """dpkg --purge removes it whatever apt thinks; a package whose conffiles are left (state rc) is not installed."""
    image = vllm_base(shop, ("libdw1",)).branch("libdw1-dpkg-purged")
    line = "RUN /bin/sh -c dpkg --purge --force-depends libdw1 # buildkit"
    layer = image.step(line, lambda root: debs.dpkg(root, "--purge", "libdw1"))
    names = ("libdw1", "libdw1 | libdw1t64", "libdw1, libdw1t64")
    shop.record(image, "libdw1-removed", False, policy(shop), 1,
                [Finding("package-installed", "absent", names, layer, line, "profiler-runtime-deps")], oracles=())
    image = bases.with_rocm(shop).branch("libdw1-config-files-only")
    time64 = debs.Deb("libdw1t64", "0.191-1", {"/etc/libdw.conf": b"x\n"}, conffiles=["/etc/libdw.conf"]).build(shop)
    line = "RUN /bin/sh -c apt-get install -y libdw1t64 && apt-get remove -y libdw1t64 # buildkit"

    def install_and_remove(root):
        debs.install(root, time64)
        debs.apt(root, "manual", "libdw1t64", tool="apt-mark")
        debs.dpkg(root, "--remove", "libdw1t64")
    image.step(line, install_and_remove)
    shop.record(image, "libdw1-removed", False, policy(shop), 1,
                [Finding("package-installed", "absent", names, None, None, "profiler-runtime-deps")],
                why="state config-files", oracles=())
