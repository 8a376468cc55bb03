// SPDX-License-Identifier: MIT
// labels: large sanitized
// Layers that move numbers or sum them along axes, against PyTorch (tests/fixtures/make_maps.py): outputs and all
// gradients, on the host in float and the reference in double, against which others check the host in double.
#include "support/host.hpp"
#include "support/index_map_networks.hpp"
#include "support/pytorch_layers.hpp"

using namespace sinter::internal;
using namespace sinter_test;

namespace {

std::size_t compared = 0;
const Safetensors& fixtures() {
  static const Safetensors all(SINTER_FIXTURES "/maps.safetensors");
  return all;
}
template <class Shape, class... Layers>
void layer(const std::string& name) {
  using Model = Sequential<Shape, Layers...>;
  const GivenGradient given;
  const auto judge = [&](const WorstError& worst, double most) {
    CAPTURE(name);
    CAPTURE(worst.tensor);
    CHECK(worst.error < most);
  };
  ReferenceEngine<Model, double> reference;
  auto host = MakeHost<>{2}.template make<Model, float>();
  judge(layer_error(any_model<Model>(), any_engine<double>(reference, given), fixtures(), name), 6e-8);
  judge(layer_error(any_model<Model>(), any_engine<float>(host, given), fixtures(), name), 2e-6);
  for (const auto& entry : fixtures().tensors()) compared += entry.first.rfind(name + ".", 0) == 0;
}

}  // namespace

TEST_CASE("permuted dimensions and parts of them") {
  layer<Input<3, 4, 5>, Permute<0, 3, 1, 2>>("permute");
  layer<Input<3, 4, 5>, Permute<0, 2, 3, 1>>("permute_back");
  layer<Input<3, 19>, Transpose<1, 2>>("transpose");
  layer<Input<3, 4, 5>, Transpose<-1, -2>>("transpose_last");
  layer<Input<3, 21>, Slice<3, 17, 2>>("narrow");
  layer<Input<3, 4, 5>, Slice<1, 2, -2>>("narrow_rows");
}

TEST_CASE("padding") {
  layer<Input<3, 4, 5>, ZeroPad2d<1, 2, 0, 3>>("zero_pad2d");
  layer<Input<3, 7>, ZeroPad1d<2>>("zero_pad1d");
  layer<Input<3, 4, 5>, ReflectionPad2d<4, 1, 2, 3>>("reflection_pad2d");
  layer<Input<3, 7>, ReflectionPad1d<6, 5>>("reflection_pad1d");
  layer<Input<3, 4, 5>, ReplicationPad2d<1, 9, 0, 2>>("replication_pad2d");
  layer<Input<3, 1>, ReplicationPad1d<3>>("replication_pad1d");
}

TEST_CASE("larger images") {
  layer<Input<3, 4, 5>, Upsample<3>>("upsample");
  layer<Input<3, 7>, Upsample<2>>("upsample_series");
  layer<Input<3, 4, 5>, Upsample<2, Bilinear>>("upsample_bilinear");
  layer<Input<3, 1, 5>, Upsample<3, Bilinear>>("upsample_bilinear_3");
  layer<Input<3, 7>, Upsample<4, Bilinear>>("upsample_linear");
  layer<Input<3, 4, 5>, Upsample<2, Bilinear, AlignCorners>>("upsample_corners");
  layer<Input<3, 1, 5>, Upsample<3, Bilinear, AlignCorners>>("upsample_corners_1");
  layer<Input<12, 3, 5>, PixelShuffle<2>>("pixel_shuffle");
  layer<Input<2, 6, 9>, PixelUnshuffle<3>>("pixel_unshuffle");
}

TEST_CASE("reversed, summed and mean") {
  layer<Input<3, 4, 5>, Flip<-1>>("flip");
  layer<Input<3, 4, 5>, Flip<1, 2, 3>>("flip_all");
  layer<Input<3, 4, 5>, Mean<2, 3>>("mean_pixels");
  layer<Input<3, 4, 5>, Mean<2>>("mean_rows");
  layer<Input<3, 4, 5>, Sum<1>>("sum_channels");
  layer<Input<3, 7>, Sum<-1>>("sum_series");
}

TEST_CASE("softmax along a dimension") {
  layer<Input<5, 3, 4>, SoftmaxAlong<1>>("softmax_channels");
  layer<Input<5, 3, 4>, SoftmaxAlong<2>>("softmax_rows");
  layer<Input<5, 7>, LogSoftmaxAlong<-1>>("log_softmax_last");
}

TEST_CASE("normalisation of the last dimensions") {
  layer<Input<5, 7>, RMSNorm<NormalizedShape<7>, Epsilon<1e-5>>>("rms_norm");
  layer<Input<9>, RMSNorm<NormalizedShape<9>, Epsilon<1e-3>>>("rms_norm_features");
  layer<Input<5, 3, 4>, RMSNorm<NormalizedShape<3, 4>, Epsilon<1e-5>>>("rms_norm_image");
  layer<Input<5, 3, 4>, RMSNorm<NormalizedShape<5, 3, 4>, Epsilon<1e-5>, NoAffine>>("rms_norm_plain");
  layer<Input<5, 7>, LayerNorm<NormalizedShape<7>>>("layer_norm_last");
  layer<Input<5, 3, 4>, LayerNorm<NormalizedShape<3, 4>, Epsilon<1e-3>>>("layer_norm_image");
  layer<Input<5, 3, 4>, LayerNorm<NormalizedShape<4>, NoBias>>("layer_norm_no_bias");
}

TEST_CASE("no case was forgotten") { CHECK(compared == fixtures().tensors().size()); }
