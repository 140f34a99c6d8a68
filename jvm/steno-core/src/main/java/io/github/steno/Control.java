package io.github.steno;

import io.github.steno.ring.Ring;
import io.github.steno.staging.ControlFile;
import io.github.steno.staging.Layout;
import io.github.steno.staging.Location;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Obeys what is asked of a session from outside: {@code steno ctl} (spec/ring.md §6). One thread at a time. */
final class Control {
  private static final String LEVEL = "level ";
  private static final int MOST_FIELD = 4096;
  private static final int MOST_PROBLEMS = 10;
  private static final long FLUSH_PATIENCE_NS = 1_000_000_000;

  private record Answer(int code, String text) {
    static Answer done(String text) {
      return new Answer(ControlFile.DONE, text);
    }

    static Answer refused(String why) {
      return new Answer(ControlFile.REFUSED, why);
    }
  }

  private final Session session;
  /** The request that was looked at last. */
  private int last;

  Control(Session session) {
    this.session = session;
    last = session.answered();
  }

  /** Does what is asked, if there is something new, and answers. Never waits for who asks. */
  void obey() {
    int number = session.requested();
    if (number == last) return;
    last = number;
    try (ControlFile file = ControlFile.open(session.directory())) {
      String request = file == null ? null : file.read(number);
      if (request == null) return;
      Answer answer = answer(request);
      if (answer == null) return;
      file.write(number, answer.code, answer.text);
      session.answer(number);
    } catch (IOException | RuntimeException e) {
      // The process that asks gets no answer, and reports that.
    }
  }

  /** Returns null if the scribe answers. */
  private Answer answer(String request) {
    if (request.startsWith(LEVEL)) return setLevels(request.substring(LEVEL.length()));
    return switch (request) {
      case "list" -> Answer.done(list());
      case "stats" -> Answer.done(stats());
      case "flush" -> session.isServed() ? null : flush();
      case "rotate" -> session.isServed() ? null : Answer.refused("no scribe drains this session; start 'steno scribe'");
      case "dump" -> Answer.refused("the session has no flight recorder");
      default -> new Answer(ControlFile.UNKNOWN, "unknown request");
    };
  }

  private Answer setLevels(String rules) {
    List<String> problems = new ArrayList<>();
    session.channels().addRules(rules, problem -> {
      if (problems.size() < MOST_PROBLEMS) problems.add(problem);
    });
    return problems.isEmpty() ? Answer.done("") : Answer.refused(String.join("; ", problems));
  }

  private String list() {
    StringBuilder text = new StringBuilder("level\t" + Levels.name(session.channels().rules().fallback()) + '\n');
    List<Channel> channels = session.channels().all();
    for (Channel channel : channels) line(text, "logger\t" + Levels.name(channel.threshold()) + '\t' + field(channel.name()));
    for (Channel channel : channels) sites(text, channel.statements());
    sites(text, session.woven().all());
    return text.toString();
  }

  private static void sites(StringBuilder text, Collection<Statement> statements) {
    for (Statement statement : statements) {
      Location location = statement.location();
      line(text, "site\t" + Levels.name(statement.level) + "\tlogger\t" + field(location.file()) + '\t'
          + location.line() + '\t' + field(statement.format));
    }
  }

  private static void line(StringBuilder text, String line) {
    if (text.length() + line.length() < ControlFile.MOST_ANSWER) text.append(line).append('\n');
  }

  /** Fields are parted by tabs, and lines by their ends. */
  private static String field(String text) {
    StringBuilder field = new StringBuilder(text.substring(0, Math.min(text.length(), MOST_FIELD)));
    for (int i = 0; i < field.length(); i++) {
      if (field.charAt(i) < ' ' || field.charAt(i) == 127) field.setCharAt(i, ' ');
    }
    return field.toString();
  }

  private String stats() {
    long dropped = 0;
    long staging = 0;
    long backlog = 0;
    for (Ring ring : session.rings().all()) {
      dropped += ring.dropped();
      staging += Layout.HEADER_BYTES + ring.capacity();
      backlog += waiting(ring, ring.tail());
    }
    return "dropped\t" + dropped + "\ndiscarded\t" + session.discarded() + "\nstaging_bytes\t" + staging
        + "\nbacklog_bytes\t" + backlog + '\n';
  }

  private static long waiting(Ring ring, long tail) {
    return Math.max(0, tail - ring.head());
  }

  private Answer flush() {
    List<Ring> rings = session.rings().all();
    long[] tails = rings.stream().mapToLong(Ring::tail).toArray();
    session.wake(true);
    long begin = System.nanoTime();
    for (int i = 0; i < tails.length; i++) {
      while (waiting(rings.get(i), tails[i]) != 0) {
        if (System.nanoTime() - begin > FLUSH_PATIENCE_NS) {
          return Answer.refused(session.isServed() ? "the scribe has not written everything yet"
              : "no scribe drains this session; start 'steno scribe'");
        }
        try {
          Thread.sleep(1);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          return Answer.refused("the session ends");
        }
      }
    }
    return Answer.done("");
  }
}
