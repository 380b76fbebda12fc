"""Pictures of the pages that people see, wide, dark, on a phone and printed: `python docs/programs/pictures.py`.

Looks at the reports below and at the first page and the jobs of the site, which `make docs` builds before. Writes PNG files
of each page in each form to build/pictures, the first picture of the README to docs/images/report.png (also by its name,
`report`), and prints what no eye is needed for: how much of a page is wider than a
phone, and texts of figures that leave their picture. Needs Debian's chromium, chromium-driver and poppler-utils.
"""

from __future__ import annotations

import base64
import io
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from PIL import Image
from selenium import webdriver
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import trueness

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "build" / "pictures"
SITE = ROOT / "build" / "site"
README = ROOT / "docs" / "images" / "report.png"
FORMS = {"wide": 1200, "dark": 1200, "phone": 390}  # and print

CLIPPED = """
return [...document.querySelectorAll('svg text')].filter(t => {
  const own = t.getBoundingClientRect(), svg = t.ownerSVGElement.getBoundingClientRect();
  return own.width && (own.left < svg.left - 1 || own.right > svg.right + 1 || own.bottom > svg.bottom + 1);
}).map(t => t.textContent)"""


def reports(folder: Path) -> Iterator[Path]:
    """One report of each kind."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    X, y = X.iloc[:, :8], 1 - y
    logistic = make_pipeline(StandardScaler(), LogisticRegression())
    made = {
        "two-classes": trueness.assess(logistic, X, y, rng=0, name="logistic"),
        "three-models": trueness.compare(
            {"logistic": logistic, "forest": RandomForestClassifier(20, random_state=0), "bayes": GaussianNB()},
            X,
            y,
            fits=60,
            rng=0,
        ),
        "curves": trueness.roc(y, {"radius": X["mean radius"], "texture": X["mean texture"]}),
    }
    X3, y3 = load_iris(return_X_y=True, as_frame=True)
    made["three-classes"] = trueness.assess(LDA(), X3, load_iris().target_names[y3], rng=0)
    made["numbers"] = trueness.assess(LinearRegression(), *load_diabetes(return_X_y=True, as_frame=True), rng=0)
    for name, result in made.items():
        result.report(folder / f"{name}.html")
        yield folder / f"{name}.html"


def browser(profile: str) -> webdriver.Chrome:
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for option in ("headless=new", "no-sandbox", "disable-gpu", "no-first-run", "disable-background-networking"):
        options.add_argument(f"--{option}")
    options.add_argument(f"--user-data-dir={profile}")
    return webdriver.Chrome(options=options, service=webdriver.ChromeService("/usr/bin/chromedriver"))


def take(driver: webdriver.Chrome, page: Path, name: str) -> None:
    """All forms of a page."""
    for form, width in FORMS.items():
        scheme = "dark" if form == "dark" else "light"
        driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        )
        metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": form == "phone"}
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        driver.get(page.as_uri())
        driver.execute_script("localStorage.clear()")  # the site keeps the colours of the first visit
        driver.refresh()
        beyond = driver.execute_script("return document.documentElement.scrollWidth") - width
        clipped = driver.execute_script(CLIPPED)
        print(f"{name:20} {form:6} {max(beyond, 0):4} px too wide, clipped: {', '.join(clipped) or 'none'}", flush=True)
        shot = driver.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True})
        (OUT / f"{name}-{form}.png").write_bytes(base64.b64decode(shot["data"]))
    driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    printed = driver.execute_cdp_cmd("Page.printToPDF", {"paperWidth": 8.27, "paperHeight": 11.69})
    pdf = OUT / f"{name}.pdf"
    pdf.write_bytes(base64.b64decode(printed["data"]))
    subprocess.run(["pdftoppm", "-r", "60", "-png", pdf, OUT / f"{name}-print"], check=True)


def first(driver: webdriver.Chrome, folder: Path) -> None:
    """The picture of the README: the report of its first block, with names of classes, down to the threshold, a miss
    costing 5 false alarms."""
    X, y = load_breast_cancer(return_X_y=True)
    named = np.where(y == 1, "benign", "malignant")
    trueness.assess(LDA(), X, named, positive="malignant", rng=0).report(folder / "report.html")
    metrics = {"width": 920, "height": 900, "deviceScaleFactor": 1.4, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    driver.get((folder / "report.html").as_uri())
    high = driver.execute_script("""
        const cost = document.getElementById("cost-fn");
        cost.value = 5;
        cost.dispatchEvent(new Event("input"));
        document.getElementById("cheapest").click();
        return document.querySelector("[aria-labelledby=roc]").getBoundingClientRect().bottom + 14""")
    whole = {"x": 0, "y": 0, "width": 920, "height": high, "scale": 1}
    shot = driver.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True, "clip": whole})
    picture = Image.open(io.BytesIO(base64.b64decode(shot["data"]))).convert("RGB")
    picture = picture.quantize(32, Image.Quantize.MAXCOVERAGE)  # which keeps rare colours
    picture.save(README, "PNG", optimize=True)
    print(f"{README.name:20} {README.stat().st_size / 1000:.0f} KB")


def main(names: list[str]) -> None:
    OUT.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        site = [SITE / "index.html", *sorted(SITE.glob("jobs/*.html"))]
        pages = {f"site-{page.parent.name}-{page.stem}": page for page in site if page.exists()}
        if not names or set(names) - {"report", *pages}:
            pages |= {page.stem: page for page in reports(Path(folder))}
        driver = browser(tempfile.mkdtemp(dir=folder))
        try:
            for name, page in pages.items():
                if not names or name in names:
                    take(driver, page, name)
            if not names or "report" in names:
                first(driver, Path(folder))
        finally:
            driver.quit()


if __name__ == "__main__":
    main(sys.argv[1:])
