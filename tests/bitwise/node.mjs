// SPDX-License-Identifier: MIT
// node node.mjs PROGRAM ARGUMENT..: runs a program for WASI, which sees the files of this machine.
import { readFile } from 'node:fs/promises';
import { WASI } from 'node:wasi';

const wasi = new WASI({ version: 'preview1', args: process.argv.slice(2), preopens: { '/': '/' } });
const module = await WebAssembly.compile(await readFile(process.argv[2]));
process.exit(wasi.start(await WebAssembly.instantiate(module, wasi.getImportObject())));
