package io.github.steno.spark;

import java.io.Serializable;
import java.nio.file.Path;
import java.util.Objects;
import org.apache.hadoop.fs.PathHandle;

/**
 * A file of a log, as the driver has found it. It may grow and be renamed before it is read: it is read up to the size that it had.
 *
 * @param path where it was, for people; of a local file its path
 * @param size in bytes
 * @param changed when it was last, in ms since 1970; 0: it is not known
 * @param isLocal whether it is read as a file of this machine; else by Hadoop
 * @param mark of a local file, by which it is found again; null: it is read wherever its path leads
 * @param handle by which the filesystem finds it again; null: it cannot
 * @param isFinished whether all its programs have ended, so that nothing is added to it but by another one
 */
record LogFile(String path, long size, long changed, boolean isLocal, LocalFiles.Mark mark, PathHandle handle, boolean isFinished)
    implements Serializable {
  LogFile(String path, long size, long changed, boolean isLocal) {
    this(path, size, changed, isLocal, null, null, true);
  }

  LogFile finished() {
    return new LogFile(path, size, changed, isLocal, mark, handle, true);
  }

  /** Whether it was the same file when it was found at another time, and has not changed. */
  boolean isAsBefore(LogFile other) {
    return path.equals(other.path) && size == other.size && changed == other.changed && Objects.equals(mark, other.mark)
        && hasHandleOf(other);
  }

  /** Whether it is the same file as one that was found later, which may have grown. */
  boolean isStill(LogFile later) {
    if (!path.equals(later.path) || !hasHandleOf(later)) return false;
    return mark == null ? later.mark == null : mark.equals(LocalFiles.Mark.of(Path.of(path), size));
  }

  private boolean hasHandleOf(LogFile other) {
    return handle == null ? other.handle == null : other.handle != null && handle.bytes().equals(other.handle.bytes());
  }
}
