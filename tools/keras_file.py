# SPDX-License-Identifier: MIT
"""Reads a .keras file, a zip of config.json, metadata.json and model.weights.h5, as data alone: no class or function
that it names is looked up. from_keras.py needs this file beside it."""
import json
import zipfile
import zlib

from keras_weights import Weights
from layer_graph import Refused, require

CONFIG, ABOUT, WEIGHTS = "config.json", "metadata.json", "model.weights.h5"
HDF5, MOST_LARGER = b"\x89HDF\r\n\x1a\n", 100  # how a file begins, and a ratio that no model has


def read(path):
    """The configuration of the model, and its Weights."""
    try:
        with open(path, "rb") as file:
            require(
                file.read(8) != HDF5,
                f"{path} is an HDF5 file, as older versions wrote them; load it by Keras 3, and save it as .keras")
            with zipfile.ZipFile(file) as parts:
                config, about, weights = (part(parts, name, path) for name in (CONFIG, ABOUT, WEIGHTS))
    except OSError as why:
        raise Refused(f"{path} cannot be read: {why.strerror or why}") from None
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError) as why:
        raise Refused(f"{path} is not a .keras file, or is damaged: {why}") from None
    version = parsed(about, ABOUT, path).get("keras_version")
    require(
        isinstance(version, str) and version.startswith("3."),
        f"{path} was written by Keras {version}; load it by Keras 3, and save it there")
    return parsed(config, CONFIG, path), Weights(weights, path)


def part(parts, name, path):
    require(name in parts.namelist(), f"{path} is not a .keras file: it has no {name}")
    about = parts.getinfo(name)
    require(about.file_size <= MOST_LARGER * about.compress_size + 4096,
            f"{path} is not a .keras file: its {name} is compressed as no model is")
    try:
        return parts.read(name)
    except MemoryError:
        raise Refused(f"{path}: its {name} of {about.file_size} bytes needs more memory than there is") from None


def parsed(data, name, path):
    try:
        given = json.loads(data)
    except ValueError as why:
        raise Refused(f"{path} is not a .keras file: its {name} is not JSON: {why}") from None
    except RecursionError:
        raise Refused(f"{path} is not a .keras file: lists or objects of its {name} are nested too deeply") from None
    require(isinstance(given, dict),
            f"{path} is not a .keras file: its {name} holds {type(given).__name__}, not an object")
    return given
