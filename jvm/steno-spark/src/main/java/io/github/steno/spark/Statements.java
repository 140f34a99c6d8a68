package io.github.steno.spark;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Which statement an option means: its text or a part of it, its place, its stable id. */
final class Statements {
  private static final Pattern PLACE = Pattern.compile("(.+):([0-9]{1,9})", Pattern.DOTALL);
  private static final Pattern STABLE_ID = Pattern.compile("[0-9a-fA-F]{16}");

  static Question question(Log log, Options options) throws StenoException {
    long stableId = options.statement.isEmpty() ? 0 : stableId(log.sites(), options.statement);
    List<String> conditions = options.where.isEmpty() ? List.of() : List.of(options.where);
    return new Question(stableId == 0 ? options.statement : "", stableId, options.columns, conditions, options.since, options.until);
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

  /** Whether a log has the statement. One of a text or a part of it may have several places. */
  static boolean has(Log log, Question question) throws StenoException {
    if (question.stableId() == 0 && question.statement().isEmpty()) return true;
    return log.sites().stream().anyMatch(site -> question.stableId() != 0 ? site.stableId() == question.stableId()
        : site.text().contains(question.statement()));
  }

  private Statements() {}
}
