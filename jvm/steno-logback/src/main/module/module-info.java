/** The appender of Logback. */
module io.github.steno.logback {
  requires io.github.steno.core;
  requires org.slf4j;
  requires transitive ch.qos.logback.classic;
  requires transitive ch.qos.logback.core;

  exports io.github.steno.logback;
}
