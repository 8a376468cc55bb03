// SPDX-License-Identifier: MIT
// The power that a town needs in the next 24 hours, hour by hour, from the last two days of power, temperature and
// calendar: a GRU, convolutions and attention compared with the forecast 'as yesterday', on months not used for training.
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <random>
#include <string>
#include <vector>

#include "support/arguments.hpp"
#include "support/write_chart.hpp"

#include <sinter/sinter.hpp>

using namespace sinter;

constexpr int past = 48, ahead = 24;  // hours
struct Recurrence : Sequential<Input<past, 3>, GRU<32, FinalState>, Linear<ahead>> {};
struct Convolutions : Sequential<Input<past, 3>, Transpose<1, 2>, Conv1d<16, 5, Padding<2>>, ReLU, MaxPool1d<2>,
                                 Conv1d<32, 5, Padding<2>>, ReLU, Flatten, Linear<ahead>> {};
struct Attention : Sequential<Input<past, 3>, PositionwiseLinear<16>, PositionEmbedding<past, 16>,
                              TransformerEncoderLayer<16, 2, 32, NormFirst, WithDropout<0.0>>, Flatten, Linear<ahead>> {
};

struct Series {
  std::vector<float> inputs;  // [hour][power, temperature, 1 if the same hour of the next day is on a weekend]
  std::vector<float> power;   // the first of them alone: targets. About 0, with a deviation of about 1
};
constexpr double middle = 50, unit = 15;  // MW
double megawatts(float power) { return middle + unit * static_cast<double>(power); }

/// A year and a half: seasons, days and nights, weekends, weather that stays for some days, and noise.
Series make_series(std::size_t hours) {
  std::mt19937 random(1);
  const auto uniform = [&] { return static_cast<double>(random()) / 4294967295.0; };
  const auto noise = [&] { return uniform() - uniform(); };
  constexpr double turn = 2 * 3.14159265358979;
  Series series;
  double weather = 0;
  for (std::size_t i = 0; i < hours; ++i) {
    const double hour = static_cast<double>(i), day = hour / 24;
    weather = 0.985 * weather + 0.9 * noise();
    const double temperature = 10 - 9 * std::cos(turn * day / 365) - 4 * std::cos(turn * (day - 0.12)) + weather;
    const auto is_weekend = [](std::size_t at) { return at / 24 % 7 >= 5; };
    const double busy = std::fmax(0.0, -std::cos(turn * (day - 0.06))) * (is_weekend(i) ? 9 : 22);
    const double heating = 1.1 * std::fmax(0.0, 16 - temperature), cooling = 1.6 * std::fmax(0.0, temperature - 21);
    const double needed = 30 + busy + heating + cooling + 0.8 * noise();
    series.power.push_back(static_cast<float>((needed - middle) / unit));
    series.inputs.push_back(series.power.back());
    series.inputs.push_back(static_cast<float>((temperature - 10) / 8));
    series.inputs.push_back(is_weekend(i + 24) ? 1 : 0);
  }
  return series;
}

// [windows]
/// Rows that begin every `hop` hours from `first` on: windows of the series, which are read in place.
auto windows(const Series& series, std::size_t first, std::size_t end, std::size_t hop) {
  const std::size_t rows = (end - first - past - ahead) / hop + 1;
  const TensorView<const float, Shape<past, 3>> x{
      .data = series.inputs.data() + 3 * first, .rows = rows, .row_stride = static_cast<std::ptrdiff_t>(3 * hop)};
  const TensorView<const float, Shape<ahead>> y{
      .data = series.power.data() + first + past, .rows = rows, .row_stride = static_cast<std::ptrdiff_t>(hop)};
  return dataset(x, y);
}
// [/windows]

int main(int count, char** values) try {
  Arguments arguments(count, values);
  const int epochs = arguments.get("--epochs", 40, 1, "times through the rows");
  const int threads = arguments.get("--threads", 1, 1, "threads of the host");
  const std::string svg = arguments.get("--svg", "", "write a week of the forecasts to this file");
  arguments.finish();

  const std::size_t hours = 24 * 550, known = 24 * 440;
  const Series series = make_series(hours);
  const auto train = windows(series, 0, known, 7), held_out = windows(series, known, hours, ahead);
  std::printf("%zu windows of the first 440 days to learn from, the next %zu days held out\n", train.size(),
              held_out.size());

  Chart::Panel panel{.title = "power needed, MW, and its forecasts of midnight", .curves = {}};
  // Mean absolute error of forecast(row, hour), whose first week is drawn.
  const auto report = [&](const char* name, const auto& forecast) {
    Chart::Curve curve{name, chart_color(panel.curves.size()), {}};
    double error = 0;
    for (std::size_t row = 0; row < held_out.size(); ++row)
      for (std::size_t i = 0; i < ahead; ++i) {
        const double wanted = megawatts(series.power[known + row * ahead + past + i]), answer = forecast(row, i);
        error += std::fabs(answer - wanted);
        if (row < 7) curve.points.push_back({static_cast<double>(row) + static_cast<double>(i) / 24, answer});
      }
    panel.curves.push_back(curve);
    return error / static_cast<double>(held_out.size() * ahead);
  };
  const auto power_before = [&](std::size_t row, std::size_t i, std::size_t hours_before) {
    return megawatts(series.power[known + row * ahead + past + i - hours_before]);
  };
  report("what was needed", [&](std::size_t row, std::size_t i) { return power_before(row, i, 0); });
  const double as_yesterday =
      report("as yesterday", [&](std::size_t row, std::size_t i) { return power_before(row, i, 24); });
  std::printf("%-14s %10s %9s   mean absolute error\n", "forecast", "parameters", "seconds");
  std::printf("%-14s %10s %9s   %.2f MW\n", "as yesterday", "", "", as_yesterday);

  const auto learn = [&]<class Model>(const char* name, Network<Model> net) {
    double seconds = 0;
    const History history = fit(net, train, MSELoss{}, Adam{.lr = 0.004}, {.batch_size = 32, .epochs = epochs});
    for (const EpochRecord& epoch : history.epochs) seconds += epoch.seconds;
    const auto y = predict(net, held_out.inputs());
    const double error =
        report(name, [&](std::size_t row, std::size_t i) { return megawatts(y(row, static_cast<int>(i))); });
    std::printf("%-14s %10lld %9.2f   %.2f MW, %.0f %% of that\n", name, summary_of<Model>.parameters, seconds, error,
                100 * error / as_yesterday);
  };
  learn("GRU", Network<Recurrence>{Host{.threads = threads}, {.seed = 1}});
  learn("convolutions", Network<Convolutions>{Host{.threads = threads}, {.seed = 1}});
  learn("attention", Network<Attention>{Host{.threads = threads}, {.seed = 1}});

  panel.x_title = "day", panel.width = 800;
  write_chart(Chart{"A week of forecasts", {panel}}, svg);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
