# SPDX-License-Identifier: MIT
"""triton_client.py PORT CONNECTIONS SECONDS SIZE..: closed load by tritonclient over HTTP, one row a request; prints what bench/serving/load does."""
import json
import sys
import threading
import time

import numpy
import tritonclient.http

port, connections, seconds = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
shape = [1, *map(int, sys.argv[4:])]
latencies, failed = [], []
end = time.monotonic() + seconds


def ask():
    client = tritonclient.http.InferenceServerClient(f"127.0.0.1:{port}")
    x = tritonclient.http.InferInput("input", shape, "FP32")
    x.set_data_from_numpy(numpy.random.default_rng(1).random(shape, numpy.float32))
    while (began := time.monotonic()) < end:
        try:
            client.infer("net", [x]).as_numpy("output")
            latencies.append(1e6 * (time.monotonic() - began))
        except tritonclient.http.InferenceServerException as error:
            failed.append(error)


threads = [threading.Thread(target=ask) for _ in range(connections)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
p50, p99, p999 = numpy.quantile(latencies, [.5, .99, .999])
print(json.dumps({"throughput": len(latencies) / seconds, "spread": float("nan"), "p50": p50, "p99": p99, "p999": p999, "answered": len(latencies),
                  "refused": len(failed), "unanswered": 0}))
