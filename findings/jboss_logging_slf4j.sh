#!/usr/bin/env bash
# What jboss-logging, by which Hibernate logs, does with a provider of SLF4J.
#
# One would guess that it logs by SLF4J where SLF4J and a provider are on the class path, and by java.util.logging where
# there is nothing else. jboss-logging 3.6.1.Final looks for a class of Logback instead: with any other provider
# (slf4j-simple here) it logs by java.util.logging, without a word. -Dorg.jboss.logging.provider=slf4j makes it take
# SLF4J.
#
# Seen 2026-11-28 with jboss-logging 3.6.1.Final and 3.5.0.Final, slf4j-api and slf4j-simple 2.0.16, JDK 17.
# Why it matters here: steno-slf4j in place of Logback loses what Hibernate logs. So docs/jvm/others.md names the property,
# and BridgesTest runs a program with and without it.
#
# Usage: findings/jboss_logging_slf4j.sh (needs a JDK of 17 and Maven; fetches from Maven Central). Fails if this changes.
set -euo pipefail
command -v mvn >/dev/null && command -v javac >/dev/null || { echo "skipped: no Maven or JDK here" >&2; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

cat >Main.java <<'JAVA'
public final class Main {
  public static void main(String[] arguments) {
    org.jboss.logging.Logger logger = org.jboss.logging.Logger.getLogger(Main.class);
    System.out.print(logger.getClass().getSimpleName());
  }
}
JAVA

class_path() {  # VERSION PROVIDER VERSION
  cat >pom.xml <<XML
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>finding</groupId><artifactId>finding</artifactId><version>1</version>
  <dependencies>
    <dependency><groupId>org.jboss.logging</groupId><artifactId>jboss-logging</artifactId><version>$1</version></dependency>
    <dependency><groupId>$2</groupId><artifactId>$3</artifactId><version>$4</version></dependency>
  </dependencies>
</project>
XML
  mvn -B -q --no-transfer-progress dependency:build-classpath -Dmdep.outputFile=class_path >mvn.out 2>&1 ||
    { cat mvn.out >&2; echo "skipped: Maven cannot fetch" >&2; exit 77; }
  cat class_path
}

status=0
look() {  # EXPECTED WHAT CLASS_PATH OPTION...
  local expected=$1 what=$2 path=$3
  shift 3
  javac -cp "$path" Main.java
  local seen
  seen=$(java "$@" -cp ".:$path" Main 2>/dev/null | tail -n 1)
  echo "$what: $seen"
  [[ $seen == $expected ]] || { echo "  expected: $expected"; status=1; }
}

for version in 3.5.0.Final 3.6.1.Final; do
  simple=$(class_path "$version" org.slf4j slf4j-simple 2.0.16)
  logback=$(class_path "$version" ch.qos.logback logback-classic 1.5.12)
  look JDKLogger "jboss-logging $version, slf4j-simple" "$simple"
  look 'Slf4j*Logger' "jboss-logging $version, slf4j-simple, the property" "$simple" -Dorg.jboss.logging.provider=slf4j
  look 'Slf4j*Logger' "jboss-logging $version, Logback" "$logback"
done
exit $status
