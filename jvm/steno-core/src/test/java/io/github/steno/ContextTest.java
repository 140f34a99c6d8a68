package io.github.steno;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ContextTest {
  @Test
  void keysThatAreNoNamesHaveNamesOfTheirOwn() {
    assertEquals("request", Context.name("request"));
    assertEquals("empty", Context.name("empty"));
    assertEquals("mdc.request", Context.name("mdc.request"));
    assertEquals("mdc.marker", Context.name("marker"));
    assertEquals("mdc.empty", Context.name(""));
    assertEquals("mdc.null", Context.name(null));
  }

  @Test
  void noTwoKeysHaveOneName() {
    List<String> parts = List.of("mdc.", "marker", "empty", "null", "x", "");
    List<String> keys = new ArrayList<>();
    keys.add(null);
    for (String a : parts) {
      for (String b : parts) {
        for (String c : parts) keys.add(a + b + c);
      }
    }
    Map<String, String> keyOf = new HashMap<>();
    for (String key : keys) {
      String name = Context.name(key);
      assertNotEquals("marker", name);
      assertNotEquals("", name);
      String other = keyOf.put(name, "=" + key);
      if (other != null) assertEquals(other, "=" + key, name);
    }
  }
}
