"""Plans: frozen recipes for drawing training sets, one file per family of plans."""

import re
from typing import TYPE_CHECKING

from trueness import lazily, texts_of

if TYPE_CHECKING:
    from trueness.plans.bootstrap import Bootstrap as Bootstrap
    from trueness.plans.bootstrap import CvBootstrap as CvBootstrap
    from trueness.plans.halves import CvHalves as CvHalves
    from trueness.plans.halves import PairedSubsampling as PairedSubsampling
    from trueness.plans.plan import Plan as Plan
    from trueness.plans.splits import Holdout as Holdout
    from trueness.plans.splits import KFold as KFold
    from trueness.plans.splits import LeaveOneOut as LeaveOneOut
    from trueness.plans.splits import MonteCarlo as MonteCarlo
    from trueness.plans.splits import NestedKFold as NestedKFold
    from trueness.plans.splits import Splits as Splits
    from trueness.sample.design import Kind

_PLAN = r'^class (\w+)\((?:Drawn|Joined)?Plan\):(?:(?!^class ).)*?^    form: ClassVar\[str\] = "([^"]*)"$'
_FOUND = {
    name: (f"{__name__}.{file}", form)
    for file, text in texts_of(__name__)
    for name, form in re.findall(_PLAN, text, flags=re.MULTILINE | re.DOTALL)
}
FORMS = {name: form for name, (_, form) in _FOUND.items() if form}
"""How the command line writes each plan; read from the files, which load when a plan is used."""

_HOME = {"Plan": f"{__name__}.plan"} | {name: home for name, (home, _) in _FOUND.items()}
__getattr__ = lazily(__name__, _HOME)
__all__ = sorted(_HOME)


def plans_of(kind: "Kind") -> str:
    """The plans that draw a kind of design, for messages."""
    *others, last = [name for name in sorted(FORMS) if __getattr__(name).kind == kind]
    return f"{', '.join(others)} or {last}" if others else last
