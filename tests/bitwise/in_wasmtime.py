# SPDX-License-Identifier: MIT
"""in_wasmtime.py PROGRAM ARGUMENT..: runs a program for WASI, which sees the files of this machine. Or --version."""
import importlib.metadata
import sys

import wasmtime

if sys.argv[1:] == ["--version"]:
    print(importlib.metadata.version("wasmtime"))
    sys.exit()
engine = wasmtime.Engine()
linker, store, wasi = wasmtime.Linker(engine), wasmtime.Store(engine), wasmtime.WasiConfig()
linker.define_wasi()
wasi.argv = sys.argv[1:]
wasi.preopen_dir("/", "/")
wasi.inherit_stdout()
wasi.inherit_stderr()
store.set_wasi(wasi)
program = linker.instantiate(store, wasmtime.Module.from_file(engine, sys.argv[1]))
try:
    program.exports(store)["_start"](store)
except wasmtime.ExitTrap as end:
    sys.exit(end.code)
