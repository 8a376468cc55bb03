// SPDX-License-Identifier: MIT
// A program's own short names, before all headers or after them, of which -Wshadow is not to warn inside of these.
// EVERYTHING: a header that includes all of sinter.
// clang-format off
#define SHORT_NAMES(X) \
  X(a) X(b) X(c) X(d) X(e) X(f) X(g) X(h) X(i) X(j) X(k) X(l) X(m) X(n) X(o) X(p) X(q) X(r) X(s) X(t) X(u) X(v) \
  X(w) X(x) X(y) X(z) X(A) X(B) X(C) X(D) X(E) X(F) X(G) X(H) X(I) X(J) X(K) X(L) X(M) X(N) X(O) X(P) X(Q) X(R) \
  X(S) X(T) X(U) X(V) X(W) X(X_) X(Y) X(Z) X(all) X(at) X(batch) X(begin_) X(block) X(channels) X(columns) X(count) \
  X(data) X(depth) X(dt) X(dx) X(dy) X(epoch) X(epochs) X(error) X(file) X(first) X(from) X(group) X(groups) \
  X(height) X(in) X(input) X(inputs) X(key) X(label) X(labels) X(last) X(left) X(length) X(line) X(loss) X(lr) \
  X(mean) X(model) X(name) X(names) X(net) X(number) X(numbers) X(offset) X(one) X(other) X(out) X(output) \
  X(outputs) X(part) X(path) X(place) X(rate) X(result) X(right) X(row) X(rows) X(samples) X(scale) X(seed) \
  X(shape) X(size) X(start) X(state) X(step) X(steps) X(stop) X(sum) X(target) X(targets) X(tensor) X(test) X(text) \
  X(to) X(total) X(train) X(value) X(values) X(view) X(weight) X(weights) X(width)
// clang-format on
#define DECLARE(name) extern const int name;

#ifndef NAMES_AFTER
SHORT_NAMES(DECLARE)
#endif
#include EVERYTHING
#ifdef NAMES_AFTER
SHORT_NAMES(DECLARE)
#endif

using namespace sinter;

struct Pictures
    : Sequential<Input<2, 8, 8>, Conv2d<6, 3, Padding<1>>, BatchNorm2d<>, MaxPool2d<2>, ReLU,
                 Residual<Path<Conv2d<6, 3, Padding<1>, Groups<2>>, GELU>>, ConvTranspose2d<4, 2, Stride<2>>,
                 GroupNorm<2>, AvgPool2d<2>, Flatten, Dropout<0.5>, Linear<3>, LogSoftmax> {};
struct Texts
    : Sequential<Input<6>, Embedding<9, 8>, PositionEmbedding<6, 8>,
                 TransformerEncoderLayer<8, 2, 12, NormFirst, Causal>, LSTM<5>, GRU<4, FinalState>, Linear<3>> {};
struct Sound : Sequential<Input<1, 32>, Conv1d<4, 3, Causal, Dilation<2>>, Tanh, Transpose<1, 2>, GRU<4>,
                          PositionwiseLinear<2>> {};
struct Small : Sequential<Input<2>, Linear<8>, Tanh, Linear<3>> {};

template <class Model>
void train_and_answer() {
  Network<Model> network{{.seed = 1}};
  const Tensor<float, typename Model::InputRow> given(20);
  const Tensor<float, typename Model::OutputRow> wanted(20);
  fit(network, dataset(given, wanted), MSELoss{}, Adam{.lr = 0.1}, {.batch_size = 7, .epochs = 1}, EarlyStopping{});
  predict(network, given);
  evaluate(network, dataset(given, wanted), MSELoss{});
  load(network, save_bytes(network));
  for (const auto& one_batch : batches(dataset(given, wanted))) static_cast<void>(one_batch);
}

int use() {
  train_and_answer<Pictures>();
  train_and_answer<Texts>();
  train_and_answer<Small>();
  const StreamWeights<Sound> sound{Network<Sound>()};
  Stream<Sound> stream(sound);
  const Tensor<float, typename Stream<Sound>::InputRow> heard(8);
  Tensor<float, typename Stream<Sound>::OutputRow> answers(8);
  stream.push(heard.view(), answers.view());
  Network<Small> small;
  const auto points = disc(20, 1);
  quantize(small, points.inputs());
  Trainer trainer{small, CrossEntropyLoss{}, SGD{.lr = 0.1}};
  trainer.step(points);
  resume(trainer, "no such file");
  return read_csv("no such file").numbers({"a", "b"}).rows() > 0;
}
