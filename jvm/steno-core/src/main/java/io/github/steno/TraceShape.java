package io.github.steno;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The parts of a stack trace besides its messages: classes, frames, causes and suppressed throwables. Two throwables of
 * one shape print the same text except for their messages. A shape holds no throwable and no class, so it keeps nothing
 * of an application. Immutable once taken.
 */
final class TraceShape {
  private static final int MOST_ITEMS = 4096;
  private static final int MOST_THROWABLES = 64;
  /** Marks the place of a message. */
  private static final Object MESSAGE = new Object() {
    @Override
    public String toString() {
      return "{}";
    }
  };

  /** True for a class that prints itself as {@link Throwable} does, so that its trace can be made of its parts. */
  private static final ClassValue<Boolean> IS_USUAL = new ClassValue<>() {
    @Override
    protected Boolean computeValue(Class<?> type) {
      try {
        return type.getMethod("printStackTrace", java.io.PrintWriter.class).getDeclaringClass() == Throwable.class
            && type.getMethod("getStackTrace").getDeclaringClass() == Throwable.class;
      } catch (NoSuchMethodException e) {
        return false;
      }
    }
  };

  /** A shape, and the messages of the throwable that it was taken of. */
  record Taken(TraceShape shape, List<String> messages) {}

  /** Texts as they are, frames, and {@link #MESSAGE}. An integer is how far the frames behind it are indented. */
  private final Object[] items;
  private final int hash;

  private TraceShape(Object[] items) {
    this.items = items;
    this.hash = Arrays.hashCode(items);
  }

  /** Asks throwables for their texts, so it may throw what they do. null: it has more messages than these, is too large, or prints itself. */
  static Taken take(Throwable thrown, TraceStyle style, int mostMessages) {
    Walk walk = new Walk(style, mostMessages);
    return walk.add(thrown, new StackTraceElement[0], "", 0)
        ? new Taken(new TraceShape(walk.items.toArray()), walk.messages) : null;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof TraceShape shape && hash == shape.hash && Arrays.equals(items, shape.items);
  }

  @Override
  public int hashCode() {
    return hash;
  }

  /** The literal pieces around the messages, as {@link MessageSyntax#parse} has those of a format. */
  List<String> pieces() {
    List<String> pieces = new ArrayList<>();
    StringBuilder piece = new StringBuilder();
    String indent = "";
    for (Object item : items) {
      if (item == MESSAGE) {
        pieces.add(piece.toString());
        piece.setLength(0);
      } else if (item instanceof Integer depth) {
        indent = "\t".repeat(depth);
      } else if (item instanceof StackTraceElement frame) {
        piece.append('\n').append(indent).append("\tat ").append(frame);
      } else {
        piece.append(item);
      }
    }
    pieces.add(piece.toString());
    return pieces;
  }

  /** Visits throwables in the order of {@link Throwable#printStackTrace}. */
  private static final class Walk {
    final List<Object> items = new ArrayList<>();
    final List<String> messages = new ArrayList<>();
    private final List<Throwable> met = new ArrayList<>();
    private final TraceStyle style;
    private final int mostMessages;

    Walk(TraceStyle style, int mostMessages) {
      this.style = style;
      this.mostMessages = mostMessages;
    }

    boolean add(Throwable thrown, StackTraceElement[] enclosing, String caption, int depth) {
      if (met.size() == MOST_THROWABLES || items.size() > MOST_ITEMS || !IS_USUAL.get(thrown.getClass())) return false;
      items.add(depth);
      items.add(caption);
      for (Throwable known : met) {
        if (known != thrown) continue;
        items.add("[CIRCULAR REFERENCE: ");
        addHead(thrown);
        items.add("]");
        return messages.size() <= mostMessages;
      }
      met.add(thrown);
      addHead(thrown);
      if (messages.size() > mostMessages) return false;
      StackTraceElement[] frames = thrown.getStackTrace();
      int common = inCommon(frames, enclosing);
      items.addAll(Arrays.asList(frames).subList(0, frames.length - common));
      String indent = "\n" + "\t".repeat(depth);
      if (common != 0) items.add(indent + "\t" + style.omitted(common));
      for (Throwable suppressed : thrown.getSuppressed()) {
        if (!add(suppressed, frames, indent + "\tSuppressed: ", depth + 1)) return false;
      }
      Throwable cause = thrown.getCause();
      return cause == null || add(cause, frames, indent + "Caused by: ", depth);
    }

    /** The class is the shape's, if it is told first; what is behind it is a message. */
    private void addHead(Throwable thrown) {
      String head = style.head(thrown);
      String name = thrown.getClass().getName();
      int message = 0;
      if (head.equals(name)) {
        message = name.length();
      } else if (head.startsWith(name) && head.startsWith(": ", name.length())) {
        message = name.length() + 2;
      }
      if (message != 0) items.add(head.substring(0, message));
      if (message == head.length()) return;
      items.add(MESSAGE);
      messages.add(head.substring(message));
    }

    private static int inCommon(StackTraceElement[] frames, StackTraceElement[] enclosing) {
      int common = 0;
      while (common < frames.length && common < enclosing.length
          && frames[frames.length - 1 - common].equals(enclosing[enclosing.length - 1 - common])) {
        common++;
      }
      return common;
    }
  }
}
