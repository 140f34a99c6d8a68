package io.github.steno.spark;

import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import org.apache.spark.sql.connector.expressions.Expression;
import org.apache.spark.sql.connector.expressions.Literal;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Writes predicates of Spark as conditions of steno, where these hold for the same records. Both know three answers: a comparison with a
 * value that is absent is neither true nor false, and neither is its negation.
 */
final class Conditions {
  /** The condition of a predicate that holds for each record. */
  static final String ALWAYS = "";

  /** Numbers from here on are compared with times in other units (docs/cli/records.md). */
  private static final long LEAST_OF_OTHER_UNITS = 100_000_000L;
  private static final long LEAST_OF_NS = 100_000_000_000_000_000L;
  private static final String[] LEVELS = {"TRACE", "DEBUG", "INFO", "NOTICE", "WARN", "ERROR", "CRITICAL"};
  private static final Map<String, String> OPERATORS =
      Map.of("=", "==", "<>", "!=", "<", "<", "<=", "<=", ">", ">", ">=", ">=");
  private static final Map<String, String> MIRRORED = Map.of("==", "==", "!=", "!=", "<", ">", "<=", ">=", ">", "<", ">=", "<=");

  private final Log log;
  private final Question question;
  private final Columns columns;
  /** The type of each column, as Arrow writes it. */
  private final Map<String, String> formats = new HashMap<>();

  private final boolean looksAtAll;
  private Boolean hasLosses;

  Conditions(Log log, Request request) throws StenoException {
    this.log = log;
    looksAtAll = request.options.losses != Options.Losses.ALLOW;
    question = request.question;
    columns = request.columns;
    try (Batches batches = log.read(question, 0, 1, Question.PROFILE_ARROW)) {
      for (Batches.Column column : batches.columns()) formats.put(column.name(), column.format());
    }
  }

  /** Null: there is none, and Spark has to answer it. */
  String of(Predicate predicate) {
    String condition = translate(predicate, false);
    if (condition == null || condition.equals(ALWAYS)) return condition;
    try {
      log.read(question.with(List.of(condition))).close();
      return condition;
    } catch (StenoException e) {
      return null;  // a logger that the log does not have, or a list
    }
  }

  /** {@code isNegated}: it is a part of a negation, so that what has to be known of it is the records for which it is false. */
  private String translate(Expression expression, boolean isNegated) {
    if (!(expression instanceof Predicate predicate)) return null;
    Expression[] of = predicate.children();
    switch (predicate.name()) {
      case "AND":
        return join("and", translate(of[0], isNegated), translate(of[1], isNegated));
      case "OR":
        return join("or", translate(of[0], isNegated), translate(of[1], isNegated));
      case "NOT":
        String inner = translate(of[0], !isNegated);
        return inner == null || inner.equals(ALWAYS) ? null : "not (" + inner + ")";
      case "IS_NULL":
      case "IS_NOT_NULL":
        return nullTest(name(of[0]), predicate.name().equals("IS_NULL"));
      default:
        String compared = compare(predicate.name(), of);
        return compared != null && isNegated && hasLevel(of) && hasLosses() ? null : compared;
    }
  }

  /** A record whose declaration is lost has no level for conditions, so that neither a comparison nor its negation holds there. */
  private boolean hasLevel(Expression[] of) {
    return Arrays.stream(of).map(Conditions::name).map(columns::record).anyMatch(one -> "severity".equals(one) || "level".equals(one));
  }

  private String compare(String name, Expression[] of) {
    switch (name) {
      case "IN":
        return in(of);
      case "<=>":
        return same(name(of[0]), of);
      case "CONTAINS":
        return contains(name(of[0]), of[1]);
      default:
        String operator = OPERATORS.get(name);
        return operator == null || of.length != 2 ? null : compare(operator, of[0], of[1]);
    }
  }

  /** Both have to be translated; one that always holds is left out. */
  private static String join(String word, String left, String right) {
    if (left == null || right == null) return null;
    boolean isAnd = word.equals("and");
    if (left.equals(ALWAYS)) return isAnd ? right : ALWAYS;
    if (right.equals(ALWAYS)) return isAnd ? left : ALWAYS;
    return "(" + left + " " + word + " " + right + ")";
  }

  private static String name(Expression expression) {
    return expression instanceof NamedReference reference && reference.fieldNames().length == 1 ? reference.fieldNames()[0] : null;
  }

  private String compare(String operator, Expression left, Expression right) {
    if (right instanceof Literal<?> literal && name(left) != null) return compare(name(left), operator, literal.value());
    if (left instanceof Literal<?> literal && name(right) != null) return compare(name(right), MIRRORED.get(operator), literal.value());
    return null;
  }

  private String in(Expression[] of) {
    String name = name(of[0]);
    if (name == null || of.length == 1) return null;
    StringJoiner all = new StringJoiner(" or ", "(", ")");
    for (int i = 1; i < of.length; ++i) {
      String one = of[i] instanceof Literal<?> literal ? compare(name, "==", literal.value()) : null;
      if (one == null) return null;
      all.add(one);
    }
    return all.toString();
  }

  /** An equality that is false, and has a negation, of what is absent. */
  private String same(String name, Expression[] of) {
    if (name == null || !(of[1] instanceof Literal<?> literal)) return null;
    String there = nullTest(name, false);
    String equal = compare(name, "==", literal.value());
    return there == null || equal == null ? null : join("and", there, equal);
  }

  /** A test for null. Columns that each record has are never null. */
  private String nullTest(String name, boolean isNull) {
    if (name == null) return null;
    if (columns.record(name) != null) return isNull ? null : ALWAYS;
    return argument(name) == null ? null : argument(name) + (isNull ? " is null" : " is not null");
  }

  private String contains(String name, Expression what) {
    if (name == null || !"u".equals(formats.get(name)) || argument(name) == null) return null;
    return what instanceof Literal<?> literal && isPlain(literal.value()) && !literal.value().toString().isEmpty()
        ? argument(name) + " contains " + text(literal.value().toString()) : null;
  }

  private String compare(String name, String operator, Object value) {
    if (value == null) return null;
    boolean isInteger = value instanceof Long || value instanceof Integer || value instanceof Short || value instanceof Byte;
    long number = isInteger ? ((Number) value).longValue() : 0;
    String record = columns.record(name);
    if (record == null) return argument(name) == null ? null : argument(name, operator, value, isInteger, number);
    switch (record) {
      case "severity":
        return isInteger ? severity(operator, number) : null;
      case "level":
        return operator.equals("==") && List.of(LEVELS).contains(value.toString()) ? "level == " + value : null;
      case "time":
        return isInteger ? time(operator, number) : null;
      case "time_ns":
        return isInteger ? "time " + operator + " " + ns(number) : null;
      case "line":
      case "tid":
        return isInteger && number >= 0 ? record + " " + operator + " " + number : null;
      case "logger":
      case "function":
      case "format":
        return operator.equals("==") && isPlain(value) ? record + " == " + text(value.toString()) : null;
      default:
        return null;
    }
  }

  private String argument(String name, String operator, Object value, boolean isInteger, long number) {
    String format = formats.getOrDefault(name, "");
    boolean isEquality = operator.equals("==") || operator.equals("!=");
    String condition = argument(name) + " " + operator + " ";
    if (format.equals("b")) return value instanceof Boolean && isEquality ? condition + value : null;
    if (format.equals("u")) return operator.equals("==") && isPlain(value) ? condition + text(value.toString()) : null;
    if (!isInteger || format.length() != 1 || "cCsSiIlL".indexOf(format.charAt(0)) < 0) return null;
    // Spark sees a number without a sign as one that has it.
    return format.equals("L") && (!isEquality || number < 0) ? null : condition + number;
  }

  /** A statement whose declaration is lost has the severity 255, and for conditions no level. */
  private String severity(String operator, long number) {
    if (number < 0 || number >= LEVELS.length) return null;
    boolean isAbove = operator.equals("!=") || operator.startsWith(">");
    return isAbove && hasLosses() ? null : "level " + operator + " " + LEVELS[(int) number];
  }

  /** Compares a time that Spark sees rounded down to microseconds. */
  private static String time(String operator, long us) {
    if (us > Long.MAX_VALUE / 1000 - 1 || us < Long.MIN_VALUE / 1000 + 1) return null;
    String begin = ns(us * 1000);
    String end = ns(us * 1000 + 1000);
    switch (operator) {
      case "==":
        return "(time >= " + begin + " and time < " + end + ")";
      case "!=":
        return "(time < " + begin + " or time >= " + end + ")";
      case "<=":
        return "time < " + end;
      case ">":
        return "time >= " + end;
      default:
        return "time " + operator + " " + begin;
    }
  }

  /** A time of nanoseconds in a condition, where some numbers are those of seconds, milliseconds or microseconds. */
  private static String ns(long ns) {
    if (ns < LEAST_OF_OTHER_UNITS || ns >= LEAST_OF_NS) return String.valueOf(ns);
    return text(Instant.ofEpochSecond(ns / 1_000_000_000, ns % 1_000_000_000).toString());
  }

  private boolean hasLosses() {
    try {
      if (hasLosses == null) hasLosses = !log.firstLosses(looksAtAll).isEmpty();
      return hasLosses;
    } catch (StenoException e) {
      return true;
    }
  }

  /** The argument of a column in a condition; null: there is none, or its name cannot be written there. */
  private String argument(String column) {
    String name = columns.argument(column);
    return name == null || name.isEmpty() || name.matches("(?s).*[{}\\p{Cntrl}].*") ? null : "{" + name + "}";
  }

  /** Bytes that are no UTF-8 are shown as U+FFFD, so that such a text is of other bytes in the log. */
  private static boolean isPlain(Object value) {
    String text = value.toString();
    return value instanceof UTF8String && text.indexOf('\ufffd') < 0 && text.indexOf('\0') < 0;
  }

  private static String text(String text) {
    return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }
}
