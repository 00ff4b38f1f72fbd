"""machine.py — the machine a report was made on, and how quiet it was meanwhile"""

import os
import platform
import re
import resource
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

STEAL_MOST = 0.01   # share of the CPUs' time that the host gave to others
OTHERS_MOST = 0.2   # CPUs busy with processes that are not ours
SETTINGS = re.compile(r"(OMP|GOMP|KMP|TBB|RAYON|TOKIO|STARPU)_|SKUA_WORKERS$|"
                      r"(GOMAXPROCS|GOGC|GODEBUG|GOMEMLIMIT|JAVA_TOOL_OPTIONS)$")


@dataclass
class Clock:
    """The machine's time accounts at one moment; the differences of two are what is looked at."""
    now_s: float
    busy_s: float       # of all CPUs, stolen time not included
    steal_s: float
    all_s: float
    own_s: float        # ours and our children's

    @staticmethod
    def read(stat: Path = Path("/proc/stat")) -> "Clock | None":
        """None: this system does not say."""
        try:
            words = [int(word) for word in stat.read_text().split("\n")[0].split()[1:9]]
        except (OSError, ValueError):
            return None
        if len(words) < 8:
            return None
        tick = os.sysconf("SC_CLK_TCK")
        user, nice, system, idle, iowait, irq, softirq, steal = (word / tick for word in words)
        own = sum(used.ru_utime + used.ru_stime for used in map(
            resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))
        busy = user + nice + system + irq + softirq
        return Clock(time.monotonic(), busy, steal, busy + idle + iowait + steal, own)


@dataclass
class Noise:
    """What was not ours between two moments."""
    steal: float | None     # share of all CPU time
    others: float | None    # CPUs, on average

    @property
    def is_noisy(self) -> bool:
        return (self.steal or 0) > STEAL_MOST or (self.others or 0) > OTHERS_MOST

    @staticmethod
    def between(before: Clock | None, after: Clock | None) -> "Noise":
        """Nothing is said of less than half a second: the accounts are kept in hundredths."""
        if not before or not after:
            return Noise(None, None)
        if after.now_s - before.now_s < 0.5 or after.all_s <= before.all_s:
            return Noise(None, None)
        others = (after.busy_s - before.busy_s) - (after.own_s - before.own_s)
        return Noise((after.steal_s - before.steal_s) / (after.all_s - before.all_s),
                     max(0.0, others / (after.now_s - before.now_s)))


def _first(path: str, pattern: str) -> str | None:
    try:
        found = re.search(pattern, Path(path).read_text(), re.M)
    except OSError:
        return None
    return found[1].strip() if found else None


def _output(*command: str) -> str | None:
    """The first line a command prints; some print it as an error."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.SubprocessError):
        return None
    lines = (done.stdout + done.stderr).strip().splitlines()
    return lines[0].strip() if lines and done.returncode == 0 else None


def _caches() -> str | None:
    sizes = []
    for index in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        level, kind, size = (_first(str(index / name), r"^(.+)$")
                             for name in ("level", "type", "size"))
        if level and kind and size:
            sizes.append(f"L{level}{ {'Data': 'd', 'Instruction': 'i'}.get(kind, '')} {size}")
    return ", ".join(sizes) or None


def describe(root: Path) -> dict[str, str | int | None]:
    """What a reader must know to compare; null: this system does not say."""
    memory = _first("/proc/meminfo", r"^MemTotal:\s+(\d+) kB")
    settings = sorted(f"{name}={value}" for name, value in os.environ.items()
                      if SETTINGS.match(name))
    smt = _first("/sys/devices/system/cpu/smt/active", r"^(\d)")
    commit = _output("git", "-C", str(root), "describe", "--always", "--dirty")
    return {
        "cpu": _first("/proc/cpuinfo", r"^model name\s*:\s*(.+)$") or platform.machine(),
        "cpus": len(os.sched_getaffinity(0)),
        "cpus_online": os.cpu_count(),
        "smt": {"0": "off", "1": "on"}.get(smt or ""),
        "hypervisor": "yes" if _first("/proc/cpuinfo", r"^flags\s*:.*\b(hypervisor)\b") else None,
        "caches": _caches(),
        "memory_mib": int(memory) // 1024 if memory else None,
        "kernel": f"{platform.system()} {platform.release()}",
        "governor": _first("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", r"^(\S+)"),
        "libc": " ".join(platform.libc_ver()).strip() or None,
        "gcc": _output("gcc", "--version"), "clang": _output("clang", "--version"),
        "rustc": _output("rustc", "--version"), "go": _output("go", "version"),
        "java": _output("java", "-version"), "python": platform.python_version(),
        "skua_commit": commit, "settings": " ".join(settings) or None,
    }
