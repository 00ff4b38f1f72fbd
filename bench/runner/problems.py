"""problems.py — the rows of the report: what is measured, what we expect of it, and why

A prediction was written before the numbers were seen, and stays when they differ: the difference is
what there is to learn.  A why is for what is known, by the runtime that comes out first, "" for any
other; where there is none the report says that we do not know.
"""

from dataclasses import dataclass, field, replace

TIME, CPU = "time", "cpu"


@dataclass(frozen=True)
class Row:
    """One problem, or one case of it."""
    kernel: str
    size: str
    title: str
    prediction: str
    case: str = ""
    quick: str | None = None    # size in the short form; None: another row stands for it
    measure: str = TIME         # what is compared: the time of a run, or the CPU seconds of it
    repeat: int = 3             # timed runs in one process, unless that is slow
    floor_s: float = 0.0        # differences below are none
    has_serial: bool = True     # a plain program is a measure of it
    has_forks: bool = False     # its tasks do next to nothing: what they cost shows
    has_memory: bool = True     # a process runs this and nothing else
    why: dict[str, str] = field(default_factory=dict)

    @property
    def problem(self) -> str:
        return f"{self.kernel}:{self.size}"

    @property
    def name(self) -> str:
        return f"{self.problem} {self.case}".rstrip()

    @property
    def elements(self) -> int | None:
        """Elements of one run of a case, for programs that tell nanoseconds for one."""
        if self.kernel == "algo":
            return round(ALGO_ELEMENTS[self.case] * ALGO_SIZES.get(self.size, 1))
        if self.kernel == "loops":
            return max(LOOPS_INDICES, count_of(self.size))
        return None


ALGO_ELEMENTS = {"reduce": 10**8, "scan": 10**7, "sort32": 10**7}   # at full size
ALGO_SIZES = {"1M": 1 / 10, "3000": 3 / 10**4}                      # of the full size
LOOPS_INDICES = 10**5       # of all repetitions of a short loop together


def count_of(size: str) -> int:
    """10, 64k, 1M as a number."""
    unit = {"k": 10**3, "M": 10**6}.get(size[-1:], 0)
    return int(size[:-1]) * unit if unit else int(size)


SPINS = "its threads spin between one piece of work and the next: look at its CPU seconds."

ROWS = [
    Row("fib", "32", "a fork and a join with nothing between them, for every two calls",
        quick="32", has_forks=True,
        prediction="skua is first by a factor of three or more: a fork that nobody steals is a few "
        "plain stores and a compare, where the others pay a fence, a locked operation or an "
        "allocation.",
        why={"skua": "a fork that is not stolen has no atomic operation, no fence and no "
             "allocation; the others have at least one of them for each."}),
    Row("treesum", "64k", "the sum of a binary tree, a fork at each inner node",
        quick="64k", has_forks=True,
        prediction="skua is first, by less than in fib: every fork comes with a load that may miss "
        "the cache.",
        why={"skua": "as in fib; the loads are the same for all."}),
    Row("nqueens", "12", "queens on a board, a copy of the board with every task",
        has_forks=True,
        prediction="skua is first by a factor of two: a task is some ten nanoseconds of work and a "
        "copy of 16 bytes, so the fork still weighs.",
        why={"": "a task is a hundred nanoseconds of comparing queens, so that forks hardly show; "
             "what differs is what each compiler makes of that loop.",
             "skua": "the board goes into the task's own slot, and the slot is not allocated."}),
    Row("uts", "T1", "a wide unbalanced tree of 4.1 million nodes, a SHA-1 each",
        prediction="skua is first by a fifth with one worker, for a fork of the peers is nearly as "
        "long as a SHA-1; the order stays with two.",
        why={"": "a node is a SHA-1, a hundred nanoseconds, which is the same for all.",
             "skua": "a node is a SHA-1, a hundred nanoseconds; the rest is what a fork costs."}),
    Row("uts", "T3", "a narrow unbalanced tree of 4.1 million nodes, 1572 deep",
        prediction="as T1 with one worker; with two, runtimes that hand over little at a time lose "
        "more: work is hard to come by in a tree of few children.",
        why={"": "a node is a SHA-1, a hundred nanoseconds, which is the same for all.",
             "skua": "forks cost little, and a thief takes the oldest task, which has most of the "
             "tree below it."}),
    Row("matmul", "1024", "a matrix product by quarters, leaves of 64 rows",
        prediction="all are level within 5 %: a leaf takes tens of microseconds, and nobody's "
        "forks show.",
        why={"": "leaves are coarse and the same code; what differs is where a leaf finds its "
             "data in the caches."}),
    Row("strassen", "1024", "a matrix product by seven smaller ones, with temporaries",
        prediction="level within 5 %, for the same reason; what differs is memory that is had and "
        "given back.",
        why={"": "leaves are coarse and the same code; what differs is memory that is had and "
             "given back."}),
    Row("cilksort", "10M", "merge sort in four parts, with parallel merges",
        prediction="level within 10 %: leaves are coarse; Go and Java have leaves of their own.",
        why={"": "leaves are coarse; what differs is their code, where the language has its own."}),
    Row("loops", "1000", "short loops one after the other, costs rising with the index's square",
        quick="1000", case="quadratic", has_memory=False,
        prediction="with two workers skua and OpenMP's dynamic schedules are within 10 % of each "
        "other; those that cut in halves until stolen, TBB and rayon, are a little behind.",
        why={"": "a loop is long enough that handing over half of it hardly shows.",
             "libgomp": SPINS, "libomp": SPINS,
             "skua": "a loop is one range that is cut only where somebody asks for work."}),
    Row("algo", "1M", "the sum of floats, ten for each element of the size", quick="1M",
        case="reduce", has_memory=False,
        prediction="level within 10 %: memory sets the pace; OpenMP's fixed split is the least "
        "that can be done.",
        why={"": "memory sets the pace, and every worker reads its part in order.",
             "libgomp": "a fixed split has no scheduling at all, and here nothing is uneven.",
             "libomp": "a fixed split has no scheduling at all, and here nothing is uneven."}),
    Row("algo", "1M", "inclusive sums of integers", quick="1M", case="scan", has_memory=False,
        prediction="skua is first with two workers: the second pass works on what is still in the "
        "cache.",
        why={"": "memory sets the pace of the passes; with more workers than CPUs the blocks that "
             "one of them left in a cache are found by another.",
             "skua": "both passes go over blocks that stay in the cache between them.",
             "libgomp": "with one worker it is the plain loop.",
             "libomp": "with one worker it is the plain loop."}),
    Row("algo", "1M", "random integers sorted", quick="1M", case="sort32", has_memory=False,
        prediction="skua is first by a factor of three: it sorts numbers by their digits, the "
        "others compare.",
        why={"skua": "it sorts by digits, the others by comparing: the algorithm's merit, not the "
             "scheduler's."}),
    Row("skynet", "1M", "a tree of ten branches at each node, leaves that do nothing", quick="1k",
        has_forks=True,
        prediction="skua is first by a factor of five: it is fib with wider nodes.",
        why={"skua": "as in fib: ten forks of a node are ten slots of one stack."}),
    Row("latency", "300", "from a submit by another thread to the job's first instruction",
        quick="10", has_serial=False, floor_s=1e-6,
        prediction="level: the kernel's wake-up of a sleeping thread is nearly all of it; who "
        "keeps a thread spinning is faster, and pays for it in the row idle.",
        why={"": "nearly all of it is the kernel that wakes a thread.",
             "libgomp": SPINS, "libomp": SPINS}),
    Row("tick", "60", "one of many bursts of thirty tiny jobs, with serial work and pauses between",
        quick="2",
        prediction="OpenMP is first in the bursts, for its threads spin all the time, and last in "
        "CPU seconds; skua is within 1.3 of it with a fraction of the CPU.",
        why={"": "what differs is how long a worker looks for more before it sleeps: who looks "
             "longer is faster here and burns more in the row idle.",
             "libgomp": SPINS, "libomp": SPINS,
             "skua": "a worker searches while bursts come soon, and sleeps when they do not."}),
    Row("idle", "1s", "CPU time burned in a time of silence after a burst", quick="100ms",
        measure=CPU, has_serial=False, floor_s=0.002,
        prediction="skua, TBB, rayon and Go burn less than 2 ms; libomp spins for 200 ms, libgomp "
        "for less.",
        why={"": "workers sleep until they are woken; what is left is the last search before."}),
]

OVERSUBSCRIBED = ("With more workers than CPUs we expect skua, TBB and rayon within 1.3 of their "
                  "time with as many workers as CPUs, and runtimes whose threads wait by spinning "
                  "far behind.")


def rows_for(kernels: list[str] | None, is_quick: bool) -> list[Row]:
    """The rows asked for: KERNEL, KERNEL:SIZE or a case.  ValueError names what there is not."""
    usual = [replace(row, size=row.quick) for row in ROWS if row.quick] if is_quick else ROWS
    if not kernels:
        return usual
    chosen: list[Row] = []
    for word in kernels:
        found = _named(word, usual) or _named(word, ROWS) or _of_size(*word.split(":", 1))
        if not found:
            names = ", ".join(dict.fromkeys(row.kernel for row in ROWS))
            raise ValueError(f"there is no kernel '{word}'; there are {names}, and KERNEL:SIZE")
        chosen += [row for row in found if row not in chosen]
    return chosen


def _named(word: str, rows: list[Row]) -> list[Row]:
    return [row for row in rows if word in (row.kernel, row.problem, row.case)]


def _of_size(kernel: str, size: str = "") -> list[Row]:
    """A kernel of another size than the usual; one row for each of its cases."""
    rows = {row.case: replace(row, size=size) for row in ROWS if size and row.kernel == kernel}
    return list(rows.values())
