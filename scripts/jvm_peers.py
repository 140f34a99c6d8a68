"""Who is behind the calls that scripts/bench_jvm times: which interface is called, and what decides who takes the calls."""
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

JVMS = Path("/usr/lib/jvm")
# The heap is touched before, as that of a server is after a while: else what is timed is the kernel that clears its pages.
HEAP = ["-Xms1g", "-Xmx1g", "-XX:+AlwaysPreTouch"]
BENCH = "io.github.steno.bench."


@dataclass
class Peer:
    api: str
    options: list
    jars: tuple  # what the names of those begin with that a program of this peer has
    external: bool = False  # its scribe is a process of its own

    @property
    def is_steno(self) -> bool:
        return any(option.startswith("-Dsteno.path") for option in self.options)


def version_of(program) -> int:
    ran = subprocess.run([program, "-version"], check=True, capture_output=True, text=True)
    return int(re.search(r"\d+", ran.stdout + ran.stderr).group(0))


def jdks() -> dict:
    """By name, how the JVM is started that is there, and the newest of 22 or later under /usr/lib/jvm, if there is one."""
    found = {version_of("java"): ["java"]}
    newest = max(((version_of(java), str(java)) for java in JVMS.glob("*/bin/java")), default=(0, ""))
    if newest[0] >= 22:
        found.setdefault(newest[0], [newest[1]])
    return {f"JDK {version}": [java[0], "--enable-native-access=ALL-UNNAMED"] if version >= 22 else java
            for version, java in found.items()}


def newest_compiler():
    """Of 22 or later: its home; None: there is none."""
    homes = [(version_of(javac), javac.parent.parent) for javac in JVMS.glob("*/bin/javac")]
    return max((home for home in homes if home[0] >= 22), default=(0, None))[1]


class Build:
    """The benchmarks, as Maven has built them; what they write goes into a directory."""

    def __init__(self, build: Path, directory: Path):
        self.made = build / "steno-bench"
        self.agent = next((build / "steno-agent").glob("steno-agent-*.jar"))
        self.directory = directory
        self.log = directory / "bench.steno"
        self.text = directory / "bench.log"
        # Not the device itself: some logger may remove what it finds before it makes its file.
        self.null = directory / "null"
        self.null.symlink_to("/dev/null")
        self.class_path = f"{self.made}/classes:{self.made}/scala:{(self.made / 'classpath').read_text().strip()}"

    def compile_scala(self):
        target = self.made / "scala"
        source = Path(__file__).resolve().parent.parent / "jvm/steno-bench/src/main/scala/Counters.scala"
        target.mkdir(exist_ok=True)
        subprocess.run(["java", "-cp", self.class_path, "scala.tools.nsc.Main", "-usejavacp", "-d", target, source], check=True)

    def line(self, java: list, peer: Peer, options=()) -> list:
        return [*java, *HEAP, *self.with_class_path(self.class_path, peer, options)]

    def short_line(self, java: list, peer: Peer) -> list:
        """With the class path of a program that only logs: what is looked for in all of its jars is looked for in few."""
        jars = [jar for jar in self.class_path.split(":") if Path(jar).name.startswith(peer.jars)]
        return [*java, *self.with_class_path(":".join([f"{self.made}/classes", *jars]), peer)]

    def with_class_path(self, class_path: str, peer: Peer, options=()) -> list:
        return ["-Dslf4j.internal.verbosity=WARN", f"-Dbench.log={self.text}", f"-Dbench.api={peer.api}", *peer.options, *options,
                "-cp", class_path]

    def peers(self) -> dict:
        steno = [f"-Dsteno.path={self.log}", f"-Dsteno.staging={self.directory}"]
        by_slf4j = ["-Dslf4j.provider=io.github.steno.slf4j.StenoServiceProvider", *steno]
        by_log4j = ["-Dlog4j.provider=io.github.steno.log4j.StenoProvider", *steno]
        agent = f"-javaagent:{self.agent}"
        log4j_core = "-Dlog4j.provider=org.apache.logging.log4j.core.impl.Log4jProvider"
        selector = "-Dlog4j2.contextSelector=org.apache.logging.log4j.core.async.AsyncLoggerContextSelector"

        def log4j(configuration: str, *options) -> list:
            return [log4j_core, f"-Dlog4j2.configurationFile=log4j2{configuration}-bench.xml", *options]

        def logback(configuration: str) -> list:
            return ["-Dslf4j.provider=ch.qos.logback.classic.spi.LogbackServiceProvider",
                    f"-Dlogback.configurationFile=logback{configuration}-bench.xml"]

        slf4j, log4j_api = ("slf4j-api",), ("log4j-api",)
        steno_core = ("steno-core",)
        steno_slf4j = (*slf4j, *steno_core, "steno-slf4j")
        steno_log4j = (*log4j_api, *steno_core, "steno-log4j-0")
        steno_jul = (*steno_core, "steno-jul")
        logback_jars = (*slf4j, "logback")
        log4j_jars = (*log4j_api, "log4j-core", "disruptor")

        return {
            "steno": Peer("slf4j", by_slf4j, steno_slf4j),
            "steno/external": Peer("slf4j", [*by_slf4j, "-Dsteno.scribe=external"], steno_slf4j, external=True),
            "woven": Peer("slf4j", [agent, *by_slf4j], steno_slf4j),
            "steno/Log4j": Peer("log4j", by_log4j, steno_log4j),
            "woven/Log4j": Peer("log4j", [agent, *by_log4j], steno_log4j),
            "steno/JUL": Peer("jul", [self.jul("io.github.steno.jul.StenoHandler"), *steno], steno_jul),
            "steno in Logback": Peer("slf4j", [*logback("-steno"), *steno], (*logback_jars, *steno_core, "steno-logback")),
            "steno in Log4j2": Peer("log4j", [*log4j("-steno"), *steno], (*log4j_jars, *steno_core, "steno-log4j-core")),
            "Log4j2": Peer("log4j", log4j("", selector), log4j_jars),
            "Log4j2/SLF4J": Peer("slf4j", ["-Dslf4j.provider=org.apache.logging.slf4j.SLF4JServiceProvider", *log4j("", selector)],
                                 (*slf4j, *log4j_jars, "log4j-slf4j2")),
            "Log4j2 with places": Peer("log4j", log4j("", selector, "-Dbench.location=true", "-Dbench.place=%F:%L "), log4j_jars),
            "Log4j2 mixed": Peer("log4j", log4j("-mixed"), log4j_jars),
            "Log4j2 appender": Peer("log4j", log4j("-appender"), log4j_jars),
            "Log4j2 synchronous": Peer("log4j", log4j(""), log4j_jars),
            "Logback": Peer("slf4j", logback(""), logback_jars),
            "Logback synchronous": Peer("slf4j", logback("-sync"), logback_jars),
            "Logback synchronous, flushed": Peer("slf4j", logback("-flush"), logback_jars),
            "Logback off": Peer("slf4j", logback("-off"), logback_jars),
            "steno off": Peer("slf4j", [*by_slf4j, "-Dsteno.level=off"], steno_slf4j),
            "java.util.logging": Peer("jul", [self.jul("java.util.logging.FileHandler")], ()),
            "nothing": Peer("slf4j", ["-Dslf4j.provider=org.slf4j.helpers.NOP_FallbackServiceProvider"], slf4j),
            "nothing/Log4j": Peer("log4j", ["-Dlog4j.provider=org.apache.logging.log4j.simple.internal.SimpleProvider",
                                            "-Dorg.apache.logging.log4j.level=OFF"], log4j_api),
            "nothing/JUL": Peer("jul", [self.jul("")], ()),
        }

    def jul(self, handler: str) -> str:
        """An option that gives the JDK's loggers that handler, if any."""
        path = self.directory / f"{handler or 'none'}.properties"
        path.write_text(f"handlers={handler}\njava.util.logging.FileHandler.pattern={self.text}\n"
                        "java.util.logging.FileHandler.formatter=java.util.logging.SimpleFormatter\n"
                        "java.util.logging.SimpleFormatter.format=%1$tF %1$tT.%1$tL %4$-7s %3$s %5$s%n\n")
        return f"-Djava.util.logging.config.file={path}"

    def remove_logs(self):
        for path in self.directory.glob("bench.*"):
            path.unlink()
