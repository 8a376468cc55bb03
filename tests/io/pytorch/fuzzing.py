# SPDX-License-Identifier: MIT
"""What fuzz_onnx.py and fuzz_pytorch.py share: models of many seeds, each in a process that may end at one of them."""

import collections
import faulthandler
import re
import signal
import subprocess
import sys

import numpy as np
from converted import check
from value_check import is_same
from written_network import WrittenNetwork

# What no message has: that this program is to blame, or a part of a traceback.
FAULTS = r"Please report it|is not known here \(|Traceback|object at 0x"
SECONDS = 60  # of a processor, for one model
USUAL = 1000  # models


def unlike(folder, rows, outputs):
    """In what way a network that was written gives something else for these rows than the model, if it does."""
    written = (folder / "Fuzzed.hpp").read_text(), (folder / "Fuzzed.safetensors").read_bytes()
    given, rounded = WrittenNetwork(*written)(rows), WrittenNetwork(*written, np.float32)(rows)
    known = np.isfinite(outputs).all(1) & (np.abs(outputs) < 1e18).all(1)
    same = given.shape == outputs.shape and is_same(outputs[known], given[known], rounded[known])
    return None if same else f"{given[known][0][:4]} instead of {outputs[known][0][:4]}"


def outcome(seed, folder, attempt, refused):
    """What becomes of a model: "right", "refused .." or "WRONG ..". attempt(seed, folder) says what is wrong."""
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        wrong = attempt(seed, folder)
        return f"WRONG {wrong}" if wrong else "right"
    except refused as why:
        return f"WRONG {why}" if re.search(FAULTS, str(why)) or not str(why).strip() else f"refused {why}"
    except Exception as problem:
        return f"WRONG {type(problem).__name__}: {problem}"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def work(folder, seeds, attempt, refused):
    faulthandler.enable()
    for seed in seeds:
        print(f"seed {seed}", flush=True)
        print("done", " ".join(outcome(seed, folder, attempt, refused).split()), flush=True)


def run(script, folder, arguments, attempt, refused):
    """The main function. `arguments`: COUNT FIRST, and --all, which prints what is right or refused, too."""
    numbers = [int(text) for text in arguments if text.isdigit()]
    count, first = [*numbers, *[USUAL, 0][len(numbers) :]]
    folder.mkdir(parents=True, exist_ok=True)
    if "--work" in arguments:
        return work(folder, range(first, first + count), attempt, refused)
    found, seed, good = collections.Counter(), first, True
    while seed < first + count:  # again, after a model at which the process ended
        left = [str(first + count - seed), str(seed), "--work"]
        said = subprocess.run(
            [sys.executable, script, "-", folder, *left], capture_output=True, text=True, errors="replace"
        )
        lines = [line for line in said.stdout.splitlines() if line.startswith(("seed ", "done "))]
        for begin, end in zip(lines[::2], lines[1::2]):
            kind = end.split()[1]
            found[kind] += 1
            if kind == "WRONG":
                good = check(False, f"{begin}: {end[len('done WRONG ') :][:600]}")
            elif "--all" in arguments:
                print(begin, end)
        seed += len(lines) // 2
        if len(lines) % 2:
            good = check(False, f"{lines[-1]}: the process ended with {said.returncode}: {said.stderr[-600:]}")
            seed += 1
        elif seed < first + count:
            print(said.stderr[-2000:])
            return 1
    what = ", ".join(f"{number} {kind}" for kind, number in sorted(found.items()))
    good = check(good and found["right"] > 0, f"models of the seeds {first} to {first + count - 1}: {what}")
    return 0 if good else 1
