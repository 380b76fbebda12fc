"""Counts of two labels at each distinct score, from high to low: sorted runs, and their exact merge in blocks.

A run is a table (v,) of `COUNTS`; the merge of two runs is that of all their cases, whatever was in which.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from trueness.kernels.score_counts import COUNTS, add_equal, count_scores
from trueness.sample.rows import FileRows, Rows, empty_rows
from trueness.typing import Array, Bools, Floats

BLOCK_ROWS = 2**20  # of a table that is read: results must not depend on the runs that it was merged from
MERGED_ROWS = 2**22  # held at a time while runs are merged


def run_of(scores: Floats, second: Bools) -> Array:
    """(v,) the distinct scores, high to low, with the number of cases of each label. −0 is 0."""
    return count_scores(scores, ~second)


def rounded_down(scores: Floats, bits: int | None) -> Floats:
    """The scores with so many binary digits, so that few are distinct; order is kept, and None rounds nothing."""
    if bits is None:
        return scores
    digits, exponent = np.frexp(scores)  # of any range, so that parts need not agree on one
    return np.asarray(np.ldexp(np.floor(np.ldexp(digits, bits)), exponent - bits))


def in_file(run: Array) -> Rows:
    """The same run in a temporary file."""
    rows = FileRows(run.shape, COUNTS)
    rows[: len(run)] = run
    return rows


def blocks_of(rows: Rows, size: int = BLOCK_ROWS) -> Iterator[Array]:
    """The table in blocks."""
    return (rows[start : start + size] for start in range(0, rows.shape[0], size))


def merge_runs(runs: Sequence[Rows]) -> Rows:
    """All runs together, in memory where it fits, else in a temporary file."""
    if len(runs) == 1:
        return runs[0]
    most = sum(run.shape[0] for run in runs)
    table, end = empty_rows((most,), COUNTS), 0
    for block in merged_blocks(runs):
        table[end : end + len(block)] = block
        end += len(block)
    if isinstance(table, FileRows):
        table.shape = (end,)
        return table
    return table[:end]


def merged_blocks(runs: Iterable[Rows]) -> Iterator[Array]:
    """Blocks of all runs together: of every run some rows are held, and those down to the highest of their last scores
    are complete."""
    runs = [run for run in runs if run.shape[0]]
    readers = [blocks_of(run, max(1, MERGED_ROWS // len(runs))) for run in runs]
    held = [next(reader) for reader in readers]
    while held:
        bound = max(block["score"][-1] for block in held)
        cuts = [int(np.searchsorted(-block["score"], -bound, side="right")) for block in held]
        yield add_equal(np.concatenate([block[:cut] for block, cut in zip(held, cuts, strict=True)]))
        rest = [block[cut:] for block, cut in zip(held, cuts, strict=True)]
        rest = [block if len(block) else next(reader, block) for block, reader in zip(rest, readers, strict=True)]
        readers = [reader for reader, block in zip(readers, rest, strict=True) if len(block)]
        held = [block for block in rest if len(block)]


def swapped(block: Array) -> Array:
    """The counts of the two labels exchanged."""
    out = block.copy()
    out["first"], out["second"] = block["second"], block["first"]
    return out
