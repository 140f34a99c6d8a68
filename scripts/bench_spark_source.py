"""Times Spark on a log, by the Python data source of the wheel, against Spark on Parquet files (zstd) that it writes of the same rows.

    build/python/bin/python3 scripts/bench_spark_source.py LOG FOLDER ROUNDS [WHEEL]

The package is a wheel, or the one that scripts/build_wheel makes. Prints an object of JSON: of each query the
least CPU seconds of so many rounds, in turns, in local[2]; by the source as it is (`source`), where it is told which columns to read
(`named`), and of Parquet; of the JVM, its Python workers and this process together. `read`: of the batches alone, without Spark.
scripts/bench_spark runs it.
"""
import json
import os
import sys
from pathlib import Path

sys.dont_write_bytecode = True
from wheel_site import unpack_wheel  # noqa: E402


def group(rows):
    from pyspark.sql import functions
    groups = rows.groupBy("tenant", "status").agg(functions.count("*"), functions.sum("us"), functions.max("bytes"))
    return groups.orderBy("tenant", "status").collect()


QUERIES = {"count": lambda rows: rows.count(), "group": group, "rows": lambda rows: rows.selectExpr("max(us % 1000 + bytes)").collect()}


def processor_seconds():
    """The CPU time of this process and of all that it started, those that have ended with them."""
    children, seconds = {}, {}
    for entry in Path("/proc").iterdir():
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split() if entry.name.isdigit() else None
        except OSError:  # it has ended meanwhile
            continue
        if fields:
            children.setdefault(int(fields[1]), []).append(int(entry.name))
            seconds[int(entry.name)] = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    total, left = 0.0, [os.getpid()]
    while left:
        pid = left.pop()
        total += seconds.get(pid, 0)
        left += children.get(pid, [])
    return total


def read_alone(log, rounds):
    import pyarrow
    import steno
    table, seconds = steno.open(log).table("response").profile("spark"), []
    for _ in range(rounds):
        begin = processor_seconds()
        rows = sum(batch.num_rows for batch in pyarrow.RecordBatchReader.from_stream(table))
        seconds.append(processor_seconds() - begin)
        assert rows == table.count()
    return min(seconds)


def main():
    log, folder, rounds = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    unpack_wheel(folder, Path(sys.argv[4]) if len(sys.argv) > 4 else None)
    os.environ["PYSPARK_PYTHON"] = sys.executable
    import steno.spark
    from pyspark.sql import SparkSession
    builder = SparkSession.builder.master("local[2]").appName("steno")
    for key, value in {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "2", "spark.driver.memory": "2g", "spark.driver.host": "127.0.0.1",
                       "spark.sql.session.timeZone": "UTC", "spark.sql.warehouse.dir": str(folder / "warehouse")}.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    steno.spark.register(spark)
    rows = spark.read.format("steno").option("statement", "response").load(log)
    rows.write.option("compression", "zstd").parquet(str(folder / "source_parquet"))
    parquet = spark.read.parquet(str(folder / "source_parquet"))
    named = spark.read.format("steno").option("statement", "response").option("columns", "tenant,status,us,bytes").load(log)
    found = {"read": read_alone(log, rounds)}
    for name, query in QUERIES.items():
        for _ in range(rounds):
            answers = []
            for kind, table in ("source", rows), ("named", named), ("parquet", parquet):
                begin = processor_seconds()
                answers.append(query(table))
                took = processor_seconds() - begin
                found[f"{name}_{kind}"] = min(took, found.get(f"{name}_{kind}", took))
            if answers[0] != answers[2] or answers[1] != answers[2]:
                raise SystemExit(f"{name}: other answers")
    spark.stop()
    print("figures " + json.dumps(found))


if __name__ == "__main__":
    main()
