# SPDX-License-Identifier: MIT
"""The peers of `compare` that are C++: dlib and RLtools, on OpenBLAS. Each is a program, built into the environment."""
import dataclasses
import json
import os
import pathlib
import subprocess

from rows import ROWS

HERE = pathlib.Path(__file__).resolve().parent
LIBRARIES = "usr/lib/x86_64-linux-gnu"
DEBIAN = ["libdlib-dev", "libdlib19.1", "libopenblas0-pthread", "libopenblas-pthread-dev", "libopenblas-dev", "libgfortran5", "libquadmath0"]


def fetch_debian(environment):
    """dlib and OpenBLAS from Debian's packages, unpacked beside the virtual environment: nothing is installed."""
    folder = environment / "debian"
    folder.mkdir(parents=True, exist_ok=True)
    try:
        for package in DEBIAN:
            subprocess.run(["apt-get", "download", package], cwd=folder, check=True, capture_output=True)
        for file in folder.glob("*.deb"):
            subprocess.run(["dpkg-deb", "-x", file, folder], check=True)
            file.unlink()
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"dlib and OpenBLAS were not fetched from Debian: {error}")


def first_with(file, *folders):
    return next((folder for folder in folders if folder and (folder / file).exists()), None)


@dataclasses.dataclass
class Native:
    """A C++ peer: its source here, and which of its own files tells that it is there."""
    name: str
    source: str
    header: str

    def include(self, options):
        if self.name == "RLtools":
            return first_with(self.header, options.rltools and options.rltools / "include")
        return first_with(self.header, pathlib.Path("/usr/include"), options.environment / "debian/usr/include")

    def missing(self, options):
        if self.name == "RLtools":
            return "RLtools has no folder (--rltools DIR)" if not options.rltools else f"{options.rltools} has no include/{self.header}"
        return "dlib is not there (Debian's libdlib-dev, or compare --install)"


NATIVE = [Native("dlib", "dlib_cpu.cpp", "dlib/dnn.h"), Native("RLtools", "rltools_cpu.cpp", "rl_tools/rl_tools.h")]


class NativePeer:
    def __init__(self, kind, options, cores):
        self.kind, self.name, self.cores, self.version = kind, kind.name, cores, None
        include, environment = kind.include(options), options.environment
        if not include:
            self.why = kind.missing(options)
            return
        blas = first_with("openblas-pthread/libopenblas.so", pathlib.Path("/") / LIBRARIES, environment / "debian" / LIBRARIES)
        if not blas:
            self.why = f"{kind.name} needs OpenBLAS (Debian's libopenblas-dev, or compare --install)"
            return
        self.program = environment / "native" / kind.name
        self.libraries = f"{blas / 'openblas-pthread'}:{blas}"
        source = HERE / kind.source
        newest = max(file.stat().st_mtime for file in (source, HERE / "measure.hpp"))
        if not self.program.exists() or self.program.stat().st_mtime < newest:
            self.program.parent.mkdir(parents=True, exist_ok=True)
            # As system headers, which come after those of the compiler.
            headers = [] if include == pathlib.Path("/usr/include") else ["-isystem", include]
            headers += ["-isystem", blas.parent.parent / "include/x86_64-linux-gnu/openblas-pthread"]
            own = [f"-L{blas}", "-ldlib"] if kind.name == "dlib" else []
            print(f"building {self.program}", flush=True)
            done = subprocess.run(["g++", "-std=c++17", "-O3", "-march=native", "-ffast-math", "-w", *headers, source, "-o", self.program, *own,
                                   f"-L{blas / 'openblas-pthread'}", "-lopenblas", "-pthread", "-Wl,--allow-shlib-undefined",
                                   "-Wl,--unresolved-symbols=ignore-in-shared-libs"], capture_output=True, text=True)
            if done.returncode:
                errors = [line for line in done.stderr.splitlines() if "error" in line or "undefined" in line]
                self.why = f"{kind.name} was not built: " + (errors or ["?"])[0][:300]
                return
        answer = self.ask("version")
        self.version = answer.get("version")
        self.rows = set(answer.get("rows", []))
        self.why = answer.get("error", "")

    def ask(self, *words):
        environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_CORETYPE"}
        environment |= {"OPENBLAS_NUM_THREADS": str(len(self.cores)), "LD_LIBRARY_PATH": self.libraries}
        done = subprocess.run([self.program, *map(str, words)], capture_output=True, text=True, env=environment,
                              preexec_fn=lambda: os.sched_setaffinity(0, self.cores))
        if done.returncode or not done.stdout.strip():
            return {"error": f"{self.kind.name} ended with status {done.returncode}: {done.stderr.strip()[:200]}"}
        return json.loads(done.stdout)

    def variants(self, row):
        return [""] if ROWS[row].name in self.rows else []

    def prepare(self, row, variant):
        return None

    def measure(self, row, variant, seconds):
        return self.ask(ROWS[row].name, seconds)

    def forget(self):
        pass

    def close(self):
        pass
