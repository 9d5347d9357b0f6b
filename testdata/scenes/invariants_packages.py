"""docs/rocm.md, packages and later transactions: each invariant held once and broken once."""

from . import debs, rocm, tools
from .autoremove import setup_packages
from .whole_stack import PACKAGES_LINE, SWAP_LINE, before_swap, broken, holds, judged, swap_all, whole
from .workshop import Finding

HOLD = ("inv-100", "inv-101", "inv-103a", "inv-103b", "inv-104", "inv-107", "inv-112")
SETUP_LINE = "RUN /bin/sh -c apt-get install -y software-properties-common # buildkit"
REINSTALL_LINE = "RUN /bin/sh -c apt-get install -y --reinstall hsa-rocr # buildkit"
STOCK_HSA = f"{rocm.LIB}/{rocm.STOCK_HSA}"


def build(shop):
    reference = holds(shop, whole(shop).branch("invariants-packages"), "inv-packages", HOLD)
    marked(shop)
    left_over(shop)
    reinstalled(shop, {"base": reference})
    on_base(shop, {"base": reference})


def transaction(shop, check, name, line, action, found, base=None, layer=None):
    image = (base or whole(shop)).branch(f"{check}-{name}")
    index = image.step(line, action)
    judged(shop, image, check, [Finding(*one, *(layer or (index, line)), check) for one in found])
    return image


def marked(shop):
    """The first story, before the library is gone: it is there, and nothing but its mark keeps it."""
    line = "RUN /bin/sh -c apt-mark auto libdw1 # buildkit"

    def automatic(root):
        debs.apt(root, "auto", "libdw1", tool="apt-mark")
    transaction(shop, "inv-100", "automatic", line, automatic, [("package-installed", "automatic", "libdw1")],
                layer=(2, PACKAGES_LINE))
    transaction(shop, "inv-101", "next-autoremove", line, automatic, [("autoremove-safe", "exposed", "libdw1")],
                layer=(2, PACKAGES_LINE))


def left_over(shop):
    transaction(shop, "inv-103a", "setup-packages", SETUP_LINE, lambda root: debs.install(root, *setup_packages(shop)),
                [("package-installed", "present", ("software-properties-common", "python3-gi"))])
    with_config = debs.Deb("xxd", "9.0", {"/etc/xxd.conf": b"x\n"}, conffiles=["/etc/xxd.conf"]).build(shop)

    def install_and_remove(root):
        debs.install(root, with_config)
        debs.dpkg(root, "--remove", "xxd")
    transaction(shop, "inv-103b", "configuration", "RUN /bin/sh -c apt-get install -y xxd && apt-get remove -y xxd # buildkit",
                install_and_remove, [("package-leftovers", "residual", "xxd")])
    broken(shop, "inv-104", "unowned", f"cp $ROOT{rocm.LIB}/libamd_smi.so.26.2.2 $ROOT{rocm.LIB}/libleft.so.1",
           ("package-leftovers", "unowned", f"{rocm.LIB}/libleft.so.1"))
    stock = debs.Deb("rccl", "2.27", {f"{rocm.LIB}/librccl.so.1.0.{rocm.PATCH}": b"stock\n"}).build(shop)
    transaction(shop, "inv-112", "stock-installed", "RUN /bin/sh -c apt-get install -y rccl # buildkit", lambda root: debs.install(root, stock),
                [("file-absent", "present", f"{rocm.LIB}/librccl.so.1.0.{rocm.PATCH}")])


def reinstalled(shop, base):
    """A downstream image installs the owner's package again."""
    def reinstall(root):
        debs.install(root, rocm.packages(shop)["hsa-rocr"])
    transaction(shop, "inv-107", "reinstalled", REINSTALL_LINE, reinstall, [("layer-order", "reverted", ())])
    image = whole(shop).branch("inv-108-reinstalled")
    line = REINSTALL_LINE
    layer = image.step(line, reinstall)
    judged(shop, image, "inv-108", [Finding("compare-files", kind, f"/opt/rocm/lib/{name}", layer, line, "inv-108")
                                    for kind, name in (("content", rocm.STOCK_HSA), ("content", rocm.HSA), ("target", rocm.HSA))], beside=base)
    derived = whole(shop).branch("inv-108-derived")
    derived.step("RUN /bin/sh -c useradd atom # buildkit", lambda root: tools.shell('echo "atom:x:1000:1000::/:/bin/sh" >> etc/passwd', root))
    holds(shop, derived, "inv-108", ("inv-108", "inv-109"), beside=base)


def on_base(shop, base):
    """Built anew on what looks like the base, and is not."""
    image = before_swap(shop).branch("inv-109-rebuilt")
    line = "RUN /bin/sh -c date > /etc/build-date # buildkit"
    image.step(line, lambda root: tools.write(root + "/etc/build-date", "2026-01-02\n"))
    image.step(SWAP_LINE, swap_all(shop))
    judged(shop, image, "inv-109", [Finding("base-image", "other-base", "base", 4, line, "inv-109")], beside=base)
