package io.github.steno.spark;

import java.io.Serializable;
import java.util.List;

/**
 * A question to a log.
 *
 * @param statement the format of a statement; empty: none
 * @param stableId of a statement; 0: none
 * @param columns empty: the default ones
 * @param conditions all of which hold
 * @param since in ns since 1970
 * @param until in ns, not included
 */
record Question(String statement, long stableId, List<String> columns, List<String> conditions, long since, long until)
    implements Serializable {
  /** The types of Arrow, with those of integers as they were logged. */
  static final int PROFILE_ARROW = 0;

  static final int PROFILE_SPARK = 1;

  Question withStatement(String format) {
    return new Question(format, stableId, columns, conditions, since, until);
  }

  Question withColumns(List<String> names) {
    return new Question(statement, stableId, List.copyOf(names), conditions, since, until);
  }

  Question with(List<String> more) {
    List<String> all = new java.util.ArrayList<>(conditions);
    all.addAll(more);
    return new Question(statement, stableId, columns, List.copyOf(all), since, until);
  }

  /** All conditions as one; empty: there is none. */
  String where() {
    return conditions.size() == 1 ? conditions.get(0) : String.join(" and ", conditions.stream().map(one -> "(" + one + ")").toList());
  }
}
