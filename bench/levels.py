#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""levels.py [--compilers g++,clang++-19] [--levels O0,Og,O1,O2,O3] [--networks disc-4,W1] [--rounds 3] [--flags=-march=native]

What each level of optimisation costs to compile and to train, of ten networks: seconds of the processor to compile the
program, and milliseconds of the processor for an epoch of a few thousand random rows on one thread. The smallest of
--rounds, which are interleaved, so that a busy machine matters little. Fails if a level gives
other bits than the first.
"""
import argparse
import pathlib
import platform
import resource
import shlex
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent

# name: model, loss, rows, rows in a batch
NETWORKS = {
    "disc-4": ("Disc<4>", "CrossEntropyLoss", 20000, 100),
    "13-40-20-5": ("Tabular", "CrossEntropyLoss", 10000, 37),
    "17-64-64-6": ("Agent", "CrossEntropyLoss", 10000, 256),
    "256-64-64-10": ("Folds", "CrossEntropyLoss", 5000, 32),
    "1024-100-10": ("Gray", "CrossEntropyLoss", 2000, 128),
    "W1": ("W1", "NLLLoss", 1000, 200),
    "lenet-5": ("LeNet5", "CrossEntropyLoss", 1000, 64),
    "gray-cnn": ("GrayImages", "CrossEntropyLoss", 500, 128),
    "resnet-8": ("ResNet8", "CrossEntropyLoss", 64, 32),
    "mobile": ("Mobile", "CrossEntropyLoss", 128, 64),
}


def compile_seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"{shlex.join(command)}\n{done.stderr}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--compilers", default="g++", type=lambda text: text.split(","))
    options.add_argument("--levels", default="O0,Og,O1,O2,O3", type=lambda text: text.split(","))
    options.add_argument("--networks", default=",".join(NETWORKS), type=lambda text: text.split(","))
    options.add_argument("--rounds", default=3, type=int)
    options.add_argument("--flags", default="-march=native", type=shlex.split)
    options.add_argument("--include", default=str(ROOT / "include"))
    given = options.parse_args()
    unknown = [name for name in given.networks if name not in NETWORKS]
    if unknown:
        options.error(f"there is no network {unknown[0]}; there are {', '.join(NETWORKS)}")

    differ = []
    for compiler in given.compilers:
        version = subprocess.run([compiler, "-dumpfullversion", "-dumpversion"], capture_output=True, text=True).stdout.strip()
        print(f"{compiler} {version} {shlex.join(given.flags)}, {platform.machine()}: seconds to compile, milliseconds an epoch\n")
        print("| network | rows | " + " | ".join(f"-{level}" for level in given.levels) + " |")
        print("|---|---|" + "---|" * len(given.levels))
        compiled, epochs = {level: [] for level in given.levels}, {level: [] for level in given.levels}
        with tempfile.TemporaryDirectory() as folder:
            for name in given.networks:
                model, loss, rows, batch = NETWORKS[name]
                seconds, milliseconds, bits = {}, {}, {}
                for level in given.levels:
                    seconds[level] = compile_seconds(
                        [compiler, "-std=c++20", f"-{level}", *given.flags, "-I", given.include, "-pthread", f"-DNETWORK={model}",
                         f"-DLOSS={loss}", '-DSINTER_MNIST_SUBSET=""', str(ROOT / "bench/support/levels.cpp"), "-o", f"{folder}/{level}"])
                for _ in range(given.rounds):
                    for level in given.levels:
                        said = subprocess.run([f"{folder}/{level}", str(rows), str(batch)], capture_output=True, text=True, check=True)
                        took, bits[level] = said.stdout.split()
                        milliseconds[level] = min(float(took), milliseconds.get(level, float("inf")))
                differ += [f"{compiler} {name} -{level}" for level in given.levels if bits[level] != bits[given.levels[0]]]
                print(f"| {name} | {rows} | " + " | ".join(f"{seconds[level]:.1f} s, {milliseconds[level]:.3g} ms" for level in given.levels) + " |",
                      flush=True)
                for level in given.levels:
                    compiled[level].append(seconds[level] / seconds[given.levels[-1]])
                    epochs[level].append(milliseconds[level] / milliseconds[given.levels[-1]])
        print(f"| beside -{given.levels[-1]} (geometric mean) | | " + " | ".join(
            f"{statistics.geometric_mean(compiled[level]):.2f}, {statistics.geometric_mean(epochs[level]):.2f}" for level in given.levels) + " |\n")
    if differ:
        sys.exit(f"other bits than those of -{given.levels[0]}: {', '.join(differ)}")
    print("The parameters after the epoch are the same bits at all levels.")


if __name__ == "__main__":
    main()
