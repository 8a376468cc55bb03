# SPDX-License-Identifier: MIT
"""bench/peers/compare without any peer: its arguments, its rows, its table; cifar_in_minutes with programs that only print."""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench/peers"))

from results import OURS, Measured, summary, table  # noqa: E402
from rows import NETWORKS, ROWS, flops, program, through  # noqa: E402


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

    def test_one_row_is_measured_by_packed_weights(self):
        networks = (ROOT / "bench/networks.cpp").read_text()
        self.assertIn('add("/packed/batch:1", infer_packed<Model>)', networks)
        batches = [int(batch) for batch in re.search(r'add_inference\([^)]* batches = \{([\d, ]+)\}\)', networks)[1].split(",")]
        ours = {"packed/batch:1/real_time"} | {f"forward/batch:{batch}/real_time" for batch in batches if batch > 1}
        for network in {row.network for row in ROWS if not row.trains}:
            measured = [program(row, 1) for row in ROWS if not row.trains and row.network == network]
            self.assertEqual(set(measured), {("networks", f"{network}/{name}") for name in ours})

    def test_networks_are_those_of_the_table(self):
        self.assertEqual(flops(NETWORKS["W1"][1], NETWORKS["W1"][0]), 961_000)
        for name, outputs in {"W1": 10, "disc-12": 2, "gray-cnn": 10, "lenet-5": 10, "vgg": 10, "resnet-8": 10, "17-64-64-6": 6, "mobile": 10, "decoder": 784}.items():
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

    def test_summary_of_ratios_between(self):
        rows = []
        for name, theirs in (("d", 150), ("e", 149), ("f", 100), ("g", 99)):
            rows.append(Measured(name, 1))
            rows[-1].add(OURS, 100)
            rows[-1].add("quick", theirs)
        text = summary(rows)
        self.assertIn("1 of 4 rows are 1.5 times as fast", text)
        self.assertIn("Ahead by less: e (1), f (1).", text)
        self.assertIn("**Behind**: g (1).", text)


class CifarInMinutes(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.at = pathlib.Path(self.folder.name)
        (self.at / "test_batch.bin").touch()

    def program(self, name, *lines, status=0):
        path = self.at / name
        path.write_text("#!/bin/sh\n" + "".join(f"echo '{line}'\n" for line in lines) + f'echo "given $*"\nexit {status}\n')
        path.chmod(0o755)
        return path

    def run_with(self, ours, theirs, *more):
        return subprocess.run([sys.executable, ROOT / "bench/peers/cifar_in_minutes", "--data", self.at, "--ours", ours, "--python", theirs,
                               "--output", self.at / "out.md", "--threads", "1", *more], capture_output=True, text=True)

    def test_table_has_the_last_result_of_each(self):
        ours = self.program("ours", "  1  2.3", "test accuracy 70.33 % after 29 epochs: 598.1 s, 1190.2 s of the processor, validation included")
        theirs = self.program("theirs", "test accuracy 11.00 % after 1 epochs: 9.0 s, 9.1 s of the processor", "test accuracy 65.50 % after 14 epochs: 590.0 s, 1100.5 s of the processor")
        done = self.run_with(ours, theirs, "--minutes", "5")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        table = (self.at / "out.md").read_text()
        self.assertIn("# CIFAR-10 in 5 minutes", table)
        self.assertIn("| sinter | 29 | 598.1 | 1190.2 | 70.33 |\n| PyTorch | 14 | 590.0 | 1100.5 | 65.50 |\n", table)
        for line in (f"given --data {self.at} --minutes 5.0 --threads 1 --seed 1", f"torch_cifar_residual.py --data {self.at} --minutes 5.0 --threads 1 --seed 1"):
            self.assertIn(line, done.stdout)

    def test_says_what_is_missing_or_failed(self):
        good = self.program("good", "test accuracy 70.33 % after 29 epochs: 598.1 s, 1190.2 s of the processor")
        for words, why in (((good, good, "--minutes", "0"), "give it more than 0"), ((good, good, "--threads", "0"), "cores to give"),
                           ((self.at / "none", good), "none is not there; build it"), ((good, self.at / "none"), "none is not there; bench/peers/compare"),
                           ((self.program("silent"), good), "ended with status 0 and printed no test accuracy"),
                           ((self.program("broken", "test accuracy 1 % after 1 epochs: 1 s, 1 s of the processor", status=3), good), "ended with status 3; see above")):
            done = self.run_with(*words)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(why, done.stderr)
        self.assertFalse((self.at / "out.md").exists())


if __name__ == "__main__":
    unittest.main()
