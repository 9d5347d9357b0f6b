"""The layers of the big image: a real Debian root that grows by real apt, recorded after each stage.

mmdebstrap makes the root and calls this file as its hook once a stage: `root_layers.py ROOT STAGE OUT`. A stage
runs, then everything that is new, changed or gone since the stage before becomes a layer tar.
"""

import os
import pickle
import stat
import subprocess
import sys
import tarfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "testdata"))
from scenes import layer_tar, rocm, tools  # noqa: E402

# What a ROCm image is made of, in sizes and in kinds of files. librocsparse0 is one library of 1.2 GB.
STAGES = (
    ("FROM bookworm", ()),
    ("RUN apt-get install -y python3-scipy python3-pandas python3-sklearn",
     ("python3-scipy", "python3-pandas", "python3-sklearn")),
    ("RUN apt-get install -y g++ llvm-14-dev openjdk-17-jre-headless",
     ("g++", "llvm-14-dev", "openjdk-17-jre-headless")),
    ("RUN apt-get install -y librocsparse0 libamdhip64-5 libhsa-runtime64-1",
     ("librocsparse0", "libamdhip64-5", "libhsa-runtime64-1")),
    ("RUN apt-get install -y python3-torch libdw1", ("python3-torch", "libdw1")),
    ("RUN dpkg -i rocm-core hsa-rocr hip-runtime-amd", ()),
    ("RUN install-rocm-runtime && rm -rf /usr/share/doc && COPY app /app", ()),
)
ROCM_STAGE, APP_STAGE = len(STAGES) - 2, len(STAGES) - 1
APP_FILES = 20000
LEFT_OUT = ("dev", "proc", "sys", "run", "tmp", "var/tmp", "var/cache/apt", "var/lib/apt/lists", "etc/resolv.conf",
            "var/log", "var/cache/debconf", "var/cache/ldconfig/aux-cache")
RECIPE = repr((1, STAGES, APP_FILES, LEFT_OUT))


class Parts:
    """What testdata's builders of toy packages ask of a workshop."""

    def __init__(self, space):
        self.space, self._made, self._count = space, {}, 0
        os.makedirs(space, exist_ok=True)

    def fresh(self):
        self._count += 1
        return f"{self.space}/part-{self._count}"

    def once(self, key, make):
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]


def run_mmdebstrap(out):
    """Makes OUT/0.tar … OUT/N.tar."""
    os.makedirs(out + "/space", exist_ok=True)
    hooks = [f'--customize-hook={sys.executable} -B {os.path.abspath(__file__)} "$1" {stage} {out}'
             for stage in range(len(STAGES))]
    tools.run("mmdebstrap", "--mode=root", "--variant=apt", "--format=null", "--aptopt=Acquire::Languages none",
              *hooks, "bookworm", "/dev/null", env=tools.environment(TMPDIR=out + "/space"))
    return [f"{out}/{stage}.tar" for stage in range(len(STAGES))]


def run_stage(root, stage, out):
    packages = STAGES[stage][1]
    if packages:
        environment = tools.environment(APT_CONFIG=os.environ["MMDEBSTRAP_APT_CONFIG"])
        apt = ("apt-get", "-q", "-y", "--no-install-recommends", "-o", f"DPkg::Chroot-Directory={root}")
        tools.run(*apt, "install", *packages, env=environment)
        tools.run(*apt, "clean", env=environment)
    if stage == ROCM_STAGE:
        install_rocm(root, Parts(out + "/space/parts"))
    elif stage == APP_STAGE:
        rocm.swap(Parts(out + "/space/app"))(root)
        application(root)
    before = {}
    if stage:
        with open(out + "/snapshot", "rb") as file:
            before = pickle.load(file)
    now = snapshot(root)
    write_changes(root, before, now, f"{out}/{stage}.tar")
    with open(out + "/snapshot", "wb") as file:
        pickle.dump(now, file)


def install_rocm(root, parts):
    debs = rocm.packages(parts).values()
    for deb in debs:
        tools.run("cp", deb, root + "/var/tmp/")
    tools.run("chroot", root, "sh", "-euc", "dpkg -i /var/tmp/*.deb; rm /var/tmp/*.deb")


def application(root):
    """What builds do to a finished root: prune documents, edit and tamper, add files that no package owns."""
    tools.shell("find usr/share/doc -mindepth 2 -type f ! -name copyright -delete; rm -rf usr/share/man", root)
    tools.shell("printf '#' >> usr/bin/ldd; printf '#' >> usr/share/perl5/Debconf/Config.pm; chmod u+s usr/bin/gpasswd", root)
    texts = real_small_files(root)
    for number in range(APP_FILES):
        text = texts[number % len(texts)] + f"\n# {number}\n".encode()
        tools.write(f"{root}/app/src/{number % 97}/{number % 31}/module_{number}.py", text)


def real_small_files(root, below="usr/lib/python3", most=24_000, count=8000):
    out = []
    for parent, folders, files in os.walk(os.path.join(root, below)):
        folders.sort()
        for name in sorted(files):
            path = os.path.join(parent, name)
            if os.path.islink(path) or not 0 < os.path.getsize(path) < most:
                continue
            with open(path, "rb") as file:
                out.append(file.read())
            if len(out) == count:
                return out
    return out


def snapshot(root):
    """path -> what the kernel changes when the file changes."""
    found = {}
    for parent, folders, files in os.walk(root):
        rel = os.path.relpath(parent, root)
        folders[:] = sorted(n for n in folders if os.path.normpath(os.path.join(rel, n)) not in LEFT_OUT)
        for name in folders + files:
            path = os.path.normpath(os.path.join(rel, name))
            if path in LEFT_OUT:
                continue
            status = os.lstat(os.path.join(root, path))
            directory = stat.S_ISDIR(status.st_mode)
            found[path] = (status.st_mode, status.st_uid, status.st_gid, status.st_ino,
                           0 if directory else status.st_ctime_ns, 0 if directory else status.st_size)
    return found


def write_changes(root, before, now, out):
    changed = {path for path, value in now.items() if before.get(path) != value}
    gone = {path for path in before if path not in now}
    gone = {path for path in gone if os.path.dirname(path) not in gone}
    wanted = set()
    for path in changed | {os.path.dirname(path) for path in gone}:
        while path:
            wanted.add(path)
            path = os.path.dirname(path)
    writer = _Changes(out, root, wanted)
    with writer.tar:
        for name in sorted(os.listdir(root)):
            writer.add(name)
        for path in sorted(gone):
            entry = tarfile.TarInfo(os.path.join(os.path.dirname(path), ".wh." + os.path.basename(path)))
            entry.mtime = tools.EPOCH
            writer.tar.addfile(entry)


class _Changes(layer_tar._Writer):
    """The writer of scene layers, but what is unchanged is known beforehand."""

    def __init__(self, out, root, wanted):
        super().__init__(out, root, lower=root, clamp=True)
        self.wanted = wanted

    def unchanged(self, rel, status):
        return rel not in self.wanted


if __name__ == "__main__":
    try:
        run_stage(sys.argv[1], int(sys.argv[2]), sys.argv[3])
    except subprocess.CalledProcessError as error:
        sys.exit(str(error))
