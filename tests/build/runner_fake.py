"""runner_fake.py — the benchmark runner with made-up peers: right, wrong, broken, slow, missing"""

import csv
import html.parser
import json
import os
import re
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

SOURCE = Path(os.environ["SKUA_SOURCE"])
RUNNER = SOURCE / "bench/runner/bench"
SCRATCH = Path(sys.argv.pop(1) if len(sys.argv) > 1 else os.environ["SKUA_BUILD"])

# A skua that knows fib, algo and tick; its figures never change.
SKUA = """#!/usr/bin/env python3
import json, sys
problem = sys.argv[2]
kernel, _, size = problem.partition(":")
workers = int(sys.argv[3].removeprefix("--workers="))
if kernel not in ("fib", "algo", "tick"):
    sys.exit(print(f"skua bench: there is no kernel '{kernel}'", file=sys.stderr) or 2)
if size == "99":
    sys.exit(print(f"skua bench: kernel {kernel} has no size '99'", file=sys.stderr) or 2)
figures = [] if kernel == "fib" else [
    {"name": name, "variant": variant, "median_ns": ns} for name, variant, ns in (
        ("reduce", "serial", 2.0), ("reduce", "skua", 1.0), ("burst_p50", "skua", 4000.0),
        ("burst_p50", "serial", 9000.0), ("cpu", "skua", 5e6), ("cpu", "serial", 6e6))]
print(json.dumps({"schema": "skua-bench-1", "skua_version": "9.9.9", "kernels": [{
    "name": kernel, "size": 20, "workers": workers, "serial_s": 0.002, "seconds": 0.004 / workers,
    "tasks": 3000, "rounds": 3, "check": True, "cpu_s": 0.004, "figures": figures}]}))
"""

# A peer whose first argument says what becomes of it.
PEER = """#!/usr/bin/env python3
import json, os, signal, sys, time
mode, problem, workers, repeat = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
line = {"name": "Fake", "version": "1.2", "problem": problem, "case": "", "how": "so",
        "workers": workers, "repeat": repeat, "seconds": [0.008 / workers] * repeat,
        "cpu_s": [0.008] * repeat, "check": mode != "wrong"}
if mode == "fast":
    line["seconds"] = [0.001] * repeat
elif mode == "crash":
    os.kill(os.getpid(), signal.SIGSEGV)
elif mode == "garbage":
    sys.exit(print("all is well"))
elif mode == "silent":
    sys.exit(0)
elif mode == "endless":
    line["seconds"] = [float("inf")]
elif mode == "other":
    line["problem"] = "fib:21"
elif mode == "stops":
    sys.exit(print("I cannot", file=sys.stderr) or 7)
elif mode == "lacks":
    sys.exit(print(f"there is no {problem} here", file=sys.stderr) or 3)
elif mode == "slow" and problem == "fib:20":
    time.sleep(300)
elif mode == "half":
    with open(os.path.join(os.path.dirname(__file__), "half_began"), "a") as began:
        began.write(".")
    time.sleep(0.7)
if mode == "large":
    memory = bytearray(200 << 20)
if problem.startswith("algo"):
    for case, ns in (("reduce", 3.0), ("histo", 4.0)):
        print(json.dumps({**{key: line[key] for key in line if key != "seconds"}, "case": case,
                          "variant": "auto", "n": 7, "ns": ns}))
else:
    print(json.dumps(line))
sys.exit(1 if mode == "wrong" else 0)
"""
# One that needs less memory than any Python.
SMALL = """#!/bin/sh
case $1 in fib:*) ;; *) echo "small: no $1" >&2; exit 3 ;; esac
echo '{"name":"Small","version":"1","problem":"'$1'","workers":'$2',"seconds":[0.009],"check":true}'
"""
MODES = ("good fast wrong crash garbage silent endless other stops lacks slow half large").split()


def write(name: str, text: str) -> Path:
    path = SCRATCH / name
    path.write_text(text)
    path.chmod(0o755)
    return path


def setUpModule() -> None:
    write("skua", SKUA)
    peer = write("peer", PEER)
    lines = [f"{mode} = {peer} {mode} {{problem}} {{workers}} {{repeat}}" for mode in MODES]
    lines += ["# a comment", "", "gone = /nowhere/peer {problem} {workers}"]
    lines += [f"small = {write('small', SMALL)} {{problem}} {{workers}}"]
    write("plugins", "\n".join(lines) + "\n")


def bench(*arguments: str, reports: str = "reports",
          **environment: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        command(*arguments, reports=reports), capture_output=True, text=True, cwd=SCRATCH,
        env=os.environ | {"SKUA_PEERS_BUILD": str(SCRATCH / "peers")} | environment)


def command(*arguments: str, reports: str) -> list[str]:
    return [sys.executable, "-B", str(RUNNER), "--plugins", "plugins", "--skua",
            str(SCRATCH / "skua"), "--reports", str(SCRATCH / reports), *arguments]


def report(folder: str = "reports") -> dict:
    return json.loads((SCRATCH / folder / "latest.json").read_text())


class Peers(unittest.TestCase):
    """All of them in one run."""

    @classmethod
    def setUpClass(cls):
        modes = ",".join([mode for mode in MODES if mode != "half"] + ["gone", "small"])
        cls.done = bench("--peers", modes, "--kernels", "fib:20,reduce,tick:2", "--workers", "1,4",
                         "--rounds", "4", "--limit", "10", "--minutes", "10")
        cls.text = cls.done.stdout + cls.done.stderr
        cls.report = report()
        cls.rows = {(row["name"], row["workers"]): row for row in cls.report["rows"]}
        cls.fib = cls.rows["fib:20", 1]
        cls.cells = {cell["runtime"]: cell for cell in cls.fib["cells"]}
        cls.lost = {one["runtime"]: (one["kind"], one["text"]) for one in cls.fib["missing"]}

    def test_status_is_1_for_what_went_wrong(self):
        self.assertEqual(self.done.returncode, 1, self.text)

    def test_every_row_is_in_every_report(self):
        names = ["fib:20", "algo:1M reduce", "tick:2"]
        self.assertEqual(list(self.rows), [(name, n) for name in names for n in (1, 4)])
        for kind in ("md", "html"):
            text = (SCRATCH / f"reports/latest.{kind}").read_text()
            for name in names:
                self.assertIn(name, text)
            for row in self.report["rows"]:
                self.assertIn(row["prediction"], text)

    def test_right_ones_are_measured(self):
        self.assertEqual(self.cells["good"]["median_s"], 0.008)
        self.assertEqual(self.cells["skua"]["median_s"], 0.004)
        self.assertEqual(self.cells["serial"]["median_s"], 0.002)
        self.assertEqual(self.cells["good"]["samples"], 3)
        self.assertEqual(self.cells["skua"]["fork_ns"], 2000)
        self.assertEqual(self.cells["good"]["cpu_s"], 0.008)
        self.assertEqual(self.report["runtimes"]["good"], "Fake 1.2")

    def test_best_peer_and_loss_are_told(self):
        self.assertEqual((self.fib["best_peer"], self.fib["verdict"]), ("fast", "behind"))
        self.assertIn("fib:20, 1 worker: behind fast by 300 %", self.done.stdout)
        self.assertEqual(self.rows["fib:20", 4]["verdict"], "level")

    def test_wrong_result_is_named_and_never_best(self):
        self.assertIn("wrong: fib:20 with 1: the result is WRONG", self.done.stderr)
        self.assertFalse(self.cells["wrong"]["check"])
        self.assertIn("8.00 ms WRONG", (SCRATCH / "reports/latest.md").read_text())

    def test_failures_have_names(self):
        for mode, text in (("crash", "SIGSEGV"), ("garbage", "not understood"),
                           ("silent", "printed no figures"), ("endless", "no time"),
                           ("other", "it measured fib:21"), ("stops", "status 7: I cannot")):
            kind, said = self.lost[mode]
            self.assertEqual(kind, "failed", mode)
            self.assertIn(text, said)
            self.assertIn(f"{mode}: fib:20 with 1: failed: ", self.done.stderr)

    def test_not_offered_is_no_failure(self):
        self.assertEqual(self.lost["lacks"], ("not offered", "there is no fib:20 here"))
        self.assertNotIn("lacks:", self.done.stderr)

    def test_slow_one_is_given_up_by_name(self):
        self.assertEqual(self.lost["slow"], ("gave up", "gave up after 10 s"))
        with_4 = {one["runtime"]: one for one in self.rows["fib:20", 4]["missing"]}
        self.assertIn(with_4["slow"]["kind"], ("not tried", "gave up"))
        markdown = (SCRATCH / "reports/latest.md").read_text()
        self.assertRegex(markdown, r"slow: `fib:20` with .*: gave up after 10 s")

    def test_missing_program_is_left_out(self):
        self.assertIn("there is no program '/nowhere/peer'", self.report["left_out"]["gone"])
        self.assertIn("gone: left out: ", self.done.stderr)

    def test_nanoseconds_an_element_become_seconds(self):
        cells = {cell["runtime"]: cell for cell in self.rows["algo:1M reduce", 1]["cells"]}
        self.assertAlmostEqual(cells["good"]["median_s"], 3.0e-9 * 10**7)
        self.assertAlmostEqual(cells["skua"]["median_s"], 1.0e-9 * 10**7)
        self.assertAlmostEqual(cells["serial"]["median_s"], 2.0e-9 * 10**7)
        self.assertIsNone(cells["good"]["peak_kib"])

    def test_bursts_stand_for_ticks(self):
        cells = {cell["runtime"]: cell for cell in self.rows["tick:2", 1]["cells"]}
        self.assertAlmostEqual(cells["skua"]["median_s"], 4e-6)
        self.assertAlmostEqual(cells["skua"]["cpu_s"], 5e-3 * 20)

    def test_peak_memory_is_the_program_s_own(self):
        self.assertGreater(self.cells["large"]["peak_kib"], 200 << 10)
        self.assertLess(self.cells["small"]["peak_kib"], 6 << 10)
        self.assertGreaterEqual(self.cells["good"]["switches"], 1)

    def test_raw_samples_are_kept(self):
        lines = (SCRATCH / "reports/latest.csv").read_text().splitlines()
        rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
        good = [row for row in rows if row["runtime"] == "good" and row["problem"] == "fib:20"
                and row["workers"] == "1"]
        self.assertEqual([row["round"] for row in good], ["0", "1", "2", "3"])
        self.assertEqual([len(row["seconds"].split()) for row in good], [1, 3, 3, 3])
        self.assertEqual({row["check"] for row in rows if row["runtime"] == "wrong"}, {"0"})

    def test_report_is_written_again_from_json(self):
        done = bench("--from", str(SCRATCH / "reports/latest.json"), reports="again")
        self.assertEqual(done.returncode, 0, done.stderr)
        for kind in ("md", "html"):
            self.assertEqual((SCRATCH / f"again/latest.{kind}").read_text(),
                             (SCRATCH / f"reports/latest.{kind}").read_text())

    def test_keys_of_the_json_are_described(self):
        page = (SOURCE / "bench/runner/README.md").read_text()
        row = self.report["rows"][0]
        keys = [*self.report, *row, *row["cells"][0], *self.report["noise"]]
        self.assertEqual([key for key in keys if f"`{key}`" not in page], [])


class Page(html.parser.HTMLParser):
    """What a page refers to, and whether its tags close."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.open: list[str] = []
        self.count: dict[str, int] = {}
        self.wrong: list[str] = []

    def handle_starttag(self, tag, attributes):
        self.count[tag] = self.count.get(tag, 0) + 1
        self.links += [f"{tag} {name}" for name, _ in attributes
                       if name in ("src", "href", "xlink:href", "action", "srcset", "data")]
        if tag not in ("meta", "link", "img", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)


class Html(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        bench("--peers", "good,fast", "--kernels", "fib:20,tick:2", "--workers", "1,2",
              "--rounds", "4", reports="page")
        cls.text = (SCRATCH / "page/latest.html").read_text()
        cls.page = Page()
        cls.page.feed(cls.text)

    def test_refers_to_nothing_outside(self):
        self.assertEqual(self.page.links, [])
        self.assertNotIn("script", self.page.count)
        self.assertIsNone(re.search(r"https?:|url\(|@import|//cdn", self.text))

    def test_tags_close(self):
        self.assertEqual((self.page.wrong, self.page.open), ([], []))

    def test_has_the_four_plots_with_names(self):
        for title in ("Speed-up", "Nanoseconds a fork", "Memory", "CPU burned while waiting"):
            self.assertIn(f"<h2>{title}</h2>", self.text)
        self.assertEqual(self.text.count('role="img"'), self.page.count["figure"])
        self.assertEqual(self.page.count["caption"], self.page.count["table"])

    def test_is_for_light_and_dark(self):
        self.assertIn("prefers-color-scheme: dark", self.text)
        self.assertIn("color-scheme: light dark", self.text)

    def test_shapes_tell_workers_apart(self):
        self.assertTrue({"circle", "rect"} <= set(self.page.count))


class Runs(unittest.TestCase):
    def test_all_right_is_0(self):
        done = bench("--peers", "good", "--kernels", "fib:20", "--workers", "1", "--rounds", "2")
        self.assertEqual((done.returncode, done.stderr.count("failed")), (0, 0), done.stderr)
        self.assertIn("skua leads 1", done.stdout)

    def test_busy_machine_is_marked_and_strict_fails(self):
        with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as other:
            try:
                done = bench("--peers", "half", "--kernels", "fib:20", "--workers", "1",
                             "--rounds", "1", "--strict", reports="noisy")
            finally:
                other.kill()
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("the machine was not quiet", done.stderr)
        self.assertTrue(report("noisy")["noise"]["is_noisy"])
        self.assertEqual(report("noisy")["rows"][0]["noisy_rounds"], 1)
        self.assertIn("noisy run", (SCRATCH / "noisy/latest.md").read_text())

    def test_without_a_compiler_it_measures_too(self):
        python = SCRATCH / "only/python3"
        python.parent.mkdir(exist_ok=True)
        python.unlink(missing_ok=True)
        python.symlink_to(sys.executable)
        done = bench("--peers", "good,tbb,libomp,rayon,go,java,starpu", "--kernels", "fib:20",
                     "--workers", "1", "--rounds", "1", PATH=str(python.parent),
                     SKUA_PEERS_BUILD=str(SCRATCH / "no_peers"))
        self.assertEqual(done.returncode, 0, done.stderr)
        for name in ("tbb", "libomp", "rayon", "go", "java", "starpu"):
            self.assertRegex(done.stderr, rf"{name}: left out: no \S+ \(apt-get install ")
        self.assertEqual(len(report()["rows"][0]["cells"]), 3)

    def test_no_skua_is_said(self):
        done = bench("--peers", "good", "--kernels", "fib:20", "--workers", "1", "--rounds", "1",
                     "--skua", "no_skua")
        self.assertEqual(done.returncode, 0)
        self.assertIn("skua: left out: there is no no_skua; run `make`", done.stderr)

    def test_size_that_skua_has_not_is_no_failure(self):
        done = bench("--peers", "none", "--kernels", "fib:99,nqueens", "--workers", "1")
        self.assertEqual(done.returncode, 1)
        self.assertIn("nothing was measured", done.stderr)
        self.assertEqual({one["kind"] for row in report()["rows"] for one in row["missing"]},
                         {"not offered"})

    def test_interrupt_leaves_a_report_and_no_child(self):
        began = SCRATCH / "half_began"
        began.unlink(missing_ok=True)
        process = subprocess.Popen(
            command("--peers", "half", "--kernels", "fib:20", "--workers", "1", "--rounds", "99",
                    reports="broken"), cwd=SCRATCH, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, env=os.environ | {"SKUA_PEERS_BUILD": str(SCRATCH / "peers")})
        deadline = time.monotonic() + 300
        while not (began.exists() and began.stat().st_size >= 3) and time.monotonic() < deadline:
            time.sleep(0.1)  # in the middle of it: the third round
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 130, err)
        self.assertTrue(report("broken")["is_broken_off"])
        self.assertIn("broken off", (SCRATCH / "broken/latest.md").read_text())

    def test_no_place_for_the_report_is_said(self):
        write("a_file", "")
        done = bench("--peers", "good", "--kernels", "fib:20", "--workers", "1", "--rounds", "1",
                     reports="a_file/below")
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot write the report to", done.stderr)


class Usage(unittest.TestCase):
    def refuses(self, text: str, *arguments: str) -> None:
        done = bench(*arguments)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn(text, done.stderr)

    def test_bad_options_are_2(self):
        self.refuses("there is no kernel 'ocaml'", "--kernels", "ocaml")
        self.refuses("there is no peer 'perl'", "--peers", "perl")
        self.refuses("expected up to six numbers", "--workers", "0")
        self.refuses("expected up to six numbers", "--workers", "1,x")
        self.refuses("expected a number above 0", "--minutes", "-1")
        self.refuses("expected a whole number", "--rounds", "0")
        self.refuses("unrecognized arguments", "--fast")

    def test_bad_plug_ins_are_2(self):
        for text, said in (("a b", "expected `name = command`"),
                           ("tbb = x {problem} {workers}", "the name 'tbb' is taken"),
                           ("mine = x {problem}", "has no {workers}"),
                           ('mine = x "{problem}', "No closing quotation")):
            write("bad", text)
            self.refuses(said, "--plugins", "bad")
            self.refuses("bad:1:", "--plugins", "bad")
        self.refuses("cannot read the plug-ins", "--plugins", "no_such_file")

    def test_example_of_plug_ins_is_one(self):
        done = bench("--plugins", str(SOURCE / "bench/plugins.example"), "--list")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_from_what_is_no_report_is_1(self):
        write("odd.json", '{"schema": "skua-bench-1"}')
        done = bench("--from", "odd.json")
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot make a report of 'odd.json'", done.stderr)

    def test_help_and_list(self):
        self.assertIn("--quick", bench("--help").stdout)
        listed = bench("--list", "--quick").stdout
        self.assertIn("fib:32", listed)
        self.assertIn("starpu", listed)


if __name__ == "__main__":
    unittest.main()
