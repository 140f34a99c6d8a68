"""docs/engines.md is right: the type that each engine makes of each of ours, and the values."""
import math
import re
from datetime import timedelta
from pathlib import Path

import duckdb
import polars
import pyarrow
import pytest
import steno

PAGE = Path(__file__).resolve().parents[2] / "docs/engines.md"
# The columns that the rows of the page are about.
LOG = {"`time`": "time", "`time_ns`": "time_ns", "`level`": "level", "`severity`": "severity", "`message`": "message",
       "`thread`, `logger`, `file`, `format`, …": "file"}
ARGUMENTS = {
    "integers": {"`int8_t`": "i8", "`int16_t`": "i16", "`int32_t`": "i32", "`int64_t`": "i64", "`uint8_t`": "u8",
                 "`uint16_t`": "u16", "`uint32_t`": "u32", "`uint64_t`": "u64", "`bool`": "truth"},
    "others": {"`float`": "f32", "`double`": "f64", "strings": "text", "`char`": "letter", "`optional<int>`": "maybe",
               "named enumerations": "side", "lists": "list"},
    "times": {"time points": "at", "`nanoseconds`": "ns", "`microseconds`": "us", "`milliseconds`": "ms", "`seconds`": "s"},
}
NS = 1790000000123456789
WANTED = {
    "integers": [(-2**7, -2**15, -2**31, -2**63, 0, 0, 0, 0, False),
                 (2**7 - 1, 2**15 - 1, 2**31 - 1, 2**63 - 1, 2**8 - 1, 2**16 - 1, 2**32 - 1, 2**64 - 1, True),
                 (7, 7, 7, 7, 7, 7, 7, 7, False)],
    "others": [(-0.5, -0.5, "plain", "a", 0, "kBuy", "[0, 1]"), (math.nan, math.nan, None, "b", None, "kSell", "[1, 2]"),
               (math.inf, math.inf, "grüß", "c", 2, "kSell", "[2, 3]")],
    "times": [(NS + i, 1500 + i, i - 1, i, 60 + i) for i in range(3)],  # in their units
}


def rows_of_page():
    text = PAGE.read_text()
    table = text[text.index("## Types"):text.index("## Profiles")]
    return {cells[0]: cells[1:] for line in table.splitlines() if line.startswith("| ")
            and len(cells := [cell.strip() for cell in line.strip("|").split("|")]) == 6}


def name_of(type_):
    text = str(type_)
    if pyarrow.types.is_dictionary(type_) if isinstance(type_, pyarrow.DataType) else False:
        return "dictionary<string>"
    text = re.sub(r"time_unit=|time_zone=", "", text)
    return text


def tables(log):
    yield log.table().select(*LOG.values()), LOG
    for beginning, columns in ARGUMENTS.items():
        yield log.table(beginning).select(*columns.values()), columns


def test_types_are_those_of_the_page(all_types):
    page = rows_of_page()
    found = {}
    for table, columns in tables(steno.open(all_types.path)):
        arrow, frame, series = pyarrow.table(table), polars.DataFrame(table), table.to_pandas()
        spark = pyarrow.table(table.profile("spark"))
        assert all(field.nullable for field in spark.schema)
        for type_, (row, name) in zip(duckdb.from_arrow(table).types, columns.items()):
            names = [arrow.schema.field(name).type, type_, frame.schema[name], series.dtypes[name],
                     spark.schema.field(name).type]
            found[row] = [f"`{name_of(one)}`" for one in names]
    header = ["Arrow", "DuckDB", "Polars", "pandas", "profile `spark`"]
    assert found == {row: cells for row, cells in page.items() if cells != header and not cells[0].startswith("---")}


def same(a, b):
    return len(a) == len(b) and all(
        len(x) == len(y) and all(p == q or (p != p and q != q) for p, q in zip(x, y)) for x, y in zip(a, b))


@pytest.mark.parametrize("beginning", ["integers", "others"])
def test_values_are_the_same_in_each_engine(all_types, beginning):
    columns = ARGUMENTS[beginning].values()
    table = steno.open(all_types.path).table(beginning).select(*columns)
    wanted = WANTED[beginning]
    assert same([tuple(row.values()) for row in table], wanted)
    assert same([tuple(row.values()) for row in pyarrow.table(table).to_pylist()], wanted)
    assert same(duckdb.from_arrow(table).fetchall(), wanted)
    assert same(table.to_duckdb().fetchall(), wanted)
    assert same(polars.DataFrame(table).rows(), wanted)
    import pandas
    series = pyarrow.table(table).to_pandas(types_mapper=pandas.ArrowDtype)
    values = [tuple(None if value is pandas.NA else value for value in row)
              for row in series.itertuples(index=False, name=None)]
    assert same(values, wanted)
    if beginning == "others":
        assert same([tuple(row.values()) for row in pyarrow.table(table.profile("spark")).to_pylist()], wanted)


def test_times_and_durations(all_types):
    table = steno.open(all_types.path).table("times").select(*ARGUMENTS["times"].values())
    wanted = WANTED["times"]

    def numbers(arrow):
        return [tuple(row) for row in zip(*(column.cast(pyarrow.int64()).to_pylist() for column in arrow.columns))]

    arrow = pyarrow.table(table)
    assert numbers(arrow) == wanted
    assert numbers(pyarrow.table(table.profile("parquet"))) == wanted
    micros = [(at // 1000, ns // 1000, us, ms * 1000, s * 10**6) for at, ns, us, ms, s in wanted]
    assert numbers(pyarrow.table(table.profile("spark"))) == micros
    frame = polars.DataFrame(table)
    assert frame["at"].dt.timestamp("ns").to_list() == [row[0] for row in wanted]
    assert frame["ns"].dt.total_nanoseconds().to_list() == [row[1] for row in wanted]
    series = table.to_pandas()
    assert series["ns"].astype("int64").tolist() == [row[1] for row in wanted]
    assert duckdb.from_arrow(table).project('epoch_ns("at")').fetchall() == [(row[0],) for row in wanted]
    # The page states that DuckDB's intervals have microseconds.
    assert duckdb.from_arrow(table).project("ns").fetchall() == [(timedelta(microseconds=1),)] * 3
    assert [tuple(row.values())[1:] for row in table] == [
        (timedelta(microseconds=1), timedelta(microseconds=i - 1), timedelta(milliseconds=i), timedelta(seconds=60 + i))
        for i in range(3)]


def test_numbers_beyond_int64_keep_their_bits_for_spark(all_types):
    table = steno.open(all_types.path).table("integers").select("u64")
    assert pyarrow.table(table.profile("spark"))["u64"].to_pylist() == [0, -1, 7]


def test_unknown_profile(all_types):
    with pytest.raises(steno.InvalidError, match="choose from arrow, spark, parquet"):
        steno.open(all_types.path).table().profile("avro")
