// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <set>
#include <sinter/serve/batch_queue.hpp>
#include <sinter/serve/replacement.hpp>
#include <string>
#include <utility>
#include <vector>

#include "access_log.hpp"
#include "model_library.hpp"
#include "request_times.hpp"

namespace sinter_serve {

using sinter::BatcherOptions;
using Queue = sinter::internal::detail::BatchQueue<float>;

/// There is no model, or no version of it, of this name.
struct UnknownModel : sinter::Error {
  explicit UnknownModel(const std::string& text) : Error(text) {}
};
/// A model was unloaded, or could not be started.
struct ModelNotRunning : sinter::Error {
  explicit ModelNotRunning(const std::string& text) : Error(text) {}
};

/// A model that answers: a library with weights, and the batches that it computes.
class RunningModel {
 public:
  using Weights = std::shared_ptr<const ModelLibrary::Model>;

  RunningModel(const std::string& library_path, const std::string& weights, const BatcherOptions& options)
      : library(library_path),
        weights_(library.open(weights)),
        current_(static_cast<std::size_t>(options.workers), weights_),
        replacements_(current_.size()),
        queue(library.tensors().inputs, library.tensors().outputs, options,
              [this](std::size_t worker) { return computing(worker); }) {}

  /// Uses the weights of a file from the next batch on; fails, and keeps the current ones, if they do not fit or do not
  /// pass their self-test.
  void reload(const std::string& path) {
    const Weights weights = library.open(path);
    const std::scoped_lock lock(mutex_);
    weights_ = weights;
    for (auto& replacement : replacements_) replacement.give(weights);
  }
  Weights weights() const {
    const std::scoped_lock lock(mutex_);
    return weights_;
  }
  /// Names of the outputs; none where the weights file has none.
  std::vector<std::string> classes() const {
    return names([this, now = weights()](std::size_t i) { return library.class_name(now.get(), i); });
  }
  std::vector<std::string> classes_of(std::size_t head) const {
    return names([=, this, now = weights()](std::size_t i) { return library.class_of_output(now.get(), head, i); });
  }

  const ModelLibrary library;
  RequestTimes times;

 private:
  template <class NameOf>
  static std::vector<std::string> names(NameOf name_of) {
    std::vector<std::string> all;
    while (const char* name = name_of(all.size())) all.emplace_back(name);
    return all;
  }
  Queue::Compute computing(std::size_t index) {
    struct Computing {
      const ModelLibrary& library;
      Weights weights;
      ModelLibrary::Workspace* workspace = library.workspace_open(weights.get());
      explicit Computing(const ModelLibrary& of, Weights with) : library(of), weights(std::move(with)) {
        if (!workspace) sinter::internal::fail(std::string("no workspace: ") + library.error());
      }
      Computing(const Computing&) = delete;
      ~Computing() { library.workspace_close(workspace); }
    };
    auto state = std::make_shared<Computing>(library, current_[index]);
    return [this, index, state](const float* x, std::size_t rows, float* y) mutable {
      if (replacements_[index].take(current_[index])) state = std::make_shared<Computing>(library, current_[index]);
      if (library.predict_in(state->weights.get(), x, rows, state->workspace, y) != 0)
        sinter::internal::fail(library.error());
    };
  }

  mutable std::mutex mutex_;
  Weights weights_;
  std::vector<Weights> current_;  // of each worker
  std::vector<sinter::internal::detail::Replacement<const ModelLibrary::Model>> replacements_;

 public:
  Queue queue;  // last: its threads use the others
};

/// One version of a model, as the command line names it, which may be running or not.
struct ServedModel {
  std::string name, version, library, weights;
  std::shared_ptr<RunningModel> running{};
  std::string problem{};  // why it is not running, or the last reload failed

  RunningModel& run() const {
    if (!running) throw ModelNotRunning("model \"" + name + "\" is not running: " + problem);
    return *running;
  }
};

/// All models, by name and version.
class Models {
 public:
  explicit Models(const BatcherOptions& options) : options_(options) {}

  /// Adds a model and starts it; fails if it cannot be started.
  void add(ServedModel model) {
    for (const auto& known : all_)
      if (known.name == model.name && known.version == model.version)
        sinter::internal::fail("the model " + model.name + " was given twice with version " + model.version +
                               "; name versions by --model NAME/VERSION=..");
    model.running = std::make_shared<RunningModel>(model.library, model.weights, options_);
    all_.push_back(std::move(model));
  }
  /// A copy of the state of a model; an empty version means its highest one. Fails with an UnknownModel, which lists
  /// the existing ones.
  ServedModel find(const std::string& name, const std::string& version) const {
    const std::scoped_lock lock(mutex_);
    return all_[index_of(name, version)];
  }
  std::vector<ServedModel> all() const {
    const std::scoped_lock lock(mutex_);
    return all_;
  }
  std::vector<std::string> versions(const std::string& name) const {
    std::vector<std::string> found;
    for (const ServedModel& model : all())
      if (model.name == name) found.push_back(model.version);
    return found;
  }
  std::set<std::string> names() const {
    std::set<std::string> found;
    for (const ServedModel& model : all()) found.insert(model.name);
    return found;
  }
  /// Whether all models run, and none is shutting down.
  bool ready() const {
    const std::scoped_lock lock(mutex_);
    return !draining_ &&
           std::all_of(all_.begin(), all_.end(), [](const auto& model) { return model.running != nullptr; });
  }
  /// Reads the weights of all versions of a model again; `starts` those that do not run, or leaves them. If that fails, a
  /// running model continues unchanged. False if there was nothing to read.
  bool load(const std::string& name, bool starts = true) {
    const std::scoped_lock one_at_a_time(loading_);
    std::string problems;
    bool any = false;
    for (const ServedModel& model : versions_of(name)) {
      if (!model.running && !starts) continue;
      any = true;
      std::string problem;
      std::shared_ptr<RunningModel> running = model.running;
      try {
        if (running)
          running->reload(model.weights);
        else
          running = std::make_shared<RunningModel>(model.library, model.weights, options_);
      } catch (const std::exception& error) {
        problem = error.what();
        problems += (problems.empty() ? "" : "; ") + problem;
      }
      const std::scoped_lock lock(mutex_);
      auto& known = all_[index_of(name, model.version)];
      known.running = running;
      known.problem = problem;
    }
    if (!problems.empty()) throw sinter::Error(problems);
    return any;
  }
  /// Refuses new requests; those that wait are answered before this returns.
  void unload(const std::string& name) {
    const std::scoped_lock one_at_a_time(loading_);
    std::vector<ServedModel> stopped = versions_of(name);
    {
      const std::scoped_lock lock(mutex_);
      for (auto& model : all_)
        if (model.name == name) model.running = nullptr, model.problem = "unloaded";
    }
    for (auto& model : stopped)
      if (model.running) model.running->queue.stop();
  }
  /// From now on they report that they are not ready, but still answer requests.
  void drain() {
    const std::scoped_lock lock(mutex_);
    draining_ = true;
  }
  void stop() {
    for (const auto& model : all())
      if (model.running) model.running->queue.stop();
  }

 private:
  std::vector<ServedModel> versions_of(const std::string& name) const {
    const std::scoped_lock lock(mutex_);
    index_of(name, "");
    std::vector<ServedModel> found;
    for (const auto& model : all_)
      if (model.name == name) found.push_back(model);
    return found;
  }
  static bool newer(const std::string& a, const std::string& b) {  // as numbers, where they are
    return a.size() != b.size() ? a.size() > b.size() : a > b;
  }
  std::size_t index_of(const std::string& name, const std::string& version) const {
    std::size_t found = all_.size();
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (all_[i].name != name) continue;
      if (version.empty() ? found == all_.size() || newer(all_[i].version, all_[found].version)
                          : all_[i].version == version)
        found = i;
    }
    if (found == all_.size()) throw unknown(name, version);
    return found;
  }
  UnknownModel unknown(const std::string& name, const std::string& version) const {
    constexpr std::size_t most = 400;
    std::string names, versions;
    for (const ServedModel& model : all_) {
      if (names.size() <= most && names.find("\"" + model.name + "\"") == names.npos)
        names += (names.empty() ? "\"" : ", \"") + model.name + "\"";
      if (model.name == name) versions += (versions.empty() ? "" : ", ") + model.version;
    }
    if (versions.empty())
      return UnknownModel("there is no model \"" + shown(name) + "\"; there are " + shown(names, most));
    return UnknownModel("model \"" + name + "\" has no version \"" + shown(version) + "\"; it has " +
                        shown(versions, most));
  }

  const BatcherOptions options_;
  mutable std::mutex mutex_;
  std::mutex loading_;
  std::vector<ServedModel> all_;
  bool draining_ = false;
};

}  // namespace sinter_serve
