# SPDX-License-Identifier: MIT
"""ask.py SERVER LIBRARY WEIGHTS FOLDER: sinter-serve with good requests, bad ones, and none that end."""
import collections
import concurrent.futures
import ctypes
import gzip
import http.client
import json
import os
import random
import re
import resource
import shutil
import signal
import socket
import subprocess
import threading
import time
import zlib
from email.utils import parsedate_to_datetime

from serving import (INFER, Server, binary_request, broken, eventually, folder, library, lone, lone_of_two, one, program,
                     request_of, rows, same, two)


def test_protocol(server):
    assert server.get("/v2/health/live") == (200, {"live": True})
    assert server.get("/v2/health/ready") == (200, {"ready": True})
    status, about = server.get("/v2")
    assert server.get("/v2/") == (status, about)
    assert status == 200 and about["name"] == "sinter-serve" and "binary_tensor_data" in about["extensions"]
    for path in ("/v2/models/served", "/v2/models/served/versions/1"):
        status, model = server.get(path)
        assert status == 200 and model["versions"] == ["1"], model
        assert model["inputs"] == [{"name": "input", "datatype": "FP32", "shape": [-1, 1, 3, 4]}]
        assert model["outputs"][0]["shape"] == [-1, 5]
        assert model["outputs"][0]["parameters"]["classes"] == ["a", "b", '"c"', "d", "e"]
        assert model["parameters"]["network"] == "Served" and model["parameters"]["self_tested"]
        assert server.get(path + "/ready")[0] == 200
        status, config = server.get(path + "/config")
        assert status == 200 and config["max_batch_size"] == 32 and config["input"] == [
            {"name": "input", "data_type": "TYPE_FP32", "dims": [1, 3, 4]}]
        status, statistics = server.get(path + "/stats")
        assert status == 200 and statistics == server.get("/v2/models/stats")[1]
        [statistics] = statistics["model_stats"]
        assert statistics["name"] == "served" and statistics["inference_stats"]["success"] == {"count": 0, "ns": 0}
    assert server.get("/v2/models/other") == (404, {"error": 'there is no model "other"; there are "served"'})
    assert server.get("/v2/models/served/versions/7")[1]["error"] == 'model "served" has no version "7"; it has 1'
    assert server.get("/v3")[0] == 404
    assert abs(parsedate_to_datetime(server.ask("GET", "/v2")[2]["Date"]).timestamp() - time.time()) < 20


def test_heads():
    """The outputs of several heads are described one by one, with the names of their classes."""
    heads = library.replace("libserved", "libserved_heads")
    with Server(models=[f"heads={heads},{folder / 'heads.safetensors'}"]) as server:
        [output] = server.get("/v2/models/heads")[1]["outputs"]
        assert output == {"name": "output", "datatype": "FP32", "shape": [-1, 5], "parameters": {"heads": [
            {"name": "risk", "shape": [3], "classes": ["low", 'm"id', "high"]}, {"name": "1", "shape": [2], "classes": ["no", "yes"]}]}}, output
    c = ctypes.CDLL(heads)
    c.served_heads_open.restype, c.served_heads_open.argtypes = ctypes.c_void_p, [ctypes.c_char_p]
    c.served_heads_name_of_output.restype = c.served_heads_class_of_output.restype = ctypes.c_char_p
    c.served_heads_class_of_output.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t]
    model, sizes = c.served_heads_open(bytes(folder / "heads.safetensors")), (ctypes.c_size_t * 3)()
    assert c.served_heads_output_count() == 2
    assert [c.served_heads_name_of_output(i) for i in range(3)] == [b"risk", None, None]
    assert [(c.served_heads_shape_of_output(i, sizes), sizes[0]) for i in range(3)] == [(1, 3), (1, 2), (0, 2)]
    classes = [[c.served_heads_class_of_output(model, head, i) for i in range(4)] for head in range(3)]
    assert classes == [[b"low", b'm"id', b"high", None], [b"no", b"yes", None, None], [None] * 4], classes
    assert c.served_heads_class_of_output(None, 0, 0) is None


def test_answers(server):
    status, answer = server.infer(request_of(rows[:3], id="a b"))
    assert status == 200 and answer["id"] == "a b" and answer["model_version"] == "1"
    assert answer["outputs"][0]["shape"] == [3, 5] and same(answer, rows[:3])
    nested = request_of(rows[:2])
    nested["inputs"][0]["data"] = [[[row[i:i + 4] for i in (0, 4, 8)]] for row in rows[:2]]
    assert same(server.infer(nested)[1], rows[:2])
    flat = request_of(rows[:2])
    flat["inputs"][0]["shape"] = [2, 12]
    assert same(server.infer(flat, path="/v2/models/served/versions/1/infer")[1], rows[:2])
    pixels = request_of([list(range(12))])
    pixels["inputs"][0]["datatype"] = "UINT8"
    assert same(server.infer(pixels)[1], [list(range(12))])

    for count in (1, 2, 32):
        body, headers = binary_request(rows[:count])
        status, content, got = server.ask("POST", INFER, body, headers)
        head = int(got["Inference-Header-Content-Length"])
        output = json.loads(content[:head])["outputs"][0]
        assert status == 200 and output["parameters"]["binary_data_size"] == len(content) - head
        assert content[head:] == b"".join(lone(row) for row in rows[:count])
    body, headers = binary_request(rows[:2], output=False)
    assert same(json.loads(server.ask("POST", INFER, body, headers)[1]), rows[:2])
    # A body in chunks.
    data = json.dumps(request_of(rows[:1])).encode()
    assert server.ask("POST", INFER, iter([data[:7], data[7:]]))[0] == 200


def test_same_bits_under_load(server):
    def ask(seed):
        chance = random.Random(seed)
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
        right = 0
        for _ in range(40):
            count = chance.randint(1, 9)
            first = chance.randint(0, len(rows) - count)
            body, headers = binary_request(rows[first:first + count])
            connection.request("POST", INFER, body, headers)
            answer = connection.getresponse()
            content = answer.read()
            right += content[int(answer.headers["Inference-Header-Content-Length"]):] == b"".join(
                lone(row) for row in rows[first:first + count])
        return right

    with concurrent.futures.ThreadPoolExecutor(12) as pool:
        assert list(pool.map(ask, range(12))) == [40] * 12
    status, text, _ = server.ask("GET", "/metrics")
    metrics = dict(line.rsplit(" ", 1) for line in text.decode().splitlines() if line[0] != "#")
    assert all(re.fullmatch(r'[a-z_]+(\{([a-z]+="[^"]*",?)+\})?', name) for name in metrics), metrics.keys()
    of = '{model="served",version="1"}'
    answered, batches = int(metrics["nv_inference_request_success" + of]), int(metrics["nv_inference_exec_count" + of])
    assert status == 200 and answered >= 480 and batches < answered
    assert metrics['sinter_queue_seconds_bucket{model="served",version="1",le="+Inf"}'] == str(answered)
    assert float(metrics["sinter_compute_seconds_sum" + of]) > 0


def test_one_connection(server):
    """Mistakes do not end a connection, and it is one for many requests."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    for method, path, body, expected in [("GET", "/v3", None, 404), ("POST", "/v3", "{}", 404), ("POST", INFER, "{", 400),
                                         ("POST", INFER, json.dumps(request_of(rows[:1])), 200)] * 3:
        connection.request(method, path, body)
        local = connection.sock.getsockname()
        answer = connection.getresponse()
        content = answer.read()
        assert answer.status == expected and answer.headers["Connection"] != "close", (path, answer.status, content)
        assert connection.sock and connection.sock.getsockname() == local


def test_bad_requests(server):
    def without(name):
        request = request_of(rows[:1])
        del request["inputs"][0][name]
        return request

    def changed(**more):
        request = request_of(rows[:1])
        request["inputs"][0].update(more)
        return request

    body, headers = binary_request(rows[:1])
    length = "Inference-Header-Content-Length"
    deep = '{"inputs":' + "[" * 100000 + "]" * 100000 + "}"
    for bad, more, expected in [
        ("", {}, "the body is no JSON at byte 0: "),
        ("{", {}, "the body is no JSON at byte 1: "),
        (changed(data=[0, float("nan"), 1]), {}, r"the body is no JSON at byte \d+: NaN, 1]"),
        (json.dumps(changed(data=["@"])).replace('"@"', "1, 1e999, 2"), {}, "the body has the number 1e999, which no FP32 can hold"),
        (json.dumps(changed(data=["@"])).replace('"@"', "9" * 2000), {}, r"the body has the number 9{40}\.\., which no FP32 can hold"),
        ("[1]", {}, "not a JSON object"),
        (b"\xff\xfe\x00{}", {}, r"not a JSON object: it has a zero byte"),
        (deep, {}, "of more than 32 levels"),
        ("{}", {}, 'the request has no "inputs"'),
        ({"inputs": []}, {}, 'the model has one, "input"'),
        (changed(name="x" * 500), {}, 'there is no input "x{80}..";'),
        (changed(name=7), {}, '"name" of the input is not a string'),
        (changed(datatype="FP64"), {}, 'datatype "FP64", expected "FP32" or "UINT8"'),
        (changed(shape=[1, 12, 1]), {}, r'"shape" is \[1,12,1\]; expected \[rows, 1, 3, 4\] with 1 to 32 rows'),
        (changed(shape=[0, 12]), {}, "with 1 to 32 rows"),
        (changed(shape=[-1, 12]), {}, "with 1 to 32 rows"),
        (changed(shape=[1e30, 12]), {}, "with 1 to 32 rows"),
        (changed(shape=[2**63, 12]), {}, "with 1 to 32 rows"),
        (changed(shape=12), {}, '"shape" is 12; expected'),
        (request_of(rows[:33]), {}, "with 1 to 32 rows"),
        (changed(data=[1] * 11), {}, '"data" has 11 numbers, expected 12'),
        (changed(data=[1] * 13), {}, "more than the 12 numbers of its shape"),
        (changed(data=["1"] * 12), {}, "something other than numbers"),
        (changed(data=[[[[[[[1]]]]]]] * 12), {}, "more than 6 levels"),
        (changed(data=[1e39] * 12), {}, "which no FP32 can hold"),
        (changed(datatype="UINT8", data=[256] * 12), {}, "256, which is not a UINT8"),
        (without("data"), {}, 'the input has no "data"'),
        (without("shape"), {}, 'the input has no "shape"'),
        (request_of(rows[:1], outputs=[{"name": "y"}]), {}, 'there is no output "y"; the model has one, "output"'),
        (request_of(rows[:1], parameters=3), {}, '"parameters" of the request is not an object'),
        (request_of(rows[:1], parameters={"timeout": -1}), {}, "expected 0 to 3600000000 microseconds"),
        (body[:-1], headers, "the body has 47 bytes, expected 48"),
        (body + b"x", headers, "the body has 49 bytes, expected 48"),
        (body, {}, "the body is no JSON at byte "),
        (body, {length: "9999"}, "is 9999, and the body has"),
        (body, {length: "-1"}, 'is "-1", expected a number of bytes'),
        (json.dumps(request_of(rows[:1])) + "x", {length: str(len(json.dumps(request_of(rows[:1]))))}, "no input has a"),
        (changed(parameters={"binary_data_size": 4}), {}, '"binary_data_size" is 4, expected 48'),
        (changed(parameters={"binary_data_size": 48}), {}, 'both "data" and'),
    ]:
        content = json.dumps(bad) if isinstance(bad, dict) else bad
        status, answer, _ = server.ask("POST", INFER, content, more)
        error = json.loads(answer)["error"]
        assert status == 400 and re.search(expected, error) and len(error) < 400, (str(bad)[:200], status, error)
    assert server.infer(request_of(rows[:1]), path="/v2/models/none/infer")[0] == 404
    assert same(server.infer(request_of(rows[:1]))[1], rows[:1])


def test_far_too_much(server):
    """Paths longer than any that leads somewhere, and many parts of one answer."""
    for path, expected in (("/v2/models/" + "a" * 8000 + "/ready", 414), ("/" + "/".join("ab" * 1300), 414), ("/" * 1000, 404),
                           ("/v2?" + "a=%zz&" * 1300, 414), ("/v2?" + "a=%zz&" * 160, 200)):
        status, content, _ = server.ask("GET", path)
        assert status == expected and len(content) < 1000, (path[:20], status, content)
    whole = server.ask("GET", "/v2")[1]
    for ranges in ("0-0", ",".join(["0-"] * 2000)):
        assert server.ask("GET", "/v2", headers={"Range": "bytes=" + ranges})[:2] == (200, whole)


def test_compression(server):
    body = json.dumps(request_of(rows[:32])).encode()
    for encoding, compressed in (("gzip", gzip.compress(body)), ("deflate", zlib.compress(body))):
        status, content, _ = server.ask("POST", INFER, compressed, {"Content-Encoding": encoding})
        assert status == 200 and same(json.loads(content), rows[:32])
        for wrong in (compressed[:-20], compressed[:40] + b"?" + compressed[41:], b"", compressed[:2]):
            status, content, _ = server.ask("POST", INFER, wrong, {"Content-Encoding": encoding})
            assert status == 400 and "error" in json.loads(content), (encoding, len(wrong), status, content)
    binary, headers = binary_request(rows[:2])
    status, content, got = server.ask("POST", INFER, gzip.compress(binary), {**headers, "Content-Encoding": "gzip"})
    assert status == 200 and content[int(got["Inference-Header-Content-Length"]):] == lone(rows[0]) + lone(rows[1])
    status, content, got = server.ask("POST", INFER, body, {"Accept-Encoding": "gzip"})
    assert got["Content-Encoding"] == "gzip" and same(json.loads(gzip.decompress(content)), rows[:32])
    status, content, got = server.ask("GET", "/v2", headers={"Accept-Encoding": "br"})
    assert status == 200 and got["Content-Encoding"] is None and json.loads(content)

    # Of what is a thousand times as large as it seems, little is kept.
    press = zlib.compressobj(9)
    bomb = b"".join(press.compress(bytes(1 << 20)) for _ in range(200)) + press.flush()
    assert len(bomb) < 1 << 20
    status, content, _ = server.ask("POST", INFER, bomb, {"Content-Encoding": "deflate"})
    assert status == 413 and "more than the 16777216 bytes" in json.loads(content)["error"], (status, content)
    status, content, _ = server.ask("POST", "/v2/repository/index", bomb, {"Content-Encoding": "deflate"})
    assert status == 413
    assert server.memory() < 100, server.memory()


def test_curl(server):
    """As docs/serving.md has it; what curl announces before it sends it (Expect: 100-continue); binary; compressed."""
    if not shutil.which("curl"):
        return print("test_curl: no curl found", flush=True)

    def curl(path, *more, body=b""):
        run = subprocess.run(["curl", "-sS", "--fail-with-body", "--max-time", "20", *more, f"localhost:{server.port}{path}"],
                             input=body, capture_output=True)
        assert run.returncode == 0, (run.returncode, run.stderr, run.stdout[:300])
        return run.stdout

    assert json.loads(curl("/v2/models/served"))["name"] == "served"
    text = json.dumps(request_of(rows[:9]))
    assert same(json.loads(curl(INFER, "-d", text)), rows[:9])
    assert same(json.loads(curl(INFER, "-d", text, "--compressed")), rows[:9])
    assert same(json.loads(curl(INFER, "--data-binary", "@-", body=text.encode() + b" " * (3 << 20))), rows[:9])
    assert same(json.loads(curl(INFER, "-T", "-", "-X", "POST", body=text.encode())), rows[:9])  # in chunks
    body, headers = binary_request(rows[:9])
    [(name, value)] = headers.items()
    answer = curl(INFER, "-H", f"{name}: {value}", "--data-binary", "@-", body=body)
    assert answer.endswith(b"".join(lone(row) for row in rows[:9]))


def test_bad_connections():
    with Server("--request-time", "1", "--max-body", "100000", "--max-header", "4096", "--connections", "8") as server:
        head = b"POST " + INFER.encode() + b" HTTP/1.1\r\nHost: localhost\r\n"
        chunked = head + b"Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
        body = json.dumps(request_of(rows[:1])).encode()
        for data, expected in [
            (b"\x00\xff garbage\r\n\r\n", b" 400 "),
            (b"GET / HTTP/9.9\r\n\r\n", b" 505 "),
            (head + b"Content-Length: 200000\r\n\r\n" + b"x" * 200000, b" 413 "),
            (head + b"Content-Length: 50\r\n\r\n{", b" 408 "),
            (head + b"Transfer-Encoding: chunked\r\n\r\n" + b"4000\r\n" + b"x" * 0x4000 + b"\r\n" * 1 +
             (b"4000\r\n" + b"x" * 0x4000 + b"\r\n") * 7, b" 413 "),
            (chunked + b"1\r\n \r\n" * 60000 + b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body), b" 200 "),
            (chunked + (b"1;" + b"a" * 900 + b"\r\n \r\n") * 20, b" 400 "),
            (chunked + b"0\r\n" + b"A: b\r\n" * 1000, b" 400 "),
            (head + b"Content-Length: 2\r\nContent-Encoding: br\r\n\r\n{}", b" 415 "),
            (head + b"Content-Length: 2\r\nContent-Encoding: gzip\r\n\r\n{}", b" 400 "),
            (head + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}", b" 400 "),
            (b"GET /v2 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}", b" 400 "),
            (b"DELETE /v2 HTTP/1.1\r\nHost: localhost\r\n\r\n", b" 405 "),
            (b"GET /v2 HTTP/1.1\r\nA: " + b"a" * 5000, b" 431 "),
            (b"GET /" + b"a" * 5000, b" 414 "),
            (b"GET /v2 HTTP/1.1\r\n" + b"A: b\r\n" * 1000, b" 431 "),
        ]:
            answer = server.raw(data)
            assert expected in answer[:20] and len(re.findall(rb"HTTP/1\.1 \d", answer)) == 1, (data[:80], answer[:200])

        # A header that does not end, and one that is sent slowly.
        with socket.create_connection(("127.0.0.1", server.port)) as connection:
            sent = 0
            try:
                while sent < 10**9:
                    sent += connection.send(b"A: b\r\n" * 10000)
            except OSError:
                pass
            assert sent < 10**8, sent
        began = time.monotonic()
        with socket.create_connection(("127.0.0.1", server.port)) as connection:
            try:
                for _ in range(100):
                    connection.sendall(b"G")
                    time.sleep(0.1)
            except OSError:
                pass
        assert time.monotonic() - began < 9

        # Clients that vanish, and too many of them.
        for _ in range(50):
            with socket.create_connection(("127.0.0.1", server.port)) as connection:
                connection.sendall(head + b"Content-Length: 100\r\n\r\n{")
        eventually(lambda: server.ask("GET", "/v2")[0] == 200)
        one_more = b"GET /v2 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        busy = []

        def full():
            busy.append(socket.create_connection(("127.0.0.1", server.port)))
            busy[-1].sendall(b"GET")
            return server.raw(one_more).startswith(b"HTTP/1.1 503 ")

        eventually(full)
        assert len(busy) >= 8
        for connection in busy:
            connection.close()
        eventually(lambda: server.raw(one_more).startswith(b"HTTP/1.1 200 "))
        assert same(server.infer(request_of(rows[:1]))[1], rows[:1])


def test_thousand_connections():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 4096)), hard))
    with Server("--connections", "800", "--request-time", "60") as server:
        body, headers = binary_request(rows[:1])
        head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        request = f"POST {INFER} HTTP/1.1\r\nHost: localhost\r\n{head}Content-Length: {len(body)}\r\n\r\n".encode() + body
        connections = []
        for _ in range(1000):  # all are busy at the same time
            connections.append(socket.create_connection(("127.0.0.1", server.port), timeout=60))
            try:
                connections[-1].sendall(request[:1])
            except OSError:
                pass
        eventually(lambda: (folder / "log.txt").read_text().count('"status":503') >= 184)  # 16 more may ask for the health
        for connection in connections:
            try:
                connection.sendall(request[1:])
            except OSError:
                pass

        def status(connection):
            try:
                return int(connection.recv(65536)[9:12])
            except (OSError, ValueError):
                return 0

        statuses = [status(connection) for connection in connections]
        assert statuses.count(200) == 800 and set(statuses) <= {200, 503, 408, 0}, collections.Counter(statuses)
        assert server.memory() < 200, server.memory()
        for connection in connections:
            connection.close()
        eventually(lambda: server.ask("GET", "/v2")[0] == 200)


def test_little_is_needed():
    """No rights, no writes, and little memory, also after many requests. A sanitizer wants more."""
    if "SINTER_SANITIZED" in os.environ:
        return
    def start():
        os.chdir("/")
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))  # whoever writes to a file is ended
        if os.getuid() == 0:
            os.setgid(65534)
            os.setuid(65534)

    for file in (folder, *folder.parents):  # nobody may read what is served
        if os.stat(file).st_uid == os.getuid() and os.getuid() == 0:
            os.chmod(file, os.stat(file).st_mode | 0o055)
    with Server("--no-log", "--page", start=start) as server:
        began = server.memory()
        assert began < 50, began
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
        body = json.dumps(request_of(rows[:32]))
        for _ in range(1000):
            connection.request("POST", INFER, body)
            answer = connection.getresponse()
            answer.read()
            assert answer.status == 200
        connection.close()
        assert server.memory() < 50, server.memory()


def test_reload_under_load():
    """Two versions of a model; the file of one is broken every other time. Answers are those of one set of weights."""
    first, second = folder / "first.safetensors", folder / "second.safetensors"
    first.write_bytes(one)
    second.write_bytes(one)
    models = [f"served={library},{first}", f"served/2={library},{second}"]
    with Server("--workers", "2", models=models) as server:
        ended = threading.Event()
        allowed = {b"".join(model(row) for row in rows[:3]) for model in (lone, lone_of_two)}

        def load(seed):
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
            body, headers = binary_request(rows[:3])
            count = 0
            while not ended.is_set():
                connection.request("POST", f"/v2/models/served/versions/{1 + seed % 2}/infer", body, headers)
                answer = connection.getresponse()
                content = answer.read()
                assert answer.status == 200
                assert content[int(answer.headers["Inference-Header-Content-Length"]):] in allowed
                count += 1
            return count

        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            asking = [pool.submit(load, seed) for seed in range(4)]
            try:
                for turn in range(20):
                    weights, model = ((one, lone), (two, lone_of_two))[turn % 2]
                    first.write_bytes(weights)
                    second.write_bytes((bytes(broken), one[:100], one[:-1], b"")[turn // 2 % 4] if turn % 2 else one)
                    status, content, _ = server.ask("POST", "/v2/repository/models/served/load")
                    assert status == (500 if turn % 2 else 200), content
                    assert same(server.infer(request_of(rows[:2]), path="/v2/models/served/versions/1/infer")[1],
                                rows[:2], model)
                    assert same(server.infer(request_of(rows[:2]))[1], rows[:2])
            finally:
                ended.set()
            assert min(each.result() for each in asking) > 0


def test_full_queue_deadline_and_drain():
    with Server("--max-delay", "4000000", "--max-batch", "8", "--max-waiting", "8") as server:
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            waits = pool.submit(server.infer, request_of(rows[:4]))
            eventually(lambda: b'sinter_waiting_rows{model="served",version="1"} 4\n' in server.ask("GET", "/metrics")[1])
            status, answer = server.infer(request_of(rows[:5]))
            assert status == 503 and answer["error"].startswith("the queue is full: 4 rows wait"), answer
            status, answer = server.infer(request_of(rows[:1], parameters={"timeout": 20000}))
            assert status == 504 and "deadline" in answer["error"], answer
            server.process.send_signal(signal.SIGTERM)
            status, answer = waits.result()
            assert status == 200 and same(answer, rows[:4])
            assert server.process.wait(20) == 0


def test_token():
    (folder / "token").write_text("0123456789abcdef\n")
    with Server("--token-file", str(folder / "token")) as server:
        assert server.get("/v2/health/ready")[0] == 200
        for header in (None, "Bearer ", "Bearer 0123456789abcdeF", "Bearer 0123456789abcdef0", "0123456789abcdef",
                       "Basic 0123456789abcdef", "Bearer0123456789abcdef"):
            headers = {"Authorization": header} if header else {}
            assert server.ask("GET", "/v2", headers=headers)[0] == 401, header
            assert server.infer(request_of(rows[:1]), headers)[0] == 401, header
        for scheme in ("Bearer", "bearer", "BEARER "):
            assert server.infer(request_of(rows[:1]), {"Authorization": scheme + " 0123456789abcdef"})[0] == 200, scheme


def test_page(server):
    assert server.get("/")[0] == 404
    for origin, expected in (("http://example.org", 403), ("null", 403), (f"http://127.0.0.1:{server.port}", 200)):
        assert server.infer(request_of(rows[:1]), {"Origin": origin})[0] == expected, origin
    with Server("--page") as other:
        status, content, headers = other.ask("GET", "/")
        assert status == 200 and headers["Content-Type"] == "text/html; charset=utf-8"
        assert b"<canvas" in content and b"//" not in re.sub(rb"///[^\n]*", b"", content), "it loads something"
        assert "default-src 'none'" in headers["Content-Security-Policy"]


def test_weights():
    now = folder / "now.safetensors"
    load, unload = "/v2/repository/models/served/load", "/v2/repository/models/served/unload"
    with Server("--workers", "2", models=[f"served={library},{now}", f"served/2={library},{folder / 'two.safetensors'}"]) as server:
        first = "/v2/models/served/versions/1/infer"
        assert same(server.infer(request_of(rows[:2]))[1], rows[:2], lone_of_two)  # the last version
        assert same(server.infer(request_of(rows[:2]), path=first)[1], rows[:2])
        for wrong, text in ((bytes(broken), "has a wrong checksum"), (b"no weights", "cannot be opened"),
                            ((folder / "other.safetensors").read_bytes(), "does not fit the network")):
            now.write_bytes(wrong)
            status, content, _ = server.ask("POST", load)
            assert status == 500 and text in json.loads(content)["error"], content
            assert same(server.infer(request_of(rows[:2]), path=first)[1], rows[:2])
            server.process.send_signal(signal.SIGHUP)
            assert "the weights of served stay what they were" in server.said()
            assert same(server.infer(request_of(rows[:2]), path=first)[1], rows[:2])
        now.write_bytes(two)
        server.process.send_signal(signal.SIGHUP)
        assert server.said() == "sinter-serve: read the weights of served again\n"
        assert same(server.infer(request_of(rows[:2]), path=first)[1], rows[:2], lone_of_two)
        now.write_bytes(one)
        assert server.ask("POST", load)[0] == 200
        assert same(server.infer(request_of(rows[:2]), path=first)[1], rows[:2])

        # A load takes no files from a client.
        for body, text in (('{"parameters": {"config": "{}"}}', "the load has the parameter config;"),
                           ('{"parameters": {"file:1/model": "AAAA"}}', "the parameter file:1/model;"),
                           ('{"parameters": [1]}', "the parameter [1];"), ("[]", "not a JSON object: []"), ("{", "not a JSON object: {")):
            status, content, _ = server.ask("POST", load, body)
            assert status == 400 and text in json.loads(content)["error"], (body, content)
        for body in ("{}", '{"parameters": {}}'):
            assert server.ask("POST", load, body)[0] == 200

        assert server.ask("POST", unload, '{"parameters": {"unload_dependents": false}}')[0] == 200
        assert server.infer(request_of(rows[:2]))[0] == 503
        assert server.get("/v2/health/ready")[0] == 503 and server.get("/v2/models/served/ready")[0] == 503
        status, content, _ = server.ask("POST", "/v2/repository/index")
        assert [model["state"] for model in json.loads(content)] == ["UNAVAILABLE"] * 2
        for body, count in ((b'{"ready": true}', 0), (b'{"ready": false}', 2), (b"{}", 2)):
            assert len(json.loads(server.ask("POST", "/v2/repository/index", body)[1])) == count
        status, content, _ = server.ask("POST", "/v2/repository/index", b'{"ready": 1}')
        assert status == 400 and b'"ready\\" is 1, expected true or false' in content, content
        assert server.ask("POST", load)[0] == 200
        assert len(json.loads(server.ask("POST", "/v2/repository/index", b'{"ready": true}')[1])) == 2
        assert same(server.infer(request_of(rows[:2]), path=first)[1], rows[:2])
        assert server.ask("POST", "/v2/repository/models/none/load")[0] == 404


def test_reload_of_unloaded():
    """SIGHUP reads the weights of models that run, and starts none."""
    models = [f"{name}={library},{folder / 'one.safetensors'}" for name in ("first", "second")]
    with Server(models=models) as server:
        assert server.ask("POST", "/v2/repository/models/first/unload")[0] == 200
        server.process.send_signal(signal.SIGHUP)
        assert server.said() == "sinter-serve: read the weights of second again\n"
        assert [server.get(f"/v2/models/{name}/ready")[0] for name in ("first", "second")] == [503, 200]
        assert server.ask("POST", "/v2/repository/models/first/load")[0] == 200
        assert server.get("/v2/health/ready")[0] == 200


def test_log(server):
    eventually(lambda: (folder / "log.txt").read_text().endswith("\n"))
    lines = [json.loads(line) for line in (folder / "log.txt").read_text().splitlines()]
    assert len(lines) > 500 and all(set(line) == {"time", "client", "method", "path", "status", "received", "sent", "us"} for line in lines)


def test_command_line(taken):
    weights = folder / "one.safetensors"
    (folder / "short").write_text("secret")
    (folder / "token").write_text("0123456789abcdef\n")
    good = ["--model", f"served={library},{weights}"]
    for arguments, code, text in [
        ([], 2, "no --model was given"),
        (["--speed", "9"], 2, 'there is no option "--speed"'),
        (["--model", "served"], 2, "expected NAME=LIBRARY,WEIGHTS"),
        (["--model", f"a/b={library},{weights}"], 2, "a version is a number above 0"),
        *((["--model", f"{name}={library},{weights}"], 2, f'paths have another meaning for "{name}": give the model another name')
          for name in (".", "..", "stats")),
        ([*good, "--http", "70000"], 2, 'was given "70000", expected a whole number from 0 to 65535'),
        ([*good, "--workers"], 2, "--workers was given no value"),
        ([*good, "--max-waiting", "4"], 1, ".max_waiting = 4, expected at least the rows of a batch"),
        *(([*good, "--host", name], 2, f'--host was given "{name}", expected a name or an address as digits.example.org or [::1], without scheme')
          for name in ("", "a.org:80", "http://a.org", "*.a.org", "a b", "a,b", "::1", "[::1]:80", "[]", "[a", "a/")),
        ([*good, *good], 1, "was given twice with version 1"),
        ([*good, "--http", str(taken.port)], 1, f"cannot listen at 127.0.0.1, port {taken.port}; is it taken"),
        ([*good, "--address", "192.0.2.1"], 1, "cannot listen at 192.0.2.1"),
        ([*good, "--token-file", str(folder / "token"), "--page"], 2, "the page knows no token"),
        ([*good, "--token-file", str(folder / "short")], 1, "has 6 characters, expected one line of 16 or more"),
        (["--model", f"served=/none.so,{weights}"], 1, "the library /none.so cannot be opened"),
        (["--model", f"served={weights},{weights}"], 1, "cannot be opened"),
        (["--model", f"served={library},/none"], 1, "/none"),
        (["--model", f"served={library},{folder / 'other.safetensors'}"], 1, "does not fit the network of this library"),
    ]:
        run = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=10)
        assert run.returncode == code and text in run.stderr, (arguments, run.returncode, run.stderr)
    assert "--max-delay" in subprocess.run([program, "--help"], capture_output=True, text=True).stdout


with Server() as running:
    for test in (test_protocol, test_answers, test_same_bits_under_load, test_one_connection, test_bad_requests, test_far_too_much,
                 test_compression, test_curl, test_log, test_page, test_command_line):
        test(running)
        print(test.__name__, flush=True)
for test in (test_heads, test_bad_connections, test_thousand_connections, test_little_is_needed, test_full_queue_deadline_and_drain,
             test_token, test_weights, test_reload_of_unloaded, test_reload_under_load):
    test()
    print(test.__name__, flush=True)
