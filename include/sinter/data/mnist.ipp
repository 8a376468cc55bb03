// SPDX-License-Identifier: MIT
#pragma once

#include <utility>

#include "sinter/data/check.hpp"
#include "sinter/data/mnist.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

SINTER_FUNCTION std::string find_idx(const std::string& folder, const std::string& stem, const std::string& kind) {
  const std::string usual = folder + "/" + stem + "-" + kind, other = folder + "/" + stem + "." + kind;
  for (const std::string& path : {usual, other})
    if (exists(path)) return path;
  for (const std::string& path : {usual + ".gz", other + ".gz"})
    if (exists(path)) fail(path + " is compressed by gzip, expected " + usual + "; run: gunzip " + path);
  if (!exists(folder))
    fail("the folder " + folder + " does not exist, expected one with the MNIST files (" + stem + "-" + kind +
         ", ..); get them with examples/data/fetch, or check the path");
  fail("the folder " + folder + " has no file " + stem + "-" + kind +
       ", expected the four MNIST files; get them with examples/data/fetch, or check the path");
}

SINTER_FUNCTION Mnist::Data read_mnist_part(const std::string& folder, const std::string& part) {
  const std::string images_path = find_idx(folder, part + "-images", "idx3-ubyte");
  const std::string labels_path = find_idx(folder, part + "-labels", "idx1-ubyte");
  IdxFile images = read_idx(images_path), labels = read_idx(labels_path);
  if (images.dims.size() != 3)
    fail(images_path + " has 1 dimension, expected 3 (images); check that images and labels are not swapped");
  if (labels.dims.size() != 1)
    fail(labels_path + " has 3 dimensions, expected 1 (labels); check that images and labels are not swapped");
  if (images.dims[1] != 28 || images.dims[2] != 28)
    fail(images_path + " holds images of " + std::to_string(images.dims[1]) + " x " + std::to_string(images.dims[2]) +
         ", expected 28 x 28; read another size with read_idx() and dataset()");
  if (images.dims[0] != labels.dims[0])
    fail(images_path + " holds " + std::to_string(images.dims[0]) + " images and " + labels_path + " " +
         std::to_string(labels.dims[0]) + " labels, expected as many; take both from one source");
  check_labels(std::span<const std::uint8_t>(labels.bytes), 10, labels_path.c_str());
  return {std::move(images.bytes), std::move(labels.bytes), Normalize::pixels(0.1307f, 0.3081f)};
}

}  // namespace detail

SINTER_NAMESPACE_END
