package io.github.steno.spark;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;

/** Lists of texts as Spark hands them to sources: in JSON, by the library that Spark has. */
final class JsonTexts {
  private static final ObjectMapper JSON = new ObjectMapper();

  static List<String> parse(String text) throws StenoException {
    try {
      return JSON.readValue(text, new TypeReference<List<String>>() {});
    } catch (JsonProcessingException e) {
      throw new StenoException("paths is a list of texts in JSON: " + e.getOriginalMessage());
    }
  }

  private JsonTexts() {}
}
