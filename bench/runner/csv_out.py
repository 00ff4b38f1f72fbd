"""csv_out.py — the raw samples as CSV, one line for each figure of each process"""

import csv
import io

from rounds import Measured

COLUMNS = ["round", "runtime", "name", "version", "problem", "case", "variant", "workers", "check",
           "seconds", "cpu_s", "process_wall_s", "process_cpu_s", "peak_kib", "voluntary",
           "involuntary", "steal", "other_cpus", "is_noisy"]


def _numbers(values: list[float]) -> str:
    return " ".join(f"{value:.9g}" for value in values)


def _known(value: float | None) -> str:
    return "" if value is None else f"{value:.4g}"


def write_csv(measured: Measured) -> str:
    """Lists of numbers are parted by blanks; the first line is a comment."""
    out = io.StringIO()
    out.write("# latest.csv — raw samples of the latest report, one line a figure and process\n")
    table = csv.writer(out, lineterminator="\n")
    table.writerow(COLUMNS)
    for sample in measured.samples:
        line, used, turn = sample.line, sample.used, sample.turn
        is_known = sample.group_run < len(measured.runs)    # it is not if that was broken off
        noise = measured.runs[sample.group_run].noise if is_known else None
        table.writerow([
            sample.round, turn.runtime, line.name, line.version, turn.problem, line.case,
            line.variant, turn.workers, int(line.check), _numbers(line.seconds),
            _numbers(line.cpu_s), f"{used.wall_s:.6f}", f"{used.cpu_s:.6f}", used.peak_kib,
            used.voluntary, used.involuntary, _known(noise.steal if noise else None),
            _known(noise.others if noise else None), int(noise.is_noisy) if noise else ""])
    return out.getvalue()
