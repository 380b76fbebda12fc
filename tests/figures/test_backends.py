"""Both backends draw the same figure: the same words, places and colours."""

import re
import subprocess
import sys
from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
import pytest

from trueness.errors import InputError
from trueness.figures import Area, Bars, Dot, Figure, Intervals, Line, Panel, Points, Rule, Text, band, box
from trueness.figures.figure import COLOURS, IN_A_LINE, SERIES, css, forest, in_lines, roc_panel
from trueness.figures.svg import AROUND, Drawing, thinned, ticks

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

X = np.linspace(0, 1, 30)
EVERY_MARK = (
    Line(X, X**2, "curve", "--", error=np.full(30, 0.05)),
    Line(X, X, "marked", "-o"),
    Points([0.2, np.nan, 0.4], [0.3, 0.5, 0.6], "points", "x", names=["a", "b", "<c>"]),
    Points([0.5], [0.5], "hollow", "s", "accent", hollow=True),
    Intervals([0.1, 0.2], [0.0, np.nan], [0.4, 0.6], "intervals"),
    Intervals([0.5], [-np.inf], [np.inf], across=True),
    band(X, X - 0.1, X + 0.1, "band", "C2"),
    box((0.7, 0.9), (0.1, 0.2), label="box", color="soft"),
    Area([0, 1, 1], [0, 0, 1], "area"),
    Bars([0, 0.5, 1], [0.2, 0.4], "bars", "C3"),
    Rule(x=0.3, label="across"),
    Rule(y=0.8),
    Text(0.5, 0.9, "words & <more>\nof them"),
)
EVERY = Figure("<Every> mark", (Panel(EVERY_MARK, "title", "x & y", "height"),))


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def words_of_svg(figure):
    """Every word of the picture, in order, and nothing that is not a number among its places."""
    text = figure.svg()
    assert not re.search(
        r"\b(nan|inf|None)\b", re.sub("<text.*?</text>|<title>.*?</title>|<style>.*?</style>", "", text)
    )
    return " ".join(
        "".join(node.itertext()) for node in ElementTree.fromstring(text).iter() if node.tag.endswith("}text")
    )


def words_of_matplotlib(figure):
    for ax in figure.draw().figure.axes:
        legend = ax.get_legend()
        yield from (ax.get_title(), ax.get_xlabel(), ax.get_ylabel(), *(t.get_text() for t in ax.texts))
        yield from [] if legend is None else (t.get_text() for t in legend.get_texts())


def test_every_mark_is_drawn_by_both_with_the_same_words():
    seen = words_of_svg(EVERY)
    for words in words_of_matplotlib(EVERY):
        assert " ".join(words.split()) in " ".join(seen.split())
    drawn = EVERY.draw()
    assert {"curve", "points", "band", "bars"} <= {t.get_text() for t in drawn.get_legend().get_texts()}
    assert "&lt;c&gt;" in EVERY.svg()
    assert "<Every>" not in EVERY.svg()


def test_a_place_is_the_value_on_its_axis():
    panel = Panel([Points([1, 10, 100], [0.0, 0.5, 1.0])], x_log=True, x_limits=(1, 100), y_limits=(1.0, 0.0))
    drawing = Drawing(panel, Figure("", (panel,)))
    left, middle, right = drawing.x([1, 10, 100])
    assert middle - left == pytest.approx(right - middle)
    assert drawing.y(0.0) < drawing.y(1.0)  # downwards, since the limits run downwards
    assert right < drawing.x([1e300])[0] < 1e6  # beyond the axis: near enough for a picture
    ax = Figure("", (panel,)).draw()
    assert ax.get_xscale() == "log"
    assert ax.get_ylim() == (1.0, 0.0)


def test_colours_are_roles_that_both_know():
    roles = {role for _, role in EVERY.panels[0].coloured()}
    assert roles <= set(COLOURS)
    for kind in ("page", "notebook", "file"):
        assert all(f"--{role}:" in css(kind) for role in COLOURS)
    assert "prefers-color-scheme: dark" in css("page")
    lines = [Line(X, X * k, str(k)) for k in range(10)]
    assert [role for _, role in Panel(lines).coloured()] == [*SERIES, *SERIES[:2]]
    ax = Figure("", (Panel(lines),)).draw()
    assert [line.get_color() for line in ax.lines[:8]] == [COLOURS[role][0] for role in SERIES]
    dark = plt.figure(facecolor="black").add_subplot(facecolor="black")
    assert Figure("", (Panel(lines),)).draw(dark).lines[0].get_color() == COLOURS["C0"][1]


def test_a_figure_over_another_takes_the_next_colours():
    figure = Figure("", (roc_panel([band(X, X, X, "", "C0"), Line(X, X, "first", color="C0")]),))
    ax = figure.draw()
    figure.draw(ax)
    curves = [line for line in ax.lines if line.get_label() == "first"]
    assert [line.get_color() for line in curves] == [COLOURS["C0"][0], COLOURS["C1"][0]]


def test_several_panels_stand_in_a_grid_or_in_axes_and_one_pair_of_axes_has_the_first():
    panel = Panel([Line(X, X, "a")], "t")
    figure = Figure("", (panel,) * 5, columns=3)
    assert figure.grid == (2, 3)
    assert len(figure.draw().figure.axes) == 5
    _, ax = plt.subplots()
    assert figure.draw(ax) is ax
    assert len(ax.figure.axes) == 1
    assert not ax.child_axes
    assert [line.get_label() for line in ax.lines] == ["a"]
    _, axes = plt.subplots(2, 3)
    assert figure.draw(axes) is axes[0, 0]
    with pytest.raises(InputError, match="5 panels need 5 axes"):
        figure.draw(axes[0])
    with pytest.raises(InputError, match="axes of matplotlib"):
        figure.draw("ax")
    assert figure.html().count('<svg class="trueness-figure') == 5
    svg = ElementTree.fromstring(figure.svg())
    places = [(s.get("x"), s.get("y")) for s in svg if s.tag.endswith("}svg")]
    assert places[0] == ("0", "0")
    assert len({y for _, y in places}) == 2


ROWS = [
    Dot("a model of many words and steps", 0.1, 0.0, 0.2, "0.100 (0.000 to 0.200)"),
    Dot("b", 0.2, 0.1, 0.3, "0.200"),
]


def test_numbers_beside_rows_stay_where_there_is_room():
    _, ax = plt.subplots(figsize=(9, 3), layout="constrained")
    forest(ROWS, "", "AUC").draw(ax)
    ax.figure.canvas.draw()
    assert [text.get_text() for text in ax.texts] == [dot.said for dot in ROWS]
    assert all(
        ax.figure.bbox.fully_contains(*corner) for text in ax.texts for corner in text.get_window_extent().corners()
    )


def test_long_names_of_rows_stand_in_two_lines_with_both_names_of_a_difference(recwarn):
    assert in_lines("short − names") == "short − names"
    assert in_lines("a − " + "b" * 90) == "a\n− bbbbbbbbbbbbbbbbbb…bbbbbbbbbbbbbbbbbbb"
    first, second = in_lines("a site in " * 20 + "(n = 62)").split("\n")
    assert first.startswith("a site in")
    assert second.endswith("(n = 62)")
    assert max(len(first), len(second)) <= IN_A_LINE
    figure = forest([Dot("word " * 28 + "− b", 0.1, 0.0, 0.2, "0.1")], "", "AUC")
    figure.draw().figure.canvas.draw()
    assert not recwarn.list
    assert ">− b</text>" in figure.html()


def test_nothing_to_draw_is_an_error_for_matplotlib_and_no_picture_in_html():
    empty = forest([Dot("a", np.nan)], "Estimates", "auc")
    assert empty.html() == ""
    with pytest.raises(InputError, match="nothing to draw: Estimates"):
        empty.draw()


def test_a_figure_is_data(tmp_path):
    assert EVERY.png()[:4] == b"\x89PNG"
    assert EVERY.svg(tmp_path / "f.svg") == (tmp_path / "f.svg").read_text(encoding="utf-8")
    assert EVERY._repr_html_().startswith("<svg")


def test_matplotlib_is_loaded_by_what_draws_with_it():
    code = (
        "import sys, trueness; c = trueness.roc([0, 1, 1], [1, 2, 3]); c.figure().svg(); c._repr_html_();"
        "assert 'matplotlib' not in sys.modules; sys.modules['matplotlib'] = None; c.plot()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "Plots need matplotlib. Run pip install matplotlib" in done.stderr


# -- rows of dots -----------------------------------------------------------------------------------------------------


def test_long_names_and_infinite_limits_stay_inside_the_picture():
    dots = [
        Dot("x" * 90, 0.1, 0.0, np.inf, "0.1 (0 to inf)"),
        Dot("b", 0.2, None, None, "0.2"),
        Dot("c", np.nan, 0, 1, ""),
    ]
    figure = forest(dots, "title", "axis", margin=0.05, zero=True)
    svg = figure.html()
    width = float(svg.split('viewBox="0 0 ')[1].split()[0])
    across = [float(v) for v in re.findall(r"[MLH]([\d.]+)", svg)]
    assert across
    assert max(across) < width
    assert "x" * 90 in svg  # in the tooltip
    assert words_of_svg(figure)


@pytest.mark.parametrize("scale", [1e-5, 1e-3, 0.1])
def test_rows_have_room_for_numbers_and_names(scale):
    long = "QuadraticDiscriminantAnalysis, shrunk − LinearDiscriminantAnalysis"
    dots = [
        Dot(long, 1.2 * scale, 0.5 * scale, 1.9 * scale, "1.2"),
        Dot("a − b", 2.1 * scale, -scale, 3 * scale, "2.1"),
    ]
    ax = forest(dots, "", "difference of the neg_root_mean_squared_error, 95 % interval per pair", zero=True).draw()
    ax.figure.canvas.draw()
    low, high = ax.get_xlim()
    labels = [t for t in ax.get_xticklabels() if low <= t.get_position()[0] <= high]
    boxes = [t.get_window_extent() for t in labels]
    assert len(boxes) >= 3
    assert all(a.x1 < b.x0 for a, b in pairwise(boxes))
    for name in (ax.xaxis.label, *ax.get_yticklabels(), *ax.texts):
        found = name.get_window_extent()
        assert found.x0 >= 0
        assert found.x1 <= ax.figure.bbox.x1


# -- ticks and curves -------------------------------------------------------------------------------------------------


def test_thinning_keeps_the_ends_and_the_shape():
    x = np.linspace(0, 1, 100_001)
    keep = thinned(x, np.sqrt(x), 400)
    assert keep[0] == 0
    assert keep[-1] == len(x) - 1
    assert len(keep) <= 402
    assert np.abs(np.interp(x, x[keep], np.sqrt(x[keep])) - np.sqrt(x)).max() < 0.003


def test_ticks_are_round_and_inside():
    assert ticks(-0.031, 0.22) == [0.0, 0.1, 0.2]
    assert ticks(-0.52, -0.11) == [-0.5, -0.4, -0.3, -0.2]
    for low, high in ((-1, 1), (0.001, 0.0017), (-3e-5, 2e-6)):
        assert 2 <= len(ticks(low, high)) <= 6
        assert all(low <= t <= high for t in ticks(low, high))
    assert ticks(-1e308, 1.7e308) == []


@pytest.mark.parametrize("values", [[1e-300, 1e300], [5.0, 5.0], [0.0, 0.0], [-1e308, 1e308], [np.nan, np.inf], []])
def test_odd_values_have_a_picture(values):
    for log in (False, True):
        figure = Figure("odd", (Panel([Line(values, values, "a"), Points(values, values)], x_log=log, y_log=log),))
        assert words_of_svg(figure)


def test_marks_end_at_the_axes_and_lines_at_a_gap():
    marks = [Line([0, 1, 2, 3, 4], [0.0, 10.0, np.nan, 10.0, 0.0]), band([0, 4], [-1, 2], [3, 9], color="C1")]
    panel = Panel([*marks, Text(2, 3, "words")], x_limits=(0, 4), y_limits=(0.0, 5.0))
    drawing = Drawing(panel, Figure("", (panel,)))
    svg = ElementTree.fromstring(drawing.svg())
    (inner,) = (each for each in svg if each.tag.endswith("svg"))
    left, top, wide, high = map(float, inner.get("viewBox").split())
    assert (left, left + wide) == pytest.approx((drawing.left - AROUND, drawing.right + AROUND), abs=0.1)
    assert (top, top + high) == pytest.approx((drawing.top - AROUND, drawing.foot + AROUND), abs=0.1)
    line = next(each.get("d") for each in inner if "C0" in each.get("class"))
    assert line.count("M") == 2  # not joined across the gap
    assert not [each for each in inner if each.text == "words"]
