#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What programs cost to compile: those of bench/compile_time, networks of many layers such as "wavenet inference", and
many networks in one program, such as "8 perceptrons step" or "8 lenets fit".

    compile_time.py [--programs ..] [--modes ..] [--compilers g++,clang++-19] [--flags="-O3 -march=native"] [--rounds 3] [FOLDER..]
    compile_time.py --profile PROGRAM [--modes compiled] [--flags=..]

A row for each compiler, mode and program, with a column for each FOLDER, a checkout of sinter (this one if none is given):
the median of --rounds and, in brackets, the smallest and the largest. Folders take turns, so that a busy machine matters
little. The last columns are the ratio of the last folder to the first one's row "header-only", and the last one's memory,
text and number of functions.

    header-only  with -I alone
    compiled     with SINTER_COMPILED
    precompiled  the same with precompiled headers
    library      cmake/compiled.cpp,
    kernels      cmake/kernels.cpp, and
    headers      the precompiled headers, which those two need once
    sanitized    header-only with -O0 -g and the address and undefined-behaviour sanitizers
    fresh        by the CMake lines of the README in an empty folder, and
    edit         after a change of the program: seconds by the clock. All others are seconds of the processor.

--profile builds a plugin for g++ (Debian's gcc-12-plugin-dev) and prints the functions on which it spends most.
"""
import argparse
import os
import pathlib
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCES = ROOT / "bench/compile_time"
MODES = "header-only", "compiled", "precompiled", "library", "kernels", "headers", "sanitized", "fresh", "edit"
PARTS = "library", "kernels", "headers"  # modes without a program

GATES = """
template <int D>
using Gate = Product<Path<Conv1d<16, 3, Causal, Dilation<D>>, Tanh>, Path<Conv1d<16, 3, Causal, Dilation<D>>, Sigmoid>>;
template <int D>
using Wave = Residual<Path<Gate<D>, Conv1d<16, 1>>>;
"""
# name: shape of the input, layers before a Linear<10>
DEEP = {
    "blocks": ("3, 32, 32", ["Conv2d<32, 3, Padding<1>>, BatchNorm2d<>, ReLU"] * 18),
    "linear": ("64", ["Linear<64>, ReLU"] * 50),
    "wavenet": ("1, 256", ["Conv1d<16, 1>", *[f"Wave<{2 ** i}>" for i in range(10)] * 2, "Conv1d<1, 1>"]),
}
INFER = """  const Network<Net> net;
  auto workspace = net.workspace(1);
  const Tensor<float, Shape<{shape}>> x(1);
  std::printf("%f\\n", static_cast<double>(net.forward(x, workspace)(0, 0)));
"""
TRAIN = """  Network<Net> net;
  const Tensor<float, Shape<{shape}>> x(8);
  const std::vector<int> labels(8);
  Trainer trainer{{net, CrossEntropyLoss{{}}, SGD{{.lr = 0.01}}}};
  std::printf("%f\\n", static_cast<double>(trainer.step(x, labels)));
"""


def deep(name):
    """The source of "blocks inference" and the like."""
    network, does = name.split()
    shape, layers = DEEP[network]
    body = (INFER if does == "inference" else TRAIN).format(shape=shape)
    return (f"#include <cstdio>\n#include <vector>\n#include <sinter/sinter.hpp>\nusing namespace sinter;\n{GATES}"
            f"struct Net : Sequential<Input<{shape}>, {', '.join(layers)}, Flatten, Linear<10>> {{}};\n"
            f"int main() {{\n{body}}}\n")


# What many networks have in common: "8 perceptrons step" are eight of different sizes, "8 lenets fit" likewise.
MANY = {
    "perceptrons": ("{0}", "Linear<{1}>, ReLU, Linear<{2}>, ReLU, Linear<10>, LogSoftmax", (20, 40, 32)),
    "lenets": ("1, 28, 28", "Conv2d<{0}, 5>, MaxPool2d<2>, ReLU, Conv2d<{1}, 5>, Dropout2d<0.5>, MaxPool2d<2>, ReLU, Flatten, "
                            "Linear<{2}>, ReLU, Dropout<0.5>, Linear<10>, LogSoftmax", (10, 20, 50)),
}
STEP = "  Trainer trainer{0}{{net{0}, NLLLoss{{}}, SGD{{.lr = 0.01}}}};\n  sum += static_cast<double>(trainer{0}.step(x{0}, labels));\n"
FIT = ("  const auto rows{0} = dataset(x{0}, labels);\n"
       "  fit(net{0}, rows{0}, NLLLoss{{}}, SGD{{.lr = 0.01}}, {{.epochs = 2, .validation = &rows{0}}}, Progress{{}});\n"
       "  sum += evaluate(net{0}, rows{0}, NLLLoss{{}}).loss;\n")


def many(name):
    """The source of "8 perceptrons step" and the like."""
    count, network, does = name.split()
    shape, layers, sizes = MANY[network]
    structs = body = ""
    for i in range(int(count)):
        own = [size + i for size in sizes]
        structs += f"struct Net{i} : Sequential<Input<{shape.format(*own)}>, {layers.format(*own)}> {{}};\n"
        body += f"  Network<Net{i}> net{i};\n  const Tensor<float, Shape<{shape.format(*own)}>> x{i}(50);\n"
        body += (STEP if does == "step" else FIT).format(i)
    return (f"#include <cstdio>\n#include <vector>\n#include <sinter/sinter.hpp>\nusing namespace sinter;\n{structs}"
            "int main() {\n  const std::vector<int> labels(50);\n  double sum = 0;\n"
            f"{body}  std::printf(\"%f\\n\", sum);\n}}\n")


def run(command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"{shlex.join(map(str, command))}\n{done.stdout}")
    return done.stdout


def measured(command):
    """Seconds of the processor, and the most memory in MB."""
    started = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    errors = started.stderr.read()
    _, status, usage = os.wait4(started.pid, 0)
    if status != 0:
        sys.exit(f"{shlex.join(map(str, command))}\n{errors}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


class Builder:
    """Compiles programs with the headers of one checkout, in a folder of its own."""

    def __init__(self, sinter, folder, compiler, flags):
        self.sinter, self.folder, self.compiler = sinter, folder, compiler
        self.flags = [*flags, "-std=c++20", "-pthread", "-I", sinter / "include"]
        self.object = folder / "program.o"
        folder.mkdir(parents=True)

    def source(self, program):
        if " " not in program:
            return SOURCES / f"{program}.cpp"
        source = self.folder / f"{program.replace(' ', '_')}.cpp"
        source.write_text(many(program) if program[0].isdigit() else deep(program))
        return source

    def compile(self, *options):
        return measured([self.compiler, *self.flags, *options])

    def compiled(self):
        """What a program that takes functions and kernels from libraries is compiled with."""
        kernels = self.sinter / "cmake/kernels.cpp"
        if not kernels.exists():  # an older checkout
            return ["-DSINTER_COMPILED"]
        source = self.folder / "isa.cpp"
        source.write_text("#include <sinter/core/isa.hpp>\nsinter_isa SINTER_NATIVE_ISA\n")
        name = run([self.compiler, *self.flags, "-E", source]).split("sinter_isa ")[1].split()[0]
        return ["-DSINTER_COMPILED", f"-DSINTER_COMPILED_KERNELS={name}"]

    def headers(self):
        header = self.folder / "headers.hpp"
        header.write_text("#include <sinter/io.hpp>\n#include <sinter/sinter.hpp>\n")
        made = self.folder / f"headers.hpp.{'pch' if 'clang' in self.compiler else 'gch'}"
        return self.compile(*self.compiled(), "-x", "c++-header", header, "-o", made)

    def by_cmake(self, program, again):
        """Seconds by the clock: from an empty folder, or after a change."""
        project, build = self.folder / "project", self.folder / "build"
        source = project / "program.cpp"
        if not again:
            shutil.rmtree(project, ignore_errors=True)
            shutil.rmtree(build, ignore_errors=True)
            project.mkdir()
            (project / "CMakeLists.txt").write_text(
                f"cmake_minimum_required(VERSION 3.25)\nproject(program LANGUAGES CXX)\nadd_subdirectory({self.sinter} sinter)\n"
                "add_executable(program program.cpp)\ntarget_link_libraries(program PRIVATE sinter::native)\n")
            for header in SOURCES.glob("*.hpp"):
                shutil.copy(header, project)
            shutil.copy(self.source(program), source)
            run(["cmake", "-S", project, "-B", build, "-G", "Ninja", f"-DCMAKE_CXX_COMPILER={self.compiler}"])
        else:
            source.write_text(source.read_text() + "// changed\n")
        begun = time.monotonic()
        run(["cmake", "--build", build])
        return time.monotonic() - begun, 0

    def once(self, mode, program):
        if mode == "library":
            return self.compile("-O1", "-c", self.sinter / "cmake/compiled.cpp", "-o", self.object)
        if mode == "kernels":
            return self.compile("-c", self.sinter / "cmake/kernels.cpp", "-o", self.object)
        if mode == "headers":
            return self.headers()
        if mode in ("fresh", "edit"):
            if mode == "edit" and not (self.folder / "build").exists():
                self.by_cmake(program, False)
            return self.by_cmake(program, mode == "edit")
        options = {"header-only": [], "compiled": self.compiled(),
                   "precompiled": [*self.compiled(), "-include", self.folder / "headers.hpp"],
                   "sanitized": ["-O0", "-g", "-fsanitize=address,undefined"]}[mode]
        if mode == "precompiled" and not (self.folder / "headers.hpp").exists():
            self.headers()
        return self.compile(*options, "-c", self.source(program), "-o", self.object)

    def text_and_functions(self):
        text = int(run(["size", self.object]).splitlines()[1].split()[0])
        functions = sum(line.split()[-2] in "TtWw" for line in run(["nm", "--defined-only", self.object]).splitlines())
        return text, functions


def profile(given):
    folder = pathlib.Path(tempfile.mkdtemp())
    compiler = given.compilers[0]
    includes = pathlib.Path(run([compiler, "-print-file-name=plugin"]).strip()) / "include"
    if not includes.is_dir():
        sys.exit(f"compile_time.py: {compiler} has no headers for plugins; on Debian: apt-get install gcc-12-plugin-dev")
    plugin = folder / "profile.so"
    run([compiler, "-shared", "-fPIC", "-fno-rtti", "-O1", "-I", includes, SOURCES / "profile_plugin.cc", "-o", plugin])
    builder = Builder(given.folders[-1], folder / "programs", compiler, given.flags)
    options = builder.compiled() if given.modes == ["compiled"] else []
    out = folder / "profile.txt"
    os.environ["SINTER_PROFILE"] = str(out)
    builder.compile(f"-fplugin={plugin}", *options, "-c", builder.source(given.profile), "-o", builder.object)
    rows = [line.split("\t") for line in out.read_text().splitlines()]
    functions, phases = {}, {}
    for phase, seconds, name in rows:
        phases[phase] = phases.get(phase, 0) + float(seconds)
        functions.setdefault(name, {})[phase] = float(seconds)
    print(", ".join(f"{phase} {seconds:.2f} s" for phase, seconds in phases.items()))
    print("| seconds | of these early, late | function |\n|---|---|---|")
    works = {name: of for name, of in functions.items() if name.startswith("_Z") or name == "main"}
    for name, of in sorted(works.items(), key=lambda item: -sum(item[1].values()))[:20]:
        short = run(["c++filt", name]).strip().replace("sinter::v0_1::", "")
        print(f"| {sum(of.values()):.2f} | {of.get('early', 0):.2f}, {of.get('late', 0):.2f} | `{short[:120]}` |")
    shutil.rmtree(folder)


def main():
    def words(text):
        return text.split(",")

    programs = [source.stem for source in sorted(SOURCES.glob("*.cpp"))]
    every = programs + [f"{network} {does}" for network in DEEP for does in ("inference", "training")]
    every += [f"{count} {network} {does}" for network in MANY for does in ("step", "fit") for count in (1, 8)]
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--programs", type=words, default=[name for name in programs if name != "eight_networks"])
    options.add_argument("--modes", type=words, default=["header-only", "compiled", "precompiled"])
    options.add_argument("--compilers", type=words, default=["g++"])
    options.add_argument("--flags", type=shlex.split, default=["-O3", "-march=native"])
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--profile", choices=every)
    options.add_argument("folders", nargs="*", type=lambda path: pathlib.Path(path).resolve(), default=[ROOT])
    given = options.parse_args()
    for name, known in [*((name, every) for name in given.programs), *((mode, MODES) for mode in given.modes)]:
        if name not in known:
            options.error(f'"{name}" was given, expected one of {", ".join(known)}')
    if given.profile:
        return profile(given)

    print(f"| compiler | mode | program | {' | '.join(folder.name for folder in given.folders)} | ratio | memory | text | functions |")
    print(f"|---|---|---|{'---|' * len(given.folders)}---|---|---|---|")
    for compiler in given.compilers:
        first = {}  # a program's seconds with the first folder's headers alone
        for mode in given.modes:
            for program in [""] if mode in PARTS else given.programs:
                with tempfile.TemporaryDirectory() as folder:
                    builders = [Builder(sinter, pathlib.Path(folder) / str(i), compiler, given.flags)
                                for i, sinter in enumerate(given.folders)]
                    seconds = [[] for _ in builders]
                    for _ in range(given.rounds):
                        for builder, of in zip(builders, seconds):
                            took, memory = builder.once(mode, program)
                            of.append(took)
                    medians = [statistics.median(of) for of in seconds]
                    if mode == "header-only":
                        first[program] = medians[0]
                    beside = medians[0] if mode == "sanitized" else first.get(program)
                    ratio = f"{medians[-1] / beside:.2f}" if beside else ""
                    last = builders[-1]
                    text, functions = last.text_and_functions() if mode in MODES[:4] else (None, "")
                    cells = [f"{median:.1f} ({min(of):.1f} to {max(of):.1f})" for median, of in zip(medians, seconds)]
                    print(f"| {compiler} | {mode} | {program} | {' | '.join(cells)} | {ratio} | "
                          f"{f'{memory:.0f} MB' if memory else ''} | {f'{text / 1000:.0f} KB' if text else ''} | {functions} |", flush=True)


if __name__ == "__main__":
    main()
