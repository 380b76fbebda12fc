"""The AUC of a Parquet file of ten million rows: memory does not grow with the rows."""

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parents[2] / "docs" / "programs" / "many_cases.py"


@pytest.mark.slow
def test_ten_million_rows_stay_under_1500_megabytes():
    pytest.importorskip("pyarrow")
    done = subprocess.run([sys.executable, str(PROGRAM), "auc", "7"], capture_output=True, text=True, check=True)
    print(done.stdout)
    cells = done.stdout.splitlines()[-1].split("|")
    assert cells[1].strip() == "10^7"
    assert float(cells[-2]) < 1.5
