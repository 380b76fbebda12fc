"""karat demo: shows two models and their difference, and says where it wrote."""

from karat.cli.main import run


def test_it_says_where_it_wrote(tmp_path, capsys):
    assert run(["demo", "--out", str(tmp_path / "d")]) == 0
    shown = capsys.readouterr().out
    assert "Wrote demo.json" in shown
    assert "is not significant" in shown
    assert (tmp_path / "d" / "demo.json").exists()
    assert (tmp_path / "d" / "lda.csv").exists()
