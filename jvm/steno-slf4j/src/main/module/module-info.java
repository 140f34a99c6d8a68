/** The provider of SLF4J 2. */
module io.github.steno.slf4j {
  requires io.github.steno.core;
  requires org.slf4j;

  provides org.slf4j.spi.SLF4JServiceProvider with io.github.steno.slf4j.StenoServiceProvider;
}
