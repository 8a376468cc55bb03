#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""W1 by PyTorch on the CPU: seconds per epoch, inference of 10,000 images, latency at batch 1.

    python3 bench/peers/torch_w1.py --data DIR --threads 1 2

An epoch is what sinter's `fit` does: the next batch of the shuffled order gathered from u8, normalised, forward, loss value
kept, backward, SGD (lr .01, momentum .5), batch 200, dropout on, no image left out.  Every variant that PyTorch offers is tried, so that
the best one can be named:
    eager          as the tutorials write it, with the fused SGD
    channels_last  weights and batches in NHWC
    traced         torch.jit.trace, frozen (inference only)
    compiled       torch.compile, needs a C++ compiler and half a minute; compiled_last: the same in NHWC (both only when asked for)
Rounds alternate between the variants; the table has the median, for latency p50 and p99 of all calls.
"""
import argparse
import pathlib
import platform
import statistics
import time
import warnings

import torch
from torch.nn import functional as F

from w1 import mnist, normalised, w1

VARIANTS = ("eager", "channels_last", "traced", "compiled", "compiled_last")


def layout(variant):
    return torch.channels_last if variant.endswith("_last") else torch.contiguous_format


class Training:
    def __init__(self, variant, images, labels, batch):
        torch.manual_seed(1)
        self.images, self.labels, self.batch, self.layout = images, labels, batch, layout(variant)
        self.net = w1().to(memory_format=self.layout)
        self.run = torch.compile(self.net) if variant.startswith("compiled") else self.net
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=.01, momentum=.5, fused=True)

    def epoch(self, steps=None):
        """Seconds of one epoch, and its mean loss."""
        start, losses = time.perf_counter(), []
        order = torch.randperm(len(self.labels))
        for rows in order.split(self.batch)[:steps]:
            x, labels = normalised(self.images[rows]).contiguous(memory_format=self.layout), self.labels[rows]
            self.optimizer.zero_grad(set_to_none=True)
            loss = F.nll_loss(self.run(x), labels)
            loss.backward()
            self.optimizer.step()
            losses.append(loss.detach())
        mean = float(torch.stack(losses).mean())
        return time.perf_counter() - start, mean


class Inference:
    def __init__(self, variant, images, labels, batch):
        torch.manual_seed(1)
        self.images, self.labels, self.batch, self.layout = images, labels, batch, layout(variant)
        net = w1().to(memory_format=self.layout).eval()
        if variant == "traced":
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                net = torch.jit.freeze(torch.jit.trace(net, normalised(images[:2])))
        self.run = torch.compile(net) if variant.startswith("compiled") else net
        self.single = normalised(images[:1]).contiguous(memory_format=self.layout)

    @torch.inference_mode()
    def pass_over(self):
        """Seconds for all images: gather, normalise, forward, arg max."""
        start, right = time.perf_counter(), 0
        for images, labels in zip(self.images.split(self.batch), self.labels.split(self.batch)):
            x = normalised(images).contiguous(memory_format=self.layout)
            right += int((self.run(x).argmax(1) == labels).sum())
        return time.perf_counter() - start

    @torch.inference_mode()
    def latencies(self, calls):
        """Microseconds of each call at batch 1; the input is a float tensor that is there already."""
        run, x, clock, found = self.run, self.single, time.perf_counter_ns, []
        for _ in range(calls):
            start = clock()
            run(x)
            found.append((clock() - start) / 1000)
        return found


def processor():
    try:
        text = pathlib.Path("/proc/cpuinfo").read_text()
        return next(line.split(":")[1].strip() for line in text.splitlines() if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.machine()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, required=True, help="folder with the unpacked IDX files of MNIST")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--variants", nargs="+", choices=VARIANTS, default=VARIANTS[:3])
    parser.add_argument("--rounds", type=int, default=3, help="epochs timed per variant and number of threads")
    parser.add_argument("--batch-size", type=int, default=200)
    parser.add_argument("--steps", type=int, help="only so many steps of an epoch, scaled up (for a quick look)")
    parser.add_argument("--calls", type=int, default=3000, help="calls at batch 1 per round")
    parser.add_argument("--only", choices=("train", "infer", "latency"))
    options = parser.parse_args()
    train, test = mnist(options.data, "train"), mnist(options.data, "t10k")
    print(f"torch {torch.__version__}, Python {platform.python_version()}, {processor()}, {torch.backends.cpu.get_cpu_capability()}, "
          f"oneDNN {'on' if torch.backends.mkldnn.is_available() else 'off'}")
    print(f"{'variant':14}{'threads':>8}{'epoch s':>10}{'10k at 800 s':>14}{'batch 1 p50 us':>16}{'p99 us':>10}")
    for threads in options.threads:
        torch.set_num_threads(threads)
        found = {v: {"train": [], "infer": [], "latency": []} for v in options.variants}
        steps_per_epoch = -(-len(train[1]) // options.batch_size)
        scale = steps_per_epoch / min(options.steps or steps_per_epoch, steps_per_epoch)
        runs = {v: (None if v == "traced" else Training(v, *train, options.batch_size), Inference(v, *test, 800)) for v in options.variants}
        for training, inference in runs.values():                       # warm up
            if training and options.only in (None, "train"):
                training.epoch(20)
            inference.pass_over()
            inference.latencies(300)
        for _ in range(options.rounds):
            for variant, (training, inference) in runs.items():
                if training and options.only in (None, "train"):
                    found[variant]["train"].append(training.epoch(options.steps)[0] * scale)
                if options.only in (None, "infer"):
                    found[variant]["infer"] += [inference.pass_over() for _ in range(3)]
                if options.only in (None, "latency"):
                    found[variant]["latency"] += inference.latencies(options.calls)
        for variant, times in found.items():
            lat = sorted(times["latency"])
            cells = [statistics.median(times["train"]) if times["train"] else None, statistics.median(times["infer"]) if times["infer"] else None,
                     lat[len(lat) // 2] if lat else None, lat[len(lat) * 99 // 100] if lat else None]
            text = [f"{c:.{d}f}" if c is not None else "-" for c, d in zip(cells, (3, 4, 1, 1))]
            print(f"{variant:14}{threads:8}{text[0]:>10}{text[1]:>14}{text[2]:>16}{text[3]:>10}", flush=True)


if __name__ == "__main__":
    main()
