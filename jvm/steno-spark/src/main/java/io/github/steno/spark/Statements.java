package io.github.steno.spark;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Finds the statement that an option means: by its text or a part of it, its place, or its stable id. */
final class Statements {
  private static final Pattern PLACE = Pattern.compile("(.+):([0-9]{1,9})", Pattern.DOTALL);
  private static final Pattern STABLE_ID = Pattern.compile("[0-9a-fA-F]{16}");

  static Question question(Log log, Options options) throws StenoException {
    long stableId = options.statement.isEmpty() ? 0 : stableId(log.sites(), options.statement);
    List<String> conditions = options.where.isEmpty() ? List.of() : List.of(options.where);
    Question question = new Question("", stableId, List.of(), conditions, options.since, options.until);
    return stableId != 0 || options.statement.isEmpty() ? question : question.withStatement(whole(log, options.statement));
  }

  /** The format that a text means among the statements of all files, so that each file alone is asked for the same. */
  private static String whole(Log log, String text) throws StenoException {
    Question question = new Question(text, 0, List.of("severity"), List.of(), Long.MIN_VALUE, Long.MAX_VALUE);
    try (Batches batches = log.read(question)) {
      String format = batches.statement();
      if (format.isEmpty()) throw new StenoException("the statement has no text; name it by its place or its stable id");
      if (format.indexOf('\ufffd') < 0) return format;
      throw new StenoException("the statement '" + format + "' has bytes that are no UTF-8; name it by its place or its stable id");
    }
  }

  /** 0: it is a text. */
  private static long stableId(List<Log.Site> sites, String what) throws StenoException {
    if (sites.stream().anyMatch(site -> site.text().equals(what))) return 0;
    Matcher place = PLACE.matcher(what);
    if (place.matches()) {
      List<Log.Site> there = sites.stream().filter(site -> isAt(site, place.group(1), Integer.parseInt(place.group(2)))).toList();
      if (there.stream().mapToLong(Log.Site::stableId).distinct().count() > 1) {
        String texts = String.join(", ", there.stream().map(site -> "'" + site.text() + "'").toList());
        throw new StenoException("several statements are at " + what + ": " + texts + "; choose one by its text");
      }
      if (!there.isEmpty()) return there.get(0).stableId();
    }
    if (!STABLE_ID.matcher(what).matches()) return 0;
    long id = Long.parseUnsignedLong(what, 16);
    return sites.stream().anyMatch(site -> site.stableId() == id) ? id : 0;
  }

  private static boolean isAt(Log.Site site, String file, int line) {
    return site.line() == line && (site.file().equals(file) || site.file().endsWith("/" + file));
  }

  /** Returns whether a log has the statement. A statement that is given by its text may have several places. */
  static boolean has(Log log, Question question) throws StenoException {
    if (question.stableId() == 0 && question.statement().isEmpty()) return true;
    return log.sites().stream().anyMatch(site -> question.stableId() != 0 ? site.stableId() == question.stableId()
        : site.text().equals(question.statement()));
  }

  private Statements() {}
}
