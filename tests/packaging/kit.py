"""What the tests of packaging share: the program, two images, and running a script with the variables of a service."""

import gzip
import hashlib
import io
import json
import os
import pathlib
import shutil
import subprocess
import tarfile
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
OCILINT = os.environ.get("OCILINT", str(ROOT / "build/dev/ocilint"))
POLICY = """policy: modes
language: 1
summary: nothing is writable for others
checks:
- {id: modes, rule: file-mode, with: {files: [/app/**], deny: o+w}}
"""


def write_image(folder, mode):
    """An OCI layout with one file of this mode; returns the digest of its manifest."""
    blobs = folder / "blobs/sha256"
    blobs.mkdir(parents=True)

    def blob(media_type, data):
        digest = hashlib.sha256(data).hexdigest()
        (blobs / digest).write_bytes(data)
        return {"mediaType": f"application/vnd.oci.image.{media_type}", "digest": f"sha256:{digest}", "size": len(data)}

    layer = io.BytesIO()
    with tarfile.open(fileobj=layer, mode="w") as tar:
        entry = tarfile.TarInfo("app/run")
        entry.mode, entry.size = mode, 1
        tar.addfile(entry, io.BytesIO(b"x"))
    config = {"architecture": "amd64", "os": "linux", "config": {}, "history": [{"created_by": "COPY app"}],
              "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(layer.getvalue()).hexdigest()]}}
    manifest = {"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
                "config": blob("config.v1+json", json.dumps(config).encode()),
                "layers": [blob("layer.v1.tar+gzip", gzip.compress(layer.getvalue(), mtime=0))]}
    descriptor = blob("manifest.v1+json", json.dumps(manifest).encode())
    descriptor["platform"] = {"architecture": "amd64", "os": "linux"}
    (folder / "index.json").write_text(json.dumps({"schemaVersion": 2, "manifests": [descriptor]}))
    (folder / "oci-layout").write_text('{"imageLayoutVersion": "1.0.0"}')
    return descriptor["digest"]


class Finished:
    def __init__(self, process):
        self.status, self.out, self.err = process.returncode, process.stdout, process.stderr


class Workspace(unittest.TestCase):
    """A folder with a good and a bad image, a policy, and a bin folder that is the only thing before the system's PATH."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.bin = self.folder / "bin"
        self.bin.mkdir()
        (self.bin / "ocilint").symlink_to(OCILINT)
        self.digest = write_image(self.folder / "good", 0o644)
        write_image(self.folder / "bad", 0o666)
        (self.folder / "p.yaml").write_text(POLICY)

    def run_in(self, words, environment, stdin=""):
        variables = {"PATH": f"{self.bin}:/usr/bin:/bin", "HOME": str(self.folder), "LC_ALL": "C.UTF-8"}
        return Finished(subprocess.run(words, cwd=self.folder, env=variables | environment, input=stdin, text=True,
                                       capture_output=True, timeout=120, check=False))

    def stub(self, name, script):
        path = self.bin / name
        path.write_text("#!/bin/bash\n" + script)
        path.chmod(0o755)

    def read(self, name):
        path = self.folder / name
        return path.read_text() if path.exists() else None


def needs(*programs):
    missing = [name for name in programs if shutil.which(name) is None]
    return unittest.skipIf(missing, f"{', '.join(missing)} not installed")
