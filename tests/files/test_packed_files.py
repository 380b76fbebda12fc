"""Small files that would fill the memory, and logs that Python's parser refuses: one clean error each."""

import gzip
import io

import numpy as np
import pandas as pd
import pytest

from trueness.errors import InputError
from trueness.files import table_file
from trueness.files.score_file import counts_of_files
from trueness.files.table_file import read_table
from trueness.systems import read_evals


@pytest.fixture
def small_limits(monkeypatch):
    monkeypatch.setattr(table_file, "LEAST_REFUSED", 1 << 20)


@pytest.mark.usefixtures("small_limits")
def test_a_gz_file_that_unpacks_to_far_more_than_its_size_is_refused(tmp_path):
    path = tmp_path / "s.csv.gz"
    with gzip.open(path, "wb") as file:
        file.write(b"y,s\n0,1\n1,2\n0," + b"1" * 8_000_000 + b"\n")
    with pytest.raises(InputError, match="unpacks to more than 100 times its size"):
        read_table(str(path))
    with pytest.raises(InputError, match="unpacks to more than 100 times its size"):
        counts_of_files(path, "y", "s")


@pytest.mark.usefixtures("small_limits")
def test_json_lines_that_unpack_to_far_more_than_their_size_are_refused(tmp_path):
    path = tmp_path / "a.jsonl.gz"
    with gzip.open(path, "wb") as file:
        file.write(b'{"id": 1, "correct": 1, "text": "' + b"1" * 8_000_000 + b'"}\n')
    for read in (lambda: read_table(path), lambda: read_evals(path)):
        with pytest.raises(InputError, match="unpacks to more than 100 times its size"):
            read()


@pytest.mark.usefixtures("small_limits")
def test_an_ordinary_gz_file_is_read(tmp_path):
    table = pd.DataFrame({"y": [0, 1] * 50_000, "s": np.random.default_rng(0).normal(size=100_000)})
    table.to_csv(tmp_path / "s.csv.gz", index=False)
    assert read_table(str(tmp_path / "s.csv.gz")).equals(table)


@pytest.mark.parametrize("kind", ["csv", "csv.gz", "parquet"])
def test_packed_tables_from_standard_input(kind, monkeypatch, tmp_path):
    table = pd.DataFrame({"y": [0, 1] * 20, "s": np.arange(40) / 8})
    (table.to_parquet if kind == "parquet" else table.to_csv)(tmp_path / f"t.{kind}", index=False)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO((tmp_path / f"t.{kind}").read_bytes())))
    assert read_table("-").equals(table)


def test_a_first_line_without_an_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(table_file, "LONGEST_HEADER", 1 << 20)
    with gzip.open(tmp_path / "s.csv.gz", "wb") as file:
        file.write(b"y,s" * 3_000_000)
    with pytest.raises(InputError, match="first line is too long"):
        read_table(str(tmp_path / "s.csv.gz"))


def test_a_parquet_file_of_300_million_rows_in_a_few_megabytes_is_refused_without_unpacking_it(tmp_path):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    path = tmp_path / "s.parquet"
    block = pa.table({"y": pa.array(np.zeros(10_000_000, dtype=np.int8))})
    with parquet.ParquetWriter(path, block.schema) as file:
        for _ in range(30):
            file.write_table(block)
    assert path.stat().st_size < 4e6
    for read in (lambda: read_table(str(path)), lambda: read_evals(path)):
        with pytest.raises(InputError, match=r"unpacks to more than 100 times its size.*at least 2\.4 GB"):
            read()


@pytest.mark.parametrize("line", ["[" * 200_000, '{"doc_id": ' + "1" * 5000 + "}"], ids=["nested", "digits"])
def test_lines_that_the_parser_refuses_are_named(tmp_path, line):
    path = tmp_path / "samples_a.jsonl"
    path.write_text('{"doc_id": 1, "acc": 1}\n' + line)
    with pytest.raises(InputError, match=r"not one JSON object per line.*line 2"):
        read_evals(path)
