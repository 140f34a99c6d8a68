#!/bin/sh
# Log4j prints the message before once more where a message is null.
#
# One would guess: `logger.error((Message) null)`, and a MessageSupplier that returns null, print "null" or nothing, as a
# null object does. What happens: the event is reused, and keeps the text of the message that the thread logged before.
# So a log says twice what happened once, with a time stamp of its own.
#
# Seen with log4j-core 2.26.1, Java 17, 2026-11-28. Why it matters here: records of steno-log4j are compared with what
# Log4j prints. There a null message is "null" (docs/jvm/log4j.md, "Messages").
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
import org.apache.logging.log4j.message.Message;
import org.apache.logging.log4j.util.MessageSupplier;

class Finding {
  public static void main(String[] arguments) {
    Logger logger = LogManager.getLogger("finding");
    logger.error("transferred {}", 100);
    logger.error((Message) null);
    logger.error((MessageSupplier) () -> null);
    logger.error((Object) null);
  }
}
END
javac -proc:none -cp "$(cat classpath)" Finding.java
java -cp "$(cat classpath):." Finding > printed.txt 2>&1
cat printed.txt
[ "$(grep -c 'transferred 100$' printed.txt)" = 3 ]
grep -q ' null$' printed.txt
