/**
 * Scribes that a session starts, in this process or beside it. It uses {@code staging} and {@code machine}.
 */
package io.github.steno.scribe;
