"""Tables of Delta Lake and Iceberg, read back by several engines. Skipped where scripts/bootstrap has not installed them."""
from collections import Counter
from pathlib import Path
from urllib.parse import unquote

import duckdb
import polars
import pyarrow
import pyarrow.compute as compute
import pytest
import steno
from pyarrow import dataset, parquet
from steno import _export, _lakes, export

deltalake = pytest.importorskip("deltalake", reason="no deltalake here (scripts/bootstrap installs it where PyPI can be reached)")
pytest.importorskip("pyiceberg", reason="no pyiceberg here (scripts/bootstrap installs it where PyPI can be reached)")
from pyiceberg.catalog import load_catalog  # noqa: E402
from pyiceberg.table import StaticTable  # noqa: E402


def catalog_of(directory):
    return load_catalog("steno", type="sql", uri=f"sqlite:///{directory}/{_lakes.CATALOG}", warehouse=f"file://{directory}")


def readers(form, directory, name):
    """What reads a table: by engine, a function that gives a pyarrow Table."""
    if form == "delta":
        table = deltalake.DeltaTable(directory)
        files = [unquote(file.removeprefix("file://")) for file in table.file_uris()]
        return {"deltalake": lambda: pyarrow.table(deltalake.QueryBuilder().register("t", table).execute("select * from t")),
                "polars": lambda: polars.read_delta(str(directory)).to_arrow(),
                "pyarrow": lambda: dataset.dataset(files, partitioning=None).to_table(),
                "duckdb": lambda: pyarrow.table(duckdb.read_parquet(files, hive_partitioning=False))}
    table = catalog_of(directory).load_table((_lakes.NAMESPACE, name))
    files = [task.file.file_path.removeprefix("file://") for task in table.scan().plan_files()]
    return {"pyiceberg": lambda: table.scan().to_arrow(),
            "pyiceberg by path": lambda: StaticTable.from_metadata(table.metadata_location).scan().to_arrow(),
            "polars": lambda: polars.scan_iceberg(table).collect().to_arrow(),
            "pyarrow": lambda: dataset.dataset(files, partitioning=None).to_table(),
            "duckdb": lambda: pyarrow.table(duckdb.read_parquet(files, hive_partitioning=False))}


def as_lakes_have_it(value, kind):
    if kind == "L" and value is not None and value >= 2**63:
        return value - 2**64
    return value


@pytest.mark.parametrize("form", _lakes.FORMS)
def test_types_by_value(all_types, tmp_path, form):
    log = steno.open(all_types.path)
    written = getattr(log, f"to_{form}")(tmp_path / "lake")
    assert written == log.table().count()
    for statement in log.statements:
        table = log.table(statement)
        wanted = {row["time_ns"]: row for row in table.profile("parquet").select("time_ns", *table.columns)}
        place = tmp_path / "lake" / statement.name if form == "delta" else tmp_path / "lake"
        for engine, read in readers(form, place, statement.name).items():
            found = read()
            assert found.num_rows == len(wanted), engine
            assert not any(pyarrow.types.is_unsigned_integer(field.type) for field in found.schema), (engine, found.schema)
            assert found["time"].type.unit == "us", engine
            assert compute.equal(found["time"].cast(pyarrow.int64()), _export.floor_divide(found["time_ns"], 1000)).to_pylist() == \
                [True] * len(wanted), engine
            for row in found.drop_columns(["time"]).to_pylist():
                for name, value in row.items():
                    if name in table.schema and not table.schema[name].startswith(("ts", "tD")):
                        other = as_lakes_have_it(wanted[row["time_ns"]][name], table.schema[name])
                        assert value == other or value != value, (engine, statement.name, name)


@pytest.mark.parametrize("form", _lakes.FORMS)
def test_many_rows(many_blocks, tmp_path, form, monkeypatch):
    monkeypatch.setattr(_lakes._export.groups, "__defaults__", (150_000, 0))
    log = steno.open(many_blocks.path)
    assert export.main(["--to", form, "--out", str(tmp_path / "lake"), "--by", "hour", "--table", "response", many_blocks.path]) == 0
    wanted = log.table("response").to_duckdb().aggregate("tenant, count(*), sum(us), max(bytes)", "tenant").fetchall()
    for engine, read in readers(form, tmp_path / "lake", "response").items():
        found = read()
        rows = duckdb.sql("select tenant, count(*), sum(us), max(bytes) from found group by tenant").fetchall()
        assert sorted(rows) == sorted(wanted), engine
    files = list((tmp_path / "lake").rglob("*.parquet"))
    groups = 0
    for file in files:
        metadata = parquet.read_metadata(file)
        groups += metadata.num_row_groups
        times = parquet.read_table(file, partitioning=None)["time_ns"].to_pylist()
        assert times == sorted(times)
    assert groups <= 8, groups  # not one for each block
    assert any("hour=" in str(file) for file in files)


@pytest.mark.parametrize("form", _lakes.FORMS)
def test_whole_log_and_mistakes(sample, tmp_path, form, capsys):
    log = steno.open(sample.path)
    name = "log of \u00fc" if form == "iceberg" else "log"  # polars.read_delta fails for the former
    assert getattr(log, f"to_{form}")(tmp_path / name, by=["day"]) == len(sample.records)
    assert [one.name for one in tmp_path.iterdir()] == [name]
    for engine, read in readers(form, tmp_path / name, "log").items():
        assert Counter(read()["message"].to_pylist()) == Counter(record["message"] for record in sample.records), engine
    with pytest.raises(steno.InvalidError, match="no empty directory"):
        getattr(log, f"to_{form}")(tmp_path / name)
    if form == "iceberg":
        with pytest.raises(steno.InvalidError, match="path of an Iceberg table"):
            log.to_iceberg(tmp_path / "a%20b")
    with pytest.raises(steno.InvalidError, match="partitioned by"):
        getattr(log, f"to_{form}")(tmp_path / "other", by=["minute"])
    with pytest.raises(steno.InvalidError, match="local"):
        getattr(log, f"to_{form}")("s3://bucket/lake")
    assert export.main(["--to", form, sample.path]) == 2
    assert export.main(["--to", form, "--out", str(tmp_path / "a"), "--by", "statement", "--table", "x", sample.path]) == 2
    assert "--out" in capsys.readouterr().err and not (tmp_path / "a").exists()


@pytest.mark.parametrize("form", _lakes.FORMS)
def test_arguments_that_have_the_names_of_columns(odd, tmp_path, form):
    """The table has the arguments, as it shows them, not the columns of these names that records have."""
    log = steno.open(odd.path)
    for what, named in (("names", {}), ("late", {"time_ns": "time_ns_2"})):
        wanted = [{named.get(name, name): value for name, value in row.items() if name != "time"} for row in log.table(what)]
        assert _lakes.write(log, form, tmp_path / what, (), what) == 3
        for engine, read in readers(form, tmp_path / what, log.table(what).name).items():
            rows = sorted(read().drop_columns(["time"]).to_pylist(), key=lambda row: row["time_ns"])
            assert [{name: row[name] for name in wanted[0]} for row in rows] == wanted, (engine, what)
    assert _lakes.write(log, form, tmp_path / "some", (), "names", ("{level}", "level", "pid")) == 3
    for engine, read in readers(form, tmp_path / "some", log.table("names").name).items():
        assert read().column_names[2:] == log.table("names").select("{level}", "level", "pid").columns, engine


@pytest.mark.parametrize("form", _lakes.FORMS)
def test_nothing_is_left_of_what_fails(sample, tmp_path, form, monkeypatch):
    log = steno.open(sample.path)
    of_all = _export.groups

    def two(*given, **more):
        for i, group in enumerate(of_all(*given, **{**more, "rows": 500})):
            if i == 2:
                raise OSError(28, "No space left on device")
            yield group

    monkeypatch.setattr(_export, "groups", two)
    for directory in (tmp_path / "new", tmp_path / "there"):
        if directory.name == "there":
            directory.mkdir()
        with pytest.raises(Exception, match="No space left"):
            getattr(log, f"to_{form}")(directory, by=["hour"])
        assert not directory.exists() or not list(directory.iterdir())
    assert [Path(one).name for one in tmp_path.iterdir()] == ["there"]
