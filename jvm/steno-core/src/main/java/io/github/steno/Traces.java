package io.github.steno;

import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The stack traces that a session has met more than once. Of such a one all but its messages is in the format of a site, once
 * in the dictionary; a record has only the messages. Others are text in their record: what is met once gains nothing.
 *
 * <p>Thread safety: any thread.
 */
final class Traces {
  /** The text of all of them: as much of the dictionary, and some part of that in objects, is theirs at most. */
  private static final int MOST_TEXT = 8 << 20;
  private static final int LARGEST = 1 << 16;

  /** A shape of which there may be sites. */
  static final class Trace {
    /** The text after the message, in the log's syntax; it has a field for each message of a throwable. */
    final String fields;

    private Trace(String fields) {
      this.fields = fields;
    }
  }

  /** A trace, and the messages of the throwable that it was found for. */
  record Found(Trace trace, List<String> messages) {}

  /** It does not print what we would. */
  private static final Trace UNUSUAL = new Trace(null);

  private final ConcurrentHashMap<TraceShape, Trace> known = new ConcurrentHashMap<>();
  /**
   * Hashes of shapes that were met. If two hashes share a slot, or two threads race, it does not matter which one is
   * forgotten.
   */
  private final int[] met = new int[1 << 12];
  private int textLeft = MOST_TEXT;

  /** @return null: it is to be text */
  Found find(Throwable thrown, TraceStyle style, int mostMessages) {
    try {
      TraceShape.Taken taken = TraceShape.take(thrown, style, mostMessages);
      if (taken == null) return null;
      Trace trace = known.get(taken.shape());
      if (trace == null) trace = make(thrown, style, taken);
      return trace == null || trace == UNUSUAL ? null : new Found(trace, taken.messages());
    } catch (Throwable e) {
      return null;  // what it throws is the program's; the text says so
    }
  }

  private Trace make(Throwable thrown, TraceStyle style, TraceShape.Taken taken) {
    int hash = taken.shape().hashCode();
    int slot = (hash ^ hash >>> 16) & (met.length - 1);
    if (met[slot] != hash) {
      met[slot] = hash;
      return null;
    }
    List<String> pieces = taken.shape().pieces();
    StringBuilder text = new StringBuilder();
    StringBuilder fields = new StringBuilder("\n");
    Iterator<String> messages = taken.messages().iterator();
    for (String piece : pieces) {
      text.append(piece);
      fields.append(Statement.literal(piece));
      if (!messages.hasNext()) break;
      text.append(messages.next());
      fields.append("{}");
    }
    if (fields.length() > LARGEST || !takeText(fields.length())) return null;
    // A throwable may print something else than its parts.
    Trace made = text.toString().equals(render(thrown, style)) ? new Trace(fields.toString()) : UNUSUAL;
    Trace other = known.putIfAbsent(taken.shape(), made);
    return other == null ? made : other;
  }

  /** Takes room for a text in the dictionary. Returns false if not so much is left. */
  synchronized boolean takeText(int chars) {
    if (chars > textLeft) return false;
    textLeft -= chars;
    return true;
  }

  /** A throwable as text, with its causes and what they suppressed. */
  static String render(Throwable thrown, TraceStyle style) {
    try {
      String text = style.render(thrown);
      return text.endsWith("\n") ? text.substring(0, text.length() - 1) : text;
    } catch (Throwable e) {
      return thrown.getClass().getName() + " [FAILED printStackTrace(): " + e.getClass().getName() + "]";
    }
  }
}
