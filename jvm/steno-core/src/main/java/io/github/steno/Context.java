package io.github.steno;

import java.nio.charset.StandardCharsets;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Named values that all records of a thread have from now on, besides their arguments (spec/ring.md §4.1.1). A value whose key is
 * {@code marker}, which names the marker in the log, is {@code mdc.marker} there; an empty key is {@code mdc.empty}.
 */
public final class Context {
  private static final String MARKER = "marker";
  /** Before names that would be those of something else. */
  private static final String ESCAPE = "mdc.";
  private static final String EMPTY = "empty";
  private static final String NULL = "null";
  private static final int MOST_FIELDS = 16;
  private static final int MOST_BYTES = 1008;
  /** What a context record takes in a ring. */
  static final int MOST_RECORD = Layout.roundUp8(Layout.ARGUMENTS + MOST_BYTES);
  private static final int MOST_NAME = 255;

  /**
   * Sets all of the calling thread's. What there is no room for is left out: fields beyond 16, and what makes all together
   * more than 1008 bytes.
   */
  public static void set(Map<String, String> values) {
    Recorder.ofThread().setContext(values);
  }

  /** The same, for those who are told with each record: costs little if they are what they were. */
  public static void follow(Map<String, String> values) {
    Recorder recorder = Recorder.ofThread();
    if (!recorder.hasContext(values)) recorder.setContext(values);
  }

  /** As a context record has them behind its clock; null: there are none. */
  static byte[] encode(Map<String, String> ofThread, String marker) {
    Map<String, String> values = new LinkedHashMap<>();
    if (marker != null) values.put(MARKER, marker);
    for (Map.Entry<String, String> field : ofThread.entrySet()) values.put(name(field.getKey()), field.getValue());
    List<byte[]> names = new ArrayList<>();
    List<byte[]> texts = new ArrayList<>();
    int size = 1;
    for (Map.Entry<String, String> field : values.entrySet()) {
      if (names.size() == MOST_FIELDS) continue;
      byte[] name = field.getKey().getBytes(StandardCharsets.UTF_8);
      byte[] text = String.valueOf(field.getValue()).getBytes(StandardCharsets.UTF_8);
      int more = 2 + name.length + 4 + text.length;
      if (name.length > MOST_NAME || size + more > MOST_BYTES) continue;
      size += more;
      names.add(name);
      texts.add(text);
    }
    if (names.isEmpty()) return null;
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(size);
    bytes.write(names.size());
    for (int i = 0; i < names.size(); i++) bytes.write('S');
    for (byte[] name : names) bytes.write(name.length);
    for (byte[] name : names) bytes.writeBytes(name);
    for (byte[] text : texts) {
      for (int shift = 0; shift < Integer.SIZE; shift += 8) bytes.write(text.length >>> shift);
    }
    for (byte[] text : texts) bytes.writeBytes(text);
    return bytes.toByteArray();
  }

  /**
   * The name of a value in the log: its key, but for one that is the marker's, empty or null. Those have a prefix, and so have keys that
   * would be such a name then, so that no two keys have one name.
   */
  static String name(String key) {
    if (key == null) return ESCAPE + NULL;
    if (key.isEmpty()) return ESCAPE + EMPTY;
    String rest = key;
    while (rest.startsWith(ESCAPE)) rest = rest.substring(ESCAPE.length());
    boolean isEscaped = rest != key && (rest.equals(EMPTY) || rest.equals(NULL));
    return isEscaped || rest.equals(MARKER) ? ESCAPE + key : key;
  }

  private Context() {}
}
