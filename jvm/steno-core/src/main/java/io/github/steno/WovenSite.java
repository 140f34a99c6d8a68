package io.github.steno;

/**
 * The constants of a woven call. It is a record because the compiler treats only fields of records as constants.
 *
 * @param isPlain true if the format prints all arguments, so none of them can be an exception to be set apart unless
 *     its type says so
 */
record WovenSite(Session session, Statement statement, int level, boolean isPlain) implements WovenStatement {
  @Override
  public String format() {
    return statement.format;
  }
}
