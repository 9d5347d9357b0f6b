"""One command, measured: processor time of it and everything it waited for, wall time, peak memory, bytes written."""

import dataclasses
import os
import signal
import statistics
import time


@dataclasses.dataclass
class Sample:
    cpu: float      # user + system, seconds: what comparisons are made of
    wall: float
    rss: float      # MiB, the largest process; never less than this interpreter (about 20), which forks it
    written: int    # bytes that reached a filesystem, as the kernel accounts them (ru_oublock)
    exit: int       # -1: stopped because it took longer than `limit`


def run(argv, limit=3600, stdout=os.devnull, cwd=None):
    """argv: a list, or a text for `bash -c`. Output goes to a file, so that no pipe of ours slows it down."""
    if isinstance(argv, str):
        argv = ["bash", "-o", "pipefail", "-c", argv]
    began = time.monotonic()
    child = os.fork()
    if child == 0:
        try:
            os.setsid()
            if cwd:
                os.chdir(cwd)
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            os.dup2(os.open(stdout, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644), 1)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            os.execvp(argv[0], argv)
        finally:
            os._exit(127)
    status, usage, stopped = _wait(child, began + limit)
    code = -1 if stopped else os.waitstatus_to_exitcode(status)
    if code == 127:
        raise RuntimeError(f"cannot run {argv[0]}")
    return Sample(usage.ru_utime + usage.ru_stime, time.monotonic() - began, usage.ru_maxrss / 1024,
                  usage.ru_oublock * 512, code)


def _wait(child, deadline):
    stopped = False
    def stop(*_):
        nonlocal stopped
        stopped = True
        os.killpg(child, signal.SIGKILL)
    old = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, max(0.01, deadline - time.monotonic()))
    try:
        _, status, usage = os.wait4(child, 0)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
    return status, usage, stopped


class Machine:
    """How much of the machine others used while we measured."""

    def __init__(self):
        self._busy, self._total = self._read()
        self._own = self._own_time()

    def others(self):
        """Share of all cores that processes which are not ours used since construction, and the load now."""
        busy, total = self._read()
        ticks = os.sysconf("SC_CLK_TCK")
        own = (self._own_time() - self._own) * ticks
        share = (busy - self._busy - own) / max(1, total - self._total)
        return max(0.0, share), os.getloadavg()[0]

    @staticmethod
    def _own_time():
        times = os.times()
        return times.user + times.system + times.children_user + times.children_system

    @staticmethod
    def _read():
        with open("/proc/stat", encoding="ascii") as file:
            fields = [int(text) for text in file.readline().split()[1:9]]
        idle = fields[3] + fields[4]
        return sum(fields) - idle, sum(fields)


def median(samples, what="cpu"):
    return statistics.median(getattr(sample, what) for sample in samples)


def spread(samples, what="cpu"):
    values = [getattr(sample, what) for sample in samples]
    return (max(values) - min(values)) / max(1e-9, statistics.median(values))
