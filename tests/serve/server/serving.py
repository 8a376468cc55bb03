# SPDX-License-Identifier: MIT
"""For tests of sinter-serve, which are called with SERVER LIBRARY WEIGHTS FOLDER: weights, lone answers, and servers."""
import ctypes
import http.client
import json
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time

program, library, make_weights, folder = sys.argv[1:5]
folder = pathlib.Path(folder)
shutil.rmtree(folder, ignore_errors=True)
folder.mkdir(parents=True)
subprocess.run([make_weights, str(folder)], check=True)
one, two = (folder / "one.safetensors").read_bytes(), (folder / "two.safetensors").read_bytes()
(folder / "now.safetensors").write_bytes(one)
broken = bytearray(one)
broken[8 + struct.unpack("<Q", one[:8])[0] + 3] ^= 0x40  # the first bias: the checksum fails
INPUTS, OUTPUTS, INFER = 12, 5, "/v2/models/served/infer"

# What a lone row gives, by the C interface.
served = ctypes.CDLL(library)
served.served_open.restype = ctypes.c_void_p
served.served_open.argtypes = [ctypes.c_char_p]
served.served_predict.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p]


def floats(numbers):
    return struct.pack(f"<{len(numbers)}f", *numbers)


def outputs_of(weights):
    path = folder / "lone.safetensors"
    path.write_bytes(weights)
    model = served.served_open(str(path).encode())
    assert model

    def row(x):
        y = ctypes.create_string_buffer(4 * OUTPUTS)
        assert served.served_predict(model, floats(x), 1, y) == 0
        return y.raw

    return row


lone, lone_of_two = outputs_of(one), outputs_of(two)
draw = random.Random(1)
rows = [[struct.unpack("<f", struct.pack("<f", draw.uniform(-2, 2)))[0] for _ in range(INPUTS)] for _ in range(200)]


class Server:
    """sinter-serve on ports that are free, which ends without time to drain unless it is given some. What `start` does is
    done in its process before it begins."""

    def __init__(self, *options, models=None, start=None, address="127.0.0.1", log=None):
        models = models or [f"served={library},{folder / 'now.safetensors'}"]
        arguments = [part for model in models for part in ("--model", model)]
        self.address = "127.0.0.1" if address in ("0.0.0.0", "::") else address
        self.log = log or open(folder / "log.txt", "w+")
        self.process = subprocess.Popen([program, *arguments, "--http", "0", "--drain", "0", "--address", address, *options], stdout=self.log,
                                        stderr=subprocess.PIPE, text=True, preexec_fn=start)
        shown = f"[{address}]" if ":" in address else address
        self.port = self.listens(f"at http://{shown}:")
        self.grpc = self.listens(f"for gRPC at {shown}:") if "--grpc" in options else None

    def listens(self, where):
        line = self.process.stderr.readline()
        found = re.fullmatch(rf"sinter-serve: listening {re.escape(where)}(\d+)\n", line)
        assert found, line + self.process.stderr.read()
        return int(found[1])

    def memory(self, field="VmRSS"):
        """Megabytes that it has in memory, or by VmHWM the most that it had; none where a sanitizer needs far more than the server."""
        if "SINTER_SANITIZED" in os.environ:
            return 0
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(rf"{field}:\s+(\d+) kB", status)[1]) / 1024

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            code = self.process.wait(10)
            assert kind or code == 0, f"ended with {code}"

    def metrics(self):
        """The numbers of /metrics by their names and labels."""
        text = self.ask("GET", "/metrics")[1].decode()
        return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in text.splitlines() if line[0] != "#")}

    def ask(self, method, path, body=None, headers={}):
        connection = http.client.HTTPConnection(self.address, self.port, timeout=20)
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer.status, content, answer.headers

    def get(self, path):
        status, content, _ = self.ask("GET", path)
        return status, json.loads(content)

    def infer(self, request, headers={}, path=INFER):
        status, content, _ = self.ask("POST", path, json.dumps(request), headers)
        return status, json.loads(content)

    def said(self):
        return self.process.stderr.readline()

    def raw(self, data, wait=10):
        """What comes back for these bytes, until the server closes the connection."""
        with socket.create_connection((self.address, self.port), timeout=wait) as connection:
            try:
                connection.sendall(data)
            except OSError:
                pass
            answer = b""
            try:
                while part := connection.recv(65536):
                    answer += part
            except ConnectionResetError:
                pass
            return answer


def eventually(condition):
    """Waits for what takes the server a moment, which may be long on a busy machine."""
    until = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < until, "it did not come"
        time.sleep(0.02)


def log_of():
    return [json.loads(line) for line in (folder / "log.txt").read_text().split("\n")[:-1]]


def many_rows(count):
    """A binary request for JSON, eight times as long: the body, and the header that it needs."""
    head = json.dumps({"inputs": [{"name": "input", "shape": [count, INPUTS], "datatype": "UINT8", "parameters": {"binary_data_size": count * INPUTS}}]})
    return head.encode() + bytes(count * INPUTS), {"Inference-Header-Content-Length": str(len(head))}


def request_of(some, **more):
    data = [number for row in some for number in row]
    return {"inputs": [{"name": "input", "shape": [len(some), 1, 3, 4], "datatype": "FP32", "data": data}], **more}


def binary_request(some, output=True):
    """By the extension for binary tensors: the body, and the header that it needs."""
    data = b"".join(floats(row) for row in some)
    head = json.dumps({"inputs": [{"name": "input", "shape": [len(some), 1, 3, 4], "datatype": "FP32",
                                   "parameters": {"binary_data_size": len(data)}}],
                       "outputs": [{"name": "output", "parameters": {"binary_data": output}}]}).encode()
    return head + data, {"Inference-Header-Content-Length": str(len(head))}


def same(answer, some, model=lone):
    return floats(answer["outputs"][0]["data"]) == b"".join(model(row) for row in some)
