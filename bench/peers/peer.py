# SPDX-License-Identifier: MIT
"""Runs a peer, started by `compare` or `recurrent.py` in its environment: peer.py MODULE THREADS.

Reads lines of JSON and answers each with one: {"variants": row}, {"prepare": row, "variant": ..},
{"measure": variant, "seconds": ..}, {"outputs": row, "variant": .., "signal": ..}, {"forget": true}.  A row is its number in the
module's ROWS.
"""
import importlib
import json
import os
import sys
import time

answers = os.fdopen(os.dup(1), "w", buffering=1)
os.dup2(2, 1)  # what libraries print does not disturb


def measure(run, steps, least, clock):
    """Microseconds a step, over passes of at least so many seconds."""
    passes, start = 0, clock()
    while passes == 0 or clock() - start < least:
        run()
        passes += 1
    return (clock() - start) / (passes * steps) * 1e6


def main():
    module, threads = importlib.import_module(sys.argv[1]), int(sys.argv[2])
    rows, clock = module.ROWS, getattr(module, "clock", time.perf_counter)
    module.use_threads(threads)
    print(json.dumps({"version": module.version()}), file=answers)
    prepared = {}
    for line in sys.stdin:
        order = json.loads(line)
        try:
            if "variants" in order:
                answer = {"variants": module.variants(rows[order["variants"]])}
            elif "prepare" in order:
                row = rows[order["prepare"]]
                run, steps = module.prepare(row, order["variant"])
                run()  # compiles, allocates
                prepared[order["variant"]] = run, steps
                answer = {}
            elif "measure" in order:
                answer = {"us": measure(*prepared[order["measure"]], order["seconds"], clock)}
            elif "outputs" in order:
                answer = {"outputs": module.outputs(rows[order["outputs"]], order["variant"], order["signal"])}
            else:
                prepared.clear()
                answer = {}
        except Exception as error:  # a peer that cannot do a row says so, and goes on with the next one
            answer = {"error": f"{type(error).__name__}: {error}".splitlines()[0][:200]}
        print(json.dumps(answer), file=answers)


if __name__ == "__main__":
    main()
