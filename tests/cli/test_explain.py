"""trueness help: what it knows, and that messages send readers to something it knows."""

import ast
import re
from pathlib import Path

import pytest

from trueness.cli import study
from trueness.cli.main import run
from trueness.result.glossary import words

ROOT = Path(__file__).resolve().parents[2]


def said(capsys, *words):
    assert run(["help", *words]) == 0
    return capsys.readouterr().out


def test_contents_list_jobs_guides_and_words(capsys):
    out = said(capsys)
    assert "  roc " in out
    assert "cv+training" in out.partition("\nWords\n")[2]


@pytest.mark.parametrize(
    ("asked", "first", "within"),
    [
        (["cv+training"], "cv+training", "repeated cross-validation"),
        (["mc_se"], "simulation error", "another seed"),
        (["95", "%", "interval"], "interval", "trueness help default-interval"),
        (["few-replicates"], "few-replicates", "trueness help notes"),
        (["l003"], "# L003", "Why it matters"),
        (["checks/L003"], "# L003", "Why it matters"),
        (["balanced_accuracy"], "balanced_accuracy", "trueness help metrics"),
        (["docs/comparison.md"], "# ", "mcnemar"),
        (["calibration"], "calibration", "# Calibration"),
        (["Choosing", "a", "point"], "Pages with", "roc"),
        (["L015"], "# L015", "Why it matters"),
        (["c-statistic"], "auc", "Area under the ROC curve"),
        (["C_index"], "auc", "trueness help roc"),
        (["MDE"], "detectable", "power of 80 %"),
        (["by_class"], "confusion matrix", "row"),
        (["multiclass"], "Pages with", "howto/several-classes"),
        (["size"], "trueness size:", "trueness size --help"),
        (["readers"], "# ", "trueness.readers"),
        (["metrics"], "# ", "balanced_accuracy"),
        (["how", "many", "cases"], "sample size", "trueness help comparison"),
        (["confidence", "interval", "of", "auc"], "auc (", "  default-interval: "),
        (["which", "threshold"], "threshold", "trueness help threshold"),
        (["decision curve"], "decision curve", "trueness help decision-curves"),
        (["predicted", "probabilities", "wrong"], "Pages about", "  calibration: "),
        (["class", "imbalance"], "Pages about", "  howto/imbalanced: "),
        (["time", "series"], "drift", "trueness help howto/time"),
        (["cite"], "# Citing", "@software{trueness,"),
    ],
)
def test_a_term_is_explained(asked, first, within, capsys):
    out = said(capsys, *asked)
    assert out.startswith(first)
    assert within in out


def listed():
    """Names that `trueness help` lists, and what its answer to each begins with or holds."""
    pages, text = study._pages(), study._contents(study._pages())
    named, _, words = text.partition("\nWords\n")
    for name in re.findall(r"^  (\S+)  ", named, flags=re.MULTILINE):
        yield name, pages[name]
        yield name.rpartition("/")[2], pages[name] if "index" not in name else pages["index"]
    for name in words.strip().split(", "):
        yield name, name


@pytest.mark.parametrize(("name", "wanted"), [pytest.param(*each, id=each[0]) for each in listed()])
def test_every_listed_name_leads_to_its_page(name, wanted, capsys):
    out = said(capsys, name)
    assert wanted.strip() in out
    assert out.startswith((wanted[:9], "# ")) or out.split("\n\n", 1)[1].strip() == wanted.strip()


def test_every_word_leads_to_its_page():
    pages = study._pages()
    for row in words().values():
        if row.page:
            assert study._page(row.page.rpartition("/")[2], pages) == row.page or row.page in pages, row.name
            assert study._explained(row.page, pages).endswith(pages[row.page]), row.name


def test_a_term_is_no_part_of_another_word(capsys):
    assert run(["help", "elo"]) == 2
    assert "trueness help lists" in capsys.readouterr().err


def test_a_phrase_without_a_known_word_is_unknown(capsys):
    assert run(["help", "foo", "blorp"]) == 2
    assert "Nothing is known about 'foo blorp'" in capsys.readouterr().err


def test_an_unknown_term_is_told_with_the_nearest(capsys):
    assert run(["help", "nadeau-bengjo"]) == 2
    assert "Did you mean 'nadeau-bengio'?" in capsys.readouterr().err


def sent_to():
    """Terms after "trueness help" in messages and on pages."""
    files = [*(ROOT / "src" / "trueness").rglob("*.py"), *(ROOT / "docs").rglob("*.md"), ROOT / "README.md"]
    text = "\n".join(path.read_text(encoding="utf-8") for path in files)
    found = set(re.findall(r"trueness help ([a-z][\w/+-]*)", text))
    return sorted(found - {"lists", "explains", "and", "shows", "prints"})


@pytest.mark.parametrize("term", sent_to())
def test_terms_that_messages_and_pages_name_are_known(term, capsys):
    assert said(capsys, term)


def test_messages_name_no_file_that_is_not_installed():
    """A reader of a message has `trueness help`, not a folder docs; docstrings are for readers of the source."""
    wrong = []
    for path in (ROOT / "src" / "trueness").rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        docstrings = {id(n.value) for n in ast.walk(tree) if isinstance(n, ast.Expr)}
        wrong += [
            f"{path.name}:{n.lineno}"
            for n in ast.walk(tree)
            if isinstance(n, ast.Constant) and isinstance(n.value, str) and id(n) not in docstrings
            if re.search(r"docs/[\w-]+\.md|docs/checks", n.value)
        ]
    assert wrong == []


def test_a_metric_says_what_it_is(capsys):
    assert run(["help", "youden"]) == 0
    shown = capsys.readouterr().out
    assert "Youden's index of two classes: TPF − FPF." in shown
    assert "informedness" in shown


def test_files_of_other_programs_have_a_page(capsys):
    assert run(["help", "excel"]) == 0
    assert "files" in capsys.readouterr().out
