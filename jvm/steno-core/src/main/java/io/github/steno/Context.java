package io.github.steno;

import io.github.steno.staging.Layout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Named values that all records of a thread have from now on, besides their arguments (spec/ring.md §4.1.1). A value whose key is
 * {@code marker}, which names the marker in the log, is {@code mdc.marker} there; an empty key is {@code mdc.empty}.
 */
public final class Context {
  private static final String MARKER = "marker";
  /** A prefix for names that would otherwise be those of something else. */
  private static final String ESCAPE = "mdc.";
  private static final String EMPTY = "empty";
  private static final String NULL = "null";
  private static final int MOST_FIELDS = 16;
  private static final int MOST_BYTES = 1008;
  /** The most bytes that a context record takes in a ring. */
  static final int MOST_RECORD = Layout.roundUp8(Layout.ARGUMENTS + MOST_BYTES);
  private static final int MOST_NAME = 255;

  /**
   * Sets all fields of the calling thread. Fields beyond 16, and fields that would make all together more than 1008
   * bytes, are left out. Costs some nanoseconds: the next record encodes the fields.
   *
   * @param values is kept; where it changes, this is to be called again
   */
  public static void set(Map<String, String> values) {
    Recorder.ofThread().setContext(values);
  }

  /** Sets the fields for callers that are given them with each record. It costs little if they have not changed. */
  public static void follow(Map<String, String> values) {
    Recorder recorder = Recorder.ofThread();
    if (!recorder.hasContext(values)) recorder.setContext(values.isEmpty() ? Map.of() : new LinkedHashMap<>(values));
  }

  /** Returns the bytes that a context record has after its clock; null if there are no fields. */
  static byte[] encode(Map<String, String> ofThread, String marker) {
    Fields fields = new Fields();
    if (marker != null) fields.add(MARKER, marker);
    for (Map.Entry<String, String> field : ofThread.entrySet()) fields.add(name(field.getKey()), field.getValue());
    return fields.count == 0 ? null : fields.encode();
  }

  private static final class Fields {
    private final byte[][] names = new byte[MOST_FIELDS][];
    private final byte[][] texts = new byte[MOST_FIELDS][];
    private int count;
    private int size = 1;

    /** Leaves out what there is no room for. */
    void add(String name, String value) {
      if (count == MOST_FIELDS) return;
      byte[] nameBytes = name.getBytes(StandardCharsets.UTF_8);
      byte[] text = String.valueOf(value).getBytes(StandardCharsets.UTF_8);
      int more = 2 + nameBytes.length + Integer.BYTES + text.length;
      if (nameBytes.length > MOST_NAME || size + more > MOST_BYTES) return;
      size += more;
      names[count] = nameBytes;
      texts[count++] = text;
    }

    byte[] encode() {
      ByteBuffer bytes = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
      bytes.put((byte) count);
      for (int i = 0; i < count; i++) bytes.put((byte) 'S');
      for (int i = 0; i < count; i++) bytes.put((byte) names[i].length);
      for (int i = 0; i < count; i++) bytes.put(names[i]);
      for (int i = 0; i < count; i++) bytes.putInt(texts[i].length);
      for (int i = 0; i < count; i++) bytes.put(texts[i]);
      return bytes.array();
    }
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
