package io.github.steno.spark;

import java.io.Serializable;

/**
 * A file of a log, as the driver has found it.
 *
 * @param path where it is, for people; of a local file its path
 * @param size in bytes
 * @param changed when it was last, in ms since 1970
 * @param isLocal whether it is read as a file of this machine; else by Hadoop
 */
record LogFile(String path, long size, long changed, boolean isLocal) implements Serializable {}
