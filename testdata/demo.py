"""Two images for scripts/demo, made without root: a base whose runtime was replaced and linked under every old name,
and the same image after a later layer put the package's own library back. Real ELF files, a real dpkg database."""

import argparse
import hashlib
import io
import json
import os
import subprocess
import tarfile
import tempfile

RELEASE, STOCK, PATCHED = "opt/rocm-7.2.4", "libhsa-runtime64.so.1.18.70204", "libhsa-runtime64.so.1.18.0"
STOCK_HIP, PATCHED_HIP = "libamdhip64.so.7.2.70204", "libamdhip64.so.7.2.53211-b539bf7"
BACKPORT = "hsa_amd_signal_create_v2"
COMMIT = "b539bf7c0de5a1f2e3d4c5b6a798897a6b5c4d3e"


def library(soname, functions, node, uses=(), of=b""):
    """A shared library with these functions under one version node, which calls `uses` of the HSA library `of`."""
    with tempfile.TemporaryDirectory() as folder:
        source, script, out = (os.path.join(folder, name) for name in ("a.c", "a.map", "a.so"))
        with open(source, "w") as file:
            file.writelines(f"int {name}(void);\n" for name in uses)
            called = "".join(f" + {name}()" for name in uses)
            file.writelines(f"int {name}(void) {{ return {i}{called}; }}\n" for i, name in enumerate(functions))
        with open(script, "w") as file:
            file.write(f"{node} {{ global: {'; '.join(functions)}; local: *; }};\n")
        needed = []
        if uses:
            needed = [os.path.join(folder, "libhsa-runtime64.so.1"), "-Wl,-rpath,$ORIGIN"]
            with open(needed[0], "wb") as file:
                file.write(of)
        subprocess.run(["gcc", "-shared", "-fPIC", "-nostdlib", f"-Wl,-soname,{soname},--version-script,{script}", source,
                        *needed, "-o", out], check=True)
        with open(out, "rb") as file:
            return file.read()


class Layer:
    def __init__(self, command):
        self.command, self.buffer = command, io.BytesIO()
        self.tar = tarfile.open(fileobj=self.buffer, mode="w", format=tarfile.PAX_FORMAT)

    def add(self, name, kind=tarfile.REGTYPE, content=b"", link=""):
        entry = tarfile.TarInfo(name)
        entry.type, entry.linkname, entry.size, entry.mode = kind, link, len(content), 0o644
        self.tar.addfile(entry, io.BytesIO(content))
        return self

    def bytes(self):
        self.tar.close()
        return self.buffer.getvalue()


def package(name, version, files, links):
    """What dpkg writes down about a package: the status stanza, the list and the digests."""
    stanza = f"Package: {name}\nStatus: install ok installed\nArchitecture: amd64\nVersion: {version}\nDescription: demo\n\n"
    paths = ["/."] + ["/" + path for path in list(files) + links]
    digests = "".join(f"{hashlib.md5(data).hexdigest()}  {path}\n" for path, data in files.items())
    return stanza, "\n".join(paths) + "\n", digests


def base(libraries):
    layer = Layer("RUN /bin/sh -c apt-get update && apt-get install -y rocm-core hsa-rocr hip-runtime-amd # buildkit")
    version = {f"{RELEASE}/.info/version": b"7.2.4-93\n"}
    owned = [("rocm-core", "7.2.4.70204-93", version, []),
             ("hsa-rocr", "1.18.0.70204-93", {f"{RELEASE}/lib/{STOCK}": libraries["hsa"]}, [f"{RELEASE}/lib/libhsa-runtime64.so.1"]),
             ("hip-runtime-amd", "7.2.53211.70204-93",
              {f"{RELEASE}/lib/{STOCK_HIP}": libraries["hip"], f"{RELEASE}/lib/libhiprtc.so.7": libraries["hiprtc"]},
              [f"{RELEASE}/lib/libamdhip64.so.7"]),
             ("comgr", "3.0.0.70204-93", {f"{RELEASE}/lib/libamd_comgr.so.3": libraries["comgr"]}, [])]
    status = ""
    for name, number, files, links in owned:
        stanza, paths, digests = package(name, number, files, links)
        status += stanza
        layer.add(f"var/lib/dpkg/info/{name}.list", content=paths.encode())
        layer.add(f"var/lib/dpkg/info/{name}.md5sums", content=digests.encode())
        for path, data in files.items():
            layer.add(path, content=data)
    layer.add("var/lib/dpkg/info/format", content=b"1\n").add("var/lib/dpkg/status", content=status.encode())
    layer.add(f"{RELEASE}/lib/libhsa-runtime64.so.1", tarfile.SYMTYPE, link=STOCK)
    layer.add(f"{RELEASE}/lib/libamdhip64.so.7", tarfile.SYMTYPE, link=STOCK_HIP)
    layer.add("etc/alternatives/rocm", tarfile.SYMTYPE, link="/" + RELEASE)
    return layer.add("opt/rocm", tarfile.SYMTYPE, link="/etc/alternatives/rocm")


def swap(libraries):
    layer = Layer("RUN /bin/sh -c install-rocm-runtime.sh --relink-old-names --markers # buildkit")
    for new, old, data, soname in ((PATCHED, STOCK, libraries["new hsa"], "libhsa-runtime64.so.1"),
                                   (PATCHED_HIP, STOCK_HIP, libraries["new hip"], "libamdhip64.so.7")):
        layer.add(f"{RELEASE}/lib/{new}", content=data)
        layer.add(f"{RELEASE}/lib/{old}", tarfile.LNKTYPE, link=f"{RELEASE}/lib/{new}")
        layer.add(f"{RELEASE}/lib/{soname}", tarfile.SYMTYPE, link=new)
    layer.add(f"{RELEASE}/.info/atom-rocm-runtime-commit", content=COMMIT.encode() + b"\n")
    return layer.add(f"{RELEASE}/.info/atom-rocm-runtime-sonames", content=b"libhsa-runtime64.so.1\nlibamdhip64.so.7\n")


def revert(libraries):
    layer = Layer("RUN /bin/sh -c apt-get install -y --fix-broken # buildkit")
    stanza, paths, digests = package("hsa-rocr", "1.18.0.70204-93", {f"{RELEASE}/lib/{STOCK}": libraries["hsa"]},
                                     [f"{RELEASE}/lib/libhsa-runtime64.so.1"])
    layer.add("var/lib/dpkg/info/hsa-rocr.list", content=paths.encode())
    layer.add("var/lib/dpkg/info/hsa-rocr.md5sums", content=digests.encode())
    layer.add(f"{RELEASE}/lib/{STOCK}", content=libraries["hsa"])
    return layer.add(f"{RELEASE}/lib/libhsa-runtime64.so.1", tarfile.SYMTYPE, link=STOCK)


def write_layout(folder, layers):
    os.makedirs(folder + "/blobs/sha256")

    def blob(data, media_type):
        digest = hashlib.sha256(data).hexdigest()
        with open(f"{folder}/blobs/sha256/{digest}", "wb") as file:
            file.write(data)
        return {"mediaType": media_type, "digest": "sha256:" + digest, "size": len(data)}

    kind = "application/vnd.oci.image."
    archives = [(layer.command, layer.bytes()) for layer in layers]
    config = {"architecture": "amd64", "os": "linux", "config": {"Env": ["PATH=/usr/bin:/bin"], "Labels": {"com.amd.rocm.version": "7.2.4"}},
              "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(data).hexdigest() for _, data in archives]},
              "history": [{"created_by": command} for command, _ in archives]}
    manifest = {"schemaVersion": 2, "mediaType": kind + "manifest.v1+json",
                "config": blob(json.dumps(config).encode(), kind + "config.v1+json"),
                "layers": [blob(data, kind + "layer.v1.tar") for _, data in archives]}
    index = {"schemaVersion": 2, "manifests": [blob(json.dumps(manifest).encode(), kind + "manifest.v1+json")]}
    for name, document in (("index.json", index), ("oci-layout", {"imageLayoutVersion": "1.0.0"})):
        with open(f"{folder}/{name}", "w") as file:
            json.dump(document, file)


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--out", required=True)
    out = arguments.parse_args().out
    calls = ["hsa_init", "hsa_shut_down", "hsa_signal_create"]
    stock, patched = (library("libhsa-runtime64.so.1", names, "ROCR_1") for names in (calls, calls + [BACKPORT]))
    libraries = {"hsa": stock, "new hsa": patched,
                 "hip": library("libamdhip64.so.7", ["hipInit"], "hip_7.2", ["hsa_init"], stock),
                 "new hip": library("libamdhip64.so.7", ["hipInit", "hipStreamCreate"], "hip_7.2", ["hsa_init", BACKPORT], patched),
                 "hiprtc": library("libhiprtc.so.7", ["hiprtcVersion"], "hiprtc_7"),
                 "comgr": library("libamd_comgr.so.3", ["amd_comgr_get_version"], "amd_comgr_3.0")}
    write_layout(out + "/good", [base(libraries), swap(libraries)])
    write_layout(out + "/bad", [base(libraries), swap(libraries), revert(libraries)])


if __name__ == "__main__":
    main()
