package io.github.steno;

import io.github.steno.staging.Dictionary;
import io.github.steno.staging.Location;
import java.util.Arrays;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A format that a logger met at a level. Of it there is a site for each combination of argument types, made when it is
 * met; so what a call needs is found by its signature. Any thread.
 */
final class Statement {
  /** A site: the statement with arguments of certain types. */
  static final class Variant {
    final long signature;
    final int site;
    /** The state of a record that has no arguments yet ({@link PlainRecord}). */
    final long first;

    Variant(long signature, int site) {
      this.signature = signature;
      this.site = site;
      this.first = PlainRecord.first(signature);
    }
  }

  private static final int MOST_VARIANTS = 256;
  /**
   * The most arguments that are printed. After them, one argument may say that there were more, and one is a throwable.
   */
  static final int MOST_FIELDS = ArgumentType.MOST - 2;
  /**
   * The number of calls whose places are compared. A statement in two places is recognised at once if both run by
   * turns.
   */
  private static final int LOOKS = 8;

  final int level;
  final String format;
  /** {@link Location#UNKNOWN} until the first look. */
  private volatile Location location;
  /**
   * The number of calls whose place is still to be looked up; 0: the place is known, or there was no memory to find it.
   */
  private volatile int looks;
  private boolean isMet;
  /** The names of the first fields in the log; null: there are none. A null element is a field without a name. */
  private final String[] names;
  /** The number of arguments that it prints, if a call has so many. */
  final int fields;
  /** True if its text depends on whether there are more arguments. */
  final boolean heedsSurplus;
  /** True if its only argument is a message as a whole. */
  final boolean isText;
  /**
   * The most arguments that a call may have to be written as they are, one value for each; -1: none, or the place is
   * still looked up.
   */
  int plainFields;

  private final MessageSyntax syntax;
  private volatile Variant[] variants = {};
  /** The variant of the last record that had one value for each argument and nothing else; null: there was none. */
  volatile Variant usual;
  /** A race is harmless: a statement that another thread makes in the meantime is as good. */
  private volatile Statement whole;
  /**
   * The producer of a thread that makes such calls, often the only one. Finding it here avoids a chain of dependent
   * loads, which reading a thread-local variable is. Races are harmless: only its own thread uses it.
   */
  private Producer atHand;
  /**
   * The room that a record may need that is written straight into the ring. It is learnt, and a lost update is
   * harmless.
   */
  int plainRoom = PlainRecord.LEAST_ROOM;
  /** The variants of records that have a stack trace in their site. */
  private final ConcurrentHashMap<WithTrace, Variant> traced = new ConcurrentHashMap<>(0);

  private record WithTrace(long signature, Traces.Trace trace) {}

  /** @param location null: {@link #look} is to find it */
  Statement(int level, String format, String[] names, Location location, MessageSyntax syntax) {
    this.level = level;
    this.format = format;
    this.names = names;
    this.syntax = syntax;
    this.isText = false;
    String[] whole = syntax.parse(format, Integer.MAX_VALUE);
    this.fields = whole.length - 1;
    this.heedsSurplus = !Arrays.equals(whole, syntax.parse(format, fields));
    this.plainFields = -1;
    takeFirst(location);
  }

  private Statement(int level, String format, Location location) {
    this.level = level;
    this.format = format;
    this.names = null;
    this.syntax = null;
    this.isText = true;
    this.fields = 1;
    this.heedsSurplus = false;
    this.plainFields = -1;
    takeFirst(location);
  }

  private void takeFirst(Location known) {
    location = known == null ? Location.UNKNOWN : known;
    if (known == null) {
      looks = LOOKS;
    } else {
      settle();
    }
  }

  private void settle() {
    looks = 0;
    if (!isText) plainFields = Math.min(fields, MOST_FIELDS);
  }

  Location location() {
    return location;
  }

  /** Returns whether {@link #look} must be called before a call is recorded. */
  boolean isLookedAt() {
    return looks != 0;
  }

  /** Learns where a call comes from. Returns whether it is the first. */
  synchronized boolean look(Location from) {
    if (looks == 0) return false;
    boolean isFirst = !isMet;
    isMet = true;
    if (isFirst) {
      location = from;
    } else if (!location.equals(from)) {
      moveTo(location.and(from));
    }
    countLook();
    return isFirst;
  }

  /**
   * There was no memory for it. That counts, too: each attempt makes the JVM collect all that it has, several times, and calls in a
   * program whose memory is exhausted are not to take milliseconds each.
   */
  synchronized void lookInVain() {
    if (looks != 0) countLook();
  }

  private void countLook() {
    if (looks > 1) {
      looks--;
    } else {
      settle();
    }
  }

  /** Records that other lines of the class make the same call. */
  synchronized void isInOtherLines() {
    if (location.line() != 0) moveTo(location.andOthers());
  }

  /** Records from now on have other sites. */
  private void moveTo(Location several) {
    location = several;
    settle();
    variants = new Variant[0];
    usual = null;
    traced.clear();
  }

  /** Returns the calling thread's producer. */
  Producer producer() {
    Producer known = atHand;
    return known != null && known.isOfThread() ? known : findProducer();
  }

  private Producer findProducer() {
    Producer found = Recorder.ofThread().producer();
    Producer other = atHand;
    if (other == null || other.refersTo(null) || found.isToBeUsual()) atHand = found;
    return found;
  }

  /** Package-private: for tests. */
  Producer atHand() {
    return atHand;
  }

  /** Returns a statement for messages that are text already, or whose format has no statement of its own. */
  static Statement ofTexts(int level, String format, Location location) {
    return new Statement(level, format, location);
  }

  /**
   * Returns the statement for messages as a whole, for calls of this one with more arguments than there is room for.
   */
  Statement whole() {
    if (isText) return this;
    Statement made = whole;
    if (made == null || made.location != location) whole = made = ofTexts(level, format, location);
    return made;
  }

  boolean is(int level, String format, String[] names, boolean isText) {
    return this.level == level && this.isText == isText && this.format.equals(format)
        && (this.names == names || Arrays.equals(this.names, names));
  }

  boolean is(Statement other) {
    return is(other.level, other.format, other.names, other.isText);
  }

  /** The site for arguments of a call; null: there can be no more. */
  Variant variant(long signature, Dictionary dictionary) {
    Variant known = known(signature);
    return known != null ? known : add(signature, dictionary);
  }

  /** Remembers the variant of a record that has only arguments. */
  void madeUsual(Variant variant) {
    if (usual == variant) return;
    usual = variant;
    if (known(variant.signature) != variant) usual = null;  // it has moved meanwhile
  }

  /** Returns null if there is none yet. */
  Variant known(long signature) {
    for (Variant variant : variants) {
      if (variant.signature == signature) return variant;
    }
    return null;
  }

  private synchronized Variant add(long signature, Dictionary dictionary) {
    Variant known = known(signature);
    if (known != null) return known;
    if (variants.length == MOST_VARIANTS) return null;
    String fields = fieldsOf(signature) + (ArgumentType.hasThrowable(signature) ? ArgumentType.THROWABLE.field : "");
    int site = dictionary.addSite(level, location, fields, ArgumentType.letters(signature));
    if (site == Dictionary.NONE) return null;
    Variant[] more = Arrays.copyOf(variants, variants.length + 1);
    more[variants.length] = new Variant(signature, site);
    variants = more;
    return more[more.length - 1];
  }

  /**
   * The site for arguments of a call and a stack trace, whose messages are after them in the signature; null: there can be no
   * more, and the trace has to be text.
   */
  Variant variant(long signature, Traces.Trace trace, Session session) {
    WithTrace key = new WithTrace(signature, trace);
    Variant known = traced.get(key);
    return known != null ? known : add(key, session);
  }

  private synchronized Variant add(WithTrace key, Session session) {
    Variant known = traced.get(key);
    if (known != null) return known;
    if (!session.traces().takeText(format.length() + key.trace.fields.length())) return null;
    int site = session.dictionary().addSite(level, location, fieldsOf(key.signature) + key.trace.fields,
        ArgumentType.letters(key.signature));
    if (site == Dictionary.NONE) return null;
    Variant made = new Variant(key.signature, site);
    traced.put(key, made);
    return made;
  }

  /** A text as it stands in the log's syntax. */
  static String literal(String text) {
    return text.replace("{", "{{").replace("}", "}}");
  }

  /** The format in the log's syntax, but for a stack trace. */
  private String fieldsOf(long signature) {
    int count = ArgumentType.count(signature);
    int printed = 0;
    while (printed < count && ArgumentType.at(signature, printed).isPrintedByFormat()) printed++;
    boolean surplus = printed < count && ArgumentType.at(signature, printed) == ArgumentType.SURPLUS;
    String[] pieces = isText ? new String[] {"", ""} : syntax.parse(format, printed + (surplus ? 1 : 0));
    StringBuilder text = new StringBuilder(format.length() + 16);
    for (int i = 0; i < pieces.length; i++) {
      text.append(literal(pieces[i]));
      if (i < printed) text.append(field(ArgumentType.at(signature, i), i));
    }
    return text.toString();
  }

  private String field(ArgumentType type, int argument) {
    String name = names == null || argument >= names.length ? null : names[argument];
    return name == null ? type.field : '{' + name + type.field.substring(1);
  }
}
