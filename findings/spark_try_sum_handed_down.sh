#!/bin/bash
# Spark hands try_sum() down to a data source as sum(), so that it is an error or a wrong number where it should be NULL.
#
# try_sum() is there to be NULL where a sum is larger than its type. One would guess that it is either computed by Spark, or
# handed down to sources as what it is. In fact the aggregate that a source of the second version is offered is the same
# for sum() and try_sum(): of a JDBC table, whose database computes sums, both are an error in ANSI mode, and a number that
# has wrapped without it. With pushDownAggregate off the answers are those of the documentation.
#
# pyspark 4.3.0, h2 2.4.240, JDK 17; seen 2026-11-30.
# Why it matters here: the jar for Spark takes sums of groups. Its tasks hand on a sum in parts before it is larger than
# 64 bits, so that Spark itself decides what becomes of it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pyspark==4.3.0
mvn -q -B dependency:copy -Dartifact=com.h2database:h2:2.4.240 "-DoutputDirectory=$folder"
"$folder/venv/bin/python" - "$folder" 2>/dev/null <<'PYTHON'
import sys

from pyspark.sql import SparkSession

folder = sys.argv[1]
builder = SparkSession.builder.master("local[1]").config("spark.jars", folder + "/h2-2.4.240.jar").config("spark.ui.enabled", "false")
builder = builder.config("spark.driver.host", "127.0.0.1").config("spark.sql.warehouse.dir", folder + "/warehouse")
for name, pushed in (("handed", "true"), ("kept", "false")):
    catalog = "spark.sql.catalog." + name
    builder = builder.config(catalog, "org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCTableCatalog")
    builder = builder.config(catalog + ".url", "jdbc:h2:%s/base" % folder).config(catalog + ".driver", "org.h2.Driver")
    builder = builder.config(catalog + ".pushDownAggregate", pushed)
spark = builder.getOrCreate()
spark.sql("create table handed.PUBLIC.numbers (n bigint)")
spark.sql("insert into handed.PUBLIC.numbers values (9000000000000000000), (9000000000000000000)")
found = {}
for ansi in ("true", "false"):
    spark.conf.set("spark.sql.ansi.enabled", ansi)
    for catalog in ("handed", "kept"):
        for function in ("sum", "try_sum"):
            try:
                answer = spark.sql("select %s(n) from %s.PUBLIC.numbers" % (function, catalog)).first()[0]
            except Exception as error:
                answer = "error"
            found[ansi, catalog, function] = answer
            print("ANSI %-5s aggregates %-6s %-7s %s" % (ansi, catalog, function + "()", answer))
assert found["true", "kept", "try_sum"] is None and found["false", "kept", "try_sum"] is None, "what the documentation says is no longer so"
assert found["true", "handed", "try_sum"] == "error", "in ANSI mode it is handed down in another way"
assert found["false", "handed", "try_sum"] == 2 * 9_000_000_000_000_000_000 - 2**64, "without ANSI mode it is handed down in another way"
PYTHON
