"""What all scenes share: work space, cache, compressed blobs, base images, and the list of what was made."""

import dataclasses
import hashlib
import json
import os
import re

from . import overlay, tools


@dataclasses.dataclass
class Finding:
    """One finding that the report must hold. `layer` is 0-based, base = 0; None: no layer did it. `subject` may be
    several spellings or names, of which the report must show one."""

    rule: str
    kind: str
    subject: str | tuple
    layer: int | None = None
    history: str | None = None
    check: str | None = None
    severity: str | None = None
    also: dict = dataclasses.field(default_factory=dict)

    def row(self):
        row = dataclasses.asdict(self)
        subject = row.pop("subject")
        subjects = [subject] if isinstance(subject, str) else list(subject)
        for name in list(subjects):  # both ways to say where ROCm is
            for here, there in (("/opt/rocm/", "/opt/rocm-7.2.4/"), ("/opt/rocm-7.2.4/", "/opt/rocm/")):
                if name.startswith(here):
                    subjects.append(there + name[len(here):])
        row["subjects"] = subjects
        return row


class Workshop:
    def __init__(self, out, cache):
        self.out, self.cache = os.path.abspath(out), os.path.abspath(cache)
        self.images, self.policies = self.out + "/images", self.out + "/policies"
        for directory in (self.out, self.cache, self.images, self.policies):
            os.makedirs(directory, exist_ok=True)
        self.space = overlay.workspace()
        self.mount_point = self.space + "/mount"
        self.scenes, self._count, self._blobs, self._made = [], 0, {}, {}

    def fresh(self):
        """A path in the work space that nothing else has; short, since mount options are bounded by one page."""
        self._count += 1
        return f"{self.space}/{self._count}"

    def once(self, key, make):
        """make() on the first call with this key, its value on every call."""
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]

    def compressed(self, tar, kind):
        """The blob of a layer tar: path, digest, diff ID. Each is compressed once."""
        if (tar, kind) not in self._blobs:
            path = f"{tar}.{kind}"
            command = ("gzip", "-n", "-6", "-c", tar) if kind == "gzip" else ("zstd", "-q", "-3", "-c", tar)
            with open(path, "wb") as file:
                tools.run_to(file, *command)
            self._blobs[tar, kind] = (path, _sha256(path), self.diff_id(tar))
        return self._blobs[tar, kind]

    def diff_id(self, tar):
        return self.once(("diff ID", tar), lambda: _sha256(tar))

    def policy(self, name, checks, head=""):
        """Writes an inline policy (checks: lines of YAML) and returns its path."""
        lines = "".join(f"  - {line}\n" for line in checks)
        text = f"policy: {name}\nlanguage: 1\nsummary: Written for the scene {name}.\n{head}checks:\n{lines}"
        return tools.write(f"{self.policies}/{name}.yaml", text)

    def record(self, image, scene, good, policy, exit_status, findings=(), form="gzip", gates=(), others=False,
               secrets=(), why="", oracles=("dpkg-verify", "one-inode"), compared=None, only=(), beside=None):
        """Writes the image and its row of scenes.json, and returns its reference. `only`: ids of checks; `beside`:
        name -> reference of the images that it is compared with."""
        reference = image.write(self.images, form)
        self.scenes.append({
            "name": image.name, "scene": scene, "good": good, "why": why, "image": reference, "form": form,
            "policy": policy, "gates": list(gates), "only": list(only), "with": dict(beside or {}), "exit": exit_status,
            "findings": [finding.row() for finding in findings], "others_allowed": others,
            "must_not_print": list(secrets), "compared_at_least": compared, "oracles": list(oracles),
            "layers": [{"diff_id": "sha256:" + self.diff_id(layer.tar), "history": layer.history}
                       for layer in image.layers]})
        return reference

    def write_list(self, seconds):
        listing = {"schema": 1, "epoch": tools.EPOCH, "seconds": round(seconds, 1), "scenes": self.scenes}
        tools.write(self.out + "/scenes.json", json.dumps(listing, indent=1) + "\n")


def _sha256(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def safe_name(text):
    return re.sub(r"[^a-z0-9-]+", "-", text.lower()).strip("-")
