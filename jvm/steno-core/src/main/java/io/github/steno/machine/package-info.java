/**
 * The machine, the JVM and its threads, as far as releases of the JDK differ in them. It uses no other package of steno.
 */
package io.github.steno.machine;
