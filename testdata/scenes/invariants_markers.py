"""docs/rocm.md, version gate, markers and the shape of /opt/rocm: each invariant held once and broken once."""

from . import bases, debs, layer_shapes, rocm, tools
from .runtime_swap import EDGE, GATE
from .whole_stack import POLICY, broken, configured, holds, judged, whole
from .workshop import Finding

INFO = rocm.TREE + "/.info"
COMMIT_FILE, SONAMES_FILE = "/opt/rocm/.info/atom-rocm-runtime-commit", "/opt/rocm/.info/atom-rocm-runtime-sonames"
STOCK_LINE = "RUN /bin/sh -c apt-get install -y rocm-core7.2.3 hsa-rocr7.2.3 hip-runtime-amd7.2.3 # buildkit"
HOLD = ("inv-001", "inv-002", "inv-005", "inv-006a", "inv-006b", "inv-007", "inv-008", "inv-009", "inv-011", "inv-012", "inv-013", "inv-020",
        "inv-021", "inv-022", "inv-023", "inv-024", "inv-025")


def build(shop):
    holds(shop, whole(shop).branch("invariants-markers"), "inv-markers", HOLD)
    version(shop)
    markers(shop)
    carriers(shop)
    where_rocm_is(shop)
    stock_release(shop)


def version(shop):
    file = "/opt/rocm/.info/version"
    broken(shop, "inv-001", "missing", f"rm $ROOT{INFO}/version", ("file", "missing", file),
           why="the gate of the build was skipped, and every guard behind it")
    broken(shop, "inv-001", "two-lines", f"echo nightly >> $ROOT{INFO}/version", ("file", "content", file))
    for other in ("7.2.40", "7.2.3", "10.0.0"):
        broken(shop, "inv-002", other, f"echo {other} > $ROOT{INFO}/version", ("file", "content", file))
    for suffix in ("-42", "+123"):
        image = whole(shop).branch(f"inv-002-7.2.4{suffix}")
        image.step(f"RUN /bin/sh -c echo 7.2.4{suffix} # buildkit", lambda root, suffix=suffix: tools.shell(
            f"echo 7.2.4{suffix} > $ROOT{INFO}/version", root))
        holds(shop, image, "inv-002", ("inv-002", "inv-006a"))
    image = whole(shop).branch("inv-003-required-gate-is-off")
    image.step("RUN /bin/sh -c echo 7.2.3 # buildkit", lambda root: tools.shell(f"echo 7.2.3 > $ROOT{INFO}/version", root))
    shop.record(image, "inv-003", False, POLICY, 1, [Finding("gate", "not-detected", "backport")], gates=("backport",),
                only=("inv-001", "inv-006a"), oracles=(), why="a release that must carry the backport, on another version")
    shop.record(image.branch("inv-003-auto-gate-is-off"), "inv-003", True, POLICY, 0, only=("inv-001", "inv-006a"), oracles=(),
                why="the check is not applicable, which the report says")


def markers(shop):
    broken(shop, "inv-005", "empty", f": > $ROOT{INFO}/atom-rocm-runtime-sonames", ("file", "empty", SONAMES_FILE))
    broken(shop, "inv-006a", "short", f"echo {rocm.COMMIT[:12]} > $ROOT{INFO}/atom-rocm-runtime-commit", ("file", "content", COMMIT_FILE))
    broken(shop, "inv-006b", "other-commit", f"echo {rocm.COMMIT[::-1]} > $ROOT{INFO}/atom-rocm-runtime-commit",
           ("values-agree", "differs", COMMIT_FILE))
    broken(shop, "inv-008", "one-lost", f"echo {rocm.HSA} > $ROOT{INFO}/atom-rocm-runtime-sonames", ("file", "content", SONAMES_FILE))
    image = whole(shop).branch("inv-007-nobody-reads-it")
    line = "RUN /bin/sh -c echo gfx942 > /opt/rocm/.info/atom-targets # buildkit"
    layer = image.step(line, lambda root: tools.shell(f"echo gfx942 > $ROOT{INFO}/atom-targets", root))
    judged(shop, image, "inv-007", [Finding("file-absent", "present", "/opt/rocm/.info/atom-targets", layer, line, "inv-007", "warning")], 0)
    soname_moves(shop)


def soname_moves(shop):
    """The new runtime has another major version; the script that re-links the names has the old one written down."""
    moved = shop.once("hsa 2", lambda: rocm.library(shop, "libhsa-runtime64.so.2", rocm.hsa_source("moved", True), rocm.HSA_MAP))
    script = f"""cd $ROOT{rocm.LIB}
install -m 644 "$MOVED" libhsa-runtime64.so.2.0.0
ln -sfn libhsa-runtime64.so.2.0.0 {{link}}
printf '%s\\n' {rocm.HIP} {{link}} > ../.info/atom-rocm-runtime-sonames"""
    broken(shop, "inv-009", "soname-moved", script.format(link=rocm.HSA), ("elf-dynamic", "soname", f"/opt/rocm/lib/{rocm.HSA}"),
           line="RUN /bin/sh -c /tmp/atom/relink.sh libhsa-runtime64.so.1 # buildkit", MOVED=moved)
    image = whole(shop).branch("inv-009-soname-followed")
    image.step("RUN /bin/sh -c /tmp/atom/relink.sh --by-soname # buildkit",
               lambda root: tools.shell(script.format(link="libhsa-runtime64.so.2"), root, MOVED=moved))
    holds(shop, image, "inv-009", ("inv-008", "inv-009", "inv-050", "inv-052"), why="no major version is written down")


def carriers(shop):
    broken(shop, "inv-011", "carrier", f"echo 7.2.3 > $ROOT{INFO}/version-dev", ("values-agree", "differs", "/opt/rocm/.info/version-dev"))
    configured(shop, "inv-012", "other-version", "differs", (), "values-agree", labels={"com.amd.rocm.version": "7.2.3"})
    configured(shop, "inv-013", "other-base", "differs", (), "values-agree", ATOM_BASE_IMAGE="rocm/dev-ubuntu-22.04:7.2.3")


def where_rocm_is(shop):
    tree = rocm.TREE
    image = whole(shop).branch("inv-020-copied-over")
    line = "COPY --link libnew.so /opt/rocm/lib/ # buildkit"
    layer = layer_shapes.append(shop, image, line, layer_shapes.directory("opt/"), layer_shapes.directory("opt/rocm/"),
                                layer_shapes.directory("opt/rocm/lib/"), layer_shapes.file("opt/rocm/lib/libnew.so"))
    judged(shop, image, "inv-020", [Finding("link-chain", kind, "/opt/rocm", layer, line, "inv-020")
                                    for kind in ("directory", "not-a-link")])
    broken(shop, "inv-021", "one-hop", f"ln -sfn {tree} $ROOT/opt/rocm", ("link-chain", "hop", "/opt/rocm"))
    broken(shop, "inv-022", "renamed", f"mv $ROOT{tree} $ROOT/opt/rocm-7.2", ("link-chain", "dangling", "/opt/rocm"))
    broken(shop, "inv-022", "emptied", f"find $ROOT{tree} -mindepth 1 -delete", ("link-chain", "empty", "/opt/rocm"))
    broken(shop, "inv-023", "no-share", f"rm -r $ROOT{tree}/share", ("file", "missing", "/opt/rocm/share"))
    broken(shop, "inv-024", "dangling", f"ln -sfn ../llvm/bin/amdgpu-arch $ROOT{tree}/bin/amdgpu-arch",
           ("file", "dangling", "/opt/rocm/bin/amdgpu-arch"))
    image = whole(shop).branch("inv-025-lib-unpacked-over")
    line = "ADD rootfs.tar / # by hand"
    layer = layer_shapes.append(shop, image, line, layer_shapes.directory("lib/"), layer_shapes.file("lib/libnew.so"))
    judged(shop, image, "inv-025", [Finding("link-chain", kind, "/lib", layer, line, "inv-025") for kind in ("directory", "not-a-link")],
           why="a root with its own /lib unpacked over a merged /usr")


# Packages of the release before: the same files under its own names.
_REPACK = """dpkg-deb -R "$DEB" "$OUT"; cd "$OUT"; mv opt/rocm-7.2.4 opt/rocm-7.2.3
find . -name '*70204*' | while read -r f; do mv "$f" "$(echo "$f" | sed s/70204/70203/)"; done
find . -type l | while read -r f; do ln -sfn "$(readlink "$f" | sed s/70204/70203/)" "$f"; done
sed -i 's/7\\.2\\.4/7.2.3/g; s/70204/70203/g' DEBIAN/[!m]* $(find . -path '*/.info/version')
find opt etc -type f 2>/dev/null | xargs md5sum > DEBIAN/md5sums; dpkg-deb --root-owner-group -Znone -b . "$OUT.deb"
"""


def stock_release(shop):
    def repacked(deb):
        out = shop.fresh()
        tools.shell(_REPACK, shop.space, DEB=deb, OUT=out)
        return out + ".deb"
    made = rocm.libraries(shop)
    packages = [repacked(rocm.packages(shop)[name]) for name in ("rocm-core", "hsa-rocr", "hip-runtime-amd")]
    stock = bases.micro(shop).branch("stock")
    stock.config["Labels"] = {"com.amd.rocm.version": "7.2.3"}
    stock.step(STOCK_LINE, lambda root: debs.install(root, debs.downloaded(shop, "libelf1"), *packages))
    holds(shop, stock.branch("inv-004-stock"), "inv-004a", ("inv-004a", "inv-004b", "inv-051"))
    auto = [GATE + "=auto"]
    shop.record(stock.branch("other-release-shipped-policy"), "other-release", True, EDGE, 0, gates=auto, oracles=())
    shop.record(stock.branch("other-release-required"), "other-release", False, EDGE, 1, [Finding("gate", "not-detected", GATE)], oracles=())
    marked = stock.branch("other-release-marked")
    line = "COPY atom-rocm-runtime-commit /opt/rocm/.info/ # buildkit"
    layer = marked.step(line, lambda root: tools.write(f"{root}/opt/rocm-7.2.3/.info/atom-rocm-runtime-commit", rocm.COMMIT + "\n"))
    shop.record(marked, "other-release", False, EDGE, 1, [Finding("file-absent", "present", COMMIT_FILE, layer, line, "no-marker")],
                gates=auto, oracles=(), why="the marker says that the runtime was replaced, and it is the stock one")
    tree = "/opt/rocm-7.2.3"
    broken(shop, "inv-004a", "marked", f"echo {rocm.COMMIT} > $ROOT{tree}/.info/atom-rocm-runtime-commit",
           ("file-absent", "present", COMMIT_FILE), base=stock)
    library = f"{tree}/lib/libhsa-runtime64.so.1.18.70203"
    broken(shop, "inv-004b", "replaced", f"echo x >> $ROOT{library}", ("package-files", "modified", library), base=stock)
    broken(shop, "inv-051", "backported", f'install -m 644 "$NEW" $ROOT{library}', ("elf-symbols", "present", f"/opt/rocm/lib/{rocm.HSA}"),
           base=stock, NEW=made.new_hsa)
