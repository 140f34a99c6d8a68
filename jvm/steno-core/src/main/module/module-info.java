/** Staging of steno as the JVM writes it. What loads native code is here: {@code --enable-native-access=io.github.steno.core}. */
@SuppressWarnings({"requires-automatic", "module"})
module io.github.steno.core {
  requires jdk.unsupported;
  requires static jakarta.servlet;
  requires static javax.servlet.api;
  requires static org.apache.logging.log4j;
  requires static org.slf4j;

  exports io.github.steno;
}
