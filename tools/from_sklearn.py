#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""from_sklearn.py MODULE:OBJECT NAME [FOLDER] [--compile]: a trained network of scikit-learn as one of sinter. Needs
scikit-learn, NumPy, and the files beside it.

MODULE is a Python module of yours, found from the current folder, and OBJECT a trained estimator in it, or a function
without arguments that returns one. NAME is what the C++ struct shall be called. Writes FOLDER/NAME.hpp, with the
struct; FOLDER/NAME.safetensors, with its weights and a self-test by the estimator, which sinter's load() replays; and
FOLDER/NAME.cpp, a program that runs the network. --compile compiles what was written and replays the self-test, with
the compiler CXX (g++) and CXXFLAGS (-O1). In Python the same is

    from from_sklearn import convert
    convert(estimator, "Wine", "folder")

An MLPClassifier gives what predict_proba does, an MLPRegressor what predict does. Before it, a Pipeline may have
StandardScaler, MinMaxScaler, MaxAbsScaler and RobustScaler. What sinter does not have is refused: all steps at once,
each with its reason.
"""
import argparse
import importlib
import os
import pathlib
import re
import sys
import warnings

import numpy as np

from compile_check import checked
from layer_graph import Layers, Node, Refused, check_names, number, require, spelled, write_network
from numpy_weights import layer, linear, scaled, write_example
from quoting import say

ACTIVATIONS = {
    "identity": None, "relu": "ReLU", "tanh": "Tanh", "logistic": "Sigmoid", "softmax": "Softmax",
    "exp": "Activation<sinter::fn::~Exp>"}
LINE = 100  # characters of a list of names in a comment

# -- scalers: a function of the step, its input and what to call it in messages ----------------------------------------


def standard(step, x, what):
    return with_scale(x, step.mean_ if step.with_mean else None, step.scale_ if step.with_std else None, what)


def robust(step, x, what):
    return with_scale(x, step.center_ if step.with_centering else None, step.scale_ if step.with_scaling else None,
                      what)


def min_max(step, x, what):
    """Counted from the smallest number seen, so that nothing is lost where that is large."""
    y = scaled(x, step.data_min_, step.scale_, step.min_ + step.data_min_ * step.scale_, what)
    return clipped(y, *step.feature_range, what) if step.clip else y


def max_abs(step, x, what):
    y = with_scale(x, None, step.scale_, what)
    return clipped(y, -1, 1, what) if getattr(step, "clip", False) else y


def with_scale(x, center, scale, what):
    if center is None and scale is None:
        return x
    return scaled(x, 0 if center is None else center, 1 if scale is None else 1 / np.asarray(scale, float), 0, what)


def clipped(x, low, high, what):
    return layer(x, spelled("Hardtanh", number(low), number(high)), x.shape, what)


# -- the network -------------------------------------------------------------------------------------------------------


def perceptron(step, x, what):
    for hidden, (weight, bias) in enumerate(zip(step.coefs_, step.intercepts_), 1):
        last = hidden == len(step.coefs_)
        activation = step.out_activation_ if last else step.activation
        require(activation in ACTIVATIONS, f"the activation {activation!r}; known are {', '.join(ACTIVATIONS)}")
        if last and activation == "logistic" and has_two_classes(step):
            weight, bias = (np.concatenate([np.zeros_like(each), each], -1) for each in (weight, bias))
            activation = "softmax"  # of 0 and z is what predict_proba gives: 1 - logistic(z) and logistic(z)
        x = linear(x, weight, bias, what)
        x = layer(x, ACTIVATIONS[activation], x.shape, what) if ACTIVATIONS[activation] else x
    return x


def has_two_classes(step):
    return type(step).__name__ == "MLPClassifier" and step.n_outputs_ == 1


SCALERS = {"StandardScaler": standard, "RobustScaler": robust, "MinMaxScaler": min_max, "MaxAbsScaler": max_abs}
NETWORKS = {"MLPClassifier": perceptron, "MLPRegressor": perceptron}
SEARCHES = ("GridSearchCV", "RandomizedSearchCV", "HalvingGridSearchCV", "HalvingRandomSearchCV")
FITTED = {"MLPClassifier": "coefs_", "MLPRegressor": "coefs_", "Pipeline": "steps"} | dict.fromkeys(
    SEARCHES, "best_estimator_")


def kind_of(step):
    """The name of a class of scikit-learn; of another one, also of a subclass, with its module."""
    kind = type(step)
    return kind.__name__ if kind.__module__.split(".")[0] == "sklearn" else f"{kind.__module__}.{kind.__qualname__}"


def found_best(estimator):
    """What a search found, of a search."""
    while kind_of(estimator) in SEARCHES:
        require(hasattr(estimator, "best_estimator_"),
                f"the {kind_of(estimator)} has no best_estimator_; call fit(), with refit=True")
        estimator = estimator.best_estimator_
    return estimator


def steps_of(estimator, name=""):
    """Names and steps, those of Pipelines in Pipelines among them."""
    estimator = found_best(estimator)
    if kind_of(estimator) != "Pipeline":
        return [] if estimator is None or isinstance(estimator, str) and estimator == "passthrough" else [
            (name, estimator)]
    return [
        found for inside, step in estimator.steps
        for found in steps_of(step, f"{name}.{inside}" if name else str(inside))]


def with_step(step, x, what, last):
    kind = kind_of(step)
    taken = NETWORKS if last else SCALERS
    require(
        kind in taken, f"sinter has no layers for it; {'the last step is' if last else 'before the network go'} "
        f"{' or '.join(taken)}")
    require(
        hasattr(step, "n_features_in_") and hasattr(step, FITTED.get(kind, "n_features_in_")),
        "it is not trained; call fit()")
    require(step.n_features_in_ == x.shape[0], f"it takes {step.n_features_in_} features, and there are {x.shape[0]}")
    return taken[kind](step, x, what)


def read(steps, features):
    """The input and the output. Refuses all steps that cannot be read, together."""
    begin = x = Node("input", [], (features,), "the input")
    problems = []
    for name, step in steps:
        kind = kind_of(step)
        what = f"step {name!r} ({kind})" if name else kind
        try:
            x = with_step(step, x, what, step is steps[-1][1])
        except Refused as why:
            problems.append(f"{what}: {why}")
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as why:
            problems.append(f"{what}: it is not of the form that is known here: {why}")
    if problems:
        raise Refused(*problems)
    return begin, x


# -- the self-test -----------------------------------------------------------------------------------------------------


def rows_for(begin, first):
    """Rows of numbers as the first step saw them, with zeros and negative numbers, and of numbers beside 0."""
    random, features = np.random.default_rng(1), begin.shape[0]
    center, spread = np.zeros(features), np.ones(features)
    if "running_mean" in first.tensors:
        center, scale = (np.frombuffer(first.tensors[name][2], "<f4").astype(float)
                         for name in ("running_mean", "weight"))
        spread = 1 / np.where(scale == 0, 1, scale)
    near = center + spread * random.integers(-128, 129, features) / 64
    small = random.integers(-128, 129, features) / 64
    small[::3] = 0
    with np.errstate(over="ignore"):
        return np.stack([near, small]).astype(np.float32).astype(float)


def outputs_of(estimator, rows):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that rows have no names of features
        y = estimator.predict_proba(rows) if hasattr(estimator, "predict_proba") else estimator.predict(rows)
    return np.asarray(y, float).reshape(len(rows), -1)


# -- the whole ---------------------------------------------------------------------------------------------------------


def listed(begin, names):
    """Lines of a comment."""
    lines = [begin]
    for name in names:
        if len(lines[-1]) > LINE:
            lines.append("   ")
        lines[-1] += f" {name!r}" if isinstance(name, str) else f" {name}"
    return lines


def described(estimator, network, names):
    kind = type(network).__name__
    lines = [f"scikit-learn's {' > '.join(kind_of(step) for _, step in steps_of(estimator))}"]
    if names is not None:
        lines += listed("Features:", map(str, names))
    if kind == "MLPClassifier":
        apart = network.out_activation_ == "logistic" and not has_two_classes(network)
        each = "the probability of each label by itself" if apart else "probabilities"
        lines += listed(f"Outputs: {each}, as of predict_proba, in the order of classes_:", network.classes_.tolist())
    return lines


def convert(estimator, name, folder="."):
    """Writes NAME.hpp, NAME.safetensors and NAME.cpp to a folder. Raises Refused for what sinter does not have."""
    check_names(name, (1,))
    estimator = found_best(estimator)
    steps = steps_of(estimator)
    require(steps, f"{kind_of(estimator)} has no steps")
    network = steps[-1][1]
    features = getattr(steps[0][1], "n_features_in_", getattr(network, "n_features_in_", None))
    begin, end = read(steps, features if isinstance(features, (int, np.integer)) and features > 0 else 1)
    layers = Layers(name, begin, [end])
    rows = rows_for(begin, layers.order[0])
    test = {"inputs": rows.tolist(), "outputs": outputs_of(estimator, rows).tolist()}
    write_network(layers, test, "from_sklearn.py",
                  described(estimator, network, getattr(estimator, "feature_names_in_", None)), folder)
    write_example(name, "from_sklearn.py", [("input", begin.shape)], ["output"], folder)


def taken_from(text):
    """The estimator that MODULE:OBJECT names."""
    require(
        not re.search(r"\.(pkl|pickle|joblib|skops)$", text),
        f"{text!r} is a file; a pickle runs any code when it is loaded. "
        "Load it, if you trust it, in a module of your own, and give MODULE:OBJECT")
    module, _, path = text.partition(":")
    require(module and path,
            f"{text!r} was given; give MODULE:OBJECT, such as train:model for the variable model of train.py")
    sys.path.insert(0, os.getcwd())
    try:
        found = importlib.import_module(module)
        for part in path.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError) as why:
        raise Refused(f"{text!r} was given: {why}") from None
    return found() if callable(found) and not hasattr(found, "fit") else found


def main():
    parser = argparse.ArgumentParser(prog="from_sklearn", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("estimator", metavar="MODULE:OBJECT")
    parser.add_argument("name")
    parser.add_argument("folder", nargs="?", default=".")
    parser.add_argument("--compile", action="store_true")
    given = parser.parse_args()
    try:
        convert(taken_from(given.estimator), given.name, given.folder)
        done = checked(given.name, given.folder) if given.compile else None
    except (Refused, OSError) as problem:
        say("\n".join(f"from_sklearn: {line}" for line in str(problem).splitlines()), sys.stderr)
        return 1
    say(f"wrote {pathlib.Path(given.folder) / given.name}.hpp, .safetensors and .cpp")
    say(done) if done else None
    return 0


if __name__ == "__main__":
    sys.exit(main())
