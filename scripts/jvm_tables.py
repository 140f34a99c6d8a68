"""The tables and bars of what scripts/bench_jvm measured."""
import statistics

from bench_results import bar


def median(rounds, figure):
    return statistics.median(found[figure] for found in rounds)


def suite(name, title, unit, lower, rows, bars=()) -> dict:
    return {"name": name, "title": title, "unit": unit, "lower_is_better": lower, "bars": list(bars),
            "rows": [{"label": label, "values": values} for label, values in rows if values]}


def rows_of(found, part, columns) -> list:
    """By peer and JDK: of each column a function of the rounds' figures; what is None is left out."""
    rows = []
    for jdk, peers in found.get(part, {}).items():
        for peer, rounds in peers.items():
            if rounds:
                values = {column: figure(rounds) for column, figure in columns.items()}
                rows.append((f"{peer}, {jdk}", {column: value for column, value in values.items() if value is not None}))
    return rows


def medians(**figures) -> dict:
    return {column: lambda rounds, figure=figure: median(rounds, figure) if figure in rounds[0] else None
            for column, figure in figures.items()}


class Found:
    """What was found of a part by a JDK; of what was not, there is no bar."""

    def __init__(self, found, part, jdk):
        self.peers = found.get(part, {}).get(jdk, {})

    def value(self, peer, figure):
        rounds = self.peers.get(peer)
        return median(rounds, figure) if rounds else None


def checked(metric, value, limit, at_least=False) -> list:
    return [] if value is None else [bar(metric, value, limit, at_least)]


def ratio(value, to):
    return None if value is None or to is None else value / to


def bars_of_calls(found, jdk) -> list:
    of = Found(found, "calls", jdk)
    steno, woven = of.value("steno", "burst_ns"), of.value("woven", "burst_ns")
    others = [value for value in (of.value("Log4j2", "burst_ns"), of.value("Logback", "burst_ns")) if value is not None]
    critical = int(jdk.split()[-1]) >= 22  # the counter is read by a critical call there
    return [*checked(f"{jdk}: SLF4J, a call in a burst, ns", steno, 45),
            *checked(f"{jdk}: SLF4J / the best of Log4j2 and Logback", ratio(steno, min(others, default=None)), 0.2),
            *checked(f"{jdk}: woven, a call in a burst, ns", woven, 14 if critical else 35),
            *checked(f"{jdk}: Log4j2 with places / SLF4J", ratio(of.value("Log4j2 with places", "burst_ns"), steno), 50, True),
            *checked(f"{jdk}: SLF4J, a call each 10 µs, p99.9, ns", of.value("steno", "p999_ns"), 1000)]


def bars_of_rates(found, jdk) -> list:
    of = Found(found, "calls", jdk)
    return checked(f"{jdk}: SLF4J / Log4j2, 64 threads", ratio(of.value("steno", "threads_64_mps"), of.value("Log4j2", "threads_64_mps")), 5, True)


def bars_of_start(found, jdk) -> list:
    of = Found(found, "start", jdk)
    steno, nothing = of.value("steno", "ms"), of.value("nothing", "ms")
    return checked(f"{jdk}: what one logged call adds to a start, ms", None if None in (steno, nothing) else steno - nothing, 60)


def bars_of_sustained(found, jdk) -> list:
    of = Found(found, "sustained", jdk)
    return [*checked(f"{jdk}: SLF4J, one thread, until all is in the file, million messages/s", of.value("steno", "file_mps"), 15, True),
            *checked(f"{jdk}: SLF4J, missing then", of.value("steno", "missing"), 0),
            *checked(f"{jdk}: bytes a message / Log4j2's", ratio(of.value("steno", "bytes"), of.value("Log4j2", "bytes")), 0.1)]


def bars_of_kills(found, jdk) -> list:
    rounds = Found(found, "killed", jdk).peers.get("steno")
    return [bar(f"{jdk}: killed {len(rounds)} times, missing", sum(kill["missing"] for kill in rounds), 0)] if rounds else []


def bars_of_jmh(found, jdk) -> list:
    of = Found(found, "jmh", jdk)
    return [*checked(f"{jdk}: woven, bytes allocated a call", whole(of.value("woven", "enabled_bytes")), 0),
            *checked(f"{jdk}: a call that is not enabled, ns", of.value("steno", "disabled_ns"), 1)]


def bars_of_virtual(found, jdk) -> list:
    of = Found(found, "virtual", jdk)
    nothing, off, steno, steno_off, logback = (of.value(peer, "cpu_us") for peer in ("nothing", "Logback off", "steno", "steno off",
                                                                                     "Logback synchronous, flushed"))
    if None in (nothing, off, steno, steno_off, logback):
        return []
    return [bar(f"{jdk}: a virtual thread, steno / Logback flushed, each beyond Logback off", (steno - off) / (logback - off), 0.5),
            bar(f"{jdk}: a virtual thread when all levels are off, µs beyond nothing", steno_off - nothing, 1),
            bar(f"{jdk}: virtual threads, memory, steno / Logback flushed", of.value("steno", "rss_mb") / of.value("Logback synchronous, flushed", "rss_mb"), 1)]


def whole(value):
    """What JMH's own threads allocate meanwhile are some thousandths of a byte for each call."""
    return None if value is None else round(value, 1)


def ratios(peers, peer) -> list:
    """To nothing in the same round: a machine that is slower for a while is so for both."""
    return [found["500"] / to["500"] for found, to in zip(peers.get(peer, []), peers.get("nothing", []))]


def bars_of_often(found, jdk) -> list:
    of_steno = ratios(Found(found, "often", jdk).peers, "steno")
    return checked(f"{jdk}: scala-logging, a call in 500 operations / none", statistics.median(of_steno) if of_steno else None, 0.95, True)


def spread_of_ratios(found) -> list:
    rows = []
    for jdk, peers in found.get("often", {}).items():
        for peer in peers:
            of_peer = ratios(peers, peer)
            if peer != "nothing" and len(of_peer) > 1:
                quarters = statistics.quantiles(of_peer, method="inclusive")
                rows.append((f"{peer}, {jdk}", {"median": quarters[1], "lower quartile": quarters[0], "upper quartile": quarters[2],
                                                "rounds": len(of_peer)}))
    return rows


def by_number(numbers) -> dict:
    return {f"{number:,}": lambda rounds, number=number: median(rounds, str(number)) for number in numbers}


class Costs:
    """A line for each peer of a front end: one figure of each part."""

    def __init__(self, found, peers, nothing):
        self.found, self.peers, self.nothing = found, peers, nothing

    def rows(self) -> list:
        jdks = sorted({jdk for part in self.found.values() for jdk in part})
        return [(f"{peer}, {jdk}", self.values(jdk, peer)) for jdk in jdks for peer in self.peers]

    def values(self, jdk, peer) -> dict:
        def value(part, figure, of=peer):
            return Found(self.found, part, jdk).value(of, figure)

        logs, logs_not = value("start", "ms"), value("start", "ms", self.nothing)
        all_values = {"a call": value("calls", "burst_ns"), "one of 1,000": value("calls", "p999_ns"),
                      "allocated": whole(value("jmh", "enabled_bytes")), "messages/s": value("sustained", "file_mps"),
                      "in the file": value("sustained", "bytes"), "a start": None if None in (logs, logs_not) else logs - logs_not}
        return {column: found for column, found in all_values.items() if found is not None}


FRONT_ENDS = {"slf4j": ("SLF4J", "nothing", ("steno", "woven", "steno in Logback", "Logback", "Logback synchronous", "Log4j2/SLF4J")),
              "log4j": ("Log4j's API", "nothing/Log4j", ("steno/Log4j", "woven/Log4j", "steno in Log4j2", "Log4j2", "Log4j2 with places")),
              "jul": ("java.util.logging", "nothing/JUL", ("steno/JUL", "java.util.logging"))}


def suites(found) -> list:
    jdks = sorted({jdk for part in found.values() for jdk in part})

    def bars(of) -> list:
        return [one for jdk in jdks for one in of(found, jdk)]

    threads = by_number((1, 2, 4, 8, 16, 32, 64))
    kills = {"kills": len, "calls returned": lambda rounds: sum(kill["returned"] for kill in rounds),
             "missing": lambda rounds: sum(kill["missing"] for kill in rounds),
             "most of one": lambda rounds: max(kill["missing"] for kill in rounds)}
    all_suites = [
        suite("jvm_calls", "A call on the JVM", "ns a call", True,
              rows_of(found, "calls", {**medians(burst="burst_ns", p50="p50_ns", p99="p99_ns"),
                                       **medians(**{"p99.9": "p999_ns", "nanoTime()": "clock_ns"})}), bars(bars_of_calls)),
        suite("jvm_rates", "As many calls as threads of the JVM can make", "million calls/s", False,
              rows_of(found, "calls", medians(**{"one thread": "one_thread_mps", "64 threads": "threads_64_mps"})), bars(bars_of_rates)),
        suite("jvm_sustained", "One thread of the JVM, until all is in the file", "million messages/s", False,
              rows_of(found, "sustained", medians(**{"to a file": "file_mps", "to /dev/null": "null_mps"})), bars(bars_of_sustained)),
        suite("jvm_bytes", "What a message of the JVM takes", "bytes", True,
              rows_of(found, "sustained", medians(**{"in the file": "bytes"}))),
        suite("jvm_allocation", "What a call on the JVM allocates, and one that is not enabled costs", "bytes, ns", True,
              rows_of(found, "jmh", {"bytes allocated": lambda rounds: whole(median(rounds, "enabled_bytes")),
                                     "not enabled, ns": lambda rounds: median(rounds, "disabled_ns")}), bars(bars_of_jmh)),
        suite("jvm_killed", "Programs that log a million messages a second, and are killed", "messages", True,
              rows_of(found, "killed", kills), bars(bars_of_kills)),
        suite("jvm_start", "A JVM that logs once", "ms", True, rows_of(found, "start", medians(**{"from its start to its end": "ms"})),
              bars(bars_of_start)),
        suite("jvm_virtual", "A million short virtual threads, each with an MDC and two messages", "µs of the processors a thread, MB",
              True, rows_of(found, "virtual", medians(**{"a thread": "cpu_us", "memory": "rss_mb"})), bars(bars_of_virtual)),
        suite("jvm_threads", "Messages of all threads, by their number", "million messages/s", False, rows_of(found, "rates", threads)),
        suite("jvm_threads_p999", "A call where so many threads log 100,000 messages/s: one of 1,000 takes longer than", "ns", True,
              rows_of(found, "p999", threads)),
        suite("jvm_share", "A counter in Scala that is logged each so many increments", "increments/ms", False,
              rows_of(found, "share", by_number((1_000_000, 100_000, 10_000, 1000, 500)))),
        suite("jvm_often", "A counter in Scala that is logged each 500 increments / one that logs nothing", "increments / increments", False,
              spread_of_ratios(found), bars(bars_of_often)),
    ]
    for name, (title, nothing, peers) in FRONT_ENDS.items():
        all_suites.append(suite(f"jvm_of_{name}", title, "ns, bytes, millions, ms", True, Costs(found, peers, nothing).rows()))
    return [made for made in all_suites if made["rows"]]
