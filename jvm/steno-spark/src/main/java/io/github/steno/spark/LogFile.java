package io.github.steno.spark;

import java.io.Serializable;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.apache.hadoop.fs.EtagSource;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.PathHandle;

/**
 * A file of a log, as the driver has found it. It may grow and be renamed before it is read: it is read up to the size that it had.
 *
 * @param path where it was, for people; of a local file its path
 * @param size in bytes
 * @param changed when it was last, in ms since 1970; 0: it is not known
 * @param isLocal whether it is read as a file of this machine; else by Hadoop
 * @param tag of an object, by which its store tells it from another in its place; null: it has none
 * @param mark of a local file, by which it is found again; null: it is read wherever its path leads
 * @param handle by which the filesystem finds it again; null: it cannot
 * @param isFinished whether all its programs have ended, so that nothing is added to it but by another one
 */
record LogFile(String path, long size, long changed, boolean isLocal, String tag, LocalFiles.Mark mark, PathHandle handle,
    boolean isFinished) implements Serializable {
  LogFile(String path, long size, long changed, boolean isLocal) {
    this(path, size, changed, isLocal, null, null, null, true);
  }

  LogFile finished() {
    return new LogFile(path, size, changed, isLocal, tag, mark, handle, true);
  }

  /** Returns whether the file is the same as when it was found another time, and has not changed. */
  boolean isAsBefore(LogFile other) {
    return path.equals(other.path) && size == other.size && changed == other.changed && Objects.equals(tag, other.tag)
        && Objects.equals(mark, other.mark) && hasHandleOf(other);
  }

  /** Returns what tells it from all other files and from other versions of it. */
  List<Object> identity() {
    return Arrays.asList(path, size, changed, isLocal, tag, mark, handle == null ? null : handle.bytes());
  }

  /** Returns whether it is the same file as one that was found later and may have grown. */
  boolean isStill(LogFile later) {
    if (!path.equals(later.path) || !hasHandleOf(later)) return false;
    return mark == null ? later.mark == null : mark.equals(LocalFiles.Mark.of(Path.of(path), size));
  }

  /** Returns the ETag that the store of a file has for it; null: it has none. */
  static String tag(FileStatus status) {
    String tag = status instanceof EtagSource store ? store.getEtag() : null;
    return tag == null || tag.isEmpty() ? null : tag;
  }

  /**
   * Returns whether a file at the same path still has this one's bytes. It may have become longer, if the store has no
   * versions.
   */
  boolean isBeginningOf(FileStatus now) {
    String other = tag(now);
    if (tag != null && other != null) return tag.equals(other);
    return now.getLen() > size || now.getLen() == size && (changed == 0 || now.getModificationTime() == changed);
  }

  private boolean hasHandleOf(LogFile other) {
    return handle == null ? other.handle == null : other.handle != null && handle.bytes().equals(other.handle.bytes());
  }
}
