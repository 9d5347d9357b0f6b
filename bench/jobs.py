"""What is measured on an image: this program's lines, and what people do today."""

import os
import shlex

# Policies by what they make the program do. `everything` stands beside the shipped ROCm policy.
POLICIES = {
    "tree": "  - {id: modes, rule: file-mode, with: {files: [/etc/**], deny: o+w, allow_empty: true}}",
    "packages": "  - {id: packages, rule: package-files}",
    "everything": """\
  - {id: packages, rule: package-files}
  - id: symbols
    rule: elf-symbols
    with: {file: /usr/lib/x86_64-linux-gnu/librocsparse.so.0, defined: [rocsparse_create_handle]}
  - id: compiler
    rule: elf-symbols
    with: {file: /usr/lib/x86_64-linux-gnu/libLLVM-14.so.1, defined: [LLVMCreateBuilder]}
  - {id: setuid, rule: setuid-files, with: {allow: [/usr/bin/su]}}
  - {id: users, rule: shadow-passwords}""",
    "history": "  - {id: secrets, rule: history-secrets}",
}


def write_policies(folder):
    os.makedirs(folder, exist_ok=True)
    paths = {}
    for name, checks in POLICIES.items():
        paths[name] = f"{folder}/{name}.yaml"
        with open(paths[name], "w", encoding="utf-8") as file:
            file.write(f"policy: bench-{name}\nlanguage: 1\nsummary: Written for a measurement.\nchecks:\n{checks}\n")
    return paths


class Ours:
    def __init__(self, binary, policies):
        self.binary, self.policies = binary, policies

    def check(self, reference, line, threads=1):
        named = ["-p", "rocm-ordering-edge"] if line == "everything" else []
        return [self.binary, "check", reference, *named, "-p", self.policies[line], "-j", str(threads),
                "--progress", "none", "-o", "json"]


def path_of(reference):
    """oci:PATH:TAG or docker-archive:PATH"""
    return reference.split(":")[1]


def shell_pipeline(blobs, form):
    """The honest rival: one pass a layer, nothing written; digests and the list of names, nothing else."""
    inflate = {"gzip": "gzip -dc", "zstd": "zstd -dcq", "pigz": "pigz -dc"}[form]
    return "; ".join(f"sha256sum {q} && {inflate} {q} | tee >(sha256sum) | tar -t" for q in map(shlex.quote, blobs))


UNPACK = "umoci unpack --image {layout} {bundle}"
LOOK = ("dpkg --verify --root={bundle}/rootfs; "
        "find {bundle}/rootfs -xdev -type f -name '*.so*' -print0 | xargs -0 nm -D --defined-only 2>/dev/null | "
        "grep -c -w rocsparse_create_handle; "
        "umoci stat --image {layout} --json | grep -c -E 'PASSWORD|SECRET|TOKEN'; true")
CONVERT = "skopeo --insecure-policy --tmpdir {scratch} copy -q {archive} oci:{scratch}/converted:scene"


def unpack_chain(reference, scratch):
    """umoci unpack + dpkg --verify --root + nm -D + grep; from a docker archive after skopeo copy."""
    names = {"bundle": f"{scratch}/bundle", "scratch": scratch}
    if reference.startswith("docker-archive:"):
        names.update(layout=f"{scratch}/converted:scene", archive=reference)
        return " && ".join((CONVERT, UNPACK, "(" + LOOK + ")")).format(**names)
    names.update(layout=reference.removeprefix("oci:"))
    return " && ".join((UNPACK, "(" + LOOK + ")")).format(**names)


def unpack_only(reference, scratch):
    return UNPACK.format(layout=reference.removeprefix("oci:"), bundle=scratch + "/bundle")


def inspect(reference):
    return ["skopeo", "inspect", "--config", reference]
