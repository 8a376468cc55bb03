# SPDX-License-Identifier: MIT
"""The graph of a model in a .keras file: which layers are called with which values. from_keras.py needs this file.

A model, or one inside of it, is computed by `run`, of whatever a function makes of one call: layers, or numbers.
"""
import graphlib
import re

from keras_config import Given, kind_of
from layer_graph import require

MODELS = ("Sequential", "Functional", "Model")
OPERATIONS = re.compile(r"keras\.src\.ops\.|keras\.ops")
MOST_NESTED = 50  # models inside of others


class Layer:
    """One entry of a model. `place`: where its weights are."""

    def __init__(self, entry, name, place, weights):
        self.kind, self.name, self.place, self.stored = kind_of(entry), name, place, weights
        self.is_operation = bool(OPERATIONS.match(entry["module"]))
        self.given = Given(entry["config"])
        self.described = f"layer {name!r} ({self.kind})"

    def weights(self, *shapes, inside=""):
        """Its arrays, one for each of the shapes that is not None. `inside`: the place of a part that has some."""
        place, name = (f"{self.place}/{inside}", None) if inside else (self.place, self.given.get("name"))
        arrays = iter(self.stored.arrays(place, name))
        given = [None if shape is None else next(arrays, None) for shape in shapes]
        for array, shape in zip(given, shapes):
            found = "none" if array is None else list(array.shape)
            require(shape is None or array is not None and array.shape == tuple(shape),
                    f"its weights have the sizes {found}; expected are {list(shape or ())}")
        require(next(arrays, None) is None, "it has more weights than are known")
        return given

    def inner(self, key, place):
        """A layer that is given in its "config"."""
        entry = self.given[key]
        kind = kind_of(entry)
        require(kind not in MODELS, f"a {kind} inside of it")
        made = Layer(entry, self.name, f"{self.place}/{place}", self.stored)
        made.described = self.described
        return made


class Call:
    """`target`: a Layer or Model, or None of one that is refused. `arguments`, `options`: as the file has them, with
    values as Refs. `shape`: the sizes that the file says it gives, or None."""

    def __init__(self, target, arguments, options, ref, shape=None):
        self.target, self.arguments, self.options, self.ref, self.shape = target, arguments, options, ref, shape


class Ref(tuple):
    """A value: the name of a layer, which of its calls makes it, and which of its values it is."""


def snake_case(name):
    """As Keras names places of weights."""
    name = re.sub("(.)([A-Z][a-z]+)", r"\1_\2", re.sub(r"\W+", "", name))
    return re.sub("([a-z])([A-Z])", r"\1_\2", name).lower()


def text(given, what):
    require(isinstance(given, str), f"{what} is {given!r:.60}; it must be a name")
    return given


def refs(given, shapes):
    """What is given to a layer, with Refs for values, whose sizes go to `shapes`."""
    if isinstance(given, dict) and given.get("class_name") == "__keras_tensor__":
        value = ref(given["config"]["keras_history"])
        shapes[value] = given["config"].get("shape")
        return value
    if isinstance(given, dict):
        return {key: refs(value, shapes) for key, value in given.items()}
    return [refs(value, shapes) for value in given] if isinstance(given, list) else given


def ref(given):
    require(
        isinstance(given, list) and len(given) == 3 and isinstance(given[0], str) and
        all(type(n) is int for n in given[1:]), f"{given!r:.60} names no value of a layer")
    return Ref(given)


def all_refs(given):
    if isinstance(given, Ref):
        return [given]
    inside = given.values() if isinstance(given, dict) else given if isinstance(given, list) else ()
    return [found for value in inside for found in all_refs(value)]


def listed(given):
    """Names and Refs of "input_layers" or "output_layers": one, several, or with names."""
    if isinstance(given, dict):
        return [(text(name, "an output"), ref(value)) for name, value in given.items()]
    require(isinstance(given, list) and given, f"its inputs or outputs are {given!r:.60}")
    several = given if isinstance(given[0], list) else [given]
    return [(one[0], one) for one in map(ref, several)]


class Model:
    """`inputs`: Refs, and sizes with the batch, or None where the file does not say them; `calls`; `outputs`: names and
    Refs."""

    def __init__(self, entry, name, place, weights, problems, depth=0):
        require(depth < MOST_NESTED, f"there are models in models, {MOST_NESTED} deep")
        self.name, self.described, self.problems, self.used = name, f"model {name!r}", problems, {}
        self.place, self.stored, self.depth = place, weights, depth
        self.kind = kind_of(entry)
        require(
            self.kind in MODELS,
            f"{self.kind} is no Sequential or functional model; its code is not in the file, and sinter has no "
            "layer for it"
        )
        given, entries = entry["config"], entry["config"]["layers"]
        require(isinstance(entries, list) and entries, 'its "layers" are no list')
        sequential = self.kind == "Sequential"
        self.inputs, self.calls, self.outputs = (self.sequential if sequential else self.functional)(given, entries)

    def target(self, entry, name):
        """The Layer or Model of an entry; None, with the reason noted, of one that is refused."""
        kind = entry.get("class_name") if isinstance(entry, dict) else None
        is_layer = isinstance(entry, dict) and not OPERATIONS.match(str(entry.get("module")))
        place = f"{self.place}/layers/{self.unique(snake_case(str(kind)))}".lstrip("/") if is_layer else ""
        if kind in MODELS:
            return self.problems.run(f"model {name!r}", Model, entry, name, place, self.stored, self.problems,
                                     self.depth + 1)
        return self.problems.run(f"layer {name!r} ({kind})" if kind else f"layer {name!r}", Layer, entry, name, place,
                                 self.stored)

    def unique(self, name):
        self.used[name] = self.used.get(name, -1) + 1
        return f"{name}_{self.used[name]}" if self.used[name] else name

    def sequential(self, given, entries):
        shape, calls, before = given.get("build_input_shape"), [], Ref(("input", 0, 0))
        for number, entry in enumerate(entries):
            if isinstance(entry, dict) and entry.get("class_name") == "InputLayer":
                require(number == 0, "an InputLayer is not its first layer")
                shape, before = batch_shape(entry["config"]), Ref((str(entry["config"].get("name", "input")), 0, 0))
                continue
            name = str((entry.get("config") or {}).get("name", number)) if isinstance(entry, dict) else str(number)
            if calls and isinstance(entry, dict):
                calls[-1].shape = (entry.get("build_config") or {}).get("input_shape")
            calls.append(Call(self.target(entry, name), [before], {}, Ref((f"{number} {name}", 0, 0))))
            before = calls[-1].ref
        first = calls[0].arguments[0] if calls else before
        return [(first, shape)], calls, [(self.name, before)]

    def functional(self, given, entries):
        inputs, calls, shapes = {}, {}, {}
        for entry in entries:
            require(isinstance(entry, dict), "one of its layers is no object")
            name = text(entry.get("name"), 'the "name" of a layer')
            if entry.get("class_name") == "InputLayer":
                inputs[Ref((name, 0, 0))] = batch_shape(entry["config"])
                continue
            target = self.target(entry, name)
            for number, node in enumerate(entry["inbound_nodes"]):
                require(isinstance(node, dict), f"the calls of its layer {name!r} are not those of Keras 3")
                at = Ref((name, number, 0))
                require(at not in calls, f"there are several layers {name!r}")
                calls[at] = Call(target, refs(node.get("args", []), shapes), refs(node.get("kwargs", {}), shapes), at)
        for at, call in calls.items():
            call.shape = shapes.get(at)
        models = {
            at[0] for at, call in calls.items() if isinstance(call.target, Model) and call.target.kind != "Sequential"}
        outputs = [(key, Ref((value[0], value[1] - (value[0] in models), value[2])))
                   for key, value in listed(given["output_layers"])]  # which count its own graph
        begins = [value for _, value in listed(given["input_layers"])]
        require(all(value in inputs for value in begins), "one of its inputs is no InputLayer")
        return [(value, inputs[value]) for value in begins], in_order(calls, [value for _, value in outputs]), outputs

    def run(self, inputs, made):
        """The outputs, of what `made(call, arguments, options)` gives for each call, from what the inputs are."""
        values = {value: given for (value, _), given in zip(self.inputs, inputs)}

        def found(given):
            if isinstance(given, Ref):
                require(given in values, f"value {given[2]} of layer {given[0]!r} is not known")
                return values[given]
            if isinstance(given, list):
                return [found(value) for value in given]
            return {key: found(value) for key, value in given.items()} if isinstance(given, dict) else given

        for call in self.calls:
            if isinstance(call.target, Model):
                more = [key for key, value in call.options.items() if value is not None and value is not False]
                require(not more and not any(isinstance(one, dict) for one in call.arguments),
                        f"{call.target.described} is called with {', '.join(more) or 'names of its inputs'}")
                given = [found(value) for value in all_refs(call.arguments)]
                require(len(given) == len(call.target.inputs), f"{call.target.described} is given {len(given)} values")
                for number, value in enumerate(call.target.run(given, made)):
                    values[Ref((*call.ref[:2], number))] = value
            else:
                values[call.ref] = made(call, found(call.arguments), found(call.options))
        return [found(value) for _, value in self.outputs]


def batch_shape(config):
    shape = config.get("batch_shape")
    require(isinstance(shape, list) and len(shape) > 0, f'an InputLayer has the "batch_shape" {shape!r:.60}')
    return shape


def in_order(calls, ends):
    """Calls, each after those whose values it takes; without those that no output needs."""
    needs = {
        at: [value for given in (call.arguments, call.options) for value in all_refs(given)]
        for at, call in calls.items()}
    left, wanted = list(ends), {}
    while left:
        value = left.pop()
        at = Ref((*value[:2], 0))
        if at in calls and at not in wanted:
            wanted[at] = [Ref((*other[:2], 0)) for other in needs[at]]
            left += wanted[at]
    try:
        return [calls[at] for at in graphlib.TopologicalSorter(wanted).static_order() if at in calls]
    except graphlib.CycleError:
        require(False, "its layers read one another in a circle")
