"""Files of real packages replaced, retargeted, diverted and deleted: where dpkg --verify and debsums see nothing too."""

from . import bases, debs, tools
from .workshop import Finding

LIBRARIES = "/usr/lib/x86_64-linux-gnu"
FILE, LINK = f"{LIBRARIES}/libhsa-runtime64.so.1.5.0", f"{LIBRARIES}/libhsa-runtime64.so.1"
PACKAGE = "libhsa-runtime64-1"
RULE = "package-files"
HERE = f"cd .{LIBRARIES}; F=libhsa-runtime64.so.1.5.0; L=libhsa-runtime64.so.1; "


def policy(shop):
    return shop.once("intact policy", lambda: shop.policy(
        "packages-intact", ("{id: packages-intact, rule: package-files, with: {under: [/usr/**, /etc/**]}}",)))


def with_packages(shop, *more):
    """The micro root with the real HSA runtime, and other real packages where a scene wants them."""
    def make():
        image = bases.micro(shop).branch("packages")
        real = [debs.downloaded(shop, name) for name in (PACKAGE, "libelf1", *more)]

        def action(root):
            debs.install(root, *real)
            tools.ldconfig(root)
        image.step(f"RUN /bin/sh -c apt-get install -y {' '.join((PACKAGE, *more))} # buildkit", action)
        return image
    return shop.once(("with packages", more), make)


# id, script in the library directory, ((kind, subject), …), exit status. Kinds of one row may share a subject.
ROWS = (
    ("s1-modified", "cat $F > n; printf x >> n; mv n $F", (("modified", FILE),), 1),
    ("s3a-symlink-redirected", "cat $F > $L.99.0; ldconfig -r \"$ROOT\"; rm $ROOT/var/cache/ldconfig/aux-cache", (("symlink-redirected", LINK),), 1),
    ("s3b-link-to-other-bytes", "cat $F > other.so; printf x >> other.so; ln -sf other.so $F", (("type-changed", FILE), ("modified", FILE)), 1),
    ("s3c-link-to-equal-bytes", "cat $F > other.so; ln -sf other.so $F", (("type-changed", FILE),), 1),
    ("s3d-dangling-link", "ln -sf nowhere.so $F", (("type-changed", FILE),), 1),
    ("s3e-file-missing", "rm $F", (("missing", FILE),), 1),
    ("s3f-link-missing", "rm $L", (("missing", LINK),), 1),
    ("s3g-link-turned-file", "rm $L; cat $F > $L", (("owned-without-digest", LINK),), 1),
    ("s3h-directory", "rm $F; mkdir $F", (("type-changed", FILE),), 1),
    ("s3i-mode", "chmod 777 $F", (), 0),
)


def build(shop):
    untouched = with_packages(shop)
    shop.record(with_packages(shop, "libamdhip64-5", "libdw1").branch("s0-untouched"), "replaced-files", True, policy(shop), 0,
                compared=20)
    for name, script, expected, status in ROWS:
        image = untouched.branch(name)
        line = f"RUN /bin/sh -c {name} # buildkit"
        layer = image.step(line, lambda root, script=script: tools.shell(HERE + script, root))
        findings = [Finding(RULE, kind, subject, layer, line, "packages-intact", also={"package": PACKAGE})
                    for kind, subject in expected]
        shop.record(image, "replaced-files", not expected, policy(shop), status, findings)
    repaired_elsewhere(shop)
    reinstalled(shop)
    diverted(shop)
    hard_linked_alias(shop)


def repaired_elsewhere(shop):
    """S1b: neither apt's repair nor the install of another package touches a replaced file."""
    other = debs.Deb("unrelated", "1", {"/usr/share/unrelated/file": b"x\n"}).build(shop)

    def repair(root):
        debs.apt(root, "-y", "-f", "install")
        debs.install(root, other)
    for name, good in (("s1b-replaced-then-repaired", False), ("s1b-untouched-then-repaired", True)):
        image, findings = with_packages(shop).branch(name), []
        if not good:
            line = "RUN /bin/sh -c replace the library # buildkit"
            layer = image.step(line, lambda root: tools.shell(HERE + "cat $F > n; printf x >> n; mv n $F", root))
            findings = [Finding(RULE, "modified", FILE, layer, line, "packages-intact", also={"package": PACKAGE})]
        image.step("RUN /bin/sh -c apt-get -f install && apt-get install -y unrelated # buildkit", repair)
        shop.record(image, "replaced-files", good, policy(shop), 0 if good else 1, findings)


def reinstalled(shop):
    image = with_packages(shop).branch("s1e-reinstalled")
    image.step("RUN /bin/sh -c replace the library # buildkit",
               lambda root: tools.shell(HERE + "cat $F > n; printf x >> n; mv n $F", root))
    image.step("RUN /bin/sh -c apt-get install --reinstall libhsa-runtime64-1 # buildkit",
               lambda root: debs.install(root, debs.downloaded(shop, PACKAGE)))
    shop.record(image, "replaced-files", True, policy(shop), 0, why="nothing is wrong now; the layers show the revert")


def diverted(shop):
    line = "RUN /bin/sh -c dpkg-divert --local --rename --add the library and put another there # buildkit"

    def divert(root):
        tools.run("dpkg-divert", "--root", root, "--quiet", "--local", "--rename", "--divert", FILE + ".distrib", "--add", FILE)
        tools.shell(HERE + "cat $F.distrib > $F; printf x >> $F", root)
    image = with_packages(shop).branch("s2c-diverted")
    layer = image.step(line, divert)
    note = Finding(RULE, "diverted", FILE, layer, line, "packages-intact", severity="note", also={"package": PACKAGE})
    shop.record(image, "replaced-files", True, policy(shop), 0, [note])
    image = image.branch("s2d-diverted-original-tampered")
    tamper = "RUN /bin/sh -c tamper with the diverted original # buildkit"
    layer = image.step(tamper, lambda root: tools.shell(HERE + "printf x >> $F.distrib", root))
    shop.record(image, "replaced-files", False, policy(shop), 1,
                [Finding(RULE, "modified", FILE + ".distrib", layer, tamper, "packages-intact"), note])


def hard_linked_alias(shop):
    """S4: an alias in /opt edited in place copies up the alias only; the package's own name stays stock."""
    one = f"{{id: one-file, rule: same-file, with: {{files: [{FILE}, /opt/alias/libhsa.so]}}}}"
    chosen = shop.policy("alias-outside", (one, "{id: packages-intact, rule: package-files, with: {under: [/usr/**]}}"))
    image = bases.micro(shop).branch("s4-alias-kept")

    def install(root):
        debs.install(root, debs.downloaded(shop, PACKAGE))
        tools.shell(f"mkdir -p opt/alias; ln .{FILE} opt/alias/libhsa.so", root)
    image.step("RUN /bin/sh -c install and link # buildkit", install)
    shop.record(image, "alias-outside", True, chosen, 0)
    image = image.branch("s4c-alias-edited")
    line = "RUN /bin/sh -c edit the alias in place # buildkit"
    layer = image.step(line, lambda root: tools.shell("printf x >> opt/alias/libhsa.so", root))
    shop.record(image, "alias-outside", False, chosen, 1,
                [Finding("same-file", "differs", ("/opt/alias/libhsa.so", FILE), layer, line, "one-file")])
