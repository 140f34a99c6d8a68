package io.github.steno;

import java.util.Arrays;

/**
 * A format that a logger met at a level. Of it there is a site for each combination of argument types, made when it is
 * met; so what a call needs is found by its signature. Any thread.
 */
final class Statement {
  /** A site: the statement with arguments of certain types. */
  static final class Variant {
    final long signature;
    final int site;
    /** Of numbers, and sizes of texts. */
    final int fixedBytes;

    Variant(long signature, int site) {
      this.signature = signature;
      this.site = site;
      this.fixedBytes = ArgumentType.fixedBytes(signature);
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

  boolean is(int level, String format, boolean isText) {
    return this.level == level && this.isText == isText && this.format.equals(format);
  }

  /** Whether the arguments of a call are its record, each by itself. */
  boolean isPlain(int arguments) {
    return !isText && fields <= MOST_FIELDS && (arguments <= fields || !heedsSurplus);
  }

  /** The site for arguments of a call; null: there can be no more. */
  Variant variant(long signature, Dictionary dictionary) {
    for (Variant variant : variants) {
      if (variant.signature == signature) return variant;
    }
    return add(signature, dictionary);
  }

  private synchronized Variant add(long signature, Dictionary dictionary) {
    for (Variant variant : variants) {
      if (variant.signature == signature) return variant;
    }
    if (variants.length == MOST_VARIANTS) return null;
    int site = dictionary.addSite(level, location, fieldsOf(signature), ArgumentType.letters(signature));
    if (site == Dictionary.NONE) return null;
    Variant[] more = Arrays.copyOf(variants, variants.length + 1);
    more[variants.length] = new Variant(signature, site);
    variants = more;
    return more[more.length - 1];
  }

  /** The format in the log's syntax. */
  private String fieldsOf(long signature) {
    int count = ArgumentType.count(signature);
    int printed = 0;
    while (printed < count && ArgumentType.at(signature, printed).isPrintedByFormat()) printed++;
    boolean surplus = printed < count && ArgumentType.at(signature, printed) == ArgumentType.SURPLUS;
    String[] pieces = isText ? new String[] {"", ""} : syntax.parse(format, printed + (surplus ? 1 : 0));
    StringBuilder text = new StringBuilder(format.length() + 16);
    for (int i = 0; i < pieces.length; i++) {
      text.append(pieces[i].replace("{", "{{").replace("}", "}}"));
      if (i < printed) text.append(ArgumentType.at(signature, i).field);
    }
    for (int i = printed; i < count; i++) text.append(ArgumentType.at(signature, i).field);
    return text.toString();
  }
}
