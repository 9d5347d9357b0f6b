#!/usr/bin/env python3
"""Measures ocilint against its goals, this machine's own floor, and what people do today. See README.md beside it."""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import goals  # noqa: E402
import jobs  # noqa: E402
import measure  # noqa: E402

START_RUNS = 4  # a start takes milliseconds: so many times as often


class Bench:
    def __init__(self, chosen):
        self.chosen = chosen
        self.images = json.load(open(chosen.images + "/images.json", encoding="utf-8"))
        self.scratch = os.path.join(chosen.images, "scratch")
        self.ours = jobs.Ours(os.path.abspath(chosen.binary), jobs.write_policies(chosen.images + "/policies"))
        self.results = goals.Results()
        self.results.images = self.images
        self.results.wide_vectors = "avx512bw" in open("/proc/cpuinfo", encoding="ascii").read()
        self.exits = {}

    def measure_image(self, name):
        """One round: every line once, one after the other; rounds are repeated, so that noise meets all alike."""
        row = self.images[name]
        for turn in range(self.chosen.repeats):
            for form, details in row["forms"].items():
                if self.chosen.form and form not in self.chosen.form:
                    continue
                self.calibrate(name, form, details)
                for line, threads in self.lines(name, form):
                    self.run_ours(name, form, details["reference"], line, threads)
                if turn < self.chosen.rival_repeats:
                    self.run_rivals(name, form, details)
            say(f"{name}: round {turn + 1} of {self.chosen.repeats}")

    def lines(self, name, form):
        if name == "sparse":
            return [("history", 1)] * START_RUNS
        if name == "mini":
            return [("history", 1)] * START_RUNS + [("tree", 1), ("packages", 1)]
        chosen = [("tree", 1), ("packages", 1)]
        if name == "big":
            chosen += [("everything", 1)]
        if form == "gzip":
            chosen += [(line, 2) for line, _ in chosen]
        return chosen

    def calibrate(self, name, form, details):
        if "blobs" not in details:
            return
        said = subprocess.run([self.chosen.calibrate, "--owned", self.images[name]["owned"], *details["blobs"]],
                              check=True, stdout=subprocess.PIPE).stdout
        self.results.floors.setdefault((name, form), []).append(json.loads(said))

    def run_ours(self, name, form, reference, line, threads):
        sample = measure.run(self.ours.check(reference, line, threads), limit=self.chosen.limit)
        self.results.samples.setdefault((name, form, line, threads), []).append(sample)
        self.exits[name, form, line, threads] = sample.exit

    def run_rivals(self, name, form, details):
        reference = details["reference"]
        found = {}
        if name in ("mini", "sparse"):
            found["inspect"] = jobs.inspect(reference)
        elif name == "small" and form == "gzip":
            found["unpack"] = jobs.unpack_only(reference, self.scratch)
        elif name == "big":
            if form != "zstd":
                found["chain"] = jobs.unpack_chain(reference, self.scratch)
            if form != "docker-archive":
                found["shell-" + form] = jobs.shell_pipeline(details["blobs"], form)
            if form == "gzip" and shutil.which("pigz"):
                found["shell-pigz"] = jobs.shell_pipeline(details["blobs"], "pigz")
        for rival, command in found.items():
            for _ in range(START_RUNS if rival == "inspect" else 1):
                shutil.rmtree(self.scratch, ignore_errors=True)
                os.makedirs(self.scratch)
                sample = measure.run(command)
                if sample.exit not in (0, 1):
                    raise RuntimeError(f"{rival} on {name}, {form}: exit status {sample.exit}")
                self.results.rivals.setdefault((name, form, rival), []).append(sample)
        shutil.rmtree(self.scratch, ignore_errors=True)

    def settle_floors(self):
        """Medians of each part over the rounds."""
        def middle(values):
            return sorted(values)[len(values) // 2]
        for key, rounds in self.results.floors.items():
            parts = ("read", "blob_sha", "inflate", "unpacked_sha")
            floor = {part: middle([r[part] for r in rounds]) for part in (*parts, "md5")}
            floor["blobs"] = [{part: middle([r["blobs"][i][part] for r in rounds]) for part in parts}
                              for i in range(len(rounds[0]["blobs"]))]
            self.results.floors[key] = floor


def stop(*_):
    raise KeyboardInterrupt


def say(text):
    print(text, file=sys.stderr, flush=True)


def details_table(bench):
    results = bench.results
    lines = ["| image | form | line | threads | CPU s | spread | wall s | peak MiB | written | exit |",
             "|---|---|---|---|---|---|---|---|---|---|"]
    def row(image, form, line, threads, samples):
        return (f"| {image} | {form} | {line} | {threads} | {measure.median(samples):.3f} | ±{measure.spread(samples) / 2:.0%} | "
                f"{measure.median(samples, 'wall'):.3f} | {measure.median(samples, 'rss'):.0f} | "
                f"{max(s.written for s in samples) / 1e6:.0f} MB | {samples[-1].exit} |")
    lines += [row(*key, samples) for key, samples in sorted(results.samples.items())]
    lines += [row(image, form, f"*{name}*", "", samples) for (image, form, name), samples in sorted(results.rivals.items())]
    lines += ["", "| calibration | form | read | SHA-256 of blobs | inflate | SHA-256 of tars | scalar MD5 of owned files |",
              "|---|---|---|---|---|---|---|"]
    for (image, form), f in sorted(results.floors.items()):
        lines.append(f"| {image} | {form} | {f['read']:.3f} | {f['blob_sha']:.3f} | {f['inflate']:.3f} | "
                     f"{f['unpacked_sha']:.3f} | {f['md5']:.3f} |")
    return "\n".join(lines) + "\n"


def write_json(bench, rows, path, about):
    out = {"about": about, "goals": [vars(row) for row in rows],
           "samples": [{"image": k[0], "form": k[1], "line": k[2], "threads": k[3], "runs": [vars(s) for s in v]}
                       for k, v in bench.results.samples.items()],
           "rivals": [{"image": k[0], "form": k[1], "name": k[2], "runs": [vars(s) for s in v]}
                      for k, v in bench.results.rivals.items()],
           "calibration": [{"image": k[0], "form": k[1], **v} for k, v in bench.results.floors.items()]}
    with open(path, "w", encoding="utf-8") as file:
        json.dump(out, file, indent=1)


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--images", required=True, help="what make_images.py wrote")
    arguments.add_argument("--binary", required=True, help="a release build of ocilint")
    arguments.add_argument("--calibrate", required=True, help="bench_calibrate of the same build")
    arguments.add_argument("--repeats", type=int, default=5)
    arguments.add_argument("--rival-repeats", type=int, default=2, help="what people do today takes minutes a run")
    arguments.add_argument("--only", action="append", help="these images only; repeatable")
    arguments.add_argument("--form", action="append", help="these forms only; repeatable")
    arguments.add_argument("--limit", type=int, default=600, help="seconds after which a run of ocilint is stopped")
    arguments.add_argument("--quick", action="store_true", help="3 rounds, without `big` and what takes minutes")
    arguments.add_argument("--json", metavar="FILE", help="also every sample")
    chosen = arguments.parse_args()
    if chosen.quick:
        chosen.repeats, chosen.rival_repeats = 3, 1
        chosen.only = chosen.only or ["mini", "sparse", "layers1", "layers100", "small"]
    bench = Bench(chosen)
    machine = measure.Machine()
    began = time.monotonic()
    signal.signal(signal.SIGTERM, stop)
    try:
        for name in bench.images:
            if not chosen.only or name in chosen.only:
                bench.measure_image(name)
    except KeyboardInterrupt:
        say("stopped: what was measured so far")
    bench.settle_floors()
    others, load = machine.others()
    rows = goals.table(bench.results)
    model = next((line.partition(": ")[2].strip() for line in open("/proc/cpuinfo", encoding="ascii") if "model name" in line), "")
    about = (f"{os.cpu_count()} cores, {model}; {chosen.repeats} rounds, medians; {time.monotonic() - began:.0f} s; "
             f"other processes used {others:.0%} of the machine, load {load:.1f}"
             + ("; wall times are not to be trusted" if others > 0.05 else ""))
    print(about + "\n\n" + goals.markdown(rows) + "\n" + details_table(bench))
    if chosen.json:
        write_json(bench, rows, chosen.json, about)
    unreadable = {key: code for key, code in bench.exits.items() if code not in (0, 1)}
    for key, code in unreadable.items():
        say(f"no verdict: {' '.join(map(str, key))}: exit status {code}")
    return 1 if unreadable else 0


if __name__ == "__main__":
    sys.exit(main())
