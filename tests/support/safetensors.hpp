// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace sinter_test {

struct FixtureTensor {
  std::vector<std::size_t> shape;
  std::vector<float> values;
};

/// The tensors of a file of tests/fixtures, by name. Reads what the README there describes and nothing else.
class Safetensors {
 public:
  explicit Safetensors(const std::string& path) : path_(path) {
    std::ifstream file(path, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    if (bytes.size() < 8) refuse("is missing or empty");
    std::uint64_t length = 0;
    for (std::size_t i = 8; i-- > 0;) length = length << 8 | static_cast<unsigned char>(bytes[i]);
    if (length > bytes.size() - 8) refuse("ends within its header");
    header_ = bytes.substr(8, static_cast<std::size_t>(length));
    const std::string data = bytes.substr(8 + header_.size());

    expect("{");
    do {
      expect("\"");
      const std::string name = header_.substr(at_, header_.find('"', at_) - at_);
      at_ += name.size();
      expect("\":{\"dtype\":\"F32\",\"shape\":");
      FixtureTensor& tensor = tensors_[name];
      tensor.shape = numbers();
      expect(",\"data_offsets\":");
      const std::vector<std::size_t> range = numbers();
      expect("}");

      std::size_t count = 1;
      for (const std::size_t n : tensor.shape) count *= n;
      if (range.size() != 2 || range[1] > data.size() || range[0] + 4 * count != range[1])
        refuse("has wrong offsets of " + name);
      for (std::size_t i = range[0]; i < range[1]; i += 4) {
        std::uint32_t bits = 0;
        for (std::size_t k = 4; k-- > 0;) bits = bits << 8 | static_cast<unsigned char>(data[i + k]);
        float value;
        std::memcpy(&value, &bits, sizeof value);
        tensor.values.push_back(value);
      }
    } while (accept(","));
    expect("}");
  }

  bool has(const std::string& name) const { return tensors_.count(name) != 0; }
  const FixtureTensor& operator[](const std::string& name) const {
    if (!has(name)) refuse("has no tensor " + name);
    return tensors_.at(name);
  }
  /// The numbers of a tensor as T: float or double.
  template <class T>
  std::vector<T> values(const std::string& name) const {
    const std::vector<float>& from = (*this)[name].values;
    return std::vector<T>(from.begin(), from.end());
  }
  const std::map<std::string, FixtureTensor>& tensors() const { return tensors_; }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw std::runtime_error("the fixture " + path_ + " " + why);
  }

  bool accept(const std::string& text) {
    if (header_.compare(at_, text.size(), text) != 0) return false;
    at_ += text.size();
    return true;
  }
  void expect(const std::string& text) {
    if (!accept(text)) refuse("has no " + text + " at byte " + std::to_string(at_) + " of its header");
  }
  /// [1,2,3]
  std::vector<std::size_t> numbers() {
    std::vector<std::size_t> all;
    expect("[");
    do {
      std::size_t n = 0;
      for (; at_ < header_.size() && header_[at_] >= '0' && header_[at_] <= '9'; ++at_)
        n = n * 10 + static_cast<std::size_t>(header_[at_] - '0');
      all.push_back(n);
    } while (accept(","));
    expect("]");
    return all;
  }

  std::string path_, header_;
  std::size_t at_ = 0;
  std::map<std::string, FixtureTensor> tensors_;
};

}  // namespace sinter_test
