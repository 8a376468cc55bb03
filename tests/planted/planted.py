#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""planted.py FOLDER [--only TEXT..]: that faults of one line, one in each room or more, are noticed by the tests.

FOLDER becomes a clone of this repository's HEAD, or is one from an earlier run. Each fault of faults.toml whose file or test
contains a TEXT is planted there alone, the program of its test is built with the preset of the stage that runs it,
`test` or `gcc`, which must succeed, and the test must fail; without any fault it must pass. A static_assert of a test that
no longer holds is a test that fails. A row of the table for each: the file, the change, the test, and that stage: one of
.ci/run, or else one of .ci/nightly that .ci/touched names for the file. Takes about half a minute a fault: of a header's
fault the test's own files are compiled, and linked before the libraries of all tests, which stay as they are.
"""
import argparse
import functools
import os
import pathlib
import re
import subprocess
import sys
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PRESETS = ("test", "gcc")


def run(command, folder):
    return subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def output(command, folder):
    done = run(command, folder)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stdout}")
    return done.stdout


def prepare(folder):
    if not folder.exists():
        output(["git", "clone", "-q", str(ROOT), str(folder)], ROOT)
    output(["git", "reset", "-q", "--hard"], folder)
    output(["git", "pull", "-q", "--ff-only"], folder)
    for preset in PRESETS:
        if not (folder / f"build/{preset}/build.ninja").exists():
            output(["cmake", "--preset", preset], folder)


def lines_of_stages(folder):
    """(tier, stage, preset, selection) of each line of .ci/stages."""
    for line in (folder / ".ci/stages").read_text().splitlines():
        words = line.split()
        if words and words[0] in ("run", "nightly"):
            yield words[0], words[1], words[2], words[4:]


@functools.cache
def tests_of(folder, preset, selection):
    return output(["bash", "-c", '. .ci/selected.sh; selected "$@"', "bash", preset, *selection], folder).split()


def stage_of(folder, fault):
    """The stage that runs the test of a fault, and its preset; or None twice. Other presets are not configured here."""
    named = output(["bash", "-c", 'echo "$0" | .ci/touched --paths', fault["file"]], folder).split()
    for tier, stage, preset, selection in lines_of_stages(folder):
        folder_of_test = fault["test"].split("/")[0]
        if preset not in PRESETS or tier == "nightly" and not {stage, f"{stage}/{folder_of_test}"} & set(named):
            continue
        if fault["test"] in tests_of(folder, preset, tuple(selection)):
            return f".ci/{tier} {stage}", preset
    return None, None


@functools.cache
def known_targets(folder, preset):
    return set(re.findall(r"^(\S+): phony$", output(["cmake", "--build", f"build/{preset}", "--target", "help"], folder), re.M))


def targets_of(folder, fault, preset):
    """What is built before a test: the program of its name, and what the fault says besides."""
    name = re.sub(r"^examples/([0-9])", r"\1", fault["test"]).replace("/", ".")
    return [target for target in [name, *fault.get("targets", [])] if target in known_targets(folder, preset)]


def commands_of(folder, fault, preset):
    """Those that compile and link the program of a test, without its libraries."""
    (target,) = targets_of(folder, fault, preset)
    for command in output(["ninja", "-C", f"build/{preset}", "-t", "commands", target], folder).splitlines():
        if f"/CMakeFiles/{target}.dir/" in command:
            yield ["sh", "-c", command]


def build(folder, fault, preset, planted):
    """Runs commands, and returns the last one if it fails."""
    file, targets = fault["file"], targets_of(folder, fault, preset)
    if planted and file.startswith("include/") and not file.endswith(".ipp") and len(targets) == 1:
        commands, where = commands_of(folder, fault, preset), folder / f"build/{preset}"
    elif "cmake" in file.lower():
        commands, where = [["cmake", "--preset", preset]], folder
    else:
        commands, where = [["cmake", "--build", f"build/{preset}", "--target", *targets]] if targets else [], folder
    for command in commands:
        if (done := run(command, where)).returncode != 0:
            return done
    return None


def outcome(folder, fault, preset, planted):
    """passes, is skipped, fails or does not compile: of the test of a fault. A compiler that finds a fault says nothing of a test."""
    if failed := build(folder, fault, preset, planted):
        asserted = re.search(r"/tests/\S+: error: (static assertion|non-constant condition)", failed.stdout)
        return "fails" if asserted else "does not compile"
    name = f"^{re.escape(fault['test'])}$"
    done = run(["ctest", "--test-dir", f"build/{preset}", "-R", name, "--no-tests=error"], folder)
    if re.search(rf"Test +#[0-9]+: {re.escape(fault['test'])} .*[*]{{3}}Skipped", done.stdout):
        return "is skipped"
    return "passes" if done.returncode == 0 else "fails"


def once(folder, fault):
    """The text of the file of a fault, which must hold what is replaced once."""
    text = (folder / fault["file"]).read_text()
    if text.count(fault["from"]) != 1:
        sys.exit(f'{fault["file"]} has {text.count(fault["from"])} times: {fault["from"]}; expected once. Give more of the line')
    return text


def outcome_with(folder, fault, preset):
    """Of the test of a fault, with it. Leaves everything as it was: times of files, too, so that only what was built of it is built anew."""
    path, text = folder / fault["file"], once(folder, fault)
    before = path.stat()
    path.write_text(text.replace(fault["from"], fault["to"]))
    begun = path.stat().st_mtime_ns
    try:
        return outcome(folder, fault, preset, True)
    finally:
        path.write_text(text)
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        for built in (folder / f"build/{preset}").rglob("*"):
            if built.is_file() and built.stat().st_mtime_ns >= begun and built_from_sources(built):
                built.unlink()
        if "cmake" in fault["file"].lower():
            output(["cmake", "--preset", preset], folder)


def built_from_sources(path):
    return path.suffix in (".o", ".a", ".gch", ".pch") or os.access(path, os.X_OK)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=pathlib.Path)
    options.add_argument("--only", nargs="+", default=[""], metavar="TEXT")
    given = options.parse_args()
    faults = tomllib.loads((HERE / "faults.toml").read_text())["fault"]
    faults = [fault for fault in faults if any(text in fault["file"] or text in fault["test"] for text in given.only)]
    prepare(given.folder)
    for fault in faults:
        once(given.folder, fault)
    print("| file | change | noticed by | in |\n|---|---|---|---|")
    missed = 0
    for fault in faults:
        stage, preset = stage_of(given.folder, fault)
        wrong = "" if stage else "in no stage"
        if not wrong and (before := outcome(given.folder, fault, preset, False)) != "passes":
            wrong = f"{before} without a fault"
        if not wrong:
            if (after := outcome_with(given.folder, fault, preset)) != "fails":
                wrong = after
        missed += wrong != ""
        change = f'`{fault["from"].strip()}` to `{fault["to"].strip()}`'.replace("|", "\\|")
        print(f'| {fault["file"]} | {change} | {fault["test"]}{f": {wrong.upper()}" if wrong else ""} | {stage or ""} |', flush=True)
    print(f"\n{len(faults) - missed} of {len(faults)} noticed")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
