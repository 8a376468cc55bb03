#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""from_sklearn.py CXX FOLDER: what tools/from_sklearn.py makes of estimators, compiled and run, against scikit-learn."""
import os
import pathlib
import subprocess
import sys
import warnings

root = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(root / "tools"))
sys.dont_write_bytecode = True

import from_sklearn  # noqa: E402
import numpy as np  # noqa: E402
from converted import check, outputs, struct_of  # noqa: E402
from sklearn.linear_model import LogisticRegression  # noqa: E402
from sklearn.model_selection import GridSearchCV  # noqa: E402
from sklearn.neural_network import MLPClassifier, MLPRegressor  # noqa: E402
from sklearn.pipeline import Pipeline, make_pipeline  # noqa: E402
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, Normalizer  # noqa: E402
from sklearn.preprocessing import PowerTransformer, RobustScaler, StandardScaler  # noqa: E402

random = np.random.default_rng(3)
ROWS, FEATURES = 60, 5
# Features of several sizes: years, small numbers, and one that is always the same.
X = random.normal(size=(ROWS, FEATURES)) * [10, 1e-3, 1, 50, 0] + [2000, 0, -1, 1e4, 7]
TWO, LABELS = np.where(X[:, 0] > 2000, "yes", "no"), np.array(["a", 'b"\n??/', "c"])[random.integers(0, 3, ROWS)]
SEVERAL, ONE, MANY = random.integers(0, 2, (ROWS, 4)), random.normal(size=ROWS), random.normal(size=(ROWS, 3))


def classifier(*hidden, **options):
    return MLPClassifier(hidden_layer_sizes=hidden, max_iter=15, random_state=1, **options)


def regressor(*hidden, **options):
    return MLPRegressor(hidden_layer_sizes=hidden, max_iter=15, random_state=1, **options)


class Mine(MLPClassifier):

    def predict_proba(self, rows):
        return 1 - super().predict_proba(rows)


# The estimator, its targets, and what the header must say.
CASES = {
    "Two": (make_pipeline(StandardScaler(), classifier(7)), TWO,
            "BatchNorm1d<>, sinter::Linear<7>, sinter::ReLU, sinter::Linear<2>, sinter::Softmax> {}"),
    "Three": (make_pipeline(MinMaxScaler(),
                            classifier(6, 4, activation="tanh")), LABELS, "in the order of classes_: 'a' 'b\""),
    "Several": (make_pipeline(RobustScaler(),
                              classifier(5, activation="logistic")), SEVERAL, "sinter::Linear<4>, sinter::Sigmoid> {}"),
    "Bare": (classifier(5, activation="identity"), LABELS,
             "sinter::Input<5>, sinter::Linear<5>, sinter::Linear<3>, sinter::Softmax> {}"),
    "One": (make_pipeline(MaxAbsScaler(),
                          regressor(8)), ONE, "sinter::ReLU, sinter::Linear<1>> {}"), "Many": (Pipeline([
                              ("scale", StandardScaler(with_std=False)), ("nothing", "passthrough"),
                              ("inside", make_pipeline(MinMaxScaler((-2, 3), clip=True), regressor(4, 3)))
                          ]), MANY, "BatchNorm1d<>, sinter::BatchNorm1d<>, sinter::Hardtanh<-2.0, 3.0>"),
    "Counts": (make_pipeline(RobustScaler(with_centering=False), StandardScaler(with_mean=False),
                             MaxAbsScaler(clip=True),
                             regressor(6, loss="poisson")), abs(ONE), "Activation<sinter::fn::Exp>> {}"),
    "Plain": (make_pipeline(StandardScaler(with_mean=False, with_std=False),
                            RobustScaler(with_centering=False, with_scaling=False), StandardScaler(),
                            regressor()), ONE, "sinter::Input<5>, sinter::BatchNorm1d<>, sinter::Linear<1>> {}"),
    "Best": (GridSearchCV(make_pipeline(StandardScaler(), classifier(3)), {"mlpclassifier__alpha": [1e-3, 1e-1]},
                          cv=2), TWO, "StandardScaler > MLPClassifier"), }


def refusals():
    fitted = make_pipeline(StandardScaler(), classifier(3)).fit(X, TWO)
    other = classifier(3).fit(X, TWO)
    other.activation = "swish"
    return ((make_pipeline(Normalizer(), PowerTransformer(), StandardScaler(), LogisticRegression()).fit(X, TWO), [
        "step 'normalizer' (Normalizer): sinter has no layers for it; before the network go StandardScaler or Robust",
        "step 'powertransformer' (PowerTransformer): sinter has no",
        "step 'logisticregression' (LogisticRegression): sinter has no layers for it; the last step is MLPClassifier"
    ]), (Mine(hidden_layer_sizes=(3,),
              max_iter=5).fit(X, TWO), ["__main__.Mine: sinter has no layers for it"
                                        ]), (classifier(3), ["MLPClassifier: it is not trained; call fit()"]),
            (make_pipeline(StandardScaler(),
                           regressor(3)), ["step 'standardscaler' (StandardScaler): it is not trained"]),
            (GridSearchCV(classifier(3), {}), ["the GridSearchCV has no best_estimator_; call fit(), with refit=True"]),
            (other, ["MLPClassifier: the activation 'swish'; known are identity, relu"
                     ]), (fitted[:1], ["StandardScaler): sinter has no layers for it; the last step is"]), (Pipeline([
                         ("a", "passthrough")]), ["Pipeline has no steps"]),
            (make_pipeline(fitted[0],
                           classifier(3).fit(X[:, :4], TWO)),
             ["step 'mlpclassifier' (MLPClassifier): it takes 4 features, and there are 5"
              ]), ({"a": 1}, ["builtins.dict: sinter has no layers for it"
                              ]), (MLPClassifier, ["abc.ABCMeta: sinter has no layers for it"]),
            )


def check_refused(estimator, folder, texts):
    try:
        from_sklearn.convert(estimator, "Refused", folder)
        said = "(nothing)"
    except from_sklearn.Refused as why:
        said = str(why)
    return check(all(text in said for text in texts), f"refused: {said}")


def check_program(cxx, folder):
    """From a shell."""
    (folder / "train.py").write_text(
        "from sklearn.neural_network import MLPRegressor\n"
        "model = MLPRegressor(hidden_layer_sizes=(3,), max_iter=3).fit([[0, 1], [2, 3]] * 3, [1, 2] * 3)\n"
        "def made():\n    return model\n")
    good, settings = True, os.environ | {"CXX": cxx, "CXXFLAGS": "-O0 -DSINTER_KEEP_CALLS"}
    for given, code, text in (("train:made", 0, "replayed its self-test"), ("train:none", 1,
                                                                            "from_sklearn: 'train:none' was given: "),
                              ("none:model", 1, "'none:model' was given: No module named 'none'"),
                              ("train", 1, "give MODULE:OBJECT"), ("model.pkl", 1,
                                                                   "'model.pkl' is a file; a pickle runs any code")):
        more = ["--compile"] if code == 0 else []
        said = subprocess.run([sys.executable, root / "tools/from_sklearn.py", given, "Made", ".", *more], cwd=folder,
                              capture_output=True, text=True, env=settings)
        good &= check(said.returncode == code and text in said.stdout + said.stderr,
                      f"{given}: {said.stdout}{said.stderr}")
    return good


def main():
    cxx, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.*"):
        old.unlink()
    warnings.simplefilter("ignore")  # training ends early
    good = all([check_refused(estimator, folder, texts) for estimator, texts in refusals()])
    good &= check(not list(folder.glob("Refused*")), "what is refused writes nothing")
    wanted = {}
    rows = np.concatenate([X[:20], X[:20] * 1.5,
                           random.normal(size=(10, FEATURES)),
                           np.zeros((1, FEATURES))]).astype(np.float32)
    for name, (estimator, targets, text) in CASES.items():
        estimator.fit(X, targets)
        from_sklearn.convert(estimator, name, folder)
        (folder / f"{name}.rows").write_bytes(rows.astype("<f4").tobytes())
        with warnings.catch_warnings():
            given = estimator.predict_proba if hasattr(estimator, "predict_proba") else estimator.predict
            wanted[name] = np.asarray(given(rows.astype(float)), float).reshape(len(rows), -1)
        good &= check(text in struct_of(folder / f"{name}.hpp"), f"{name}: the header says {text}")
    for name, given in outputs(cxx, root, folder, CASES).items():
        given = np.reshape(given, wanted[name].shape)
        error = abs(given - wanted[name]).max() / max(1, abs(wanted[name]).max())
        good &= check(error < 2e-6, f"{name}: largest difference {error:.1e}")
    return 0 if good and check_program(cxx, folder) else 1


if __name__ == "__main__":
    sys.exit(main())
