"""An image under construction: steps on overlay mounts, written as an OCI layout or a docker archive."""

import hashlib
import json
import os
import re
import shutil

from . import layer_tar, overlay, tools

CREATED = "2026-01-01T00:00:00Z"
MEDIA = "application/vnd.oci.image."
PATH_ENV = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class Layer:
    """One layer: its directory (an overlayfs lower), its tar, and the history line that made it."""

    def __init__(self, directory, tar, history, comment=None):
        self.directory, self.tar, self.history, self.comment = directory, tar, history, comment


class Image:
    """`layers` bottom first. `entries` is the history as builders write it: also lines without a layer."""

    def __init__(self, shop, name, base=None):
        self.shop, self.name = shop, name
        self.labelled = None  # a compression that media types claim instead of the real one
        self.layers = list(base.layers) if base else []
        self.entries = list(base.entries) if base else []
        self.config = {"Env": [PATH_ENV], "Cmd": ["/bin/sh"]}
        if base:
            self.config = json.loads(json.dumps(base.config))

    def branch(self, name):
        return Image(self.shop, name, self)

    def step(self, history, action, differ="upper"):
        """Runs action(root) on a mount of the layers so far; what changed becomes a layer. Returns its index."""
        directory = self.shop.fresh()
        tar = directory + ".tar"
        lowers = [layer.directory for layer in self.layers]
        if not lowers:
            os.makedirs(directory)
            action(directory)
            layer_tar.write_layer(directory, tar)
        else:
            with overlay.mounted(lowers, self.shop.mount_point, directory) as root:
                action(root)
            if differ == "upper":
                layer_tar.write_layer(directory, tar)
            else:
                with overlay.mounted(lowers, self.shop.mount_point) as below:
                    layer_tar.write_layer(directory, tar, lower=below)
        return self.add(Layer(directory, tar, history))

    def look(self, question):
        """The answer of question(root) on a read-only mount of the layers."""
        with overlay.mounted([layer.directory for layer in self.layers], self.shop.mount_point) as root:
            return question(root)

    def add(self, layer):
        self.layers.append(layer)
        self.entries.append({"created": CREATED, "created_by": layer.history})
        return len(self.layers) - 1

    def note(self, created_by, **more):
        """A history line without a layer: ENV, ARG, LABEL … Returns its index in the history."""
        self.entries.append({"created": CREATED, "created_by": created_by, "empty_layer": True, **more})
        return len(self.entries) - 1

    def write(self, images, form="gzip"):
        """Writes the image; `form` is gzip, zstd, mixed or docker-archive. Returns the reference for ocilint."""
        layout = os.path.join(images, self.name)
        shutil.rmtree(layout, ignore_errors=True)
        os.makedirs(layout + "/blobs/sha256")
        tools.write(layout + "/oci-layout", json.dumps({"imageLayoutVersion": "1.0.0"}))
        layers, diff_ids = [], []
        for index, layer in enumerate(self.layers):
            kind = {"mixed": ("gzip", "zstd")[index % 2], "docker-archive": "gzip"}.get(form, form)
            path, digest, diff_id = self.shop.compressed(layer.tar, kind)
            _place(path, f"{layout}/blobs/sha256/{digest}")
            layers.append({"mediaType": f"{MEDIA}layer.v1.tar+{self.labelled or kind}", "digest": "sha256:" + digest,
                           "size": os.path.getsize(path)})
            diff_ids.append("sha256:" + diff_id)
        config = {"created": CREATED, "architecture": "amd64", "os": "linux", "config": self.config,
                  "rootfs": {"type": "layers", "diff_ids": diff_ids}, "history": self.entries}
        manifest = {"schemaVersion": 2, "mediaType": MEDIA + "manifest.v1+json",
                    "config": {"mediaType": MEDIA + "config.v1+json", **_blob(layout, config)}, "layers": layers}
        named = {"mediaType": manifest["mediaType"], **_blob(layout, manifest),
                 "annotations": {"org.opencontainers.image.ref.name": "scene"}}
        tools.write(layout + "/index.json", json.dumps({"schemaVersion": 2, "manifests": [named]}))
        if form != "docker-archive":
            return f"oci:{layout}:scene"
        archive = layout + ".tar"
        if os.path.exists(archive):
            os.unlink(archive)
        tag = re.sub(r"[^a-z0-9]+", "-", self.name.lower())
        tools.run("skopeo", "--insecure-policy", "--tmpdir", self.shop.space, "copy", "-q", f"oci:{layout}:scene",
                  f"docker-archive:{archive}:localhost/{tag}:scene")
        shutil.rmtree(layout)
        return f"docker-archive:{archive}"


def _blob(layout, value):
    data = json.dumps(value, separators=(",", ":")).encode()
    digest = hashlib.sha256(data).hexdigest()
    tools.write(f"{layout}/blobs/sha256/{digest}", data)
    return {"digest": "sha256:" + digest, "size": len(data)}


def _place(source, target):
    if os.path.exists(target):
        return
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)
