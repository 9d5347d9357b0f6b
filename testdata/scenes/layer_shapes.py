"""Layers that no `RUN` makes but that ship all the same: COPY --link over a symlink, a file and its whiteout in one
layer, hard links to a lower layer. Engines disagree on them, or refuse the image."""

import io
import tarfile

from . import bases, rocm, tools
from .image import Layer
from .workshop import Finding

SIMPLE = "{id: release, rule: os-release, with: {id: debian}}"
DIVERGENCE = "engine-divergence"
ANY = ()  # whatever the finding is named after


def policy(shop):
    return shop.once("shape policy", lambda: shop.policy("shapes", (SIMPLE,)))


def file(name, text=b"x\n", **more):
    return _entry(name, tarfile.REGTYPE, text, **more)


def directory(name):
    return _entry(name, tarfile.DIRTYPE, mode=0o755)


def hard_link(name, target):
    return _entry(name, tarfile.LNKTYPE, linkname=target)


def _entry(name, kind, text=b"", mode=0o644, linkname=""):
    entry = tarfile.TarInfo(name)
    entry.type, entry.mode, entry.linkname, entry.size, entry.mtime = kind, mode, linkname, len(text), tools.EPOCH
    return entry, text


def append(shop, image, line, *members):
    """A layer exactly as written here; no engine has to be able to unpack it."""
    path = shop.fresh() + ".tar"
    with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as tar:
        for entry, text in members:
            tar.addfile(entry, io.BytesIO(text) if text else None)
    return image.add(Layer(None, path, line))


def build(shop):
    materialised(shop)
    refused(shop)
    reappearing(shop)
    not_as_written(shop)


def materialised(shop):
    """An entry below /opt/rocm without the link: Docker, containerd and Podman then have a plain directory there."""
    checks = ("{id: rocm-is-a-link, rule: file, with: {file: /opt/rocm, type: symlink}}",
              "{id: header, rule: file, with: {file: /opt/rocm/lib/libnew.so, non_empty: true}}",
              f"{{id: runtime, rule: file, with: {{file: /opt/rocm/lib/{rocm.HSA}, non_empty: true}}}}")
    chosen = shop.policy("rocm-materialised", checks)
    line = "COPY --link libnew.so /opt/rocm/lib/ # buildkit"
    for name, members in (("implied", ()), ("explicit", (directory("opt/"), directory("opt/rocm/"), directory("opt/rocm/lib/")))):
        image = bases.with_rocm(shop).branch("rocm-materialised-" + name)
        layer = append(shop, image, line, *members, file("opt/rocm/lib/libnew.so"))
        findings = [Finding("file", "type", "/opt/rocm", layer, line, "rocm-is-a-link"),
                    Finding("file", "missing", f"/opt/rocm/lib/{rocm.HSA}", layer, line, "runtime")]
        if name == "implied":  # with explicit entries every engine makes the directory
            findings.append(Finding(DIVERGENCE, "divergent", ("/opt/rocm", "/opt/rocm/lib/libnew.so", "/opt/rocm/lib",
                                                              "/opt/rocm-7.2.4/lib/libnew.so"), layer, line))
        shop.record(image, "rocm-materialised", False, chosen, 1, findings, others=True, oracles=("one-inode",) if name == "explicit" else ())
    image = bases.with_rocm(shop).branch("rocm-kept")
    append(shop, image, line.replace("/opt/rocm/", "/opt/rocm-7.2.4/"), file("opt/rocm-7.2.4/lib/libnew.so"))
    shop.record(image, "rocm-materialised", True, chosen, 0)
    image = bases.with_rocm(shop).branch("rocm-copied-through-link")
    image.step("COPY libnew.so /opt/rocm/lib/ # buildkit", lambda root: tools.write(f"{root}{rocm.LIB}/libnew.so", "x\n"))
    shop.record(image, "rocm-materialised", True, chosen, 0, why="COPY on a mount follows the link")


def refused(shop):
    """Images that Docker, containerd and Podman cannot unpack."""
    rows = (("file-and-whiteout", "etc/token", (file("etc/token"), file("etc/.wh.token", b""))),
            ("directory-and-whiteout", "etc/tokens", (directory("etc/tokens/"), file("etc/.wh.tokens", b""))),
            ("link-to-lower-layer", "etc/hosts.link", (hard_link("etc/hosts.link", "etc/motd"),)),
            ("link-before-target", "etc/first", (hard_link("etc/first", "etc/second"), file("etc/second"))))
    for name, path, members in rows:
        image = bases.micro(shop).branch(name)
        line = f"ADD rootfs-{name}.tar / # by hand"
        layer = append(shop, image, line, *members)
        shop.record(image, "refused-by-engines", False, policy(shop), 1,
                    [Finding(DIVERGENCE, "refused", (f"/{path}", f"/{members[-1][0].name}"), layer, line, severity="error")],
                    others=True, oracles=())
    image = bases.micro(shop).branch("file-then-whiteout-above")
    append(shop, image, "ADD token /etc/ # by hand", file("etc/token"), hard_link("etc/token.link", "etc/token"))
    append(shop, image, "RUN rm /etc/token # by hand", file("etc/.wh.token", b""))
    shop.record(image, "refused-by-engines", True, policy(shop), 0, why="the same names, one layer each")


def reappearing(shop):
    """A whiteout and then the same directory: on overlay the lower children come back."""
    absent = "{id: no-key, rule: file-absent, with: {files: [/etc/keys/old.key]}}"
    chosen = shop.policy("reappearing", (absent, SIMPLE))
    for name, marker, good in (("reappearing", "etc/.wh.keys", False), ("opaque", "etc/keys/.wh..wh..opq", True)):
        image = bases.micro(shop).branch("directory-" + name)
        base = image.step("RUN mkdir /etc/keys # buildkit", lambda root: tools.write(f"{root}/etc/keys/old.key", "old\n"))
        line = "RUN rm -rf /etc/keys && mkdir /etc/keys # by hand"
        members = (file(marker, b""), directory("etc/keys/")) if not good else (directory("etc/keys/"), file(marker, b""))
        layer = append(shop, image, line, *members, file("etc/keys/new.key"))
        findings = [] if good else [
            Finding(DIVERGENCE, "divergent", ("/etc/keys/old.key", "/etc/keys"), layer, line),
            Finding("file-absent", "present", "/etc/keys/old.key", base, "RUN mkdir /etc/keys # buildkit", "no-key")]
        shop.record(image, "reappearing-directory", good, chosen, 0 if good else 1, findings, others=not good, oracles=("one-inode",) if good else ())


def not_as_written(shop):
    """Readable, but not what its documents say."""
    image = bases.micro(shop).branch("history-too-short")
    image.step("RUN touch /etc/scene # buildkit", lambda root: tools.write(root + "/etc/scene", "x"))
    image.entries.pop()
    shop.record(image, "image-integrity", False, policy(shop), 1, [Finding("image-integrity", "history-mismatch", ANY)],
                others=True, oracles=())
    image = bases.micro(shop).branch("media-type-lies")
    image.labelled = "zstd"
    shop.record(image, "image-integrity", False, policy(shop), 1, [Finding("image-integrity", "media-type-mismatch", ANY)],
                others=True, oracles=())
    image = bases.micro(shop).branch("data-after-archive")
    line = "ADD padded.tar / # by hand"
    layer = append(shop, image, line, file("etc/scene"))
    with open(image.layers[layer].tar, "ab") as tar:
        tar.write(b"what no engine unpacks\n".ljust(512, b"."))
    shop.record(image, "image-integrity", False, policy(shop), 1,
                [Finding("image-integrity", "data-after-end", ANY, layer, line)], others=True, oracles=())
    image = bases.micro(shop).branch("twice-in-one-layer")
    line = "ADD twice.tar / # by hand"
    layer = append(shop, image, line, file("etc/scene", b"first\n"), file("etc/scene", b"second\n"))
    shop.record(image, "refused-by-engines", False, policy(shop), 1,
                [Finding(DIVERGENCE, "refused", "/etc/scene", layer, line, severity="error")], others=True, oracles=())
    # The same layer twice is no fault: engines unpack it once for each place in the chain.
    image = bases.micro(shop).branch("same-layer-twice")
    for _ in range(2):
        append(shop, image, "ADD scene.tar / # by hand", file("etc/scene"))
    shop.record(image, "image-integrity", True, policy(shop), 0, oracles=("one-inode",))
