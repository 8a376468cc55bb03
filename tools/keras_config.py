# SPDX-License-Identifier: MIT
"""What a .keras file says of a layer. Whatever nobody reads may change what the layer computes, and is refused by name.
from_keras.py needs this file beside it."""
import re

from layer_graph import require
from layers_over_time import flag, real, whole

# What only training sees, or how the same is computed, or what it is called.
WITHOUT_EFFECT = {
    "name", "trainable", "seed", "noise_shape", "synchronized", "unroll", "use_cudnn", "flash_attention",
    "unit_forget_bias", "zero_output_for_mask", "renorm_clipping", "renorm_momentum"
}
OF_TRAINING = re.compile(r".+_(initializer|regularizer|constraint)$")
# What is without effect as these values.
ONLY_AS = {
    "quantization_config": (None,), "stateful": (False,), "renorm": (False,), "return_state": (False,),
    "batch_input_shape": (None,), "recurrent_dropout": None}
PRECISIONS = ("float32", "float64", "mixed_float16", "mixed_bfloat16", "float16", "bfloat16")
OF_KERAS = re.compile(r"keras(\.|$)")


class Given:
    """An object "config" of a file."""

    def __init__(self, config):
        require(isinstance(config, dict), f'its "config" is {type(config).__name__}, not an object')
        self.config, self.seen = config, set()

    def __getitem__(self, key):
        self.seen.add(key)
        return self.config[key]

    def get(self, key, otherwise=None):
        self.seen.add(key)
        return self.config.get(key, otherwise)

    def flag(self, key, otherwise=None):
        return flag(self.get(key, otherwise), f'its "{key}"')

    def whole(self, key):
        return whole(self[key], f'its "{key}"')

    def real(self, key, otherwise=None):
        return float(real(self.get(key, otherwise), f'its "{key}"'))

    def choice(self, key, *known):
        """One of several texts. The first one is Keras' default."""
        value = self.get(key, known[0])
        require(
            isinstance(value, (str, type(None))) and value in known,
            f'its "{key}" is {value!r:.60}; known are {", ".join(map(repr, known))}')
        return value

    def wholes(self, key, count):
        """A whole number for each direction."""
        given = self[key]
        return tuple(
            whole(n, f'its "{key}"')
            for n in (given if isinstance(given, list) and len(given) == count else [given] * count))

    def channels_last(self):
        return self.choice("data_format", "channels_last", "channels_first") == "channels_last"

    def refuse_rest(self):
        precision(self.get("dtype", "float32"))
        unknown = []
        for key, value in self.config.items():
            if key in self.seen or key in WITHOUT_EFFECT or OF_TRAINING.match(key):
                continue
            if not (key in ONLY_AS and (ONLY_AS[key] is None or value in ONLY_AS[key])):
                unknown.append(f"{key}={value!r:.40}")
        require(not unknown, f"{', '.join(unknown)} may change what it computes, and sinter has nothing for it")


def precision(given):
    """Refuses weights of 8 bits and others that are no floats. Floats of 16 bits are computed as those of 32."""
    if isinstance(given, dict):
        given = given.get("config",
                          {}).get("name") if given.get("class_name") == "DTypePolicy" else given.get("class_name")
    require(given in PRECISIONS,
            f'its "dtype" is {given!r:.60}; known are {", ".join(PRECISIONS)}')


def kind_of(entry):
    """The class of a layer, of Keras itself; of another one Refused."""
    require(
        isinstance(entry, dict) and isinstance(entry.get("class_name"), str),
        "it is not a layer, which has a class_name")
    kind, package = entry["class_name"], entry.get("module")
    own = isinstance(package,
                     str) and OF_KERAS.match(package) and entry.get("registered_name") in (None, "", kind, "Functional")
    require(
        own,
        f"{entry.get('registered_name') or kind!r:.60} is a class of your own, whose code is not in the file; sinter "
        "has no layer for it"
    )
    return kind
