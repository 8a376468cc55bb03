#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""One table of what the programs in this folder measured: microseconds per step, ours next to the others.

    python3 bench/table.py FOLDER    with times.log, peers.log and jax.log, as far as they are there

Of several variants of the same name ("scan", "scan x8") the fastest counts. A ratio is the time of the other by ours;
"best" is the fastest of the others. tf32 is the graph with products in TF32, which are rounded more than ours. "-": not
measured.
"""
import pathlib
import re
import sys

# Name in 22 columns, variant, median, low-high, more numbers; what the programs print between such lines is passed over.
LINE = re.compile(r"(\S.{21}) (.*?)\s+([\d.]+)\s+[\d.]+-[\d.]+\s*([\d. ]*)$")
PEERS = "eager", "graph", "tf32", "compile", "jit", "scan"


def lines(file):
    """(name, variant, median, further numbers) of each line of a log that is one of a table."""
    if not file.exists():
        return
    for line in file.read_text(errors="replace").splitlines():
        if match := LINE.match(line):
            yield match[1].strip(), match[2].strip(), float(match[3]), [float(number) for number in match[4].split()]


def joined(folder):
    """For each workload, ours first, then in the order of the others: a dictionary of numbers and the plan."""
    table = {}
    for name, plan, median, more in lines(folder / "times.log"):
        floor = more[0] if len(more) == 3 else None
        table[name] = {"plan": plan, "ours": median, "floor": floor, "target": more[-1] if more and more[-1] > 0 else None}
    for log in "peers.log", "jax.log":
        for name, variant, median, _ in lines(folder / log):
            row, kind = table.setdefault(name, {}), variant.split(" ")[0]
            if kind in PEERS:
                row[kind] = min(median, row.get(kind, median))
    return table


def ratio(row, one, other):
    return row[one] / row[other] if row.get(one) and row.get(other) else None


def shown(number, digits=1):
    return "-" if number is None else f"{number:.{digits + (number < 1)}f}"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    table = joined(pathlib.Path(sys.argv[1]))
    if not table:
        sys.exit(f"no measurements in the logs of {sys.argv[1]}")
    print(f"{'':33}{'sinter':^24}   {'PyTorch':^35} {'JAX':^17}  {'times ours':^23}")
    print(f"{'us a step':22} {'plan':9} {'ours':>8} {'floor':>7} {'/floor':>6} {'target':>6} {'eager':>8} {'graph':>8} {'tf32':>8} {'compile':>8} "
          f"{'jit':>8} {'scan':>8} {'eager':>7} {'graph':>7} {'best':>7}")
    for name, row in table.items():
        peers = [row[kind] for kind in PEERS if kind in row]
        row["best"] = min(peers) if peers else None
        print(f"{name:22} {row.get('plan', ''):9} {shown(row.get('ours'), 2):>8} {shown(row.get('floor'), 2):>7} "
              f"{shown(ratio(row, 'ours', 'floor')):>6} {shown(row.get('target')):>6} "
              + "".join(f"{shown(row.get(kind), 2):>8} " for kind in PEERS)
              + " ".join(f"{shown(ratio(row, kind, 'ours')):>7}" for kind in ("eager", "graph", "best")))


if __name__ == "__main__":
    main()
