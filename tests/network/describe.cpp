// SPDX-License-Identifier: MIT
// labels: threads
#include "sinter/network/describe.hpp"

#include <doctest/doctest.h>

#include "support/error_of.hpp"

#include "sinter/layers/activation.hpp"
#include "sinter/layers/batch_norm.hpp"
#include "sinter/layers/conv2d.hpp"
#include "sinter/layers/dropout.hpp"
#include "sinter/layers/flatten.hpp"
#include "sinter/layers/linear.hpp"
#include "sinter/layers/pool2d.hpp"
#include "support/w1.hpp"

using namespace sinter::internal;
using sinter_test::W1;

namespace {

struct Unfused : Sequential<Input<2, 7, 9>, Sigmoid, MaxPool2d<3, Stride<2>>, Conv2d<4, 3, Padding<1>, NoBias>> {};
struct Scaled : Sequential<Input<3>, Linear<4, NoBias>, BatchNorm1d<>, ReLU, Linear<5, NoBias>, BatchNorm1d<>, Tanh> {};
struct Wide : Sequential<Input<128>, Linear<128>> {};
struct WideImage : Sequential<Input<128, 2, 2>, Conv2d<128, 1>> {};

}  // namespace

TEST_CASE("the plan of W1, a kernel a line") {
  const std::string text = describe(Network<W1>{Host{.threads = 2}}, 200);
  CAPTURE(text);
  CHECK(text.starts_with("plan tile on host, "));
  CHECK(has(text, isa::Native::name));
  CHECK(has(text, ", 2 threads, "));
  CHECK(has(text, "\nkernel 1: convolution 1->10 5x5, bias, max pool 2x2, ReLU   backward: skips zeros"));
  CHECK(has(text, "\nkernel 2: convolution 10->20 5x5, bias, dropout2d 0.5, max pool 2x2, ReLU   "));
  CHECK(has(text, "\nkernel 3: matmul 320->50, bias, ReLU, dropout 0.5   backward: dense\n"));
  CHECK(has(text, "\nkernel 4: matmul 50->10, bias   backward: dense\n"));
  CHECK(has(text, "\nkernel 5: LogSoftmax\n"));
  CHECK(!has(text, "kernel 6"));

  using Plan = TilePlan<W1, float, isa::Native>;
  const std::string tiles = std::to_string((200 + Plan::lanes - 1) / Plan::lanes);
  CHECK(has(text, ("\nbatch 200: " + tiles + " tiles, a sum of " + tiles + " leaves, ").c_str()));
  CHECK(has(text, " gradient slots of 23,360 bytes\n"));
  CHECK(Plan::taps_in_lanes(0) == has(text, "(taps in the lanes)"));
  CHECK(Plan::skips_channels(1) == has(text, "forward: skips dropped channels"));
}

TEST_CASE("kernels that nothing rides on, and a batch of one") {
  const std::string text = describe(Network<Unfused>{}, 1);
  CAPTURE(text);
  CHECK(has(text, ", 1 thread, "));
  CHECK(has(text, "\nkernel 1: load, Sigmoid\n"));
  CHECK(has(text, "\nkernel 2: max pool 3x3, stride 2\n"));
  CHECK(has(text, "\nkernel 3: convolution 2->4 3x3, padding 1   backward: dense\n"));
  CHECK(has(text, "\nbatch 1: 1 tile, a sum of 1 leaf, 1 gradient slot of "));
}

TEST_CASE("what is faster for one row of a network with many weights in Linear layers") {
  const auto leads_to_panels = [](const std::string& text) {
    CAPTURE(text);
    const bool leads = has(text, "one row");
    CHECK(leads == text.ends_with("\none row: a View of Storage::panels reads the weights of Linear layers in order, "
                                  "which is faster (docs/embedding.md)\n"));
    return leads;
  };
  CHECK(leads_to_panels(describe(Network<Wide>{}, 1)));
  CHECK(!leads_to_panels(describe(Network<Wide>{}, 2)));
  CHECK(!leads_to_panels(describe(Network<Wide, Host, Float64>{}, 1)));
  CHECK(!leads_to_panels(describe(Network<Wide, Reference>{}, 1)));
  CHECK(!leads_to_panels(describe(Network<Scaled>{}, 1)));
  CHECK(!leads_to_panels(describe(Network<WideImage>{}, 1)));
}

TEST_CASE("what the device has to say about how it was compiled") {
  const HostFor<isa::Portable> device;
  const std::string text = describe(Network<Unfused, HostFor<isa::Portable>>{device}, 1), note = device.note();
  CAPTURE(text);
  CHECK(has(text, note.empty() ? " bytes\n" : ("\nnote: " + note + "\n").c_str()));
  CHECK(has(text, "note: ") == !note.empty());
}

TEST_CASE("a step waits for its batch between segments") {
  const std::string text = describe(Network<Scaled>{}, 20);
  CAPTURE(text);
  CHECK(has(text, "\nsegment 1 of 3:\nkernel 1: matmul 3->4\nkernel 2: "));
  CHECK(has(text, "\nsegment 2 of 3, when all of the batch has arrived:\nkernel 3: "));
  CHECK(has(text, "\nsegment 3 of 3, when"));
  CHECK(!has(text, "segment 4"));
  CHECK(!has(describe(Network<Unfused>{}, 20), "segment"));
}

TEST_CASE("the reference, and a batch of none") {
  CHECK(has(describe_plan<W1, double>(Reference{}, 3), "one op after another"));
  const Network<Unfused> net;
  CHECK_THROWS_WITH(describe(net, 0), "sinter: describe was given a batch of 0 rows; give it 1 or more");
}
