"""Long transactions of the real apt on the full Debian root: upgrade, hold, a forced own version, fix-broken."""

from . import bases, debs, rocm, tools
from .debian_root import REPOSITORY, apt, chroot, repository
from .runtime_swap import policy as swap_policy
from .workshop import Finding

STOCK = f"{rocm.LIB}/{rocm.STOCK_HSA}"
INTACT = "{id: really-replaced, rule: package-files, with: {under: [/opt/**], must_differ: [/opt/rocm/lib/libhsa-runtime64.so.*]}}"


def custom_hsa(shop, version):
    """A hsa-rocr of one's own: the patched library under the stock name, with digests that agree."""
    return debs.Deb("hsa-rocr", version, {STOCK: rocm.libraries(shop).new_hsa}, {f"{rocm.LIB}/{rocm.HSA}": rocm.STOCK_HSA},
                    {"Depends": "libelf1, rocm-core"}, {"triggers": "activate-noawait ldconfig\n"}).build(shop)


def strict_user(shop):
    """A package that wants the stock version of hsa-rocr, as hip-runtime-amd does in some releases."""
    return debs.Deb("hip-strict", "1", {"/usr/share/doc/hip-strict/copyright": b"none\n"},
                    control={"Depends": "hsa-rocr (>= 1.18)"}).build(shop)


def build(shop):
    base = bases.debian(shop).branch("transactions")

    def prepare(root):
        repository(shop, root)
        directory = f"{root}/{REPOSITORY}"
        newer = debs.Deb("hsa-rocr", "1.18.1.70204-94~22.04", {STOCK: rocm.libraries(shop).stock_hsa},
                         {f"{rocm.LIB}/{rocm.HSA}": rocm.STOCK_HSA}, {"Depends": "libelf1, rocm-core"}).build(shop)
        tools.run("mkdir", "-p", f"{directory}/../newer")
        tools.run("cp", newer, f"{directory}/../newer/")
        tools.run("cp", strict_user(shop), directory + "/")
        tools.write(directory + "/Packages", tools.run("dpkg-scanpackages", "-m", ".", cwd=directory))
    base.step("COPY repository /var/local/repository # buildkit", prepare)
    base.step("RUN /bin/sh -c apt-get install -y hip-runtime-amd hip-strict # buildkit",
              lambda root: apt(root, "update && apt-get -q -o APT::Sandbox::User=root install -y hip-runtime-amd hip-strict"))
    swapped = base.branch("transactions-swapped")
    swapped.step(rocm.SWAP_LINE, rocm.swap(shop))
    upgraded(shop, swapped)
    held(shop, swapped)
    fixed_broken(shop, base)


def newer_scanned(root):
    chroot(root, f"mv /{REPOSITORY}/../newer/*.deb /{REPOSITORY}/")
    directory = f"{root}/{REPOSITORY}"
    tools.write(directory + "/Packages", tools.run("dpkg-scanpackages", "-m", ".", cwd=directory))


def upgraded(shop, swapped):
    image = swapped.branch("debian-upgraded")
    line = "RUN /bin/sh -c apt-get update && apt-get -y upgrade # buildkit"

    def upgrade(root):
        newer_scanned(root)
        apt(root, "update && apt-get -q -o APT::Sandbox::User=root install -y --only-upgrade hsa-rocr")
    layer = image.step(line, upgrade)
    shop.record(image, "debian-transactions", False, swap_policy(shop), 1,
                [Finding("package-files", "reverted", STOCK, layer, line, "really-replaced")], form="zstd", others=True,
                oracles=(), why="S2: dpkg --verify is clean after the upgrade, the swap is silently gone")


def held(shop, swapped):
    image = swapped.branch("debian-held")
    image.step("RUN /bin/sh -c apt-mark hold hsa-rocr && apt-get -y upgrade # buildkit",
               lambda root: (chroot(root, "apt-mark hold hsa-rocr"), newer_scanned(root), apt(root, "update"), apt(root, "upgrade -y")))
    shop.record(image, "debian-transactions", True, swap_policy(shop), 0, form="zstd", oracles=(), why="S2b: the hold keeps it back")


def fixed_broken(shop, base):
    """S6: dpkg --force-all puts an own, lower version in; the next apt -f install fetches the stock one back."""
    image = base.branch("debian-forced-own-version")
    own = custom_hsa(shop, "1.17~custom1")
    chosen = shop.policy("forced-own-version", (INTACT,))

    def force(root):
        tools.run("cp", own, root + "/var/local/own.deb")
        chroot(root, "dpkg --force-all -i /var/local/own.deb; rm -f /var/local/own.deb /var/log/dpkg.log /var/cache/ldconfig/aux-cache")
    image.step("RUN /bin/sh -c dpkg --force-all -i hsa-rocr-custom.deb # buildkit", force)
    image = image.branch("debian-fixed-broken")
    line = "RUN /bin/sh -c apt-get -y --fix-broken install # buildkit"
    layer = image.step(line, lambda root: apt(root, "-y --fix-broken install"))
    with open(rocm.libraries(shop).stock_hsa, "rb") as file:
        stock = file.read()
    if not image.look(lambda root: open(root + STOCK, "rb").read() == stock):
        raise RuntimeError("apt --fix-broken install left the own library in place")
    shop.record(image, "debian-transactions", False, chosen, 1,
                [Finding("package-files", "stock", STOCK, layer, line, "really-replaced")], form="zstd", others=True, oracles=(),
                why="the own version was clean for dpkg too: only the layers show what apt took back")
