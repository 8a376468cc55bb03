#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Networks with memory by sinter, RTNeural, NeuralAmpModelerCore, onnxruntime, PyTorch and JAX on one core of this machine, in turns.

    PYTHON bench/peers/recurrent.py --sources DIR               a Python with NumPy and, as far as there, the libraries of Python
    PYTHON bench/peers/recurrent.py --sources DIR --check       whether all give the same outputs
    PYTHON bench/peers/recurrent.py --sources DIR --rows GRU --quick

DIR has folders with the sources of the C++ peers, as GitHub has them: RTNeural, RTNeural-NAM, math_approx, xsimd,
NeuralAmpModelerCore; --eigen says where NeuralAmpModelerCore finds Eigen.  What is not there is left out, and named.  Programs and files
of weights, which are random, go to a folder outside the repository (--folder).

Rows: GRU and LSTM that read one number and are followed by a linear layer, a sample at a time; a step of training of two layers of 128
units over 100 steps at a batch of 32, as `fit` does it; networks of Neural Amp Modeler as streams, in blocks of samples.  A time is the
processor's, in microseconds, of a sample or a step of training: the median of the rounds, in brackets the largest by the smallest.
The ratio is the median of the rounds'; "full precision" leaves out the peers whose functions are approximate, and is a ratio of
medians.  A peer that takes ten times as long as the best one is measured once.  "Of peak": the share of
the multiply-adds on registers that our program measures in the same round, products alone counted.
"""
import argparse
import datetime
import json
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE))

from python_peer import PythonPeer, cores_of  # noqa: E402
from recurrent_models import write_models  # noqa: E402
from recurrent_rows import ROWS  # noqa: E402
from results import HEAD, OURS, Measured  # noqa: E402

FAR_BEHIND = 10
NATIVE = ["-O3", "-march=native"]
PYTHON = {"torch_recurrent": "PyTorch", "onnxruntime_recurrent": "onnxruntime", "jax_recurrent": "JAX"}


def options_of(arguments):
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    parser = argparse.ArgumentParser(prog="recurrent.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sources", type=pathlib.Path, help="folder of the C++ peers' sources")
    parser.add_argument("--eigen", type=pathlib.Path, default=pathlib.Path("/usr/include/eigen3"), help="folder with Eigen/Dense")
    parser.add_argument("--folder", type=pathlib.Path, default=cache / "sinter-peers/recurrent", help="for programs and weights")
    parser.add_argument("--python", type=pathlib.Path, default=pathlib.Path(sys.executable), help="that has PyTorch, onnxruntime, JAX")
    parser.add_argument("--rows", default="", help="a regular expression: the rows to measure")
    parser.add_argument("--peers", default="", help="a regular expression: of \"RTNeural Eigen\", \"JAX\", ..; all without it")
    parser.add_argument("--list", action="store_true", help="the names of the rows")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=.1, help="that a measurement takes at least")
    parser.add_argument("--quick", action="store_true", help="one short round")
    parser.add_argument("--check", action="store_true", help="compare outputs instead of times")
    parser.add_argument("--build", action="store_true", help="build the programs, and end")
    parser.add_argument("--output", type=pathlib.Path, help="a file for the table")
    options = parser.parse_args(arguments)
    if options.quick:
        options.rounds, options.seconds = 1, .02
    options.chosen = [i for i, row in enumerate(ROWS) if re.search(options.rows, row.name)]
    if not options.chosen:
        parser.error(f"--rows was given {options.rows!r}, which is in the name of no row; --list shows them")
    if options.rounds < 1:
        parser.error(f"--rounds was given {options.rounds}; give it 1 or more")
    if ROOT in [options.folder.resolve(), *options.folder.resolve().parents]:
        parser.error(f"--folder was given {options.folder}, inside the repository")
    return options


class Program:
    """A program of C++ that says what it has, and measures it: see streams.hpp. `flags`, and sources beside its own."""

    def __init__(self, name, source, flags, sources=(), needs=()):
        self.name, self.source, self.flags, self.sources, self.needs = name, source, flags, sources, needs
        self.rows, self.why = set(), ""

    def build(self, folder):
        lacking = [str(path) for path in self.needs if not path.exists()]
        if lacking:
            self.why = f"{self.name} needs {lacking[0]} (--sources, --eigen)"
            return False
        self.folder, self.program = folder, folder / re.sub(r"\W+", "_", self.name)
        newest = max(path.stat().st_mtime for path in (HERE / self.source, HERE / "streams.hpp", HERE / "measure.hpp"))
        if not self.program.exists() or self.program.stat().st_mtime < newest:
            print(f"building {self.program}", flush=True)
            objects = [self.compile(folder, path) for path in self.sources]
            done = subprocess.run(["g++", "-std=c++20", *self.flags, HERE / self.source, *filter(None, objects), "-o", self.program, "-pthread"],
                                  capture_output=True, text=True)
            if done.returncode:
                errors = [line for line in done.stderr.splitlines() if "error" in line or "undefined" in line]
                self.why = f"{self.name} was not built: " + (errors or ["?"])[0][:300]
                return False
        answer = json.loads(self.ask("version"))
        self.rows = set(answer["rows"])
        return True

    def compile(self, folder, path):
        """Once for all programs with the same flags, but for what only their own sources look at."""
        flags = [str(flag) for flag in self.flags if flag != "-DFAST_TANH"]
        made = folder / f"{path.stem}-{'-'.join(path.parts[-3:-1])}-{'inline' if '-DNAM_USE_INLINE_GEMM' in flags else 'eigen'}.o"
        if made.exists() or subprocess.run(["g++", "-std=c++20", *flags, "-c", path, "-o", made]).returncode == 0:
            return made

    def ask(self, *words):
        done = subprocess.run([self.program, *map(str, words)], capture_output=True, text=True, cwd=self.folder,
                              preexec_fn=lambda: os.sched_setaffinity(0, cores_of(1)))
        if done.returncode:
            return json.dumps({"error": f"{self.name} ended with status {done.returncode}: {done.stderr.strip()[:200]}"})
        return done.stdout

    def variants(self, number):
        return [""] if ROWS[number].name in self.rows else []

    def prepare(self, number, variant):
        return None

    def measure(self, number, variant, seconds):
        return json.loads(self.ask(ROWS[number].name, seconds))

    def outputs(self, number, variant, signal):
        said = self.ask("outputs", ROWS[number].name)
        return json.loads(said) if said.startswith("{") else {"outputs": [float(line) for line in said.split()]}

    def forget(self):
        pass

    def close(self):
        pass


def programs_of(options):
    """Ours, and those of the peers."""
    own = [*NATIVE, "-I", ROOT / "include", "-I", options.folder]
    ours = [Program("sinter cells", "sinter_cells.cpp", own), Program("sinter nam", "sinter_nam.cpp", own)]
    at = options.sources or pathlib.Path("SOURCES")
    rtneural, wavenet, maths, xsimd, nam = (at / name for name in ("RTNeural", "RTNeural-NAM", "math_approx", "xsimd", "NeuralAmpModelerCore"))
    flags = [*NATIVE, "-w", "-DRTNEURAL_DEFAULT_ALIGNMENT=32", "-DRTNEURAL_AVX_ENABLED=1", "-DEIGEN_STACK_ALLOCATION_LIMIT=0", "-I", rtneural, "-I", wavenet]
    for folder in (rtneural / "modules/Eigen", rtneural / "modules/json", xsimd / "include", maths / "include"):
        flags += ["-isystem", folder]
    needs = [rtneural / "RTNeural/RTNeural.h", wavenet / "wavenet/wavenet_model.hpp"]
    by_xsimd = [*needs, xsimd / "include/xsimd/xsimd.hpp"]
    peers = [Program("RTNeural Eigen", "rtneural_cpu.cpp", [*flags, "-DRTNEURAL_USE_EIGEN=1"], needs=needs),
             Program("RTNeural xsimd", "rtneural_cpu.cpp", [*flags, "-DRTNEURAL_USE_XSIMD=1"], needs=by_xsimd),
             Program("RTNeural xsimd, approximate", "rtneural_cpu.cpp", [*flags, "-DRTNEURAL_USE_XSIMD=1", "-DFAST_TANH"],
                     needs=[*by_xsimd, maths / "include/math_approx/math_approx.hpp"])]
    flags = ["-Ofast", "-march=native", "-DNDEBUG", "-w", "-DNAM_SAMPLE_FLOAT", "-I", nam, "-isystem", nam / "Dependencies/nlohmann", "-isystem", options.eigen]
    needs, sources = [nam / "NAM/get_dsp.h", options.eigen / "Eigen/Dense"], sorted([*nam.glob("NAM/*.cpp"), *nam.glob("NAM/*/*.cpp")])
    for gemm, more in (("", []), (", inline GEMM", ["-DNAM_USE_INLINE_GEMM"])):
        peers += [Program(f"NAM Core{gemm}", "nam_cpu.cpp", [*flags, *more], sources, needs),
                  Program(f"NAM Core{gemm}, approximate", "nam_cpu.cpp", [*flags, *more, "-DFAST_TANH"], sources, needs)]
    return ours, peers


def peers_of(options, programs):
    """Those that are there, and what to say of those that are not."""
    peers, missing = [], []
    for program in programs:
        if not re.search(options.peers, program.name):
            continue
        if program.build(options.folder):
            peers.append(program)
        else:
            missing.append(program.why)
    for module, name in PYTHON.items():
        if options.build or not re.search(options.peers, name):
            continue
        peer = PythonPeer(name, module, options.python, cores_of(1), options.folder)
        if peer.version:
            peers.append(peer)
        else:
            peer.close()
            missing.append(f"{name} is not in {options.python}")
    return peers, missing


class InTurns(Measured):
    """Its ratio is the median of those of the rounds, since the speed of a shared core changes between them."""

    @property
    def ratio(self):
        ours, theirs = self.times.get(OURS), self.times.get(self.best)
        return statistics.median(one / other for one, other in zip(theirs, ours)) if ours and theirs else None

    def cells(self):
        """Without the threads, and with the best of full precision after the best."""
        row, _, *cells, others = super().cells()
        exact = min((who for who in self.times if who != OURS and not who.endswith("approximate")), key=self.median, default=None)
        ratio = self.median(exact) / self.median(OURS) if exact and self.times.get(OURS) else None
        return [row, *cells, exact or "-", "-" if ratio is None else f"{ratio:.2f}" if ratio >= 1 else f"**{ratio:.2f}**", others]


COLUMNS = [HEAD[0], *HEAD[2:-1], "at full precision", "the same / sinter", HEAD[-1]]


def table(rows):
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [COLUMNS, ["---"] * len(COLUMNS), *(row.cells() for row in rows)])


def turns_of(options, number, peers, measured):
    for peer in peers:
        for variant in peer.variants(number):
            who = f"{peer.name} {variant}".strip()
            why = peer.prepare(number, variant)
            if why:
                measured.errors[who] = why
            else:
                yield who, peer, variant


def compare_row(options, number, ours, peers):
    row, cells = ROWS[number], ours[0]
    measured = InTurns(row.name, 1)
    mine = next(program for program in ours if row.name in program.rows)
    turns = list(turns_of(options, number, peers, measured))
    for round_ in range(options.rounds):
        if round_ == 1 and measured.best:  # the far behind are measured once
            limit = FAR_BEHIND * measured.median(measured.best)
            turns = [turn for turn in turns if turn[0] in measured.times and measured.median(turn[0]) <= limit]
        found = mine.measure(number, "", options.seconds)
        peak = json.loads(cells.ask("peak", 0))["us"]  # of a thousand million multiply-adds
        measured.add(OURS, found["us"])
        measured.peak.append(100 * row.multiply_adds * 1e-9 * peak / found["us"])
        for who, peer, variant in turns:
            found = peer.measure(number, variant, options.seconds)
            if "us" in found:
                measured.add(who, found["us"])
            else:
                measured.errors[who] = found["error"]
    for peer in peers:
        peer.forget()
    return measured


def check_row(options, number, ours, peers):
    """The largest difference of each peer's outputs from ours, by our largest output."""
    mine = next(program for program in ours if ROWS[number].name in program.rows).outputs(number, "", [])["outputs"]
    signal = [0.0] * 8192 + [.5 * math.sin(.05 * i) for i in range(512)]
    for peer in peers:
        for variant in peer.variants(number):
            theirs = peer.outputs(number, variant, signal)
            said = theirs.get("error") or f"{max(abs(a - b) for a, b in zip(mine, theirs['outputs'][-512:])) / max(map(abs, mine)):.1e}"
            print(f"{ROWS[number].name}: {peer.name} {variant} differs by {said}", flush=True)


def main(arguments):
    options = options_of(arguments)
    if options.list:
        return print("\n".join(ROWS[i].name for i in options.chosen))
    options.folder.mkdir(parents=True, exist_ok=True)
    write_models(options.folder)
    ours, programs = programs_of(options)
    for program in ours:
        if not program.build(options.folder):
            sys.exit(program.why)
    peers, missing = peers_of(options, programs)
    print("Left out: " + "; ".join(missing) + ".\n" if missing else "", end="", flush=True)
    rows = []
    for number in options.chosen if not options.build else ():
        if options.check:
            if ROWS[number].block:
                check_row(options, number, ours, peers)
            continue
        rows.append(compare_row(options, number, ours, peers))
        print("  ".join(rows[-1].cells()), flush=True)
        if options.output:  # what there is survives an end
            versions = ", ".join(peer.version for peer in peers if isinstance(peer, PythonPeer))
            options.output.write_text(f"{datetime.date.today()}, {versions}, {options.rounds} rounds\n\n{table(rows)}\n")
    for peer in peers:
        peer.close()
    if rows:
        print("\n" + table(rows))


if __name__ == "__main__":
    main(sys.argv[1:])
