"""Images for the browser: one whose every text tries to be markup, one with 300,000 files. Written without a tool."""

import gzip
import hashlib
import io
import json
import os
import tarfile

# What a text must not do: call hit(), leave its place, load something.
ATTACKS = [
    "<script>hit()</script>",
    "\"><img src=x onerror=hit()>",
    "'><svg onload=hit()>",
    "</style><script>hit()</script>",
    "</title><script>hit()</script>",
    "--><script>hit()</script><!--",
    "]]><script>hit()</script>",
    "<a href=javascript:hit()>x</a>",
    "<iframe srcdoc='<script>parent.hit()</script>'>",
    "<link rel=stylesheet href=http://h.invalid/x>",
    "<meta http-equiv=refresh content=0>",
    "&lt;script&gt;hit()&lt;/script&gt;",
    "${hit()}{{hit()}}",
    "\u202egnp.exe\u2066",
    "\x1b[31mred\x07",
    "two\nlines\rof it",
    "null\u2028sep",
]


def layout(folder, layers, config=None):
    """An OCI layout; a layer is (command, bytes of a tar or of a gzip)."""
    blobs = os.path.join(folder, "blobs", "sha256")
    os.makedirs(blobs, exist_ok=True)

    def put(data):
        digest = hashlib.sha256(data).hexdigest()
        with open(os.path.join(blobs, digest), "wb") as file:
            file.write(data)
        return {"digest": "sha256:" + digest, "size": len(data)}

    listed, diffs = [], []
    for _, data in layers:
        packed = data[:2] == b"\x1f\x8b"
        diffs.append("sha256:" + hashlib.sha256(gzip.decompress(data) if packed else data).hexdigest())
        kind = "application/vnd.oci.image.layer.v1.tar" + ("+gzip" if packed else "")
        listed.append({"mediaType": kind, **put(data)})
    document = {"architecture": "amd64", "os": "linux", "config": config or {},
                "rootfs": {"type": "layers", "diff_ids": diffs},
                "history": [{"created": "2026-01-01T00:00:00Z", "created_by": line} for line, _ in layers]}
    manifest = {"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
                "config": {"mediaType": "application/vnd.oci.image.config.v1+json", **put(json.dumps(document).encode())},
                "layers": listed}
    entry = {"mediaType": manifest["mediaType"], **put(json.dumps(manifest).encode())}
    with open(os.path.join(folder, "index.json"), "w") as file:
        json.dump({"schemaVersion": 2, "manifests": [entry]}, file)
    with open(os.path.join(folder, "oci-layout"), "w") as file:
        file.write('{"imageLayoutVersion": "1.0.0"}')


class Layer:
    def __init__(self):
        self.buffer = io.BytesIO()
        self.tar = tarfile.open(fileobj=self.buffer, mode="w", format=tarfile.PAX_FORMAT)

    def add(self, name, data=b"", kind=tarfile.REGTYPE, link="", mode=0o644):
        entry = tarfile.TarInfo(name)
        entry.type, entry.linkname, entry.size, entry.mode = kind, link, len(data), mode
        self.tar.addfile(entry, io.BytesIO(data))
        return self

    def bytes(self):
        self.tar.close()
        return self.buffer.getvalue()


def hostile(folder):
    first, second = Layer(), Layer()
    status = "".join(f"Package: part{i}\nStatus: install ok installed\nArchitecture: amd64\nVersion: 1{text}\n"
                     "Description: x\n\n" for i, text in enumerate(["", "<b>"]))
    first.add("var/lib/dpkg/status", status.encode()).add("var/lib/dpkg/info/part0.list", b"/.\n/evil\n")
    for i, text in enumerate(ATTACKS):
        name = "evil/" + text.replace("/", "\u2215")
        first.add(name, b"x" * (4000 + 500 * i))
        second.add(name + ".link", kind=tarfile.SYMTYPE, link=text)
    second.add("evil/" + ATTACKS[1], b"y" * 9000)
    second.add("evil/.wh." + ATTACKS[0].replace("/", "\u2215"))
    lines = " ".join(ATTACKS)
    layout(folder, [("COPY " + lines, first.bytes()), ("/bin/sh -c " + lines, second.bytes())],
           {"Labels": dict.fromkeys(ATTACKS, lines), "Env": ["A=" + lines], "User": ATTACKS[1]})


def packaged(folder, changed=False):
    """A small Debian by hand: packages, some of whose files were replaced or removed, a key in a file, a library twice."""
    base, top = Layer(), Layer()
    status, newer = "", ""
    for number in range(12):
        name = f"part{number}"
        files = {f"usr/lib/{name}/file{i}.txt": f"{name} {i}\n".encode() * (400 + 150 * i) for i in range(6)}
        stanza = (f"Package: {name}\nStatus: install ok installed\nArchitecture: amd64\nMaintainer: x\n"
                  f"Version: 1.{number}\nDescription: x\n\n")
        status += stanza
        newer += stanza.replace("Version: 1.", "Version: 2.") if number < 4 else stanza
        base.add(f"var/lib/dpkg/info/{name}.list",
                 "".join(f"/{line}\n" for line in [".", "usr", "usr/lib", f"usr/lib/{name}", *files]).encode())
        base.add(f"var/lib/dpkg/info/{name}.md5sums",
                 "".join(f"{hashlib.md5(data).hexdigest()}  {path}\n" for path, data in files.items()).encode())
        for path, data in files.items():
            base.add(path, data)
    base.add("var/lib/dpkg/status", status.encode())
    base.add("etc/os-release", b'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nID=debian\nVERSION_ID="12"\n')
    base.add("etc/passwd", b"root:x:0:0::/root:/bin/sh\napp:x:1000:1000::/srv:/bin/sh\n")
    base.add("opt/lib/libx.so.1.0", b"x" * 60_000).add("opt/lib/libx.so.1", kind=tarfile.LNKTYPE, link="opt/lib/libx.so.1.0")
    for number in range(5):
        for i in range(3):
            top.add(f"usr/lib/part{number}/file{i}.txt", b"patched\n" * (300 + 40 * i + (99 if changed else 0)))
    if changed:
        top.add("var/lib/dpkg/status", newer.encode())
    top.add("usr/lib/part7/.wh.file0.txt").add("opt/lib/libx.so.1", b"y" * 61_000)
    mine = Layer().add("srv/app/start.sh", b"#!/bin/sh\n" * 900, mode=0o777)
    if changed:
        mine.add("srv/app/new.bin", b"n" * 90_000)
    mine.add("srv/app/.env", ("TOKEN=" + "ghp_" + hashlib.sha256(b"none").hexdigest()[:36] + "\n").encode())
    layout(folder, [("/bin/sh -c #(nop) ADD file:rootfs.tar.xz in / ", base.bytes()),
                    ("RUN /bin/sh -c cp /patches/* /usr/lib/ && cp -L /opt/lib/libx.so.1.0 /opt/lib/libx.so.1 # buildkit", top.bytes()),
                    ("COPY app /srv/app # buildkit", mine.bytes())],
           {"Env": ["PATH=/usr/local/bin:/usr/bin:/bin", "APP_HOME=/srv/app", "LANG=C.UTF-8"], "Entrypoint": ["/srv/app/start.sh"],
            "Cmd": ["--port", "8080"], "ExposedPorts": {"8080/tcp": {}}, "WorkingDir": "/srv/app",
            "Labels": {"org.opencontainers.image.base.name": "docker.io/library/debian:12", "team": "audio"}})


def header(name, size, kind=b"0"):
    """ustar, by hand: tarfile takes half a minute for as many."""
    block = bytearray(512)
    block[0:len(name)] = name
    block[100:108], block[108:116], block[116:124] = b"0000644\0", b"0000000\0", b"0000000\0"
    block[124:136], block[136:148] = b"%011o\0" % size, b"00000000000\0"
    block[148:156], block[156:157] = b"        ", kind
    block[257:265] = b"ustar\x0000"
    block[148:156] = b"%06o\0 " % sum(block)
    return bytes(block)


def many(folder, count=300_000):
    """A tree like one of node modules: small files in many folders, a few big ones."""
    out = io.BytesIO()
    with gzip.GzipFile(fileobj=out, mode="wb", compresslevel=1, mtime=0) as file:
        for i in range(count):
            name = b"srv/app/node_modules/part%d/lib/f%d/module_%d.js" % (i // 400, i // 25, i)
            size = i * 7919 % 900
            file.write(header(name, size) + b"\0" * (-(-size // 512) * 512))
        for i in range(20):
            size = (i + 1) << 20
            file.write(header(b"usr/lib/libbig%d.so" % i, size) + b"\0" * size)
        file.write(b"\0" * 1024)
    top = Layer().add("srv/app/start.sh", b"#!/bin/sh\n", mode=0o755).bytes()
    layout(folder, [("RUN npm ci", out.getvalue()), ("COPY start.sh /srv/app/", top)])


HOSTILE_POLICY = """\
policy: markup
language: 1
summary: "<script>hit()</script> \\"><img src=x onerror=hit()>"
checks:
  - {id: none-of-these, rule: file-absent, with: {files: ["/evil/**"]}, why: "<script>hit()</script>"}
  - {id: database, rule: dpkg-consistent}
"""
MANY_POLICY = """\
policy: many
language: 1
summary: Many findings and many files.
checks:
  - {id: no-modules, rule: file-absent, with: {files: ["/srv/app/node_modules/part1?/**"]}}
  - {id: start, rule: file, with: {file: /srv/app/start.sh}}
"""
