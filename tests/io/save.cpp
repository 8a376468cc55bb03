// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>
#include <signal.h>
#include <sys/resource.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <sinter/io.hpp>
#include <string>
#include <vector>

#include "data/temporary_folder.hpp"
#include "sinter/sinter.hpp"
#include "support/error_of.hpp"
#include "support/networks.hpp"
#include "support/safetensors.hpp"
#include "support/training.hpp"

using namespace sinter::internal;
using namespace sinter_test;

namespace {

struct Net : Sequential<Input<2, 6, 5>, Conv2d<3, 3>, Tanh, Flatten, Linear<4, NoBias>, ReLU, Linear<3>> {};
struct OtherActivation
    : Sequential<Input<2, 6, 5>, Conv2d<3, 3>, Sigmoid, Flatten, Linear<4, NoBias>, ReLU, Linear<3>> {};
struct OtherHead : Sequential<Input<2, 6, 5>, Conv2d<3, 3>, Tanh, Flatten, Linear<4, NoBias>, ReLU, Linear<5>> {};
struct Deeper : Sequential<Input<2, 6, 5>, Conv2d<3, 3>, Tanh, Flatten, Linear<7>, ReLU, Linear<3>, Linear<2>> {};
struct Small : Sequential<Input<2>, Linear<2>> {};

/// A file of the network Small with its numbers as `type`.
std::vector<std::byte> small_file(ElementType type, const std::vector<std::uint8_t>& weight,
                                  const std::vector<std::uint8_t>& bias) {
  return safetensors_bytes({{"0.weight", type, {2, 2}, std::as_bytes(std::span(weight))},
                            {"0.bias", type, {2}, std::as_bytes(std::span(bias))}});
}
template <class T>
std::vector<std::uint8_t> raw(const std::vector<T>& numbers) {
  const auto* data = reinterpret_cast<const std::uint8_t*>(numbers.data());
  return {data, data + numbers.size() * sizeof(T)};
}
std::vector<float> small_values(const Network<Small>& net) {
  return {net.data()[0], net.data()[1], net.data()[2], net.data()[3], net.data()[16], net.data()[17]};
}

}  // namespace

TEST_CASE("names that are there twice in a file of another program are refused as save refuses them") {
  struct Named : Sequential<Input<2>, Linear<3>, Heads<Path<Linear<2>>, Path<Linear<2>>>> {};
  struct Plain : Sequential<Input<2>, Linear<2>> {};
  const auto refused = [](auto net, const char* key, const char* text) {
    const auto bytes = save_bytes(net);
    const TensorFile file = parse_safetensors(bytes);
    Metadata metadata = file.metadata;
    std::erase_if(metadata, [](const auto& entry) { return entry.first == detail::key_checksum; });
    metadata.emplace_back(key, text);
    const auto changed = safetensors_bytes(file.tensors, metadata);
    return error_of([&] { load(net, changed, {}, "F"); });
  };
  CHECK(refused(Network<Plain>{}, "sinter.classes", R"(["a","a"])") ==
        "the class \"a\" in F was given twice; give it once");
  CHECK(refused(Network<Plain>{}, "sinter.classes", R"(["a","b"])") == "(no error)");
  CHECK(refused(Network<Plain>{}, "sinter.categories", R"({"town":["x","x"]})") ==
        "the category \"x\" of the column \"town\" in F was given twice; give it once");
  CHECK(refused(Network<Named>{}, "sinter.head_classes", R"({"0":["a","b"],"1":["c","c"]})") ==
        "the class \"c\" of the head \"1\" in F was given twice; give it once");
}

TEST_CASE("a network is saved and loaded, as a file and in memory, bit for bit") {
  const TemporaryFolder folder;
  const std::string path = folder / "net.safetensors";
  const Network<Net> net{{.seed = 3}};
  save(net, path);
  Network<Net> other{{.seed = 4}};
  const float* where = other.data();
  const Loaded loaded = load(other, path);
  CHECK(same(weights(other), weights(net)));
  CHECK(other.data() == where);
  CHECK(loaded.taken == std::vector<std::string>{"0.weight", "0.bias", "3.weight", "5.weight", "5.bias"});
  CHECK(loaded.problem().empty());
  CHECK(loaded.self_tested);
  CHECK(loaded.version == "0.1.0");
  CHECK_FALSE(loaded.about.normalize);

  Network<Net> from_memory;
  load(from_memory, save_bytes(net));
  CHECK(same(weights(from_memory), weights(net)));
  const std::string text = read_text(path);
  const auto bytes = save_bytes(net);
  CHECK((text.size() == bytes.size() && std::memcmp(text.data(), bytes.data(), bytes.size()) == 0));
}

TEST_CASE("what belongs to the data travels with the weights") {
  const About about{.normalize = Normalize::pixels(0.1307f, 0.3081f),
                    .classes = {"cat", "d\"og", "\xc3\xa4"},
                    .metadata = {{"author", "me"}, {"sort", ""}}};
  Network<Net> net;
  const Loaded loaded = load(net, save_bytes(net, about));
  CHECK(loaded.about.normalize == about.normalize);
  CHECK(loaded.about.classes == about.classes);
  CHECK(loaded.about.metadata == about.metadata);
  CHECK_FALSE(loaded.about.columns);
  CHECK(loaded.self_tested);
  CHECK(has(error_of([&] { save_bytes(net, {.classes = {"one"}}); }),
            "names of 1 classes were given for a network with 3 outputs; give one for each"));
  CHECK(error_of([&] { save_bytes(net, {.classes = {"cat", "d\"og", "d\"og"}}); }) ==
        "the class \"d\"og\" was given twice; give it once");
  CHECK(
      has(error_of([&] { save_bytes(net, {.metadata = {{"sinter.version", "2"}}}); }), "\"sinter.version\" was given"));
  CHECK(has(error_of([&] { save_bytes(net, {.metadata = {{"format", "tf"}}}); }), "choose another"));
}

TEST_CASE("names for the classes of heads travel with the weights") {
  struct Insured : Sequential<Input<2>, Heads<Named<"risk", Path<Linear<3>>>, Path<Linear<1>>>> {};
  struct Masked : Sequential<Input<1, 4, 6>, Heads<Named<"mask", Path<Conv2d<3, 1>>>, Path<Flatten, Linear<2>>>> {};
  Network<Insured> net;
  const std::vector<HeadClasses> names = {{"risk", {"low", "m\"id", "high"}}};
  const About about = load(net, save_bytes(net, {.head_classes = names})).about;
  CHECK(about.head_classes == names);
  CHECK(about.classes.empty());
  Network<Masked> masked;
  const std::vector<HeadClasses> both = {{"1", {"no", "yes"}}, {"mask", {"sky", "road", "car"}}};
  CHECK(load(masked, save_bytes(masked, {.head_classes = both})).about.head_classes == both);

  const auto refused = [&](const About& given) { return error_of([&] { save_bytes(net, given); }); };
  CHECK(refused({.classes = {"low", "mid", "high"}}) ==
        "names of 3 classes were given for a network with 4 outputs; give one for each, or those of one head as "
        ".head_classes");
  CHECK(refused({.head_classes = {{"risk", {"low", "high"}}}}) ==
        "save was given 2 names for the classes of the head \"risk\", expected one for each, 3");
  CHECK(error_of([&] { save_bytes(masked, {.head_classes = {{"mask", {"a", "b", "c", "d", "e", "f"}}}}); }) ==
        "save was given 6 names for the classes of the head \"mask\", expected one for each, 3");  // as many as columns
  CHECK(refused({.head_classes = {{"risks", {"low", "mid", "high"}}}}) ==
        "save was given names for the classes of a head \"risks\", expected those of heads of the network, each once: "
        "risk, 1");
  CHECK(refused({.head_classes = {{"risk", {"low", "high", "low"}}}}) ==
        "the class \"low\" of the head \"risk\" was given twice; give it once");
  CHECK(has(refused({.head_classes = {names[0], names[0]}}), "a head \"risk\" twice, expected"));
  CHECK(error_of([&] { save_bytes(Network<Net>{}, {.head_classes = names}); }) ==
        "save was given names for classes of heads, and the network has one output; give them as .classes");
  Network<Sequential<Input<2>, Heads<Named<"peril", Path<Linear<3>>>, Path<Linear<1>>>>> renamed;
  CHECK(error_of([&] { load(renamed, save_bytes(net, {.head_classes = names})); }) ==
        "the safetensors data has names for the classes of a head \"risk\", expected those of heads of the network, "
        "each once: peril, 1");
  CHECK(error_of([&] { load(renamed, save_bytes(net, {.head_classes = names}), {.partial = true}); }) == "(no error)");
}

TEST_CASE("the words of columns travel with the weights, and say their numbers") {
  const CsvTable table = parse_csv("town,floor\nUlm,top\nK\"iel,2nd\nUlm,1st\n");
  const CsvClasses town = table.classes("town");
  const std::vector<Categories> categories = {{"town", town.names}, {"floor", table.classes("floor").names}};
  Network<Net> net;
  const About about = load(net, save_bytes(net, {.categories = categories})).about;
  CHECK(about.categories == categories);
  for (std::size_t row = 0; row < table.rows(); ++row)
    CHECK(about.category("town", table.field(row, "town")) == town.labels[row]);
  CHECK(about.category("floor", "top") == 2);
  CHECK(error_of([&] { about.category("floor", "Ulm"); }) ==
        "\"Ulm\" is not a category of the column \"floor\"; there are 1st, 2nd, top");
  CHECK(error_of([&] { about.category("city", "Ulm"); }) ==
        "there are no categories of a column \"city\", but of town, floor");
  CHECK(error_of([&] { About{}.category("town", "Ulm"); }) ==
        "there are no categories of a column \"town\", but of none");
  CHECK(has(error_of([&] { save_bytes(net, {.categories = {{"town", {}}}}); }), "\"town\" without names were given"));
  CHECK(
      has(error_of([&] { save_bytes(net, {.categories = {{"town", {"a"}}, {"town", {"b"}}}}); }), "were given twice"));
  CHECK(has(error_of([&] { save_bytes(net, {.categories = {{"town", {"b", "a", "b"}}}}); }),
            "the category \"b\" of the column \"town\" was given twice"));
}

TEST_CASE("the scale of each column travels with the weights, bit for bit") {
  const NormalizeColumns columns{{1. / 3, -2e300}, {5e-324, 7}};
  Network<Small> net;
  const auto file = save_bytes(net, {.columns = columns});
  CHECK(load(net, file).about.columns == columns);
  CHECK(error_of([&] { save_bytes(net, {.columns = NormalizeColumns{{1}, {1}}}); }) ==
        "rows of 2 columns were to be scaled by 1 means and 1 deviations; take those of standardise() of rows with the "
        "same "
        "columns");
  CHECK(has(error_of([&] { save_bytes(net, {.columns = NormalizeColumns{{1, 2}, {1, -1}}}); }),
            "column 1 was to be scaled"));
}

TEST_CASE("between precisions and devices") {
  const Network<Net, Host, Float64> in_double{{.seed = 5}};
  Network<Net> rounded;
  CHECK(load(rounded, save_bytes(in_double)).self_tested);
  for (std::size_t i = 0; i < weights(rounded).size(); ++i)
    CHECK(rounded.data()[i] == static_cast<float>(in_double.data()[i]));
  Network<Net, Reference, Float64> reference;
  CHECK(load(reference, save_bytes(rounded)).self_tested);
  CHECK(reference.data()[0] == static_cast<double>(rounded.data()[0]));
  Network<Net, Host, Float64> back;
  load(back, save_bytes(in_double));
  CHECK(same(weights(back), weights(in_double)));
}

TEST_CASE("numbers of F16, BF16 and F64 are converted, exactly where they can be") {
  Network<Small> net;
  const float infinity = std::numeric_limits<float>::infinity();
  load(net,
       small_file(ElementType::f16, raw<std::uint16_t>({0x3c00, 0xc000, 0x7bff, 0x0001}),
                  raw<std::uint16_t>({0x8000, 0x7c00})),
       {.allow_nan = true});
  CHECK(small_values(net) == std::vector<float>{1, -2, 65504, 0x1p-24f, -0.0f, infinity});
  CHECK(std::signbit(net.data()[16]));
  load(net,
       small_file(ElementType::bf16, raw<std::uint16_t>({0x3f80, 0xc000, 0x7f7f, 0x0001}),
                  raw<std::uint16_t>({0x8000, 0xff80})),
       {.allow_nan = true});
  CHECK(small_values(net) == std::vector<float>{1, -2, 0x1.fep127f, 0x1p-133f, -0.0f, -infinity});
  load(net, small_file(ElementType::f64, raw<double>({1.0 / 3, 1e-300, -2, double(infinity)}), raw<double>({0, 5})),
       {.allow_nan = true});
  CHECK(small_values(net) == std::vector<float>{1.0f / 3, 0, -2, infinity, 0, 5});
  for (unsigned half = 0; half < 0x10000; ++half) {  // all halves: by the formula
    const int exponent = static_cast<int>(half >> 10 & 31);
    const double value = (half & 0x8000 ? -1 : 1) *
                         (exponent ? std::ldexp(1024 + (half & 1023), exponent - 25) : std::ldexp(half & 1023, -24));
    const float given = half_to_float(static_cast<std::uint16_t>(half));
    if (exponent < 31)
      REQUIRE(static_cast<double>(given) == value);
    else if (half & 1023)
      REQUIRE(std::isnan(given));
    else
      REQUIRE(std::isinf(given));
  }
  const auto before = small_values(net);
  CHECK(
      has(error_of([&] { load(net, small_file(ElementType::f64, raw<double>({0, 1e39, 0, 0}), raw<double>({0, 0}))); }),
          "holds in 0.weight numbers that are too large for a float; load it into a network of Float64"));
  CHECK(small_values(net) == before);
  Network<Small, Host, Float64> in_double;
  load(in_double, small_file(ElementType::f64, raw<double>({0, 1e39, 0, 0}), raw<double>({0, 0})));
  CHECK(in_double.data()[1] == 1e39);
}

TEST_CASE("strict: one error names all that is missing, unexpected and of another shape, and nothing was taken") {
  Network<Deeper> net{{.seed = 2}};
  const auto before = weights(net);
  const auto file = save_bytes(Network<Net>{{.seed = 1}});
  CHECK(error_of([&] { load(net, file); }) ==
        "the safetensors data does not fit the network: missing: 3.bias [7], 6.weight [2, 3], 6.bias [2]; "
        "unlike: 3.weight [4, 36], expected [7, 36], 5.weight [3, 4], expected [3, 7]; "
        "load it into the network that it was saved from, or take what fits by LoadOptions{.partial = true}");
  CHECK(same(weights(net), before));
  Network<Net> smaller;
  const auto large = save_bytes(Network<Deeper>{});
  CHECK(has(error_of([&] { load(smaller, large); }), "unexpected: 3.bias [7], 6.bias [2], 6.weight [2, 3]; unlike:"));
  const std::vector<std::uint8_t> integers(4 * 8), bias(2 * 8);
  Network<Small> small;
  CHECK(has(error_of([&] { load(small, small_file(ElementType::i64, integers, bias)); }),
            "unlike: 0.weight of I64, expected F32, F64, F16 or BF16, 0.bias of I64, expected"));
}

TEST_CASE("partial: takes what fits, says what, and leaves the rest") {
  const Network<Net> trained{{.seed = 1}};
  Network<OtherHead> net{{.seed = 2}};
  const std::vector<float> head(net.parameter("5.weight").begin(), net.parameter("5.weight").end());
  const Loaded loaded = load(net, save_bytes(trained), {.partial = true});
  CHECK(loaded.taken == std::vector<std::string>{"0.weight", "0.bias", "3.weight"});
  CHECK(loaded.unlike == std::vector<std::string>{"5.weight [3, 4], expected [5, 4]", "5.bias [3], expected [5]"});
  CHECK(loaded.missing.empty());
  CHECK(loaded.unexpected.empty());
  CHECK_FALSE(loaded.self_tested);
  CHECK(std::memcmp(net.data(), trained.data(), net.parameter("0.weight").size_bytes()) == 0);
  CHECK(std::equal(head.begin(), head.end(), net.parameter("5.weight").begin()));
  Network<Small> small;
  CHECK(has(error_of([&] { load(small, save_bytes(trained), {.partial = true}); }),
            "nothing in the safetensors data fits the network: unexpected: 3.weight [4, 36], "));
}

TEST_CASE("rename: tensors of a file under the names of the network") {
  const Network<Net> net{{.seed = 1}};
  const auto bytes = save_bytes(net);
  TensorFile parsed = parse_safetensors(bytes);
  auto& tensors = parsed.tensors;
  const std::vector<std::string> ours{"0.weight", "0.bias", "3.weight", "5.weight", "5.bias"};
  const std::vector<std::string> theirs{"conv1.weight", "conv1.bias", "body.fc.weight", "head.w", "head.b"};
  for (auto& tensor : tensors)
    for (std::size_t i = 0; i < ours.size(); ++i)
      if (tensor.name == ours[i]) {
        tensor.name = theirs[i];
        break;
      }
  const auto file = safetensors_bytes(tensors);
  Network<Net> other{{.seed = 2}};
  const auto before = weights(other);
  const auto refused = [&](const LoadOptions& options) {
    const std::string error = error_of([&] { load(other, file, options); });
    CHECK(same(weights(other), before));
    return error;
  };
  CHECK(refused({.rename = {{"conv1.", "0."}, {"body.fc.", "3."}, {"head.w", "5.weight"}, {"head.bias", "5.bias"}}}) ==
        ".rename of the safetensors data has the rule {\"head.bias\", \"5.bias\"}, which no tensor is left for; give "
        "whole names, or beginnings that end in a point such as \"conv1.\": the file has " +
            [&] {
              std::string all;
              for (const auto& tensor : parse_safetensors(file).tensors) all += (all.empty() ? "" : ", ") + tensor.name;
              return all;
            }());
  CHECK(has(refused({.rename = {{"conv1", "0"}}}), "the rule {\"conv1\", \"0\"}, which no tensor is left for"));
  CHECK(has(refused({.rename = {{"", "all."}, {"conv1.", "0."}}}), "the rule {\"conv1.\", \"0.\"}, which no tensor"));
  const std::string twice = refused({.rename = {{"head.w", "5.weight"}, {"body.fc.weight", "5.weight"}}});
  CHECK(has(twice, "the same name, \"5.weight\"; give each tensor a name of its own"));
  CHECK(has(twice, "\"head.w\""));
  CHECK(has(twice, "\"body.fc.weight\""));
  CHECK(has(refused({.rename = {{"conv1.", "0."}}}), "missing: 3.weight"));

  const LoadOptions all{.rename = {{"conv1.", "0."}, {"body.fc.", "3."}, {"head.w", "5.weight"}, {"head.b", "5.bias"}}};
  CHECK(load(other, file, all).problem().empty());
  CHECK(same(weights(other), weights(net)));
}

TEST_CASE("PyTorch's counts of batches are passed over") {
  const std::vector<float> weight(4, 1), bias(2, 2);
  const std::vector<std::int64_t> count{17};
  Network<Small> net;
  const auto file =
      safetensors_bytes({{"0.weight", ElementType::f32, {2, 2}, std::as_bytes(std::span(weight))},
                         {"0.bias", ElementType::f32, {2}, std::as_bytes(std::span(bias))},
                         {"1.num_batches_tracked", ElementType::i64, {}, std::as_bytes(std::span(count))}});
  CHECK(load(net, file).problem().empty());
  CHECK(net.data()[0] == 1);
}

TEST_CASE("the self-test finds another network of the same shapes, and a changed file; the network stays as it was") {
  const TemporaryFolder folder;
  const std::string path = folder / "net.safetensors";
  save(Network<Net>{{.seed = 1}}, path);
  Network<OtherActivation> net{{.seed = 2}};
  const auto before = weights(net);
  const std::string error = error_of([&] { load(net, path); });
  CHECK(has(error, "the self-test of " + path +
                       " failed: with its weights this network gives outputs with a relative error of "));
  CHECK(has(error, "expected at most 1e-04; the network has other layers"));
  CHECK(same(weights(net), before));
  CHECK_FALSE(load(net, path, {.self_test = false}).self_tested);
  CHECK(!same(weights(net), before));

  auto bytes = save_bytes(Network<Net>{{.seed = 1}});
  bytes[bytes.size() - 1] ^= std::byte{0x40};  // the exponent of the last number
  Network<Net> other;
  CHECK(
      has(error_of([&] { load(other, bytes, {.checksum = false}); }), "the self-test of the safetensors data failed"));
}

namespace {
/// Only convolutions, for series of any length.
template <int Length>
struct Wave : Sequential<Input<2, Length>, Conv1d<4, 3, Causal>, Tanh, Conv1d<1, 5>> {};
}  // namespace

TEST_CASE(
    "weights of convolutions are loaded for inputs of another size; the self-test is skipped, and that is reported") {
  const Network<Wave<24>> trained{{.seed = 1}};
  Network<Wave<12>> shorter{{.seed = 2}};
  Network<Wave<24>> same_length{{.seed = 3}};
  const auto file = save_bytes(trained);
  const Loaded loaded = load(shorter, file);
  CHECK(loaded.problem().empty());
  CHECK(loaded.taken.size() == 4);
  CHECK_FALSE(loaded.self_tested);
  CHECK(loaded.self_test_skipped == "the self-test has inputs of 48 numbers, and this network has 24");
  CHECK(std::equal(shorter.data(), shorter.data() + Program<Wave<12>>::arena_size, trained.data()));
  CHECK(load(same_length, file).self_tested);
  CHECK(load(same_length, file).self_test_skipped.empty());

  // The first of its outputs are those of the longer network.
  Tensor<float, Shape<2, 24>> x(1);
  Tensor<float, Shape<2, 12>> beginning(1);
  for (int i = 0; i < 24; ++i)
    for (int c = 0; c < 2; ++c) {
      x(0, c, i) = static_cast<float>((7 * i + 3 * c) % 11) / 11;
      if (i < 12) beginning(0, c, i) = x(0, c, i);
    }
  const auto y = predict(trained, x);
  const auto first = predict(shorter, beginning);
  for (int i = 0; i < 8; ++i) CHECK(first(0, 0, i) == doctest::Approx(y(0, 0, i)));

  // A size that goes with other tensors is refused as before.
  struct Other : Sequential<Input<2, 12>, Conv1d<4, 3, Causal>, Tanh, Conv1d<2, 5>> {};
  Network<Other> other;
  CHECK(has(error_of([&] { load(other, file); }), "unlike: 2.weight [1, 4, 5], expected [2, 4, 5]"));
}

TEST_CASE("a network whose outputs are not finite is saved without a self-test") {
  Network<Small> net;
  net.data()[0] = std::numeric_limits<float>::quiet_NaN();
  Network<Small> other;
  CHECK_FALSE(load(other, save_bytes(net, {}, {.allow_nan = true}), {.allow_nan = true}).self_tested);
  CHECK(std::isnan(other.data()[0]));
}

TEST_CASE("metadata that is not as it is written is refused") {
  const std::vector<float> weight(4, 1), bias(2, 2);
  Network<Small> net;
  const auto loading = [&](const Metadata& metadata) {
    return error_of([&] {
      load(net, safetensors_bytes({{"0.weight", ElementType::f32, {2, 2}, std::as_bytes(std::span(weight))},
                                   {"0.bias", ElementType::f32, {2}, std::as_bytes(std::span(bias))}},
                                  metadata));
    });
  };
  CHECK(loading({{"format", "pt"}}) == "(no error)");
  CHECK(
      loading({{"sinter.classes", "["}, {"sinter.format", "2"}}) ==
      "the safetensors data has sinter's format 2, expected 1; read it with the version of sinter that wrote it, or a "
      "newer one");
  CHECK(has(loading({{"sinter.normalize", "{\"scale\":1}"}}),
            "the metadata sinter.normalize of the safetensors data is not JSON"));
  CHECK(has(loading({{"sinter.normalize", R"({"scale":1,"shift":0,"scale":1})"}}), "scale and shift"));
  CHECK(has(loading({{"sinter.normalize", R"({"scale":nan,"shift":0})"}}), "a number was expected"));
  CHECK(has(loading({{"sinter.normalize", R"({"scale":1e999,"shift":0})"}}), "a number that a double can hold"));
  CHECK(has(loading({{"sinter.normalize", R"({"scale":-1e39,"shift":0})"}}), "a number that a float can hold"));
  const auto columns = [&](const char* text) { return loading({{"sinter.normalize_columns", text}}); };
  CHECK(columns(R"({"mean":[1,2],"deviation":[1,2]})") == "(no error)");
  CHECK(columns(R"({"mean":[1,2,3],"deviation":[1,2,3]})") ==
        "the safetensors data scales 3 columns, and the network has inputs of 2; it is damaged or was put together: "
        "save it "
        "again");
  CHECK(has(columns(R"({"mean":[1,2],"deviation":[1]})"), "as many means as deviations"));
  CHECK(has(columns(R"({"mean":[1,2],"deviation":[1,0]})"), "deviations above 0"));
  CHECK(has(columns(R"({"mean":[],"deviation":[]})"), "as many means as deviations"));
  CHECK(has(columns(R"({"means":[1,2]})"), "mean and deviation"));
  CHECK(has(columns("[1]"), "is not JSON"));
  const auto categories = [&](const char* text) { return loading({{"sinter.categories", text}}); };
  CHECK(categories(R"({"town":["Kiel","Ulm"],"floor":["1"]})") == "(no error)");
  CHECK(has(categories(R"({"town":["Kiel"],"town":["Ulm"]})"), "each column once was expected"));
  CHECK(has(categories(R"({"town":[]})"), "a name or more was expected"));
  CHECK(has(categories(R"(["town"])"), "is not JSON"));
  CHECK(loading({{"sinter.classes", R"(["a","b","c"])"}}) ==
        "the safetensors data names 3 classes, and the network has 2 outputs; it is damaged or was put together: save "
        "it again");
  CHECK(loading({{"sinter.classes", R"(["a","b"])"}}) == "(no error)");
  CHECK(has(loading({{"sinter.classes", "[1]"}}), "\" was expected"));
  CHECK(has(loading({{"sinter.self_test", R"({"inputs":[[1,2]],"outputs":[]})"}}), "as many outputs as inputs"));
  CHECK(has(loading({{"sinter.self_test", R"({"inputs":[[1,2],[1,2,3]],"outputs":[[1,2],[1,2]]})"}}),
            "has inputs of 3 numbers, and this network has 2"));
  CHECK(has(loading({{"sinter.self_test", R"({"inputs":[[1,2]],"outputs":[[1]]})"}}), "has outputs of 1 numbers"));
  CHECK(loading({{"sinter.self_test", R"({"inputs":[[1,2]],"outputs":[[5,5]]})"}}) == "(no error)");
}

TEST_CASE("a network that was moved from is neither saved nor loaded") {
  Network<Small> net;
  const auto file = save_bytes(net);
  Network<Small> moved = std::move(net);
  CHECK(has(error_of([&] { save_bytes(net); }), "has been moved from"));
  CHECK(has(error_of([&] { load(net, file); }), "has been moved from"));
  CHECK(has(error_of([&] { net.from_host(moved.to_host()); }), "has been moved from"));
  net = moved;
  CHECK(load(net, file).self_tested);
}

TEST_CASE("files that are not there, a folder, and a folder that may not be written to") {
  const TemporaryFolder folder;
  Network<Small> net;
  const std::string path = folder / "none";
  CHECK(error_of([&] { load(net, path); }) == "cannot open " + path + ": No such file or directory; check the path");
  CHECK(error_of([&] { load(net, folder.path); }) ==
        "cannot read " + folder.path + ", expected a regular safetensors file; check the path");
  CHECK(has(error_of([&] { save(net, folder / "no/such/folder"); }), "No such file or directory"));
}

TEST_CASE("a full disk leaves the old file whole") {
  const TemporaryFolder folder;
  const std::string path = folder / "net.safetensors";
  Network<Net> net{{.seed = 1}};
  save(net, path);
  const std::string old = read_text(path);
  // Files of this process may grow no further than half of what is to be written.
  rlimit before;
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit less{old.size() / 2, before.rlim_max};
  const auto handler = signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &less);
  const std::string error = error_of([&] { save(Network<Net>{{.seed = 2}}, path); });
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, handler);
  CHECK(has(error, "File too large"));
  CHECK(read_text(path) == old);
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path), {}) == 1);
  CHECK(load(net, path).self_tested);
}

TEST_CASE("files of every format that was ever written are read") {
  Network<Net> net{{.seed = 9}};
  const std::string path = std::string(SINTER_FIXTURES) + "/io/format_1.safetensors";
  const Loaded loaded = load(net, path);
  CHECK(loaded.self_tested);
  CHECK(loaded.version == "0.1.0");
  CHECK(loaded.about.normalize == Normalize{0.5f, -0.25f});
  CHECK(loaded.about.classes == std::vector<std::string>{"a", "b", "c"});
  CHECK(loaded.about.metadata == Metadata{{"made by", "save_bytes(Network<Net>{{.seed = 1}})"}});
  CHECK(same(weights(net), weights(Network<Net>{{.seed = 1}})));
}

TEST_CASE("weights of PyTorch: its initial parameters of W1") {
  Network<networks::W1> net;
  const std::string path = std::string(SINTER_FIXTURES) + "/w1_initial.safetensors";
  const Loaded loaded = load(net, path);
  CHECK(loaded.taken.size() == 8);
  CHECK(loaded.version.empty());
  const Safetensors fixture(path);
  for (const auto& parameter : net.parameters()) {
    const auto wanted = fixture.values<float>(std::string(parameter.name));
    CHECK(std::equal(wanted.begin(), wanted.end(), parameter.value.begin(), parameter.value.end()));
  }
}
