/**
 * Rings as their producers write them (spec/ring.md §4). It uses {@code staging}, {@code machine}, and the numbers of {@link
 * io.github.steno.Levels}.
 */
package io.github.steno.ring;
