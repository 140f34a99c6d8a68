package io.github.steno.staging;

import io.github.steno.machine.Notices;
import io.github.steno.machine.Xxh3;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The entries of a session's dictionary: statements and loggers (spec/ring.md §3, spec/file.md §5). An entry is there
 * when its id is returned, so records may have it from then on.
 *
 * <p>Thread safety: any thread.
 */
public final class Dictionary {
  /** No id: there is no room, or there are too many statements. */
  public static final int NONE = -1;
  /** The logger of records that have none. */
  public static final int NO_LOGGER = 0;
  private static final int KIND_SITE = 1;
  private static final int KIND_LOGGER = 2;
  private static final int STYLE_BRACE = 0;
  private static final int MOST_LOGGERS = 0x7FFF;
  private static final int MOST_SITES = 1 << 20;

  private final StagingDirectory staging;
  private int sites = Layout.Sites.FIRST;
  private int loggers = 1;

  public Dictionary(StagingDirectory staging) {
    this.staging = staging;
  }

  /** {@link #NONE}: there is no room now; {@link #NO_LOGGER}: there are too many. */
  public synchronized int addLogger(String name) {
    if (loggers > MOST_LOGGERS) {
      Notices.say("there are too many loggers: records of further ones are logged without a logger");
      return NO_LOGGER;
    }
    Bytes body = new Bytes();
    body.varint(loggers);
    body.text(name);
    return append(KIND_LOGGER, body, "logger; its records are logged without a logger") ? loggers++ : NONE;
  }

  public synchronized int addSite(int level, Location location, String format, String types) {
    if (sites >= MOST_SITES) return NONE;
    Bytes body = new Bytes();
    body.varint(sites);
    body.u64(stableId(location.file(), format, types));
    body.u8(level);
    body.u8(STYLE_BRACE);
    body.varint(location.line());
    body.text(format);
    body.text(location.file());
    body.text(location.method());
    body.text(types);
    return append(KIND_SITE, body, "statement; its records are discarded and counted") ? sites++ : NONE;
  }

  /** Appends an entry. Returns false if there is no room for it; a notice states the consequence. */
  private boolean append(int kind, Bytes body, String what) {
    Bytes entry = new Bytes();
    entry.u8(kind);
    entry.varint(body.size);
    entry.raw(body.bytes, body.size);
    try {
      staging.appendDictionary(entry.bytes, entry.size);
      return true;
    } catch (IOException e) {
      Notices.say(staging.path + ": no room for a new " + what + ", until there is room: " + e);
      return false;
    }
  }

  private static long stableId(String file, String format, String types) {
    return Xxh3.hash((file + '\0' + format + '\0' + types).getBytes(StandardCharsets.UTF_8));
  }

  private static final class Bytes {
    byte[] bytes = new byte[128];
    int size;

    void u8(int value) {
      if (size == bytes.length) bytes = Arrays.copyOf(bytes, 2 * size);
      bytes[size++] = (byte) value;
    }

    void u64(long value) {
      for (int i = 0; i < 8; i++) u8((int) (value >>> 8 * i));
    }

    void varint(int value) {
      for (; value > 0x7F; value >>>= 7) u8(value & 0x7F | 0x80);
      u8(value);
    }

    void text(String text) {
      byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
      varint(utf8.length);
      raw(utf8, utf8.length);
    }

    void raw(byte[] from, int count) {
      for (int i = 0; i < count; i++) u8(from[i]);
    }
  }
}
