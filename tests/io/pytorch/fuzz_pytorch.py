#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""fuzz_pytorch.py CXX FOLDER [COUNT] [FIRST] [--all]: from_pytorch.py with COUNT random models, of seeds from FIRST on.

Each becomes a network that gives what PyTorch gives, also for rows that the converter did not try, or is refused in
words. Nothing is compiled: CXX is not read.
"""

import copy
import pathlib
import sys
import warnings

root = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(root / "tools"))
sys.dont_write_bytecode = True

import from_pytorch  # noqa: E402
import fuzzing  # noqa: E402
import torch  # noqa: E402
from random_pytorch import Drawn  # noqa: E402
from torch import nn  # noqa: E402


def attempt(seed, folder):
    drawn = Drawn(seed)
    from_pytorch.convert(drawn.model, drawn.shape, "Fuzzed", folder)
    exact = copy.deepcopy(drawn.model).eval()
    for layer in exact.modules():
        if isinstance(layer, nn.RMSNorm) and layer.eps is None:
            dtype = torch.float32 if layer.weight is None else layer.weight.dtype
            layer.eps = torch.finfo(dtype).eps  # not that of double
    exact = exact.double()
    x = torch.randn(6, *drawn.shape, generator=torch.Generator().manual_seed(9)).double()
    x = x * torch.tensor([1, 1, 4, 4, 0.25, 0.25]).double().reshape(-1, *[1] * len(drawn.shape))
    if any(".long()" in line for line in getattr(drawn, "lines", ())):  # rows of tables
        x = torch.randint(0, 2, x.shape, generator=torch.Generator().manual_seed(9)).double()
    torch.set_default_dtype(torch.float64)
    try:
        with torch.no_grad():
            y = exact(x.clone())
    finally:
        torch.set_default_dtype(torch.float32)
    y = list(y.values()) if isinstance(y, dict) else y if isinstance(y, (tuple, list)) else [y]
    outputs = torch.cat([one.reshape(6, -1) for one in y], 1)
    return fuzzing.unlike(folder, x.reshape(6, -1).numpy(), outputs.numpy())


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    sys.exit(fuzzing.run(__file__, pathlib.Path(sys.argv[2]), sys.argv[3:], attempt, from_pytorch.Refused))
