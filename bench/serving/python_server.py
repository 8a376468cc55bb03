# SPDX-License-Identifier: MIT
"""python_server.py NETWORK onnxruntime|torch PORT: the network as people serve it, by FastAPI and uvicorn, one process, one thread
that computes; POST /predict takes {"x": [numbers of a row]} and answers {"y": [..]}."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "peers"))

import numpy  # noqa: E402
import uvicorn  # noqa: E402
from fastapi import FastAPI  # noqa: E402
from pydantic import BaseModel  # noqa: E402
from rows import NETWORKS  # noqa: E402

network, library, port = sys.argv[1:4]
shape, layers = NETWORKS[network]

if library == "torch":
    import torch
    import torch_cpu
    torch.set_num_threads(1)
    net = torch_cpu.build(layers, shape).eval()

    def compute(x):
        with torch.inference_mode():
            return net(torch.from_numpy(x)).numpy()
else:
    import onnxruntime
    from onnx_file import model_of
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model_of(network).SerializeToString(), options, providers=["CPUExecutionProvider"])

    def compute(x):
        return session.run(["y"], {"x": x})[0]


class Row(BaseModel):
    x: list[float]


app = FastAPI()


@app.post("/predict")
def predict(row: Row):
    return {"y": compute(numpy.array(row.x, numpy.float32).reshape(1, *shape))[0].tolist()}


uvicorn.run(app, host="127.0.0.1", port=int(port), log_level="error", access_log=False)
