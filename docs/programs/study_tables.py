"""Tables of docs/appendix/studies.md, from what `trueness study NAME --out FOLDER` wrote.

    trueness study auc-estimators --out studies/auc-estimators
    cd studies/auc-estimators; python ../../docs/programs/study_tables.py accuracy.csv --printed printed.csv

A number is followed by its Monte Carlo error in parentheses (in units of its last digits) and, after a slash, by the
published one.
"""

from __future__ import annotations

import argparse

import pandas as pd


def cell(value: object, error: float | None, printed: float | None, digits: int) -> str:
    if not isinstance(value, float):
        return str(value)
    if pd.isna(value):
        return ""
    text = f"{value:.{digits}f}"
    if error is not None and error > 0:
        text += f"({round(error * 10**digits)})"
    if printed is not None and not pd.isna(printed):
        text += f" / {printed:.{digits}f}"
    return text


def markdown(
    table: pd.DataFrame, printed: pd.DataFrame | None, keys: list[str], columns: list[str], digits: int
) -> str:
    beside = None if printed is None else table[keys].merge(printed, on=keys, how="left")
    lines = ["| " + " | ".join([*keys, *columns]) + " |", "|" + "---|" * (len(keys) + len(columns))]
    values = {column: table[column].tolist() for column in table.columns}  # rows would turn integers into floats
    for i in range(len(table)):
        cells = [str(values[k][i]) for k in keys]
        for column in columns:
            error = values[f"{column}_mc"][i] if f"{column}_mc" in values else None
            other = None if beside is None or column not in beside else beside[column].iloc[i]
            cells.append(cell(values[column][i], error, other, digits))
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("table")
    parser.add_argument("--printed")
    parser.add_argument("--columns", help="comma-separated; all numbers unless given")
    parser.add_argument("--digits", type=int, default=4)
    parser.add_argument("--where", help="a pandas query, e.g. size in (20, 50)")
    asked = parser.parse_args()
    table = pd.read_csv(asked.table, dtype={"estimator": str})
    if asked.where:
        table = table.query(asked.where)
    table = table.reset_index(drop=True)
    printed = None if asked.printed is None else pd.read_csv(asked.printed, dtype={"estimator": str})
    numbers = [c for c in table if pd.api.types.is_float_dtype(table[c]) and not c.endswith("_mc")]
    columns = asked.columns.split(",") if asked.columns else numbers
    keys = [c for c in table if c not in numbers and not c.endswith("_mc") and c not in columns]
    if printed is not None:  # counts are not keys
        keys = [k for k in keys if k in printed]
    print(markdown(table, printed, keys, columns, asked.digits))


if __name__ == "__main__":
    main()
