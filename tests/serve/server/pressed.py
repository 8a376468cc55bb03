# SPDX-License-Identifier: MIT
"""pressed.py SERVER LIBRARY WEIGHTS FOLDER: what fills the memory or the places of sinter-serve, and who is answered nevertheless."""
import concurrent.futures
import json
import re
import resource

from serving import INFER, Server, folder, request_of, rows, same


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


for test in (test_long_requests,):
    test()
    print(test.__name__, flush=True)
