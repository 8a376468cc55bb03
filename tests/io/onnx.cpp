// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

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
        "ONNX has no counterpart of \"Cube\"; give onnx_functor<..> of your functor the name of an operator");
  CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("an adaptive pool whose windows differ is refused, one that divides its images is a pool") {
  struct Uneven : Sequential<Input<1, 5, 5>, AdaptiveAvgPool2d<2>> {};
  struct Even : Sequential<Input<16>, Reshape<1, 4, 4>, AdaptiveAvgPool2d<1>> {};
  const TemporaryFolder folder;
  CHECK(has(error_of([&] { export_onnx(Network<Uneven>{}, folder / "uneven.onnx"); }),
            "no average pool whose windows differ in size"));
  CHECK_FALSE(std::filesystem::exists(folder / "uneven.onnx"));
  export_onnx(Network<Even>{}, folder / "even.onnx");
  const std::string text = read_text(folder / "even.onnx");
  CHECK(has(text, "Reshape"));
  CHECK(has(text, "AveragePool"));
}

namespace {
struct Negated {
  static constexpr const char* name = "Negated";
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
template <>
inline constexpr sinter::OnnxFunctor sinter::onnx_functor<Negated>{"Neg"};

TEST_CASE("a functor of one's own may name its operator") {
  struct Net : Sequential<Input<3>, Linear<2>, Activation<Negated>> {};
  const TemporaryFolder folder;
  export_onnx(Network<Net>{}, folder / "net.onnx");
  CHECK(has(read_text(folder / "net.onnx"), "Neg"));
}
