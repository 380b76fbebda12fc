"""The words of the command line are those of its options; a phrase that the library no longer says is found out."""

import re
from pathlib import Path

import pytest

import karat
from karat.cli.words import PHRASES, in_words, spoken
from karat.errors import FitError, InputError

SOURCE = Path(karat.__file__).parent


def test_the_library_says_every_phrase():
    texts = [p.read_text(encoding="utf-8") for p in SOURCE.rglob("*.py") if p.name != "words.py"]
    joined = [re.sub(r"""['"]\s*\n\s*f?['"]""", "", text) for text in texts]  # a text over several lines
    named = re.compile(r"^(\w+) must")  # by checks that are given the name
    for said, _ in PHRASES:
        name = named.match(said)
        literal = [f'"{name[1]}"', f"{name[1]} must"] if name else [said]
        assert any(part in text for text in joined for part in literal), said


@pytest.mark.parametrize(
    ("said", "here"),
    [
        ("Use e.g. level=0.95.", "Use e.g. --level 0.95."),
        ("Pass positive='a' or positive='b'.", "Use --positive 'a' or --positive 'b'."),
        ("auc2 must lie between 0 and 1.", "--value must lie between 0 and 1."),
        ("p1 holds numbers that are no labels.", "the first --score holds numbers that are no labels."),
        ("y has one class only", "the column 'truth' has one class only"),
        ("only has y", "only has y"),
    ],
)
def test_arguments_become_options(said, here):
    assert spoken(said, "truth") == here
    assert spoken(spoken(said, "truth"), "truth") == here


def test_only_a_model_that_does_not_fit_is_given_a_cure():
    assert in_words(InputError("wrong", fix="Mend it")) == "wrong. Mend it."
    assert in_words(FitError("The model does not fit on all 9 cases: E: no.")).endswith(
        ' "E: no." Models have no settings on the command line: use another --model.'
    )


def test_a_column_of_any_name_is_named():
    said = spoken("y has missing labels.", "my\xa0label \\1")
    assert said == "the column 'my\\xa0label \\\\1' has missing labels."
