package io.github.steno.spark;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.sql.connector.read.streaming.Offset;

/**
 * The offset of a stream: the number of the last record of each session and ring. Such numbers name a record wherever
 * it lies, so that files may be renamed, rotated and copied meanwhile.
 */
final class StreamOffset extends Offset {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Marks marks;

  StreamOffset(Marks marks) {
    this.marks = marks;
  }

  Marks marks() {
    return marks;
  }

  /** Sessions by their ids in hexadecimal, each an object of rings and numbers. */
  @Override
  public String json() {
    Map<String, Map<Long, Long>> texts = new TreeMap<>();
    marks.all().forEach((session, rings) -> texts.put(String.format("%016x", session), rings));
    try {
      return JSON.writeValueAsString(texts);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  static StreamOffset parse(String json) {
    try {
      Marks marks = new Marks();
      JSON.readValue(json, new TypeReference<Map<String, Map<Long, Long>>>() {})
          .forEach((session, rings) -> rings.forEach((ring, last) -> marks.raise(Long.parseUnsignedLong(session, 16), ring, last)));
      return new StreamOffset(marks);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("an offset of steno in the checkpoint: " + e.getOriginalMessage(), e);
    }
  }
}
