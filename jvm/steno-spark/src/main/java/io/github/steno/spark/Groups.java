package io.github.steno.spark;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.apache.spark.sql.types.StructType;

/**
 * Distributes the files of a log to tasks. Files that have a session in common are opened together: a record that two of them have is
 * one record. All files are, where one alone would be read otherwise.
 */
final class Groups {
  /** Files of this size are opened by their index, if they are finished; smaller ones may be read whole. */
  private static final long INDEXED_FROM = 64 << 20;

  /** Each file counts this at least, for opening it. */
  private static final long LEAST_BYTES = 1 << 20;

  private static final class Group {
    final List<LogFile> files = new ArrayList<>();
    long bytes;  // that are to be read
  }

  /**
   * Names whose meaning depends on the files that are open: a time of day is that of their last day, and the others are arguments if any
   * of their statements has one of that name.
   */
  private static final Pattern OF_ALL_FILES = Pattern.compile("\\b(time|host|pid|program|sequence)\\b");

  private final Request request;
  private final Question question;
  private final boolean areGroups;
  private final StructType schema;
  private final Map<String, Long> firstSessions = new HashMap<>();
  private final List<Group> groups = new ArrayList<>();
  private final Map<Long, Group> ofSession = new HashMap<>();

  private Groups(Request request, Question question, boolean areGroups, StructType schema, List<Log.Session> sessions) {
    this.request = request;
    this.question = question;
    this.areGroups = areGroups;
    this.schema = schema;
    for (int i = 0; i < sessions.size(); ++i) firstSessions.putIfAbsent(sessions.get(i).path(), (long) i);
  }

  /**
   * @param areGroups tasks compute groups, and do not hand on the rows of blocks that need not be opened
   * @param schema of all files
   * @param sessions of all files
   * @param bytes that the question reads of all files
   */
  static LogPartition[] of(Request request, Question question, boolean areGroups, StructType schema, List<Log.Session> sessions, long bytes)
      throws StenoException {
    Groups groups = new Groups(request, question, areGroups, schema, sessions);
    boolean areIndexed = request.files.stream().allMatch(file -> file.size() >= INDEXED_FROM) && areFinished(sessions);
    if (!groups.divide()) groups.takeTogether(areIndexed ? bytes : request.size());
    return groups.partitions();
  }

  private static boolean areFinished(List<Log.Session> sessions) {
    return sessions.stream().allMatch(Log.Session::hasEnded);
  }

  /** Returns false if not each file can be read alone. */
  private boolean divide() throws StenoException {
    if (request.files.size() == 1 || OF_ALL_FILES.matcher(request.options.where).find()) return false;
    for (LogFile file : request.files) {
      try (Log log = Log.open(List.of(file), request.hadoop)) {
        if (!Statements.has(log, question)) continue;
        if (!readsAlike(log) || !add(file, log)) return false;
      }
    }
    return true;
  }

  private boolean readsAlike(Log log) throws StenoException {
    try (Batches batches = log.read(question)) {
      return Types.of(batches.columns()).equals(schema);
    } catch (StenoException e) {
      if (e.isOfTheQuestion()) return false;  // it has no argument of that name, or no such logger
      throw e;
    }
  }

  private boolean add(LogFile file, Log log) throws StenoException {
    List<Log.Session> sessions = log.sessions();
    TreeSet<Integer> known = new TreeSet<>();
    for (Log.Session session : sessions) {
      if (ofSession.containsKey(session.id())) known.add(groups.indexOf(ofSession.get(session.id())));
    }
    if (known.size() > 1) return false;
    boolean isIndexed = file.size() >= INDEXED_FROM && areFinished(sessions);
    long bytes = isIndexed ? Math.max(log.bytes(question, areGroups), LEAST_BYTES) : file.size();
    Group group = known.isEmpty() ? groupFor(bytes) : groups.get(known.first());
    group.files.add(file);
    group.bytes += bytes;
    for (Log.Session session : sessions) ofSession.put(session.id(), group);
    return true;
  }

  private Group groupFor(long bytes) {
    if (!groups.isEmpty()) {
      Group last = groups.get(groups.size() - 1);
      if (last.bytes + bytes <= request.options.partitionBytes) return last;
    }
    groups.add(new Group());
    return groups.get(groups.size() - 1);
  }

  private void takeTogether(long bytes) {
    groups.clear();
    Group all = new Group();
    all.files.addAll(request.files);
    all.bytes = bytes;
    groups.add(all);
  }

  /**
   * Makes as many shares of some files as the bytes that are to be read of them ask for.
   *
   * @param firstSessions by path; of files without a session there is none
   */
  static List<LogPartition> shares(Request request, List<LogFile> files, long bytes, Map<String, Long> firstSessions) {
    int parts = (int) Math.max(1, (bytes + request.options.partitionBytes - 1) / request.options.partitionBytes);
    List<String> hosts = Files.hosts(files, request.hadoop);
    List<Long> sessions = files.stream().map(file -> firstSessions.getOrDefault(file.path(), 0L)).toList();
    return IntStream.range(0, parts).mapToObj(part -> new LogPartition(files, part, parts, sessions, hosts)).toList();
  }

  private LogPartition[] partitions() {
    List<LogPartition> partitions = new ArrayList<>();
    for (Group group : groups) {
      partitions.addAll(shares(request, List.copyOf(group.files), group.bytes, firstSessions));
    }
    return partitions.toArray(LogPartition[]::new);
  }
}
