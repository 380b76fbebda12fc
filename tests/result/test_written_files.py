"""Files are replaced in one step, and nothing that names hold reorders or hides what is shown."""

import errno
import os
import re

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

import trueness
from trueness.checks import write_file
from trueness.cli.main import run
from trueness.errors import HIDDEN, InputError

EVIL = "a\u202eb\x1b[2Jc\x07\u2066"


@pytest.fixture(scope="module")
def result():
    rng = np.random.default_rng(0)
    y = np.repeat([EVIL, "n\tn"], 30)
    X = rng.normal(size=(60, 2)) + 2 * (y == EVIL)[:, None]
    return trueness.assess(LinearDiscriminantAnalysis(), X, y, plan=5, positive=EVIL, rng=0)


@pytest.mark.parametrize("form", ["report", "to_json", "to_csv", "to_markdown", "to_latex", "svg"])
def test_a_full_disk_leaves_the_old_file(tmp_path, monkeypatch, result, form):
    place = tmp_path / "old.txt"
    place.write_text("old")

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    write = result.figure().svg if form == "svg" else getattr(result, form)
    with pytest.raises(InputError, match="No space left on device"):
        write(place)
    assert place.read_text() == "old"
    assert list(tmp_path.iterdir()) == [place]


def test_a_link_stays_a_link_and_the_mode_of_a_file_is_kept(tmp_path):
    (tmp_path / "real.txt").write_text("old")
    (tmp_path / "real.txt").chmod(0o640)
    (tmp_path / "link.txt").symlink_to("real.txt")
    write_file(tmp_path / "link.txt", "new")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "real.txt").read_text() == "new"
    assert (tmp_path / "real.txt").stat().st_mode & 0o777 == 0o640


def test_a_device_and_a_name_as_long_as_names_may_be_are_written_to(tmp_path):
    write_file(tmp_path / os.devnull, "x")
    assert not os.path.isfile(os.devnull)
    write_file(tmp_path / ("x" * 255), "x")
    assert (tmp_path / ("x" * 255)).read_text() == "x"


def test_half_of_a_character_is_written_escaped(tmp_path):
    write_file(tmp_path / "x", "a\udc80")
    assert (tmp_path / "x").read_text() == "a\\udc80"


def test_hidden_characters_are_escaped_everywhere(result):
    shown = {
        "text": str(result),
        "notebook": result._repr_html_(),
        "repr": repr(result.fits.sample),
    }
    shown |= {"html": re.sub(r"<script.*?</script>|<style.*?</style>", "", result.report(), flags=re.DOTALL)}
    shown |= {"markdown": result.to_markdown(), "latex": result.to_latex()}
    for where, text in shown.items():
        assert not HIDDEN.search(text), where
    assert r"a\u202eb\x1b[2Jc\x07\u2066" in shown["text"]


def test_hidden_characters_and_formulas_of_names_are_escaped_in_sentences_and_figures(result):
    from matplotlib.text import Text

    assert "Seed: 0." in result.text(all=True)
    named = trueness.compare({f"m{EVIL}$a$": result.fits, r"$\frac$": result.fits}, metric="error")
    for said in (result.answer(), result.methods(), named.verdict, named.methods()):
        assert not HIDDEN.search(said)
    for each in (named.figure(), result.figure()):
        ax = each.draw()
        ax.figure.canvas.draw()  # a formula that cannot be read would be an error here
        words = "".join(text.get_text() for text in ax.figure.findobj(Text))
        assert not HIDDEN.search(words)
    assert r"\u202e" in "".join(t.get_text() for t in named.figure().draw().figure.findobj(Text))


def test_hidden_characters_of_columns_and_files_are_escaped(tmp_path, capsys):
    table = tmp_path / f"t{EVIL}.csv"
    table.write_text(f"y,x{EVIL}\n" + "\n".join(f"{k % 2},{k}" for k in range(40)))
    for arguments in (["--target", "z"], ["--target", "y", "--plan", "kfold:5"], []):
        run(["assess", str(table), *arguments])
        said = capsys.readouterr()
        assert not HIDDEN.search(said.out + said.err)
    run(["check", str(tmp_path / f"missing{EVIL}.csv"), "--target", "y"])
    assert r"\u202e" in (said := capsys.readouterr().err)
    assert not HIDDEN.search(said)
