package io.github.steno.spark;

import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/** Finds files of this machine again, which may have grown or been renamed since the driver found them. */
final class LocalFiles {
  private static final int BYTES = 4096;
  private static final int NAME_BYTES = 64;

  /**
   * A mark holds what a file has at its beginning, and before the end that it had: what is written there stays (spec/file.md §1).
   *
   * @param name a sum of its first 64 bytes, in which the id of its first session is: another file has others
   * @param begin a sum of its first bytes
   * @param size of how many bytes the sums are
   * @param size the number of bytes that the sums are of
   */
  record Mark(int name, int begin, long size, int end) implements Serializable {
    /** Marks a file that is at least so long; null: it is not, or cannot be read. */
    static Mark of(Path path, long size) {
      try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ)) {
        if (file.size() < size) return null;
        int name = sum(file, 0, Math.min(NAME_BYTES, size));
        return new Mark(name, sum(file, 0, size), size, sum(file, Math.max(0, size - BYTES), size));
      } catch (IOException e) {
        return null;
      }
    }

    private static int sum(FileChannel file, long from, long to) throws IOException {
      ByteBuffer bytes = ByteBuffer.allocate((int) Math.min(BYTES, to - from));
      while (bytes.hasRemaining() && file.read(bytes, from + bytes.position()) > 0) {}
      CRC32C sum = new CRC32C();
      sum.update(bytes.flip());
      return (int) sum.getValue();
    }

    /**
     * Returns whether a file with this mark may have grown into the other's, or the reverse. False if one has fewer
     * bytes than a session's id needs, because it is not known then.
     */
    boolean isOfTheSameBeginning(Mark other) {
      long shorter = Math.min(size, other.size);
      return shorter >= NAME_BYTES && name == other.name && (shorter < BYTES || begin == other.begin);
    }
  }

  /**
   * Returns whether files are unchanged since they were found, and stay so except for what other programs append. The
   * files are at these paths now.
   */
  static boolean areFinished(List<LogFile> files, List<String> paths) {
    for (int i = 0; i < files.size(); ++i) {
      if (!files.get(i).isFinished() || Path.of(paths.get(i)).toFile().length() != files.get(i).size()) return false;
    }
    return true;
  }

  /** Returns the present paths of some files. Throws if one has gone, or another has its name. */
  static List<String> find(List<LogFile> files) throws StenoException {
    List<String> paths = new ArrayList<>();
    for (LogFile file : files) paths.add(file.isLocal() && file.mark() != null ? find(file) : file.path());
    return paths;
  }

  private static String find(LogFile file) throws StenoException {
    Path path = Path.of(file.path());
    if (file.mark().equals(Mark.of(path, file.size()))) return file.path();
    try (var beside = Files.list(path.toAbsolutePath().getParent())) {
      for (Path one : (Iterable<Path>) beside.sorted()::iterator) {
        if (Files.isRegularFile(one) && file.mark().equals(Mark.of(one, file.size()))) return one.toString();
      }
      if (isCutShort(file, path)) return file.path();
    } catch (IOException | UncheckedIOException e) {
      throw new StenoException(file.path() + ": " + e);
    }
    throw new StenoException(file.path() + (Files.exists(path) ? ": is another file than the one that the query was planned for"
        : ": no such file; it was there when the query was planned"));
  }

  /** Returns whether the file has become shorter. The rest of it is read, if the query allows losses. */
  private static boolean isCutShort(LogFile file, Path path) throws IOException {
    if (!Files.isRegularFile(path) || Files.size(path) >= file.size()) return false;
    Mark left = Mark.of(path, Files.size(path));
    return left != null && left.isOfTheSameBeginning(file.mark());
  }

  private LocalFiles() {}
}
