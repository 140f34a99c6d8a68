#!/usr/bin/env python3
"""The question of figure 7 to DuckDB, on a Parquet file of the same rows.

    ask_duckdb.py MESSAGES PERCENT FILE.parquet ROUNDS

Prints a line for each question: its name, a tab, seconds. These are of the query alone, without the start of Python and
DuckDB. Exit status 3: there is no DuckDB.
"""
import sys
import time

try:
    import duckdb
except ImportError:
    sys.exit(3)

messages, percent, path, rounds = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], int(sys.argv[4])
database = duckdb.connect()
database.execute(f"""
    COPY (SELECT 1800000000000000000 + i * 50 AS time, 'INFO' AS level,
                 CASE WHEN (i + 1) * {percent} // 100 > i * {percent} // 100
                      THEN 'Hello World # {{}}' ELSE 'UnrelatedLog #{{}}' END AS format,
                 i::INTEGER AS n
          FROM range({messages}) t(i)) TO '{path}' (FORMAT parquet)""")


def ask(name, threads, select, where=""):
    database.execute(f"SET threads = {threads}")
    best = float("inf")
    for _ in range(rounds):
        begin = time.perf_counter()
        database.execute(f"SELECT {select} FROM '{path}' WHERE format = 'Hello World # {{}}' {where}").fetchall()
        best = min(best, time.perf_counter() - begin)
    print(f"{name}\t{best:.6f}")


ask("min,mean,max", 1, "min(n), avg(n), max(n)")
ask("percentiles", 1, "quantile_disc(n, [0.5, 0.99, 0.999])")
ask("where", 1, "min(n), avg(n), max(n)", f"AND n > {messages // 3}")
