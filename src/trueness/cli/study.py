"""trueness study: published tables, reproduced; demo: the main job on an example; runs: what a store holds; help: the
documentation that is installed with the package, a word, a code or a page at a time.
"""

from __future__ import annotations

import json
import math
import re
import signal
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import typer

from trueness.checks import write_file
from trueness.cli import options as o
from trueness.cli.output import check_output_folder, show_page
from trueness.cli.spelling import DECLARED, MORE, SEED_AND_JOBS, START, command
from trueness.errors import InputError, near

if TYPE_CHECKING:
    import pandas as pd

    from trueness.sample.left_out import LeftOut


@command(MORE, 30, **SEED_AND_JOBS, store="out")
def study(
    name: Annotated[str | None, typer.Argument(help="Name of the study; --list shows all.")] = None,
    trials: Annotated[int | None, o.plain("N", "Monte-Carlo trials; as published by default.")] = None,
    sizes: Annotated[str | None, o.plain("N,N", "Sample sizes, e.g. 20,50; as published by default.")] = None,
    seed: o.FixedSeed = 0,
    out: Annotated[
        Path | None, o.plain("FOLDER", "Folder for tables, figures, a page and the trials; run again to resume.")
    ] = None,
    jobs: Annotated[
        int, o.plain("N", "Number of parallel workers, -1 for all cores (results do not depend on it).")
    ] = -1,
    show: Annotated[bool, typer.Option("--list", help="List the studies.")] = False,
) -> None:
    """Reproduce a published table or figure beside the original. Exit code 1 where a claim does not hold.

    **Examples**

    - trueness study --list
    - trueness study error-estimators --trials 200 --out results
    """
    from trueness import studies
    from trueness.studies.registry import find

    if show or name is None:
        width = max(map(len, studies.names()))
        for each in studies.names():
            found = find(each)
            typer.echo(f"{each.ljust(width)}  {found.title} ({found.source})")
        return
    check_output_folder("out", out)
    with _terminated_like_interrupted():
        result = studies.run(
            name,
            trials=trials,
            sizes=None if sizes is None else _numbers(sizes),
            rng=seed,
            n_jobs=jobs,
            store=None if out is None else out / "trials.db",
        )
    typer.echo(str(result))
    typer.echo(f"{result.seconds:.1f} s")
    if out is not None:
        for path in result.write(out):
            typer.echo(f"Wrote {path}")
    if not result.checks():
        raise typer.Exit(1)


@contextmanager
def _terminated_like_interrupted() -> Iterator[None]:
    """SIGTERM ends the study as Ctrl-C does: workers end too, and finished trials are kept."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():  # only the main thread may handle signals
        yield
        return
    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _numbers(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise InputError(
            "sizes must be whole numbers with commas between them",
            param="sizes",
            got=text,
            fix="Use e.g. --sizes 20,50",
        ) from None


@command(START, 10, **SEED_AND_JOBS)
def demo(
    out: Annotated[Path, o.plain("FOLDER", "Folder for the results.")] = Path("trueness-demo"),
    jobs: o.Jobs = 1,
) -> None:
    """Assess LDA and logistic regression on the Wisconsin breast cancer data, and compare them.

    Leaves the data behind as patients.csv, and scores of both models as scores.csv: files to try other commands on.
    """
    import numpy as np
    from sklearn.datasets import load_breast_cancer
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    import trueness

    check_output_folder("out", out)
    data = load_breast_cancer(as_frame=True)
    X, y = data.data, np.asarray(data.target_names)[data.target]
    design = trueness.CvBootstrap().draw(y, rng=2026)
    models = {
        "LDA": make_pipeline(StandardScaler(), LinearDiscriminantAnalysis()),
        "logistic regression": make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
    }
    results = {}
    out.mkdir(parents=True, exist_ok=True)  # before the work starts
    typer.echo("Can these 30 measurements of a biopsy tell malignant from benign tumours?\n")
    for name, model in models.items():
        results[name] = a = trueness.assess(model, X, y, plan=design, positive="malignant", n_jobs=jobs)
        show_page(replace(a.page(), title=f"{name}: {a.provenance['design']}", footer=""))
        typer.echo()
    typer.echo("Is one better?")
    for metric in ("error", "auc"):
        typer.echo(f"- {trueness.compare(results, metric=metric).verdict}")
    write_tables(
        out, X.assign(outcome=y), {name: a.fits.left_out() for name, a in results.items() if a.fits is not None}
    )
    found = {name: a.to_dict() for name, a in results.items()}
    write_file(out / "demo.json", json.dumps(found, indent=2, ensure_ascii=False), "out")
    for name, a in results.items():
        a.to_csv(out / f"{name.replace(' ', '-').lower()}.csv")
        a.report(out / f"{name.replace(' ', '-').lower()}.html")
    data_file, score_file = out / "patients.csv", out / "scores.csv"
    typer.echo(f"\nWrote two reports (lda.html, logistic-regression.html), their tables and demo.json to {out}/.")
    typer.echo("Next, on the same data (other training sets, so slightly other numbers), or on a file of yours:")
    typer.echo(f"  trueness assess {data_file} --target outcome --positive malignant --model lda --report report.html")
    typer.echo(f"  trueness roc {score_file} --label outcome --positive malignant --score lda --score logistic")


def write_tables(out: Path, table: pd.DataFrame, left_out: Mapping[str, LeftOut | None]) -> None:
    """patients.csv: the data. scores.csv: for every case the label, and the score by a rule of each model that was not
    trained on it."""
    write_file(out / "patients.csv", table.to_csv(index=False), "out")
    known = {name.split()[0].lower(): left.data.scores for name, left in left_out.items() if left is not None}
    scores = table[["outcome"]].assign(**known, left_out="cross-validation")
    write_file(out / "scores.csv", scores.round(6).to_csv(index=False), "out")


@command(MORE, 20)
def runs(store: Annotated[Path, typer.Argument(help="File that --store named, or the trials.db of a study.")]) -> None:
    """List the runs in a store: models, plans, how many fits are done, seed and versions."""
    from trueness.fitting.store import contents

    show_page(contents(store))


ROWS = (  # pages with a table of names: of the first cell, or anywhere in the row
    ("notes", r"^\| `{}` \|(.*)\|$"),
    ("metrics", r"^\|(.*`{}`.*)\|$"),
    ("comparison", r"^\|(.*`{}`.*)\|$"),
)
JOBS = "jobs/"
GUIDES = ("howto/", "from/", "methods/")
PLACES = ("", JOBS, *GUIDES, "checks/", "appendix/", "decisions/")  # of a page that is named without its folder
MOST_PAGES = 8  # of those that only mention a term
MOST_ABOUT = 5  # of those about a phrase
STEM = 6  # letters that longer words share with their relatives: compare, comparison
ABOUT = "Pages about {!r} (trueness help PAGE shows one):"
LITTLE = re.compile(  # words that tell pages nothing
    "a|about|an|and|are|at|be|by|can|do|does|for|from|have|how|i|in|is|it|many|me|mean|means|much|my|of|on|one|or|should|than|"
    "that|the|to|was|what|when|where|which|who|why|will|with"
)
LISTS = ("glossary", "gallery", "index", "references")  # pages that hold a bit of everything


@command(MORE, 10)
def help(
    term: Annotated[
        list[str] | None, typer.Argument(help="A word of a table, the code of a note or a check, a metric, or a page.")
    ] = None,
) -> None:
    """Explain a word of a table, a note, a check or a metric, or show a page of the documentation.

    **Examples**

    - trueness help
    - trueness help cv+training
    - trueness help few-replicates
    - trueness help L003
    - trueness help jobs/churn
    - trueness help how many cases
    """
    pages = _pages()
    if not term:
        typer.echo(_contents(pages))
        return
    asked = " ".join(term).strip("`'\" ").removeprefix("docs/").removesuffix(".md")
    typer.echo(_explained(asked, pages))


def _pages() -> dict[str, str]:
    """Name, without ".md", and text of every page."""
    from trueness.result.glossary import documentation

    found, rest = {}, [("", documentation())]
    while rest:
        before, folder = rest.pop()
        for each in folder.iterdir() if folder.is_dir() else ():
            if each.is_dir() and each.name != "api":  # which names what a site shows
                rest.append((f"{before}{each.name}/", each))
            elif each.name.endswith(".md"):
                found[before + each.name.removesuffix(".md")] = each.read_text(encoding="utf-8")
    return dict(sorted(found.items()))


def _title(text: str) -> str:
    return text.partition("\n")[0].removeprefix("# ")


def _contents(pages: dict[str, str]) -> str:
    from trueness.result.glossary import words

    def lines(names: list[str]) -> list[str]:
        width = max(map(len, names), default=0)
        return [f"  {name.ljust(width)}  {_title(pages[name])}" for name in names]

    jobs = [name for name in pages if name.startswith(JOBS)]
    guides = [name for name in pages if "/" not in name or name.startswith(GUIDES)]
    names = ", ".join(dict.fromkeys(w.name for w in words().values()))
    return "\n".join(
        [
            "trueness help WORD explains a word of a table, the code of a note or a check, or a metric; "
            "trueness help PAGE shows a page.",
            *("\nJobs, from the data to the sentence in the paper", *lines(jobs)),
            *("\nGuides", *lines(guides)),
            f"\nWords\n  {names}",
        ]
    )


def _explained(asked: str, pages: dict[str, str]) -> str:
    """The page of this name, a word, a row of a table of names, a command, or where a term stands."""
    from trueness.result.glossary import key, word, words

    plain = asked.lower()
    page, found = _page(plain, pages), word(asked)
    if found is not None and (page is None or key(asked) in words()):
        also = f" ({', '.join(found.also)})" if found.also else ""
        said = f"{found.name}{also}\n  {found.says.replace('`', '')}"
        if page is not None and not page.startswith("appendix/"):
            return f"{said}\n\n{pages[page]}"
        more = f"{said}\n\nMore: trueness help {found.page}" if found.page in pages else said
        others = [] if key(asked) in words() else _about(asked, pages)  # the word was found in a phrase
        return "\n".join([more, "", ABOUT.format(asked), *others]) if others else more
    if page is not None:
        return pages[page]
    if (measured := _metric(asked)) is not None:
        return measured
    for place, row in ROWS:
        if named := re.search(row.format(re.escape(asked)), pages.get(place, ""), re.MULTILINE | re.IGNORECASE):
            said = "\n".join(f"  {cell.strip()}" for cell in named[1].split(" | ") if cell.strip())
            return f"{asked}\n{said}\n\nMore: trueness help {place}"
    if (name := plain.replace("-", "_")) in DECLARED:
        does = (DECLARED[name].function.__doc__ or "").partition("\n")[0]
        return f"trueness {asked}: {does}\n\nMore: trueness {asked} --help"
    return _mentioned(asked, pages)


def _metric(asked: str) -> str | None:
    """What a metric of this name measures, and its other names."""
    from trueness.metrics.registry import canonical, resolve

    known = canonical(asked)
    if known is None:
        return None
    metric = type(resolve(known))
    does = " ".join((metric.__doc__ or "").partition("\n\n")[0].split())
    also = f"\n  Also: {others}." if (others := getattr(metric, "aliases", "")) else ""
    return f"{known}\n  {does.removesuffix('.')}.{also}\n\nIn commands: --metric {known}. More: trueness help metrics"


def _page(plain: str, pages: dict[str, str]) -> str | None:
    """The page of this name, with its folder or without."""
    known = {name.lower(): name for name in pages}
    return next((known[place + plain] for place in PLACES if place + plain in known), None)


def _about(phrase: str, pages: dict[str, str]) -> list[str]:
    """Of a phrase, the pages with most of its words, rare ones in titles and headings first; a page that explains a word
    of the phrase counts more."""
    from trueness.result.glossary import key, words

    asked = dict.fromkeys(w for w in re.findall(r"[a-z][\w+.-]*", phrase.lower()) if not LITTLE.fullmatch(w))
    if len(asked) < 2:
        return []
    guides = [name for name in pages if name.startswith((JOBS, *GUIDES)) or ("/" not in name and name not in LISTS)]
    scores = dict.fromkeys(guides, 0.0)
    holds = dict.fromkeys(guides, 0)
    for word in asked:
        stem = word[:STEM] if len(word) > STEM else rf"{re.escape(word.removesuffix('s'))}(s|es|ed|ing)?(?!\w)"
        term = re.compile(rf"(?<!\w){stem}", re.IGNORECASE)
        times = {name: len(term.findall(pages[name])) for name in guides}
        rare = math.log1p(len(guides) / max(1, sum(map(bool, times.values()))))
        for name, n in times.items():
            heads = "\n".join(re.findall(r"^##+ .+$", pages[name], re.MULTILINE))
            places = 10 * bool(term.search(f"{name} {_title(pages[name])}")) + 3 * bool(term.search(heads))
            scores[name] += rare * (places + math.log1p(1000 * n / len(pages[name])))
            holds[name] += n > 0
    spelled, within = words(), key(phrase)
    for page in {
        row.page for each, row in spelled.items() if re.search(rf"(?<![^_]){re.escape(each)}s?(?![^_])", within)
    }:
        if page in scores:
            scores[page] += 10
    most = max(holds.values())
    best = sorted((name for name in guides if 2 * holds[name] >= most > 0), key=lambda n: -scores[n] * holds[n] ** 2)
    return [f"  {name}: {_title(pages[name])}" for name in best[:MOST_ABOUT]]


def _mentioned(asked: str, pages: dict[str, str]) -> str:
    """Headings with the term, or pages that mention it."""
    from trueness.result.glossary import words

    spelled = r"[\s_-]+".join(map(re.escape, re.split(r"[\s_-]+", asked)))
    term = re.compile(rf"(?<!\w){spelled}s?(?!\w)", re.IGNORECASE)
    lines = [
        f"  {name}: {heading}"
        for name, text in pages.items()
        for heading in re.findall(r"^#+ (.+)$", re.sub(r"```.*?```", "", text, flags=re.DOTALL), re.MULTILINE)
        if term.search(heading)
    ]
    if lines:
        return "\n".join([f"Pages with {asked!r} in a heading (trueness help PAGE shows one):", *lines])
    times = {
        name: len(term.findall(text))
        for name, text in pages.items()
        if name.startswith(PLACES[1:-2]) or "/" not in name
    }
    most = sorted((name for name in times if times[name]), key=lambda name: -times[name])[:MOST_PAGES]
    if most:
        lines = [f"  {name}: {_title(pages[name])}" for name in most]
        return "\n".join([f"Pages that mention {asked!r} (trueness help PAGE shows one):", *lines])
    if lines := _about(asked, pages):
        return "\n".join([ABOUT.format(asked), *lines])
    codes = [code for place, _ in ROWS for code in re.findall(r"^\| `([\w-]+)` \|", pages.get(place, ""), re.MULTILINE)]
    known = [
        *(w for row in words().values() for w in (row.name, *row.also)),
        *pages,
        *(n.rpartition("/")[2] for n in pages),
    ]
    raise InputError(
        f"Nothing is known about {asked!r}.",
        fix=f"{near(asked.lower(), [*known, *codes])}trueness help lists pages and words, trueness COMMAND --help explains a "
        "command",
    )
