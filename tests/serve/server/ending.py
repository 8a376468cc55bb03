# SPDX-License-Identifier: MIT
"""ending.py SERVER LIBRARY WEIGHTS FOLDER: sinter-serve ends after SIGTERM without losing a request."""
import http.client
import json
import signal
import socket
import threading
import time

from serving import INFER, Server, binary_request, eventually, lone, request_of, rows, same


def until_told(server, started):
    """Asks by one connection until an answer says that it is the last one: how many were right."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    body, headers = binary_request(rows[:2])
    count = 0
    while True:
        connection.request("POST", INFER, body, headers)
        answer = connection.getresponse()
        content = answer.read()
        assert answer.status == 200
        assert content[int(answer.headers["Inference-Header-Content-Length"]):] == lone(rows[0]) + lone(rows[1])
        count += 1
        started.release()
        if answer.headers["Connection"] == "close":
            return count


def test_busy_connections():
    """Each is told to close, and loses nothing. Meanwhile new ones are answered, and the server is not ready."""
    for _ in range(5):
        with Server("--drain", "2", "--no-log") as server:
            started, ended = threading.Semaphore(0), []
            threads = [threading.Thread(target=lambda: ended.append(until_told(server, started))) for _ in range(8)]
            for thread in threads:
                thread.start()
            for _ in range(80):
                started.acquire()
            began = time.monotonic()
            server.process.send_signal(signal.SIGTERM)
            assert server.said() == "sinter-serve: answering what has come, and ending\n"
            eventually(lambda: server.get("/v2/health/ready") == (503, {"ready": False}))
            assert same(server.infer(request_of(rows[:1]))[1], rows[:1])
            for thread in threads:
                thread.join()
            assert len(ended) == 8, "a request was lost"
            assert server.process.wait(10) == 0
            assert 1.9 < time.monotonic() - began < 8


def test_idle_connections():
    """They are closed at the end, and what has come until then is answered."""
    with Server("--drain", "1") as server:
        idle, last = (socket.create_connection(("127.0.0.1", server.port), timeout=20) for _ in range(2))
        server.process.send_signal(signal.SIGTERM)
        server.said()
        time.sleep(0.3)
        last.sendall(b"GET /v2 HTTP/1.1\r\nHost: localhost\r\n\r\n")
        answer = last.recv(65536)
        assert answer.startswith(b"HTTP/1.1 200 ") and b"\r\nConnection: close\r\n" in answer, answer
        assert idle.recv(1) == b""
        assert server.process.wait(10) == 0


def test_late_connections():
    """While the last requests are answered, new connections are refused, and not taken to be reset."""
    with Server("--request-time", "60") as server:
        slow = socket.create_connection(("127.0.0.1", server.port), timeout=20)
        slow.sendall(b"GET /v2 HTTP/1.1\r\n")
        eventually(lambda: server.get("/v2")[0] == 200)
        server.process.send_signal(signal.SIGTERM)
        server.said()

        def refused():
            try:
                socket.create_connection(("127.0.0.1", server.port), timeout=20).close()
            except ConnectionRefusedError:
                return True

        eventually(refused)
        slow.sendall(b"Host: localhost\r\n\r\n")
        assert slow.recv(65536).startswith(b"HTTP/1.1 200 ")
        assert server.process.wait(10) == 0


def test_last_connections():
    """A connection that comes while the server ends is answered or refused, whenever its request comes."""
    for _ in range(8):
        with Server("--no-log") as server:
            lost = []

            def knock():
                while True:
                    try:
                        connection = socket.create_connection(("127.0.0.1", server.port), timeout=20)
                    except ConnectionRefusedError:
                        return
                    except OSError as problem:
                        return lost.append(problem)
                    with connection:
                        try:
                            connection.sendall(b"GET /v2 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                            answer = connection.recv(65536)
                        except OSError as problem:
                            answer = repr(problem).encode()
                        if not answer.startswith(b"HTTP/1.1 200 "):
                            lost.append(answer)

            threads = [threading.Thread(target=knock) for _ in range(8)]
            for thread in threads:
                thread.start()
            time.sleep(0.2)
            server.process.send_signal(signal.SIGTERM)
            for thread in threads:
                thread.join()
            assert not lost, lost
            assert server.process.wait(10) == 0


def test_second_signal():
    """It ends the time to drain."""
    for second in (signal.SIGTERM, signal.SIGINT):
        with Server("--drain", "3000") as server:
            server.process.send_signal(signal.SIGTERM)
            server.said()
            assert server.get("/v2")[0] == 200
            server.process.send_signal(second)
            assert server.process.wait(10) == 0


for test in (test_busy_connections, test_idle_connections, test_late_connections, test_last_connections, test_second_signal):
    test()
    print(test.__name__, flush=True)
