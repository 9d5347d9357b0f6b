#!/usr/bin/env python3
"""The regression gate: how many instructions the program needs for the mini image.

Instructions do not move with the load of the machine, so that 5 % can be told from noise. Two figures: `own` is the
program's own code, `total` also that of the libraries it calls (ISA-L, OpenSSL, libc …). instructions.txt holds what
was committed and with which libraries and compiler: when the libraries differ, only `own` is compared; when the
compiler differs, both are printed and nothing is compared, since the same source is then other instructions.

The binary is that of the dev build: optimised like a release, but its libraries are files of their own, so that the two
can be told apart.

    bench/instructions.py --binary build/dev/ocilint --work DIR [--update]

Exit status: 0 within the tolerance (or not comparable, said so), 1 outside, 2 could not be measured.
"""

import argparse
import collections
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "testdata"))
import jobs  # noqa: E402
import mini_image  # noqa: E402

RECORD = HERE + "/instructions.txt"
TOLERANCE = 0.05
LINES = ("tree", "packages", "history")
LIBRARIES = ("libisal2", "libssl3", "libzstd1", "libc6", "valgrind")


def count(binary, reference, policies, line, work):
    """Instructions by object file, one thread."""
    out = f"{work}/callgrind.{line}"
    command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", "--error-exitcode=99",
               *jobs.Ours(binary, policies).check(reference, line)]
    environment = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "HOME": work}
    done = subprocess.run(command, cwd=work, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, check=False)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{line}: exit status {done.returncode}\n{done.stderr.decode('utf-8', 'replace')[-2000:]}")
    return by_object(out)


def by_object(path):
    """Self cost by object from a callgrind file: cost lines after `calls=` are inclusive and do not count."""
    names, costs, current, inclusive = {}, collections.Counter(), None, False
    with open(path, encoding="utf-8", errors="replace") as file:
        for text in file:
            if text.startswith("ob="):
                number, _, name = text[3:].strip().partition(" ")
                if name:
                    names[number] = name
                current = names[number]
            elif text.startswith("calls="):
                inclusive = True
            elif text[0] in "0123456789+-*":
                if not inclusive:
                    costs[current] += int(text.split()[1])
                inclusive = False
            elif text.startswith("cob="):
                number, _, name = text[4:].strip().partition(" ")
                if name:
                    names[number] = name
    return costs


def measure(binary, work):
    os.makedirs(work, exist_ok=True)
    reference = mini_image.write(work)
    policies = jobs.write_policies(work + "/policies")
    figures = {}
    for line in LINES:
        costs = count(binary, reference, policies, line, work)
        figures[line + ".own"] = sum(n for name, n in costs.items() if name and os.path.basename(name) == os.path.basename(binary))
        figures[line + ".total"] = sum(costs.values())
        largest = ", ".join(f"{os.path.basename(name or '?')} {n / 1e6:.1f} M" for name, n in costs.most_common(5))
        print(f"{line}: {figures[line + '.total'] / 1e6:.1f} M instructions: {largest}", flush=True)
    return figures


def surroundings():
    shown = subprocess.run(["dpkg-query", "-W", "-f", "${Package} ${Version}\n", *LIBRARIES], stdout=subprocess.PIPE,
                           stderr=subprocess.DEVNULL, check=False).stdout.decode()
    libraries = ", ".join(shown.split("\n")).strip(", ")
    compiler = subprocess.run(["c++", "-dumpfullversion"], stdout=subprocess.PIPE, check=True).stdout.decode().strip()
    vectors = "avx2" if re.search(r"\bavx2\b", open("/proc/cpuinfo", encoding="ascii").read()) else "no avx2"
    return {"compiler": compiler, "libraries": f"{libraries}, {vectors}"}


def load():
    record = {}
    with open(RECORD, encoding="utf-8") as file:
        for text in file:
            if text.strip() and not text.startswith("#"):
                name, _, value = text.strip().partition(": ")
                record[name] = value
    return record


def save(figures, around):
    with open(RECORD, "w", encoding="utf-8") as file:
        file.write("# Instructions of a dev build on the mini image; written by `bench/instructions.py --update`.\n"
                   f"# A change of more than {TOLERANCE:.0%} in either direction fails: state the reason when updating.\n")
        for name, value in {**around, **figures}.items():
            file.write(f"{name}: {value}\n")


def compare(figures, around, record):
    if record.get("compiler") != around["compiler"]:
        print(f"not compared: recorded with compiler {record.get('compiler')}, this one is {around['compiler']}")
        return 0
    same_libraries = record.get("libraries") == around["libraries"]
    if not same_libraries:
        print(f"total is not compared: recorded with {record.get('libraries')}; here {around['libraries']}")
    bad = 0
    for name, value in figures.items():
        if name.endswith(".total") and not same_libraries:
            continue
        change = value / int(record[name]) - 1
        outside = abs(change) > TOLERANCE
        bad += outside
        print(f"{'CHANGED' if outside else 'same'}: {name} {value / 1e6:.1f} M, recorded {int(record[name]) / 1e6:.1f} M ({change:+.1%})")
    return 1 if bad else 0


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--binary", required=True, help="an optimised build")
    arguments.add_argument("--work", required=True, help="directory for the image and callgrind's files")
    arguments.add_argument("--update", action="store_true", help="write instructions.txt")
    chosen = arguments.parse_args()
    try:
        figures = measure(os.path.abspath(chosen.binary), os.path.abspath(chosen.work))
        around = surroundings()
        if chosen.update:
            save(figures, around)
            return 0
        return compare(figures, around, load())
    except (RuntimeError, OSError, KeyError) as error:
        print(f"bench/instructions.py: {error!r}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
