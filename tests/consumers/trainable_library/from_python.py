# SPDX-License-Identifier: MIT
"""from_python.py LIBRARY: trains by Python's ctypes, stops a training from another thread, and trains in four threads at once."""
import array
import ctypes
import resource
import sys
import threading

library = ctypes.CDLL(sys.argv[1])


class Rows(ctypes.Structure):
    _fields_ = [("count", ctypes.c_size_t), ("inputs", ctypes.c_void_p), ("labels", ctypes.c_void_p), ("targets", ctypes.c_void_p),
                ("weights", ctypes.c_void_p)]


class Epoch(ctypes.Structure):
    _fields_ = [("epoch", ctypes.c_int32), ("train_loss", ctypes.c_double), ("validation_loss", ctypes.c_double),
                ("validation_accuracy", ctypes.c_double), ("seconds", ctypes.c_double), ("learning_rate", ctypes.c_double)]


OnEpoch = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.POINTER(Epoch))


class FitOptions(ctypes.Structure):
    _fields_ = [("batch_size", ctypes.c_size_t), ("epochs", ctypes.c_int32), ("shuffle", ctypes.c_int32), ("drop_last", ctypes.c_int32),
                ("patience", ctypes.c_int32), ("least_gain", ctypes.c_double), ("restore_best", ctypes.c_int32),
                ("validation", ctypes.POINTER(Rows)), ("held_out_first", ctypes.c_size_t), ("held_out_count", ctypes.c_size_t),
                ("on_epoch", OnEpoch), ("context", ctypes.c_void_p)]


library.nets_error.restype = library.nets_stopped.restype = ctypes.c_char_p
library.nets_create.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_uint64, ctypes.c_void_p]
library.nets_trainer_create.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_void_p]
library.nets_fit.argtypes = [ctypes.c_void_p, ctypes.POINTER(Rows), ctypes.POINTER(FitOptions)]
library.nets_evaluate.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.POINTER(Rows), ctypes.c_void_p, ctypes.c_void_p]
library.nets_predict.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p]
for name in ("destroy", "trainer_destroy", "stop", "stopped"):
    getattr(library, f"nets_{name}").argtypes = [ctypes.c_void_p]


def right(code):
    assert code == 0, library.nets_error()


x = array.array("f", [(i * 37 % 101) / 50 - 1 for i in range(400)])
labels = array.array("i", [int(x[2 * i] > x[2 * i + 1]) for i in range(200)])
rows = Rows(200, x.buffer_info()[0], labels.buffer_info()[0], None, None)


def trained(epochs, on_epoch=None, stopped_by=None):
    """The outputs for the rows, and why training ended."""
    network, trainer = ctypes.c_void_p(), ctypes.c_void_p()
    right(library.nets_create(b"Disc", b"host", 3, ctypes.byref(network)))
    right(library.nets_trainer_create(network, b"CrossEntropyLoss", b"Adam(lr=0.05)", None, ctypes.byref(trainer)))
    options = FitOptions()
    library.nets_fit_defaults(ctypes.byref(options))
    options.epochs = epochs
    if on_epoch:
        options.on_epoch = OnEpoch(on_epoch)
    if stopped_by:
        stopped_by(trainer)
    right(library.nets_fit(trainer, rows, options))
    y = array.array("f", bytes(4 * 400))
    right(library.nets_predict(network, x.buffer_info()[0], 200, y.buffer_info()[0]))
    loss, accuracy = ctypes.c_double(), ctypes.c_double()
    right(library.nets_evaluate(network, b"CrossEntropyLoss", rows, ctypes.byref(loss), ctypes.byref(accuracy)))
    why = library.nets_stopped(trainer)
    library.nets_trainer_destroy(trainer)
    library.nets_destroy(network)
    return y, accuracy.value, why


wanted, accuracy, why = trained(20)
assert accuracy > 0.95 and why == b"", (accuracy, why)
seen = []
trained(4, on_epoch=lambda _, epoch: seen.append(epoch.contents.train_loss) or 0)
assert len(seen) == 4 and seen[3] < seen[0], seen
timer = []


def stop_soon(trainer):
    timer.append(threading.Timer(0.2, library.nets_stop, [trainer]))
    timer[0].start()


_, _, why = trained(2**30, stopped_by=stop_soon)
timer[0].join()
assert b"stop was called" in why, why

same = []
threads = [threading.Thread(target=lambda: same.append(trained(20)[0] == wanted)) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert same == [True] * 4
assert library.nets_create(b"Nothing", b"host", 1, ctypes.byref(ctypes.c_void_p())) == 1 and b'no network "Nothing"' in library.nets_error()

def most_memory():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


# 10,000 trainings leave nothing behind: not one byte of each.
for number in range(10000):
    if number == 500:
        before = most_memory()
    trained(1)
grown = most_memory() - before
assert grown < 64, f"{grown} KB more after 9,500 trainings"
print("python: trained")
