# SPDX-License-Identifier: MIT
"""bench/peers/chart.py on tables of invented rows."""
import math
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench/peers"))

from chart import COUNT, FAVOURITES, BadTable, choose, number, read, svg, time_text  # noqa: E402
from results import OURS, Measured, summary, table  # noqa: E402
from rows import ROWS  # noqa: E402

HEAD = """# sinter beside its peers, 2030-01-02

`bench/peers/compare`, commit 1234567, g++ 99; Processor X, 2 cores; PyTorch 9. Microseconds, medians; others.

Left out: dlib.

"""


def measured(name, threads, ours, **peers):
    row = Measured(name, threads)
    for who, time in {OURS: ours, **peers}.items():
        if time is None:
            row.errors[who] = "ended"
        else:
            row.add(who, time)
            row.add(who, time)
    return row


def text_of(rows):
    """As compare's report ends."""
    return "\n".join([HEAD, summary(rows), "", table(rows), ""])


def drawn(rows):
    return svg(*read(text_of(rows)))


def elements(picture, kind, style=None):
    found = xml.fromstring(picture).iter("{http://www.w3.org/2000/svg}" + kind)
    return [one for one in found if style is None or one.get("class") == style]


def words(picture):
    return [one.text for one in elements(picture, "text")]


MANY = [measured(f"net-{i} train batch 8", 1, 100, quick=150 + i, slow=900) for i in range(30)]


class Reading(unittest.TestCase):
    def test_numbers_of_cells(self):
        self.assertEqual([number(cell) for cell in ("2,740 (1.03)", "0.62", "**0.75**", "1,234,567")], [2740, 0.62, 0.75, 1234567])
        self.assertEqual([number(cell) for cell in ("-", "failed: 3 of 4", "", "3 apples", "0.00")], [None] * 5)

    def test_what_compare_writes(self):
        rows, total, where = read(text_of([measured("a", 1, 10, quick=25, slow=90), measured("b", 2, 2000, quick=1500),
                                           measured("c", 1, None, quick=3), measured("d", 1, 3, quick=None)]))
        self.assertEqual([(row.name, row.threads, row.ours, row.peer, row.theirs) for row in rows],
                         [("a", 1, 10, "quick", 25), ("b", 2, 2000, "quick", 1500)])
        self.assertEqual((total, where), (4, "2030-01-02, Processor X, 2 cores"))

    def test_a_quick_look_is_called_so(self):
        rows, _, where = read(text_of([measured("a infer batch 1", 1, 10, **{"onnxruntime all optimisations": 25})]).replace("others.", "others. A quick look, not a measurement."))
        self.assertEqual((rows[0].peer, where), ("onnxruntime", "2030-01-02, Processor X, 2 cores, a quick look, not a measurement"))

    def test_refuses_what_is_no_such_table(self):
        for text in ("", "words\n", "| a | b |\n|---|---|\n| 1 | 2 |\n", text_of([measured("c", 1, None, quick=3)])):
            self.assertRaisesRegex(BadTable, "no row with times .* expected a table as compare writes it", read, text)
        self.assertRaisesRegex(BadTable, "a row of 2 cells, expected 6 or more: . a . 1 .", read, text_of(MANY[:1]) + "| a | 1 |\n")


class Choosing(unittest.TestCase):
    def test_the_worst_losses_and_the_favourites_are_there(self):
        lost = [measured(f"lost-{i} infer batch 1", 1, 100, quick=90 - i) for i in range(6)]
        favourites = [measured(name, threads, 100, quick=300) for threads in (1, 2) for name in FAVOURITES[:2]]
        rows = choose(read(text_of(MANY + lost + favourites))[0])
        names = [row.name for row in rows]
        self.assertEqual(len(rows), COUNT)
        self.assertEqual([name for name in names if "lost" in name], [f"lost-{i} infer batch 1" for i in range(2, 6)])
        self.assertEqual([(row.name, row.threads) for row in rows if row.name in FAVOURITES], [(name, 1) for name in FAVOURITES[:2]])
        self.assertEqual(names[:6], [row.row for row in MANY[:6]])  # the others: the first of the table, in its order

    def test_favourites_are_rows_of_compare(self):
        self.assertLessEqual(set(FAVOURITES), {row.name for row in ROWS})

    def test_few_rows_are_all_drawn(self):
        self.assertEqual(len(choose(read(text_of(MANY[:3]))[0])), 3)


class Drawing(unittest.TestCase):
    def test_says_what_is_drawn(self):
        rows = [measured("W1 train batch 200", 2, 1467, torch=8600), measured("disc-8 train batch 100", 1, 294, jax=147),
                measured("17-64-64-6/adam train batch 256", 1, 113, jax=226), measured("vgg infer batch 1", 1, 0.5, torch=None), measured("resnet-8 infer batch 1", 1, 3, torch=6)]
        said = words(drawn(rows))
        for text in ("Training steps and inference: sinter beside the fastest of its peers", "time of the peer / time of sinter", "sinter is faster",
                     "sinter is slower", "LeNet on MNIST, training, 200 (2 threads)", "MLP 2-4-..-256-2, training, 100", "MLP 17-64-64-6, Adam, 256",
                     "ResNet-8, inference, 1",
                     "1.47 ms", "8.60 ms", "294 µs", "5.9", "0.50", "2.0", "torch", "1", "4",
                     "4 of 5 rows; sinter is slower in 1 of the 5. 2030-01-02, Processor X, 2 cores"):
            self.assertIn(text, said)

    def test_bars_are_as_long_as_the_logarithm(self):
        picture = drawn([measured("a", 1, 100, quick=200), measured("b", 1, 100, quick=800), measured("c", 1, 100, quick=50)])
        two, eight = (float(bar.get("width")) for bar in elements(picture, "rect", "ahead")[1:])  # the first is the legend's
        half = elements(picture, "rect", "behind")[1]
        self.assertAlmostEqual(eight / two, 3, delta=0.02)
        self.assertAlmostEqual(float(half.get("width")), two, delta=0.2)
        one = float(elements(picture, "line", "one")[0].get("x1"))
        self.assertAlmostEqual(float(half.get("x")) + float(half.get("width")), one, delta=0.2)
        self.assertAlmostEqual(float(elements(picture, "rect", "ahead")[1].get("x")), one, delta=0.2)

    def test_stays_on_its_paper(self):
        for ratios in ((1, 1), (1e-4, 1e5), (1.0001, 0.9999), (0.5, 40)):
            picture = drawn([measured(f"a network <of> many & long words, {i} train batch 8", 2, 1e-3 * 10 ** (5 * i), quick=1e-3 * 10 ** (5 * i) * ratio)
                             for i, ratio in enumerate(ratios)])
            width, height = (float(x) for x in xml.fromstring(picture).get("viewBox").split()[2:])
            for one in elements(picture, "rect")[1:]:
                x, y, w = (float(one.get(name)) for name in ("x", "y", "width"))
                self.assertTrue(0 <= x and x + w <= width and 0 <= y <= height and w > 0, ratios)
            for one in elements(picture, "text"):
                long = float(one.get("textLength") or 6.7 * len(one.text))
                left = float(one.get("x")) - {"start": 0, "middle": long / 2, "end": long}[one.get("text-anchor", "start")]
                self.assertTrue(-1 <= left and left + long <= width + 1 and 0 < float(one.get("y")) < height, one.text)
            self.assertTrue(all(math.isfinite(float(one.get("x1"))) for one in elements(picture, "line")))
            self.assertIn("prefers-color-scheme: dark", picture)

    def test_times(self):
        self.assertEqual([time_text(t) for t in (0.1234, 3, 11.4, 999, 999.9, 1467, 14886, 2.5e6, 0.001)],
                         ["0.123 µs", "3.00 µs", "11.4 µs", "999 µs", "1.00 ms", "1.47 ms", "14.9 ms", "2.50 s", "1.0e-03 µs"])


class Program(unittest.TestCase):
    def run_on(self, *words):
        return subprocess.run([sys.executable, ROOT / "bench/peers/chart.py", *words], capture_output=True, text=True)

    def test_writes_a_file_or_says_why_not(self):
        with tempfile.TemporaryDirectory() as folder:
            good, bad, chart = (pathlib.Path(folder) / name for name in ("good.md", "bad.md", "chart.svg"))
            good.write_text(text_of(MANY))
            bad.write_text("nothing")
            self.assertEqual(self.run_on(good, chart).returncode, 0)
            before = chart.read_text()
            self.assertEqual(before, drawn(MANY))
            for arguments, why in (((bad, chart), "no row with times"), ((good.with_name("none"), chart), "cannot be read"), ((good,), "given 1 arguments")):
                done = self.run_on(*arguments)
                self.assertEqual(done.returncode, 1)
                self.assertIn(why, done.stderr)
                self.assertNotIn("Traceback", done.stderr)
            self.assertEqual(chart.read_text(), before)

    def test_readme_shows_what_a_kept_table_says(self):
        kept = (ROOT / "docs/peers.svg").read_text()
        tables = [file.read_text() for file in (ROOT / "bench/results").glob("*-peers.md")]
        self.assertIn(kept, [svg(*read(text)) for text in tables])


if __name__ == "__main__":
    unittest.main()
