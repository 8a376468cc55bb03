#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""event_files.py PROGRAM FOLDER: PROGRAM (exchange.cpp) trains, and TensorBoard reads from its event files what the history
says."""
import csv
import pathlib
import shutil
import struct
import subprocess
import sys

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

TAGS = {
    "loss/train": "train_loss",
    "loss/validation": "validation_loss",
    "accuracy/validation": "validation_accuracy",
    "learning_rate": "learning_rate",
    "seconds": "seconds",
}


def single(number):
    return struct.unpack("f", struct.pack("f", float(number)))[0]


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    subprocess.run([program, "events", folder], check=True)
    epochs = list(csv.DictReader(open(folder / "history.csv")))
    events = EventAccumulator(str(folder / "run"))
    events.Reload()
    wrong = set(events.Tags()["scalars"]) ^ set(TAGS)
    for tag, column in TAGS.items():
        read = [(scalar.step, scalar.value) for scalar in events.Scalars(tag)]
        if read != [(int(epoch["epoch"]), single(epoch[column])) for epoch in epochs]:
            wrong.add(tag)
    print(f"{len(epochs)} epochs", "wrong: " + ", ".join(sorted(wrong)) if wrong else "as in the history")
    return 1 if wrong or len(epochs) != 4 else 0


if __name__ == "__main__":
    sys.exit(main())
