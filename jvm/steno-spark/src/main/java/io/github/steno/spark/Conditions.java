package io.github.steno.spark;

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

  private static final String[] LEVELS = {"TRACE", "DEBUG", "INFO", "NOTICE", "WARN", "ERROR", "CRITICAL"};
  private static final Map<String, String> OPERATORS =
      Map.of("=", "==", "<>", "!=", "<", "<", "<=", "<=", ">", ">", ">=", ">=");
  private static final Map<String, String> MIRRORED = Map.of("==", "==", "!=", "!=", "<", ">", "<=", ">=", ">", "<", ">=", "<=");

  private final Log log;
  private final Question question;
  /** The type of each column, as Arrow writes it. */
  private final Map<String, String> formats = new HashMap<>();

  private Boolean hasLosses;

  Conditions(Log log, Question question) throws StenoException {
    this.log = log;
    this.question = question;
    try (Batches batches = log.read(question, 0, 1, Question.PROFILE_ARROW)) {
      for (Batches.Column column : batches.columns()) formats.put(column.name(), column.format());
    }
  }

  /** Null: there is none, and Spark has to answer it. */
  String of(Predicate predicate) {
    String condition = translate(predicate);
    if (condition == null || condition.equals(ALWAYS)) return condition;
    try {
      log.read(question.with(List.of(condition))).close();
      return condition;
    } catch (StenoException e) {
      return null;  // a logger that the log does not have, or a list
    }
  }

  private String translate(Expression expression) {
    if (!(expression instanceof Predicate predicate)) return null;
    Expression[] of = predicate.children();
    switch (predicate.name()) {
      case "AND":
        return join("and", translate(of[0]), translate(of[1]));
      case "OR":
        return join("or", translate(of[0]), translate(of[1]));
      case "NOT":
        String inner = translate(of[0]);
        return inner == null || inner.equals(ALWAYS) ? null : "not (" + inner + ")";
      case "IS_NULL":
      case "IS_NOT_NULL":
        return nullTest(name(of[0]), predicate.name().equals("IS_NULL"));
      case "IN":
        return in(of);
      case "<=>":
        return same(name(of[0]), of);
      case "CONTAINS":
        return contains(name(of[0]), of[1]);
      default:
        String operator = OPERATORS.get(predicate.name());
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
    if (Metadata.NAMES.contains(name)) return isNull ? null : ALWAYS;
    return argument(name) == null ? null : argument(name) + (isNull ? " is null" : " is not null");
  }

  private String contains(String name, Expression what) {
    if (name == null || !"u".equals(formats.get(name)) || Metadata.NAMES.contains(name) || argument(name) == null) return null;
    return what instanceof Literal<?> literal && isPlain(literal.value()) && !literal.value().toString().isEmpty()
        ? argument(name) + " contains " + text(literal.value().toString()) : null;
  }

  private String compare(String name, String operator, Object value) {
    if (value == null) return null;
    boolean isInteger = value instanceof Long || value instanceof Integer || value instanceof Short || value instanceof Byte;
    long number = isInteger ? ((Number) value).longValue() : 0;
    switch (name) {
      case "severity":
        return isInteger ? severity(operator, number) : null;
      case "level":
        return operator.equals("==") && List.of(LEVELS).contains(value.toString()) ? "level == " + value : null;
      case "time":
        return isInteger ? time(operator, number) : null;
      case "time_ns":
        return isInteger ? "time " + operator + " " + number : null;
      case "line":
      case "tid":
        return isInteger && number >= 0 ? name + " " + operator + " " + number : null;
      case "logger":
      case "function":
      case "format":
        return operator.equals("==") && isPlain(value) ? name + " == " + text(value.toString()) : null;
      default:
        return Metadata.NAMES.contains(name) || argument(name) == null ? null : argument(name, operator, value, isInteger, number);
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
    long ns = us * 1000;
    switch (operator) {
      case "==":
        return "(time >= " + ns + " and time < " + (ns + 1000) + ")";
      case "!=":
        return "(time < " + ns + " or time >= " + (ns + 1000) + ")";
      case "<=":
        return "time < " + (ns + 1000);
      case ">":
        return "time >= " + (ns + 1000);
      default:
        return "time " + operator + " " + ns;
    }
  }

  private boolean hasLosses() {
    try {
      if (hasLosses == null) hasLosses = !log.losses().isEmpty();
      return hasLosses;
    } catch (StenoException e) {
      return true;
    }
  }

  /** An argument in a condition; null: its name cannot be written there. */
  private static String argument(String name) {
    if (name.startsWith("{") && name.endsWith("}")) return name;
    return name.isEmpty() || name.matches("(?s).*[{}\\p{Cntrl}].*") ? null : "{" + name + "}";
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
