"""dpkg databases as real packages leave them: sloppy md5sums, missing lists, conffiles, path-exclude, distroless."""

import hashlib

from . import bases, debs, tools
from .workshop import Finding

RULE, CHECK = "package-files", "packages-intact"
LIBRARY, LINK = "/usr/lib/x86_64-linux-gnu/libtoy.so.1.0", "/usr/lib/x86_64-linux-gnu/libtoy.so.1"
DATA, CONF = "/usr/share/toy/data", "/etc/toy.conf"
EDIT_LINE = "RUN /bin/sh -c edit a packaged file # buildkit"


def policy(shop):
    return shop.once("corner policy", lambda: shop.policy(
        "corners", (f"{{id: {CHECK}, rule: {RULE}, with: {{under: [/usr/**, /etc/**]}}}}",)))


def toy(shop, md5sums="full", files=(), name="toy", **more):
    content = {DATA: b"data\n", "/usr/share/toy/other": b"other\n", LIBRARY: b"library of " + name.encode() + b"\n",
               CONF: b"color = red\n"}
    content.update(files)
    return debs.Deb(name, "1.0-1", content, {LINK: "libtoy.so.1.0"}, conffiles=[CONF], md5sums=md5sums, **more).build(shop)


def installed(shop, name, *packages, after=None):
    image = bases.micro(shop).branch(name)

    def action(root):
        debs.install(root, *packages)
        if after:
            after(root)
    image.step(f"RUN /bin/sh -c dpkg -i {name}.deb # buildkit", action)
    return image


def edited(image, name, script=f"printf edited > .{DATA}", line=EDIT_LINE):
    twin = image.branch(name)
    return twin, twin.step(line, lambda root: tools.shell(script, root))


def changed(layer, kind="modified", subject=DATA, line=EDIT_LINE, **more):
    return Finding(RULE, kind, subject, layer, line, CHECK, **more)


def replace(old, new):
    return lambda lines: "".join(lines).replace(old, new)


# id, how the md5sums file of the .deb differs from a correct one, does the digest of DATA still count
MD5SUMS = (
    ("c1b-no-final-newline", lambda lines: "".join(lines).rstrip("\n"), True),
    ("c1c-one-blank", replace("  ", " "), True),
    ("c1d-star", replace("  ", " *"), True),
    ("c1e-dot-slash", replace("  ", "  ./"), True),
    ("c1f-slash", replace("  ", "  /"), True),
    ("c1g-upper-case", lambda lines: "".join(line[:32].upper() + line[32:] for line in lines), True),
    ("c1h-sha256", lambda lines: "".join(_sha256_line(line) for line in lines), True),
    ("c1j-path-not-in-list", lambda lines: "".join(lines) + "0" * 32 + "  usr/share/toy/never-shipped\n", True),
    ("c1k-crlf", replace("\n", "\r\n"), True),
    ("c1m-blank-line", lambda lines: lines[0] + "\n" + "".join(lines[1:]), True),
)
_CONTENT = {DATA[1:]: b"data\n", "usr/share/toy/other": b"other\n", LIBRARY[1:]: b"library of toy\n"}


def _sha256_line(line):
    path = line[34:].rstrip("\n")
    return f"{hashlib.sha256(_CONTENT[path]).hexdigest()}  {path}\n"


def build(shop):
    for name, md5sums, counts in MD5SUMS:
        image = installed(shop, name, toy(shop, md5sums))
        shop.record(image, "database-corners", True, policy(shop), 0)
        bad, layer = edited(image, name + "-edited")
        shop.record(bad, "database-corners", False, policy(shop), 1, [changed(layer)] if counts else [])
    without_digests(shop)
    one_bad_package(shop)
    conffiles(shop)
    excluded(shop)
    aliases(shop)
    shared(shop)
    odd_names(shop)
    distroless(shop)


def without_digests(shop):
    note = Finding(RULE, "unverifiable", ("toy", "/var/lib/dpkg/info/toy.md5sums", LIBRARY), None, None, CHECK, severity="note")
    remove = lambda root: tools.shell("rm var/lib/dpkg/info/toy.md5sums", root)  # noqa: E731
    image = installed(shop, "c1a-no-md5sums", toy(shop), after=remove)
    shop.record(image, "database-corners", True, policy(shop), 0, [note])
    empty = installed(shop, "c1i-empty-md5sums", toy(shop, lambda lines: ""))
    shop.record(empty, "database-corners", True, policy(shop), 0, [note])
    # A line with `..` is refused: its file has no digest then, and the others still count.
    dots = installed(shop, "c1l-dot-dot", toy(shop, replace("usr/share/toy/other", "usr/share/toy/../toy/other")))
    shop.record(dots, "database-corners", True, policy(shop), 0, others=True)
    bad, layer = edited(dots, "c1l-dot-dot-edited")
    shop.record(bad, "database-corners", False, policy(shop), 1, [changed(layer)], others=True)
    lists = installed(shop, "c1n-no-list", toy(shop), after=lambda root: tools.shell("rm var/lib/dpkg/info/toy.list", root))
    shop.record(lists, "database-corners", True, policy(shop), None, others=True, why="md5sums stand in for the list")
    bad, layer = edited(lists, "c1n-no-list-edited")
    shop.record(bad, "database-corners", False, policy(shop), None, [changed(layer)], others=True)


def one_bad_package(shop):
    """dpkg --verify stops at the broken list and never sees the edited file of the other package."""
    broken = debs.Deb("aaa-broken", "1", {"/usr/share/aaa/file": b"x\n"}, md5sums=lambda lines: "these are no digests\n").build(shop)
    image = installed(shop, "c1o-one-bad-package", broken, toy(shop))
    bad, layer = edited(image, "c1o-one-bad-package-edited")
    shop.record(bad, "database-corners", False, policy(shop), 2, [changed(layer)], others=True,
                why="an unusable list is an error of the check, and does not stop the other packages")


def conffiles(shop):
    image = installed(shop, "c2-conffile", toy(shop))
    shop.record(image, "conffiles", True, policy(shop), 0)
    for name, script, kind in (("edited", f"echo color = blue > .{CONF}", "conffile-modified"),
                               ("deleted", f"rm .{CONF}", "conffile-missing")):
        twin, layer = edited(image, "c2a-conffile-" + name, script)
        shop.record(twin, "conffiles", True, policy(shop), 0, [changed(layer, kind, CONF, severity="note")])
    later = debs.Deb("toy", "2.0-1", {DATA: b"data 2\n"}).build(shop)
    image = installed(shop, "c2c-obsolete-conffile", toy(shop), after=lambda root: debs.install(root, later))
    twin, layer = edited(image, "c2c-obsolete-conffile-edited", f"echo color = blue > .{CONF}")
    shop.record(twin, "conffiles", True, policy(shop), 0, [changed(layer, "conffile-modified", CONF, severity="note")],
                why="the new version no longer ships it; dpkg keeps it as obsolete")
    unpacked(shop)
    removed_on_upgrade(shop)
    removed(shop)


def unpacked(shop):
    """C2b: dpkg put the files there, and the conffile beside its name, which the configuration would give it."""
    whole = shop.once("consistent policy", lambda: shop.policy(
        "consistent", ("{id: database-is-whole, rule: dpkg-consistent}",
                       f"{{id: {CHECK}, rule: {RULE}, with: {{under: [/usr/**, /etc/**]}}}}")))
    image = bases.micro(shop).branch("c2b-unpacked")
    line = "RUN /bin/sh -c dpkg --unpack toy.deb # buildkit"
    package = toy(shop)
    layer = image.step(line, lambda root: debs.dpkg(root, "--unpack", package))
    shop.record(image, "conffiles", False, whole, 1,
                [Finding("dpkg-consistent", "not-configured", "toy", layer, line, "database-is-whole"),
                 changed(layer, "not-configured", "toy", line, severity="warning")],
                why="the conffile is there as .dpkg-new: what is wrong is the package, not each of its files", oracles=())
    image = image.branch("c2b-configured")
    image.step("RUN /bin/sh -c dpkg --configure toy # buildkit", lambda root: debs.dpkg(root, "--configure", "toy"))
    shop.record(image, "conffiles", True, whole, 0)


def removed_on_upgrade(shop):
    """C2d: an entry of conffiles that says that the file is to go is no file of the package."""
    package = debs.Deb("toy", "2.0-1", {DATA: b"data 2\n"}, conffiles=["remove-on-upgrade " + CONF]).build(shop)
    image = installed(shop, "c2d-remove-on-upgrade", toy(shop), after=lambda root: debs.install(root, package))
    shop.record(image, "conffiles", True, policy(shop), 0)
    bad, layer = edited(image, "c2d-remove-on-upgrade-edited")
    shop.record(bad, "conffiles", False, policy(shop), 1, [changed(layer)])


def removed(shop):
    """C2e: of a removed package whose conffiles are deleted too nothing is missing."""
    keeper = "/usr/share/keeper/data"
    other = debs.Deb("keeper", "1", {keeper: b"data\n"}).build(shop)

    def remove(root):
        debs.dpkg(root, "--remove", "toy")
        tools.shell(f"rm .{CONF}", root)
    image = installed(shop, "c2e-removed", toy(shop), other)
    image.step(f"RUN /bin/sh -c dpkg --remove toy && rm {CONF} # buildkit", remove)
    shop.record(image, "conffiles", True, policy(shop), 0)
    bad, layer = edited(image, "c2e-removed-edited", f"printf edited > .{keeper}")
    shop.record(bad, "conffiles", False, policy(shop), 1, [changed(layer, subject=keeper)])


def excluded(shop):
    documented = toy(shop, files={f"/usr/share/doc/toy/{name}": name.encode() for name in ("README", "NEWS", "copyright")})
    rules = "path-exclude /usr/share/doc/*\npath-include=/usr/share/doc/*/copyright\n"
    line = "RUN /bin/sh -c apt-get install -y toy # with the image's own path-exclude # buildkit"
    for name, keep in (("c5-path-exclude", True), ("c5-missing-docs", False)):
        image = bases.micro(shop).branch(name)

        def action(root, keep=keep):
            if keep:
                tools.write(f"{root}/etc/dpkg/dpkg.cfg.d/docker", rules)
            debs.dpkg(root, "--path-exclude=/usr/share/doc/*", "--path-include=/usr/share/doc/*/copyright", "-i", documented)
        layer = image.step(line, action)
        # Nearly all of a package's documentation is gone and no rule says so: one note, not a line a file.
        pruned = [] if keep else [changed(layer, "pruned", "toy", line)]
        for finding in pruned:
            finding.layer, finding.history, finding.severity = None, None, "note"  # never were in any layer
        shop.record(image, "path-exclude", keep, policy(shop), 0, pruned)


def aliases(shop):
    """A package that ships /lib/… on a merged-/usr root: one finding, under the canonical path."""
    path = "/lib/x86_64-linux-gnu/libold.so.1.0"
    old = debs.Deb("old-paths", "1", {path: b"library\n"}).build(shop)
    image = installed(shop, "c7-merged-usr", old)
    same = f"{{id: aliases, rule: same-file, with: {{files: [{path}, /usr{path}]}}}}"
    shop.record(image, "merged-usr", True, policy(shop), 0)
    shop.record(image.branch("c7-merged-usr-names"), "merged-usr", True, shop.policy("merged-usr", (same,)), 0)
    bad, layer = edited(image, "c7-merged-usr-edited", f"printf x >> .{path}")
    shop.record(bad, "merged-usr", False, policy(shop), 1, [changed(layer, "modified", "/usr" + path, also={"recorded_path": path})])
    taker = debs.Deb("taker", "1", {DATA: b"data of taker\n"}, control={"Replaces": "toy"}).build(shop)
    image = installed(shop, "c8-replaces", toy(shop), taker)
    shop.record(image, "database-corners", True, policy(shop), 0, why="the old owner's md5sums line is stale")
    bad, layer = edited(image, "c8-replaces-edited")
    shop.record(bad, "database-corners", False, policy(shop), 1, [changed(layer, also={"package": "taker"})])


def shared(shop):
    copyright_file = "/usr/share/doc/libpair/copyright"
    pair = [debs.Deb("libpair", "1", {copyright_file: b"the same words\n", f"/usr/lib/{triplet}/libpair.so.1": arch.encode()},
                     control={"Multi-Arch": "same"}, arch=arch).build(shop)
            for arch, triplet in (("amd64", "x86_64-linux-gnu"), ("i386", "i386-linux-gnu"))]
    image = bases.micro(shop).branch("m1-multi-arch")

    def action(root):
        tools.run("dpkg", f"--root={root}", "--add-architecture", "i386")
        debs.install(root, *pair)
    image.step("RUN /bin/sh -c dpkg --add-architecture i386 && dpkg -i libpair_1_*.deb # buildkit", action)
    shop.record(image, "multi-arch", True, policy(shop), 0)
    bad, layer = edited(image, "m1-multi-arch-edited", f"printf x >> .{copyright_file}")
    shop.record(bad, "multi-arch", False, policy(shop), 1,
                [changed(layer, "modified", copyright_file, also={"packages": ["libpair:amd64", "libpair:i386"], "count": 1})])


def odd_names(shop):
    names = ("/usr/share/toy/with blank", "/usr/share/toy/ leading", "/usr/share/toy/trailing ", "/usr/share/toy/übung")
    image = installed(shop, "c3-names", toy(shop, files={name: name.encode() for name in names}))
    shop.record(image, "database-corners", True, policy(shop), 0)
    bad, layer = edited(image, "c3-names-edited", "for f in usr/share/toy/*[!a-z]* usr/share/toy/*[\\ ]*; do printf x >> \"$f\"; done")
    shop.record(bad, "database-corners", False, policy(shop), 1, [changed(layer, "modified", name) for name in names])


    # C3': a name that md5sum itself would escape; dpkg writes no such line, builders that call md5sum do.
    slash = "/usr/share/toy/back\\slash"

    def escape(lines):
        return "".join("\\" + line.replace("\\", "\\\\") if "\\" in line else line for line in lines)
    image = installed(shop, "c3-escaped-name", toy(shop, escape, files={slash: b"odd\n"}))
    shop.record(image, "database-corners", True, policy(shop), 0, oracles=(), why="dpkg --verify stops at such a line")
    bad, layer = edited(image, "c3-escaped-name-edited", f"printf x >> '.{slash}'")
    shop.record(bad, "database-corners", False, policy(shop), 1, [changed(layer, "modified", slash)], oracles=())


def distroless(shop):
    """status.d: control fields without a Status line, md5sums beside them or under info/, no lists."""
    package = toy(shop)
    for place in ("status.d", "info"):
        image = bases.micro(shop).branch("distroless-" + place)

        def action(root, place=place):
            tools.run("dpkg-deb", "-x", package, root)
            tools.shell("""mkdir -p var/lib/dpkg/status.d var/lib/dpkg/info
rm -f var/lib/dpkg/status var/lib/dpkg/status-old var/lib/dpkg/available var/lib/dpkg/info/*
dpkg-deb --field "$DEB" > var/lib/dpkg/status.d/toy
dpkg-deb --ctrl-tarfile "$DEB" | tar -xO ./md5sums > var/lib/dpkg/$PLACE/toy.md5sums""", root, DEB=package, PLACE=place)
        image.step("bazel build //distroless:image", action)
        shop.record(image, "distroless", True, policy(shop), 0, oracles=())
        bad, layer = edited(image, f"distroless-{place}-edited")
        shop.record(bad, "distroless", False, policy(shop), 1, [changed(layer)], oracles=())
        wanted = "{{id: wanted, rule: package-installed, with: {{any_of: [toy]{}}}}}"
        shop.record(image.branch(f"distroless-{place}-package"), "distroless", True,
                    shop.policy("distroless-package", (wanted.format(""),)), 0, oracles=())
        shop.record(image.branch(f"distroless-{place}-manual"), "distroless", False,
                    shop.policy("distroless-manual", (wanted.format(", manual: true"),)), 2, oracles=(),
                    why="a database without extended_states cannot say what was asked for")
