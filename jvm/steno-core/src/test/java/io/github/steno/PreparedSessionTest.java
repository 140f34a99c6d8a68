package io.github.steno;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/** Runs the tests as in a process that has run for a while. From JDK 22 on, records are written in another way then. */
@EnabledForJreRange(min = JRE.JAVA_22)
class PreparedSessionTest extends SessionTest {
  @BeforeAll
  static void prepare() {
    prepareMemory();
  }
}
