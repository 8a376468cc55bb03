// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <limits>
#include <sinter/io.hpp>
#include <string>

#include "data/temporary_folder.hpp"
#include "sinter/sinter.hpp"
#include "support/error_of.hpp"
#include "support/networks.hpp"

using namespace sinter::internal;

TEST_CASE("protocol buffers: numbers, texts, fractions and messages") {
  detail::Protobuf inner, outer;
  inner.number(1, 150);
  CHECK(inner.bytes() == "\x08\x96\x01");
  outer.message(3, inner);
  CHECK(outer.bytes() == std::string("\x1a\x03\x08\x96\x01"));
  detail::Protobuf other;
  other.text(2, "testing");
  CHECK(other.bytes() == "\x12\x07testing");
  detail::Protobuf fraction;
  fraction.real(2, 1.0f);
  CHECK(fraction.bytes() == std::string("\x15\x00\x00\x80\x3f", 5));
  detail::Protobuf negative;
  negative.number(20, -1);
  CHECK(negative.bytes() == "\xa0\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
}

TEST_CASE("an activation that ONNX does not have is refused by name, and nothing is written") {
  struct Net : Sequential<Input<3>, Linear<2>, Activation<sinter_test::networks::Cube>> {};
  const TemporaryFolder folder;
  const std::string path = folder / "net.onnx";
  CHECK(error_of([&] { export_onnx(Network<Net>{}, path); }) ==
        "ONNX has no counterpart of \"Cube\"; name an operator in its "
        "functor: static constexpr OnnxFunctor onnx{\"Neg\"}");
  CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("weights that are NaN or infinite are not written") {
  struct Net : Sequential<Input<3>, Linear<2>> {};
  const TemporaryFolder folder;
  const std::string path = folder / "net.onnx";
  Network<Net> net;
  net.parameter("0.bias")[1] = std::numeric_limits<float>::quiet_NaN();
  CHECK(
      error_of([&] { export_onnx(net, path); }) ==
      "the network that was to be exported has NaN or infinity in 0.bias [2], 1 time; train it again from weights that "
      "have none");
  CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("scales of columns that are no floats are not written") {
  struct Two : Sequential<Input<2>, Linear<1>> {};
  const Network<Two> net;
  const TemporaryFolder folder;
  const auto refused = [&](const NormalizeColumns& by) {
    return error_of([&] { export_onnx(net, folder / "net.onnx", {.columns = by}); });
  };
  CHECK(refused({{1, -1e39}, {1, 2}}) ==
        "column 1 is scaled by the mean -1e+39 and the deviation 2, and an ONNX file has them as floats, which do not "
        "reach so far; train with numbers of another unit");
  CHECK(has(refused({{1, 2}, {1e-50, 2}}), "column 0 is scaled by the mean 1 and the deviation 1e-50"));
  CHECK(has(refused({{1, 2}, {1e39, 2}}), "the deviation 1e+39"));
  CHECK_NOTHROW(export_onnx(net, folder / "net.onnx", {.columns = NormalizeColumns{{3e38, -3e38}, {1e-30, 3e38}}}));
}

TEST_CASE("an adaptive pool whose windows differ is refused, one that divides its images is a pool") {
  struct Uneven : Sequential<Input<1, 5, 5>, AdaptiveAvgPool2d<2>> {};
  struct UnevenSeries : Sequential<Input<1, 5>, AdaptiveMaxPool1d<2>> {};
  struct Even : Sequential<Input<16>, Reshape<1, 4, 4>, AdaptiveAvgPool2d<1>> {};
  const TemporaryFolder folder;
  CHECK(has(error_of([&] { export_onnx(Network<Uneven>{}, folder / "uneven.onnx"); }),
            "no average pool whose windows differ in size"));
  CHECK_FALSE(std::filesystem::exists(folder / "uneven.onnx"));
  CHECK(error_of([&] { export_onnx(Network<UnevenSeries>{}, folder / "uneven.onnx"); }) ==
        "ONNX has no max pool whose windows differ in size; let its adaptive pool divide its series");
  export_onnx(Network<Even>{}, folder / "even.onnx");
  const std::string text = read_text(folder / "even.onnx");
  CHECK(has(text, "Reshape"));
  CHECK(has(text, "AveragePool"));
}

TEST_CASE("activations are operators of ONNX, or made of some") {
  const TemporaryFolder folder;
  const auto exported = [&](const auto& net) {
    export_onnx(net, folder / "net.onnx");
    return read_text(folder / "net.onnx");
  };
  struct Net : Sequential<Input<2>, SELU, CELU<0.5>, Softsign> {};
  struct Composed : Sequential<Input<2>, Mish, LogSigmoid> {};
  const std::string single = exported(Network<Net>{}), in_double = exported(Network<Net, Host, Float64>{}),
                    composed = exported(Network<Composed>{});
  for (const char* name : {"Selu", "Celu", "Softsign"}) CHECK(has(single, name));
  CHECK_FALSE(has(in_double, "Celu"));  // is of float: an Elu between a Div and a Mul
  for (const char* name : {"Selu", "Elu", "Div", "Softsign"}) CHECK(has(in_double, name));
  for (const char* name : {"Softplus", "Tanh", "Mul", "Neg"}) CHECK(has(composed, name));
}

TEST_CASE("Softplus keeps its threshold, unless it is too high to be seen") {
  const TemporaryFolder folder;
  const auto exported = [&](const auto& net) {
    export_onnx(net, folder / "net.onnx");
    return read_text(folder / "net.onnx");
  };
  struct Default : Sequential<Input<1>, Softplus<>> {};
  struct Low : Sequential<Input<1>, Softplus<1.0, 2.0>> {};
  struct Negative : Sequential<Input<1>, Softplus<3.0, -2.0>> {};
  const std::string none = exported(Network<Default>{}), low = exported(Network<Low>{});
  CHECK_FALSE(has(none, "Where"));
  // Inputs and outputs in the order in which nodes are written: z = beta x, y = ln(1 + e^z) / beta, z > threshold.
  CHECK(has(low, "Greater"));
  CHECK(has(low, "Where"));
  detail::Protobuf greater, where;
  for (const char* name : {"value1", "constant3"}) greater.text(1, name);
  greater.text(2, "value4");
  for (const char* name : {"value4", "input", "value3"}) where.text(1, name);
  where.text(2, "value5");
  CHECK(has(low, greater.bytes()));
  CHECK(has(low, where.bytes()));
  CHECK(has(exported(Network<Negative>{}), "Where"));
  // In double 20 is seen: 20 and ln(1 + e^20) differ by 2e-9.
  CHECK(has(exported(Network<Default, Host, Float64>{}), "Where"));
}

namespace {
struct Negated {
  static constexpr const char* name = "Negated";
  static constexpr OnnxFunctor onnx{"Neg"};
  static constexpr bool backward_reads_output = false;
  template <class V>
  SINTER_FN static V forward(V x) {
    return V(0) - x;
  }
  template <class V>
  SINTER_FN static V backward(V, V dy) {
    return V(0) - dy;
  }
};
}  // namespace

TEST_CASE("a functor of your own may name its operator") {
  struct Net : Sequential<Input<3>, Linear<2>, Activation<Negated>> {};
  const TemporaryFolder folder;
  export_onnx(Network<Net>{}, folder / "net.onnx");
  CHECK(has(read_text(folder / "net.onnx"), "Neg"));
}

TEST_CASE("an input with a name that an ONNX file has already is refused") {
  struct Two : Inputs<Named<"value1", Input<3>>, Named<"value", Input<2>>> {};
  struct Net : Sequential<Two, Concat<Path<TakeInput<Two, 0>, Linear<2>>, Path<TakeInput<Two, 1>>>> {};
  const TemporaryFolder folder;
  CHECK(error_of([&] { export_onnx(Network<Net>{}, folder / "net.onnx"); }) ==
        "an ONNX file has a value \"value1\" of its own; give the input of that name another one");
}

TEST_CASE("an output with the name of an input, of a parameter or of another output is refused") {
  const TemporaryFolder folder;
  const auto refused = [&]<class Net>(const Network<Net>& net) {
    return error_of([&] { export_onnx(net, folder / "net.onnx"); });
  };
  struct Same : Sequential<Named<"sound", Input<3>>, Heads<Named<"sound", Path<Tanh>>, Path<Linear<2>>>> {};
  CHECK(refused(Network<Same>{}) ==
        "an ONNX file has a value \"sound\" of its own; give the input of that name another one");
  struct Weight : Sequential<Input<3>, Heads<Named<"0.1.0.weight", Path<Tanh>>, Path<Linear<2>>>> {};
  CHECK(refused(Network<Weight>{}) ==
        "an ONNX file has a value \"0.1.0.weight\" of its own; give the output of that name another one");
  struct Number : Sequential<Input<3>, Heads<Path<Tanh>, Named<"output0", Path<Linear<2>>>>> {};
  CHECK(refused(Network<Number>{}) ==
        "an ONNX file has a value \"output0\" of its own; give the output of that name another one");
}
