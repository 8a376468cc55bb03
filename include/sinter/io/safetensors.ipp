// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstring>

#include "sinter/core/json_text.hpp"
#include "sinter/core/text.hpp"
#include "sinter/io/byte_order.hpp"
#include "sinter/io/safetensors.hpp"
#include "sinter/io/sorted.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

SINTER_FUNCTION ElementType element_type_named(std::string_view given, std::string_view tensor, std::string_view file) {
  for (std::size_t i = 0; i < element_types.size(); ++i)
    if (element_types[i].name == given) return static_cast<ElementType>(i);
  fail(joined({file, " holds \"", tensor, "\" as numbers of the unknown type \"", given, "\"; convert it to F32"}));
}

SINTER_FUNCTION TensorPlace read_tensor_place(JsonReader& json, const std::string& name, std::string_view file) {
  TensorPlace place;
  place.tensor.name = name;
  int seen = 0;
  const auto once = [&](int bit) {
    if (seen & bit) json.refuse(joined({"each key once in \"", name, "\""}));
    seen |= bit;
  };
  json.object([&](const std::string& key) {
    if (key == "dtype") {
      once(1);
      place.tensor.type = element_type_named(json.string(), name, file);
    } else if (key == "shape") {
      once(2);
      json.array([&] { place.tensor.shape.push_back(json.whole_number()); });
    } else if (key == "data_offsets") {
      once(4);
      std::size_t count = 0;
      json.array([&] {
        (count == 0 ? place.begin : place.end) = json.whole_number();
        if (++count > 2) json.refuse(joined({"two data_offsets in \"", name, "\""}));
      });
      if (count != 2) json.refuse(joined({"two data_offsets in \"", name, "\""}));
    } else {
      json.refuse(joined({"dtype, shape or data_offsets in \"", name, "\""}));
    }
  });
  if (seen != 7) json.refuse(joined({"dtype, shape and data_offsets in \"", name, "\""}));
  return place;
}

SINTER_FUNCTION std::string_view safetensors_header(std::span<const std::byte> file, std::string_view name) {
  if (file.size() < 8)
    fail(joined({name, " holds ", file.size(), " bytes, expected a safetensors file of 8 or more", damaged}));
  const std::uint64_t length = whole_number_in(file.first(8));
  if (length > longest_safetensors_header || length > file.size() - 8)
    fail(joined({name, " announces a header of ", length, " bytes, and ", file.size() - 8, " follow", damaged}));
  const std::string_view header(reinterpret_cast<const char*>(file.data()) + 8, static_cast<std::size_t>(length));
  if (header.empty() || header[0] != '{') fail(joined({name, " has a header that does not begin with {", damaged}));
  if (!is_valid_utf8(header)) fail(joined({name, " has a header that is not UTF-8 text", damaged}));
  return header;
}

SINTER_FUNCTION std::span<const std::byte> bytes_at(const TensorPlace& place, std::uint64_t at,
                                                    std::span<const std::byte> data, std::string_view file) {
  const NamedTensor& tensor = place.tensor;
  const auto refuse = [&](const std::string& what) { fail(joined({file, ": \"", tensor.name, "\" ", what, damaged})); };
  if (place.begin != at || place.end < place.begin)
    refuse(joined({"lies at bytes ", place.begin, " to ", place.end, ", expected to begin at ", at}));
  std::uint64_t bytes = 0;
  if (!bytes_of(tensor.type, tensor.shape, bytes) || bytes != place.end - place.begin)
    refuse(joined({"is ", name_of(tensor.type), " of ", shape_text(tensor.shape), ", and has ", place.end - place.begin,
                   " bytes"}));
  if (place.end > data.size())
    refuse(joined({"ends at byte ", place.end, " of the data, of which there are ", data.size()}));
  return data.subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(bytes));
}

SINTER_FUNCTION void reverse(TensorFile& file) {
  std::size_t size = 0;
  for (const NamedTensor& tensor : file.tensors) size += tensor.bytes.size();
  const auto copies = std::make_shared<std::vector<std::byte>>(size);
  std::span<std::byte> free = *copies;
  for (NamedTensor& tensor : file.tensors) {
    const auto copy = free.first(tensor.bytes.size());
    std::copy(tensor.bytes.begin(), tensor.bytes.end(), copy.begin());
    reverse_numbers(tensor.type, copy);
    tensor.bytes = copy;
    free = free.subspan(copy.size());
  }
  file.reversed = copies;
}

}  // namespace detail

SINTER_FUNCTION TensorFile parse_safetensors(std::span<const std::byte> file, std::string_view name) {
  const std::string_view header = detail::safetensors_header(file, name);
  const auto data = file.subspan(8 + header.size());
  TensorFile result;
  std::vector<detail::TensorPlace> places;
  JsonReader json(header, joined({"the header of ", name}));
  bool metadata = false;
  json.object([&](const std::string& key) {
    if (key == "__metadata__") {
      if (metadata) json.refuse("__metadata__ once");
      metadata = true;
      json.object([&](const std::string& text) { result.metadata.emplace_back(text, json.string()); });
    } else {
      places.push_back(detail::read_tensor_place(json, key, name));
    }
  });
  json.end();

  std::vector<detail::SortKey> keys;
  for (const auto& entry : result.metadata) keys.push_back({0, 0, entry.first, 0});
  detail::check_names_differ(keys, name);
  keys.clear();
  for (const auto& place : places) keys.push_back({0, 0, place.tensor.name, 0});
  detail::check_names_differ(keys, name);

  keys.clear();
  for (std::size_t i = 0; i < places.size(); ++i)
    keys.push_back({places[i].begin, places[i].end, places[i].tensor.name, i});
  detail::sort_keys(keys);
  std::uint64_t at = 0;
  for (const auto& key : keys) {
    auto& place = places[key.item];
    place.tensor.bytes = detail::bytes_at(place, at, data, name);
    at = place.end;
    result.tensors.push_back(std::move(place.tensor));
  }
  if (at != data.size())
    fail(joined({name, " has ", data.size() - at, " bytes after its last tensor", detail::damaged}));
  if constexpr (detail::reverses_numbers) detail::reverse(result);
  return result;
}

SINTER_FUNCTION std::vector<std::byte> safetensors_bytes(const std::vector<NamedTensor>& tensors,
                                                         const Metadata& metadata) {
  std::vector<detail::SortKey> keys;
  for (const auto& entry : metadata) keys.push_back({0, 0, entry.first, 0});
  detail::check_names_differ(keys, "the metadata");
  keys.clear();
  for (const auto& tensor : tensors) keys.push_back({0, 0, tensor.name, 0});
  detail::check_names_differ(keys, "the list of tensors");
  keys.clear();
  for (std::size_t i = 0; i < tensors.size(); ++i)
    keys.push_back({64 - bits_of(tensors[i].type), static_cast<std::uint64_t>(tensors[i].type), tensors[i].name, i});
  detail::sort_keys(keys);

  std::string header = "{";
  const auto quoted = [](const std::string& text) {
    if (!is_valid_utf8(text))
      fail(joined({"the text \"", text, "\" for a safetensors file is not UTF-8; encode it as UTF-8"}));
    return json_string(text);
  };
  for (const auto& [key, text] : metadata)
    header += joined({header.size() == 1 ? "\"__metadata__\":{" : ",", quoted(key), ":", quoted(text)});
  if (!metadata.empty()) header += "}";
  std::uint64_t at = 0;
  for (const auto& key : keys) {
    const NamedTensor& tensor = tensors[key.item];
    std::uint64_t bytes = 0;
    if (tensor.name == "__metadata__" || !bytes_of(tensor.type, tensor.shape, bytes) || bytes != tensor.bytes.size())
      fail(joined(
          {"the tensor \"", tensor.name, "\", ", name_of(tensor.type), " of ", shape_text(tensor.shape), " with ",
           tensor.bytes.size(),
           " bytes, cannot be written; give a shape for exactly these bytes, and another name than __metadata__"}));
    header += joined(
        {header.size() == 1 ? "" : ",", quoted(tensor.name), ":{\"dtype\":\"", name_of(tensor.type), "\",\"shape\":["});
    for (std::size_t i = 0; i < tensor.shape.size(); ++i) header += joined({i ? "," : "", tensor.shape[i]});
    header += joined({"],\"data_offsets\":[", at, ",", at + bytes, "]}"});
    at += bytes;
  }
  header += "}";
  header.append((8 - header.size() % 8) % 8, ' ');
  if (header.size() > detail::longest_safetensors_header)
    fail(joined(
        {"a safetensors header of ", header.size(),
         " bytes would not be read by others, whose limit is 100,000,000; write less metadata, or several files"}));

  std::vector<std::byte> file(8 + header.size() + static_cast<std::size_t>(at));
  detail::put_whole_number(header.size(), std::span(file).first(8));
  std::memcpy(file.data() + 8, header.data(), header.size());
  std::size_t to = 8 + header.size();
  for (const auto& key : keys) {
    const NamedTensor& tensor = tensors[key.item];
    const auto place = std::span(file).subspan(to, tensor.bytes.size());
    std::copy(tensor.bytes.begin(), tensor.bytes.end(), place.begin());
    if constexpr (detail::reverses_numbers) detail::reverse_numbers(tensor.type, place);
    to += place.size();
  }
  return file;
}

SINTER_NAMESPACE_END
