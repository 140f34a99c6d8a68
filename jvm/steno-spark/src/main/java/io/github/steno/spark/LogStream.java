package io.github.steno.spark;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream;
import org.apache.spark.sql.connector.read.streaming.Offset;

/** Logs that grow, are rotated, or join others. Files that have changed are read whole, and records that are known are left out. */
final class LogStream implements MicroBatchStream {
  /** A file as it was when it was looked at, with its last records and the number of its sessions. */
  private record Seen(LogFile file, Marks marks, int sessions) {}

  private final Request request;
  private final Question question;
  private final PartitionReaderFactory readers;
  private final Map<String, Seen> seen = new HashMap<>();

  LogStream(Request request, Question question, PartitionReaderFactory readers) {
    this.request = request;
    this.question = question;
    this.readers = readers;
  }

  @Override
  public Offset initialOffset() {
    return new StreamOffset(new Marks());
  }

  @Override
  public Offset latestOffset() {
    Marks latest = new Marks();
    for (Seen one : look()) latest.raise(one.marks());
    return new StreamOffset(latest);
  }

  @Override
  public Offset deserializeOffset(String json) {
    return StreamOffset.parse(json);
  }

  /** Looks at files that are new or have changed. */
  private List<Seen> look() {
    try {
      List<Seen> all = new ArrayList<>();
      for (LogFile file : request.findAgain()) {
        Seen known = seen.get(file.path());
        if (known == null || !known.file().isAsBefore(file)) seen.put(file.path(), known = look(file));
        all.add(known);
      }
      return all;
    } catch (StenoException e) {
      throw Thrown.unchecked(e);
    }
  }

  private Seen look(LogFile file) throws StenoException {
    Marks marks = new Marks();
    List<Log.Session> sessions;
    try (Log log = Log.openAlone(List.of(file), request.hadoop)) {
      sessions = log.sessions();
      if (!Statements.has(log, question)) return new Seen(file, marks, sessions.size());
      try (Batches batches = log.read(question.withColumns(StreamReader.KEY))) {
        NativeColumn[] key = NativeColumn.of(batches);
        while (batches.next()) {
          NativeColumn.show(batches, key);
          for (int row = 0; row < batches.rows(); ++row) {
            marks.raise(sessions.get((int) key[0].getLong(row)).id(), key[1].getLong(row), key[2].getLong(row));
          }
        }
      }
    }
    return new Seen(file, marks, sessions.size());
  }

  @Override
  public InputPartition[] planInputPartitions(Offset start, Offset end) {
    Marks from = ((StreamOffset) start).marks();
    Marks to = ((StreamOffset) end).marks();
    if (seen.isEmpty()) look();
    List<InputPartition> partitions = new ArrayList<>();
    Map<String, Long> firstSessions = new HashMap<>();
    long sessions = 0;
    for (Seen one : sorted()) {
      firstSessions.put(one.file().path(), sessions);
      sessions += one.sessions();
    }
    for (List<LogFile> files : together(from)) {
      long size = files.stream().mapToLong(LogFile::size).sum();
      for (LogPartition share : Groups.shares(request, files, size, firstSessions)) partitions.add(new StreamPartition(share, from, to));
    }
    return partitions.toArray(InputPartition[]::new);
  }

  /** Files that have something beyond, those with a session in common together. */
  private List<List<LogFile>> together(Marks from) {
    List<List<LogFile>> groups = new ArrayList<>();
    List<Marks> marks = new ArrayList<>();
    for (Seen one : sorted()) {
      if (!one.marks().isBeyond(from)) continue;
      List<LogFile> files = new ArrayList<>(List.of(one.file()));
      Marks all = new Marks();
      all.raise(one.marks());
      for (int i = groups.size() - 1; i >= 0; --i) {
        if (marks.get(i).all().keySet().stream().noneMatch(all.all()::containsKey)) continue;
        files.addAll(0, groups.remove(i));
        all.raise(marks.remove(i));
      }
      groups.add(files);
      marks.add(all);
    }
    return groups;
  }

  private List<Seen> sorted() {
    return seen.values().stream().sorted(Comparator.comparing(one -> one.file().path())).toList();
  }

  @Override
  public PartitionReaderFactory createReaderFactory() {
    return readers;
  }

  @Override
  public void commit(Offset end) {}

  @Override
  public void stop() {}
}
