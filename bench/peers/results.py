# SPDX-License-Identifier: MIT
"""Prints the measurements of `compare` as Markdown.  Needs only Python."""
import statistics

OURS = "sinter"
HEAD = ["row", "threads", "sinter, us", "of peak", "best peer", "its us", "best peer / sinter", "the others, us"]


class Measured:
    """Times in microseconds of a row on some threads, by who took them; of ours also the shares of the peak, in percent."""

    def __init__(self, row, threads):
        self.row, self.threads, self.times, self.peak, self.errors = row, threads, {}, [], {}

    def add(self, who, microseconds):
        self.times.setdefault(who, []).append(microseconds)

    def median(self, who):
        return statistics.median(self.times[who]) if self.times.get(who) else None

    @property
    def best(self):
        """The fastest peer, if there is one."""
        return min((who for who in self.times if who != OURS), key=self.median, default=None)

    @property
    def ratio(self):
        return self.median(self.best) / self.median(OURS) if self.best and self.times.get(OURS) else None

    def time(self, who):
        """Median and spread, largest / smallest."""
        times = self.times[who]
        return f"{number(self.median(who))} ({max(times) / min(times):.2f})" if len(times) > 1 else number(self.median(who))

    def cells(self):
        ours = self.time(OURS) if self.times.get(OURS) else "failed: " + self.errors.get(OURS, "not measured")
        others = [f"{who} {self.time(who)}" for who in self.times if who not in (OURS, self.best)]
        others += [f"{who} failed: {why}" for who, why in self.errors.items() if who != OURS]
        ratio = "-" if self.ratio is None else f"{self.ratio:.2f}" if self.ratio >= 1 else f"**{self.ratio:.2f}**"
        return [self.row, str(self.threads), ours, f"{statistics.median(self.peak):.0f} %" if self.peak else "-", self.best or "-",
                self.time(self.best) if self.best else "-", ratio, ", ".join(others).replace("|", "/") or "-"]


def number(value):
    return f"{value:,.0f}" if value >= 1000 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def table(rows):
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [HEAD, ["---"] * len(HEAD), *(row.cells() for row in rows)])


def summary(rows, wanted=1.5):
    """How many rows sinter is faster in, and in which it is not."""
    compared = [row for row in rows if row.ratio is not None]
    lines = [f"{sum(row.ratio >= wanted for row in compared)} of {len(rows)} rows are {wanted} times as fast as the best peer or more."]
    for text, chosen in (("Ahead by less", [row for row in compared if 1 <= row.ratio < wanted]),
                         ("**Behind**", [row for row in compared if row.ratio < 1]),
                         ("Not compared", [row for row in rows if row.ratio is None])):
        if chosen:
            lines.append(f"{text}: " + ", ".join(f"{row.row} ({row.threads})" for row in chosen) + ".")
    return "\n".join(lines)
