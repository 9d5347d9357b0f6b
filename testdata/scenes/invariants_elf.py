"""docs/rocm.md, ELF facts, what the loader finds, matched sets: each invariant held once and broken once."""

from . import bases, rocm, tools
from .autoremove import SITE
from .whole_stack import STOCK_RTC, broken, configured, before_swap, holds, judged, whole
from .workshop import Finding

LIB, SHOWN = rocm.LIB, "/opt/rocm/lib"
HIP, HSA = f"{SHOWN}/{rocm.HIP}", f"{SHOWN}/{rocm.HSA}"
TORCH_HIP, TORCH_CPU = f"{SITE}/torch/lib/libtorch_hip.so", f"{SITE}/torch/lib/libtorch_cpu.so"
DW = "/usr/lib/x86_64-linux-gnu/libdw-0.188.so"
HOLD = ("inv-050", "inv-052", "inv-053", "inv-055", "inv-056", "inv-057", "inv-058", "inv-059", "inv-060", "inv-063", "inv-070",
        "inv-071", "inv-072", "inv-075", "inv-081", "inv-091", "inv-092", "inv-094", "inv-095")


def build(shop):
    holds(shop, whole(shop).branch("invariants-elf"), "inv-elf", HOLD)
    symbols(shop)
    headers(shop)
    loader(shop)
    matched(shop)


def symbols(shop):
    made = rocm.libraries(shop)
    put = f'install -m 644 "$NEW" $ROOT{LIB}/{rocm.NEW_HSA}'
    broken(shop, "inv-050", "stock", put, ("elf-symbols", "absent", HSA), line="COPY libhsa-runtime64.so /opt/rocm/lib/ # buildkit",
           NEW=made.stock_hsa)
    other = rocm.library(shop, rocm.HSA, "int hsa_amd_only(void) { return 1; }\n", rocm.HSA_MAP)
    broken(shop, "inv-052", "other-library", put, ("elf-symbols", "absent", HSA), line="COPY libhsa-stub.so /opt/rocm/lib/ # buildkit", NEW=other)
    moved = rocm.library(shop, "libhsa-runtime64.so.2", rocm.hsa_source("moved", True), rocm.HSA_MAP)
    broken(shop, "inv-053", "soname-moved", put, ("elf-dynamic", "soname", HSA),
           line="COPY libhsa-runtime64.so.2 /opt/rocm/lib/ # buildkit", NEW=moved)
    broken(shop, "inv-059", "runtime-without-it", put, ("elf-pair", "undefined", HIP),
           line="COPY libhsa-runtime64.so /opt/rocm/lib/ # buildkit", NEW=made.stock_hsa,
           why="HIP was built against the headers of the new runtime, and gets the stock one")
    nodes = rocm.library(shop, rocm.HSA, rocm.hsa_source("x", True), rocm.HSA_MAP.replace("ROCR_1", "ROCR_2"))
    broken(shop, "inv-060", "other-version-node", put, ("elf-needed", "version-missing", ()),
           line="COPY libhsa-runtime64.so /opt/rocm/lib/ # buildkit", NEW=nodes)


def headers(shop):
    def patched(check, name, options, kinds, *subjects, file=f"{LIB}/{rocm.NEW_HIP}"):
        image = whole(shop).branch(f"{check}-{name}")
        line = f"RUN /bin/sh -c patchelf {options} {file} # buildkit"
        layer = image.step(line, lambda root: tools.shell(f"patchelf {options} .{file}", root))
        judged(shop, image, check, [Finding("elf-dynamic", kind, subject, layer, line, check) for kind in kinds for subject in subjects])
    new_hip, comgr = f"{SHOWN}/{rocm.NEW_HIP}", f"libamd_comgr.so.3.0.{rocm.PATCH}"
    patched("inv-055", "needed-lost", "--remove-needed " + rocm.HSA, ["needed"], HIP)
    patched("inv-056", "cuda-needed", "--add-needed libcudart.so.12", ["not-needed"], SHOWN + "/libamd_comgr.so.3", f"{SHOWN}/{comgr}",
            file=f"{LIB}/{comgr}")
    patched("inv-057", "path-needed", f"--replace-needed {rocm.HSA} {HSA}", ["not-needed"], HIP, new_hip)
    patched("inv-058", "old-major", f"--replace-needed {rocm.HIP} libamdhip64.so.6", ["needed", "not-needed"], TORCH_HIP, file=TORCH_HIP)
    patched("inv-063", "build-path", "--set-rpath /build/rocm/lib", ["rpath"], HIP, new_hip)


def loader(shop):
    torch = "inv-070"
    broken(shop, torch, "library-removed", f"rm $ROOT{DW}", ("elf-needed", "missing", TORCH_CPU),
           why="the first story: the package of libdw went with an autoremove")
    broken(shop, torch, "empty-library", f": > $ROOT{LIB}/{rocm.NEW_HIP}", ("elf-needed", "fatal-candidate", TORCH_HIP),
           why="INV-074: the loader takes the empty file, and gives up")
    broken(shop, torch, "preload-missing", "echo /usr/lib/libprofiler.so > $ROOT/etc/ld.so.preload", ("elf-needed", "preload-missing", TORCH_CPU),
           ("elf-needed", "preload-missing", TORCH_HIP), why="INV-077")
    variant = f"{LIB}/glibc-hwcaps/x86-64-v3"
    broken(shop, "inv-071", "processor-variant", f"mkdir -p $ROOT{variant}; cp $ROOT{LIB}/{rocm.NEW_HIP} $ROOT{variant}/{rocm.HIP}",
           ("elf-needed", "wrong-file", ()), why="INV-073, INV-080: a copy that newer processors get first")
    broken(shop, "inv-072", "second-provider", f"mkdir -p $ROOT/opt/venv/lib; cp $ROOT{LIB}/{rocm.NEW_HSA} $ROOT/opt/venv/lib/{rocm.HSA}",
           ("elf-needed", "several-providers", rocm.HSA))
    broken(shop, "inv-075", "not-run", f"cp $ROOT{LIB}/libamd_smi.so.26.2.2 $ROOT{LIB}/libsmi-copy.so.26; patchelf --set-soname libsmi-copy.so.26 "
           f"$ROOT{LIB}/libsmi-copy.so.26", ("ldconfig-stable", "not-in-cache", SHOWN + "/libsmi-copy.so.26"))
    shadowed(shop)
    interpreter(shop)
    configured(shop, "inv-081", "empty-element", "empty-element", (), LD_LIBRARY_PATH="/opt/rocm/lib:")


ELSEWHERE = "/opt/venv/lib"
COPY_LINE = f"COPY libamdhip64.so.7 {ELSEWHERE}/ # buildkit"


def shadowed(shop):
    """INV-073, INV-074, INV-077 with their good twins: what stands before the wanted file in the order of the search."""
    made = rocm.libraries(shop)
    checks = shop.policy("loader-order", (
        f"{{id: wanted-file, rule: elf-needed, with: {{file: {TORCH_HIP}, expect: ['{rocm.HIP} -> {LIB}/**']}}}}",
        f"{{id: preloads, rule: elf-needed, with: {{file: {TORCH_CPU}}}}}"))
    env = f"LD_LIBRARY_PATH={ELSEWHERE}:/opt/rocm/lib"
    copy = f'install -D -m 644 "$HIP" $ROOT{ELSEWHERE}/{rocm.HIP}'
    rows = (
        ("inv-073-shadow", COPY_LINE, copy, ("wanted-file", "wrong-file", TORCH_HIP)),
        ("inv-073-no-shadow", f"COPY libamdhip64.so.7 {ELSEWHERE}/stock/ # buildkit",
         f'install -D -m 644 "$HIP" $ROOT{ELSEWHERE}/stock/{rocm.HIP}', None),
        ("inv-074-empty-before-good", f"RUN /bin/sh -c touch {ELSEWHERE}/{rocm.HIP} # buildkit",
         f"mkdir -p $ROOT{ELSEWHERE}; : > $ROOT{ELSEWHERE}/{rocm.HIP}", ("wanted-file", "fatal-candidate", TORCH_HIP)),
        ("inv-074-empty-behind-good", f"RUN /bin/sh -c touch /usr/lib/{rocm.HIP} # buildkit", f": > $ROOT/usr/lib/{rocm.HIP}", None),
    )
    for name, line, script, found in rows:
        image = whole(shop).branch(name)
        image.config["Env"] = [entry for entry in image.config["Env"] if not entry.startswith("LD_LIBRARY_PATH=")] + [env]
        layer = image.step(line, lambda root, script=script: tools.shell(script, root, HIP=made.stock_hip))
        findings = [] if found is None else [Finding("elf-needed", found[1], found[2], layer, line, found[0])]
        shop.record(image, "loader-order", found is None, checks, 1 if findings else 0, findings, oracles=())
    library = f"{ELSEWHERE}/libprofiler.so"
    stub = shop.once("profiler stub", lambda: rocm.library(shop, "libprofiler.so", "int profiler(void) { return 1; }\n", None))
    for name, script, good in (("inv-077-preload", f'install -D -m 644 "$STUB" $ROOT{library}; ', True), ("inv-077-no-preload", "", False)):
        image = whole(shop).branch(name)
        line = f"RUN /bin/sh -c echo {library} > /etc/ld.so.preload # buildkit"
        layer = image.step(line, lambda root, script=script: tools.shell(script + f"echo {library} > $ROOT/etc/ld.so.preload", root, STUB=stub))
        findings = [] if good else [Finding("elf-needed", "preload-missing", TORCH_HIP, layer, line, "wanted-file"),
                                    Finding("elf-needed", "preload-missing", TORCH_CPU, layer, line, "preloads")]
        shop.record(image, "loader-order", good, checks, 0 if good else 1, findings, oracles=())


def interpreter(shop):
    """INV-076: a program whose loader is there, and is gone."""
    tool, loader_file = "/opt/venv/bin/tool", "/usr/lib64/ld-linux-x86-64.so.2"
    checks = shop.policy("interpreter", (f"{{id: can-start, rule: elf-needed, with: {{file: {tool}}}}}",))

    def program():
        stem = shop.fresh() + "/tool"
        tools.write(stem + ".c", "void _start(void) { for (;;) {} }\n")
        tools.run("gcc", "-nostdlib", "-pie", "-fPIE", "-Wl,-dynamic-linker,/lib64/ld-linux-x86-64.so.2", stem + ".c", "-o", stem)
        return stem
    made = shop.once("program", program)
    image = bases.micro(shop).branch("inv-076-interpreter")
    image.step(f"COPY tool {tool} # buildkit", lambda root: tools.shell(
        f'install -D -m 755 "$TOOL" $ROOT{tool}; cp -L /lib64/ld-linux-x86-64.so.2 $ROOT{loader_file}', root, TOOL=made))
    shop.record(image, "interpreter", True, checks, 0, oracles=())
    bad = image.branch("inv-076-no-interpreter")
    line = f"RUN /bin/sh -c rm {loader_file} # buildkit"
    layer = bad.step(line, lambda root: tools.shell(f"rm $ROOT{loader_file}", root))
    shop.record(bad, "interpreter", False, checks, 1, [Finding("elf-needed", "interpreter-missing", tool, layer, line, "can-start")],
                oracles=())


def matched(shop):
    image = before_swap(shop).branch("inv-091-hiprtc-left-stock")
    image.step(rocm.SWAP_LINE, rocm.swap(shop))
    judged(shop, image, "inv-091", [Finding("matched-set", "mixed", SHOWN + "/libhiprtc.so.7", 1, bases.ROCM_LINE, "inv-091")],
           why="HIP is new, the compiler that it loads is the stock one")
    broken(shop, "inv-092", "elsewhere", f"mkdir $ROOT{LIB}/rtc; mv $ROOT{LIB}/{STOCK_RTC} $ROOT{LIB}/rtc/; "
           f"ln -sfn rtc/{STOCK_RTC} $ROOT{LIB}/libhiprtc.so.7",
           ("matched-set", "directory", SHOWN + "/libhiprtc.so.7"))
    header = f"{rocm.TREE}/include/hsa/hsa_ext_amd.h"
    broken(shop, "inv-094", "old-header", f"sed -i /_v2/d $ROOT{header}", ("file", "content", header))
    broken(shop, "inv-095", "other-dist", f"cd $ROOT{SITE} && mv amdsmi-26.2.2.dist-info amdsmi-26.1.0.dist-info",
           ("values-agree", "differs", f"{SITE}/amdsmi-26.1.0.dist-info"))
