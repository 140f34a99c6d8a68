/** The handler of {@code java.util.logging} and the finder of {@code System.Logger}. */
module io.github.steno.jul {
  requires io.github.steno.core;
  requires transitive java.logging;

  provides System.LoggerFinder with io.github.steno.jul.StenoLoggerFinder;

  exports io.github.steno.jul;
}
