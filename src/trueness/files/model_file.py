"""Fitted models from files of others, which are read and never executed."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Never

import numpy as np
import pandas as pd

from trueness.checks import path_of
from trueness.errors import InputError
from trueness.typing import Array, Classifier, Features, Floats


def read_model(path: str | Path, trust: Sequence[str] = ()) -> Classifier:
    """Read a fitted model that `skops.io.dump` wrote, or a classifier in an ONNX file.

    The file is data. A file of skops names types and holds their parts; types that skops does not know as safe are
    refused unless they are trusted by name. A file of ONNX is a graph of operators that onnxruntime computes. Files of
    pickle or joblib are refused: to read one is to run what it says.

    Parameters
    ----------
    path : str or Path
        A .skops file, or an .onnx file with two outputs: the label, and a probability per class.
    trust : sequence of str, default ()
        Names of further types in a .skops file to accept, as the error shows them; look at what they do first.

    Returns
    -------
    estimator
        For `trueness.assess(model, X_test, y_test, plan="prefit")`.

    Raises
    ------
    InputError
        Where the file is no such file, or holds types that are not trusted; `got` lists them.
    """
    if isinstance(trust, str) or not isinstance(trust, Sequence):
        raise InputError("trust must be a list of names", param="trust", got=repr(trust))
    path = path_of("model_file", path)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise _refused(path, "cannot be read", str(error.strerror)) from None
    if path.suffix.lower() == ".onnx":
        return OnnxClassifier(data, path)
    try:
        from skops import io
    except ImportError:
        raise InputError("A .skops file needs skops", param="model_file", fix="Run pip install skops") from None
    if not data.startswith(b"PK\x03\x04"):  # skops files are zip archives
        raise _refused(path, "is neither of skops nor of ONNX", fix="Save it with skops.io.dump; pickles are not read")
    try:
        unknown = sorted(set(io.get_untrusted_types(data=data)) - set(trust))
        model = None if unknown else io.loads(data, trusted=list(trust))
    except Exception as error:  # whatever is wrong with a file that somebody else made
        raise _refused(path, "cannot be read", f"{type(error).__name__}: {error}") from None
    if unknown:
        problem, fix = "The model file holds types that are not trusted", f"To accept them pass trust={unknown}"
        raise InputError(problem, param="model_file", got=", ".join(unknown), fix=fix)
    if not isinstance(model, Classifier) or not hasattr(model, "classes_"):
        raise _refused(path, "holds no fitted classifier", type(model).__name__)
    return model


def _refused(path: Path, what: str, got: str = "", fix: str = "") -> InputError:
    return InputError(f"The model file {what}", param="model_file", got=f"{path}: {got}".rstrip(": "), fix=fix)


DTYPES: dict[str, type] = {
    "tensor(float)": np.float32,
    "tensor(double)": np.float64,
    "tensor(int64)": np.int64,
    "tensor(int32)": np.int32,
    "tensor(bool)": np.bool_,
    "tensor(string)": object,
}
CLASS_LABELS = ("classlabels_int64s", "classlabels_ints", "classlabels_strings")  # of the operators for classifiers
EXPORT = "Export it with the predicted label and a map from class to probability, as skl2onnx does"


class OnnxClassifier:
    """A fitted classifier from the bytes of an ONNX file, with one input of all features or one per feature. Other
    files that it names are not read; `path` is for messages."""

    def __init__(self, data: bytes, path: Path) -> None:
        try:
            import onnx
            import onnxruntime
        except ImportError:
            raise InputError(
                "An .onnx file needs onnx and onnxruntime", param="model_file", fix="Install both"
            ) from None
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 4  # errors are raised
        self.path = path
        try:
            graph = onnx.load_model_from_string(data).graph
            self._session = onnxruntime.InferenceSession(
                data, options, providers=["CPUExecutionProvider"], enable_fallback=0
            )
        except Exception as error:  # whatever is wrong with a file that somebody else made
            raise _refused(path, "cannot be read", f"{type(error).__name__}: {error}") from None
        self._inputs = self._session.get_inputs()
        if unknown := [i.type for i in self._inputs if i.type not in DTYPES or len(i.shape) != 2]:
            raise _refused(path, "takes inputs that are not columns of a table", f"inputs {', '.join(unknown)}")
        if len(self._inputs) > 1:
            self.feature_names_in_ = np.array([i.name for i in self._inputs], dtype=object)
        types = [output.type for output in self._session.get_outputs()]
        if len(types) != 2 or types[0] not in ("tensor(int64)", "tensor(string)"):
            raise _refused(path, "holds no classifier", f"outputs {', '.join(types)}", EXPORT)
        labels = [_values(a) for node in graph.node for a in node.attribute if a.name in CLASS_LABELS]
        labels = [found for found in labels if found]
        if not labels:
            raise _refused(path, "does not name its classes", fix=EXPORT)
        self.classes_ = np.array(labels[-1])

    def __repr__(self) -> str:
        return f"OnnxClassifier({self.path.name!r})"

    def fit(self, X: Features, y: object) -> Never:
        """An error: the model is fitted."""
        raise InputError("A model from an ONNX file cannot be trained", param="plan", fix="Pass plan='prefit'")

    def __sklearn_clone__(self) -> Never:
        self.fit(None, None)

    def predict(self, X: Features) -> Array:
        """(m,) the label of each case."""
        return np.asarray(self._session.run(None, self._columns(X))[0])

    def predict_proba(self, X: Features) -> Floats:
        """(m, C) the probability of each class."""
        found = self._session.run(None, self._columns(X))[1]
        if isinstance(found, list):  # a map for each case
            found = [[row[label] for label in self.classes_.tolist()] for row in found]
        return np.asarray(found, dtype=float)

    def _columns(self, X: Features) -> dict[str, Array]:
        table = X if isinstance(X, pd.DataFrame) else pd.DataFrame(np.asarray(X))
        several, width = len(self._inputs) > 1, self._inputs[0].shape[1]
        if several:
            width = len(self._inputs)
            table = table[list(self.feature_names_in_)] if isinstance(X, pd.DataFrame) else table
        if isinstance(width, int) and width != table.shape[1]:  # None and texts stand for any number
            raise InputError(f"The model takes {width} features", param="X", got=f"{table.shape[1]} columns")
        parts = [table.iloc[:, [k]] for k in range(width)] if several else [table]
        values = zip(self._inputs, parts, strict=True)
        return {
            i.name: v.astype(str).to_numpy(object) if "string" in i.type else v.to_numpy(DTYPES[i.type])
            for i, v in values
        }


def _values(attribute: Any) -> list[int] | list[str]:
    return list(attribute.ints) or [text.decode() for text in attribute.strings]
