# SPDX-License-Identifier: MIT
"""hostile.py SERVER LIBRARY WEIGHTS FOLDER: clients that try to mislead sinter-serve, to fill its memory, or to keep it busy."""
import concurrent.futures
import json
import os
import random
import re
import signal
import socket
import threading
import time

from serving import INFER, Server, binary_request, eventually, request_of, rows, same

INDEX = b"POST /v2/repository/index HTTP/1.1\r\nHost: localhost\r\n"
LAST = b"GET /v2 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
BODY = json.dumps(request_of(rows[:1])).encode()


def post(body, headers=b"", path=INFER.encode()):
    return b"POST " + path + b" HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n" % len(body) + headers + b"\r\n" + body


def statuses(answer):
    return [int(status) for status in re.findall(rb"HTTP/1\.1 (\d{3}) ", answer)]


def test_framing(server):
    """Where a body ends is clear, or the connection does: what follows is not taken for another request."""
    for given, expected in [
        (INDEX + b"\r\n", [200, 200]),  # no length is no body
        (INDEX + b"Content-Length: 0\r\n\r\n", [200, 200]),
        (INDEX + b"Transfer-Encoding: Chunked\r\n\r\n1\r\n \r\n0\r\n\r\n", [200, 200]),
        (INDEX + b"Transfer-Encoding: chunked\r\n\r\n1;a=b\r\n \r\n0\r\n\r\n", [200, 200]),
        *((INDEX + b"Content-Length: " + length + b"\r\n\r\nhello", [400])
          for length in (b"abc", b"5x", b"+5", b"-1", b"0x5", b"5, 5")),
        *((INDEX + b"Content-Length: " + length + b"\r\n\r\nhello", [413])
          for length in (b"16777217", b"999999999999999", b"9999999999999999", b"18446744073709551621")),
        (INDEX + b"Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello", [400]),
        (INDEX + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", [400]),
        *((INDEX + b"Transfer-Encoding: " + coding + b"\r\n\r\n0\r\n\r\n", [400])
          for coding in (b"gzip, chunked", b"xchunked", b"identity")),
        *((INDEX + b"Transfer-Encoding: chunked\r\n\r\n" + size + b"\r\nx\r\n0\r\n\r\n", [400])
          for size in (b"-1", b"x")),
        *((INDEX + b"Transfer-Encoding: chunked\r\n\r\n" + size + b"\r\nx\r\n0\r\n\r\n", [413])
          for size in (b"f" * 18, b"10000000000000001")),
        *((INDEX + line + b"\r\n\r\nhello", [400])
          for line in (b"Content-Length : 5", b" Content-Length: 5", b"A: b\r\n Content-Length: 5", b"A: b\nContent-Length: 5", b"no colon",
                       b"A: \0b", b"A\xff: b")),
        (b"GET /v2\n\n", [400]),
        (b"A" * 33 + b" /v2 HTTP/1.1\r\nHost: localhost\r\n\r\n", [405]),
        (b"A" * 32 + b" /v2 HTTP/1.1\r\nHost: localhost\r\n\r\n", [405]),
        *((b"GET /v2?" + b"a" * (size - 4) + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", expected)
          for size, expected in ((1024, [200, 200]), (1025, [414]))),
        (b"GET /v2/models/a\0b HTTP/1.1\r\nHost: localhost\r\n\r\n", [400]),
        (post(BODY, b"Expect: 100-continue\r\n"), [100, 200, 200]),
        (post(b"{}") + post(BODY) + post(BODY[:-1]), [400, 200, 400, 200]),
    ]:
        answer = server.raw(given + LAST)
        assert statuses(answer) == expected, (given, answer)
        assert b'{"error":"' in answer or expected[0] != 400, answer
    ids = b"".join(post(json.dumps(request_of(rows[:1], id=str(i))).encode()) for i in range(50))
    assert [json.loads(b"{" + part.split(b"\r\n\r\n{", 1)[1])["id"] for part in server.raw(ids + LAST).split(b"HTTP/1.1 ")[1:51]] == [
        str(i) for i in range(50)]


def test_lines(server):
    """Targets with a host, fields after chunks, and lines that others may read in another way."""
    chunked = INDEX + b"Transfer-Encoding: chunked\r\n\r\n"
    first = b"GET /v2 HTTP/1.1\r\n"
    for given, expected in [
        (b"GET http://localhost/v2 HTTP/1.1\r\nHost: localhost\r\n\r\n", [200, 200]),
        (b"GET HTTP://LocalHost:80/v2/health/live?a HTTP/1.1\r\nHost: localhost\r\n\r\n", [200, 200]),
        (b"GET http://localhost HTTP/1.1\r\nHost: localhost\r\n\r\n", [404, 200]),
        *((b"GET " + target + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", [400])
          for target in (b"v2", b"/v2\t", b"/v2?\ta", b"http://local\thost/v2", b"http:///v2", b"localhost:80", b"*", b"ftp://localhost/v2", b"/v2 /v2", b"")),
        (chunked + b"1\r\n \r\n0\r\nA: b\r\nContent-Length: 5\r\n\r\n", [200, 200]),
        (chunked + b"1 ; a=b\r\n \r\n000\r\n\r\n", [200, 200]),
        *((chunked + size + b"\r\n" + b" " * 175 + b"\r\n0\r\n\r\n", [200, 200]) for size in (b"af", b"AF", b"0Af")),
        *((chunked + chunks, [400]) for chunks in (
            b"0x2\r\nxx\r\n0\r\n\r\n", b"+2\r\nxx\r\n0\r\n\r\n", b"\r\n0\r\n\r\n", b"2 2\r\nxx\r\n0\r\n\r\n", b" 2\r\nxx\r\n0\r\n\r\n", b"\t2\r\nxx\r\n0\r\n\r\n", b"1;\x01\r\nx\r\n0\r\n\r\n",
            b"1;\x7f\r\nx\r\n0\r\n\r\n", b"0\r\nA: \x01\r\n\r\n", b"0\r\nA: \0\r\n\r\n", b"2\nxx\r\n0\r\n\r\n", b"2\r\nxxx\r\n0\r\n\r\n",
            b"2\r\nxx0\r\n\r\n", b"0\r\nA\r\n\r\n", b"0\r\nA: b\n\r\n", b"0\r\n b: c\r\n\r\n", b"2\r\nxx\r0\r\n\r\n", b"1;" + b"a" * 2000 + b"\r\nx\r\n0\r\n\r\n")),
        *((first + line + b"\r\nHost: localhost\r\n\r\n", [400])
          for line in (b"A: b\rc", b"A: b\r\rc", b"\rA: b", b"A: \x01", b"A: \x7f", b": b", b"A:\nb", b"A b: c")),
        (b"\r\n" + first + b"Host: localhost\r\n\r\n", [200, 200]),
        (first + b"A:\t\xc3\xa4 : b \t\r\nHost:localhost\r\n\r\n", [200, 200]),
        (INDEX.replace(b"1.1", b"1.0") + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", [400]),
        (post(BODY, b"Expect: 200-ok\r\n"), [417]),
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", [505]),
        (b"GET /v2 HTTP/1.0\r\n\r\n", [200]),
        (b"GET /v2 HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", [200, 200]),
        *((b"GET /v2 HTTP/1.0\r\nConnection: " + words + b"\r\n\r\n", [200])
          for words in (b"close, keep-alive", b"keep-alive, close", b"keep-alive\r\nConnection: Close")),
        *((first + b"Host: localhost\r\n" + 2 * line + b"\r\n", [400])
          for line in (b"Authorization: Bearer a\r\n", b"Origin: http://localhost\r\n", b"Expect: 100-continue\r\n", b"content-type: a/b\r\n",
                       b"Inference-Header-Content-Length: 0\r\n")),
        (b"HEAD /v2 HTTP/1.1\r\nHost: localhost\r\n\r\n", [200, 200]),
        (first + b"Host: localhost\r\nConnection: a, Close\r\n\r\n", [200]),
    ]:
        answer = server.raw(given + LAST)
        assert statuses(answer) == expected, (given, answer)
        assert b'{"error":"' in answer or expected[0] != 400, answer


def test_host_names(server):
    """A page whose name leads to this machine (DNS rebinding) has the same origin and host, which is no name of the server."""
    unload = "POST /v2/repository/models/served/unload HTTP/1.1\r\n"
    evil = f"{unload}Host: evil.com:{server.port}\r\nOrigin: http://evil.com:{server.port}\r\n\r\n"
    local = ("localhost", "LOCALHOST:80", "127.0.0.1", f"127.0.0.1:{server.port}", "[::1]", "[::1]:8080")
    strange = ("evil.com", "localhost.evil.com", "127.0.0.2", "0.0.0.0", "evil.com:80", "", "127.0.0.1:80:80", "a@localhost", "[::1", "localhost:80x", "localhost.")

    def ask(of, text):
        return statuses(of.raw(text.encode() + LAST))

    def host(of, name, path="/v2"):
        return ask(of, f"GET {path} HTTP/1.1\r\nHost: {name}\r\n\r\n")[0]

    assert ask(server, evil) == [403]
    assert ask(server, f"{unload}Origin: http://localhost\r\n\r\n") == [400]
    assert ask(server, f"{unload}Host: localhost\r\nHost: localhost\r\n\r\n") == [400]
    assert ask(server, f"{unload}Host: localhost\r\nOrigin: http://127.0.0.1\r\n\r\n") == [403]
    assert ask(server, unload.replace("/v2", "http://evil.com/v2") + "Host: localhost\r\n\r\n") == [403]
    assert same(server.infer(request_of(rows[:1]))[1], rows[:1])  # nobody has unloaded it
    for name in local:
        assert host(server, name) == 200, name
    for name in strange:
        assert host(server, name) == 403, name
        assert host(server, name, "/v2/health/ready") == 200
    for line in ("POST /v2/health/ready", "DELETE /v2/health/live", "GET /v2/health/other", "GET /v2/health/", "GET /v2/health/ready/"):
        assert ask(server, f"{line} HTTP/1.1\r\nHost: evil.com\r\nContent-Length: 5\r\n\r\n") == [403], line  # before its body comes
    for method in ("GET", "HEAD"):
        assert ask(server, f"{method} /v2/health/ready HTTP/1.1\r\nHost: evil.com\r\n\r\n")[0] == 200
    with Server("--host", "digits.example.org", "--host", "other", address="127.0.0.2") as named:
        for name in (*local, "digits.example.org", "DIGITS.example.org:443", "other", "127.0.0.2:1"):
            assert host(named, name) == 200, name
        assert host(named, "evil.com") == 403
    with Server(address="0.0.0.0") as public:
        assert public.said() == ("sinter-serve: warning: whoever reaches 0.0.0.0 may ask its models, load and unload them, because "
                                 "there is no --token-file\n")
        assert host(public, "evil.com") == 200
    with Server("--host", "other", address="0.0.0.0") as public:
        assert [host(public, name) for name in ("evil.com", "other", "localhost")] == [403, 200, 200]


def test_words(server):
    """Names and identifiers of all kinds."""
    for name in ("größe", "%00%ff%2e%2e%2f", "%u0041%", "..", "a" * 900, "served%20", "%", "%2", "*", "served%2fready"):
        answer = server.raw(b"GET /v2/models/" + name.encode() + b"/ready HTTP/1.1\r\nHost: localhost\r\n\r\n" + LAST)
        assert statuses(answer) == [404, 200] and len(answer) < 1000, (name, answer)
    for text in ("\0", "größe \U0001f600", "x" * 1024):
        status, answer = server.infer(request_of(rows[:1], id=text))
        assert status == 200 and answer["id"] == text
    status, answer = server.infer(request_of(rows[:1], id="ä" * 513))
    assert status == 400 and answer["error"] == "the id has 1026 bytes, expected 1024 at most", answer
    assert server.ask("POST", INFER, BODY[:-1] + b', "id": "\\ud800"}')[0] == 400
    assert server.ask("POST", INFER, BODY[:-1] + b', "id": "\xff"}')[0] == 400
    for path, body in ((INFER, BODY), ("/v2/repository/models/served/load", b"{}")):
        for end in (b"\0", b"\0 other", b" \0{}"):
            assert server.ask("POST", path, body + end)[0] == 400, (path, end)
    for timeout, expected in ((0, 200), (1, 504), (3600000000, 200), (2**63, 400), (0.5, 400), ("1", 400)):
        assert server.infer(request_of(rows[:1], parameters={"timeout": timeout}))[0] == expected, timeout


def test_deep_json(server):
    """What is nested deeply, or has very many parts, takes no stack, and no more memory than its text."""
    deep, objects = "[" * 2000000 + "]" * 2000000, '{"a":' * 1000000 + "1" + "}" * 1000000
    for part in (deep, objects):
        for place in ({"inputs": "@"}, {"id": "@"}, {"parameters": {"timeout": "@"}}, {"other": "@"}):
            assert_refused(server, {**request_of(rows[:1]), **place}, part, "of more than 32 levels")
        for place in ({"shape": "@"}, {"data": ["@"]}, {"name": "@"}, {"parameters": {"binary_data_size": "@"}}):
            request = request_of(rows[:1])
            request["inputs"][0].update(place)
            assert_refused(server, request, part, "of more than 32 levels")
    quoted = '"' + '\\"[{' * 100 + '"'  # none of this opens anything
    assert server.ask("POST", INFER, json.dumps(request_of(rows[:1], id="@")).replace('"@"', quoted))[0] == 200
    many = request_of(rows[:1])
    many["inputs"][0]["data"] = "@"
    for part in ("[" + "1," * 7000000 + "1]", "[" + "[]," * 5000000 + "1]", "{" + ",".join(f'"{i:x}":1' for i in range(1000000)) + "}"):
        assert_refused(server, many, part, "more than 2536 values")
    assert server.memory() < 60, server.memory()


def assert_refused(server, request, part, text):
    status, answer, _ = server.ask("POST", INFER, json.dumps(request).replace('"@"', part))
    assert status == 400 and text in json.loads(answer)["error"], (status, answer)


def test_long_strings(server):
    """A message shows the start of what is wrong."""
    of_input = [{"data": [{"@": 1}]}, {"shape": ["@"]}, {"parameters": {"binary_data_size": ["@"]}}]
    requests = [{"inputs": [{**request_of(rows[:1])["inputs"][0], **wrong}]} for wrong in of_input]
    for request in (*requests, request_of(rows[:1], parameters={"timeout": "@"})):
        long = json.dumps(request).encode().replace(b"@", b"\x7f" * 10**6)
        status, answer, _ = server.ask("POST", INFER, long)
        assert status == 400 and b"u007f" in answer and len(answer) < 200, answer


def test_long_values():
    """What the parser would make several copies of is refused before, also where no part of the request is wrong."""
    many = 15 << 20
    for value in (b'"' + b"x" * many + b'"', b"0." + many * b"0" + b"1", b"[" + b",".join([b'"' + b"x" * 8000 + b'"'] * (many // 8000)) + b"]"):
        with Server("--no-log") as server:
            before = server.memory("VmHWM")
            status, answer, _ = server.ask("POST", INFER, BODY[:-1] + b', "other": ' + value + b"}")
            assert status == 400 and b"the JSON has more than 1048576 bytes in long strings and numbers" in answer, answer
            assert server.memory("VmHWM") < before + 40, server.memory("VmHWM") - before
            assert server.ask("POST", INFER, BODY[:-1] + b', "other": ' + value[:2] + value[-10**6:] + b"}")[0] == 200


def test_large_bodies():
    """Many large bodies at the same time: those beyond what all may take are refused, and small ones are not."""
    size = 8 << 20
    with Server("--max-body", str(size), "--request-time", "60") as server:
        before = server.memory()
        slow = []
        for _ in range(16):  # 64 MB and four bodies: 12
            slow.append(socket.create_connection(("127.0.0.1", server.port), timeout=20))
            try:
                slow[-1].sendall(post(bytes(size))[:-1])
            except OSError:
                pass  # it was refused before all was sent
        refused = []
        for connection in slow[11:]:
            try:
                refused += statuses(connection.recv(4096)[:20])
            except OSError:
                pass
        assert refused.count(503) >= 1 and set(refused) <= {503, 408}, refused
        assert server.memory() < before + 250, server.memory()
        for connection in slow:
            connection.close()
        assert same(server.infer(request_of(rows[:1]))[1], rows[:1])
        end = time.monotonic() + 10
        while server.ask("POST", INFER, bytes(size))[0] != 400:  # there is room again, and this is no JSON
            assert time.monotonic() < end
        assert server.memory() < before + 40, (before, server.memory())


def test_refused_uploads():
    """A client that sends all before it reads gets the refusal of what it sent, however slowly it sends."""
    with Server("--connections", "8", "--request-time", "60") as server:
        def told(size, pause=0.0):
            with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
                connection.sendall(b"POST /v2 HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % size)
                for _ in range(10):
                    time.sleep(pause)
                    connection.sendall(bytes(size // 10))
                return statuses(connection.recv(65536))

        assert told(30 << 20) == told(30 << 20, 0.05) == [413]
        busy = [socket.create_connection(("127.0.0.1", server.port), timeout=20) for _ in range(8)]
        for connection in busy:
            connection.sendall(b"GET")
        eventually(lambda: server.ask("GET", "/v2")[0] == 503)
        with concurrent.futures.ThreadPoolExecutor(60) as pool:  # far more than those who may ask for the health
            answers = list(pool.map(lambda _: told(300000, 0.05), range(60)))
        assert answers == [[503]] * 60, answers
        for connection in busy:
            connection.close()


def test_vanishing(server):
    """Clients that close at any byte, and some that only stop sending, which are answered."""
    body, headers = binary_request(rows[:2])
    request = post(body, "".join(f"{name}: {value}\r\n" for name, value in headers.items()).encode())
    for end in range(0, len(request), 7):
        with socket.create_connection(("127.0.0.1", server.port)) as connection:
            connection.sendall(request[:end])
    for _ in range(50):
        with socket.create_connection(("127.0.0.1", server.port)) as connection:
            connection.sendall(request * 20)
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
        connection.sendall(request)
        connection.shutdown(socket.SHUT_WR)
        assert statuses(connection.recv(65536)) == [200]


def test_mutations(server):
    """Good requests with wrong bytes get an answer, or an end."""
    chance = random.Random(1)
    body, headers = binary_request(rows[:2])
    good = [post(BODY), post(body, "".join(f"{name}: {value}\r\n" for name, value in headers.items()).encode()), LAST]
    for _ in range(1500):
        request = bytearray(chance.choice(good))
        for _ in range(chance.choice((1, 1, 2, 8))):
            at = chance.randrange(len(request))
            kind = chance.randrange(3)
            if kind == 0:
                request[at] = chance.randrange(256)
            elif kind == 1:
                del request[at:at + chance.randrange(20)]
            else:
                request[at:at] = request[at:at + chance.randrange(20)]
            if not request:
                break
        with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
            try:
                connection.sendall(request)
                connection.shutdown(socket.SHUT_WR)
                answer = b""
                while part := connection.recv(65536):
                    answer += part
            except (ConnectionResetError, BrokenPipeError):
                continue
        assert all(status in (100, 200) or 400 <= status < 500 or status == 505 for status in statuses(answer)), (bytes(request), answer)
    assert same(server.infer(request_of(rows[:1]))[1], rows[:1])


def test_signals():
    """However often it has to read its weights again, it answers, and signals to end take precedence."""
    with Server("--no-log") as server:
        stop = threading.Event()

        def storm():
            while not stop.is_set():
                os.kill(server.process.pid, signal.SIGHUP)

        def drain():
            while server.said():
                pass

        threads = [threading.Thread(target=work) for work in (storm, storm, drain)]
        for thread in threads:
            thread.start()
        try:
            for _ in range(100):
                assert same(server.infer(request_of(rows[:2]))[1], rows[:2])
        finally:
            stop.set()
            for thread in threads[:2]:
                thread.join()
        server.process.send_signal(signal.SIGTERM)
        threads[2].join(10)
        assert server.process.wait(10) == 0
    with Server("--no-log") as server:
        time.sleep(0.3)  # it waits for signals
        for each in (signal.SIGSTOP, signal.SIGHUP, signal.SIGTERM, signal.SIGCONT):
            server.process.send_signal(each)
        assert server.process.wait(10) == 0
        assert server.process.stderr.read() == "sinter-serve: answering what has come, and ending\n"


with Server("--request-time", "5") as running:
    for test in (test_framing, test_lines, test_host_names, test_words, test_deep_json, test_long_strings, test_vanishing, test_mutations):
        test(running)
        print(test.__name__, flush=True)
for test in (test_long_values, test_large_bodies, test_refused_uploads, test_signals):
    test()
    print(test.__name__, flush=True)
