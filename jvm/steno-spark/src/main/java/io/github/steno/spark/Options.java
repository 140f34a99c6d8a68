package io.github.steno.spark;

import java.io.Serializable;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** The options of a query; docs/spark.md explains them. */
final class Options implements Serializable {
  private static final long serialVersionUID = 1;
  private static final Set<String> NAMES =
      Set.of("path", "paths", "statement", "columns", "since", "until", "where", "losses", "partitionBytes");
  /** Names that catalogs add of themselves. */
  private static final Set<String> OF_CATALOGS =
      Set.of("provider", "location", "owner", "external", "comment", "is_managed_location", "serialization.format");

  private static final long PARTITION_BYTES = 32 << 20;
  private static final Pattern DIGITS = Pattern.compile("-?[0-9]{1,19}");

  /** The action of a query if records are missing or damaged. */
  enum Losses {
    ALLOW,
    WARN,
    FAIL
  }

  final List<String> paths;
  final String statement;
  final List<String> columns;
  final String where;
  final long since;
  final long until;
  final Losses losses;
  final long partitionBytes;

  Options(Map<String, String> given) throws StenoException {
    Map<String, String> known = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    known.putAll(given);
    for (String name : known.keySet()) check(name);
    paths = paths(known);
    statement = known.getOrDefault("statement", "");
    columns = names(known.getOrDefault("columns", ""));
    where = known.getOrDefault("where", "");
    since = time("since", known.get("since"), Long.MIN_VALUE);
    until = time("until", known.get("until"), Long.MAX_VALUE);
    losses = losses(known.getOrDefault("losses", "allow"));
    partitionBytes = positive("partitionBytes", known.get("partitionBytes"), PARTITION_BYTES);
  }

  private static void check(String name) throws StenoException {
    if (OF_CATALOGS.contains(name) || name.startsWith("option.") || name.startsWith("fs.") || name.contains("spark.")) return;
    if (NAMES.stream().noneMatch(name::equalsIgnoreCase)) {
      String all = String.join(", ", NAMES.stream().filter(one -> !one.equals("paths")).sorted().toList());
      throw new StenoException("the data source steno has no option '" + name + "'; it has " + all);
    }
  }

  private static List<String> paths(Map<String, String> known) throws StenoException {
    List<String> paths = new ArrayList<>();
    if (known.containsKey("paths")) paths.addAll(JsonTexts.parse(known.get("paths")));
    String path = known.getOrDefault("path", known.get("location"));
    if (path != null) paths.add(path);
    if (paths.isEmpty()) throw new StenoException("no file to read: load(path)");
    return paths;
  }

  private static List<String> names(String text) {
    return text.isBlank() ? List.of() : List.of(text.strip().split("\\s*,\\s*"));
  }

  /** Returns a time in ns since 1970. Texts that mean another time in each process, such as "10m ago", are refused. */
  private static long time(String name, String text, long otherwise) throws StenoException {
    if (text == null) return otherwise;
    try {
      if (DIGITS.matcher(text).matches()) return Long.parseLong(text);
      Instant instant = text.matches(".*(Z|[+-]\\d\\d:?\\d\\d)$") && text.contains("T") ? OffsetDateTime.parse(text).toInstant()
          : LocalDateTime.parse(text.contains("T") ? text : text + "T00:00:00").toInstant(ZoneOffset.UTC);
      return Math.addExact(Math.multiplyExact(instant.getEpochSecond(), 1_000_000_000L), instant.getNano());
    } catch (DateTimeParseException | ArithmeticException | NumberFormatException e) {
      throw new StenoException(name + " is a time of UTC like 2026-11-29T14:00:00, or nanoseconds since 1970, not '" + text + "'");
    }
  }

  private static Losses losses(String text) throws StenoException {
    for (Losses one : Losses.values()) {
      if (one.name().equalsIgnoreCase(text)) return one;
    }
    throw new StenoException("losses is 'allow', 'warn' or 'fail', not '" + text + "'");
  }

  private static long positive(String name, String text, long otherwise) throws StenoException {
    if (text == null) return otherwise;
    try {
      long number = Long.parseLong(text);
      if (number > 0) return number;
    } catch (NumberFormatException e) {
      // Told below.
    }
    throw new StenoException(name + " is a number from 1 on, not '" + text + "'");
  }
}
