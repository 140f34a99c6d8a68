package io.github.steno;

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
    /** Of arguments. */
    final int count;
    /** Of numbers, and sizes of texts. */
    final int fixedBytes;
    final boolean hasDoubles;

    Variant(long signature, int site) {
      this.signature = signature;
      this.site = site;
      this.count = ArgumentType.count(signature);
      this.fixedBytes = ArgumentType.fixedBytes(signature);
      this.hasDoubles = ArgumentType.hasDoubles(signature);
    }
  }

  private static final int MOST_VARIANTS = 256;
  /** Arguments that are printed; behind them, one may say that there were more, and one is a throwable. */
  static final int MOST_FIELDS = ArgumentType.MOST - 2;

  final int level;
  final String format;
  final Location location;
  /** How many arguments it prints, if it has them. */
  final int fields;
  /** Whether it reads otherwise if there are more. */
  final boolean heedsSurplus;
  /** A message as a whole is its only argument. */
  final boolean isText;

  private final MessageSyntax syntax;
  private volatile Variant[] variants = {};
  /** That of the last record whose arguments are each by itself, and nothing besides; null: there was none. */
  volatile Variant usual;
  /** Another that a thread has made in the meantime would be as good. */
  private volatile Statement whole;
  /** What a record may need that is written straight into the ring. Learnt; it does not matter if one of two threads' is lost. */
  int plainRoom = PlainRecord.LEAST_ROOM;
  /** Those of records that have a stack trace in their site. */
  private final ConcurrentHashMap<WithTrace, Variant> traced = new ConcurrentHashMap<>(0);

  private record WithTrace(long signature, Traces.Trace trace) {}

  Statement(int level, String format, Location location, MessageSyntax syntax) {
    this.level = level;
    this.format = format;
    this.location = location;
    this.syntax = syntax;
    this.isText = false;
    String[] whole = syntax.parse(format, Integer.MAX_VALUE);
    this.fields = whole.length - 1;
    this.heedsSurplus = !Arrays.equals(whole, syntax.parse(format, fields));
  }

  private Statement(int level, String format, Location location) {
    this.level = level;
    this.format = format;
    this.location = location;
    this.syntax = null;
    this.isText = true;
    this.fields = 1;
    this.heedsSurplus = false;
  }

  /** For messages that are text already, or whose format has no statement of its own. */
  static Statement ofTexts(int level, String format, Location location) {
    return new Statement(level, format, location);
  }

  /** The same for messages as a whole, which have more arguments than there is room for. */
  Statement whole() {
    if (isText) return this;
    Statement made = whole;
    if (made == null) whole = made = ofTexts(level, format, location);
    return made;
  }

  boolean is(int level, String format, boolean isText) {
    return this.level == level && this.isText == isText && this.format.equals(format);
  }

  /** The site for arguments of a call; null: there can be no more. */
  Variant variant(long signature, Dictionary dictionary) {
    Variant known = known(signature);
    return known != null ? known : add(signature, dictionary);
  }

  /** null: there is none yet. */
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
      if (i < printed) text.append(ArgumentType.at(signature, i).field);
    }
    return text.toString();
  }
}
