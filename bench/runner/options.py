"""options.py — the command line of the runner: what there is not is said, with what there is"""

import argparse
from pathlib import Path

import ours
import peers
import plugins
import problems
from build import ROOT

REPORTS = ROOT / "bench/reports"
PLUGINS = ROOT / "bench/plugins"
OURS = ROOT / "build/release/skua"


def words(text: str) -> list[str]:
    return list(dict.fromkeys(filter(None, text.split(","))))


def numbers(text: str) -> list[int]:
    """Some numbers of workers."""
    try:
        found = sorted({int(word) for word in text.split(",")})
        if len(found) > 6 or not all(1 <= number <= 256 for number in found):
            raise ValueError
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"'{text}': expected up to six numbers from 1 to 256, as in 1,2,4") from None
    return found


def positive(text: str) -> float:
    try:
        if 0 < float(text) < 1e6:
            return float(text)
    except ValueError:
        pass
    raise argparse.ArgumentTypeError(f"'{text}': expected a number above 0")


def whole(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 1000:
        raise argparse.ArgumentTypeError(f"'{text}': expected a whole number from 1 to 1000")
    return int(text)


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench/runner/bench", add_help=False, allow_abbrev=False,
                                     usage="bench/runner/bench [--help] [OPTION...]")
    parser.add_argument("--peers", type=words)
    parser.add_argument("--kernels", type=words)
    parser.add_argument("--workers", type=numbers)
    parser.add_argument("--minutes", type=positive)
    parser.add_argument("--rounds", type=whole)
    parser.add_argument("--limit", type=positive)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--plugins", type=Path)
    parser.add_argument("--reports", type=Path, default=REPORTS)
    parser.add_argument("--skua", type=Path, default=OURS)
    parser.add_argument("--from", type=Path, dest="source")
    for flag in ("quick", "strict", "list", "help"):
        parser.add_argument(f"--{flag}", action="store_true", dest=f"is_{flag}")
    options = parser.parse_args(arguments)
    for name, usual, quick in (("workers", [1, 2, 4, 16], [1, 2]), ("minutes", 22, 2.5),
                               ("rounds", 15, 7), ("limit", 30, 5)):
        if getattr(options, name) is None:
            setattr(options, name, quick if options.is_quick else usual)
    try:
        options.rows = problems.rows_for(options.kernels, options.is_quick)
        options.extra = read_plugins(options.plugins)
        known = [*peers.KNOWN, *(runtime.name for runtime in options.extra)]
        if options.peers is None:
            options.peers = known
        options.peers = [name for name in options.peers if name != "none"]
        if strange := [name for name in options.peers if name not in known]:
            raise ValueError(f"there is no peer '{strange[0]}'; there are {', '.join(known)}")
    except ValueError as error:
        parser.error(str(error))
    return options


def read_plugins(path: Path | None) -> list[peers.Runtime]:
    if path is None and not PLUGINS.exists():
        return []
    return plugins.read_plugins(path or PLUGINS, [ours.SKUA, ours.SERIAL, "none", *peers.KNOWN])
