"""peers.py — the runtimes beside ours: how each is built, and the commands that measure it

A runtime has two programs at most: one for kernels (bench/peers/kernels_*), and one for loops and
arrays where that is another (bench/peers/algo_*).  A command is a list of words in which {problem},
{workers} and {repeat} are put; a plug-in's command is no different.
"""

import shutil
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from build import OPTIMIZED, PEERS, LeftOut, Workshop, below, need, pkg_config

USUAL = ["--problem", "{problem}", "--workers", "{workers}", "--repeat", "{repeat}"]
ARRAYS = ("algo", "loops")  # kernels that have programs of their own
Program = list[str]
Build = Callable[[Workshop], Program]


@dataclass
class Runtime:
    """What can be measured, and how."""
    name: str
    title: str
    kernels: Program | None = None
    arrays: Program | None = None
    left_out: list[str] = field(default_factory=list)   # why one of them is missing

    def command(self, kernel: str) -> Program | None:
        return self.arrays if kernel in ARRAYS else self.kernels


def fill(program: Program, problem: str, workers: int, repeat: int) -> list[str]:
    values = {"{problem}": problem, "{workers}": str(workers), "{repeat}": str(repeat)}
    words = []
    for word in program:
        for name, value in values.items():
            word = word.replace(name, value)
        words.append(word)
    return words


# --- kernels ---

def _tbb(shop: Workshop) -> Program:
    package = "g++ pkg-config libtbb-dev"
    need(package, "g++")
    return shop.native("kernels_tbb", ["g++", "-std=c++17", *OPTIMIZED],
                       "kernels_tbb/kernels_tbb.cpp", package,
                       [*shop.work_libraries(), *pkg_config(package, "tbb"), "-lm"]) + USUAL


def _omp(shop: Workshop, name: str, compiler: str, package: str) -> Program:
    need(package, compiler)
    return shop.native(f"kernels_{name}", [compiler, "-std=c++17", *OPTIMIZED, "-fopenmp"],
                       "kernels_omp/kernels_omp.cpp", package,
                       [*shop.work_libraries(), "-lm"]) + USUAL


def _libgomp(shop: Workshop) -> Program:
    return _omp(shop, "libgomp", "g++", "g++")


def _libomp(shop: Workshop) -> Program:
    return _omp(shop, "libomp", "clang++", "clang libomp-dev")


def _starpu(shop: Workshop) -> Program:
    package = "gcc pkg-config libstarpu-dev"
    need(package, "gcc")
    return shop.native("kernels_starpu", ["gcc", "-std=gnu11", *OPTIMIZED],
                       "kernels_starpu/kernels_starpu.c", package,
                       [*shop.work_libraries(), *pkg_config(package, "starpu-1.3"), "-lm"]) + USUAL


def _rust(shop: Workshop, name: str, crate: str, package: str) -> Program:
    """The three in Rust share a crate beside them; cargo is told of new C libraries by the copy."""
    version = shop.crate(crate, package)
    shop.work_libraries()
    folder = shop.folder / f"kernels_rs_{name}"
    for part in ("kernels_rust", f"kernels_{name}"):
        shutil.copytree(PEERS / part, folder / part, dirs_exist_ok=True)
    library = shop.libraries.absolute() / "libskua_work.a"
    program = folder / f"target/release/kernels_{name}"
    if program.exists() and program.stat().st_mtime < library.stat().st_mtime:
        (folder / "kernels_rust/src/lib.rs").touch()
    shop.cargo(f"kernels_{name}", folder / f"kernels_{name}", PEER_VERSION=version,
               RUSTFLAGS=f"-L native={library.parent}", CARGO_TARGET_DIR=str(folder / "target"))
    return [str(program), *USUAL]


def _rayon(shop: Workshop) -> Program:
    return _rust(shop, "rayon", "rayon", "librust-rayon-dev")


def _crossbeam(shop: Workshop) -> Program:
    return _rust(shop, "crossbeam", "crossbeam-deque", "librust-crossbeam-deque-dev")


def _tokio(shop: Workshop) -> Program:
    return _rust(shop, "tokio", "tokio", "librust-tokio-dev")


def _go(shop: Workshop) -> Program:
    sources = sorted(str(path.relative_to(PEERS)) for path in PEERS.glob("kernels_go/*.go"))
    return shop.go("kernels_go", sources) + USUAL


def _java(shop: Workshop) -> Program:
    need("default-jdk-headless", "javac", "java")
    folder = shop.folder / "kernels_java"
    sources = sorted(map(str, PEERS.glob("kernels_java/*.java")))
    shop.make("kernels_java", folder / "Kernels.class", ["javac", "-d", str(folder), *sources],
              below(PEERS / "kernels_java"))
    # The collector gets no more threads than the work.
    return ["java", "-Xms2g", "-Xmx2g", "-Xss16m", "-XX:+UseParallelGC",
            "-XX:ParallelGCThreads={workers}", "-cp", str(folder), "Kernels", *USUAL]


# --- loops and arrays ---

def _algo_tbb(shop: Workshop) -> Program:
    return shop.algo_cpp("tbb", "g++", "algo_tbb", "g++ libtbb-dev", "-ltbb") + USUAL


def _algo_libgomp(shop: Workshop) -> Program:
    return shop.algo_cpp("libgomp", "g++", "algo_omp", "g++", "-fopenmp") + USUAL


def _algo_libomp(shop: Workshop) -> Program:
    return shop.algo_cpp("libomp", "clang++", "algo_omp", "clang libomp-dev", "-fopenmp") + USUAL


def _algo_rayon(shop: Workshop) -> Program:
    return shop.algo_rayon() + USUAL


# name: title, how its kernels are built, how its loops and arrays; None: by the same program
KNOWN: dict[str, tuple[str, Build, Build | None]] = {
    "tbb": ("oneTBB", _tbb, _algo_tbb),
    "libgomp": ("OpenMP, libgomp", _libgomp, _algo_libgomp),
    "libomp": ("OpenMP, libomp", _libomp, _algo_libomp),
    "rayon": ("rayon", _rayon, _algo_rayon),
    "crossbeam": ("crossbeam-deque and threads", _crossbeam, None),
    "tokio": ("tokio", _tokio, None),
    "go": ("Go", _go, None),
    "java": ("Java's ForkJoinPool", _java, None),
    "starpu": ("StarPU", _starpu, None),
}


def _built(build: Build, shop: Workshop, folder: str) -> tuple[Program | None, str | None]:
    try:
        if not any(PEERS.glob(folder)):
            raise LeftOut(f"its program is not in bench/peers ({folder})")
        return build(shop), None
    except (LeftOut, OSError, subprocess.SubprocessError) as why:
        return None, str(why)


def _prepare(name: str, shop: Workshop, wants: tuple[bool, bool]) -> Runtime:
    """wants: kernels, loops and arrays."""
    title, kernels, arrays = KNOWN[name]
    runtime = Runtime(name, title)
    if wants[0] or (wants[1] and not arrays):
        folder = "kernels_omp" if name in ("libgomp", "libomp") else f"kernels_{name}"
        runtime.kernels, why = _built(kernels, shop, folder)
        runtime.left_out += [why] if why else []
    if wants[1] and arrays:
        folder = "algo_omp" if name in ("libgomp", "libomp") else f"algo_{name}"
        runtime.arrays, why = _built(arrays, shop, folder)
        runtime.left_out += [why] if why and why not in runtime.left_out else []
    elif not arrays:
        runtime.arrays = runtime.kernels
    return runtime


def prepare(names: list[str], shop: Workshop, kernels: set[str], threads: int) -> list[Runtime]:
    """Build what these kernels need, several at a time; in the order of the names."""
    wants = bool(kernels - set(ARRAYS)), bool(kernels & set(ARRAYS))
    with ThreadPoolExecutor(max_workers=max(1, threads)) as pool:
        return list(pool.map(lambda name: _prepare(name, shop, wants), names))


def build_launcher(shop: Workshop) -> Path | None:
    """None: there is no compiler for it, and wait4(2) of ours must do."""
    source, program = Path(__file__).with_name("launch.c"), shop.folder / "launch.bin"
    try:
        need("gcc", "gcc")
        shop.make("launch", program, ["gcc", "-O2", str(source), "-o", str(program)], [source])
    except LeftOut:
        return None
    return program
