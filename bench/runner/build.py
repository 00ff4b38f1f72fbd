"""build.py — what it takes to build a peer: tools that are missing are named, commands are run

Shared by bench/runner, bench/peers/algo and bench/peers/tasks.  Everything goes to build/peers, or
where SKUA_PEERS_BUILD says; nothing is fetched: Rust crates come from Debian's packages, in
/usr/share/cargo/registry or where SKUA_CARGO_REGISTRY says.
"""

import hashlib
import os
import shutil
import subprocess
import threading
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PEERS = ROOT / "bench/peers"
WORK = ROOT / "bench/work"
OPTIMIZED = ["-O2", "-ffp-contract=off"]    # what skua's Release has, for all in C and C++
WARNINGS = ["-Wall", "-Wextra"]


class LeftOut(Exception):
    """Why a runtime is not measured."""


def need(package: str, *programs: str) -> None:
    for program in programs:
        if not shutil.which(program):
            raise LeftOut(f"no {program} (apt-get install {package})")


def pkg_config(package: str, module: str) -> list[str]:
    need(package, "pkg-config")
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", module], capture_output=True,
                           text=True)
    if flags.returncode:
        raise LeftOut(f"pkg-config does not know {module} (apt-get install {package})")
    return flags.stdout.split()


def digest(command: list[str], files: list[Path]) -> str:
    """Of a command and of what it reads; another one means that it must be run again."""
    sha = hashlib.sha256("\0".join(command).encode())
    for file in sorted(files):
        sha.update(str(file).encode() + b"\0" + file.read_bytes())
    return sha.hexdigest()


def below(*folders: Path) -> list[Path]:
    return [path for folder in folders for path in folder.rglob("*") if path.is_file()]


class Workshop:
    """A folder where peers are built."""

    def __init__(self, libraries: Path = ROOT / "build/release", is_lazy: bool = False) -> None:
        self.folder = Path(os.environ.get("SKUA_PEERS_BUILD", ROOT / "build/peers")).absolute()
        self.registry = Path(os.environ.get("SKUA_CARGO_REGISTRY", "/usr/share/cargo/registry"))
        self.libraries = libraries      # where libskua_work.a and libskua.a are
        self.is_lazy = is_lazy          # what is built of the same files need not be built again
        self._lock = threading.Lock()   # of what several peers share

    def open(self) -> None:
        """OSError: there is no folder to build in."""
        self.folder.mkdir(parents=True, exist_ok=True)

    def run(self, name: str, command: list[str], folder: Path = PEERS, **environment: str) -> None:
        done = subprocess.run(command, cwd=folder, env=os.environ | environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        if done.returncode:
            log = self.folder / f"{name}.log"
            log.write_bytes(done.stdout)
            raise LeftOut(f"it does not build here, see {log}")

    def make(self, name: str, made: Path, command: list[str], reads: list[Path],
             **environment: str) -> None:
        """Run a command that makes a file or folder of others, unless it was made of the same."""
        stamp = self.folder / f"{name}.stamp"
        wanted = digest(command, reads) if self.is_lazy else ""
        if self.is_lazy and made.exists() and stamp.exists() and stamp.read_text() == wanted:
            return
        stamp.unlink(missing_ok=True)
        self.run(name, command, **environment)
        if self.is_lazy:
            stamp.write_text(wanted)

    def algo_data(self, name: str) -> Path:
        """The arrays and the judge of algo and loops, as a library."""
        need("gcc binutils", "gcc", "ar")
        folder = self.folder / "algo_data"
        with self._lock:
            folder.mkdir(exist_ok=True)
            library = folder / "libalgo_data.a"
            sources = [WORK / f"{stem}.c" for stem in ("algo_data", "loops_data", "grind")]
            objects = [f"{source.stem}.o" for source in sources]
            self.run(name, ["gcc", "-std=gnu11", *OPTIMIZED, "-c", *map(str, sources)], folder)
            self.run(name, ["ar", "rcs", str(library), *objects], folder)
        return library

    def work_libraries(self) -> list[str]:
        """Kernels' data, leaves and judge, and the library they need."""
        libraries = [self.libraries / "libskua_work.a", self.libraries / "libskua.a"]
        for library in libraries:
            if not library.exists():
                raise LeftOut(f"there is no {library} (run `make`)")
        return [str(library) for library in libraries]

    def native(self, name: str, compiler: list[str], source: str, package: str,
               libraries: list[str]) -> list[str]:
        """A program in C or C++, of one file."""
        need(package, compiler[0])
        program = self.folder / f"{name}.bin"
        inside = [Path(word) for word in libraries if word.endswith(".a")]
        reads = below((PEERS / source).parent) + [*PEERS.glob("*.h"), *WORK.glob("*.h"), *inside]
        self.make(name, program, [*compiler, *WARNINGS, source, "-o", str(program), *libraries,
                                  "-pthread"], reads)
        return [str(program)]

    def algo_cpp(self, name: str, compiler: str, source: str, package: str,
                 *flags: str) -> list[str]:
        """A program of bench/peers/algo in C++."""
        need(package, compiler)
        library = self.algo_data(f"algo_{name}")
        return self.native(f"algo_{name}", [compiler, "-std=c++17", *OPTIMIZED],
                           f"{source}/{source}.cpp", package, [str(library), *flags])

    def crate(self, name: str, package: str) -> str:
        """The version of a crate that Debian's packages brought."""
        need(f"cargo rustc {package}", "cargo", "rustc")
        crates = sorted(path.name for path in self.registry.glob(f"{name}-[0-9]*"))
        if not crates:
            raise LeftOut(f"no {name} in {self.registry} (apt-get install {package})")
        return crates[-1].removeprefix(f"{name}-")

    def cargo(self, name: str, folder: Path, **environment: str) -> None:
        self.run(name, ["cargo", "build", "--release", "--offline", "--quiet",
                        "--config", 'source.crates-io.replace-with="debian"',
                        "--config", f'source.debian.directory="{self.registry}"'],
                 folder, **environment)

    def rayon(self, name: str, **environment: str) -> list[str]:
        """A program of a folder NAME, with rayon alone."""
        version = self.crate("rayon", "librust-rayon-dev")
        folder = self.folder / name     # a copy: cargo writes a lock file beside the manifest
        shutil.copytree(PEERS / name, folder, dirs_exist_ok=True)
        self.cargo(name, folder, RAYON_VERSION=version, **environment)
        return [str(folder / f"target/release/{name}")]

    def algo_rayon(self) -> list[str]:
        self.crate("rayon", "librust-rayon-dev")
        library = self.algo_data("algo_rayon")
        content = hashlib.sha256(library.read_bytes()).hexdigest()[:16]  # cargo would not see that it changed
        return self.rayon("algo_rayon", RUSTFLAGS=f"-L native={library.parent} -C metadata={content}")

    def go(self, name: str, sources: list[str]) -> list[str]:
        need("golang-go", "go")
        program = self.folder / f"{name}.bin"
        self.run(name, ["go", "build", "-o", str(program), *sources],
                 GOCACHE=str(self.folder / "go-cache"), GO111MODULE="off")
        return [str(program)]
