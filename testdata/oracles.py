#!/usr/bin/env python3
"""Asks real tools about built scenes: dpkg --verify on an image that umoci unpacked, and inode equality on a kernel
overlay mount of its layers. Writes DIR/oracle.json. See README.md beside it."""

import argparse
import json
import os
import shutil
import stat
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from scenes import layer_tar, overlay, tools  # noqa: E402

SKIPPED = 77


class Unpacked:
    """Layers of all images as overlayfs lower directories, each made once."""

    def __init__(self, space):
        self.space, self.made = space, {}

    def layers(self, layout):
        """The lower directories of an image. overlayfs refuses one directory twice, and an image may hold the same
        layer twice: engines unpack it once for each chain ID, here it is once for each occurrence."""
        manifest, config = documents(layout)
        diff_ids = config["rootfs"]["diff_ids"]
        return [self.layer(layout, layer, (diff_id, diff_ids[:index].count(diff_id)))
                for index, (layer, diff_id) in enumerate(zip(manifest["layers"], diff_ids, strict=True))]

    def layer(self, layout, descriptor, key):
        if key not in self.made:
            name = f"{self.space}/{len(self.made)}"
            blob = f"{layout}/blobs/sha256/{descriptor['digest'][7:]}"
            unpack = ("zstd", "-q", "-d", "-c") if descriptor["mediaType"].endswith("zstd") else ("gzip", "-d", "-c")
            with open(name + ".tar", "wb") as tar:
                tools.run_to(tar, *unpack, blob)
            self.made[key] = layer_tar.to_lower(name + ".tar", name)
            os.unlink(name + ".tar")
        return self.made[key]


def documents(layout):
    def blob(descriptor):
        with open(f"{layout}/blobs/sha256/{descriptor['digest'][7:]}", encoding="utf-8") as file:
            return json.load(file)
    with open(layout + "/index.json", encoding="utf-8") as file:
        manifest = blob(json.load(file)["manifests"][0])
    return manifest, blob(manifest["config"])


def gzip_layout(scene, space):
    """An OCI layout that umoci can read: it knows neither zstd nor docker archives."""
    if scene["form"] == "gzip":
        return scene["image"].split(":")[1]
    copy = f"{space}/converted"
    shutil.rmtree(copy, ignore_errors=True)
    tools.run("skopeo", "--insecure-policy", "--tmpdir", space, "copy", "-q", "--dest-compress-format", "gzip", scene["image"],
              f"oci:{copy}:scene")
    return copy


def dpkg_verify(layout, space):
    bundle = f"{space}/bundle"
    shutil.rmtree(bundle, ignore_errors=True)
    tools.run("umoci", "unpack", "--image", f"{layout}:scene", bundle)
    root = bundle + "/rootfs"
    done = subprocess.run(["dpkg", f"--root={root}", "--verify"], env=tools.environment(), capture_output=True, check=False)
    lines = done.stdout.decode("utf-8", "surrogateescape").splitlines()
    said = done.stderr.decode("utf-8", "replace").replace(root, "").splitlines()
    return {"exit": done.returncode, "lines": lines, "said": said}


def inode_groups(layout, unpacked, point):
    """Names of regular files that are one (device, inode) on the merged mount. Never by nlink: overlayfs shows the
    count of one layer."""
    names = {}
    with overlay.mounted(unpacked.layers(layout), point) as root:
        for parent, _, files in os.walk(root):
            for file in files:
                path = os.path.join(parent, file)
                status = os.lstat(path)
                if stat.S_ISREG(status.st_mode):
                    names.setdefault((status.st_dev, status.st_ino), []).append(path[len(root):])
    return sorted(sorted(group) for group in names.values() if len(group) > 1)


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--out", required=True, help="the directory that build.py wrote")
    arguments.add_argument("--only", metavar="NAME", help="only scenes whose name contains NAME")
    chosen = arguments.parse_args()
    try:
        tools.enter_private_mounts()
        space = overlay.workspace()
    except tools.Skip as reason:
        print(f"skipped: {reason}")
        return SKIPPED
    began = time.monotonic()
    with open(chosen.out + "/scenes.json", encoding="utf-8") as file:
        scenes = json.load(file)["scenes"]
    answers, left_out = {}, []
    try:
        unpacked = Unpacked(space)
        for scene in scenes:
            if chosen.only and chosen.only not in scene["name"]:
                continue
            if not scene["oracles"]:
                left_out.append(scene["name"])
                continue
            layout = gzip_layout(scene, space)
            answer = answers[scene["name"]] = {}
            if "dpkg-verify" in scene["oracles"]:
                answer["dpkg_verify"] = dpkg_verify(layout, space)
            if "one-inode" in scene["oracles"]:
                answer["one_inode"] = inode_groups(layout, unpacked, space + "/mount")
    finally:
        overlay.discard(space)
    tools.write(chosen.out + "/oracle.json", json.dumps({"schema": 1, "without_oracle": left_out, "scenes": answers}, indent=1) + "\n")
    print(f"{len(answers)} images asked about, {len(left_out)} without an oracle, {time.monotonic() - began:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
