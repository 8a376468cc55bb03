# SPDX-License-Identifier: MIT
"""clients.py SERVER LIBRARY WEIGHTS FOLDER triton|kserve: the clients of others, over HTTP and gRPC; and what gRPC refuses.
The two have messages of the same names, so that one process has but one of them."""
import asyncio
import concurrent.futures
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
from http.client import HTTPSConnection

import numpy

from serving import INPUTS, OUTPUTS, Server, eventually, folder, library, log_of, lone, lone_of_two, one, rows, two

SERVICE = "/inference.GRPCInferenceService/"
ANSWERED = 'nv_inference_request_success{model="served",version="1"}'


def expected(some, model=lone):
    return numpy.frombuffer(b"".join(model(row) for row in some), numpy.float32).reshape(-1, OUTPUTS)


def pictures(some):
    return numpy.array(some, numpy.float32).reshape(-1, 1, 3, 4)


def equal(y, some, model=lone):
    return y.dtype == numpy.float32 and y.tobytes() == expected(some, model).tobytes() and y.shape == (len(some), OUTPUTS)


def with_triton():
    import grpc
    import tritonclient.grpc
    import tritonclient.http
    from tritonclient.grpc import service_pb2 as messages
    from tritonclient.utils import InferenceServerException

    def refused(status, text, work):
        try:
            work()
        except (InferenceServerException, grpc.RpcError) as error:
            given = error.status() if isinstance(error, InferenceServerException) else str(error.code())
            words = error.message() if isinstance(error, InferenceServerException) else error.details()
            assert given == (status if status.isdigit() else f"StatusCode.{status}"), (status, text, given, words)
            assert re.search(text, words) and len(words) < 1100, (text, words)
        else:
            raise AssertionError(f"not refused: {text}")

    def input_of(of, x, datatype="FP32", shape=None):
        one_input = of.InferInput("input", shape or list(x.shape), datatype)
        one_input.set_data_from_numpy(x)
        return [one_input]

    def test_same_by_both(server):
        http = tritonclient.http.InferenceServerClient(f"127.0.0.1:{server.port}")
        rpc = tritonclient.grpc.InferenceServerClient(f"127.0.0.1:{server.grpc}")
        for client, of in ((http, tritonclient.http), (rpc, tritonclient.grpc)):
            assert client.is_server_live() and client.is_server_ready()
            assert client.is_model_ready("served") and client.is_model_ready("served", "1")
            x = pictures(rows[:3])
            y = client.infer("served", input_of(of, x), model_version="1", request_id="a b").as_numpy("output")
            assert equal(y, rows[:3])
            assert equal(client.infer("served", input_of(of, x.reshape(3, INPUTS))).as_numpy("output"), rows[:3])
            outputs = [of.InferRequestedOutput("output")]
            answer = client.infer("served", input_of(of, x), outputs=outputs, timeout=10**6)
            assert equal(answer.as_numpy("output"), rows[:3])
            pixels = numpy.arange(INPUTS, dtype=numpy.uint8).reshape(1, 1, 3, 4)
            assert equal(client.infer("served", input_of(of, pixels, "UINT8")).as_numpy("output"), [list(range(INPUTS))])
        assert http.infer("served", input_of(tritonclient.http, x), request_compression_algorithm="gzip",
                          response_compression_algorithm="gzip").as_numpy("output").tobytes() == y.tobytes()

        by_http, by_rpc = http.get_model_metadata("served"), rpc.get_model_metadata("served", as_json=True)
        for name in ("name", "versions", "platform"):
            assert by_http[name] == by_rpc[name], (by_http, by_rpc)
        for name in ("inputs", "outputs"):
            for a, b in zip(by_http[name], by_rpc[name], strict=True):
                assert [a["name"], a["datatype"], [str(size) for size in a["shape"]]] == [b["name"], b["datatype"], b["shape"]]
        assert http.get_server_metadata()["name"] == rpc.get_server_metadata().name == "sinter-serve"
        assert http.get_server_metadata()["version"] == rpc.get_server_metadata().version
        states = [(model.name, model.version, model.state) for model in rpc.get_model_repository_index().models]
        assert states == [("served", "1", "READY")]

        # Contents that are not raw are answered alike.
        stub = tritonclient.grpc.service_pb2_grpc.GRPCInferenceServiceStub(
            grpc.insecure_channel(f"127.0.0.1:{server.grpc}"))
        request = messages.ModelInferRequest(model_name="served", id="7")
        tensor = request.inputs.add(name="input", datatype="FP32", shape=[1, INPUTS])
        tensor.contents.fp32_contents.extend(rows[0])
        answer = stub.ModelInfer(request)
        assert answer.id == "7" and not answer.raw_output_contents and answer.model_version == "1"
        assert numpy.array(answer.outputs[0].contents.fp32_contents, numpy.float32).tobytes() == lone(rows[0])

    def test_measured():
        """What perf_analyzer asks before and after it measures: the configuration, and statistics that count each request once."""
        with Server("--grpc", "0", "--max-batch", "16", "--max-delay", "1000", "--workers", "2") as server:
            http = tritonclient.http.InferenceServerClient(f"127.0.0.1:{server.port}")
            rpc = tritonclient.grpc.InferenceServerClient(f"127.0.0.1:{server.grpc}")
            for version in ("", "1"):
                by_http = http.get_model_config("served", version)
                by_rpc = rpc.get_model_config("served", version, as_json=True)["config"]
                assert by_http["max_batch_size"] == by_rpc["max_batch_size"] == 16
                assert by_http["name"] == by_rpc["name"] == "served" and by_http["backend"] == by_rpc["backend"] == "sinter"
                assert by_http["platform"] == by_rpc["platform"] == http.get_model_metadata("served")["platform"]
                for name, row in (("input", [1, 3, 4]), ("output", [OUTPUTS])):
                    assert by_http[name] == [{"name": name, "data_type": "TYPE_FP32", "dims": row}]
                    assert by_rpc[name] == [{"name": name, "data_type": "TYPE_FP32", "dims": [str(size) for size in row]}]
                assert by_http["instance_group"] == by_rpc["instance_group"] == [{"name": "served", "kind": "KIND_CPU", "count": 2}]
                assert str(by_http["dynamic_batching"]["max_queue_delay_microseconds"]) == by_rpc["dynamic_batching"][
                    "max_queue_delay_microseconds"] == "1000"
            assert {"statistics", "model_configuration"} <= set(http.get_server_metadata()["extensions"]) & set(
                rpc.get_server_metadata().extensions)

            def statistics():
                [of_http], [of_rpc] = (http.get_inference_statistics("served")["model_stats"],
                                       rpc.get_inference_statistics("served", as_json=True)["model_stats"])
                assert http.get_inference_statistics("served", "1")["model_stats"] == [of_http]
                assert http.get_inference_statistics()["model_stats"] == [of_http]
                assert of_http["name"] == of_rpc["name"] == "served" and of_http["version"] == of_rpc["version"] == "1"
                for name in ("last_inference", "inference_count", "execution_count"):
                    assert of_http[name] == int(of_rpc.get(name, 0))
                for name, given in of_rpc["inference_stats"].items():
                    assert of_http["inference_stats"][name] == {"count": int(given.get("count", 0)), "ns": int(given.get("ns", 0))}
                return of_http

            before = statistics()
            assert before["inference_count"] == before["last_inference"] == before["inference_stats"]["success"]["count"] == 0
            began = time.time()
            for i in range(20):
                client, of = ((http, tritonclient.http), (rpc, tritonclient.grpc))[i % 2]
                client.infer("served", input_of(of, pictures(rows[:1 + i % 3])))
            took = time.time() - began
            now = statistics()
            times = now["inference_stats"]
            assert now["inference_count"] == sum(1 + i % 3 for i in range(20)) and now["execution_count"] == 20
            assert {name: times[name]["count"] for name in times} == {
                "success": 20, "queue": 20, "compute_input": 20, "compute_infer": 20, "compute_output": 20, "fail": 0, "cache_hit": 0, "cache_miss": 0}
            assert 20 * 900_000 < times["queue"]["ns"] < times["success"]["ns"] < took * 1e9, (times, took)  # each waited for others
            assert times["queue"]["ns"] + times["compute_infer"]["ns"] == times["success"]["ns"]
            assert began * 1000 - 1 <= now["last_inference"] <= time.time() * 1000
            late = tritonclient.http.InferInput("input", [1, 1, 3, 4], "FP32")
            late.set_data_from_numpy(pictures(rows[:1]))
            refused("504", "deadline", lambda: http.infer("served", [late], timeout=1))
            assert statistics()["inference_stats"]["fail"]["count"] == 1
            refused("404", 'no model "other"', lambda: http.get_inference_statistics("other"))
            refused("404", 'no model "other"', lambda: http.get_model_config("other"))
            http.unload_model("served")
            assert http.get_inference_statistics()["model_stats"] == [] and not rpc.get_inference_statistics().model_stats
            refused("503", "is not running: unloaded", lambda: http.get_inference_statistics("served"))
            refused("UNAVAILABLE", "is not running: unloaded", lambda: rpc.get_model_config("served"))

    def test_mistakes(server):
        stub = tritonclient.grpc.service_pb2_grpc.GRPCInferenceServiceStub(
            grpc.insecure_channel(f"127.0.0.1:{server.grpc}", [("grpc.max_send_message_length", -1)]))

        def request(change, raw=True, model="served"):
            given = messages.ModelInferRequest(model_name=model)
            tensor = given.inputs.add(name="input", datatype="FP32", shape=[2, 1, 3, 4])
            if raw:
                given.raw_input_contents.append(pictures(rows[:2]).tobytes())
            else:
                tensor.contents.fp32_contents.extend(rows[0] + rows[1])
            change(given, tensor)
            return given

        def shape(*sizes):
            def change(given, tensor):
                tensor.shape[:] = sizes
            return change

        def replaced(name, value):
            return lambda given, tensor: setattr(tensor, name, value)

        stub.ModelInfer(request(lambda *_: None))
        stub.ModelInfer(request(lambda *_: None, raw=False))
        for status, text, given in [
            ("INVALID_ARGUMENT", 'there is no input "x{80}\\.\\."; the model has one, "input"', request(replaced("name", "x" * 500))),
            ("INVALID_ARGUMENT", 'datatype "FP64", expected "FP32" or "UINT8"', request(replaced("datatype", "FP64"))),
            ("INVALID_ARGUMENT", r'"shape" is \[2,12,1\]; expected \[rows, 1, 3, 4\] with 1 to 32 rows', request(shape(2, 12, 1))),
            ("INVALID_ARGUMENT", r'"shape" is \[\]; expected', request(shape())),
            ("INVALID_ARGUMENT", r'"shape" is \[-1,12\]; expected', request(shape(-1, 12))),
            ("INVALID_ARGUMENT", "with 1 to 32 rows", request(shape(2**62, 12))),
            ("INVALID_ARGUMENT", "with 1 to 32 rows", request(shape(33, 12))),
            ("INVALID_ARGUMENT", r"1,1,1,1,1,1,1,1,1,1,\.\.\]; expected", request(shape(*[1] * 1000))),
            ("INVALID_ARGUMENT", "has 96 bytes, expected 48 for this shape", request(shape(1, 12))),
            ("INVALID_ARGUMENT", "has 2 tensors, and the request has one",
             request(lambda given, _: given.raw_input_contents.append(b""))),
            ("INVALID_ARGUMENT", 'both "contents" and "raw_input_contents"',
             request(lambda _, tensor: tensor.contents.fp32_contents.append(1))),
            ("INVALID_ARGUMENT", "the request has 0 inputs; the model has one", request(lambda given, _: given.ClearField("inputs"))),
            ("INVALID_ARGUMENT", "has 24 numbers, expected 12", request(shape(1, 12), raw=False)),
            ("INVALID_ARGUMENT", 'of another type than its datatype, expected "fp32_contents"',
             request(lambda _, tensor: tensor.contents.int_contents.append(1), raw=False)),
            ("INVALID_ARGUMENT", "256, which is not a UINT8", request(
                lambda _, tensor: (setattr(tensor, "datatype", "UINT8"), tensor.ClearField("contents"),
                                   tensor.contents.uint_contents.extend([256] * 24)), raw=False)),
            ("INVALID_ARGUMENT", 'there is no output "y"; the model has one, "output"',
             request(lambda given, _: given.outputs.add(name="y"))),
            ("INVALID_ARGUMENT", "asks for 2 outputs", request(lambda given, _: [given.outputs.add(name="output") for _ in "ab"])),
            ("INVALID_ARGUMENT", '"timeout" is -1, expected 0 to 3600000000 microseconds',
             request(lambda given, _: setattr(given.parameters["timeout"], "int64_param", -1))),
            ("INVALID_ARGUMENT", "the id has 1025 bytes, expected 1024 at most", request(lambda given, _: setattr(given, "id", "i" * 1025))),
            ("NOT_FOUND", 'there is no model "other"; there are "served"', request(lambda *_: None, model="other")),
            ("NOT_FOUND", 'has no version "7"; it has 1', request(lambda given, _: setattr(given, "model_version", "7"))),
        ]:
            refused(status, text, lambda: stub.ModelInfer(given))
        refused("NOT_FOUND", 'there is no model "other"', lambda: stub.ModelMetadata(messages.ModelMetadataRequest(name="other")))
        refused("NOT_FOUND", 'there is no model "other"', lambda: stub.ModelReady(messages.ModelReadyRequest(name="other")))
        refused("NOT_FOUND", 'there is no model "other"', lambda: stub.ModelConfig(messages.ModelConfigRequest(name="other")))
        refused("NOT_FOUND", 'has no version "7"; it has 1', lambda: stub.ModelStatistics(messages.ModelStatisticsRequest(name="served", version="7")))
        refused("UNIMPLEMENTED", "", lambda: stub.LogSettings(messages.LogSettingsRequest()))
        assert stub.ModelInfer(request(lambda *_: None)).raw_output_contents[0] == b"".join(lone(row) for row in rows[:2])

        # Not a message of the protocol.
        refused("INVALID_ARGUMENT", "are no message of this protocol", lambda: anything(server)(b"\xff\xff\xff\xff"))
        assert b"sinter_grpc_responses{status=\"INVALID_ARGUMENT\"}" in server.ask("GET", "/metrics")[1]

    def test_same_bits_under_load(server):
        def load(seed):
            client = tritonclient.grpc.InferenceServerClient(f"127.0.0.1:{server.grpc}")
            of, here = (tritonclient.http, tritonclient.http.InferenceServerClient(f"127.0.0.1:{server.port}")) \
                if seed % 2 else (tritonclient.grpc, client)
            right = 0
            for i in range(40):
                some = rows[i:i + 1 + (seed + i) % 9]
                right += equal(here.infer("served", input_of(of, pictures(some))).as_numpy("output"), some)
            client.close()
            return right

        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            assert list(pool.map(load, range(8))) == [40] * 8

    def test_limits():
        with Server("--grpc", "0", "--max-body", "100000", "--max-header", "4096") as server:
            def stub():
                return tritonclient.grpc.service_pb2_grpc.GRPCInferenceServiceStub(
                    grpc.insecure_channel(f"127.0.0.1:{server.grpc}", [("grpc.max_send_message_length", -1),
                                                                       ("grpc.use_local_subchannel_pool", 1)]))
            large = messages.ModelInferRequest(model_name="served", raw_input_contents=[bytes(200000)])
            refused("RESOURCE_EXHAUSTED", "the message has 200012 bytes, more than the 100000 that this server takes", lambda: stub().ModelInfer(large))
            before = server.memory("VmHWM")
            for algorithm in (grpc.Compression.Gzip, grpc.Compression.Deflate):
                bomb = messages.ModelInferRequest(model_name="served", raw_input_contents=[bytes(200 << 20)])
                refused("UNIMPLEMENTED", "ompression", lambda: stub().ModelInfer(bomb, compression=algorithm))
            assert server.memory("VmHWM") < before + 30, (before, server.memory("VmHWM"))
            refused("RESOURCE_EXHAUSTED", "", lambda: stub().ServerLive(messages.ServerLiveRequest(),
                                                                      metadata=[("a", "b" * 100000)]))
            refused("RESOURCE_EXHAUSTED", r"the metadata have 5\d{3} bytes, more than the 4096 that this server takes",
                    lambda: stub().ServerLive(messages.ServerLiveRequest(), metadata=[("a", "b" * 5000)]))
            stub().ServerLive(messages.ServerLiveRequest(), metadata=[("a", "b" * 3900)])
            eventually(lambda: [line["path"] for line in logged("RESOURCE_EXHAUSTED")] == ["ModelInfer", "ServerLive"])

        # Garbage, and clients that send slowly or stop.
        with Server("--grpc", "0", "--request-time", "1", "--idle-time", "1") as server:
            preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\x04\0\0\0\0\0"
            connections = []
            for sent in (b"\x00\xff garbage\r\n\r\n" * 100, b"GET / HTTP/1.1\r\n\r\n", preface + b"\xff" * 1000,
                         b"PRI * HT", b"", preface):
                connections.append(socket.create_connection(("127.0.0.1", server.grpc), timeout=20))
                connections[-1].sendall(sent)
            for connection in connections:
                try:
                    while connection.recv(65536):
                        pass  # until the server closes it
                except ConnectionResetError:
                    pass
                connection.close()
            for _ in range(50):
                with socket.create_connection(("127.0.0.1", server.grpc)) as connection:
                    connection.sendall(preface + b"\0\0\x10\x01\4\0\0\0\1")
            assert tritonclient.grpc.InferenceServerClient(f"127.0.0.1:{server.grpc}").is_server_live()

    def anything(server, method="ModelInfer", **more):
        """Sends any bytes as the message of a call."""
        channel = grpc.insecure_channel(f"127.0.0.1:{server.grpc}", [("grpc.max_send_message_length", -1)])
        call = channel.unary_unary(SERVICE + method, request_serializer=bytes, response_deserializer=bytes)
        return lambda sent: call(sent, **more)

    def logged(status):
        return [line for line in log_of() if line["status"] == status]

    def test_parts():
        """Very many parts take no memory: without a token nothing is read, and with it they are counted before they are parsed."""
        token = "0123456789abcdef"
        (folder / "token").write_text(token)
        many = [b"\x2a\0" * (15 << 19), b"\x32\0" * (15 << 19), b"\x3a\0" * (15 << 19), b"\xfa\1\0" * (5 << 20), b"\x22\2\x0a\0" * (15 << 18),
                b"\x2a\x84\x80\xc0\7\x1a\x80\x80\xc0\7" + bytes(15 << 20), b"\x2a\x89\x80\xc0\7\x2a\x84\x80\xc0\7" + b"\x42\0" * (15 << 19)]
        for sent in many:
            with Server("--grpc", "0", "--token-file", str(folder / "token")) as server:
                before = server.memory("VmHWM")
                refused("UNAUTHENTICATED", "wants the metadata", lambda: anything(server)(sent))
                eventually(lambda: [line["received"] for line in logged("UNAUTHENTICATED")] == [0])
                refused("INVALID_ARGUMENT", "has more than 10000 parts, which no request needs",
                        lambda: anything(server, metadata=[("authorization", f"Bearer {token}")])(sent))
                eventually(lambda: [(line["received"], line["client"]) for line in logged("INVALID_ARGUMENT")] == [(len(sent), "127.0.0.1")])
                refused("INVALID_ARGUMENT", "", lambda: anything(server, "ServerLive")(b"\xfa\1\0" * (5 << 20)))
                assert server.memory("VmHWM") < before + 60, (before, server.memory("VmHWM"))

    def test_numbers():
        """Far more numbers than a request has are counted before they are parsed, which takes more memory, and none is kept."""
        def field(number, content):
            size, length = len(content), b""
            while size >= 128:
                length, size = length + bytes([size % 128 + 128]), size // 128
            return bytes([8 * number + 2]) + length + bytes([size]) + content

        with Server("--grpc", "0") as server:
            before = server.memory()
            for sent, expected in (*((field(5, field(5, field(number, bytes(15 << 20)))), "has more than the 384 numbers that a request") for number in (1, 4, 6, 7)),
                                   (field(7, bytes(15 << 20)), "has more than the 1536 bytes that a request")):
                refused("INVALID_ARGUMENT", expected, lambda: anything(server)(sent))
            assert server.memory("VmHWM") < before + 60, (before, server.memory("VmHWM"))
            eventually(lambda: server.memory() < before + 15)

    def test_large_messages():
        """Those that wait have a memory together, beyond which others are refused."""
        many = 60000
        with Server("--grpc", "0", "--max-batch", str(1 << 20), "--max-waiting", str(1 << 20), "--max-body", str(1 << 20), "--max-delay", "3000000") as server:
            large = messages.ModelInferRequest(model_name="served")
            large.inputs.add(name="input", datatype="UINT8", shape=[many, INPUTS]).contents.uint_contents.extend([1] * many * INPUTS)
            ask = grpc.insecure_channel(f"127.0.0.1:{server.grpc}").unary_unary(SERVICE + "ModelInfer", request_serializer=bytes, response_deserializer=len)
            calls = [ask.future(large.SerializeToString()) for _ in range(20)]  # 68 MB have room for 12
            codes = sorted(str(call.code()) for call in calls)
            assert codes == ["StatusCode.OK"] * 12 + ["StatusCode.RESOURCE_EXHAUSTED"] * 8, codes

    def frame(kind, flags, stream, content=b""):
        return len(content).to_bytes(3, "big") + bytes((kind, flags)) + stream.to_bytes(4, "big") + content

    def text(given):
        return bytes([len(given)]) + given

    head = (b"\x83\x86\x04" + text(SERVICE.encode() + b"ServerLive") + b"\x01" + text(b"localhost") + b"\0" + text(b"content-type") +
            text(b"application/grpc") + b"\0" + text(b"te") + text(b"trailers"))
    BEGIN = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(4, 0, 0)

    def begin(connection, calls, flags=4, ended=0):
        """Begins calls of which a message is missing; by the flags 5, none is to come."""
        for first in range(ended, ended + calls, 100):
            connection.sendall(b"".join(frame(1, flags, 2 * i + 1, head) for i in range(first, min(first + 100, ended + calls))))

    def client_of(port, source=None, address="127.0.0.1"):
        connection = socket.socket()
        connection.settimeout(20)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if source is not None:
            connection.bind((address, source))
        connection.connect(("127.0.0.1", port))
        return connection

    def disconnected(connection):
        """Within a moment; what the server sends before is dropped."""
        try:
            while connection.recv(1 << 20):
                pass
        except TimeoutError:
            return False
        except OSError:
            pass
        return True

    def test_calls_without_end():
        """Clients that confirm no limit, and begin calls without end, are disconnected, and their calls take no memory for good."""
        with Server("--grpc", "0", "--connections", "8", "--request-time", "60") as server:
            before = server.memory("VmHWM")
            for flags in (4, 5):
                for _ in range(3):
                    with client_of(server.grpc) as connection:
                        connection.sendall(BEGIN)
                        try:
                            begin(connection, 30000, flags)
                        except OSError:
                            pass
                        assert disconnected(connection)
                assert tritonclient.grpc.InferenceServerClient(f"127.0.0.1:{server.grpc}").is_server_live()
            assert server.memory("VmHWM") < before + 150, (before, server.memory("VmHWM"))

    def test_who_is_disconnected():
        """The connection that has the calls, wherever its descriptor is, and no other one with its address and port; of many, those
        of the address that has the most calls."""
        def many_files():
            resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))

        with Server("--grpc", "0", "--connections", "8", "--request-time", "60", start=many_files) as server:
            def files():
                return [int(path.name) for path in pathlib.Path(f"/proc/{server.process.pid}/fd").iterdir()]

            def flood(connection):
                connection.sendall(BEGIN)
                try:
                    begin(connection, 4000)
                except OSError:
                    pass
                assert disconnected(connection)

            with client_of(server.grpc, 0) as one:
                with client_of(server.port, one.getsockname()[1]) as over_http:
                    flood(one)
                    over_http.sendall(b"GET /v2 HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    assert over_http.recv(65536).startswith(b"HTTP/1.1 200 ")

            idle = [client_of(server.grpc) for _ in range(1200)]
            for connection in idle:
                connection.sendall(BEGIN)
            eventually(lambda: len(files()) > 1200)
            with client_of(server.grpc) as last:
                eventually(lambda: max(files()) > 1200)
                for connection in idle:
                    connection.close()
                eventually(lambda: len(files()) < 100)
                flood(last)

        # 128 calls in all: one address has 65 connections with a call or two, the other a connection with 40 calls.
        with Server("--grpc", "0", "--connections", "8", "--request-time", "60") as server:
            few = client_of(server.grpc)
            few.sendall(BEGIN)
            begin(few, 40)
            eventually(lambda: tritonclient.grpc.InferenceServerClient(f"127.0.0.1:{server.grpc}").is_server_live())
            others = [client_of(server.grpc, 0, "127.0.0.2") for _ in range(65)]
            for connection in others:
                connection.sendall(BEGIN)
                begin(connection, 2)
            few.settimeout(2)
            assert not disconnected(few)
            for connection in (few, *others):
                connection.close()

    def test_untaken_answers():
        """Answers that nobody takes: a connection that has most of them is disconnected, others are answered, and the log says so."""
        many = 60000
        with Server("--grpc", "0", "--max-batch", str(many), "--max-waiting", str(4 * many), "--max-body", str(1 << 20)) as server:
            large = messages.ModelInferRequest(model_name="served", raw_input_contents=[bytes(many * INPUTS)])
            large.inputs.add(name="input", datatype="UINT8", shape=[many, INPUTS])
            before = server.memory("VmHWM")
            channel = grpc.insecure_channel(f"127.0.0.1:{server.grpc}", [("grpc.http2.bdp_probe", 0)])
            ask = channel.unary_stream(SERVICE + "ModelInfer", request_serializer=bytes, response_deserializer=bytes)
            untaken = []
            for _ in range(200):  # 240 MB
                answered = server.metrics()[ANSWERED]
                untaken.append(ask(large.SerializeToString()))
                eventually(lambda: server.metrics()[ANSWERED] > answered or untaken[-1].done())
            assert server.memory("VmHWM") < before + 130, (before, server.memory("VmHWM"))
            assert 100 < len(logged("CANCELLED")) < 200 and all(call.done() for call in untaken[:100])
            taking = tritonclient.grpc.service_pb2_grpc.GRPCInferenceServiceStub(grpc.insecure_channel(f"127.0.0.1:{server.grpc}"))
            assert taking.ModelInfer(large).raw_output_contents[0] == lone([0] * INPUTS) * many
            channel.close()
            eventually(lambda: len(logged("CANCELLED")) >= 195)
            assert {line["sent"] for line in logged("CANCELLED")} == {0} and logged("OK")[-1]["sent"] > many * OUTPUTS * 4

    def test_other_services(server):
        """Their methods are not logged as those of this one."""
        call = grpc.insecure_channel(f"127.0.0.1:{server.grpc}").unary_unary("/other.Service/ModelInfer", request_serializer=bytes)
        refused("UNIMPLEMENTED", "there is no method /other.Service/ModelInfer", lambda: call(b""))
        eventually(lambda: [line["path"] for line in logged("UNIMPLEMENTED")][-1:] == ["/other.Service/ModelInfer"])

    def test_addresses():
        """A client by IPv4 of a server by IPv6 has one address, over HTTP and gRPC."""
        try:
            socket.create_server(("::", 0), family=socket.AF_INET6).close()
        except OSError as problem:
            return print(f"test_addresses: {problem}", flush=True)
        with Server("--grpc", "0", address="::") as server:
            assert server.get("/v2")[0] == 200
            assert tritonclient.grpc.InferenceServerClient(f"127.0.0.1:{server.grpc}").is_server_live()
            eventually(lambda: [line["client"] for line in log_of()] == ["127.0.0.1"] * 2)

    def test_stuck_connection():
        """One that answers nothing does not keep the server from refusing new ones, over HTTP neither."""
        with Server("--grpc", "0", "--request-time", "60") as server:
            stuck = socket.create_connection(("127.0.0.1", server.grpc), timeout=20)
            stuck.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\x04\0\0\0\0\0")
            assert stuck.recv(9)  # its settings
            server.process.send_signal(signal.SIGTERM)

            def refuses(port):
                with socket.socket() as knock:
                    return knock.connect_ex(("127.0.0.1", port)) != 0

            for port in (server.port, server.grpc):
                eventually(lambda: refuses(port))
            stuck.close()
            assert server.process.wait(20) == 0

    def test_full_queue_deadline_and_drain():
        options = ("--grpc", "0", "--max-delay", "4000000", "--max-batch", "8", "--max-waiting", "8")
        with Server(*options) as server:
            stub = tritonclient.grpc.service_pb2_grpc.GRPCInferenceServiceStub(
                grpc.insecure_channel(f"127.0.0.1:{server.grpc}"))

            def request(count):
                given = messages.ModelInferRequest(model_name="served", raw_input_contents=[pictures(rows[:count]).tobytes()])
                given.inputs.add(name="input", datatype="FP32", shape=[count, INPUTS])
                return given

            def waiting(count):
                line = f'sinter_waiting_rows{{model="served",version="1"}} {count}\n'.encode()
                eventually(lambda: line in server.ask("GET", "/metrics")[1])

            waits = stub.ModelInfer.future(request(4))
            waiting(4)
            refused("RESOURCE_EXHAUSTED", "the queue is full: 4 rows wait", lambda: stub.ModelInfer(request(5)))
            late = request(1)
            late.parameters["timeout"].int64_param = 20000
            refused("DEADLINE_EXCEEDED", "deadline passed while it waited", lambda: stub.ModelInfer(late))
            refused("DEADLINE_EXCEEDED", "", lambda: stub.ModelInfer(request(1), timeout=0.05))
            gone = stub.ModelInfer.future(request(1))
            waiting(5)
            gone.cancel()
            server.process.send_signal(signal.SIGTERM)
            assert waits.result().raw_output_contents[0] == b"".join(lone(row) for row in rows[:4])
            assert server.process.wait(20) == 0
            log = [json.loads(line) for line in (folder / "log.txt").read_text().splitlines()]
            ended = [line["status"] for line in log if line["path"] == "ModelInfer"]
            assert sorted(ended) == ["CANCELLED", "DEADLINE_EXCEEDED", "DEADLINE_EXCEEDED", "OK", "RESOURCE_EXHAUSTED"], ended

    def test_long_calls():
        """Those that wait longer than --request-time are answered, where their connection is too old and where the server ends."""
        with Server("--grpc", "0", "--max-delay", "3500000", "--max-batch", "64", "--request-time", "1", "--idle-time", "1") as server:
            client = tritonclient.grpc.InferenceServerClient(f"127.0.0.1:{server.grpc}")
            for ends in (False, True):
                answer = []
                asking = threading.Thread(target=lambda: answer.append(client.infer("served", input_of(tritonclient.grpc, pictures(rows[:2])))))
                asking.start()
                if ends:
                    eventually(lambda: server.metrics()['sinter_waiting_rows{model="served",version="1"}'] == 2)
                    server.process.send_signal(signal.SIGTERM)
                asking.join()
                assert answer and equal(answer[0].as_numpy("output"), rows[:2])
            client.close()

    def test_end_under_load():
        """Clients are told to go elsewhere, by a status for which they do."""
        for _ in range(3):
            with Server("--grpc", "0", "--no-log") as server:
                started, ended = threading.Semaphore(0), []

                def load():
                    client = tritonclient.grpc.InferenceServerClient(f"127.0.0.1:{server.grpc}")
                    try:
                        while True:
                            assert equal(client.infer("served", input_of(tritonclient.grpc, pictures(rows[:2]))).as_numpy("output"), rows[:2])
                            started.release()
                    except InferenceServerException as error:
                        ended.append(error.status())
                    client.close()

                threads = [threading.Thread(target=load) for _ in range(6)]
                for thread in threads:
                    thread.start()
                for _ in range(60):
                    started.acquire()
                server.process.send_signal(signal.SIGTERM)
                for thread in threads:
                    thread.join()
                assert ended == ["StatusCode.UNAVAILABLE"] * 6, ended
                assert server.process.wait(20) == 0

    def test_end_of_connections():
        """Calls that are on their way when connections end have a status for which clients go elsewhere, too."""
        for _ in range(3):
            with Server("--grpc", "0", "--no-log") as server:
                codes = set()

                def load():
                    channel = grpc.insecure_channel(f"127.0.0.1:{server.grpc}", [("grpc.use_local_subchannel_pool", 1), ("grpc.enable_retries", 0)])
                    call = channel.unary_unary(SERVICE + "ServerMetadata", request_serializer=bytes, response_deserializer=bytes)
                    while True:
                        try:
                            call(b"", timeout=20)
                        except grpc.RpcError as error:
                            codes.add(str(error.code()))
                            if "connect to all" in error.details():
                                return channel.close()

                threads = [threading.Thread(target=load) for _ in range(8)]
                for thread in threads:
                    thread.start()
                time.sleep(0.3)
                server.process.send_signal(signal.SIGTERM)
                for thread in threads:
                    thread.join()
                assert codes == {"StatusCode.UNAVAILABLE"}, codes
                assert server.process.wait(20) == 0

    def test_token():
        (folder / "token").write_text("0123456789abcdef\n")
        with Server("--grpc", "0", "--token-file", str(folder / "token")) as server:
            client = tritonclient.grpc.InferenceServerClient(f"127.0.0.1:{server.grpc}")
            x = input_of(tritonclient.grpc, pictures(rows[:1]))
            assert client.is_server_live() and client.is_server_ready()
            for header in (None, "Bearer ", "Bearer 0123456789abcdeF", "Bearer 0123456789abcdef0", "0123456789abcdef"):
                headers = {"authorization": header} if header else {}
                for work in (lambda: client.infer("served", x, headers=headers), lambda: client.get_server_metadata(headers=headers),
                             lambda: client.unload_model("served", headers=headers)):
                    refused("UNAUTHENTICATED", "wants the metadata authorization", work)
            for other in ("Bearer 0123456789abcdef", "Bearer 0123456789abcdeF"):
                metadata = [("authorization", "Bearer 0123456789abcdef"), ("authorization", other)]
                refused("INVALID_ARGUMENT", "authorization is given 2 times", lambda: anything(server, "ServerMetadata", metadata=metadata)(b""))
            refused("UNAUTHENTICATED", "wants the metadata", lambda: anything(server, "Other")(b""))
            right = {"authorization": "Bearer 0123456789abcdef"}
            assert equal(client.infer("served", x, headers=right).as_numpy("output"), rows[:1])

    def test_weights():
        now = folder / "now.safetensors"
        now.write_bytes(one)
        with Server("--grpc", "0", models=[f"served={library},{now}"]) as server:
            client = tritonclient.grpc.InferenceServerClient(f"127.0.0.1:{server.grpc}")
            x = input_of(tritonclient.grpc, pictures(rows[:2]))
            now.write_bytes(one[:200])
            refused("INTERNAL", "cannot be opened", lambda: client.load_model("served"))
            assert equal(client.infer("served", x).as_numpy("output"), rows[:2])
            now.write_bytes(two)
            client.load_model("served")
            assert equal(client.infer("served", x).as_numpy("output"), rows[:2], lone_of_two)
            refused("INVALID_ARGUMENT", "the load has the parameter config;", lambda: client.load_model("served", config="{}"))
            client.unload_model("served")
            refused("UNAVAILABLE", 'model "served" is not running: unloaded', lambda: client.infer("served", x))
            assert not client.is_server_ready() and not client.is_model_ready("served")
            client.load_model("served")
            assert client.is_server_ready()
            assert equal(client.infer("served", x).as_numpy("output"), rows[:2], lone_of_two)
            refused("NOT_FOUND", 'there is no model "none"', lambda: client.load_model("none"))
        now.write_bytes(one)

    def test_proxy():
        """By TLS, through what docs/serving.md has nginx do, where there is nginx."""
        nginx, openssl = (shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin") for name in ("nginx", "openssl"))
        if not nginx or not openssl:
            return print("test_proxy: no nginx or no openssl found", flush=True)
        page = (pathlib.Path(__file__).resolve().parents[3] / "docs/serving.md").read_text()
        block = re.search(r"```nginx\n(.*?)```", page, re.DOTALL)[1]
        certificate, key = folder / "digits.pem", folder / "digits.key"
        subprocess.run([openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-addext",
                        "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate], check=True, capture_output=True)
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        with Server("--grpc", "0") as server:
            for documented, here in (("listen 443", f"listen 127.0.0.1:{port}"), ("127.0.0.1:8080", f"127.0.0.1:{server.port}"),
                                     ("127.0.0.1:8081", f"127.0.0.1:{server.grpc}"), ("/etc/ssl/digits.pem", str(certificate)),
                                     ("/etc/ssl/digits.key", str(key))):
                assert documented in block, documented
                block = block.replace(documented, here)
            temporary = "".join(f"{name}_temp_path {folder}/{name};" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
            (folder / "nginx.conf").write_text(f"pid {folder}/nginx.pid; daemon off; master_process off; events {{}}\n"
                                               f"http {{ access_log off; {temporary}\n{block} }}\n")
            proxy = subprocess.Popen([nginx, "-p", folder, "-e", folder / "nginx.log", "-c", folder / "nginx.conf"])
            try:
                def answers():
                    assert proxy.poll() is None, (folder / "nginx.log").read_text()
                    with socket.socket() as knock:
                        return knock.connect_ex(("127.0.0.1", port)) == 0

                eventually(answers)
                http = tritonclient.http.InferenceServerClient(f"localhost:{port}", ssl=True, ssl_options={"ca_certs": str(certificate)})
                rpc = tritonclient.grpc.InferenceServerClient(f"localhost:{port}", ssl=True, root_certificates=str(certificate))
                for client, of in ((http, tritonclient.http), (rpc, tritonclient.grpc)):
                    assert client.is_server_ready() and client.get_server_metadata()
                    assert equal(client.infer("served", input_of(of, pictures(rows[:3]))).as_numpy("output"), rows[:3])
                # A page of this server comes from where the browser found it.
                for origin, status in ((f"https://localhost:{port}", 200), ("https://localhost", 403), ("https://evil.com", 403)):
                    asking = HTTPSConnection("localhost", port, context=ssl.create_default_context(cafile=certificate), timeout=20)
                    asking.request("GET", "/v2/models/served", headers={"Origin": origin})
                    assert asking.getresponse().status == status, origin
                http.close()
                rpc.close()
            finally:
                proxy.terminate()
                proxy.wait(20)

    def test_silence(server):
        """What clients send is not in what the server says."""
        refused("INVALID_ARGUMENT", "are no message of this protocol", lambda: anything(server)(b"\x0a\x02\xff\xfe"))  # a name that is no UTF-8
        server.process.send_signal(signal.SIGHUP)
        said = server.said()
        assert said == "sinter-serve: read the weights of served again\n", said

    with Server("--grpc", "0") as server:
        for test in (test_same_by_both, test_mistakes, test_same_bits_under_load, test_other_services, test_silence):
            test(server)
            print(test.__name__, flush=True)
    for test in (test_measured, test_limits, test_parts, test_numbers, test_large_messages, test_calls_without_end, test_who_is_disconnected, test_untaken_answers, test_addresses, test_stuck_connection, test_full_queue_deadline_and_drain, test_long_calls, test_end_under_load, test_end_of_connections, test_token, test_weights, test_proxy):
        test()
        print(test.__name__, flush=True)


def with_kserve():
    from kserve import InferenceGRPCClient, InferenceRESTClient, InferInput, InferRequest, RESTConfig

    def request(raw):
        x = pictures(rows[:3])
        given = InferInput("input", list(x.shape), "FP32")
        given.set_data_from_numpy(x, binary_data=raw)
        return InferRequest("served", [given])

    async def ask(server):
        rest = InferenceRESTClient(RESTConfig(protocol="v2"))
        base = f"http://127.0.0.1:{server.port}"
        assert await rest.is_server_live(base) and await rest.is_server_ready(base) and await rest.is_model_ready(base, "served")
        for raw in (False, True):
            answer = await rest.infer(base, request(raw), model_name="served")
            assert equal(answer.outputs[0].as_numpy(), rows[:3])
        rpc = InferenceGRPCClient(f"127.0.0.1:{server.grpc}")
        assert await rpc.is_server_live() and await rpc.is_server_ready() and await rpc.is_model_ready("served")
        for raw in (False, True):
            answer = await rpc.infer(request(raw))
            assert equal(answer.outputs[0].as_numpy(), rows[:3])
        await rpc.close()
        await rest.close()

    # Its connection does not end when it is closed: the server waits for it as long as a request may take.
    with Server("--grpc", "0", "--request-time", "1") as server:
        asyncio.run(ask(server))


{"triton": with_triton, "kserve": with_kserve}[sys.argv[5]]()
