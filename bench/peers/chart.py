#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws a table that `compare` wrote as one SVG: a dozen rows, sinter and the fastest of the others.  Needs only Python.

    bench/peers/chart.py bench/results/DATE-peers.md docs/peers.svg      README's chart

The rows that sinter loses by most are always among them; then come those of FAVOURITES, then the first of the table.
"""
import math
import pathlib
import re
import sys
from xml.sax.saxutils import escape

COUNT, LOST = 12, 4  # rows in all; at most so many that are lost come first
FAVOURITES = ["W1 train batch 200", "W1 infer batch 1", "resnet-8 train batch 128", "vgg train batch 64", "784-1024-1024-10 train batch 128",
              "256-64-64-10 train batch 32", "17-64-64-6/adam train batch 256", "disc-8 train batch 100", "resnet-8 infer batch 1",
              "784-1024-1024-10 infer batch 64", "4-64-64-2 infer batch 1", "lenet-5 train batch 64", "gray-cnn train batch 128",
              "vgg infer batch 64", "W1 infer batch 800"]

# What people call the networks of the table; the others are perceptrons, named by the sizes of their layers.
NAMES = {"W1": "LeNet on MNIST", "lenet-5": "LeNet-5", "vgg": "VGG", "resnet-8": "ResNet-8", "gray-cnn": "CNN on gray CIFAR-10"}

WIDTH, LEFT, RIGHT, TOP, STEP = 800, 262, 494, 92, 26
OURS, THEIRS = 560, 632  # where the columns of times end
STYLE = """
  text { font: 12.5px system-ui, "DejaVu Sans", sans-serif; fill: #24292f }
  .paper { fill: #ffffff } .grid { stroke: #d8dee4 } .one { stroke: #57606a } .faint { fill: #57606a }
  .title { font-size: 17px; font-weight: 600 } .ahead { fill: #1f6fc4 } .behind { fill: #d4580a }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .paper { fill: #0d1117 } .grid { stroke: #30363d } .one { stroke: #9198a1 } .faint { fill: #9198a1 }
    .ahead { fill: #4493f8 } .behind { fill: #f0883e }
  }
"""


class BadTable(Exception):
    pass


class Row:
    """A line of the table: microseconds of ours and of the best peer."""

    def __init__(self, name, threads, ours, peer, theirs):
        self.name, self.threads, self.ours, self.peer, self.theirs = name, threads, ours, peer, theirs

    @property
    def ratio(self):
        return self.theirs / self.ours

    @property
    def label(self):
        """The network, what is done with it and the batch size: "LeNet on MNIST, training, 200" for "W1 train batch 200"."""
        name = re.sub(r"^disc-(\d+)\b", lambda found: f"2-4-..-{2 ** int(found[1])}-2", self.name)
        name = re.sub(r"^[^ /]+", lambda found: NAMES.get(found[0], found[0]), name)
        name = re.sub(r"^(?=\d+-)", "MLP ", name)
        name = re.sub(r"/adam train\b", " Adam", name)
        name = re.sub(r" (train|infer|Adam) batch ", lambda found: {"train": ", training, ", "infer": ", inference, ", "Adam": ", Adam, "}[found[1]], name)
        return name + (f" ({self.threads} threads)" if self.threads > 1 else "")


def number(cell):
    """Of "2,740 (1.03)"; None of a cell that holds none, as "-" or "failed: ..."."""
    found = re.match(r"\s*\**([\d,]*\.?\d+)\**(\s*\(|\s*$)", cell)
    value = float(found[1].replace(",", "")) if found else 0
    return value if value > 0 else None


def read(text, what="the table"):
    """The rows that were compared, how many there are in all, and what the text says of when and where."""
    lines = [line.strip() for line in text.splitlines()]
    wanted = ["row", "threads", "sinter, us", "best peer", "its us"]
    rows, total, columns = [], 0, None
    for line in lines:
        if not line.startswith("|"):
            columns = None
            continue
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if columns is None:
            columns = {name: cells.index(name) for name in wanted} if all(name in cells for name in wanted) else {}
        elif columns and not set(line) <= set("|-: "):
            if len(cells) <= max(columns.values()):
                raise BadTable(f"{what} has a row of {len(cells)} cells, expected {max(columns.values()) + 1} or more: {line}")
            total += 1
            name, threads, ours, peer, theirs = (cells[columns[column]] for column in wanted)
            if number(ours) and number(theirs):
                peer = peer.removesuffix(" all optimisations")
                rows.append(Row(name, int(threads) if threads.isdigit() else 1, number(ours), peer, number(theirs)))
    if not rows:
        raise BadTable(f"{what} has no row with times of sinter and of a peer, expected a table as compare writes it, with the columns "
                       f"{', '.join(wanted)}; give it a file of bench/results/DATE-peers.md")
    date = next((found[1] for found in (re.match(r"# .*, (\d{4}-.*)", line) for line in lines) if found), "")
    where = next((found[1] for found in (re.match(r"`bench/peers/compare`[^;]*; ([^;]*)", line) for line in lines) if found), "")
    quick = "a quick look, not a measurement" if "A quick look" in text else ""
    return rows, total, ", ".join(part for part in (date, where, quick) if part)


def choose(rows):
    """A dozen: the worst that are lost, the favourites on the fewest threads, the first of the others; in the table's order."""
    chosen = sorted((row for row in rows if row.ratio < 1), key=lambda row: row.ratio)[:LOST]
    by_threads = sorted(rows, key=lambda row: row.threads)  # stable
    for name in [*FAVOURITES, *(row.name for row in by_threads)]:
        if len(chosen) < COUNT and name not in [row.name for row in chosen]:
            chosen += [row for row in by_threads if row.name == name][:1]
    chosen += [row for row in rows if row not in chosen][:max(0, COUNT - len(chosen))]
    return [row for row in rows if row in chosen]


def time_text(microseconds):
    for unit, size in (("s", 1e6), ("ms", 1e3), ("µs", 1)):
        if microseconds >= 0.9995 * size or unit == "µs":
            value = microseconds / size
            return f"{value:.{max(0, 2 - math.floor(math.log10(value) + 1e-3))}f} {unit}" if value >= 0.01 else f"{value:.1e} {unit}"


def ratio_text(row):
    return f"{row.ratio:.{2 if row.ratio < 2 else 1 if row.ratio < 10 else 0}f}"


def words(x, y, text, kind="", anchor="start", room=None):
    """Text; squeezed into `room` where it would be wider."""
    more = f' class="{kind}"' if kind else ""
    more += f' text-anchor="{anchor}"' if anchor != "start" else ""
    if room and 6.7 * len(text) > room:
        more += f' textLength="{room:.0f}" lengthAdjust="spacingAndGlyphs"'
    return f'<text x="{x:.1f}" y="{y:.1f}"{more}>{escape(text)}</text>'


def svg(rows, total, where):
    chosen = choose(rows)
    # Powers of two; room for the figure after the longest bar.
    low = min(-1, math.floor(math.log2(min(row.ratio for row in chosen)) - 0.35))
    high = max(2, math.ceil(math.log2(max(row.ratio for row in chosen)) + 0.35))
    step = max(1, math.ceil((high - low) / 8))
    bottom = TOP + STEP * len(chosen)
    height = bottom + 68

    def place(ratio):
        return LEFT + (RIGHT - LEFT) * (math.log2(ratio) - low) / (high - low)

    title = "Training steps and inference: sinter beside the fastest of its peers"
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img">',
             f"<title>{title}</title>", f"<style>{STYLE}</style>", f'<rect class="paper" width="{WIDTH}" height="{height}" rx="6"/>',
             words(WIDTH / 2, 28, title, "title", "middle"),
             f'<rect class="ahead" x="{LEFT}" y="45" width="12" height="12"/>', words(LEFT + 18, 55.5, "sinter is faster"),
             f'<rect class="behind" x="{LEFT + 130}" y="45" width="12" height="12"/>', words(LEFT + 148, 55.5, "sinter is slower"),
             words(LEFT - 10, TOP - 10, "network, work, batch size", "faint", "end"),
             words(OURS, TOP - 10, "sinter", "faint", "end"), words(THEIRS, TOP - 10, "peer", "faint", "end"),
             words(THEIRS + 12, TOP - 10, "the fastest peer", "faint")]
    for power in range(low + -low % step, high + 1, step):
        x = place(2.0 ** power)
        lines += [f'<line class="{"one" if power == 0 else "grid"}" x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{bottom}"/>',
                  words(x, bottom + 17, f"{2.0 ** power:g}", "faint", "middle")]
    for i, row in enumerate(chosen):
        y, one, end = TOP + STEP * (i + 0.5), place(1), place(row.ratio)
        ahead = row.ratio >= 1
        lines += [words(LEFT - 10, y + 4.5, row.label, "", "end", LEFT - 18),
                  f'<rect class="{"ahead" if ahead else "behind"}" x="{min(one, end):.1f}" y="{y - 7.5:.1f}" width="{max(abs(end - one), 1.5):.1f}" height="15"/>',
                  words(end + (6 if ahead else -6), y + 4.5, ratio_text(row), "", "start" if ahead else "end"),
                  words(OURS, y + 4.5, time_text(row.ours), "", "end"), words(THEIRS, y + 4.5, time_text(row.theirs), "", "end"),
                  words(THEIRS + 12, y + 4.5, row.peer, room=WIDTH - THEIRS - 20)]
    lost = sum(row.ratio < 1 for row in rows)
    lines += [words((LEFT + RIGHT) / 2, bottom + 35, "time of the peer / time of sinter", "faint", "middle"),
              words(WIDTH / 2, bottom + 56, f"{len(chosen)} of {total} rows; sinter is slower in {lost or 'none'} of the {total}. {where}".strip(), "faint", "middle",
                    WIDTH - 20), "</svg>"]
    return "\n".join(lines) + "\n"


def main(arguments):
    if len(arguments) != 2:
        sys.exit("chart.py was given %d arguments, expected two: a table that compare wrote, and the SVG file to write" % len(arguments))
    table, chart = map(pathlib.Path, arguments)
    try:
        text = svg(*read(table.read_text(), table))
    except (OSError, UnicodeDecodeError) as error:
        sys.exit(f"{table} cannot be read: {error}; give it a file that compare wrote")
    except BadTable as error:
        sys.exit(str(error))
    part = chart.with_name(chart.name + ".part")
    part.write_text(text)
    part.replace(chart)


if __name__ == "__main__":
    main(sys.argv[1:])
