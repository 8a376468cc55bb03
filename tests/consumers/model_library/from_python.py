# SPDX-License-Identifier: MIT
"""from_python.py LIBRARY FOLDER: the same by Python's ctypes, from four threads at once."""
import array
import ctypes
import pathlib
import sys
import threading

library, folder = ctypes.CDLL(sys.argv[1]), pathlib.Path(sys.argv[2])
library.digits_open.restype = ctypes.c_void_p
library.digits_open.argtypes = [ctypes.c_char_p]
library.digits_predict.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p]
library.digits_error.restype = ctypes.c_char_p
library.digits_inputs.restype = library.digits_outputs.restype = ctypes.c_size_t
library.digits_close.argtypes = [ctypes.c_void_p]

x, wanted = (array.array("f", (folder / name).read_bytes()) for name in ("x", "y"))
rows = len(x) // library.digits_inputs()
model = library.digits_open(str(folder / "digits.safetensors").encode())
assert model, library.digits_error()
worst = []


def predict():
    for _ in range(20):
        y = (ctypes.c_float * (rows * library.digits_outputs()))()
        assert library.digits_predict(model, x.buffer_info()[0], rows, y) == 0
        worst.append(max(abs(a - b) for a, b in zip(y, wanted)))


threads = [threading.Thread(target=predict) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
library.digits_close(model)
assert not library.digits_open(b"/nowhere/at_all") and b"/nowhere/at_all" in library.digits_error()
print(f"python: largest difference {max(worst):.1e} in {len(worst)} calls")
sys.exit(0 if len(worst) == 80 and max(worst) < 1e-4 else 1)
