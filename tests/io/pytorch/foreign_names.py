#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""foreign_names.py CXX FOLDER: names of files, nodes, inputs, outputs and modules that would be code, or break it, where tools/from_onnx.py,
from_pytorch.py, from_nam.py and from_rtneural.py write headers and programs. Headers are compiled, with trigraphs, and what they
say is compared with what was converted."""
import json
import os
import pathlib
import re
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(root / "tools"))
sys.dont_write_bytecode = True

import from_nam  # noqa: E402
import from_onnx  # noqa: E402
import from_pytorch  # noqa: E402
import from_rtneural  # noqa: E402
import layer_graph  # noqa: E402
import numpy as np  # noqa: E402
import onnx  # noqa: E402
import quoting  # noqa: E402
import torch  # noqa: E402
from converted import built, check, flags  # noqa: E402

INJECTED = "static const int injected = 1;"
NAMES = ["\"quotes' and `ticks`\"", "a\\b\\", f"y\n{INJECTED} //", f"y\r\n{INJECTED}\n#error injected\n", f"*/ {INJECTED} /*", f"y??/\n{INJECTED}", "what??/", "zero\0inside", "\x01\x1b[31m",
         f"\u202e;1 = detcejni tni{INJECTED}\u2066", "\u2028\u2029\x85" + INJECTED, f"x\"> {{}}; {INJECTED} //", "Named<0", "TakeInput<X, 1", "größe 中 🙂", "%s%n", "${HOME} $(id)", "R\"(raw)\"", "~sinter::",
         "\t", "a" * 10000, "\"" * 10000]
FILES = [name for name in NAMES if "\0" not in name and "/" not in name and len(name) < 200] + [os.fsdecode(b"a\xff\nint injected = 1;"), os.fsdecode(b"\xed\xa0\x80"), "a" * 200 + "\n" + INJECTED[:20]]
PROGRAM = """// The names that a struct has, as bytes in octal.
#include <cstdio>
#include <sinter/sinter.hpp>
#include <string_view>
%s
template <class Model>
void print() {
  for (const auto& parts : {Model::InputLayer::parts[0].name, Model::InputLayer::parts[1].name, sinter::internal::output_parts<Model>[0].name,
                            sinter::internal::output_parts<Model>[1].name}) {
    for (const char c : std::string_view(parts)) std::printf("%%03o", static_cast<unsigned char>(c));
    std::printf("\\n");
  }
}
int main() { %s }
"""


def code_of(text):
    """A program without its comments and literals."""
    return re.sub(r'//[^\n]*|"(\\.|[^"\\\n])*"', "", text)


def is_clean(folder, name):
    """Whether what was written for NAME has none of the foreign text outside of comments and literals, in printable lines."""
    texts = [(folder / f"{name}{end}").read_text() for end in (".hpp", ".cpp") if (folder / f"{name}{end}").exists()]
    lines = [line for text in texts for line in text.split("\n")]
    return not any(re.search(r"\binjected\b", code_of(text)) for text in texts) and all(line.isprintable() and not line.endswith("\\") and "??/" not in line for line in lines)


def prints_one_line(folder, name):
    """Whether what the program of NAME prints of its outputs' names has no control characters."""
    printed = re.findall(r'printf\("%s: %g [.][.]\\n", "((?:\\.|[^"\\])*)"', (folder / f"{name}.cpp").read_text())
    return bool(printed) and not any(re.search(r"\\(0[0-3][0-7]|177)", text) for text in printed)


def onnx_of(first, second, one, two):
    """Two inputs and two outputs, with nodes of these names, too."""
    nodes = [onnx.helper.make_node("Add", [first, second], ["sum"], name=one), onnx.helper.make_node("Tanh", ["sum"], [one], name=two),
             onnx.helper.make_node("Relu", ["sum"], [two], name=first)]
    entries = [[onnx.helper.make_tensor_value_info(name, 1, ["N", 4]) for name in pair] for pair in ((first, second), (one, two))]
    return onnx.helper.make_model(onnx.helper.make_graph(nodes, one, *entries), opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8)


def check_onnx(folder):
    """Names of values and nodes."""
    good, cases = True, []
    for i, name in enumerate(NAMES):
        struct, path = f"Onnx{i}", folder / "names.onnx"
        given = [name, f"{name} b", f"{name} c", f"{name} d"]
        onnx.save(onnx_of(*given), path)
        try:
            from_onnx.convert(path, struct, folder)
        except from_onnx.Refused as why:
            good &= check(len(name) > 255 and "sinter takes 1 to 255" in str(why), f"{name[:20]!r}: refused, {str(why)[:90]}")
            continue
        good &= check(len(name) <= 255 and is_clean(folder, struct), f"{name[:40]!r} of inputs, outputs and nodes stays a name")
        good &= check(prints_one_line(folder, struct), f"{name[:40]!r} is printed in one line")
        cases.append((struct, given))
    one = onnx.helper.make_model(onnx.helper.make_graph([onnx.helper.make_node("Tanh", [NAMES[-1]], [NAMES[-2]], name=NAMES[-2])], "g",
                                                        [onnx.helper.make_tensor_value_info(NAMES[-1], 1, ["N", 4])],
                                                        [onnx.helper.make_tensor_value_info(NAMES[-2], 1, ["N", 4])]),
                                 opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(one, path)
    from_onnx.convert(path, "Longest", folder)
    good &= check(is_clean(folder, "Longest") and all(len(line) < 200 for line in (folder / "Longest.hpp").read_text().splitlines()), "one input and output of 10,000 characters")
    return good, cases


def check_files(folder):
    """Names of files."""
    good, weights = True, [[[0.5]], [0.25]]
    nam = {"version": "0.5.4", "architecture": "Linear", "config": {"receptive_field": 1, "bias": False}, "weights": [0.5], "sample_rate": 48000}
    rtneural = {"in_shape": [None, None, 1], "layers": [{"type": "dense", "activation": "", "shape": [None, None, 1], "weights": weights}]}
    for i, name in enumerate(FILES):
        paths = [folder / f"{name}{end}" for end in (".onnx", ".nam", ".json")]
        onnx.save(onnx_of("a", "b", "c", "d"), paths[0])
        paths[1].write_text(json.dumps(nam))
        paths[2].write_text(json.dumps(rtneural))
        for path, tool in zip(paths, (from_onnx, from_nam, from_rtneural)):
            struct = f"File{i}"
            said = subprocess.run([sys.executable, root / "tools" / f"{tool.__name__}.py", path, struct, folder], capture_output=True)
            good &= check(said.returncode == 0 and is_clean(folder, struct), f"{ascii(name[:40])} as the name of a file for {tool.__name__} {said.stderr.decode(errors='replace')[:200]}")
            (folder / f"{struct}.cpp").unlink()
            path.unlink()
    return good


class Twice(torch.nn.Module):
    """Two inputs, and a layer of this name in two places."""

    def __init__(self, name):
        super().__init__()
        self.name = name
        self.add_module(name, torch.nn.Linear(4, 4))

    def forward(self, x, z):
        layer = getattr(self, self.name)
        return layer(layer(x) + z)


class Named(Twice):
    """The same with outputs of these names."""

    def forward(self, x, z):
        y = super().forward(x, z)
        return {self.name: y, f"{self.name} d": torch.tanh(y)}


def check_reasons(folder):
    """What is refused is said in one line for each problem, whatever the file says of operators, sizes and its place."""
    good, path = True, folder / "refused.onnx"
    for name in (name for name in NAMES if len(name) < 200):
        operator, size = (onnx_of("a", "b", "c", "d") for _ in range(2))
        operator.graph.node[1].op_type = name
        size.graph.input[0].type.tensor_type.shape.dim[1].dim_param = name
        for graph in (operator, size, None):
            if graph:
                onnx.save(graph, path)
            try:
                from_onnx.convert(path if graph else folder / name.replace("/", ""), "Refused", folder)
                said = ""
            except from_onnx.Refused as why:
                said = str(why)
            good &= said.isprintable() and said != ""
    return check(good, "reasons of refused files are a printable line each")


def check_pytorch(folder):
    """Names of modules, of their classes and of outputs. (Code of torch.fx has them, too, and does not take all.)"""
    good, taken = True, 0
    for i, name in enumerate(NAMES):
        struct, kind = f"Torch{i}", type(name.replace("\0", "0"), (Named,), {})
        try:
            from_pytorch.convert(kind(name.replace(".", "")), [(4,), (4,)], struct, folder)
        except from_pytorch.Refused as why:
            good &= check(len(name) > 255 and "sinter takes 1 to 255" in str(why) or "cannot trace" in str(why), f"{name[:20]!r}: refused, {str(why)[:90]!r}")
            continue
        taken += 1
        good &= check(is_clean(folder, struct), f"{name[:40]!r} of a module, its class and its outputs stays a name")
        said = subprocess.run(["g++", *flags(root, folder), "-fsyntax-only", folder / f"{struct}.hpp"], capture_output=True, text=True) if i in (0, 2, 5) else None
        good &= check(said is None or said.returncode == 0, f"{struct}.hpp compiles")
    return good and check(taken > 0, f"{taken} of {len(NAMES)} names of modules were taken")


def check_parts(cxx, folder):
    """The other structs of a network: of its inputs, and of layers in several places."""
    good, cases = True, {"size": "t", "INT": "MAX", "fd": "set", "NetX": "conv", "NetX_conv": "a", "LC": "_b", "A": "_", "SYS": "read", "t_": "a", "t": "_a"}
    for struct, name in cases.items():
        from_pytorch.convert(Twice(name), [(4,), (4,)], struct, folder)
    source = folder / "parts.cpp"
    source.write_text("".join(f'#include "{struct}.hpp"\n' for struct in cases))
    said = subprocess.run([cxx, *flags(root, folder), "-fsyntax-only", source], capture_output=True, text=True)
    good &= check(said.returncode == 0, f"parts of {', '.join(cases)} are named apart {said.stderr[:600]}")
    for struct in ("AInputs", "NetXShared_conv"):
        try:
            layer_graph.check_names(struct, (1,))
            good &= check(False, f"{struct} was taken as the name of a struct")
        except layer_graph.Refused as why:
            good &= check(f"{struct!r} was given as the name of a struct; Shared_ in it and Inputs at its end are of the parts of networks" in str(why), f"refused: {why}")
    return good


def check_structs(cxx, folder):
    """Names of structs, and that the tools and sinter's headers know the same ones."""
    good, given = True, [*sorted(quoting.LISTS["words_of_cpp"] | quoting.LISTS["names_of_c"] | quoting.LISTS["functions_of_numbers"]), *OF_C, *NAMES[:-2], "", "1st", "_x", "a__b", "SINTER_X", "größe", "a b", "x\n"]
    for name in given:
        try:
            layer_graph.check_names(name, (1,))
            good &= check(False, f"{name!r} was taken as the name of a struct")
        except layer_graph.Refused as why:
            good &= "was given as the name of a struct; give it letters, digits and _, and no name that C++ has" in str(why)
    for name in (*LIKE_C, *OF_PROGRAMS, *OF_STREAMS):
        layer_graph.check_names(name, (1,))
    tried = {*given, *LIKE_C, *OF_PROGRAMS, *OF_STREAMS, *(f"{name}{end}" for name in given for end in ("f", "l", "f32x", "_t", "_unlocked", "_A", "_a", "1"))}
    tried = sorted(name for name in tried if re.fullmatch(r"\w+", name, re.ASCII))
    source = folder / "of_cpp.cpp"
    source.write_text("#include <cstdio>\n#include <sinter/core/cpp_name.hpp>\nconst char* const names[] = {%s};\nint main() { for (const char* name : names) "
                      "std::putchar(sinter::internal::is_name_in_cpp(name) ? '1' : '0'); }\n" % ", ".join(map(quoting.quoted, tried)))
    said = subprocess.run([built(cxx, root, folder, source)], check=True, capture_output=True, text=True).stdout
    return good and check(said == "".join(str(int(quoting.is_name_in_cpp(name))) for name in tried), f"export_header refuses the same ones of {len(tried)} names")


# Types, functions and macros of C's headers; and names that are like them.
OF_C = ("isnan isinf isgreater FLT_MAX DBL_EPSILON LDBL_MIN I tm timespec timeval int8_t uint16_t int_fast32_t time_t div_t index INT_MAX UINT8_MAX M_PI CHAR_BIT PATH_MAX SIGINT EAGAIN O_RDONLY CLOCKS_PER_SEC LC_ALL SYS_read FP_NAN "
        "fd_set timex iovec drand48 getopt strdup expf sinl nanf64x getline mempcpy basename program_invocation_name fread_unlocked stat typeof").split()
LIKE_C = "Tm Time INTMAX M_Pi Signal EFFICIENT O_Net LCNet_v2 tnet expert sinus timer model option major block t_ int8 VAE CNN LSTM N_BEATS F_NET".split()
# Names that the programs have, too.
OF_PROGRAMS, OF_STREAMS = "load net x y workspace x0 x1".split(), "stream weights block inputs outputs count i".split()


def check_programs(cxx, folder):
    """The programs that are made, for structs with the names of their variables and functions."""
    onnx.save(onnx_of("a", "b", "c", "d"), folder / "names.onnx")
    (folder / "names.nam").write_text(json.dumps({"version": "0.5.4", "architecture": "Linear", "config": {"receptive_field": 1, "bias": False}, "weights": [0.5]}))
    for name in OF_PROGRAMS:
        from_onnx.convert(folder / "names.onnx", name, folder)
    for name in OF_STREAMS:
        from_nam.convert(folder / "names.nam", name, folder)
    source = folder / "programs.cpp"
    source.write_text("".join(f'#define main main_of_{name}\n#include "{name}.cpp"\n#undef main\n' for name in (*OF_PROGRAMS, *OF_STREAMS)))
    said = subprocess.run([cxx, *flags(root, folder), "-Wno-return-type", "-fsyntax-only", source], capture_output=True, text=True)
    return check(said.returncode == 0, f"programs of structs called {', '.join((*OF_PROGRAMS, *OF_STREAMS))} compile {said.stderr[:600]}")


def check_quoted(cxx, folder):
    """Literals, with trigraphs and without."""
    names = [*NAMES, os.fsdecode(b"\xff\xfe"), "\ud800", "1" + "\0" + "2"]
    wanted = [name.encode("utf-8", "surrogateescape" if any("\udc80" <= c <= "\udcff" for c in name) else "surrogatepass") for name in names]
    source = folder / "literals.cpp"
    lines = "".join(f"  print(std::string_view({quoting.quoted(name)}, sizeof({quoting.quoted(name)}) - 1));  // {quoting.in_comment(name)}\n" for name in names)
    source.write_text("#include <cstdio>\n#include <string_view>\nstatic void print(std::string_view text) { std::printf(\"%zu:\", text.size()); std::fwrite(text.data(), 1, text.size(), stdout); }\n"
                      f"int main() {{\n{lines}}}\n")
    good = True
    for more in ((), ("-trigraphs",)):
        subprocess.run([cxx, "-std=c++20", *more, source, "-o", folder / "literals"], check=True)
        said = subprocess.run([folder / "literals"], check=True, capture_output=True).stdout
        good &= check(said == b"".join(b"%d:%b" % (len(text), text) for text in wanted), f"{len(names)} literals are what was quoted {more}")
    return good


def main():
    cxx, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    good = check_quoted(cxx, folder) & check_structs(cxx, folder) & check_parts(cxx, folder) & check_files(folder) & check_programs(cxx, folder) & check_reasons(folder)
    fine, cases = check_onnx(folder)
    good &= fine & check_pytorch(folder)
    source = folder / "program.cpp"
    source.write_text(PROGRAM % ("\n".join(f'#include "{struct}.hpp"' for struct, _ in cases), " ".join(f"print<{struct}>();" for struct, _ in cases)))
    said = subprocess.run([built(cxx, root, folder, source)], check=True, capture_output=True, text=True).stdout.split("\n")
    wanted = ["".join(f"{byte:03o}" for byte in name.encode()) for _, names in cases for name in names]
    good &= check(said[:-1] == wanted, f"{len(wanted)} names of inputs and outputs are those of the files")
    one = cases[2][0]
    good &= check(subprocess.run([cxx, *flags(root, folder), "-trigraphs", "-fsyntax-only", folder / f"{one}.cpp"]).returncode == 0, "the program that was made compiles")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
