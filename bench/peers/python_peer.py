# SPDX-License-Identifier: MIT
"""The peers of `compare` and `recurrent.py` that are libraries of Python."""
import json
import os
import pathlib
import subprocess

HERE = pathlib.Path(__file__).resolve().parent


def cores_of(threads):
    """The last ones: the first is often others'."""
    return sorted(os.sched_getaffinity(0))[-threads:]


class PythonPeer:
    """A library of Python at work in a process of its own."""

    def __init__(self, name, module, python, cores, folder=None):
        self.name, threads = name, len(cores)
        environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_CORETYPE"}  # halves OpenBLAS on some machines
        environment |= {"OMP_NUM_THREADS": str(threads), "TORCHINDUCTOR_COMPILE_THREADS": "1"}
        self.process = subprocess.Popen([python, HERE / "peer.py", module, str(threads)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True, bufsize=1, env=environment, cwd=folder,
                                        preexec_fn=lambda: os.sched_setaffinity(0, cores))
        self.version = self.read().get("version")

    def read(self):
        line = self.process.stdout.readline()
        return json.loads(line) if line else {"error": f"the process ended with status {self.process.wait()}"}

    def ask(self, **order):
        try:
            self.process.stdin.write(json.dumps(order) + "\n")
        except BrokenPipeError:
            pass
        return self.read()

    def variants(self, row):
        return self.ask(variants=row).get("variants", [])

    def prepare(self, row, variant):
        return self.ask(prepare=row, variant=variant).get("error")

    def measure(self, row, variant, seconds):
        return self.ask(measure=variant, seconds=seconds)

    def outputs(self, row, variant, signal):
        return self.ask(outputs=row, variant=variant, signal=signal)

    def forget(self):
        self.ask(forget=True)

    def close(self):
        self.process.stdin.close()
        self.process.wait()
