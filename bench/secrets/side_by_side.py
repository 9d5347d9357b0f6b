#!/usr/bin/env python3
"""Runs secretlint on the lines on which bench_secrets measures the search for secrets, and prints both scores.

    side_by_side.py BENCH_SECRETS [--seed N] [--decoded] [--every N] [--keep FOLDER]
    side_by_side.py BENCH_SECRETS --corpus FOLDER [--keep FOLDER]
    side_by_side.py BENCH_SECRET_FILES --files FOLDER [--every N] [--keep FOLDER]

Needs node and npm; secretlint and its recommended rules come from npm, the newest that this node runs, into
FOLDER/node (a temporary one by default). With --decoded both read the decoded texts of the documents, a line each;
without it secretlint reads the documents as they are published. A line with a secret counts as found when anything
is reported in it, which favours whoever reports something else there. Masks, tokens of nothing but one letter, are rows of
their own: the corpus has one for each detector on each surface, far more than anybody writes. --every N takes every Nth
line or file: secretlint looks at some 40 files a second. --corpus takes the cases of a folder that somebody has labelled
(bench/README.md); ocilint reads each as a file and as a text of a history. --files compares what both report of the files below a folder,
first how many, then one row a file, for looking at: what ocilint says (secret, sample, expired), then what secretlint says.
"""
import argparse
import collections
import csv
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

PACKAGES = ["secretlint@*", "@secretlint/secretlint-rule-preset-recommend@*"]
RULES = {"rules": [{"id": "@secretlint/secretlint-rule-preset-recommend"}]}
AT_ONCE = 500  # files of one start


def install(folder):
    node = folder / "node"
    if not (node / "node_modules").is_dir():
        node.mkdir(parents=True, exist_ok=True)
        (node / "package.json").write_text(json.dumps({"private": True}))
        subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--silent", *PACKAGES],
                       cwd=node, check=True)
    version = json.loads((node / "node_modules/secretlint/package.json").read_text())["version"]
    return node, version


def reported(node, root, names):
    """The files in which secretlint reports something, with the rules."""
    out = {}
    rules = node / "secretlintrc.json"
    rules.write_text(json.dumps(RULES))
    none = node / "ignore-nothing"
    none.write_text("")
    command = [node / "node_modules/.bin/secretlint", "--no-glob", "--format", "json", "--secretlintrc", rules,
               "--secretlintignore", none]
    for at in range(0, len(names), AT_ONCE):
        report = node / "report.json"  # a pipe would get 64 KiB of it
        with report.open("wb") as into:
            run = subprocess.run([*command, *names[at:at + AT_ONCE]], cwd=root, stdout=into, stderr=subprocess.PIPE,
                                 env={**os.environ, "NODE_PATH": str(node / "node_modules")})
        if run.returncode not in (0, 1):
            sys.exit(f"secretlint ended with status {run.returncode}: {run.stderr[-500:]}")
        for result in json.loads(report.read_text("utf-8", "replace") or "[]"):
            if result["messages"]:
                name = os.path.relpath(result["filePath"], root)
                out[name] = sorted({message.get("messageId", "?") for message in result["messages"]})
    return out


def show(name, found, missed, wrong, silent):
    recall = f"{found / (found + missed):.3f}" if found + missed else "-"
    precision = f"{found / (found + wrong):.3f}" if found + missed and found + wrong else "-"
    print(f"| {name} | {found} | {missed} | {wrong} | {silent} | {recall} | {precision} |")


def lines(options, folder):
    node, version = install(folder)
    corpus = pathlib.Path(tempfile.mkdtemp(dir=folder))
    command = [options.program, "--seed", str(options.seed), "--write", corpus]
    subprocess.run(command + (["--decoded"] if options.decoded else []), stdout=subprocess.DEVNULL, check=False)
    rows = list(csv.reader((corpus / "labels.tsv").open(), delimiter="\t", quoting=csv.QUOTE_NONE))[::options.every]
    theirs = reported(node, corpus, [row[0] for row in rows])
    print(f"seed {options.seed}, {len(rows)} lines, {'decoded' if options.decoded else 'as published'}\n")
    print("| program | found | missed | false | silent | recall | precision |\n|---|---|---|---|---|---|---|")
    scores = collections.defaultdict(collections.Counter)  # by what the lines are, and the program
    only = collections.Counter()
    for name, group, secret, _, ours in rows:
        for program, hit in (("ocilint", ours == "1"), (f"secretlint {version}", name in theirs)):
            column = ("found" if hit else "missed") if secret == "1" else ("false" if hit else "silent")
            scores[", masks alone" if group.startswith("mask of ") else "", program][column] += 1
        if name in theirs and ours != "1":
            only[("secret" if secret == "1" else "harmless", group)] += 1
    for (what, program), score in sorted(scores.items()):
        show(program + what, *(score[key] for key in ("found", "missed", "false", "silent")))
    for (kind, group), count in only.most_common(20):
        print(f"\nonly secretlint reports {count} lines of '{group}' ({kind})")
    shutil.rmtree(corpus)


def labelled(options, folder):
    node, version = install(folder)
    root = pathlib.Path(options.corpus).resolve()
    run = subprocess.run([options.program, "--corpus", root, "--rows"], stdout=subprocess.PIPE, check=True, text=True)
    rows = [row.split("\t") for row in run.stdout.splitlines()]
    theirs = reported(node, root, [row[0] for row in rows])
    print(f"{len(rows)} cases\n\n| program | found | missed | false | silent | recall | precision |\n|---|---|---|---|---|---|---|")
    scores = collections.defaultdict(collections.Counter)
    for name, _, secret, as_file, as_text in rows:
        for program, hit in (("ocilint, as a file", as_file != "nothing" if secret == "1" else as_file == "secret"),
                             ("ocilint, as a text", as_text == "secret"), (f"secretlint {version}", name in theirs)):
            scores[program][("found" if hit else "missed") if secret == "1" else ("false" if hit else "silent")] += 1
    for program, score in scores.items():
        show(program, *(score[key] for key in ("found", "missed", "false", "silent")))


def files(options, folder):
    node, version = install(folder)
    root = pathlib.Path(options.files).resolve()
    names = [str(path.relative_to(root)) for path in sorted(root.rglob("*")) if path.is_file() and not path.is_symlink()][::options.every]
    run = subprocess.run([options.program, root], stdout=subprocess.PIPE, check=True)
    ours, taken = collections.defaultdict(set), set(names)
    for row in run.stdout.decode("utf-8", "replace").split("\n"):
        columns = row.split("\t")
        if columns[0] in ("secret", "sample", "expired") and os.path.relpath(columns[2], root) in taken:
            ours[os.path.relpath(columns[2], root)].add(f"{columns[0]}:{columns[1]}")
    theirs = reported(node, root, names)
    secrets = sum(any(not hit.startswith("sample:") for hit in hits) for hits in ours.values())
    print(f"{len(names)} files; ocilint: {secrets} with secrets, {len(ours) - secrets} with samples alone; "
          f"secretlint {version}: {len(theirs)}; both: {len(set(ours) & set(theirs))}")
    for name in sorted(set(ours) | set(theirs)):
        print(f"{name}\t{','.join(sorted(ours.get(name, [])))}\t{','.join(theirs.get(name, []))}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=lambda name: str(pathlib.Path(name).resolve()))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--decoded", action="store_true")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--files")
    parser.add_argument("--corpus")
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    if shutil.which("npm") is None:
        sys.exit("npm is not installed")
    with tempfile.TemporaryDirectory() as temporary:
        folder = (options.keep or pathlib.Path(temporary)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        (files if options.files else labelled if options.corpus else lines)(options, folder)


if __name__ == "__main__":
    main()
