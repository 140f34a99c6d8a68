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
  private static final class Group {
    final List<LogFile> files = new ArrayList<>();
    long size;

    void add(LogFile file) {
      files.add(file);
      size += file.size();
    }
  }

  /**
   * Names whose meaning depends on the files that are open: a time of day is that of their last day, and the others are arguments if any
   * of their statements has one of that name.
   */
  private static final Pattern OF_ALL_FILES = Pattern.compile("\\b(time|host|pid|program|sequence)\\b");

  private final Request request;
  private final Question question;
  private final StructType schema;
  private final Map<String, Long> firstSessions = new HashMap<>();
  private final List<Group> groups = new ArrayList<>();
  private final Map<Long, Group> ofSession = new HashMap<>();

  private Groups(Request request, Question question, StructType schema, List<Log.Session> sessions) {
    this.request = request;
    this.question = question;
    this.schema = schema;
    for (int i = 0; i < sessions.size(); ++i) firstSessions.putIfAbsent(sessions.get(i).path(), (long) i);
  }

  /** {@code schema}, {@code sessions}: what the question and the log have of all files. */
  static LogPartition[] of(Request request, Question question, StructType schema, List<Log.Session> sessions) throws StenoException {
    Groups groups = new Groups(request, question, schema, sessions);
    if (!groups.divide()) groups.takeTogether();
    return groups.partitions();
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
    Group group = known.isEmpty() ? groupFor(file.size()) : groups.get(known.first());
    group.add(file);
    for (Log.Session session : sessions) ofSession.put(session.id(), group);
    return true;
  }

  private Group groupFor(long size) {
    if (!groups.isEmpty()) {
      Group last = groups.get(groups.size() - 1);
      if (last.size + size <= request.options.partitionBytes) return last;
    }
    groups.add(new Group());
    return groups.get(groups.size() - 1);
  }

  private void takeTogether() {
    groups.clear();
    Group all = new Group();
    for (LogFile file : request.files) all.add(file);
    groups.add(all);
  }

  /**
   * Makes as many shares of some files as their size asks for.
   *
   * @param firstSessions by path; of files without a session there is none
   */
  static List<LogPartition> shares(Request request, List<LogFile> files, Map<String, Long> firstSessions) {
    long size = files.stream().mapToLong(LogFile::size).sum();
    int parts = (int) Math.max(1, (size + request.options.partitionBytes - 1) / request.options.partitionBytes);
    List<String> hosts = Files.hosts(files, request.hadoop);
    List<Long> sessions = files.stream().map(file -> firstSessions.getOrDefault(file.path(), 0L)).toList();
    return IntStream.range(0, parts).mapToObj(part -> new LogPartition(files, part, parts, sessions, hosts)).toList();
  }

  private LogPartition[] partitions() {
    List<LogPartition> partitions = new ArrayList<>();
    for (Group group : groups) {
      partitions.addAll(shares(request, List.copyOf(group.files), firstSessions));
    }
    return partitions.toArray(LogPartition[]::new);
  }
}
