"""Running real tools, and the one place that says why a scene cannot be built here."""

import os
import shutil
import subprocess
import sys
import time

EPOCH = int(os.environ.get("SOURCE_DATE_EPOCH", "1767225600"))  # 2026-01-01: newer times are clamped to it
NEEDED_TOOLS = ("dpkg", "dpkg-deb", "gcc", "gzip", "zstd", "skopeo", "patchelf", "ldconfig", "update-alternatives",
                "apt-get", "apt-mark", "dpkg-scanpackages", "mmdebstrap", "mount", "umount", "unshare", "tar")
MARK = "OCILINT_SCENES_NAMESPACE"


class Skip(Exception):
    """This machine does not allow what a scene needs; the text says what."""


def environment(**more):
    """A fixed environment: nothing of the caller's but PATH and a proxy may change a scene."""
    kept = {name: value for name, value in os.environ.items() if name.lower().endswith("_proxy")}
    return {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C", "TZ": "UTC",
            "DEBIAN_FRONTEND": "noninteractive", "SOURCE_DATE_EPOCH": str(EPOCH), "HOME": "/nonexistent",
            **kept, **more}


def run(*argv, ok=(0,), env=None, **options):
    """Runs a command, returns its standard output; a failure shows everything the command said."""
    done = subprocess.run([str(a) for a in argv], env=env or environment(), stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, **options)
    if done.returncode not in ok:
        said = (done.stdout + done.stderr).decode("utf-8", "replace").strip()
        raise RuntimeError(f"exit {done.returncode}: {' '.join(str(a) for a in argv)}\n{said}")
    return done.stdout.decode("utf-8", "surrogateescape")


def shell(script, root, **variables):
    """A host shell with $ROOT set to an image's root."""
    return run("sh", "-euc", script, env=environment(ROOT=root, **variables), cwd=root)


def write(path, text, mode=0o644):
    """Creates a file (and its directories) that replaces any older one: a new inode."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if os.path.lexists(path):
        os.unlink(path)
    with open(path, "wb") as file:
        file.write(text if isinstance(text, bytes) else text.encode())
    os.chmod(path, mode)
    return path


def week():
    """Names what may change as the distribution moves on: cached downloads are made anew each week."""
    return time.strftime("%G-W%V", time.gmtime())


def require_tools():
    missing = [tool for tool in NEEDED_TOOLS if not shutil.which(tool, path=environment()["PATH"])]
    if missing:
        raise RuntimeError(f"not installed: {', '.join(missing)} (scripts/setup test installs them)")
    architecture = run("dpkg", "--print-architecture").strip()
    if architecture != "amd64":
        raise Skip(f"the scenes are amd64 images, this machine is {architecture}")


def enter_private_mounts():
    """Re-executes this program in a mount namespace of its own, so that no mount outlives it."""
    if os.environ.get(MARK):
        return
    if os.geteuid() != 0:
        raise Skip("needs root: overlayfs whiteouts are device nodes and its marks are trusted.* attributes")
    probe = subprocess.run(["unshare", "-m", "--propagation", "private", "true"], capture_output=True, check=False)
    if probe.returncode:
        raise Skip("needs a mount namespace: " + probe.stderr.decode("utf-8", "replace").strip())
    os.environ[MARK] = "1"
    sys.stdout.flush()
    os.execvp("unshare", ["unshare", "-m", "--propagation", "private", sys.executable, "-B", *sys.argv])


def ldconfig(root):
    """The real ldconfig on a root; its auxiliary cache holds inode numbers, which differ from run to run."""
    run("ldconfig", "-r", root)
    os.unlink(root + "/var/cache/ldconfig/aux-cache")


def run_to(file, *argv):
    """Runs a command with its standard output in a file."""
    subprocess.run([str(a) for a in argv], env=environment(), stdin=subprocess.DEVNULL, stdout=file, check=True)
