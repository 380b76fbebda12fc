"""Reports in a real browser: offline, silent, with the numbers of `trueness.diagnose`, safe and accessible."""

import base64
import json
import re
import time
from importlib.resources import files

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import trueness

rng = np.random.default_rng(3)
N = 90
CODES = (rng.random(N) < 0.4).astype(int)
X = rng.normal(size=(N, 3)) + CODES[:, None]
Y = np.where(CODES == 1, "sick", "healthy")
SCORE = np.round(rng.normal(size=N) + 1.2 * CODES, 1)  # with ties
HOSTILE = ["<script>alert(1)</script>", "</script><img src=x onerror=alert(1)>", "\"'><svg onload=alert(1)>&amp;"]


def assessment():
    return trueness.assess(LogisticRegression(), X, Y, positive="sick", metrics=["error", "auc", "brier"], rng=1)


def comparison():
    return trueness.compare(
        {"lda": LDA(), "bayes": GaussianNB(), "lda 2": LDA()}, X, Y, positive="sick", rng=1, margin=0.1
    )


def curve():
    return trueness.roc(Y, SCORE, positive="sick")


SECOND = SCORE[::-1] + 2.0 * CODES


def curves():
    return trueness.roc(Y, {"first": SCORE, "second": SECOND}, positive="sick")


GROUPS = np.arange(N) // 3  # of both classes


def curve_in_groups():
    return trueness.roc(Y, SCORE, positive="sick", groups=GROUPS)


def two_sets():
    return trueness.two_sets(LDA(), X[:45], Y[:45], X[45:], Y[45:], positive="sick", rng=0, plan=trueness.Bootstrap(20))


class WithCurve:
    """An assessment's report with a learning curve."""

    def report(self, path):
        sizes = trueness.learning_curve(LDA(), X, Y, sizes=[12, 20, 30, 45], splits=10, rng=0, extrapolate=[300])
        return assessment().report(path, learning_curve=sizes)


PAGES = {
    "assessment": assessment,
    "comparison": comparison,
    "roc": curve,
    "roc-groups": curve_in_groups,
    "roc-several": curves,
    "two-sets": two_sets,
    "learning-curve": WithCurve,
}


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The address of each report."""
    folder = tmp_path_factory.mktemp("reports")
    for name, make in PAGES.items():
        make().report(folder / f"{name}.html")
    return {name: (folder / f"{name}.html").as_uri() for name in PAGES}


@pytest.fixture
def at(browser, pages):
    """Opens the report of a name, with nothing in the logs from before."""

    def go(name):
        for log in ("browser", "performance"):
            browser.get_log(log)
        browser.get(pages[name])
        return browser

    yield go
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def requests(browser):
    """Addresses that the page asked for."""
    events = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    sent = [e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"]
    return [url for url in sent if not url.startswith(("data:", "chrome:"))]  # chrome: is the browser's own first page


@pytest.mark.parametrize("name", PAGES)
def test_a_report_opens_without_an_error_and_without_the_network(at, pages, name):
    browser = at(name)
    assert browser.title
    assert requests(browser) == [pages[name]]
    assert browser.get_log("browser") == []


def test_the_log_and_the_policy_would_show_a_fault(browser, tmp_path):
    page = (
        curve().report().replace("</main>", "<script>console.error('x')</script><img src='http://127.0.0.1:9/'></main>")
    )
    path = tmp_path / "broken.html"
    path.write_text(page, encoding="utf-8")
    browser.get_log("browser")
    browser.get(path.as_uri())
    said, end = [], time.monotonic() + 20  # a browser that has just started sends its log late
    while len(said) < 2 and time.monotonic() < end:
        said += [entry["message"] for entry in browser.get_log("browser")]
        time.sleep(0.1)
    assert len(said) == 2
    assert all("Content Security Policy" in words for words in said)


# -- the threshold ----------------------------------------------------------------------------------------------------

SHOWN = {
    "tpf": "tpf",
    "tnf": "tnf",
    "fpf": "fpf",
    "ppv": "ppv",
    "npv": "npv",
    "lrp": "dlr_positive",
    "lrn": "dlr_negative",
}


def put(browser, **values):
    script = (
        "const e = document.getElementById(arguments[0]); e.value = arguments[1]; e.dispatchEvent(new Event('input'));"
    )
    for name, value in values.items():
        browser.execute_script(script, name.replace("_", "-"), str(value))


def read(browser, name):
    return browser.execute_script("return document.getElementById(arguments[0]).textContent", name)


def numbers(text):
    """The value and its limits; None for what is undefined."""
    return [None if t == "–" else np.inf if t == "∞" else float(t) for t in re.findall(r"–|∞|\d+(?:\.\d+)?", text)]


def same(text, e):
    """Whether the page shows this estimate, to the digits that it shows."""
    if np.isnan(e.value):
        return text == "–"
    if not e.has_interval:
        return len(numbers(text)) == 1
    wanted, found = [e.value, *e.ci(0.95)], numbers(text)
    digits = [len(part.partition(".")[2]) for part in re.findall(r"\d+(?:\.\d+)?", text)]
    return len(found) == 3 and all(
        abs(w - f) <= 0.501 * 10.0**-d for w, f, d in zip(wanted, found, digits, strict=True)
    )


@pytest.mark.parametrize("prevalence", [None, 0.01, 0.7])
@pytest.mark.parametrize("page", ["roc", "roc-groups"])
def test_the_slider_shows_the_numbers_of_diagnose(at, page, prevalence):
    browser = at(page)
    c = PAGES[page]()
    groups = GROUPS if page == "roc-groups" else None
    put(browser, prevalence="" if prevalence is None else prevalence, cost_fn=7, cost_fp=2)
    last = len(c.thresholds) - 1
    assert browser.execute_script("return Number(document.getElementById('threshold').max)") == last
    for k in (0, 1, 2, last // 3, last // 2, last - 1, last):
        put(browser, threshold=k)
        decided = np.greater_equal(SCORE, c.thresholds[k])
        if k:  # what the page calls the threshold makes the same decisions
            assert ((float(read(browser, "at").replace("−", "-")) <= SCORE) == decided).all()
        study = {} if prevalence is None else {"design": "case-control", "prevalence": prevalence}
        d = trueness.diagnose(Y == "sick", decided, groups=groups, **study)
        assert groups is None or d.groups is not None
        counts = {name: int(read(browser, name)) for name in ("tp", "fn", "fp", "tn")}
        sick = Y == "sick"
        cells = {"tp": sick & decided, "fn": sick & ~decided, "fp": ~sick & decided, "tn": ~sick & ~decided}
        assert counts == {name: cases.sum() for name, cases in cells.items()}
        for shown, measure in SHOWN.items():
            assert same(read(browser, shown), d[measure]), (k, shown, read(browser, shown), str(d[measure]))
        rho = CODES.mean() if prevalence is None else prevalence
        called = rho * d.tpf.value + (1 - rho) * d.fpf.value
        assert abs(float(read(browser, "called")) - called) <= 0.00051
        assert abs(float(read(browser, "cost")) - d.cost([[0, 2], [7, 0]]).value) <= 0.00051
    said = "" if prevalence is None else f"; prevalence {prevalence}"
    assert (
        read(browser, "asked") == f"(a miss costs 7, a false alarm 2{said})"
    )  # also in print, where there are no inputs


def test_every_score_of_a_page_has_its_own_slider(at):
    browser, c = at("roc-several"), curves()
    before = read(browser, "s1-tpf")
    for k in (3, len(c["second"].thresholds) // 2):
        put(browser, s2_threshold=k, s2_prevalence=0.2)
        decided = np.greater_equal(SECOND, c["second"].thresholds[k])
        d = trueness.diagnose(Y == "sick", decided, design="case-control", prevalence=0.2)
        for shown, measure in SHOWN.items():
            assert same(read(browser, f"s2-{shown}"), d[measure])
        assert read(browser, "s1-tpf") == before
    best = c["first"].best(n_resamples=0)
    assert same(before, trueness.diagnose(Y == "sick", best.threshold <= SCORE).tpf)


def test_the_cheapest_threshold_is_that_of_the_curve(at):
    browser = at("roc")
    for prevalence, cost in ((0.1, 5), (0.5, 1), (0.02, 30)):
        put(browser, prevalence=prevalence, cost_fn=cost)
        browser.find_element("id", "cheapest").click()
        best = curve().best(costs=[[0, 1], [cost, 0]], prevalence=prevalence, n_resamples=0)
        d = trueness.diagnose(
            Y == "sick", np.greater_equal(SCORE, best.threshold), design="case-control", prevalence=prevalence
        ).cost([[0, 1], [cost, 0]])
        assert abs(float(read(browser, "cost")) - d.value) <= 0.00051


def test_what_is_typed_wrongly_changes_nothing(at):
    browser = at("roc")
    before = read(browser, "ppv")
    for wrong in ("-1", "0", "1", "2", "x"):
        put(browser, prevalence=wrong)
        assert read(browser, "ppv") == before
    put(browser, cost_fn="-5")
    assert "NaN" not in browser.find_element("tag name", "main").text
    assert float(read(browser, "cost")) >= 0


def test_the_slider_moves_by_keyboard_and_says_where_it_is(at):
    from selenium.webdriver import Keys

    browser = at("roc")
    slider = browser.find_element("id", "threshold")
    before = read(browser, "at")
    slider.send_keys(Keys.ARROW_RIGHT)
    assert read(browser, "at") != before
    assert read(browser, "at") in slider.get_attribute("aria-valuetext")
    same_cost = browser.find_element("id", "same").get_attribute("d")
    assert same_cost.startswith("M")


# -- how it looks -----------------------------------------------------------------------------------------------------


def colours(browser):
    script = "const s = getComputedStyle(document.body); return [s.color, s.backgroundColor]"
    return [[int(v) for v in re.findall(r"\d+", c)[:3]] for c in browser.execute_script(script)]


def test_dark_mode_has_light_letters_on_dark_paper(at):
    browser = at("assessment")
    ink, paper = colours(browser)
    assert sum(ink) < 200 < 700 < sum(paper)
    dark = {"media": "", "features": [{"name": "prefers-color-scheme", "value": "dark"}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", dark)
    ink, paper = colours(browser)
    assert sum(paper) < 200 < 600 < sum(ink)


def test_print_hides_the_controls_and_nothing_else(at):
    browser = at("assessment")
    script = "return [...document.querySelectorAll('body *')].filter(e => e.checkVisibility()).map(e => e.tagName)"
    on_screen = browser.execute_script(script)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    printed = browser.execute_script(script)
    for gone in ("INPUT", "BUTTON", "NAV"):
        assert gone in on_screen
        assert gone not in printed
    for kept in ("SVG", "svg", "TABLE", "OUTPUT", "H2", "path", "LI", "SUMMARY"):
        assert on_screen.count(kept) <= printed.count(kept)  # with what is folded on the screen
    ink, _ = colours(browser)
    assert ink == [0, 0, 0]


def test_words_stay_readable_on_a_phone(at):
    browser = at("assessment")
    phone = {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", phone)
    script = """return [...document.querySelectorAll('.pictures > svg')].filter(s => s.checkVisibility()).map(
        s => s.getBoundingClientRect().width / s.viewBox.baseVal.width)"""
    assert min(browser.execute_script(script)) > 0.75


@pytest.mark.parametrize("name", PAGES)
def test_a_phone_needs_no_sideways_scrolling(at, name):
    browser = at(name)
    phone = {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", phone)
    browser.execute_script("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    assert browser.execute_script("return document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_no_fault(at, name, scheme):
    pytest.importorskip("axe_core_python", reason="axe-core is not installed: pip install 'trueness[test]'")
    browser = at(name)
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": features})
    browser.execute_script("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    browser.execute_script(files("axe_core_python").joinpath("axe.min.js").read_text(encoding="utf-8"))
    browser.set_script_timeout(120)  # a busy machine takes long
    # the colours of the scheme change nothing but contrasts
    rules = {} if scheme == "light" else {"runOnly": {"type": "tag", "values": ["cat.color"]}}
    found = browser.execute_async_script("axe.run(arguments[0]).then(arguments[1])", rules)
    passed = {rule["id"] for rule in found["passes"]}
    assert "color-contrast" in passed
    assert scheme == "dark" or len(passed) > 15
    assert [(v["id"], [n["html"] for n in v["nodes"]][:3]) for v in found["violations"]] == []


# -- hostile names ----------------------------------------------------------------------------------------------------


def hostile_results():
    first, second, third = HOSTILE
    labels = np.where(CODES == 1, first, second)
    named = {first: LDA(), second: GaussianNB(), third: LDA()}
    a = trueness.assess(LDA(), X, labels, positive=first, rng=1)
    yield a
    yield trueness.compare(named, X, labels, positive=first, rng=1, plan=trueness.KFold(3))
    yield trueness.roc(labels, SCORE, positive=first)
    from dataclasses import replace

    from trueness.result import Note

    yield replace(a, model=second, notes=(Note("k", third, "warning"),), provenance={first: second, "design": third})


def test_hostile_names_do_nothing(browser, tmp_path):
    for k, result in enumerate(hostile_results()):
        shown = {"page": result.report(), "notebook": f"<!doctype html><meta charset=utf-8>{result._repr_html_()}"}
        for kind, html in shown.items():
            path = tmp_path / f"{k}-{kind}.html"
            path.write_text(html, encoding="utf-8")
            browser.get_log("browser")
            browser.get(path.as_uri())
            browser.execute_script("return 1")  # raises where an alert is open
            assert browser.execute_script("return document.querySelectorAll('img, [onload], [onerror]').length") == 0
            scripts = browser.execute_script("return [...document.scripts].filter((s) => !s.type).length")
            assert scripts == (1 if kind == "page" else 0)
            assert browser.get_log("browser") == []
            said = browser.execute_script("return document.body.textContent")
            assert kind == "notebook" or any(name in said for name in HOSTILE)


def test_thresholds_that_cannot_be_told_apart_are_joined_only_where_they_are_neighbours(at):
    browser = at("roc")
    c = curve()
    step = max(np.hypot(np.diff(c.fpf), np.diff(c.tpf)))
    for k in range(len(c.thresholds)):
        put(browser, threshold=k)
        d = browser.find_element("id", "same").get_attribute("d")
        for run in d.removeprefix("M").split("M"):
            spots = np.array([spot.split() for spot in run.split("L")], dtype=float)
            assert np.hypot(*np.diff(spots, axis=0).T).max() <= 370 * step + 1  # the sides of the square are shorter


def test_print_is_compact_and_opens_what_is_folded(at):
    browser = at("assessment")
    a4 = {"paperWidth": 8.27, "paperHeight": 11.69}
    pdf = base64.b64decode(browser.execute_cdp_cmd("Page.printToPDF", a4)["data"])
    assert (
        3 <= len(re.findall(rb"/Type\s*/Page\b", pdf)) <= 12
    )  # with all tables and checklists; they were more than 20
    paper = {"width": 720, "height": 1000, "deviceScaleFactor": 1, "mobile": False}  # A4 inside its margins
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", paper)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    browser.execute_script("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    assert browser.execute_script("return document.documentElement.scrollWidth") <= 720
    beyond = "return [...document.querySelectorAll('table')].filter(t => t.getBoundingClientRect().right > 722).length"
    assert browser.execute_script(beyond) == 0


def test_print_opens_what_is_folded_without_a_script(at):
    browser = at("assessment")
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    content = "getComputedStyle(document.querySelector('details:not([open])'), '::details-content').contentVisibility"
    if browser.execute_script("return CSS.supports('selector(details::details-content)')"):
        assert browser.execute_script(f"return {content}") == "visible"
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "screen"})
        assert browser.execute_script(f"return {content}") == "hidden"
