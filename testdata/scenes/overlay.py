"""Kernel overlayfs mounts: what one build step changed is exactly the upper directory."""

import contextlib
import os
import shutil
import stat
import tempfile

from . import tools

# Docker and containerd mount so; the kernel's defaults differ from machine to machine. Nothing here has to survive
# a power cut: a volatile mount does not write to disk at each fsync and unmount (kernel 5.10).
OPTIONS = "index=off,metacopy=off,redirect_dir=off,volatile"


@contextlib.contextmanager
def mounted(lowers, point, upper=None):
    """Mounts lower directories (base first), writable when an upper directory is given."""
    os.makedirs(point, exist_ok=True)
    stack = list(reversed(lowers))
    if upper:
        work = upper + ".work"
        os.makedirs(upper, exist_ok=True)
        os.makedirs(work, exist_ok=True)
        options = f"lowerdir={':'.join(stack)},upperdir={upper},workdir={work},{OPTIONS}"
    else:
        if len(stack) == 1:  # overlayfs wants two layers when nothing is writable
            empty = point + ".empty"
            os.makedirs(empty, exist_ok=True)
            stack.append(empty)
        options = f"lowerdir={':'.join(stack)}"
    tools.run("mount", "-t", "overlay", "overlay", "-o", options, point)
    try:
        yield point
    finally:
        tools.run("umount", point)


def workspace():
    """A directory on a filesystem that can hold an upper directory; a tmpfs of our own where TMPDIR cannot."""
    space = tempfile.mkdtemp(prefix="ocilint-scenes-")
    reason = _refusal(space)
    if reason:
        try:
            tools.run("mount", "-t", "tmpfs", "-o", "size=3g", "tmpfs", space)
        except RuntimeError as error:
            raise tools.Skip(f"mounting is not allowed: {error}") from error
        reason = _refusal(space)
    if reason:
        raise tools.Skip(f"overlayfs cannot be mounted: {reason}")
    return space


def discard(space):
    """Removes the work space."""
    if os.path.ismount(space):
        tools.run("umount", "--lazy", space)
    shutil.rmtree(space, ignore_errors=True)


def _refusal(space):
    probe = tempfile.mkdtemp(dir=space)
    lower = os.path.join(probe, "lower")
    upper = os.path.join(probe, "upper")
    os.mkdir(lower)
    tools.write(os.path.join(lower, "removed"), "x")
    try:
        with mounted([lower], os.path.join(probe, "mount"), upper) as root:
            os.unlink(os.path.join(root, "removed"))
        mark = os.lstat(os.path.join(upper, "removed"))
        if not (stat.S_ISCHR(mark.st_mode) and mark.st_rdev == 0):
            return "a removal did not become a whiteout device"
    except (RuntimeError, OSError) as error:
        return str(error)
    return None
