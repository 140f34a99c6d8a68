/** The provider of Log4j 2, whose API makes objects of classes that it names. */
module io.github.steno.log4j {
  requires io.github.steno.core;
  requires org.apache.logging.log4j;

  provides org.apache.logging.log4j.spi.Provider with io.github.steno.log4j.StenoProvider;

  exports io.github.steno.log4j to org.apache.logging.log4j;
}
