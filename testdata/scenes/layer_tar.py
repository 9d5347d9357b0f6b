"""Layer tars: from an overlayfs upper directory as Docker and Buildah record it, and by a BuildKit-like differ."""

import os
import stat
import tarfile

from . import tools

MOUNTED = ("dev", "proc", "sys")  # every engine mounts its own: the directory is recorded, not what is in it
OPAQUE = "trusted.overlay.opaque"
IMPOSSIBLE = ("trusted.overlay.redirect", "trusted.overlay.metacopy")  # switched off at mount time


def write_layer(upper, out, lower=None, clamp=True):
    """Writes one layer. With `lower` (the merged tree below) entries that did not change are skipped *before* the
    hard-link logic sees them, as BuildKit's differ does; an alias that was only linked, not touched, is then lost."""
    _Writer(out, upper, lower, clamp).write()


class _Writer:
    def __init__(self, out, upper, lower, clamp):
        self.upper, self.lower, self.clamp = upper, lower, clamp
        self.seen = {}  # inode -> first name
        self.tar = tarfile.open(out, "w", format=tarfile.PAX_FORMAT)

    def write(self):
        with self.tar:
            for name in sorted(os.listdir(self.upper)):
                self.add(name)

    def add(self, rel):
        path = os.path.join(self.upper, rel)
        status = os.lstat(path)
        if stat.S_ISCHR(status.st_mode) and status.st_rdev == 0:
            self.marker(os.path.join(os.path.dirname(rel), ".wh." + os.path.basename(rel)), status)
            return
        if self.lower and self.unchanged(rel, status):
            return
        entry, opaque = self.header(path, rel, status)
        if stat.S_ISDIR(status.st_mode):
            entry.type = tarfile.DIRTYPE
            self.tar.addfile(entry)
            if opaque:
                self.marker(os.path.join(rel, ".wh..wh..opq"), status)
            for name in sorted(os.listdir(path)) if rel not in MOUNTED else ():
                self.add(os.path.join(rel, name))
            return
        inode = (status.st_dev, status.st_ino)
        if status.st_nlink > 1 and inode in self.seen:
            entry.type, entry.linkname = tarfile.LNKTYPE, self.seen[inode]
            self.tar.addfile(entry)
            return
        self.seen[inode] = rel
        self.body(entry, path, status)

    def body(self, entry, path, status):
        if stat.S_ISREG(status.st_mode):
            entry.size = status.st_size
            with open(path, "rb") as file:
                self.tar.addfile(entry, file)
            return
        if stat.S_ISLNK(status.st_mode):
            entry.type, entry.linkname = tarfile.SYMTYPE, os.readlink(path)
        elif stat.S_ISFIFO(status.st_mode):
            entry.type = tarfile.FIFOTYPE
        elif stat.S_ISCHR(status.st_mode) or stat.S_ISBLK(status.st_mode):
            entry.type = tarfile.CHRTYPE if stat.S_ISCHR(status.st_mode) else tarfile.BLKTYPE
            entry.devmajor, entry.devminor = os.major(status.st_rdev), os.minor(status.st_rdev)
        else:
            raise RuntimeError(f"{path}: a socket cannot be in a layer")
        self.tar.addfile(entry)

    def header(self, path, rel, status):
        entry = tarfile.TarInfo(rel)
        entry.mode = stat.S_IMODE(status.st_mode)
        entry.uid, entry.gid = status.st_uid, status.st_gid
        self.stamp(entry, status)
        opaque = False
        for name in sorted(os.listxattr(path, follow_symlinks=False)):
            value = os.getxattr(path, name, follow_symlinks=False)
            if name in IMPOSSIBLE:
                raise RuntimeError(f"{path}: {name} in the upper directory, the layer would be wrong")
            if name == OPAQUE:
                opaque = value == b"y"
            elif not name.startswith("trusted."):
                entry.pax_headers["SCHILY.xattr." + name] = value.decode("utf-8", "surrogateescape")
        return entry, opaque

    def stamp(self, entry, status):
        """Times newer than the epoch are the build's own and would differ from run to run."""
        seconds, nanos = divmod(status.st_mtime_ns, 10**9)
        if self.clamp and seconds >= tools.EPOCH:
            seconds, nanos = tools.EPOCH, 0
        entry.mtime = seconds
        if nanos:
            entry.pax_headers["mtime"] = f"{seconds}.{nanos:09d}"

    def marker(self, rel, status):
        entry = tarfile.TarInfo(rel)
        self.stamp(entry, status)
        self.tar.addfile(entry)

    def unchanged(self, rel, status):
        below = os.path.join(self.lower, rel)
        if stat.S_ISDIR(status.st_mode) or not os.path.lexists(below):
            return False
        old = os.lstat(below)
        same = all(getattr(old, f) == getattr(status, f)
                   for f in ("st_mode", "st_uid", "st_gid", "st_size", "st_mtime_ns", "st_rdev"))
        if same and stat.S_ISLNK(status.st_mode):
            return os.readlink(below) == os.readlink(os.path.join(self.upper, rel))
        return same


def to_lower(layer, directory):
    """Turns a layer tar back into an overlayfs lower directory."""
    os.makedirs(directory)
    tools.run("tar", "--xattrs", "--xattrs-include=*", "--numeric-owner", "-xpf", layer, "-C", directory)
    for parent, _, files in os.walk(directory):
        for name in files:
            path = os.path.join(parent, name)
            if name == ".wh..wh..opq":
                os.unlink(path)
                os.setxattr(parent, OPAQUE, b"y")
            elif name.startswith(".wh."):
                os.unlink(path)
                os.mknod(os.path.join(parent, name[4:]), stat.S_IFCHR, 0)
    return directory
