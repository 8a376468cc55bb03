// SPDX-License-Identifier: MIT
#pragma once

#include <dlfcn.h>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <sinter/core/error.hpp>
#include <sinter/data/read_file.hpp>
#include <sinter/io/library_interface.hpp>
#include <string>
#include <utility>
#include <vector>

namespace sinter_serve {

/// One of the outputs that a row of the output has, one after another.
struct Head {
  std::string name;  // its number, where it has none
  std::vector<std::size_t> shape;
};

/// The two tensors of a model: their names, the sizes of a row, and how many numbers it has.
struct Tensors {
  std::string input, output;
  std::vector<std::size_t> input_shape, output_shape;
  std::size_t inputs = 0, outputs = 0;
  std::vector<Head> heads{};  // where there are several
};

/// A shared library made by sinter_add_model_library, open for as long as this lives. Its file is called libNAME.so, where
/// NAME begins the names of its functions.
class ModelLibrary {
 public:
  struct Model;
  struct Workspace;

  explicit ModelLibrary(const std::string& path) : path_(path), prefix_(prefix_of(path)) {
    // With a slash, so that it is not searched for in other folders.
    handle_.reset(dlopen(std::filesystem::absolute(path).c_str(), RTLD_NOW | RTLD_LOCAL));
    if (!handle_) sinter::internal::fail("the library " + path + " cannot be opened: " + dlerror());
    unsigned (*version)() = nullptr;
    get("interface", version);
    constexpr unsigned needed = sinter::internal::detail::library_interface;
    if (version() < needed)
      sinter::internal::fail("the library " + path + " has version " + std::to_string(version()) +
                             " of the C interface, expected " + std::to_string(needed) +
                             " or later; compile it with this version of sinter");
    get("network", network);
    tensors_ = {name("input_name"),
                name("output_name"),
                shape("input_shape"),
                shape("output_shape"),
                size("inputs"),
                size("outputs"),
                heads()};
    get("open_bytes", open_bytes_), get("close", close), get("error", error), get("isa", isa);
    get("class_name", class_name), get("class_of_output", class_of_output);
    get("self_tested", self_tested), get("predict_in", predict_in);
    get("workspace_open", workspace_open), get("workspace_close", workspace_close);
  }

  /// The weights of a safetensors file; fails with a message if they do not fit or do not pass their self-test.
  std::shared_ptr<const Model> open(const std::string& weights) const {
    const std::vector<std::byte> file = sinter::internal::read_file(weights, "safetensors file");
    Model* const model = open_bytes_(file.data(), file.size());
    if (!model) sinter::internal::fail("the weights " + weights + " cannot be opened: " + error());
    return {model, [close = close](const Model* opened) { close(const_cast<Model*>(opened)); }};
  }
  const Tensors& tensors() const { return tensors_; }
  const std::string& path() const { return path_; }

  const char* (*network)() = nullptr;
  const char* (*error)() = nullptr;
  const char* (*isa)(const Model*) = nullptr;
  const char* (*class_name)(const Model*, std::size_t) = nullptr;
  const char* (*class_of_output)(const Model*, std::size_t, std::size_t) = nullptr;
  int (*self_tested)(const Model*) = nullptr;
  int (*predict_in)(const Model*, const float*, std::size_t, Workspace*, float*) = nullptr;
  Workspace* (*workspace_open)(const Model*) = nullptr;
  void (*workspace_close)(Workspace*) = nullptr;
  void (*close)(Model*) = nullptr;

 private:
  struct Close {
    void operator()(void* handle) const { dlclose(handle); }
  };
  static std::string prefix_of(const std::string& path) {
    std::string name = std::filesystem::path(path).filename();
    if (name.starts_with("lib")) name.erase(0, 3);
    return name.substr(0, name.find('.'));
  }
  std::string name(const char* function) const {
    const char* (*ask)() = nullptr;
    get(function, ask);
    return ask();
  }
  std::size_t size(const char* function) const {
    std::size_t (*ask)() = nullptr;
    get(function, ask);
    return ask();
  }
  std::vector<std::size_t> shape(const char* function) const {
    std::size_t (*ask)(std::size_t*) = nullptr;
    get(function, ask);
    std::vector<std::size_t> sizes(3);
    sizes.resize(ask(sizes.data()));
    return sizes;
  }
  std::vector<Head> heads() const {
    const char* (*name_of)(std::size_t) = nullptr;
    std::size_t (*shape_of)(std::size_t, std::size_t*) = nullptr;
    get("name_of_output", name_of), get("shape_of_output", shape_of);
    std::vector<Head> all;
    for (std::size_t i = 0, count = size("output_count"); count > 1 && i < count; ++i) {
      all.push_back({name_of(i) ? name_of(i) : std::to_string(i), std::vector<std::size_t>(3)});
      all[i].shape.resize(shape_of(i, all[i].shape.data()));
    }
    return all;
  }
  template <class Function>
  void get(const char* name, Function*& function) const {
    const std::string whole = prefix_ + "_" + name;
    function = reinterpret_cast<Function*>(dlsym(handle_.get(), whole.c_str()));
    if (!function)
      sinter::internal::fail(
          "the library " + path_ + " has no function " + whole +
          "; make it by this version's sinter_add_model_library(NAME ..), and leave it the name libNAME.so");
  }

  std::string path_, prefix_;
  std::unique_ptr<void, Close> handle_;
  Tensors tensors_;
  Model* (*open_bytes_)(const void*, std::size_t) = nullptr;
};

}  // namespace sinter_serve
