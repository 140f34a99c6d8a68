#!/bin/sh
# Log4j's fluent API drops the stack trace of an exception that is the last argument.
#
# One would guess: `logger.atError().log("order {} failed", 17, exception)` prints the stack trace, as
# `logger.error("order {} failed", 17, exception)` does. What happens: the builder gives the event the exception of
# withThrowable() alone, and that of the message is not asked for: the line is there, the trace is not, and nothing is said.
# Without a configuration it is printed: that layout looks at the arguments. So the trace is lost only once there is a layout.
#
# Seen with log4j-core 2.26.1, Java 17, 2026-11-29. Why it matters here: random calls of both builders are compared, and
# steno-log4j records the exception in both cases (docs/jvm/log4j.md, "Messages").
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cat > pom.xml <<'END'
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>finding</groupId><artifactId>finding</artifactId><version>1</version>
  <dependencies>
    <dependency><groupId>org.apache.logging.log4j</groupId><artifactId>log4j-core</artifactId><version>2.26.1</version></dependency>
  </dependencies>
</project>
END
mvn -B -q org.apache.maven.plugins:maven-dependency-plugin:3.8.1:build-classpath -Dmdep.outputFile=classpath > maven.txt 2>&1 ||
  { cat maven.txt; exit 1; }
cat > log4j2.properties <<'END'
appender.console.type = Console
appender.console.name = console
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = %p %m%n%ex
rootLogger.level = error
rootLogger.appenderRef.console.ref = console
END
cat > Finding.java <<'END'
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

class Finding {
  public static void main(String[] arguments) {
    Logger logger = LogManager.getLogger("finding");
    logger.error("order {} failed", 17, new IllegalStateException("of the logger"));
    logger.atError().log("order {} failed", 18, new IllegalStateException("of the builder"));
    logger.atError().withThrowable(new IllegalStateException("with the builder")).log("order {} failed", 19);
  }
}
END
javac -proc:none -cp "$(cat classpath)" Finding.java
java -cp "$(cat classpath):." Finding > printed.txt 2>&1
cat printed.txt
[ "$(grep -c 'order 1[789] failed' printed.txt)" = 3 ]
[ "$(grep -c 'IllegalStateException: of the logger' printed.txt)" = 1 ]
[ "$(grep -c 'IllegalStateException: of the builder' printed.txt)" = 0 ]
[ "$(grep -c 'IllegalStateException: with the builder' printed.txt)" = 1 ]
