package io.github.steno;

/**
 * What a woven call knows. A record, for the compiler takes only fields of records for constants.
 *
 * @param isPlain its arguments are all printed, so that none of them can be an exception to be set apart, unless it is one
 */
record WovenSite(Session session, Statement statement, int level, boolean isPlain) implements WovenStatement {
  @Override
  public String format() {
    return statement.format;
  }
}
