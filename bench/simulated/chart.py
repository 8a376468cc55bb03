#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws a table of bench/simulated/run as one SVG: how many times as fast a batch is on several hosts (strong scaling), how many
times as many rows they take with a batch for each (weak scaling), and how many times as fast a sweep is. Needs nothing but Python.

    bench/simulated/chart.py bench/results/DATE-simulated_hosts.md docs/ranks.svg
"""
import math
import pathlib
import sys
from xml.sax.saxutils import escape

NAMES = {"W1": "LeNet on MNIST", "784-1024-1024-10": "MLP 784-1024-1024-10", "resnet-8": "ResNet-8", "vgg": "VGG",
         "sweep": "256 small MLPs"}
COLOURS = ["one", "two", "three", "four", "five"]
PANELS = {"strong": "One batch for all hosts: times as fast", "weak": "A batch for each host: times as many rows",
          "members": "A sweep of 256 networks: times as fast"}
SIZE, LEFT, GAP, TOP = 290, 60, 90, 86
WIDTH, HEIGHT = LEFT + 3 * SIZE + 2 * GAP + 30, TOP + SIZE + 60
STYLE = """
  text { font: 12.5px system-ui, "DejaVu Sans", sans-serif; fill: #24292f }
  .paper { fill: #ffffff } .grid { stroke: #d8dee4 } .ideal { stroke: #8c959f; stroke-width: 1.5 }
  .title { font-weight: 600 } .faint { fill: #57606a }
  polyline, .line { fill: none; stroke-width: 2 } .slow { stroke-dasharray: 5 4 }
  .one { stroke: #1f6fc4 } .two { stroke: #d4580a } .three { stroke: #2f8f4e } .four { stroke: #8250df } .five { stroke: #9a6700 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .paper { fill: #0d1117 } .grid { stroke: #30363d } .faint { fill: #9198a1 }
    .one { stroke: #4493f8 } .two { stroke: #f0883e } .three { stroke: #3fb950 } .four { stroke: #a371f7 } .five { stroke: #d29922 }
  }
"""


def read(path):
    """{(scaling, network, link): {hosts: rows in a second}}"""
    curves = {}
    for line in path.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 6 and cells[3].isdigit():
            network, link, scaling, hosts, batch, milliseconds = cells
            curves.setdefault((scaling, network, link), {})[int(hosts)] = int(batch) / float(milliseconds)
    return curves


def draw(curves):
    networks = list(dict.fromkeys(network for _, network, _ in curves))
    colours = dict(zip(networks, COLOURS))
    most = max(hosts for curve in curves.values() for hosts in curve)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">', f"<style>{STYLE}</style>",
           f'<rect class="paper" width="{WIDTH}" height="{HEIGHT}"/>']
    for i, network in enumerate(networks):
        x = LEFT + 230 * i
        out.append(f'<path class="line {colours[network]}" d="M{x} 22h24"/><text x="{x + 30}" y="26">{escape(NAMES[network])}</text>')
    out.append(f'<text class="faint" x="{LEFT}" y="46">Full lines: links of 100 Gb/s and 2 µs; broken ones: 10 Gb/s and 20 µs; gray: ideal</text>')
    for i, (scaling, title) in enumerate(PANELS.items()):
        left = LEFT + i * (SIZE + GAP)

        def place(hosts, times):
            scale = SIZE / math.log2(most)
            return f"{left + scale * math.log2(hosts):.1f},{TOP + SIZE - scale * math.log2(max(times, 1)):.1f}"

        out.append(f'<text class="title" x="{left}" y="{TOP - 14}">{title}</text>')
        hosts = 1
        while hosts <= most:
            (x, bottom), (_, y) = (point.split(",") for point in (place(hosts, 1), place(hosts, hosts)))
            out.append(f'<path class="grid" d="M{x} {TOP}V{bottom}M{left} {y}h{SIZE}"/>'
                       f'<text x="{x}" y="{TOP + SIZE + 18}" text-anchor="middle">{hosts}</text>'
                       f'<text x="{left - 8}" y="{float(y) + 4}" text-anchor="end">{hosts}</text>')
            hosts *= 2
        out.append(f'<text class="faint" x="{left + SIZE / 2}" y="{TOP + SIZE + 38}" text-anchor="middle">hosts</text>')
        out.append(f'<polyline class="ideal" points="{place(1, 1)} {place(most, most)}"/>')
        for (kind, network, link), curve in curves.items():
            if kind == scaling:
                points = " ".join(place(hosts, speed / curve[1]) for hosts, speed in sorted(curve.items()))
                out.append(f'<polyline class="{colours[network]}{" slow" if link == "10Gb" else ""}" points="{points}"/>')
    return "\n".join(out + ["</svg>", ""])


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    table, chart = map(pathlib.Path, sys.argv[1:])
    chart.write_text(draw(read(table)))


main()
