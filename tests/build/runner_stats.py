"""runner_stats.py — medians, intervals, verdicts and rounds on data whose truth is known"""

import math
import os
import random
import sys
import tempfile
import types
import unittest
import unittest.mock
from collections import Counter
from pathlib import Path

SOURCE = Path(os.environ["SKUA_SOURCE"])
sys.path.insert(0, str(SOURCE / "bench/runner"))    # where the next lines find what is tested

import results
import stats
import wording
from machine import Clock, Noise
from measure import Line, NotOffered, Run, Used
from problems import ROWS, Row, rows_for
from rounds import GroupRun, Measured, Plan, Progress, Rounds, Sample, Turn, water_level

USED = Used(0, 1.0, 1.0, 2048, 3, 4)
ROW = Row("fib", "20", "a title", "a prediction", has_forks=True, why={"skua": "we know."})


def skewed(seed: int, count: int, middle: float = 1.0) -> list[float]:
    """Times as they are: a floor, and a tail to the right; the median is known."""
    draw = random.Random(seed)
    return [middle * math.exp(draw.gauss(0, 0.1)) for _ in range(count)]


class Middle(unittest.TestCase):
    def test_median_known(self):
        self.assertEqual(stats.median([5, 1, 3]), 3)
        self.assertEqual(stats.median([4, 1, 3, 2]), 2.5)

    def test_mad_known(self):
        self.assertEqual(stats.mad([1, 1, 2, 2, 4, 6, 9]), 1)
        self.assertEqual(stats.mad([7, 7, 7]), 0)

    def test_geometric_mean_known(self):
        self.assertAlmostEqual(stats.geometric_mean([0.5, 2.0]), 1.0)
        self.assertAlmostEqual(stats.geometric_mean([1, 10, 100]), 10.0)
        self.assertIsNone(stats.geometric_mean([]))

    def test_slow_spell_does_not_move_the_median(self):
        calm = skewed(1, 11)
        self.assertLess(stats.median(calm[:-2] + [9.0, 9.0]), 1.15)


class Intervals(unittest.TestCase):
    def test_same_seed_same_interval(self):
        values = skewed(3, 12)
        self.assertEqual(stats.bootstrap_median(values, 5), stats.bootstrap_median(values, 5))

    def test_one_value_is_its_own_interval(self):
        self.assertEqual(stats.bootstrap_median([2.0]), (2.0, 2.0, 2.0))

    def test_nothing_has_no_interval(self):
        self.assertRaises(ValueError, stats.bootstrap_median, [])
        self.assertIsNone(stats.bootstrap_ratio([1.0], []))
        self.assertIsNone(stats.bootstrap_ratio([1.0], [0.0]))

    def test_more_values_narrow_it(self):
        few, many = (stats.bootstrap_median(skewed(7, count)) for count in (9, 144))
        self.assertLess(many.high - many.low, (few.high - few.low) / 2)

    def test_median_is_inside_95_of_100_times(self):
        trials = 500
        hits = sum(low <= 1.0 <= high for _, low, high in
                   (stats.bootstrap_median(skewed(seed, 15), seed) for seed in range(trials)))
        self.assertGreaterEqual(hits / trials, 0.91)
        self.assertLessEqual(hits / trials, 0.985)

    def test_ratio_is_inside_95_of_100_times(self):
        trials, truth = 300, 1.25
        found = [stats.bootstrap_ratio(skewed(seed, 15, truth), skewed(seed + 9000, 15), seed)
                 for seed in range(trials)]
        hits = sum(low <= truth <= high for _, low, high in found)
        self.assertGreaterEqual(hits / trials, 0.91)
        self.assertLessEqual(hits / trials, 0.99)

    def test_ratio_of_equals_holds_one(self):
        middle, low, high = stats.bootstrap_ratio(skewed(1, 15), skewed(1, 15))
        self.assertEqual(middle, 1.0)
        self.assertTrue(low < 1.0 < high)


class Outliers(unittest.TestCase):
    def test_planted_ones_are_found(self):
        values = [1 + i * 7 % 20 / 100 for i in range(20)]
        values[4], values[11] = 3.0, 0.2
        self.assertEqual(stats.outliers(values), [4, 11])

    def test_few_values_have_none(self):
        self.assertEqual(stats.outliers([1.0, 1.0, 50.0]), [])

    def test_equal_values_and_one_close(self):
        self.assertEqual(stats.outliers([1.0] * 9 + [1.01]), [])
        self.assertEqual(stats.outliers([1.0] * 9 + [1.2]), [9])

    def test_normal_data_has_hardly_any(self):
        found = sum(len(stats.outliers(skewed(seed, 20))) for seed in range(100))
        self.assertLess(found, 40)     # of two thousand


def sample(runtime: str, seconds: float, number: int = 1, check: bool = True, variant: str = "",
           forks: float | None = None, name: str = "", cpu_s: float = 0.5) -> Sample:
    line = Line(name or runtime, "1.0", ROW.problem, "", variant, "so", 1, [seconds], [cpu_s],
                check, forks)
    return Sample(number, Turn(runtime, ROW.problem, 1), line, USED, 0)


def row_of(samples: list[Sample], row: Row = ROW) -> dict:
    measured = Measured(samples=samples, rounds=1,
                        runs=[GroupRun(0, row.problem, 1, Noise(None, None))])
    about = {"machine": {"cpus": 2}, "left_out": {}}
    return results.report_object([row], [1], measured, 1, about)["rows"][0]


def times(runtime: str, middle: float, seed: int, count: int = 9, **more) -> list[Sample]:
    return [sample(runtime, value, i + 1, **more)
            for i, value in enumerate(skewed(seed, count, middle))]


class Verdicts(unittest.TestCase):
    def test_faster_leads(self):
        row = row_of(times("skua", 1.0, 1) + times("tbb", 2.0, 2) + times("go", 3.0, 3))
        self.assertEqual((row["verdict"], row["best_peer"]), ("leads", "tbb"))
        self.assertEqual(row["why"], "we know.")
        ratio = wording.cells_of(row)["skua"]["ratio"]
        self.assertTrue(ratio["low"] < ratio["middle"] < ratio["high"] < 1)

    def test_slower_is_behind_and_says_so(self):
        row = row_of(times("skua", 1.5, 1) + times("tbb", 1.0, 2))
        self.assertEqual((row["verdict"], row["why"]), ("behind", None))
        self.assertIn("behind tbb", wording.how_far(row))
        self.assertIn("not known", wording.whys([row])[0])

    def test_equal_is_level(self):
        self.assertEqual(row_of(times("skua", 1.0, 1) + times("tbb", 1.0, 2))["verdict"], "level")

    def test_difference_below_the_floor_is_level(self):
        row = Row("fib", "20", "t", "p", floor_s=5.0)
        self.assertEqual(row_of(times("skua", 4.0, 1) + times("tbb", 1.0, 2), row)["verdict"],
                         "level")

    def test_two_samples_must_differ_by_more(self):
        close = [sample("skua", 1.05), sample("skua", 1.06), sample("tbb", 1.0), sample("tbb", 1.0)]
        self.assertEqual(row_of(close)["verdict"], "level")
        far = [sample("skua", 1.25), sample("tbb", 1.0)]
        self.assertEqual(row_of(far)["verdict"], "behind")

    def test_wrong_peer_is_no_rival(self):
        row = row_of(times("skua", 1.0, 1) + times("tbb", 0.1, 2, check=False)
                     + times("go", 3.0, 3))
        self.assertEqual((row["verdict"], row["best_peer"]), ("leads", "go"))
        self.assertFalse(wording.cells_of(row)["tbb"]["check"])

    def test_wrong_skua_never_leads(self):
        row = row_of(times("skua", 0.1, 1, check=False) + times("tbb", 1.0, 2))
        self.assertEqual(row["verdict"], "wrong")

    def test_alone_and_missing(self):
        self.assertEqual(row_of(times("skua", 1.0, 1))["verdict"], "alone")
        self.assertEqual(row_of(times("tbb", 1.0, 1))["verdict"], "missing")

    def test_fastest_variant_stands_for_the_runtime(self):
        row = row_of(times("libgomp", 2.0, 1, variant="static")
                     + times("libgomp", 1.0, 2, variant="guided"))
        self.assertEqual([cell["variant"] for cell in row["cells"]], ["guided"])

    def test_first_round_is_left_out_where_three_remain(self):
        late = [sample("skua", 1.0, number) for number in (1, 2, 3)]
        cell = row_of([sample("skua", 100.0, 0), *late])["cells"][0]
        self.assertEqual((cell["samples"], cell["median_s"], cell["is_warm"]), (3, 1.0, True))
        cell = row_of([sample("skua", 5.0, 0), *late[:2]])["cells"][0]
        self.assertEqual((cell["samples"], cell["is_warm"]), (3, False))

    def test_fork_cost_is_what_serial_does_not_take(self):
        row = row_of([sample("skua", 3e-6, forks=1000), sample("skua", 1e-6, name="serial"),
                      sample("go", 9e-6)])
        cells = wording.cells_of(row)
        self.assertAlmostEqual(cells["skua"]["fork_ns"], 2.0)
        self.assertAlmostEqual(cells["go"]["fork_ns"], 8.0)
        self.assertAlmostEqual(cells["go"]["speedup"]["middle"], 1 / 9, 5)
        self.assertIsNone(cells["serial"]["fork_ns"])

    def test_cpu_rows_compare_cpu_seconds(self):
        row = row_of([sample("skua", 9.0, cpu_s=0.1), sample("tbb", 1.0, cpu_s=0.2)],
                     Row("fib", "20", "t", "p", measure="cpu"))
        self.assertEqual((row["verdict"], row["cells"][0]["runtime"]), ("leads", "skua"))

    def test_means_are_geometric(self):
        rows = [row_of(times("skua", 1.0, 1) + times("tbb", value, 1)) for value in (0.5, 8.0)]
        mean = results.means(rows)[0]
        self.assertAlmostEqual(mean["to_best"], 0.5, 4)
        self.assertEqual(mean["to_each"]["tbb"]["rows"], 2)


class Quiet:
    """A stream that nobody reads."""
    @staticmethod
    def isatty() -> bool:
        return False

    def write(self, _: str) -> None:
        pass

    def flush(self) -> None:
        pass


def plan(measure, budget_s: float = 60, rounds: int = 4, seed: int = 1) -> Plan:
    turns = [Turn(name, problem, workers) for name in ("a", "b", "c") for problem in ("p:1", "q:1")
             for workers in (1, 2, 4)]
    return Plan(turns, measure, budget_s, rounds, seed, 2)


def run_of(turn: Turn) -> Run:
    return Run(USED, [Line(turn.runtime, "1", turn.problem, "", "", "", turn.workers, [1.0], [],
                           True)])


class Budget(unittest.TestCase):
    """Turns cost what we say: the runner's clock is ours."""

    def counts(self, costs: dict[str, float], budget_s: float) -> dict[tuple[str, int], int]:
        clock = types.SimpleNamespace(now=0.0)
        clock.monotonic = lambda: clock.now

        def measure(turn: Turn, _: bool) -> Run:
            clock.now += costs[turn.problem]
            return run_of(turn)
        with unittest.mock.patch("rounds.time", clock):
            turns = [Turn("a", problem, workers) for problem in costs for workers in (1, 4)]
            measured = Rounds(Plan(turns, measure, budget_s, 15, 1, 2), Progress(Quiet())).run()
        self.assertLessEqual(clock.now, budget_s)
        return Counter((run.problem, run.workers) for run in measured.runs)

    def test_plenty_gives_all_rounds(self):
        self.assertEqual(set(self.counts({"p": 1, "q": 5}, 1000).values()), {15})

    def test_all_have_four_before_some_have_more(self):
        self.assertEqual(set(self.counts({"p": 1, "q": 5}, 48).values()), {4})

    def test_too_little_goes_to_the_cheap_first(self):
        found = self.counts({"p": 1, "q": 50}, 110)
        self.assertEqual((found["q", 1], found["q", 4]), (1, 1))
        self.assertGreaterEqual(min(found["p", 1], found["p", 4]), 4)

    def test_oversubscribed_come_last(self):
        found = self.counts({"p": 1, "q": 1}, 12)
        self.assertGreater(found["p", 1] + found["q", 1], found["p", 4] + found["q", 4])


class Turns(unittest.TestCase):
    def orders(self, seed: int) -> list[Turn]:
        seen: list[Turn] = []

        def measure(turn: Turn, _: bool) -> Run:
            seen.append(turn)
            return run_of(turn)
        Rounds(plan(measure, seed=seed), Progress(Quiet())).run()
        return seen

    def test_all_have_their_turn_in_each_round(self):
        seen = self.orders(1)
        self.assertEqual(len(seen), 4 * 18)
        for begin in range(0, len(seen), 18):
            self.assertEqual(len(set(seen[begin:begin + 18])), 18)

    def test_what_is_compared_runs_together(self):
        seen = self.orders(1)
        for begin in range(0, len(seen), 3):
            self.assertEqual(len({(t.problem, t.workers) for t in seen[begin:begin + 3]}), 1)

    def test_order_is_random_and_seeded(self):
        self.assertEqual(self.orders(1), self.orders(1))
        self.assertNotEqual(self.orders(1), self.orders(2))
        first = self.orders(1)
        self.assertNotEqual(first[18:36], first[36:54])

    def test_runtimes_take_turns_at_being_first(self):
        seen = self.orders(1)
        self.assertEqual({turn.runtime for turn in seen[::3]}, {"a", "b", "c"})

    def test_not_offered_is_asked_once(self):
        asked = []

        def measure(turn: Turn, _: bool) -> Run:
            if (turn.runtime, turn.problem) == ("b", "q:1"):
                asked.append(turn)
                raise NotOffered("no q here")
            return run_of(turn)
        measured = Rounds(plan(measure), Progress(Quiet())).run()
        self.assertEqual(len(asked), 1)
        self.assertEqual({(m.kind, m.turn.workers) for m in measured.missing},
                         {("not offered", n) for n in (1, 2, 4)})

    def test_no_budget_still_ends_and_says_why(self):
        short = plan(lambda turn, _: run_of(turn), budget_s=1e-9)
        measured = Rounds(short, Progress(Quiet())).run()
        self.assertEqual(measured.samples, [])
        self.assertEqual({m.kind for m in measured.missing}, {"not tried"})

    def test_first_round_is_short(self):
        short = []
        Rounds(plan(lambda turn, is_short: short.append(is_short) or run_of(turn)),
               Progress(Quiet())).run()
        self.assertEqual(short, [True] * 18 + [False] * 54)

    def test_water_fills_small_vessels_first(self):
        self.assertEqual(water_level([1, 2, 10], 9), 6)
        self.assertEqual(water_level([5, 5], 4), 2)
        self.assertEqual(water_level([1, 2], 9), 2)
        self.assertEqual(water_level([], 3), 0)


class Machine(unittest.TestCase):
    def clock(self, line: str, now_s: float, own_s: float) -> Clock:
        with tempfile.NamedTemporaryFile("w") as file:
            file.write(f"cpu  {line}\ncpu0 1 2 3\n")
            file.flush()
            clock = Clock.read(Path(file.name))
        clock.now_s, clock.own_s = now_s, own_s
        return clock

    def noise(self, after: str, own_s: float) -> Noise:
        before = self.clock("1000 0 0 9000 0 0 0 0 0 0", 0.0, 0.0)
        return Noise.between(before, self.clock(after, 10.0, own_s))

    def test_quiet_is_quiet(self):
        tick = os.sysconf("SC_CLK_TCK")
        noise = self.noise(f"{1000 + 10 * tick} 0 0 {9000 + 10 * tick} 0 0 0 0 0 0", 10.0)
        self.assertEqual((noise.steal, noise.others, noise.is_noisy), (0.0, 0.0, False))

    def test_others_are_seen(self):
        tick = os.sysconf("SC_CLK_TCK")
        noise = self.noise(f"{1000 + 10 * tick} 0 0 {9000 + 10 * tick} 0 0 0 0 0 0", 7.0)
        self.assertAlmostEqual(noise.others, 0.3)
        self.assertTrue(noise.is_noisy)

    def test_steal_is_seen(self):
        tick = os.sysconf("SC_CLK_TCK")
        noise = self.noise(f"{1000 + 10 * tick} 0 0 {9000 + 9 * tick} 0 0 0 {tick} 0 0", 10.0)
        self.assertAlmostEqual(noise.steal, 0.05)
        self.assertTrue(noise.is_noisy)

    def test_a_moment_says_nothing(self):
        clock = self.clock("1 0 0 1 0 0 0 0", 0.0, 0.0)
        self.assertEqual(Noise.between(clock, clock), Noise(None, None))
        self.assertIsNone(Clock.read(Path("/nowhere")))


class Problems(unittest.TestCase):
    def test_every_row_predicts(self):
        for row in ROWS:
            self.assertTrue(row.prediction.endswith("."), row.name)
            self.assertTrue(all(why.endswith(".") for why in row.why.values()), row.name)
        self.assertEqual(len({row.name for row in ROWS}), len(ROWS))

    def test_the_issue_s_rows_are_there(self):
        wanted = ("fib:32 treesum:64k nqueens:12 uts:T1 uts:T3 matmul:1024 strassen:1024 "
                  "cilksort:10M skynet:1M latency:300 tick:60 idle:1s").split()
        wanted += ["loops:1000 quadratic", "algo:1M reduce", "algo:1M scan", "algo:1M sort32"]
        self.assertEqual({row.name for row in rows_for(None, False)}, set(wanted))

    def test_rows_by_kernel_size_and_case(self):
        self.assertEqual([row.name for row in rows_for(["uts"], False)], ["uts:T1", "uts:T3"])
        self.assertEqual([row.name for row in rows_for(["fib:20", "scan"], False)],
                         ["fib:20", "algo:1M scan"])
        self.assertEqual(rows_for(["algo:3000"], False)[0].elements, 30000)
        self.assertRaises(ValueError, rows_for, ["ocaml"], False)


class Words(unittest.TestCase):
    def test_durations(self):
        said = [wording.duration(s) for s in (2.5, 0.0123, 4.56e-6, 7e-9, 0.0, None, 123.4)]
        self.assertEqual(said, ["2.50 s", "12.3 ms", "4.56 us", "7.00 ns", "0", "–", "123 s"])


if __name__ == "__main__":
    unittest.main()
