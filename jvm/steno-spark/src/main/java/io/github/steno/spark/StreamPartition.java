package io.github.steno.spark;

import org.apache.spark.sql.connector.read.InputPartition;

/** A share of some files, of which only the records after {@code from} and up to {@code to} are wanted. */
record StreamPartition(LogPartition of, Marks from, Marks to) implements InputPartition {}
