#!/usr/bin/env python3
"""Makes the images that bench/run.py measures on. See README.md beside it."""

import argparse
import hashlib
import io
import json
import os
import shutil
import sys
import tarfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "testdata"))
sys.dont_write_bytecode = True
import mini_image  # noqa: E402
import root_layers  # noqa: E402
from scenes import tools  # noqa: E402
from scenes.image import Image, Layer  # noqa: E402

FORMS = ("gzip", "zstd", "docker-archive")
SMALL_FILES, SMALL_PARTS, CUT = 100_000, 3, 100
SPARSE_LAYERS, SPARSE_SIZE = 5, 20 * 10**9
NAMES = ("mini", "big", "small", "layers1", "layers100", "sparse")


class Shop:
    """What scenes.image asks of a workshop: blobs, digests, work space."""

    def __init__(self, out):
        self.out, self.space, self._made = out, out + "/space", {}
        os.makedirs(self.space, exist_ok=True)

    def once(self, key, make):
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]

    def compressed(self, tar, kind):
        def make():
            path = f"{tar}.{kind}"
            command = ("pigz", "-n", "-6", "-c", tar) if kind == "gzip" else ("zstd", "-q", "-3", "-c", tar)
            if not os.path.exists(path):
                with open(path + ".part", "wb") as file:
                    tools.run_to(file, *command)
                os.rename(path + ".part", path)
            return path, sha256(path), self.diff_id(tar)
        return self.once((tar, kind), make)

    def diff_id(self, tar):
        return self.once(("diff ID", tar), lambda: sha256(tar))


def sha256(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def recipe(name):
    """What the bytes of an image depend on, as far as this repository says it; packages age with the month."""
    month = time.strftime("%Y-%m", time.gmtime())
    own = {"mini": mini_image.DIGEST, "sparse": f"{SPARSE_LAYERS} {SPARSE_SIZE}"}
    return own.get(name, f"{root_layers.RECIPE} {SMALL_FILES} {SMALL_PARTS} {CUT} {month}")


def make_big(out):
    folder = out + "/big-layers"
    tars = [f"{folder}/{stage}.tar" for stage in range(len(root_layers.STAGES))]
    key = hashlib.sha256(root_layers.RECIPE.encode()).hexdigest()
    if not all(map(os.path.exists, tars)) or read(folder + "/key") != key:
        shutil.rmtree(folder, ignore_errors=True)
        root_layers.run_mmdebstrap(folder)
        tools.write(folder + "/key", key)
    return [(tar, stage[0]) for tar, stage in zip(tars, root_layers.STAGES, strict=True)]


def small_files(big_tars):
    """Real small files of the big image, each varied so that no two are equal."""
    texts = []
    for tar in big_tars:
        with tarfile.open(tar) as archive:
            for entry in archive:
                if entry.isreg() and 0 < entry.size < 24_000 and not entry.name.startswith(("var/lib/dpkg", "app/")):
                    texts.append(archive.extractfile(entry).read())
    for number in range(SMALL_FILES):
        path = f"srv/{number % 61}/{number % 53}/file_{number}"
        yield path, texts[number % len(texts)] + f"\n{number}\n".encode()


def make_small(out):
    """SMALL_PARTS layers; a package of each layer owns its files, and the dpkg database says so."""
    folder = out + "/small-layers"
    tars = [f"{folder}/{part}.tar" for part in range(SMALL_PARTS)]
    if not all(map(os.path.exists, tars)):
        os.makedirs(folder, exist_ok=True)
        archives = [tarfile.open(tar + ".part", "w", format=tarfile.PAX_FORMAT) for tar in tars]
        lists, sums = [[] for _ in tars], [[] for _ in tars]
        for number, (path, data) in enumerate(small_files([f"{out}/big-layers/{i}.tar" for i in range(5)])):
            part = number * SMALL_PARTS // SMALL_FILES
            add(archives[part], path, data)
            lists[part].append("/" + path)
            sums[part].append(f"{hashlib.md5(data).hexdigest()}  {path}")
        status = ""
        for part, archive in enumerate(archives):
            info = f"var/lib/dpkg/info/small{part}"
            status += f"Package: small{part}\nStatus: install ok installed\nArchitecture: amd64\nVersion: 1\n\n"
            folders = sorted({parent for name in lists[part] for parent in parents(name)})
            add(archive, info + ".list", lines(["/.", *folders, *lists[part]]))
            add(archive, info + ".md5sums", lines(sums[part]))
            add(archive, "var/lib/dpkg/status", status.encode())
            archive.close()
            os.rename(tars[part] + ".part", tars[part])
    return [(tar, f"COPY part-{part} /srv # buildkit") for part, tar in enumerate(tars)]


def make_cut(out, pieces):
    """The first layer of `small`, whole or cut into layers at entry boundaries."""
    source = f"{out}/small-layers/0.tar"
    folder = f"{out}/layers{pieces}-layers"
    tars = [f"{folder}/{piece}.tar" for piece in range(pieces)]
    if not all(map(os.path.exists, tars)):
        os.makedirs(folder, exist_ok=True)
        with tarfile.open(source) as archive:
            entries = archive.getmembers()
            for piece, tar in enumerate(tars):
                with tarfile.open(tar, "w", format=tarfile.PAX_FORMAT) as target:
                    for entry in entries[piece * len(entries) // pieces:(piece + 1) * len(entries) // pieces]:
                        target.addfile(entry, archive.extractfile(entry))
    return [(tar, f"COPY piece-{piece} /srv # buildkit") for piece, tar in enumerate(tars)]


def write_sparse(out):
    """Documents of an image of 100 GB whose layers are holes: for checks that must not open a layer."""
    layout = out + "/sparse"
    shutil.rmtree(layout, ignore_errors=True)
    image = Image(Shop(out), "sparse")
    image.write(out)  # documents without layers, to be filled below
    manifest = load_manifest(layout)
    config_path = f"{layout}/blobs/sha256/{manifest['config']['digest'][7:]}"
    config = json.loads(read(config_path))
    for number in range(SPARSE_LAYERS):
        digest = hashlib.sha256(f"sparse {number}".encode()).hexdigest()
        with open(f"{layout}/blobs/sha256/{digest}", "wb") as file:
            file.truncate(SPARSE_SIZE)
        manifest["layers"].append({"mediaType": "application/vnd.oci.image.layer.v1.tar+gzip",
                                   "digest": "sha256:" + digest, "size": SPARSE_SIZE})
        config["rootfs"]["diff_ids"].append("sha256:" + digest)
        config["history"].append({"created_by": f"RUN step {number}"})
    index = json.loads(read(layout + "/index.json"))
    manifest["config"].update(put(layout, config))
    index["manifests"][0].update(put(layout, manifest))
    tools.write(layout + "/index.json", json.dumps(index))
    return f"oci:{layout}:scene"


def put(layout, value):
    data = json.dumps(value).encode()
    digest = hashlib.sha256(data).hexdigest()
    tools.write(f"{layout}/blobs/sha256/{digest}", data)
    return {"digest": "sha256:" + digest, "size": len(data)}


def owned_sizes(tars, path):
    """Sizes of the files that a dpkg list names, in any layer: what a scalar MD5 would have to hash."""
    names = set()
    for tar in tars:
        with tarfile.open(tar) as archive:
            for entry in archive:
                if entry.name.startswith("var/lib/dpkg/info/") and entry.name.endswith(".md5sums"):
                    for line in archive.extractfile(entry).read().decode("utf-8", "replace").splitlines():
                        names.add(line.partition("  ")[2])
    sizes, unpacked, entries = [], 0, 0
    for tar in tars:
        unpacked += os.path.getsize(tar)
        with tarfile.open(tar) as archive:
            for entry in archive:
                entries += 1
                if entry.isreg() and entry.name.removeprefix("./") in names:
                    sizes.append(entry.size)
    tools.write(path, lines(map(str, sizes)))
    return {"unpacked": unpacked, "entries": entries, "owned_files": len(sizes), "owned_bytes": sum(sizes)}


def load_manifest(layout):
    index = json.loads(read(layout + "/index.json"))
    return json.loads(read(f"{layout}/blobs/sha256/{index['manifests'][0]['digest'][7:]}"))


def make(name, out, forms):
    """One image in the given forms; its row of images.json."""
    if name == "mini":
        return {"forms": {"gzip": {"reference": mini_image.write(out)}}}
    if name == "sparse":
        return {"forms": {"gzip": {"reference": write_sparse(out)}}}
    shop = Shop(out)
    layers = {"big": make_big, "small": make_small, "layers1": lambda o: make_cut(o, 1),
              "layers100": lambda o: make_cut(o, CUT)}[name](out)
    row = {"layers": len(layers), "forms": {}, "owned": f"{out}/{name}.owned",
           **owned_sizes([tar for tar, _ in layers], f"{out}/{name}.owned")}
    row["largest_file"] = max((e.size for tar, _ in layers for e in tarfile.open(tar)), default=0)
    for form in forms:
        image = Image(shop, f"{name}-{form}")
        for tar, history in layers:
            image.add(Layer(None, tar, history))
        reference = image.write(out, form)
        if form == "docker-archive":
            blobs = [tar for tar, _ in layers]
        else:
            folder = f"{out}/{image.name}/blobs/sha256/"
            blobs = [folder + layer["digest"][7:] for layer in load_manifest(f"{out}/{image.name}")["layers"]]
        row["forms"][form] = {"reference": reference, "blobs": blobs, "stored": sum(map(os.path.getsize, blobs))}
    return row


def add(archive, path, data):
    entry = tarfile.TarInfo(path)
    entry.size, entry.mode, entry.mtime = len(data), 0o644, tools.EPOCH
    archive.addfile(entry, io.BytesIO(data))


def parents(path):
    parts = path.split("/")[1:-1]
    return ["/" + "/".join(parts[:i + 1]) for i in range(len(parts))]


def lines(texts):
    return "".join(f"{text}\n" for text in texts).encode()


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--out", required=True, help="directory for images; about 12 GB with `big`")
    arguments.add_argument("--only", action="append", choices=NAMES, help="these images only; repeatable")
    arguments.add_argument("--form", action="append", choices=FORMS, help="these forms only; repeatable")
    chosen = arguments.parse_args()
    out = os.path.abspath(chosen.out)
    os.makedirs(out, exist_ok=True)
    listing_path = out + "/images.json"
    listing = json.loads(read(listing_path) or "{}")
    forms = chosen.form or FORMS
    for name in chosen.only or NAMES:
        key = hashlib.sha256(recipe(name).encode()).hexdigest()[:16]
        row = listing.get(name, {})
        needed = ("gzip",) if name in ("mini", "sparse") else forms
        if row.get("key") != key or any(form not in row["forms"] for form in needed):
            if name not in ("mini", "sparse"):
                needed = sorted({*needed, *row.get("forms", {})})
            if name in ("small", "layers1", "layers100") and not os.path.exists(out + "/big-layers/0.tar"):
                make_big(out)
            if name.startswith("layers"):
                make_small(out)
            listing[name] = {"key": key, **make(name, out, needed)}
            tools.write(listing_path, json.dumps(listing, indent=1) + "\n")
        show(name, listing[name])


def show(name, row):
    sizes = ", ".join(f"{form} {details['stored'] / 1e6:.0f} MB" for form, details in row["forms"].items()
                      if "stored" in details)
    print(f"{name}: {row.get('layers', '')} layers, {row.get('unpacked', 0) / 1e6:.0f} MB in {row.get('entries', '')} entries, "
          f"largest file {row.get('largest_file', 0) / 1e6:.0f} MB; {sizes}" if sizes
          else f"{name}: {row['forms']['gzip']['reference']}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
