package io.github.steno.spark;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Options.HandleOpt;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathHandle;

/** Finds the files of a log. */
final class Files {
  private static final int HOSTS = 3;
  private static final int ATTEMPTS = 5;

  /**
   * The files that paths name, each once: a file, a pattern, or a directory, whose {@code *.steno} are taken. Looks again where files
   * can be renamed meanwhile, so that none is missed or taken twice.
   */
  static List<LogFile> find(List<String> paths, Configuration hadoop) throws StenoException {
    List<LogFile> found = look(paths, hadoop);
    for (int i = 0; i < ATTEMPTS && found.stream().anyMatch(one -> one.mark() != null || one.handle() != null); ++i) {
      List<LogFile> again = look(paths, hadoop);
      if (areStill(found, again)) break;
      found = again;
    }
    return found;
  }

  private static boolean areStill(List<LogFile> found, List<LogFile> again) {
    return found.size() == again.size() && IntStream.range(0, found.size()).allMatch(i -> found.get(i).isStill(again.get(i)));
  }

  private static List<LogFile> look(List<String> paths, Configuration hadoop) throws StenoException {
    Map<String, LogFile> found = new LinkedHashMap<>();
    for (String text : paths) {
      try {
        Path path = new Path(text);
        FileSystem filesystem = path.getFileSystem(hadoop);
        Stream<FileStatus> files = Arrays.stream(of(filesystem, path)).sorted(Comparator.comparing(FileStatus::getPath));
        files.map(one -> fileOf(filesystem, one)).forEach(one -> found.putIfAbsent(one.path(), one));
      } catch (FileNotFoundException e) {
        throw new StenoException(text + ": no such file");
      } catch (IOException | IllegalArgumentException e) {
        throw new StenoException(text + ": " + e.getMessage());
      }
    }
    return new ArrayList<>(found.values());
  }

  private static FileStatus[] of(FileSystem filesystem, Path path) throws IOException {
    if (filesystem.exists(path)) {
      FileStatus status = filesystem.getFileStatus(path);
      if (!status.isDirectory()) return new FileStatus[] {status};
      return atLeastOne(filesystem.listStatus(path, one -> one.getName().endsWith(".steno")), path);
    }
    if (!path.toString().matches(".*[*?\\[{].*")) throw new FileNotFoundException();
    return atLeastOne(filesystem.globStatus(path), path);
  }

  private static FileStatus[] atLeastOne(FileStatus[] all, Path path) throws IOException {
    FileStatus[] files = all == null ? new FileStatus[0] : Arrays.stream(all).filter(FileStatus::isFile).toArray(FileStatus[]::new);
    if (files.length == 0) throw new IOException("no such log");
    return files;
  }

  private static LogFile fileOf(FileSystem filesystem, FileStatus status) {
    boolean isLocal = "file".equals(status.getPath().toUri().getScheme());
    String path = isLocal ? status.getPath().toUri().getPath() : status.getPath().toString();
    LocalFiles.Mark mark = isLocal ? LocalFiles.Mark.of(java.nio.file.Path.of(path), status.getLen()) : null;
    PathHandle handle = isLocal ? null : handle(filesystem, status);
    return new LogFile(path, status.getLen(), status.getModificationTime(), isLocal, LogFile.tag(status), mark, handle, false);
  }

  /** Finds a file that has grown or been renamed. Null: the filesystem has none. */
  private static PathHandle handle(FileSystem filesystem, FileStatus status) {
    try {
      return filesystem.getPathHandle(status, HandleOpt.changed(true), HandleOpt.moved(true));
    } catch (UnsupportedOperationException | IllegalArgumentException e) {
      return null;
    }
  }

  /** The hosts that have bytes of some files, those with most first; none of local files. */
  static List<String> hosts(List<LogFile> files, Configuration hadoop) {
    Map<String, Long> bytes = new HashMap<>();
    for (LogFile file : files) {
      if (file.isLocal()) continue;
      try {
        Path path = new Path(file.path());
        for (BlockLocation block : path.getFileSystem(hadoop).getFileBlockLocations(path, 0, file.size())) {
          for (String host : block.getHosts()) bytes.merge(host, block.getLength(), Long::sum);
        }
      } catch (IOException e) {
        return List.of();  // it is a hint only
      }
    }
    Stream<Map.Entry<String, Long>> most = bytes.entrySet().stream().sorted(Map.Entry.<String, Long>comparingByValue().reversed());
    return most.map(Map.Entry::getKey).filter(host -> !host.equals("localhost")).limit(HOSTS).toList();
  }

  private Files() {}
}
