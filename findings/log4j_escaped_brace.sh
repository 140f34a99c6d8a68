#!/bin/sh
# Log4j loses a message whose format ends with a backslash and an opening brace, and says nothing.
#
# One would guess: `logger.error("in {}: expected \\{", "line 7")` prints `in line 7: expected \{`, as it does where
# anything follows the brace. What happens: the formatter looks for the closing brace behind the end of the format; what
# that throws is reported as a warning of the status logger, which shows errors only. The call returns, nothing is printed.
#
# Seen with log4j-core 2.26.1, Java 17, 2026-11-28. Why it matters here: steno-log4j records such a message, so random
# calls that compare it with Log4j must not take the missing line for a fault of one or the other.
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
cat > Finding.java <<'END'
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

class Finding {
  public static void main(String[] arguments) {
    Logger logger = LogManager.getLogger("finding");
    logger.error("in {}: expected \\{", "line 7");
    logger.error("in {}: expected \\{ or [", "line 7");
  }
}
END
javac -proc:none -cp "$(cat classpath)" Finding.java
java -cp "$(cat classpath):." Finding > printed.txt 2>&1
cat printed.txt
grep -q 'in line 7: expected \\{ or \[$' printed.txt
[ "$(wc -l < printed.txt)" = 1 ]
