#!/usr/bin/env python3
"""The same questions on the same images, asked of ocilint and of the tools that Debian and npm offer.

    testdata/build.py --out SCENES/autoremove --only autoremove     (as root; likewise runtime_swap)
    bench/compare.py --ocilint build/ocilint --scenes SCENES [--install] [--write docs/compare.md]

Runs each command once for warmth and three times for the clock, as root, in a folder of its own. A tool that is not
there or does not run here has its error as its answer. With --write the table between the marks of the page is
replaced.
"""

import argparse
import json
import os
import re
import secrets as random_source
import statistics
import string
import subprocess
import sys
import tempfile
import time

APT = ("skopeo", "umoci", "debsums", "libtree", "buildah", "podman")
NPM = ("secretlint", "@secretlint/secretlint-rule-preset-recommend")
ROUNDS = 3
BEGIN, END = "<!-- table: bench/compare.py -->", "<!-- end of table -->"
LIBRARIES = "/usr/lib/x86_64-linux-gnu"


def install(folder):
    subprocess.run(["apt-get", "install", "-y", "--no-install-recommends", *APT], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["npm", "install", "--silent", "--prefix", folder, *NPM], check=True, stdout=subprocess.DEVNULL)
    with open(os.path.join(folder, ".secretlintrc.json"), "w", encoding="utf-8") as file:
        json.dump({"rules": [{"id": "@secretlint/secretlint-rule-preset-recommend"}]}, file)


class Asked:
    """One way to ask: shell lines, and which of what they print is the answer."""

    def __init__(self, tool, command, keep=None, most=3, before=None, note=""):
        self.tool, self.command, self.keep, self.most, self.before, self.note = tool, command, keep, most, before, note


def run(command, place, paths):
    began = time.monotonic()
    done = subprocess.run(["bash", "-c", command], cwd=place, env={**os.environ, **paths}, text=True, errors="replace",
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300, check=False)
    return time.monotonic() - began, done.returncode, done.stdout


def answer_of(asked, status, printed):
    lines = [line.strip() for line in re.sub(r"\x1b\[[0-9;]*m", "", printed).splitlines() if line.strip()]
    if asked.keep:
        kept = [line for line in lines if re.search(asked.keep, line)]
        if not kept and status not in (0, 1):
            kept = lines[-1:]
        lines = kept or ["(nothing of it)"]
    more = len(lines) - asked.most
    lines = [shortened(line) for line in lines[:asked.most]]
    return lines + ([f"… and {more} more lines"] if more > 0 else [])


def shortened(line, most=150):
    line = re.sub(r"  +", "  ", line)
    line = re.sub(r"[0-9a-f]{20,}", lambda found: found.group()[:12] + "…", line)
    return line if len(line) <= most else line[:most] + "…"


def questions():
    """Title, image, ways. IMAGE is the layout, ROOT what umoci unpacked of it."""
    unpack = 'rm -rf unpacked; umoci unpack --rootless --image "$IMAGE:scene" unpacked'
    root = "unpacked/rootfs"
    return (
        ("What is this image?", "libdw1-removed-vllm", (
            Asked("ocilint", 'ocilint inspect "oci:$IMAGE"', r"^(system|user|packages|ROCm|Package files|Secrets|Checks)", 7),
            Asked("skopeo", 'skopeo inspect "oci:$IMAGE"', r'"(Digest|Created|Os|Architecture)"', 4),
            Asked("podman", 'podman --root store --storage-driver vfs pull -q "oci:$IMAGE" && podman --root store --storage-driver vfs images', r"MiB|MB|REPO", 3),
        )),
        ("Which files differ from their packages?", "reverted", (
            Asked("ocilint", 'ocilint packages "oci:$IMAGE"', r"^(modified|redirected|\d+ packages)", 4),
            Asked("dpkg", unpack + f" && dpkg --root=$PWD/{root} --verify", r"^\S*5|missing", 3),
            Asked("debsums", unpack + f" && debsums --root=$PWD/{root} -s -a", None, 3),
        )),
        ("Does every library find what it needs?", "libdw1-removed-vllm", (
            Asked("ocilint", 'ocilint elf "oci:$IMAGE" /opt/rocm/lib/librocprofiler-sdk.so.1', r"^libdw.so.1|^\d+ file", 3),
            Asked("libtree", unpack + f" && libtree -p {root}/opt/rocm-7.2.4/lib/librocprofiler-sdk.so.1", r"libdw", 3,
                  note="the answer is about the libraries of the machine that it runs on"),
        )),
        ("Which layer and command removed libdw.so.1?", "libdw1-removed-vllm", (
            Asked("ocilint", f'ocilint blame "oci:$IMAGE" {LIBRARIES}/libdw.so.1', r"removed  |gone since", 2),
            Asked("podman", 'podman --root store --storage-driver vfs pull -q "oci:$IMAGE" > id && podman --root store --storage-driver vfs history --no-trunc $(cat id)',
                  r"apt-get|dpkg", 3, note="the commands, newest first; which of them removed the file is a guess"),
            Asked("tar, by hand", 'for d in $(skopeo inspect --raw "oci:$IMAGE" | jq -r ".layers[].digest"); do echo "$d"; '
                  '{ zcat "$IMAGE/blobs/sha256/${d#sha256:}" 2>/dev/null || zstdcat "$IMAGE/blobs/sha256/${d#sha256:}" || cat "$IMAGE/blobs/sha256/${d#sha256:}"; } '
                  '| tar t 2>/dev/null | grep -F .wh.libdw; done; skopeo inspect --config "oci:$IMAGE" | jq -r ".history[].created_by"',
                  r"\.wh\.libdw\.so|autoremove", 4, note="the layer's line in the history is counted by hand, past the empty ones"),
        )),
        ("Why did apt remove it?", "libdw1-removed-vllm", (
            Asked("ocilint", 'ocilint packages "oci:$IMAGE" --why libdw1', r"removed in|up to layer|let go|that layer", 4),
            Asked("apt, by its log", unpack + f" && grep -B3 libdw1 {root}/var/log/apt/history.log", None, 3,
                  note="where an image keeps it: this one has none, and many builds delete it"),
        )),
        ("Who put the stock file back?", "reverted", (
            Asked("ocilint", 'ocilint blame "oci:$IMAGE" /opt/rocm/lib/libhsa-runtime64.so.1.18.70204', r"wrote|linked|changed", 5),
            Asked("dpkg", unpack + f" && dpkg --root=$PWD/{root} --verify hsa-rocr; echo \"exit status $?\"", None, 2,
                  note="the file is the package's own again: nothing to report"),
        )),
        ("Which secrets does it publish?", "SECRET", (
            Asked("ocilint", 'ocilint inspect "oci:$IMAGE"', r"^Secrets|\.env", 4),
            Asked("secretlint", unpack + f' && skopeo inspect --config "oci:$IMAGE" > {root}/config.json && '
                  f'"$NPM/node_modules/.bin/secretlint" --secretlintrc "$NPM/.secretlintrc.json" --maskSecrets "{root}/**/*"; echo "exit status $?"',
                  r"error|problem|exit status", 4, note="the last state and the config; deleted files are not there any more"),
        )),
        ("What changed between two images?", "PAIR", (
            Asked("ocilint", 'ocilint diff "oci:$OTHER" "oci:$IMAGE" | tail -n +4', None, 5),
            Asked("umoci and diff", 'rm -rf unpacked other; umoci unpack --rootless --image "$OTHER:scene" other; umoci unpack --rootless --image "$IMAGE:scene" unpacked; '
                  'diff -rq --no-dereference other/rootfs unpacked/rootfs', None, 5),
        )),
    )


def find_image(scenes, name):
    for place, _, _ in os.walk(scenes):
        if os.path.basename(place) == name and os.path.isdir(os.path.join(place, "blobs")):
            return place
    raise SystemExit(f"no image {name} below {scenes}: see the head of this file")


def image_with_secrets(place):
    """Two tokens made here: one in a file that is there, one in a file that the next layer deletes."""
    image, alphabet = os.path.join(place, "two-tokens"), string.ascii_letters + string.digits
    if os.path.isdir(image):
        return image
    for name in ("kept.env", "deleted.env"):
        with open(os.path.join(place, name), "w", encoding="utf-8") as file:
            file.write("GITHUB_TOKEN=ghp_" + "".join(random_source.choice(alphabet) for _ in range(36)) + "\n")
    for command in (["init", "--layout", image], ["new", "--image", image + ":scene"],
                    *(["insert", "--rootless", "--image", image + ":scene", os.path.join(place, name), "/app/" + name]
                      for name in ("kept.env", "deleted.env")),
                    ["insert", "--rootless", "--image", image + ":scene", "--whiteout", "/app/deleted.env"]):
        subprocess.run(["umoci", *command], check=True)
    return image


def rows(arguments, place, npm):
    out = []
    for title, name, ways in questions():
        image = image_with_secrets(place) if name == "SECRET" else find_image(
            arguments.scenes, "reverted" if name == "PAIR" else name)
        paths = {"IMAGE": image, "NPM": npm, "PATH": os.path.dirname(os.path.abspath(arguments.ocilint)) + ":" + os.environ["PATH"]}
        if name == "PAIR":
            paths["OTHER"] = find_image(arguments.scenes, "swap-done-right")
        out.append(f"\n### {title}\n\nImage: `{os.path.basename(image)}`\n")
        for asked in ways:
            run(asked.command, place, paths)
            taken = [run(asked.command, place, paths) for _ in range(ROUNDS)]
            seconds = statistics.median(one[0] for one in taken)
            _, status, printed = taken[-1]
            answer = answer_of(asked, status, printed.replace(place + "/", "").replace(os.path.abspath(arguments.scenes).lstrip("/"), "SCENES").replace("/SCENES", "SCENES"))
            out.append(f"**{asked.tool}**, {seconds:.2f} s" + (f" ({asked.note})" if asked.note else "") + "\n")
            out.append("    $ " + asked.command + "\n" + "".join(f"    {line}\n" for line in answer))
    return "\n".join(out)


def versions():
    out = []
    for tool, command in (("skopeo", "skopeo --version"), ("umoci", "umoci --version"), ("dpkg", "dpkg --version | head -1"),
                          ("debsums", "debsums --version | head -1"), ("libtree", "libtree --version"), ("podman", "podman --version"),
                          ("buildah", "buildah --version")):
        done = subprocess.run(["bash", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
        found = re.search(r"\d+\.[\w.+~]*\w", done.stdout)
        out.append(f"{tool} {found.group() if found else 'not here'}")
    return ", ".join(out)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--ocilint", required=True)
    arguments.add_argument("--scenes", required=True)
    arguments.add_argument("--npm", default="/var/tmp/ocilint-compare-npm", help="where npm installs secretlint")
    arguments.add_argument("--install", action="store_true", help="get the tools with apt-get and npm first")
    arguments.add_argument("--write", metavar="PAGE")
    chosen = arguments.parse_args()
    os.makedirs(chosen.npm, exist_ok=True)
    if chosen.install:
        install(chosen.npm)
    with tempfile.TemporaryDirectory() as place:
        table = f"{versions()}; {os.cpu_count()} cores, medians of {ROUNDS} runs\n" + rows(chosen, place, chosen.npm)
    if not chosen.write:
        print(table)
        return
    with open(chosen.write, encoding="utf-8") as file:
        page = file.read()
    begin, end = page.index(BEGIN) + len(BEGIN), page.index(END)
    with open(chosen.write, "w", encoding="utf-8") as file:
        file.write(page[:begin] + "\n\n" + table + "\n" + page[end:])


if __name__ == "__main__":
    sys.exit(main())
