package io.github.steno;

import io.github.steno.staging.Dictionary;
import io.github.steno.staging.Location;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * A logger's way into the log: its level, and the statements that it has met. There is one for each name.
 *
 * <p>Calls never throw; what cannot be logged is counted. They may wait for room in the thread's ring
 * ({@code steno.when_full}). A call with an enabled level allocates nothing, unless an argument must be made text of; the
 * first call of a format costs some microseconds, for it looks where it comes from.
 *
 * <p>Thread safety: any thread.
 */
public final class Channel {
  private static final int MOST_STATEMENTS = 512;
  private static final int MOST_FORMAT = 1 << 16;
  static final Object[] NO_ARGUMENTS = WovenLogger.NO_ARGUMENTS;

  final String name;
  private final Session session;
  private final MessageSyntax syntax;
  private final Statement[] generic = new Statement[Levels.COUNT];
  private volatile int threshold;
  private volatile int id = Dictionary.NONE;
  /** Open addressing; a power of two, at most half full. Replaced as a whole. */
  private volatile Statement[] statements = new Statement[16];
  private int statementCount;

  Channel(String name, int threshold, Session session, MessageSyntax syntax) {
    this.name = name;
    this.threshold = threshold;
    this.session = session;
    this.syntax = syntax;
    for (int level = 0; level < Levels.COUNT; level++) generic[level] = Statement.ofTexts(level, "", Location.UNKNOWN);
  }

  public String name() {
    return name;
  }

  public boolean isEnabled(int level) {
    return level >= threshold;
  }

  int threshold() {
    return threshold;
  }

  void setThreshold(int level) {
    threshold = level;
  }

  /** Returns the statements that it has met, in no order. */
  List<Statement> statements() {
    return Arrays.stream(statements).filter(Objects::nonNull).toList();
  }

  /**
   * Logs a format and arguments.
   *
   * @param boundary the name of the class that the program called: the frame that called that is the statement's
   * @param marker a name that the record has besides, as the context field {@code marker}; null: none
   * @param count of the array's elements, how many are arguments
   */
  public void log(int level, String boundary, String marker, String format, Object[] all, int count, Throwable thrown) {
    log(level, boundary, marker, format, null, all, count, thrown);
  }

  /**
   * Logs a call whose arguments have names in the log.
   *
   * @param names the names of the first arguments, or null for an argument without a name; null: no argument has one.
   *     Each name occurs once and is a valid field name (spec/types.md). The array is kept
   */
  public void log(int level, String boundary, String marker, String format, String[] names, Object[] all, int count,
      Throwable thrown) {
    try {
      if (format == null) format = "null";
      Statement statement = find(level, format, names, false);
      if (thrown != null || marker != null || !writePlain(statement, format, all, count)) {
        lookFrom(statement, boundary);
        logSlowly(Recorder.ofThread(), statement, marker, format, all, count, thrown);
      }
    } catch (Throwable e) {
      Recorder.abandonPlain();
      session.refuse(e);
    }
  }

  /** Returns false if the call has to be logged slowly. */
  private boolean writePlain(Statement statement, String format, Object[] all, int count) {
    if (statement.isText) return count == 0 && PlainRecord.writeText(session, this, statement, format);
    return PlainRecord.write(session, this, statement, all, count);
  }

  public void log(int level, String boundary, String format, Object[] all, int count, Throwable thrown) {
    log(level, boundary, null, format, all, count, thrown);
  }

  public void log(int level, String boundary, String format, Throwable thrown) {
    log(level, boundary, null, format, NO_ARGUMENTS, 0, thrown);
  }

  /** Logs what a call that the agent wove has for arguments; see above. */
  public void log(WovenStatement woven, String marker, Object[] all, int count, Throwable thrown) {
    try {
      Statement statement = ((WovenSite) woven).statement();
      logSlowly(Recorder.ofThread(), statement, marker, statement.format, all, count, thrown);
    } catch (Throwable e) {
      session.refuse(e);
    }
  }

  /** Records a message that is text already. */
  public void logText(WovenStatement woven, String marker, String text, Throwable thrown) {
    try {
      logText(Recorder.ofThread(), ((WovenSite) woven).statement().whole(), marker, text, thrown);
    } catch (Throwable e) {
      session.refuse(e);
    }
  }

  /**
   * The statement of a call site; null: there can be no more.
   *
   * @param count of arguments that are each by itself; -1: it is more than that
   */
  WovenSite weave(int level, String format, Location location, int count) {
    if (format.length() > MOST_FORMAT) return null;
    Statement statement = session.woven().statement(syntax, level, format, location);
    if (statement == null) return null;
    return new WovenSite(session, statement, level, count >= 0 && count <= statement.plainFields);
  }

  /**
   * Logs a message that is text already.
   *
   * @param format what others of its kind have in common, which is where its location is known by; null: it has none
   */
  public void logText(int level, String boundary, String marker, String format, String text, Throwable thrown) {
    try {
      Statement statement = format == null ? generic[level] : find(level, format, null, true);
      if (text == null) text = "null";
      if (thrown == null && marker == null && PlainRecord.writeText(session, this, statement, text)) return;
      lookFrom(statement, boundary);
      logText(Recorder.ofThread(), statement, marker, text, thrown);
    } catch (Throwable e) {
      session.refuse(e);
    }
  }

  private void logText(Recorder recorder, Statement statement, String marker, String text, Throwable thrown) {
    Arguments arguments = recorder.begin();
    try {
      arguments.addText(text, ArgumentType.TEXT);
      record(recorder, arguments, statement, marker, thrown);
    } finally {
      recorder.end(arguments);
    }
  }

  private void logSlowly(Recorder recorder, Statement statement, String marker, String format, Object[] all, int count,
      Throwable thrown) {
    Arguments arguments = recorder.begin();
    try {
      int printed = Math.min(statement.fields, count);
      if (printed > Statement.MOST_FIELDS || (statement.isText && count != 0)) {
        statement = statement.whole();
        addMessage(arguments, format, count == all.length ? all : Arrays.copyOf(all, count));
      } else if (statement.isText) {
        arguments.addText(format, ArgumentType.TEXT);
      } else {
        for (int i = 0; i < printed; i++) arguments.add(all[i], syntax);
        if (statement.heedsSurplus && statement.fields < count) arguments.addSurplus();
      }
      record(recorder, arguments, statement, marker, thrown);
    } finally {
      recorder.end(arguments);
    }
  }

  private void record(Recorder recorder, Arguments arguments, Statement statement, String marker, Throwable thrown) {
    if (!session.isOpen()) return;
    Statement.Variant variant = thrown == null ? null : addMessages(arguments, statement, thrown);
    if (variant == null) {
      if (thrown != null) arguments.addText(Traces.render(thrown, syntax.traces()), ArgumentType.THROWABLE);
      variant = statement.variant(arguments.signature(), session.dictionary());
      if (thrown == null && !statement.isText && variant != null) statement.madeUsual(variant);
    }
    recorder.write(session, this, variant, statement.level, arguments, marker);
  }

  /**
   * Adds the messages of a throwable whose stack trace has a site. Returns null, and adds nothing, if the trace has to
   * be text.
   */
  private Statement.Variant addMessages(Arguments arguments, Statement statement, Throwable thrown) {
    Traces.Found found = session.traces().find(thrown, syntax.traces(), ArgumentType.MOST - arguments.count());
    if (found == null) return null;
    long signature = arguments.signature();
    for (int i = 0; i < found.messages().size(); i++) signature |= ArgumentType.THROWABLE.in(arguments.count() + i);
    Statement.Variant variant = statement.variant(signature, found.trace(), session);
    if (variant == null) return null;
    for (String message : found.messages()) arguments.addText(message, ArgumentType.THROWABLE);
    return variant;
  }

  private void addMessage(Arguments arguments, String format, Object[] all) {
    arguments.addText(SafeText.format(syntax, format, all), ArgumentType.TEXT);
  }

  /** The logger's number in the log, known to it from now on; {@link Dictionary#NO_LOGGER} while the dictionary has no room. */
  int id() {
    int known = id;
    return known != Dictionary.NONE ? known : makeId();
  }

  /** Returns the logger's number, or {@link Dictionary#NONE} if it has none yet. Does not make one. */
  int knownId() {
    return id;
  }

  private synchronized int makeId() {
    if (id == Dictionary.NONE) id = session.dictionary().addLogger(name);
    return id == Dictionary.NONE ? Dictionary.NO_LOGGER : id;
  }

  /** A statement's first calls say where it is; after those, it costs nothing. */
  private void lookFrom(Statement statement, String boundary) {
    if (!statement.isLookedAt()) return;
    try {
      Location.Caller caller = Location.callerOf(boundary);
      if (statement.look(caller.location())) session.places().add(statement, caller);
    } catch (OutOfMemoryError e) {
      statement.lookInVain();  // another call may say it
    }
  }

  private Statement find(int level, String format, String[] names, boolean isText) {
    Statement[] table = statements;
    int mask = table.length - 1;
    for (int i = slot(level, format);; i++) {
      Statement statement = table[i & mask];
      if (statement == null) return make(level, format, names, isText);
      if (statement.is(level, format, names, isText)) return statement;
    }
  }

  private static int slot(int level, String format) {
    int hash = format.hashCode() * 31 + level;
    return hash ^ hash >>> 16;
  }

  private Statement make(int level, String format, String[] names, boolean isText) {
    if (statementCount >= MOST_STATEMENTS || format.length() > MOST_FORMAT) return generic[level];
    Statement made = isText ? Statement.ofTexts(level, format, null) : new Statement(level, format, names, null, syntax);
    synchronized (this) {
      Statement[] table = statements;
      if (statementCount >= MOST_STATEMENTS) return generic[level];
      if (2 * (statementCount + 1) > table.length) {
        Statement[] larger = new Statement[2 * table.length];
        for (Statement statement : table) {
          if (statement != null) insert(larger, statement);
        }
        table = larger;
      } else {
        table = table.clone();
      }
      Statement there = insert(table, made);
      if (there == made) {
        statementCount++;
        statements = table;
      }
      return there;
    }
  }

  /** Inserts a statement, or finds the same one that another thread has made. */
  private static Statement insert(Statement[] table, Statement statement) {
    int mask = table.length - 1;
    for (int i = slot(statement.level, statement.format);; i++) {
      Statement there = table[i & mask];
      if (there == null) return table[i & mask] = statement;
      if (there.is(statement)) return there;
    }
  }
}
