# SPDX-License-Identifier: MIT
"""bench/peers/compare without any peer: its arguments, its rows, its table."""
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench/peers"))

from results import OURS, Measured, summary, table  # noqa: E402
from rows import NETWORKS, ROWS, flops, through  # noqa: E402


def compare(*words):
    return subprocess.run([sys.executable, ROOT / "bench/peers/compare", *words], capture_output=True, text=True)


class Arguments(unittest.TestCase):
    def refused(self, what, *words):
        done = compare(*words)
        self.assertEqual(done.returncode, 2)
        self.assertIn(what, done.stderr)

    def test_refuses(self):
        self.refused("is in the name of no row", "--rows", "alexnet")
        self.refused("no regular expression", "--rows", "(")
        self.refused("inside the repository", "--environment", str(ROOT / "build/peers"))
        self.refused("give it 1 or more", "--rounds", "0")
        self.refused("this machine has", "--threads", "0")

    def test_lists_rows(self):
        done = compare("--list", "--rows", "^vgg train")
        self.assertEqual((done.returncode, done.stdout), (0, "vgg train batch 64\n"))

    def test_says_what_to_build(self):
        done = compare("--rows", "^vgg train", "--quick", "--ours", "/nowhere", "--environment", "/nowhere")
        self.assertEqual(done.returncode, 1)
        self.assertIn("/nowhere/networks is not there; build it", done.stderr)


class Rows(unittest.TestCase):
    def test_each_is_measured_by_a_program_of_ours(self):
        networks, w1 = ((ROOT / "bench" / f"{name}.cpp").read_text() for name in ("networks", "w1"))
        ours = {(name, int(batch)) for name, batches in re.findall(r'add_training<[^"]*>\("([^"]+)",[^;]*\{([\d, ]+)\}\);', networks)
                for batch in batches.split(",")}
        ours |= {("W1", int(batch)) for batch in re.search(r"batch : \{([\d, ]+)\}\) add\(\"fit/W1\"", w1)[1].split(",")}
        infers = set(re.findall(r'add_inference<[^"]*>\("([^"]+)"\);', networks))
        self.assertEqual({(row.name.split(" ")[0], row.batch) for row in ROWS if row.trains}, ours)
        self.assertEqual({row.network for row in ROWS if not row.trains}, infers)

    def test_networks_are_those_of_the_table(self):
        self.assertEqual(flops(NETWORKS["W1"][1], NETWORKS["W1"][0]), 961_000)
        for name, outputs in {"W1": 10, "disc-12": 2, "gray-cnn": 10, "lenet-5": 10, "vgg": 10, "resnet-8": 10, "17-64-64-6": 6}.items():
            shape, layers = NETWORKS[name]
            self.assertEqual(through(layers, shape), (outputs,))


class Table(unittest.TestCase):
    def setUp(self):
        self.ahead, self.behind, self.alone = Measured("a", 1), Measured("b", 2), Measured("c", 1)
        for time in (10, 12, 11):
            self.ahead.add(OURS, time)
            self.ahead.add("slow", 10 * time)
            self.ahead.add("quick", 2 * time)
        self.ahead.peak += [50, 52, 51]
        self.behind.add(OURS, 2000)
        self.behind.add("quick", 1500)
        self.behind.errors["broken"] = "no | such layer"
        self.alone.errors[OURS] = "ended"

    def test_best_peer_is_the_fastest(self):
        self.assertEqual(self.ahead.cells(), ["a", "1", "11.0 (1.20)", "51 %", "quick", "22.0 (1.20)", "2.00", "slow 110.0 (1.20)"])

    def test_losing_and_failing_is_shown(self):
        self.assertEqual(self.behind.cells(), ["b", "2", "2,000", "-", "quick", "1,500", "**0.75**", "broken failed: no / such layer"])
        self.assertEqual(self.alone.cells(), ["c", "1", "failed: ended", "-", "-", "-", "-", "-"])

    def test_markdown(self):
        lines = table([self.ahead, self.behind]).splitlines()
        self.assertEqual({line.count("|") for line in lines}, {9})
        self.assertEqual(len(lines), 4)

    def test_summary(self):
        text = summary([self.ahead, self.behind, self.alone])
        self.assertIn("1 of 3 rows are 1.5 times as fast", text)
        self.assertIn("**Behind**: b (2).", text)
        self.assertIn("Not compared: c (1).", text)


if __name__ == "__main__":
    unittest.main()
