"""What bench_postgres measured, as suites of results with their bars."""
import re
import statistics

from bench_results import bar, write_suites
from postgres_servers import ONE_CORE, PLAIN, ways


def write_view(out, raw):
    seconds = statistics.median(took for _, took in raw.views)
    suite = {"name": "postgresql_view", "title": "select … from steno.statements", "unit": "see the columns", "lower_is_better": True,
             "rows": [{"label": "steno.statements", "values": {"statements in the log": raw.views[0][0], "seconds": seconds}}],
             "bars": [bar("PostgreSQL: steno.statements over 10 M statements, s", seconds * 1e7 / raw.views[0][0], 1)]}
    write_suites(out, [suite])
    print("written:", out)


def write(out, name, what, raw, loads):
    found = raw.found
    plain = found[PLAIN]
    ways_found = [way for way in ways("", True) if way in found]

    def ratio(way, load, beside=PLAIN):
        return statistics.median(a / b for a, b in zip(found[way][load]["tps"], found[beside][load]["tps"]))

    def added(way, load):
        """Nanoseconds."""
        return 1e9 * statistics.median(a - b for a, b in zip(found[way][load]["backends"], plain[load]["backends"]))

    def table(which, title, unit, of, columns, **more):
        rows = [{"label": way, "values": {column: of(way, *asked) for column, asked in columns.items()}} for way in ways_found]
        return {"name": name + "_" + which, "title": title, "unit": unit, "rows": rows, **more}

    one_core = [load for load in loads if load.endswith(ONE_CORE)]
    others = [load for load in loads if load not in one_core]
    everything = loads + ["pipelined"]
    rate = table("rate", what + ", every statement logged", "% of not logged", lambda way, load: 100 * ratio(way, load), {load: [load] for load in others})
    bound = table("one_core", what + ", every statement logged, all processes on one core", "% of not logged", lambda way, load: 100 * ratio(way, load),
                  {load.replace(ONE_CORE, ""): [load] for load in one_core})
    absolute = table("tps", what + ", transactions a second", "a second", lambda way, load: statistics.median(found[way][load]["tps"]), {load: [load] for load in loads})
    latency = table("latency", what + ", latency as pgbench logs it", "µs", lambda way, load, which: statistics.median(found[way][load][which]),
                    {"%s, %s" % (which, load): [load, which] for load in others for which in ("p50", "p99")}, lower_is_better=True)
    cpu = table("cpu", "CPU of all of the server's processes", "µs a statement", lambda way, load: 1e6 * statistics.median(found[way][load]["server"]),
                {load: [load] for load in everything}, lower_is_better=True)
    logged = {}
    for way in ways_found:
        sizes = [size for size, _ in raw.logged[way] if size is not None]
        logged[way] = (statistics.median(sizes), sum(missing for _, missing in raw.logged[way])) if sizes else (None, None)
    def connections_of(way):
        parts = raw.connections.get(way)
        names = ("bytes a connection with a statement", "bytes a refused connection")
        return {label: statistics.median(part[i] for part in parts) for i, label in enumerate(names)} if parts else {}

    cost = {"name": name + "_cost", "title": "What logging a statement costs", "unit": "see the columns", "lower_is_better": True,
            "rows": [{"label": way, "values": {"CPU of the backend, ns, pipelined": added(way, "pipelined"),
                                               **({"bytes a statement": size, "statements that are missing": missing}
                                                  if size is not None else {}),
                                               **connections_of(way)}}
                     for way, (size, missing) in logged.items() if way != PLAIN]}

    def worst(way, beside=PLAIN):
        return min(ratio(way, load, beside) for load in one_core)

    if re.fullmatch(r"postgresql(_\d+)?", name) and {"steno: statements", "steno: with parameters", "steno: server log", "csvlog"} <= found.keys():
        bound["bars"] = [
            bar("PostgreSQL: statements / not logged", worst("steno: statements"), 0.97, at_least=True),
            bar("PostgreSQL: with parameters / not logged", worst("steno: with parameters"), 0.95, at_least=True),
            bar("PostgreSQL: server log / not logged", worst("steno: server log"), 0.85, at_least=True),
            bar("PostgreSQL: server log / csvlog", worst("steno: server log", "csvlog"), 2, at_least=True),
            bar("PostgreSQL: CPU of the backend a statement, ns", added("steno: statements", "pipelined"), 250),
            bar("PostgreSQL: CPU of the backend a statement of three parameters, ns", added("steno: with parameters", "pipelined"), 600),
            bar("PostgreSQL: bytes a statement with parameters", logged["steno: with parameters"][0], 25),
            bar("PostgreSQL: statements that are missing", max(missing for way, (_, missing) in logged.items() if way.startswith("steno")), 0),
        ]
    cost["bars"] = [bar("PostgreSQL: " + what_of, size, 200) for what_of, size in connections_of("steno: statements").items()]
    for label, times in zip(("what clients wait for", "what clients wait for, of a statement that writes"), zip(*raw.elapsed)):
        elapsed = statistics.median(times)
        cost["bars"].append(bar("PostgreSQL: %s, ns a statement" % label, elapsed, 40))
        cost["rows"].append({"label": label, "values": {"ns, measured apart": elapsed}})
    write_suites(out, [rate, bound, absolute, latency, cpu, cost])
    print("written:", out)
