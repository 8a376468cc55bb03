#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""compare.py OBJECT..: no weak symbol that two object files define differs in content: a linker keeps one of them.

Reads 64-bit little-endian ELF. Content is the bytes of a symbol and the symbols that its relocations name; numbers and
texts, in sections that a linker merges, count by their bytes. Other places in the same file are not compared.
"""
import struct
import sys

MERGE, STRINGS = 0x10, 0x20
X86_64, PC32, PLT32 = 62, 2, 4


class Object:
    def __init__(self, path):
        self.path = path
        self.bytes = open(path, "rb").read()
        if self.bytes[:6] != b"\x7fELF\x02\x01":
            raise SystemExit(f"{path}: expected a 64-bit little-endian ELF file")
        machine, = struct.unpack_from("<H", self.bytes, 0x12)
        self.after = (PC32, PLT32) if machine == X86_64 else ()  # relative to the end of their 4 bytes
        offset, = struct.unpack_from("<Q", self.bytes, 0x28)
        size, count, _ = struct.unpack_from("<HHH", self.bytes, 0x3A)
        self.sections = [struct.unpack_from("<IIQQQQIIQQ", self.bytes, offset + i * size) for i in range(count)]
        table = next(i for i, s in enumerate(self.sections) if s[1] == 2)
        names = self.sections[self.sections[table][6]]
        self.symbols = []
        for at in range(0, self.sections[table][5], 24):
            name, info, _, section, value, length = struct.unpack_from("<IBBHQQ", self.bytes, self.sections[table][4] + at)
            end = self.bytes.index(b"\0", names[4] + name)
            self.symbols.append((self.bytes[names[4] + name:end].decode(), info, section, value, length))
        self.relocations = {}
        for s in self.sections:
            if s[1] == 4:  # SHT_RELA
                self.relocations[s[7]] = [struct.unpack_from("<QQq", self.bytes, s[4] + at) for at in range(0, s[5], 24)]

    def data(self, section):
        _, kind, _, _, offset, size = self.sections[section][:6]
        return b"" if kind == 8 else self.bytes[offset:offset + size]

    def weak(self):
        return {s[0]: s for s in self.symbols if s[1] >> 4 in (2, 10) and 0 < s[2] < 0xFF00 and s[4] > 0}

    def target(self, info, addend):
        """What a relocation names."""
        name, kind, section, value, _ = self.symbols[info >> 32]
        if kind >> 4 != 0:  # global or weak: by name
            return name, addend
        if section == 0 or section >= 0xFF00:
            return name, addend
        flags, step = self.sections[section][2], self.sections[section][9]
        if not flags & MERGE:  # a part of a function, a jump table
            return "in this file"
        at = value + addend + (4 if info & 0xFFFFFFFF in self.after else 0)
        data = self.data(section)
        return data[at:data.index(b"\0", at) if flags & STRINGS else at + step]

    def content(self, symbol):
        _, _, section, value, length = symbol
        targets = [(offset - value, self.target(info, addend)) for offset, info, addend in
                   self.relocations.get(section, []) if value <= offset < value + length]
        return self.data(section)[value:value + length], targets


def main(paths):
    objects = [Object(p) for p in paths]
    compared, differ = 0, set()
    for i, one in enumerate(objects):
        for two in objects[:i]:
            mine, theirs = one.weak(), two.weak()
            for name in mine.keys() & theirs.keys():
                compared += 1
                if one.content(mine[name]) != two.content(theirs[name]):
                    differ.add(name)
    for name in sorted(differ):
        print(f"differs between files: {name}")
    print(f"{compared} weak symbols that two files define were compared, {len(differ)} differ")
    return 1 if differ or compared == 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
