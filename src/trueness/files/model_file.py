"""Fitted models from files of others, which are read and never executed."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Never

import numpy as np
import pandas as pd

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
        fix = f"Use [{trust!r}]" if isinstance(trust, str) else ""
        raise InputError("trust must be a list of names", param="trust", got=repr(trust), fix=fix)
    if not isinstance(path, (str, Path)) or "\0" in str(path):
        raise InputError("The model file must be the path of a file", param="model_file", got=repr(path))
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise InputError("The model file cannot be read", param="model_file", got=f"{path}: {error.strerror}") from None
    if Path(path).suffix.lower() == ".onnx":
        return OnnxClassifier(data, path)
    try:
        from skops import io
    except ImportError:
        fix = "Install it: pip install skops"
        raise InputError("A file of skops needs skops", param="model_file", fix=fix) from None
    if not data.startswith(b"PK\x03\x04"):  # skops files are zip archives
        raise InputError(
            "The model file is neither of skops nor of ONNX; trueness does not read pickles",
            param="model_file",
            got=str(path),
            fix="Save the model with skops.io.dump(model, 'model.skops')",
        )
    try:
        unknown = sorted(set(io.get_untrusted_types(data=data)) - set(trust))
        model = None if unknown else io.loads(data, trusted=list(trust))
    except Exception as error:  # whatever is wrong with a file that somebody else made
        raise InputError(
            "The model file is damaged, or was written with other versions of the libraries",
            param="model_file",
            got=str(path),
            reason=f"{type(error).__name__}: {error}",
        ) from None
    if unknown:
        raise InputError(
            "The model file holds types that are not trusted",
            param="model_file",
            got=", ".join(unknown),
            fix=f"If you know what they do, add trust={unknown[0]!r}",
        )
    if not isinstance(model, Classifier) or not hasattr(model, "classes_"):
        raise InputError("The model file holds no fitted classifier", param="model_file", got=type(model).__name__)
    return model


DTYPES: dict[str, type] = {
    "tensor(float)": np.float32,
    "tensor(double)": np.float64,
    "tensor(int64)": np.int64,
    "tensor(int32)": np.int32,
    "tensor(bool)": np.bool_,
    "tensor(string)": object,
}
CLASS_LABELS = ("classlabels_int64s", "classlabels_ints", "classlabels_strings")  # of the operators for classifiers
EXPORT = "Export it as skl2onnx does by default: the predicted label, and a map from class to probability"


class OnnxClassifier:
    """A fitted classifier from the bytes of an ONNX file, with one input of all features or one per feature. Other
    files that it names are not read; `path` is for messages."""

    def __init__(self, data: bytes, path: str | Path) -> None:
        try:
            import onnx
            import onnxruntime
        except ImportError:
            fix = "Install them: pip install onnx onnxruntime"
            raise InputError("An ONNX file needs onnx and onnxruntime", param="model_file", fix=fix) from None
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 4  # errors are raised
        self.path = str(path)
        try:
            graph = onnx.load_model_from_string(data).graph
            self._session = onnxruntime.InferenceSession(
                data, options, providers=["CPUExecutionProvider"], enable_fallback=0
            )
        except Exception as error:  # whatever is wrong with a file that somebody else made
            raise self._refused("cannot be read", reason=f"{type(error).__name__}: {error}") from None
        self._inputs = self._session.get_inputs()
        if unknown := [i.type for i in self._inputs if i.type not in DTYPES or len(i.shape) != 2]:
            raise self._refused("takes inputs that are not columns of a table", f"inputs {', '.join(unknown)}")
        if len(self._inputs) > 1:
            self.feature_names_in_ = np.array([i.name for i in self._inputs], dtype=object)
        types = [output.type for output in self._session.get_outputs()]
        if len(types) != 2 or types[0] not in ("tensor(int64)", "tensor(string)"):
            raise self._refused("holds no classifier", f"outputs {', '.join(types)}", fix=EXPORT)
        labels = [_values(a) for node in graph.node for a in node.attribute if a.name in CLASS_LABELS]
        labels = [found for found in labels if found]
        if not labels:
            raise self._refused("does not name its classes", fix=EXPORT)
        self.classes_ = np.array(labels[-1])

    def _refused(self, what: str, got: str = "", **more: str) -> InputError:
        return InputError(f"The model file {what}", param="model_file", got=f"{self.path}: {got}".rstrip(": "), **more)

    def __repr__(self) -> str:
        return f"OnnxClassifier({Path(self.path).name!r})"

    def fit(self, X: Features, y: object) -> Never:
        """An error: the model is fitted."""
        fix = "Use plan='prefit' and its test set"
        raise InputError("A model from an ONNX file is fitted and cannot be trained", param="plan", fix=fix)

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
        several = len(self._inputs) > 1
        width = len(self._inputs) if several else self._inputs[0].shape[1]
        if isinstance(width, int) and width != table.shape[1]:  # None and texts stand for any number
            raise InputError(f"The model takes {width} features", param="X", got=f"{table.shape[1]} columns")
        if several and isinstance(X, pd.DataFrame):
            table = table[list(self.feature_names_in_)]
        parts = [table.iloc[:, k : k + 1] for k in range(width)] if several else [table]
        values = zip(self._inputs, (part.to_numpy() for part in parts), strict=True)
        return {
            i.name: v.astype(str).astype(object) if "string" in i.type else v.astype(DTYPES[i.type]) for i, v in values
        }


def _values(attribute: Any) -> list[int] | list[str]:
    return list(attribute.ints) or [text.decode() for text in attribute.strings]
