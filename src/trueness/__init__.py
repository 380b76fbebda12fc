"""trueness: how good is a classifier really, how sure are we, is it better than the other one, and where to set
its threshold.

Importing trueness does no work: a name loads its room when it is first used.
"""

import ast
import importlib
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

__version__ = "0.3.0.dev0"

# public name → the module it lives in
_HOME = {
    "Bootstrap": "trueness.plans",
    "CvBootstrap": "trueness.plans",
    "Estimate": "trueness.result",
    "Fits": "trueness.sample",
    "Holdout": "trueness.plans",
    "KFold": "trueness.plans",
    "assess": "trueness.api.assess",
    "calibration": "trueness.probabilities.calibrated",
    "check": "trueness.leaks.check",
    "compare": "trueness.api.compare",
    "decision_curve": "trueness.probabilities.benefit",
    "diagnose": "trueness.tables.diagnose",
    "difference": "trueness.estimators",
    "estimate": "trueness.estimators",
    "fit": "trueness.fitting",
    "learning_curve": "trueness.selection.learning",
    "pr": "trueness.curves.pr",
    "readers": "trueness.reading.study",
    "roc": "trueness.curves.roc",
    "subgroups": "trueness.api.subgroups",
    "two_sets": "trueness.api.two_sets",
    # rooms
    "comparisons": "",
    "curves": "",
    "errors": "",
    "metrics": "",
    "plans": "",
    "sealed": "",
    "selection": "",
    "statistics": "",
    "studies": "",
    "systems": "",
    "tables": "",
}

__all__ = sorted(_HOME)
# rooms that few users need
_INNER = dict.fromkeys(
    ("api", "displays", "figures", "files", "leaks", "probabilities", "reading", "report", "result", "sample"), ""
)
# names of earlier versions that are called otherwise now; the others are found by name in the rooms
_RENAMED = {
    "auc": "trueness.roc(y, scores).auc",
    "compare_systems": "trueness.systems.compare",
    "diagnostic": "trueness.tables",
    "hygiene": "trueness.check, trueness.selection and trueness.sealed",
    **dict.fromkeys(("roc_test", "delong_test"), "trueness.comparisons.delong"),
    **dict.fromkeys(("val_prob", "val_prob_ci", "calibrate"), "trueness.calibration"),
    **dict.fromkeys(("dca", "net_benefit"), "trueness.decision_curve"),
    **dict.fromkeys(("ci_auc", "ci_roc", "coords"), "trueness.roc(y, scores)"),
    **dict.fromkeys(("epi_tests", "confusion_matrix", "classification_report"), "trueness.diagnose"),
    "mcnemar_test": "trueness.comparisons.mcnemar",
    "power_roc_test": "trueness.comparisons.size_for_auc_difference",
    "pmsampsize": "trueness.comparisons.size_for_development",
    "pmvalsampsize": "trueness.comparisons.size_for_validation",
    "cross_validate": "trueness.assess",
}


def lazily(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of a package whose public names load their module when first used; "" is a module itself.
    `dir` of the package, which completion and `help` ask, lists them.
    """

    def load(name: str) -> Any:
        if name not in homes:
            hint = "" if name.startswith("_") else _where(name) if package == __name__ else _near(name, package, homes)
            raise AttributeError(f"module {package!r} has no attribute {name!r}{hint}")
        home = homes[name]
        found = getattr(importlib.import_module(home), name) if home else importlib.import_module(f"{package}.{name}")
        setattr(sys.modules[package], name, found)
        return found

    vars(sys.modules[package])["__dir__"] = lambda: sorted([*homes, "__doc__", "__all__"])
    return load


def _near(name: str, package: str, homes: Mapping[str, str]) -> str:
    """Where a name of others is, or the name of a package that is nearest to it."""
    from difflib import get_close_matches

    if name in _RENAMED:
        return f". Use {_RENAMED[name]}"
    meant = get_close_matches(name, homes, n=1)
    return f". Did you mean {package}.{meant[0]}?" if meant else ""


def _where(name: str) -> str:
    """Where a name is that is not at the top, or the public names nearest to it; rooms are read, not loaded."""
    from difflib import get_close_matches

    homes = _RENAMED | {own: f"{__name__}.{own}" for own in _HOME}
    for room in sorted(_HOME | _INNER):
        path = Path(__file__).parent / room / "__init__.py"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8") if path.exists() else "")):
            if isinstance(node, ast.ImportFrom) and str(node.module).startswith(f"{__name__}.{room}."):
                homes |= {
                    alias.name: f"{__name__}.{room}.{alias.name}" for alias in node.names if alias.name not in homes
                }
    homes |= {each: f"{__name__}.metrics.{each}" for each in importlib.import_module(f"{__name__}.metrics").__all__}
    if name in homes:
        return f". Use {homes[name]}"
    meant = get_close_matches(name, homes, n=1)
    return f". Did you mean {homes[meant[0]]}?" if meant else ""


def exported(package: str) -> dict[str, str]:
    """The public names of a package, and their modules: what it imports for type checkers alone."""
    block = Path(str(sys.modules[package].__file__)).read_text(encoding="utf-8").partition("if TYPE_CHECKING:\n")[2]
    found = re.findall(r"^    from (\S+) import (\([^)]*\)|.*)", block, flags=re.MULTILINE)
    return {name: module for module, names in found for name in re.findall(r"\bas (\w+)", names)}


def texts_of(package: str) -> Iterator[tuple[str, str]]:
    """The files of a room by name, as text: what they declare is known before they are loaded."""
    for path in sorted(Path(str(sys.modules[package].__file__)).parent.glob("*.py")):
        yield path.stem, path.read_text(encoding="utf-8")


__getattr__ = lazily(__name__, _HOME | _INNER)
