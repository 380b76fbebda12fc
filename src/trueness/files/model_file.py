"""Fitted models from files of others, which are read and never executed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from trueness.errors import InputError, Setting
from trueness.typing import Classifier


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
        from trueness.files.onnx_file import OnnxClassifier

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
            fix=("If you know what they do, add ", Setting("trust", unknown[0])),
        )
    if not isinstance(model, Classifier) or not hasattr(model, "classes_"):
        raise InputError("The model file holds no fitted classifier", param="model_file", got=type(model).__name__)
    return model
