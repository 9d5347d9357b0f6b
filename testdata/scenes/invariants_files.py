"""docs/rocm.md, links, files and hard links: each invariant held once and broken once."""

from . import bases, debs, rocm, tools
from .autoremove import SITE
from .whole_stack import SWAP_LINE, before_swap, broken, holds, judged, whole
from .workshop import Finding

LIB = rocm.LIB
SHOWN = "/opt/rocm/lib"
HOLD = ("inv-030", "inv-031", "inv-032", "inv-033", "inv-034", "inv-036", "inv-037", "inv-039", "inv-040", "inv-041")
WHEEL_LINE = f"COPY --from=wheels /install/ {SITE}/ # buildkit"


def build(shop):
    base = {"base": holds(shop, whole(shop).branch("invariants-files"), "inv-files", HOLD)}
    links(shop)
    contents(shop)
    names(shop, base)
    ldconfig(shop)
    wheel(shop)


def links(shop):
    broken(shop, "inv-030", "dangling", f"ln -sfn {rocm.HSA}.19.0 $ROOT{LIB}/{rocm.HSA}", ("file", "dangling", f"{SHOWN}/{rocm.HSA}"),
           why="readlink -f prints a name and succeeds when nothing has that name")
    broken(shop, "inv-033", "absolute", f"ln -sfn {LIB}/{rocm.NEW_HSA} $ROOT{LIB}/{rocm.HSA}",
           ("link-chain", "absolute", f"{SHOWN}/{rocm.HSA}"))
    broken(shop, "inv-041", "backup", f"cp $ROOT{LIB}/{rocm.NEW_HSA} $ROOT{LIB}/{rocm.NEW_HSA}.orig",
           ("file-absent", "present", f"{SHOWN}/{rocm.NEW_HSA}.orig"))


def contents(shop):
    builtins = "libhiprtc-builtins.so.7"
    broken(shop, "inv-031", "empty", f": > $ROOT{LIB}/{builtins}.2.{rocm.PATCH}", ("file", "empty", f"{SHOWN}/{builtins}"),
           ("file", "empty", f"{SHOWN}/{builtins}.2.{rocm.PATCH}"), why="a dangling link was resolved and turned into an empty file")
    broken(shop, "inv-032", "other-machine", f"printf '\\267' | dd of=$ROOT{LIB}/{rocm.NEW_HSA} bs=1 seek=18 conv=notrunc status=none",
           ("elf-dynamic", "machine", f"{SHOWN}/{rocm.NEW_HSA}"), ("elf-dynamic", "machine", f"{SHOWN}/{rocm.HSA}"))
    broken(shop, "inv-039", "rebuilt", f"echo rebuilt >> $ROOT{rocm.TREE}/share/artifact.bin",
           ("file", "digest", "/opt/rocm/share/artifact.bin"))


def names(shop, base):
    names = rocm.names(rocm.STOCK_HIP, rocm.NEW_HIP)
    broken(shop, "inv-034", "touched", f"touch $ROOT{LIB}/{rocm.STOCK_HIP}", ("same-file", "split", names))
    broken(shop, "inv-035", "name-lost", f"rm $ROOT{LIB}/{rocm.STOCK_HIP}", ("compare-files", "missing", f"{SHOWN}/{rocm.STOCK_HIP}"),
           beside=base)
    holds(shop, whole(shop).branch("inv-035-names-kept"), "inv-035", ("inv-035",), beside=base)
    hsa = rocm.names(rocm.STOCK_HSA, rocm.NEW_HSA)
    broken(shop, "inv-036", "edited", f"echo x >> $ROOT{LIB}/{rocm.STOCK_HSA}", ("same-file", "differs", hsa))
    broken(shop, "inv-037", "one-lost", f"rm $ROOT{LIB}/{rocm.STOCK_HSA}", ("same-file", "links", f"{SHOWN}/{rocm.HSA}"), layer=(4, SWAP_LINE))


def ldconfig(shop):
    """HIP's stock name compares higher than its new one: 70204 > 53211."""
    made = rocm.libraries(shop)
    image = before_swap(shop).branch("inv-040-hip-beside-stock")
    line = f"RUN /bin/sh -c install {rocm.NEW_HIP} && ln -sfn {rocm.NEW_HIP} {rocm.HIP} # buildkit"
    layer = image.step(line, lambda root: tools.shell(
        f'cd .{LIB}; install -m 644 "$HIP" {rocm.NEW_HIP}; ln -sfn {rocm.NEW_HIP} {rocm.HIP}', root, HIP=made.new_hip))
    judged(shop, image, "inv-040", [Finding("ldconfig-stable", "repointed", f"{SHOWN}/{rocm.HIP}", layer, line, "inv-040")],
           why="the next ldconfig, of any package, gives the SONAME back to the stock library")
    ran = image.branch("inv-040-ldconfig-ran")
    ran.step("RUN /bin/sh -c ldconfig # buildkit", tools.ldconfig)
    target = ran.look(lambda root: tools.run("readlink", f"{root}{LIB}/{rocm.HIP}").strip())
    if target != rocm.STOCK_HIP:
        raise RuntimeError(f"ldconfig left {rocm.HIP} at {target}: the scene would prove nothing")
    broken(shop, "inv-040", "backup", f"cp $ROOT{LIB}/{rocm.STOCK_HSA} $ROOT{LIB}/{rocm.HSA}.99; echo x >> $ROOT{LIB}/{rocm.HSA}.99",
           ("ldconfig-stable", "repointed", f"{SHOWN}/{rocm.HSA}"))


def wheel(shop):
    """Both flavours of the wheel hold HIP: one file, or a copy that is replaced without the other."""
    made = rocm.libraries(shop)
    core, devel = (f"{SITE}/_rocm_sdk_{name}/lib/libamdhip64.so.7" for name in ("core", "devel"))
    image = whole(shop).branch("inv-043-linked")
    image.step(WHEEL_LINE, lambda root: tools.shell(
        f'install -D -m 644 "$HIP" .{core}; mkdir -p .{devel.rpartition("/")[0]}; ln .{core} .{devel}', root, HIP=made.new_hip))
    holds(shop, image, "inv-043", ("inv-043",))
    broken(shop, "inv-043", "copied", f"cp $ROOT{core} $ROOT{devel}.new; mv $ROOT{devel}.new $ROOT{devel}", ("same-file", "split", (core, devel)),
           base=image)
