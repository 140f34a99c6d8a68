#!/bin/sh
# A value of SLF4J's fluent API that contains {} takes the place of the first argument.
#
# One would guess: addKeyValue("query", "{}") prints `query={}`, for values are data. What happens, where the backend takes
# no key-values of its own: they are put before the message as text, and that is the format then. So `{}` of a value, as in
# JSON, is replaced by the first argument, and the message lacks its last one.
#
# Seen with slf4j-api and slf4j-simple 2.0.20, Java 17, 2026-11-28. Why it matters here: steno-slf4j puts key-values
# before the message, too, but as arguments, so it prints something else on purpose (docs/jvm.md, "What is recorded").
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cat > pom.xml <<'END'
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>finding</groupId><artifactId>finding</artifactId><version>1</version>
  <dependencies>
    <dependency><groupId>org.slf4j</groupId><artifactId>slf4j-simple</artifactId><version>2.0.20</version></dependency>
  </dependencies>
</project>
END
mvn -B -q org.apache.maven.plugins:maven-dependency-plugin:3.8.1:build-classpath -Dmdep.outputFile=classpath > maven.txt 2>&1 ||
  { cat maven.txt; exit 1; }
cat > Finding.java <<'END'
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

class Finding {
  public static void main(String[] arguments) {
    Logger logger = LoggerFactory.getLogger("finding");
    logger.atInfo().addKeyValue("json", "{\"a\":{}}").log("took {} ms", 26);
    logger.atInfo().addKeyValue("json", "none").log("took {} ms", 26);
  }
}
END
javac -proc:none -cp "$(cat classpath)" Finding.java
java -cp "$(cat classpath):." Finding > printed.txt 2>&1
cat printed.txt
grep -q 'json={"a":26} took {} ms$' printed.txt
grep -q 'json=none took 26 ms$' printed.txt
