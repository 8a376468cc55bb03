# SPDX-License-Identifier: MIT
"""bench/h200.sh without a GPU: in a copy of the repository's bench, with programs that only print."""
import os
import pathlib
import shutil
import signal
import subprocess
import tarfile
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAMS = "times plans steps ceilings phases numbers 06_thrust 05_devices 02_mnist numbers_on_host counts".split()
TABLE = f"{'W1 batch 200':22} {'pair':9} {36.5:9.2f} {35:8.2f}-{38:<8.2f} {7.8:9.2f} {4.7:9.1f} {30:8.1f}"


class H200(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name)
        shutil.copytree(ROOT / "bench", self.root / "bench", ignore=shutil.ignore_patterns("results", "__pycache__"))
        (self.root / "examples/data").mkdir(parents=True)
        (self.root / "bin").mkdir()
        self.environment = os.environ | {"PATH": f"{self.root}/bin:{os.environ['PATH']}", "OUT": str(self.root / "out")}
        self.program("bin/nvidia-smi", "echo an imagined GPU")
        for compiler in "nvcc", "g++":
            self.program(f"bin/{compiler}", f"echo compiled >> {self.root}/compiled; exit 1")

    def tearDown(self):
        self.folder.cleanup()

    def program(self, path, script):
        path = self.root / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def programs(self):
        for name in PROGRAMS:
            self.program(f"build/h200/{name}", f"echo {name} ran")
        (self.root / "build/h200/built").write_text("abc\nnvcc\n")
        self.program("build/h200/times", f"echo '{TABLE}'")
        write = f"printf 'W1/pair/weights 4 2\\n12345678' > $1; echo written"
        for name in "numbers", "numbers_on_host":
            self.program(f"build/h200/{name}", write)

    def command(self, *words):
        return ["bash", self.root / "bench/h200.sh", *words]

    def run_script(self, *words):
        return subprocess.run(self.command(*words), capture_output=True, text=True, env=self.environment)

    def archived(self, folder="out"):
        with tarfile.open(self.root / folder / "results.tar.gz") as archive:
            return {pathlib.Path(member.name).name: archive.extractfile(member).read().decode(errors="replace")
                    for member in archive if member.isfile()}

    def test_builds_nothing_unless_asked(self):
        for words, lacks in (("1",), "02_mnist 05_devices 06_thrust numbers numbers_on_host"), (("times", "results/"), "times"):
            done = self.run_script(*words)
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn(f"build/h200 lacks {lacks}\n", done.stderr)
            self.assertIn("run bench/h200.sh build where nvcc and g++ are", done.stderr)
        self.assertFalse((self.root / "compiled").exists())
        self.assertFalse((self.root / "out").exists())
        self.assertEqual(self.run_script("machine").returncode, 0)  # it needs no program

    def test_build_says_what_failed(self):
        done = self.run_script("build")
        self.assertEqual(done.returncode, 1)
        self.assertIn("1 failed", done.stdout)
        self.assertTrue((self.root / "compiled").exists())

    def test_refuses_unknown_words(self):
        done = self.run_script("everything")
        self.assertEqual(done.returncode, 2)
        self.assertIn("everything is neither a part (1 2 3 build) nor a measurement", done.stderr)

    def test_one_file_of_results(self):
        self.programs()
        done = self.run_script("numbers", "ceilings", "times", "table")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual([file.name for file in (self.root / "out").iterdir()], ["results.tar.gz"])
        logs = self.archived()
        self.assertIn("GPU and CPU: the same bits", logs["numbers.log"])
        self.assertIn("ceilings ran", logs["ceilings.log"])
        self.assertIn("W1 batch 200           pair         36.50", logs["table.log"])
        self.assertNotIn("on_gpu.bin", logs)  # too large to bring back

    def test_a_failure_stops_nothing(self):
        self.programs()
        self.program("build/h200/ceilings", "echo out of order; exit 3")
        done = self.run_script("ceilings", "times", "elsewhere/")
        self.assertEqual(done.returncode, 1)
        self.assertIn("1 failed", done.stdout)
        logs = self.archived("elsewhere")
        self.assertIn("exit 3", logs["ceilings.log"])
        self.assertIn("36.50", logs["times.log"])

    def test_different_numbers_fail(self):
        self.programs()
        self.program("build/h200/numbers", "printf 'W1/pair/weights 4 2\\n12345679' > $1")
        done = self.run_script("numbers")
        self.assertEqual(done.returncode, 1)
        self.assertIn("1 numbers differ", self.archived()["numbers.log"])

    def test_cut_off(self):
        """What was measured before is in the archive."""
        self.programs()
        self.program("build/h200/times", f"touch {self.root}/began; exec sleep 60")
        running = subprocess.Popen(self.command("machine", "ceilings", "times"), stdout=subprocess.DEVNULL, env=self.environment,
                                   start_new_session=True)
        try:
            while not (self.root / "began").exists() and running.poll() is None:
                time.sleep(0.02)
            self.assertIsNone(running.poll())
            self.assertIn("ceilings ran", self.archived()["ceilings.log"])
        finally:
            # `timeout` gives what it runs a group of its own, and hands it the signal.
            children = subprocess.run(["ps", "-o", "pid=", "-s", str(running.pid)], capture_output=True, text=True).stdout.split()
            for child in children:
                os.kill(int(child), signal.SIGKILL)
            running.wait()
        self.assertIn("an imagined GPU", self.archived()["machine.log"])

    def test_all_parts(self):
        """Each part runs all of its measurements, without any on this machine that asks for more than the programs."""
        self.programs()
        self.program("bin/compute-sanitizer", 'echo "checked by $2"')
        self.program("bin/python3", f'case $* in *torch*|*jax*) exit 1 ;; *tarfile*) exit 1 ;; *) exec {shutil.which("python3")} "$@" ;; esac')
        for part in "1", "2", "3":
            self.run_script(part)
        logs = self.archived()
        for tool in "memcheck", "racecheck", "initcheck", "synccheck":
            self.assertIn(f"checked by {tool}", logs[f"{tool}.log"])
        self.assertIn("skipped: no PyTorch with CUDA here", logs["peers.log"])
        self.assertIn("skipped: no JAX with CUDA here", logs["jax.log"])
        self.assertIn("36.50", logs["table.log"])
        self.assertIn("built from commit abc", logs["machine.log"])


if __name__ == "__main__":
    unittest.main()
