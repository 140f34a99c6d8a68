/**
 * The files of a session in shared memory (spec/ring.md §1 to §3, §6): their layout, locks and dictionary. It uses
 * {@code machine}.
 */
package io.github.steno.staging;
