"""The shipped ROCm policies: images that lack just one thing that only these policies ask for."""

from . import bases, debs, rocm, tools
from .autoremove import SITE, VLLM, autoremove, purge, setup_packages, vllm_base
from .runtime_swap import EDGE, swapped
from .workshop import Finding

LIB, SHOWN = rocm.LIB, "/opt/rocm/lib"
HSA, HIP = f"{SHOWN}/{rocm.HSA}", f"{SHOWN}/{rocm.HIP}"
LEFT_STOCK = [Finding("matched-set", "mixed", f"{SHOWN}/{name}", 1, bases.ROCM_LINE, "matched-build", "warning")
              for name in ("libhiprtc.so.7", "libamd_comgr.so.3")]


def build(shop):
    edge_files(shop)
    edge_history(shop)
    wheels(shop)


def edge(shop, name, script, check, rule, kind, subject, line=None, where=None, others=False, **variables):
    """The swapped image with one thing undone. What HIP was built with is stock in all of them: a warning."""
    image = swapped(shop).branch("edge-" + name)
    line = line or "RUN /bin/sh -c " + script.replace("$ROOT", "") + " # buildkit"
    layer = image.step(line, lambda root: tools.shell(script, root, **variables))
    finding = Finding(rule, kind, subject, *(where or (layer, line)), check)
    shop.record(image, "edge-" + check, False, EDGE, 1, [finding, *LEFT_STOCK], others=others, oracles=())


def edge_files(shop):
    made = rocm.libraries(shop)
    edge(shop, "one-hop", f"ln -sfn {rocm.TREE} $ROOT/opt/rocm", "rocm-is-a-link", "link-chain", "hop", "/opt/rocm")
    moved = rocm.library(shop, "libhsa-runtime64.so.2", rocm.hsa_source("moved", True), rocm.HSA_MAP)
    put = f'cd $ROOT{LIB}; cat "$NEW" > {rocm.NEW_HSA}; ln -f {rocm.NEW_HSA} {rocm.STOCK_HSA}'
    edge(shop, "soname-moved", put, "soname-as-named", "elf-dynamic", "soname", HSA, "RUN /bin/sh -c relink.sh libhsa-runtime64.so.1 # buildkit",
         others=True, NEW=moved)
    edge(shop, "stock-runtime", put, "pair-fits", "elf-pair", "undefined", HIP, "RUN /bin/sh -c relink.sh --stock # buildkit",
         where=(2, rocm.SWAP_LINE), others=True, NEW=made.stock_hsa)
    beside = f"{rocm.HIP}.2.99999"
    edge(shop, "stock-copy-above", f'install -m 644 "$STOCK" $ROOT{LIB}/{beside}', "ldconfig-keeps-it", "ldconfig-stable", "repointed", HIP,
         "COPY libamdhip64.so.7.2.99999 /opt/rocm/lib/ # buildkit", others=True, STOCK=made.stock_hip)


def edge_history(shop):
    image = swapped(shop).branch("edge-installed-afterwards")
    line = "RUN /bin/sh -c apt-get install -y software-properties-common # buildkit"
    image.step(line, lambda root: debs.install(root, *setup_packages(shop)))
    shop.record(image, "edge-replaced-last", False, EDGE, 1, [*LEFT_STOCK, Finding("layer-order", "too-early", (), None, None, "replaced-last")],
                others=True, oracles=(), why="the next such line may bring the stock files back")
    image = swapped(shop).branch("edge-other-label")
    image.config["Labels"] = {"com.amd.rocm.version": "7.2.3"}
    shop.record(image, "edge-label-agrees", False, EDGE, 1,
                [*LEFT_STOCK, Finding("values-agree", "differs", (), None, None, "label-agrees")], oracles=())


def wheels(shop):
    """The wheels of the SDK hold HIP twice: as one file, or as a copy that a swap does not reach."""
    made = rocm.libraries(shop)
    core, devel = (f"{SITE}/_rocm_sdk_{name}/lib" for name in ("core", "devel"))
    kept = purge(vllm_base(shop, ("libdw1",)).branch("vllm-kept"))
    autoremove(kept)
    line = f"COPY --from=wheels /install/ {SITE}/ # buildkit"
    for name, how in (("linked", "ln"), ("copied", "cp")):
        image = kept.branch("vllm-wheel-" + name)
        layer = image.step(line, lambda root, how=how: tools.shell(
            f'mkdir -p .{core} .{devel}; install -m 644 "$HIP" .{core}/{rocm.HIP}; install -m 644 "$HSA" .{core}/{rocm.HSA}; '
            f'{how} .{core}/{rocm.HIP} .{devel}/', root, HIP=made.new_hip, HSA=made.new_hsa))
        names = (f"{core}/{rocm.HIP}", f"{devel}/{rocm.HIP}")
        findings = [] if how == "ln" else [Finding("same-file", "split", names, layer, line, "wheel-hip-is-one-file")]
        shop.record(image, "vllm-wheel", how == "ln", VLLM, len(findings), findings, gates=["wheel"], oracles=())
