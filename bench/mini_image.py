"""The mini image: the deterministic input of the instruction count. Byte-identical on every machine.

Contents come from SHAKE-128, tar headers from tarfile's ustar format, gzip from GNU gzip (its own deflate, the same
bytes for many releases; zlib's differ between builds). DIGEST is what must come out: anything else is an error,
since a count of other input means nothing.
"""

import gzip
import hashlib
import io
import json
import os
import shutil
import struct
import tarfile

from scenes import tools
from scenes.image import MEDIA

DIGEST = "sha256:0088d6e31a796dfa0002b4c420e2738897a7f89d872755a8a32f0b72f57835c7"  # of the manifest
PACKAGES, FILES_EACH, SYMBOLS = 120, 25, 12000
STAMP = 1767225600
WORDS = [hashlib.shake_128(f"word {i}".encode()).hexdigest(1 + i % 5).encode() for i in range(256)]


def text(seed, words):
    """Compresses about as source code does."""
    return b" ".join(WORDS[byte] + (b"\n" if byte > 230 else b"") for byte in
                     hashlib.shake_128(seed.encode()).digest(words))


class Layer:
    def __init__(self):
        self.file = io.BytesIO()
        self.tar = tarfile.open(fileobj=self.file, mode="w", format=tarfile.USTAR_FORMAT)

    def add(self, path, data=b"", kind=tarfile.REGTYPE, mode=0o644, link=""):
        entry = tarfile.TarInfo(path)
        entry.type, entry.mode, entry.mtime, entry.linkname = kind, mode, STAMP, link
        entry.size = len(data)
        self.tar.addfile(entry, io.BytesIO(data))

    def directory(self, path):
        self.add(path, kind=tarfile.DIRTYPE, mode=0o755)

    def bytes(self):
        self.tar.close()
        return self.file.getvalue()


def base_layer():
    """A root with a dpkg database whose digests are right."""
    layer = Layer()
    for path in ("etc", "usr", "usr/lib", "usr/share", "usr/share/doc", "var", "var/lib", "var/lib/dpkg", "var/lib/dpkg/info"):
        layer.directory(path)
    layer.add("etc/os-release", b'ID=debian\nVERSION_ID="12"\n')
    layer.add("etc/passwd", b"root:x:0:0:root:/root:/bin/sh\n")
    layer.add("etc/shadow", b"root:*:19000:0:99999:7:::\n", mode=0o640)
    status = []
    for number in range(PACKAGES):
        name = f"part{number}"
        status.append(f"Package: {name}\nStatus: install ok installed\nArchitecture: amd64\nVersion: 1.{number}-1\n"
                      f"Depends: part{number // 2}\nDescription: part {number}\n\n")
        folder = f"usr/share/{name}"
        layer.directory(folder)
        names, sums = ["/.", "/usr", "/usr/share", "/" + folder], []
        for index in range(FILES_EACH):
            path = f"{folder}/module_{index}.py"
            data = text(path, 40 + 60 * (index % 20))
            layer.add(path, data)
            names.append("/" + path)
            sums.append(f"{hashlib.md5(data).hexdigest()}  {path}\n")
        layer.add(f"{folder}/alias.py", kind=tarfile.LNKTYPE, link=f"{folder}/module_0.py")
        layer.add(f"{folder}/link.py", kind=tarfile.SYMTYPE, link="module_1.py", mode=0o777)
        layer.add(f"var/lib/dpkg/info/{name}.list", ("\n".join(names) + "\n").encode())
        layer.add(f"var/lib/dpkg/info/{name}.md5sums", "".join(sums).encode())
    layer.add("var/lib/dpkg/status", "".join(status).encode())
    return layer.bytes()


def library_layer():
    """One big library and files that no package owns."""
    layer = Layer()
    layer.directory("opt")
    layer.add("opt/libmini.so.1", shared_object(), mode=0o755)
    layer.add("opt/libmini.so", kind=tarfile.SYMTYPE, link="libmini.so.1", mode=0o777)
    for number in range(800):
        layer.add(f"opt/app/module_{number}.py", text(f"app {number}", 900))
    return layer.bytes()


def upper_layer():
    """Stored as it is: whiteouts, an edited file of a package, modes."""
    layer = Layer()
    for number in range(0, PACKAGES, 4):
        layer.add(f"usr/share/part{number}/.wh.module_2.py")
        layer.add(f"usr/share/part{number}/module_3.py", text(f"edited {number}", 400))
    layer.directory("opt/app")
    layer.add("opt/app/.wh..wh..opq")
    for number in range(200):
        layer.add(f"opt/app/part/module_{number}.py", text(f"new {number}", 500), mode=0o600)
    return layer.bytes()


def shared_object():
    """ELF64 with a dynamic symbol table of SYMBOLS functions, then 6 MB of data."""
    names = [b"mini_function_" + str(i).encode() for i in range(SYMBOLS)]
    strings, offsets = bytearray(b"\0libmini.so.1\0"), []
    for name in names:
        offsets.append(len(strings))
        strings += name + b"\0"
    symbols = bytes(24) + b"".join(struct.pack("<IBBHQQ", at, 0x12, 0, 1, 0x1000 + 16 * i, 16)
                                   for i, at in enumerate(offsets))
    count = SYMBOLS + 1
    table = struct.pack("<II", 1, count) + struct.pack("<I", 1) + struct.pack(f"<{count}I", 0, *range(2, count), 0)
    head = 64 + 2 * 56
    symbols_at = (head + 7) & ~7
    strings_at = symbols_at + len(symbols)
    table_at = (strings_at + len(strings) + 7) & ~7
    dynamic_at = (table_at + len(table) + 15) & ~15
    dynamic = b"".join(struct.pack("<QQ", tag, value) for tag, value in
                       ((14, 1), (4, table_at), (5, strings_at), (6, symbols_at), (10, len(strings)), (11, 24), (0, 0)))
    body = b"".join(text(f"code {i}", 5000) for i in range(350))
    size = dynamic_at + len(dynamic) + len(body)
    out = bytearray(size)
    out[:64] = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\x02\x01\x01", 3, 62, 1, 0, 64, 0, 0, 64, 56, 2, 64, 0, 0)
    out[64:head] = (struct.pack("<IIQQQQQQ", 1, 5, 0, 0, 0, size, size, 4096) +
                    struct.pack("<IIQQQQQQ", 2, 6, dynamic_at, dynamic_at, dynamic_at, len(dynamic), len(dynamic), 8))
    for at, part in ((symbols_at, symbols), (strings_at, strings), (table_at, table), (dynamic_at, dynamic + body)):
        out[at:at + len(part)] = part
    return bytes(out)


def write(out):
    """Writes the OCI layout OUT/mini and returns the reference for ocilint."""
    layout = out + "/mini"
    shutil.rmtree(layout, ignore_errors=True)
    layers, diff_ids = [], []
    for tar, kind in ((base_layer(), "gzip"), (library_layer(), "gzip"), (upper_layer(), None)):
        diff_ids.append("sha256:" + hashlib.sha256(tar).hexdigest())
        media = MEDIA + "layer.v1.tar" + (f"+{kind}" if kind else "")
        layers.append({"mediaType": media, **_blob(layout, gnu_gzip(tar, out) if kind else tar)})
    lines = ("ADD root / # buildkit", "COPY opt /opt # buildkit", "RUN /bin/sh -c edit # buildkit")
    config = {"architecture": "amd64", "os": "linux", "config": {"Env": ["PATH=/usr/bin"], "User": "1000"},
              "rootfs": {"type": "layers", "diff_ids": diff_ids}, "history": [{"created_by": line} for line in lines]}
    manifest = {"schemaVersion": 2, "mediaType": MEDIA + "manifest.v1+json",
                "config": {"mediaType": MEDIA + "config.v1+json", **_blob(layout, json.dumps(config).encode())},
                "layers": layers}
    named = {"mediaType": manifest["mediaType"], **_blob(layout, json.dumps(manifest).encode()),
             "annotations": {"org.opencontainers.image.ref.name": "bench"}}
    tools.write(layout + "/oci-layout", '{"imageLayoutVersion": "1.0.0"}')
    tools.write(layout + "/index.json", json.dumps({"schemaVersion": 2, "manifests": [named]}))
    if named["digest"] != DIGEST:
        raise RuntimeError(f"mini: the manifest is {named['digest']}, not {DIGEST}: this machine's gzip or Python "
                           "writes other bytes, so an instruction count would compare different work")
    return f"oci:{layout}:bench"


def gnu_gzip(tar, out):
    path = out + "/mini.tar"
    tools.write(path, tar)
    tools.run("gzip", "-n", "-6", "-f", path)
    with open(path + ".gz", "rb") as file:
        data = file.read()
    os.unlink(path + ".gz")
    assert gzip.decompress(data) == tar
    return data


def _blob(layout, data):
    digest = hashlib.sha256(data).hexdigest()
    tools.write(f"{layout}/blobs/sha256/{digest}", data)
    return {"digest": "sha256:" + digest, "size": len(data)}
