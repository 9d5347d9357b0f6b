"""The second story: the patched HIP/HSA pair under every name, and the ways in which it is lost again."""

from . import bases, debs, rocm, tools
from .workshop import Finding

EDGE = "rocm-ordering-edge"
HSA_NAMES, HIP_NAMES = "/opt/rocm/lib/libhsa-runtime64.so.*", "/opt/rocm/lib/libamdhip64.so.*"
GATE = "rocm-7.2.4"

POLICY_HEAD = rf"""variables:
  rocm: {{file: /opt/rocm/.info/version, pattern: '^\d+\.\d+\.\d+'}}
gates:
  {GATE}: {{detect: {{file: /opt/rocm/.info/version, matches: '^7\.2\.4([+-]|$)'}}, mode: required}}
files:
  hsa-names: [{HSA_NAMES}]
  hip-names: [{HIP_NAMES}]
"""
POLICY_CHECKS = (
    f"{{id: marker, rule: file, when: {GATE}, with: {{file: /opt/rocm/.info/atom-rocm-runtime-commit, content: '^[0-9a-f]{{40}}$'}}}}",
    "{id: no-dangling-names, rule: file, with: {files: [set:hsa-names, set:hip-names], dangling: false, non_empty: true}}",
    f"{{id: hsa-is-one-file, rule: same-file, when: {GATE}, with: {{files: [set:hsa-names], at_least: 2}}}}",
    f"{{id: hip-is-one-file, rule: same-file, when: {GATE}, with: {{files: [set:hip-names], at_least: 2}}}}",
    f"{{id: backport-symbol, rule: elf-symbols, when: {GATE}, with: {{file: /opt/rocm/lib/{rocm.HSA}, defined: ['{rocm.SYMBOL}@@ROCR_1']}}}}",
    f"{{id: really-replaced, rule: package-files, when: {GATE}, with: {{under: ['/opt/rocm-$(rocm)/**'], must_differ: [set:hsa-names, set:hip-names]}}}}",
)


def swapped(shop):
    """Micro root, ROCm, and the swap as layer 2."""
    def make():
        image = bases.with_rocm(shop).branch("swapped")
        image.step(rocm.SWAP_LINE, rocm.swap(shop))
        image.note("ENV ATOM_BASE_IMAGE=rocm/dev-ubuntu-22.04:7.2.4", comment="buildkit.dockerfile.v0")
        return image
    return shop.once("swapped", make)


def policy(shop):
    return shop.once("swap policy", lambda: shop.policy("swap", POLICY_CHECKS, POLICY_HEAD))


def build(shop):
    swap_done_right(shop)
    stock_shipped(shop)
    alias_split(shop)
    reverted(shop)
    broken_target(shop)
    ldconfig_after_reinstall(shop)


def swap_done_right(shop):
    image = swapped(shop)
    for form in ("gzip", "zstd", "mixed", "docker-archive"):
        twin = image.branch("swap-done-right" + ("" if form == "gzip" else "-" + form))
        twin.step("RUN /bin/sh -c useradd --no-create-home atom # buildkit",
                  lambda root: tools.shell('echo "atom:x:1000:1000::/nonexistent:/bin/sh" >> etc/passwd', root))
        shop.record(twin, "swap-done-right", True, EDGE, 0, form=form, others=True)
        if form == "gzip":
            shop.record(image.branch("swap-done-right-inline"), "swap-done-right", True, policy(shop), 0)


def stock_shipped(shop):
    bad = bases.with_rocm(shop).branch("stock-shipped")
    stock = [Finding("package-files", "stock", path, 1, bases.ROCM_LINE, "really-replaced")
             for path in rocm.names(rocm.STOCK_HSA, rocm.STOCK_HIP)]
    absent = Finding("elf-symbols", "absent", f"/opt/rocm/lib/{rocm.HSA}", 1, bases.ROCM_LINE, "backport-symbol",
                     also={"symbol": rocm.SYMBOL, "resolved": f"{rocm.LIB}/{rocm.STOCK_HSA}"})
    missing = Finding("file", "missing", "/opt/rocm/.info/atom-rocm-runtime-commit", None, None, "marker")
    shop.record(bad, "stock-shipped", False, policy(shop), 1, [*stock, absent, missing], others=True,
                why="every guard of the build ended in success and the stock libraries were shipped")
    shop.record(bad.branch("stock-shipped-shipped-policy"), "stock-shipped", False, EDGE, 2,
                stock, gates=[GATE], others=True,
                why="the markers that the policy's variables read are absent: these checks cannot be evaluated, so 2 beats 1")


def alias_split(shop):
    hsa = rocm.names(rocm.NEW_HSA, rocm.STOCK_HSA)
    cases = (
        ("touch", f"touch {rocm.LIB}/{rocm.STOCK_HSA}", f"touch .{rocm.LIB}/{rocm.STOCK_HSA}", "split"),
        ("touch-same-time", f"touch -r {rocm.NEW_HSA} {rocm.STOCK_HSA}",
         f"cd .{rocm.LIB}; touch -r {rocm.NEW_HSA} {rocm.STOCK_HSA}", "split"),
        ("chmod-same-mode", f"chmod 644 {rocm.LIB}/{rocm.STOCK_HSA}", f"chmod 644 .{rocm.LIB}/{rocm.STOCK_HSA}", "split"),
        ("rewritten", f"strip-like-tool {rocm.LIB}/{rocm.STOCK_HSA}", f"printf x >> .{rocm.LIB}/{rocm.STOCK_HSA}", "differs"),
    )
    for name, shown, script, kind in cases:
        image = swapped(shop).branch("alias-split-" + name)
        line = f"RUN /bin/sh -c {shown} # buildkit"
        layer = image.step(line, lambda root, script=script: tools.shell(script, root))
        shop.record(image, "alias-split", False, policy(shop), 1,
                    [Finding("same-file", kind, (hsa[1], hsa[0]), layer, line, "hsa-is-one-file")])
    # A third name linked in a later layer takes its source along (copy-up) and leaves the other name behind.
    image = swapped(shop).branch("alias-split-late-link")
    line = f"RUN /bin/sh -c ln -f {rocm.LIB}/{rocm.NEW_HSA} {rocm.LIB}/{rocm.HSA}.99.0 # buildkit"
    layer = image.step(line, lambda root: tools.shell(
        f"cd .{rocm.LIB}; ln -f {rocm.NEW_HSA} {rocm.HSA}.99.0", root))
    shop.record(image, "alias-split", False, policy(shop), 1,
                [Finding("same-file", "split", (hsa[1], hsa[0], f"{rocm.LIB}/{rocm.HSA}.99.0"), layer, line, "hsa-is-one-file")])
    # All names linked anew in one step: they move together.
    image = image.branch("alias-rejoined")
    image.step("RUN /bin/sh -c relink all names in one loop # buildkit", lambda root: tools.shell(
        f"cd .{rocm.LIB}; touch {rocm.NEW_HSA}; ln -f {rocm.NEW_HSA} {rocm.HSA}.99.0; ln -f {rocm.NEW_HSA} {rocm.STOCK_HSA}", root))
    shop.record(image, "alias-split", True, policy(shop), 0)
    for name, script, good in (("lost", "", False), ("kept", f"touch {rocm.NEW_HSA};", True)):
        buildkit_alias(shop, name, script, good)


def buildkit_alias(shop, name, script, good):
    """The stages of story 2 in two steps, recorded by BuildKit's differ: `ln` of an untouched file loses its source."""
    image = bases.with_rocm(shop).branch("buildkit-alias-" + name)
    made = rocm.libraries(shop)
    image.step("COPY /patched/ /opt/rocm-7.2.4/lib/ # buildkit", lambda root: tools.shell(
        f'cd .{rocm.LIB}; install -m 644 "$HSA" {rocm.NEW_HSA}; install -m 644 "$HIP" {rocm.NEW_HIP}', root,
        HSA=made.new_hsa, HIP=made.new_hip), differ="buildkit")
    line = "RUN /bin/sh -c link every old name to the new library # buildkit"
    relink = (f"cd .{rocm.LIB}; {script} ln -f {rocm.NEW_HSA} {rocm.STOCK_HSA}; touch {rocm.NEW_HIP}; "
              f"ln -f {rocm.NEW_HIP} {rocm.STOCK_HIP}; ln -sfn {rocm.NEW_HSA} {rocm.HSA}; ln -sfn {rocm.NEW_HIP} {rocm.HIP}; "
              f"printf '%s\\n' {rocm.COMMIT} > ../.info/atom-rocm-runtime-commit")
    layer = image.step(line, lambda root: tools.shell(relink, root), differ="buildkit")
    findings = [] if good else [Finding("same-file", "split", tuple(rocm.names(rocm.STOCK_HSA, rocm.NEW_HSA)), layer, line,
                                        "hsa-is-one-file")]
    shop.record(image, "buildkit-lost-alias", good, policy(shop), 0 if good else 1, findings)


def reverted(shop):
    image = swapped(shop).branch("reverted")
    line = "RUN /bin/sh -c dpkg -i /tmp/hsa-rocr_1.18.0.70204-93~22.04_amd64.deb # buildkit"
    layer = image.step(line, lambda root: debs.install(root, rocm.packages(shop)["hsa-rocr"]))
    path = f"{rocm.LIB}/{rocm.STOCK_HSA}"
    findings = [Finding("package-files", "reverted", path, layer, line, "really-replaced",
                        also={"replaced_in_layer": 2, "replaced_by": rocm.SWAP_LINE, "package": "hsa-rocr"}),
                Finding("same-file", "differs", (path, f"{rocm.LIB}/{rocm.NEW_HSA}"), layer, line, "hsa-is-one-file"),
                Finding("elf-symbols", "absent", f"/opt/rocm/lib/{rocm.HSA}", layer, line, "backport-symbol")]
    shop.record(image, "reverted", False, policy(shop), 1, findings,
                why="a real dpkg -i of the owner package: stock file and stock SONAME link are back")
    for form in ("mixed", "docker-archive"):
        shop.record(image.branch("reverted-" + form), "reverted", False, policy(shop), 1, findings, form=form)
    # The swap done again after it.
    image = image.branch("reverted-then-swapped-again")
    image.step(rocm.SWAP_LINE, rocm.swap(shop))
    shop.record(image, "reverted", True, policy(shop), 0)


def broken_target(shop):
    path, shown = f".{rocm.LIB}", f"/opt/rocm/lib/{rocm.HSA}"
    image = bases.with_rocm(shop).branch("empty-target")
    line = "RUN /bin/sh -c link-legacy-names.sh # buildkit"
    script = (f"cd {path}; : > {rocm.NEW_HSA}; touch {rocm.STOCK_HSA}; ln -f {rocm.NEW_HSA} {rocm.STOCK_HSA}; "
              f"ln -sfn {rocm.NEW_HSA} {rocm.HSA}; printf '%s\\n' {rocm.COMMIT} > ../.info/atom-rocm-runtime-commit")
    layer = image.step(line, lambda root: tools.shell(script, root))
    shop.record(image, "empty-target", False, policy(shop), 1,
                [Finding("file", "empty", f"{rocm.LIB}/{rocm.NEW_HSA}", layer, line, "no-dangling-names")], others=True,
                why="a dangling SONAME link was resolved by readlink -f, and an empty file hard-linked over the runtime")
    image = swapped(shop).branch("dangling-target")
    line = f"RUN /bin/sh -c ln -sfn {rocm.HSA}.19.0 /opt/rocm/lib/{rocm.HSA} # buildkit"
    layer = image.step(line, lambda root: tools.shell(f"ln -sfn {rocm.HSA}.19.0 {path}/{rocm.HSA}", root))
    shop.record(image, "dangling-target", False, policy(shop), 1,
                [Finding("file", "dangling", shown, layer, line, "no-dangling-names")], others=True)
    image = image.branch("dangling-target-mended")
    image.step("RUN /bin/sh -c ldconfig -X # mended # buildkit",
               lambda root: tools.shell(f"ln -sfn {rocm.NEW_HSA} {path}/{rocm.HSA}", root))
    shop.record(image, "dangling-target", True, policy(shop), 0)


def ldconfig_after_reinstall(shop):
    """dpkg's ldconfig trigger after a reinstall re-points the SONAME link to the name that compares highest."""
    for name, top in (("above", "libhsa-runtime64.so.1.18.70299"), ("none", None)):
        image = bases.with_rocm(shop).branch("ldconfig-" + name)
        made = rocm.libraries(shop)
        extra = f'install -m 644 "$HSA" {top}; ln -f {top} {rocm.STOCK_HSA};' if top else f'install -m 644 "$HSA" {rocm.STOCK_HSA};'
        swap_line = "RUN /bin/sh -c install the patched runtime and ldconfig # buildkit"

        def install(root, extra=extra):
            tools.shell(f"cd .{rocm.LIB}; rm -f {rocm.STOCK_HSA}; {extra}", root, HSA=made.new_hsa)
            tools.ldconfig(root)
        image.step(swap_line, install)
        line = "RUN /bin/sh -c dpkg -i hsa-rocr_1.18.0.70204-93~22.04_amd64.deb # buildkit"

        def reinstall(root):
            debs.install(root, rocm.packages(shop)["hsa-rocr"])
            tools.ldconfig(root)
        layer = image.step(line, reinstall)
        symbol = [] if top else [Finding("elf-symbols", "absent", f"/opt/rocm/lib/{rocm.HSA}", layer, line, "backport-symbol")]
        shop.record(image, "ldconfig-after-reinstall", False, policy(shop), 1,
                    [Finding("package-files", "reverted", f"{rocm.LIB}/{rocm.STOCK_HSA}", layer, line, "really-replaced"), *symbol],
                    others=True, why="the loader still gets the patched library although the package verifies clean" if top
                    else "the loader gets the stock library again")
