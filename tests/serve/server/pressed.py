# SPDX-License-Identifier: MIT
"""pressed.py SERVER LIBRARY WEIGHTS FOLDER: what fills the memory or the places of sinter-serve, and who is answered nevertheless."""
import collections
import concurrent.futures
import http.client
import json
import os
import pathlib
import pty
import re
import resource
import select
import signal
import socket
import time

from serving import INFER, Server, eventually, folder, library, log_of, many_rows, request_of, rows, same


def test_long_requests():
    """Long targets and headers take no stack and no memory, before the token is checked and after."""
    def small_stacks():
        resource.setrlimit(resource.RLIMIT_STACK, (512 << 10, resource.RLIM_INFINITY))

    (folder / "token").write_text("0123456789abcdef\n")
    right = "Authorization: Bearer 0123456789abcdef\r\n"
    with Server("--token-file", str(folder / "token"), start=small_stacks) as server:
        before = server.memory()

        def ask(target, headers=""):
            [answer] = re.findall(rb"^HTTP/1\.1 (\d+) ", server.raw(
                f"GET {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{headers}\r\n".encode()))
            return int(answer)

        with concurrent.futures.ThreadPoolExecutor(20) as pool:
            for expected, target, headers in [
                (414, "/v2/models/" + "a" * 8000, right), (414, "/v2/models/" + "a" * 8000, ""), (414, "/" * 8000, right),
                (404, "/v2/models/" + "a" * 900, right), (404, "/v2/models/a/versions/" + "1" * 900, right),
                (401, "/v2", "Range: bytes=" + "1" * 8000 + "-\r\n"), (200, "/v2", "Range: bytes=" + "1" * 8000 + "-\r\n" + right),
                (200, "/v2", "Range: bytes=" + "0-0," * 2000 + "\r\n" + right),
                (200, "/v2", "Accept-Encoding: " + "gzip;q=0," * 800 + "\r\n" + right),
                (200, "/v2", "Connection: " + "a," * 4000 + "\r\n" + right),
                (415, "/v2", "Content-Type: multipart/form-data; boundary=" + "a" * 8000 + "\r\n" + right),
                (415, "/v2", "Content-Length: 0\r\nContent-Encoding: " + "a" * 8000 + "\r\n" + right),
                (200, "/v2", "a: b\r\n" * 2000 + right), (431, "/v2", "a: b\r\n" * 4000 + right)]:
                assert set(pool.map(lambda _: ask(target, headers), range(120))) == {expected}, (expected, target[:40], headers[:40])
        assert server.memory() < before + 20, (before, server.memory())
        assert same(server.infer(request_of(rows[:1]), {"Authorization": "Bearer 0123456789abcdef"})[1], rows[:1])


def test_unread_log():
    """Where nobody reads the log, requests are answered, and signals end the server. Lines that are lost are counted."""
    reading, writing = os.pipe()
    with Server(log=writing) as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)

        def ask(count):
            for _ in range(count):
                connection.request("GET", "/v2/models/" + "a" * 200)
                assert connection.getresponse().read()

        dropped = "sinter_log_lines_dropped"
        ask(6000)
        assert 1000 < server.metrics()[dropped] < 6000, server.metrics()[dropped]
        lines, rest = 0, b""
        while lines + server.metrics()[dropped] < 6000:  # somebody reads again
            *whole, rest = (rest + os.read(reading, 1 << 16)).split(b"\n")
            assert all(json.loads(line)["status"] == 404 or json.loads(line)["path"] == "/metrics" for line in whole)
            lines += sum(json.loads(line)["status"] == 404 for line in whole)
        ask(6000)
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(10) == 0
    os.close(writing)
    os.close(reading)


def test_lost_log():
    """A full disk, and a standard output that is closed."""
    with open("/dev/full", "w") as full, Server(log=full) as server:
        for _ in range(20):
            assert server.ask("GET", "/v2")[0] == 200
        eventually(lambda: server.metrics()["sinter_log_lines_dropped"] >= 20)
    with Server(start=lambda: os.close(1)) as server:
        connections = [http.client.HTTPConnection("127.0.0.1", server.port, timeout=20) for _ in range(4)]
        for connection in connections * 5:  # none gets the log
            connection.request("GET", "/v2/health/live")
            assert json.loads(connection.getresponse().read()) == {"live": True}


def test_full_log():
    """A file that may not grow: lines are lost, one is in parts, and those that follow once there is room are whole."""
    whole = folder / "full.txt"
    with open(whole, "w") as full, Server(log=full, start=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))) as server:
        for _ in range(20):
            assert server.ask("GET", "/v2")[0] == 200
        eventually(lambda: server.metrics()["sinter_log_lines_dropped"] >= 10)
        assert whole.stat().st_size == 1000
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        for _ in range(20):
            assert server.ask("GET", "/v2/health/live")[0] == 200
    content = whole.read_bytes()
    assert b"\n" in content[999:1001], content[900:1100]
    paths = [json.loads(line)["path"] for line in content[1001:].splitlines()]
    assert paths.count("/v2/health/live") == 20, paths


def test_unread_terminal():
    """It may hold up a write for ever, and the server ends."""
    control, terminal = pty.openpty()
    with Server(log=terminal) as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
        for _ in range(1000):
            connection.request("GET", "/v2")
            assert connection.getresponse().read()
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(10) == 0
    os.close(control)
    os.close(terminal)


def test_unread_messages():
    """The same for the standard error."""
    weights = folder / ("w" * 200)
    weights.write_bytes((folder / "one.safetensors").read_bytes())
    with Server("--no-log", models=[f"{'a' * 90}{i}={library},{weights}" for i in range(100)]) as server:
        dropped = "sinter_messages_dropped"
        assert server.metrics()[dropped] == 0
        weights.write_bytes(b"none")

        def lost():
            server.process.send_signal(signal.SIGHUP)  # a hundred messages
            return server.metrics()[dropped] > 0

        eventually(lost)
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(20) == 0


def test_log_and_messages():
    """Lines of the log and messages in one pipe are whole."""
    reading, writing = os.pipe()
    with Server(log=writing) as server:
        def write_as_messages():  # what comes by the standard error in the same pipe
            for i in range(20000):
                os.write(writing, b"message %d\n" % i)

        def ask():
            connection = socket.create_connection(("127.0.0.1", server.port), timeout=20)
            for _ in range(50):
                connection.sendall(b"GET /v2/" + b"a" * 190 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n" + 100 * (
                    b"GET /v2/" + b"a" * 190 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n"))
                left = 101
                while left > 0:
                    left -= connection.recv(65536).count(b"HTTP/1.1 404")
            connection.close()

        lines = b""
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            works = [pool.submit(write_as_messages), pool.submit(ask)]
            while not all(work.done() for work in works) or select.select([reading], [], [], 0.3)[0]:
                if select.select([reading], [], [], 0.1)[0]:
                    lines += os.read(reading, 1 << 16)
        for work in works:
            work.result()
        assert lines.count(b"\n") == 20000 + 50 * 101
        for line in lines.splitlines():
            assert re.fullmatch(rb"message \d+", line) or json.loads(line)["status"] == 404, line
    os.close(writing)
    os.close(reading)


def test_early_refusals():
    """What is refused before it is understood is logged and counted as what it is, with its client and its time."""
    with Server("--request-time", "1", "--idle-time", "1", "--connections", "8") as server:
        before = server.metrics()
        host = b"Host: localhost\r\n"
        for expected, data in [
            (400, b"GET /v2 HTTP/1.1\r\nX : a\r\n\r\n"), (400, b"garbage\r\n\r\n"), (400, b"GET /v2 HTTP/1.1\r\n\r\n"),
            (414, b"GET /" + b"a" * 2000), (414, b"\r\nGET /" + b"a" * 2000), (431, b"GET /v2 HTTP/1.1\r\n" + b"a: b\r\n" * 5000), (408, b"GET /v2 HT"),
            (408, b"POST /v2 HTTP/1.1\r\n" + host + b"Content-Length: 5\r\n\r\n{"), (505, b"GET /v2 HTTP/2.0\r\n\r\n"),
            (413, b"POST /v2 HTTP/1.1\r\n" + host + b"Content-Length: 99999999\r\n\r\n{")]:
            lines = len(refusals_of(server))
            answer = server.raw(data)
            assert answer.startswith(b"HTTP/1.1 %d " % expected), (data[:40], answer)
            eventually(lambda: len(refusals_of(server)) > lines)
            line = refusals_of(server)[-1]
            took = (0.9e6, 5e6) if expected == 408 else (0, 0.9e6)
            assert line["status"] == expected and line["client"] == "127.0.0.1" and took[0] <= line["us"] < took[1], (data[:40], line)
            assert line["path"] in ("", "/v2") and (line["path"] == "/v2") == data.startswith((b"POST /v2 HTTP/1.1\r\n", b"GET /v2 HTTP/1.1\r\nX", b"GET /v2 HTTP/1.1\r\n\r\n", b"GET /v2 HTTP/2")), line
        assert server.raw(b"\r\n") == b""  # is none
        after = server.metrics()
        of = 'sinter_http_responses{status="%d"}'
        assert {status: after.get(of % status, 0) - before.get(of % status, 0) for status in (400, 408, 413, 414, 431, 505)} == {
            400: 3, 408: 2, 413: 1, 414: 2, 431: 1, 505: 1}

        # HEAD has no body, of refusals neither.
        for expected, rest in ((400, b"X : a\r\n\r\n"), (408, b""), (431, b"a: b\r\n" * 5000)):
            answer = server.raw(b"HEAD /v2 HTTP/1.1\r\n" + rest)
            assert answer.startswith(b"HTTP/1.1 %d " % expected) and answer.endswith(b"\r\n\r\n"), answer
        for line in (b"/" + b"a" * 2000, b"/v2 /v2 HTTP/1.1\r\n\r\n"):
            assert server.raw(b"HEAD " + line).endswith(b"\r\n\r\n"), line

        # Connections that are too many.
        def refused_in_a_crowd():
            busy = [stuck(server) for _ in range(8)]  # for a second, the time of a request
            time.sleep(0.1)
            status = server.ask("GET", "/v2")[0]
            for connection in busy:
                connection.close()
            return status == 503

        eventually(refused_in_a_crowd)
        eventually(lambda: any(line["status"] == 503 and line["client"] == "127.0.0.1" for line in log_of()))


def refusals_of(server):
    return [line for line in log_of() if line["path"] != "/metrics"]


def asking(server, method, path, body=b"", headers={}):
    """A connection that has asked, and takes nothing."""
    connection = socket.socket()
    connection.settimeout(20)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.connect(("127.0.0.1", server.port))
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    connection.sendall(f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n{lines}\r\n".encode() + body)
    return connection


def test_untaken_answers():
    """Large answers that nobody takes: those beyond what all may have are refused before they are computed, and small ones are not."""
    many = 60000
    with Server("--max-batch", str(many), "--max-waiting", str(64 * many), "--max-body", str(1 << 20), "--request-time", "60") as server:
        before = server.memory("VmHWM")
        untaken, answers = [], []

        def full():
            untaken.append(asking(server, "POST", INFER, *many_rows(many)))
            answers.append(server.ask("POST", INFER, *many_rows(many)))
            return len(untaken) >= 32 and answers[-1][0] == 503

        eventually(full)  # 68 MB have room for eight answers of 7.2 MB
        status, content, headers = answers[-1]
        assert headers["Retry-After"] == "1" and b"just now; send this" in content, content
        assert same(server.infer(request_of(rows[:9]))[1], rows[:9])
        assert server.memory("VmHWM") < before + 200, (before, server.memory("VmHWM"))
        for connection in untaken:
            connection.close()
        eventually(lambda: server.ask("POST", INFER, *many_rows(many))[0] == 200)
    most = 10**6
    with Server("--max-batch", str(most), "--max-waiting", str(most), "--max-body", str(12 * most + 1000)) as server:
        status, content, _ = server.ask("POST", INFER, *many_rows(most))
        assert status == 400 and b"the answer may have 120000000 bytes, more than the 115112864 that this server has for all; send fewer" in content, content


def test_unsent_log():
    """The log has what was sent, and the status 499 where a client did not take its answer."""
    with Server("--max-batch", "60000", "--max-waiting", "60000", "--request-time", "1") as server:
        with asking(server, "POST", INFER, *many_rows(60000)):
            eventually(lambda: log_of())
        [line] = log_of()
        assert line["status"] == 499 and 0 < line["sent"] < 6_000_000 and line["path"] == INFER, line
        assert server.metrics()['sinter_http_responses{status="499"}'] == 1
        assert server.ask("HEAD", "/v2")[0] == 200
        eventually(lambda: log_of()[-1]["method"] == "HEAD")
        assert log_of()[-1]["sent"] == 0, log_of()[-1]
        status, content, _ = server.ask("POST", INFER, *many_rows(60000))
        eventually(lambda: len(log_of()) == 4)
        assert status == 200 and log_of()[-1]["sent"] == len(content), log_of()[-1]


def stuck(server):
    """A connection with half a request."""
    connection = socket.create_connection(("127.0.0.1", server.port), timeout=20)
    connection.sendall(b"GET")
    return connection


def test_idle_connections():
    """They give way to others."""
    with Server("--connections", "32") as server:
        kept = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
        kept.request("GET", "/v2")
        kept.getresponse().read()
        time.sleep(0.3)  # its thread notes that it is idle after the answer
        idle = [socket.create_connection(("127.0.0.1", server.port), timeout=20) for _ in range(200)]
        eventually(lambda: server.ask("GET", "/v2")[0] == 200)
        for _ in range(40):
            time.sleep(0.03)  # less than this may be between two requests
            began = time.monotonic()
            assert same(server.infer(request_of(rows[:1]))[1], rows[:1])
            assert time.monotonic() - began < 2
        assert kept.sock.recv(1) == b""  # it was idle for the longest
        ended = [connection for connection in idle if select.select([connection], [], [], 0)[0]]
        assert len(ended) >= 160, len(ended)


def test_let_go():
    """Requests that begin to come in the moment when their idle connections give way to others are not called bad ones."""
    with Server("--connections", "100") as server:
        for _ in range(3):
            kept = [socket.create_connection(("127.0.0.1", server.port), timeout=20) for _ in range(100)]
            for connection in kept:
                connection.sendall(b"GET /v2/health/live HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert all(connection.recv(65536) for connection in kept)
            time.sleep(0.1)
            server.process.send_signal(signal.SIGSTOP)
            others = [socket.create_connection(("127.0.0.1", server.port), timeout=20) for _ in range(60)]
            for connection in kept:
                connection.sendall(b"GET /v2 HTTP/1.1\r\nHost: local")
            server.process.send_signal(signal.SIGCONT)
            time.sleep(0.1)
            for connection in kept:
                try:
                    connection.sendall(b"host\r\n\r\n")
                except OSError:
                    pass
            answers = [answer_of(connection)[9:12] for connection in kept]
            assert set(answers) <= {b"200", b"503", b""} and answers.count(b"200") > 50, collections.Counter(answers)
            for connection in kept + others:
                connection.close()


def answer_of(connection):
    try:
        return connection.recv(65536)
    except OSError:
        return b""


def test_empty_lines():
    """A connection that has sent nothing else is idle, however its empty lines come."""
    with Server("--connections", "32", "--request-time", "60") as server:
        idle = [socket.create_connection(("127.0.0.1", server.port), timeout=20) for _ in range(32)]
        for i, connection in enumerate(idle):
            connection.sendall((b"\r\n", b"\r\n\r", b"\r\n\r\n")[i % 3])
        time.sleep(0.3)
        eventually(lambda: server.ask("GET", "/v2")[0] == 200)
        with socket.create_connection(("127.0.0.1", server.port), timeout=20) as kept:
            for part in (b"\r", b"\n", b"\r\n\r", b"\nGET /v2 HTTP/1.1\r\nHost: localhost\r\n\r\n\r\n"):
                kept.sendall(part)
                time.sleep(0.05)
            assert kept.recv(65536).startswith(b"HTTP/1.1 200 ")
        assert server.raw(b"\r\n" * 10000) == b""
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(10) == 0  # it waits for none of them


def test_health_in_a_crowd():
    """Where every connection is busy, the health is answered, and nothing else."""
    with Server("--connections", "32", "--request-time", "60") as server:
        busy = [stuck(server) for _ in range(32)]
        eventually(lambda: server.ask("GET", "/v2")[0] == 503)
        silent = [socket.create_connection(("127.0.0.1", server.port), timeout=20) for _ in range(100)]
        eventually(lambda: server.get("/v2/health/ready") == (200, {"ready": True}))
        for _ in range(20):
            time.sleep(0.03)
            assert server.get("/v2/health/ready") == (200, {"ready": True})
            status, answer = server.get("/v2")
            assert status == 503 and answer["error"] == "there are too many connections; try again later"
        for connection in busy + silent:
            connection.close()
        eventually(lambda: server.ask("GET", "/v2")[0] == 200)


def test_half_requests_in_a_crowd():
    """Beyond the limit, those that are the oldest give way to a question for the health."""
    with Server("--connections", "32", "--request-time", "60") as server:
        busy = [stuck(server) for _ in range(32)]
        eventually(lambda: server.ask("GET", "/v2")[0] == 503)
        answered = 0
        for _ in range(20):
            busy += [stuck(server) for _ in range(16)]
            time.sleep(0.03)
            try:
                answered += server.ask("GET", "/v2/health/ready")[0] == 200
            except OSError:
                pass  # it was refused before it was sent
        assert answered >= 10, answered
        for connection in busy:
            connection.close()


def test_no_memory():
    """Connections for which there is no memory are closed, and the server goes on."""
    if "SINTER_SANITIZED" in os.environ:
        return
    with Server("--connections", "900", "--request-time", "60") as server:
        pages = int(pathlib.Path(f"/proc/{server.process.pid}/statm").read_text().split()[0])
        former = resource.prlimit(server.process.pid, resource.RLIMIT_AS, (pages * resource.getpagesize(), resource.RLIM_INFINITY))
        several = []
        for _ in range(900):
            try:
                several.append(socket.create_connection(("127.0.0.1", server.port), timeout=20))
            except OSError:
                break
        time.sleep(0.5)
        assert server.process.poll() is None, server.process.returncode
        for connection in several:
            connection.close()
        resource.prlimit(server.process.pid, resource.RLIMIT_AS, former)
        eventually(lambda: server.ask("GET", "/v2")[0] == 200)


for test in (test_long_requests, test_unread_log, test_lost_log, test_full_log, test_unread_terminal, test_unread_messages, test_log_and_messages, test_early_refusals, test_untaken_answers, test_unsent_log, test_idle_connections, test_let_go, test_empty_lines, test_health_in_a_crowd,
             test_half_requests_in_a_crowd, test_no_memory):
    test()
    print(test.__name__, flush=True)
