"""Goals P1 to P9, P11 and P12 beside what was reached. Ratios only, all within one run."""

import dataclasses

from measure import median

PROTOTYPE_LINE = 0.885  # what one measuring prototype reached of (inflate + SHA-256 + scalar MD5); P3's reference


@dataclasses.dataclass
class Row:
    goal: str      # P1 …
    what: str
    wanted: str
    reached: str
    met: bool | None  # None: not measured here
    basis: str


class Results:
    """samples[image, form, line, threads] of ours; rivals[image, form, name]; floors[image, form]."""

    def __init__(self):
        self.samples, self.rivals, self.floors, self.images, self.wide_vectors = {}, {}, {}, {}, False

    def ours(self, image, form, line, threads=1, what="cpu"):
        found = self.samples.get((image, form, line, threads))
        return median(found, what) if found else None

    def rival(self, image, form, name, what="cpu"):
        found = self.rivals.get((image, form, name))
        return median(found, what) if found else None

    def digests(self, image, form):
        floor = self.floors.get((image, form))
        return floor and floor["inflate"] + floor["blob_sha"] + floor["unpacked_sha"]


def _at_most(rows, goal, what, ours, floor, wanted, basis, unit=""):
    if not ours or not floor:
        rows.append(Row(goal, what, f"≤ {wanted:g} ×", "not measured", None, basis))
        return
    ratio = ours / floor
    rows.append(Row(goal, what, f"≤ {wanted:g} ×", f"{ratio:.2f} ×", ratio <= wanted,
                    f"{ours:.3g}{unit} against {floor:.3g}{unit}: {basis}"))


def _at_least(rows, goal, what, rival, ours, wanted, basis):
    if not ours or not rival:
        rows.append(Row(goal, what, f"≥ {wanted:g} ×", "not measured", None, basis))
        return
    ratio = rival / ours
    rows.append(Row(goal, what, f"≥ {wanted:g} ×", f"{ratio:.1f} ×", ratio >= wanted,
                    f"{rival:.3g} s against {ours:.3g} s: {basis}"))


def table(results):
    rows = []
    for form in ("gzip", "zstd", "docker-archive"):
        _at_most(rows, "P1", f"big, {form}: digests and tar, CPU", results.ours("big", form, "tree"),
                 results.digests("big", form), 1.15, "inflate + SHA-256", " s")
    _hashing(results, rows)
    _walls(results, rows)
    _rivals(results, rows)
    _files(results, rows)
    _memory(results, rows)
    _start(results, rows)
    _at_most(rows, "P12", "100 layers against 1, same content, CPU", results.ours("layers100", "gzip", "tree"),
             results.ours("layers1", "gzip", "tree"), 1.10, "digests and tar", " s")
    _at_most(rows, "P12", "the same, with package-files", results.ours("layers100", "gzip", "packages"),
             results.ours("layers1", "gzip", "packages"), 1.10, "", " s")
    return rows


def _hashing(results, rows):
    wanted = 0.95 if results.wide_vectors else 1.10
    for form in ("gzip", "zstd", "docker-archive"):
        floor = results.floors.get(("big", form))
        scalar = floor and results.digests("big", form) + floor["md5"]
        _at_most(rows, "P2", f"big, {form}: + MD5 of all dpkg-owned files, CPU", results.ours("big", form, "packages"),
                 scalar, wanted, "inflate + SHA-256 + scalar MD5", " s")
        _at_most(rows, "P3", f"big, {form}: everything with the ROCm policy, CPU",
                 results.ours("big", form, "everything"), scalar and scalar * PROTOTYPE_LINE, 1.35,
                 f"{PROTOTYPE_LINE} × that sum", " s")


def _walls(results, rows):
    floor = results.floors.get(("big", "gzip"))
    bound = None
    if floor:
        chains = [max(b["inflate"], b["unpacked_sha"]) for b in floor["blobs"]]
        bound = max(results.digests("big", "gzip") / 2, *chains)
    _at_most(rows, "P4", "big, gzip: wall with 2 threads", results.ours("big", "gzip", "tree", 2, "wall"), bound, 1.15,
             "max((inflate + SHA-256) / 2, longest stage of one layer)", " s")
    _at_most(rows, "P4", "one layer: wall with 2 threads against 1", results.ours("layers1", "gzip", "packages", 2, "wall"),
             results.ours("layers1", "gzip", "packages", 1, "wall"), 0.65, "", " s")


def _rivals(results, rows):
    chain = "umoci unpack + dpkg --verify + nm -D + grep"
    _at_least(rows, "P5", f"big, gzip against {chain}, CPU", results.rival("big", "gzip", "chain"),
              results.ours("big", "gzip", "everything"), 5, "everything")
    _at_least(rows, "P5", "the same, wall, 2 threads", results.rival("big", "gzip", "chain", "wall"),
              results.ours("big", "gzip", "everything", 2, "wall"), 8, "everything")
    _at_least(rows, "P5", "big, docker-archive against skopeo copy + that chain, CPU",
              results.rival("big", "docker-archive", "chain"), results.ours("big", "docker-archive", "everything"), 10,
              "everything")
    for form, wanted in (("gzip", 3), ("pigz", 2.5), ("zstd", 2.5)):
        ours_form = "gzip" if form == "pigz" else form
        _at_least(rows, "P6", f"big against the shell pipeline with {form}, CPU", results.rival("big", ours_form, "shell-" + form),
                  results.ours("big", ours_form, "tree"), wanted, "digests and list")


def _files(results, rows):
    _at_least(rows, "P7", "100,000 files against umoci unpack, CPU", results.rival("small", "gzip", "unpack"),
              results.ours("small", "gzip", "packages"), 25, "with package-files")
    cpu = results.ours("small", "gzip", "packages")
    entries = results.images.get("small", {}).get("entries")
    if cpu and entries:
        rate = entries / cpu
        rows.append(Row("P7", "100,000 files, package-files: entries a second and core", "≥ 80,000", f"{rate:,.0f}",
                        rate >= 80_000, f"{entries} entries in {cpu:.3g} s"))


def _memory(results, rows):
    for image, form, line, threads in sorted(results.samples):
        entries = results.images.get(image, {}).get("entries")
        if line not in ("packages", "everything") or not entries:
            continue
        limit = 64 + 32 * threads + 250 * entries / 2**20
        rss = results.ours(image, form, line, threads, "rss")
        rows.append(Row("P8", f"{image}, {form}, {line}, {threads} thread{'s' * (threads > 1)}: peak memory",
                        f"≤ {limit:.0f} MiB", f"{rss:.0f} MiB", rss <= limit,
                        f"64 + 32 × {threads} + 250 bytes × {entries} entries"))
    written = [sorted(sample.written for sample in found)[(len(found) - 1) // 2] for found in results.samples.values()]
    if written:
        rows.append(Row("P9", "bytes written, all lines together", "0", f"{sum(written):.0f}", sum(written) == 0,
                        f"{len(written)} lines, medians; the first read of a file may cost a block for its access time"))


def _start(results, rows):
    for image, text in (("mini", "small image"), ("sparse", "100 GB image")):
        _at_most(rows, "P11", f"history-secrets only against skopeo inspect --config, wall, {text}",
                 results.ours(image, "gzip", "history", 1, "wall"), results.rival(image, "gzip", "inspect", "wall"), 0.3, "",
                 " s")


def markdown(rows):
    verdict = {True: "yes", False: "**MISSED**", None: "–"}
    lines = ["| goal | what | wanted | reached | met | basis |", "|---|---|---|---|---|---|"]
    lines += [f"| {r.goal} | {r.what} | {r.wanted} | {r.reached} | {verdict[r.met]} | {r.basis} |" for r in rows]
    return "\n".join(lines) + "\n"
