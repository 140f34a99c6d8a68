package io.github.steno.slf4j;

import io.github.steno.Context;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.helpers.ThreadLocalMapOfStacks;
import org.slf4j.spi.MDCAdapter;

/**
 * The MDC of SLF4J: its values are in the log with all records of the thread, until they are removed. Threads do not inherit
 * it. The first call after a change costs some hundred nanoseconds more; others cost the same as without an MDC.
 */
final class StenoMdcAdapter implements MDCAdapter {
  private final ThreadLocal<Map<String, String>> values = new ThreadLocal<>();
  private final ThreadLocalMapOfStacks stacks = new ThreadLocalMapOfStacks();

  @Override
  public void put(String key, String value) {
    if (key == null) throw new IllegalArgumentException("key cannot be null");
    values().put(key, value);
    contextChanged();
  }

  @Override
  public String get(String key) {
    return values().get(key);
  }

  @Override
  public void remove(String key) {
    values().remove(key);
    contextChanged();
  }

  @Override
  public void clear() {
    values().clear();
    contextChanged();
  }

  @Override
  public Map<String, String> getCopyOfContextMap() {
    return new LinkedHashMap<>(values());
  }

  @Override
  public void setContextMap(Map<String, String> map) {
    values.set(map == null ? new LinkedHashMap<>() : new LinkedHashMap<>(map));
    contextChanged();
  }

  @Override
  public void pushByKey(String key, String value) {
    stacks.pushByKey(key, value);
  }

  @Override
  public String popByKey(String key) {
    return stacks.popByKey(key);
  }

  @Override
  public Deque<String> getCopyOfDequeByKey(String key) {
    return stacks.getCopyOfDequeByKey(key);
  }

  @Override
  public void clearDequeByKey(String key) {
    stacks.clearDequeByKey(key);
  }

  private Map<String, String> values() {
    Map<String, String> known = values.get();
    if (known == null) values.set(known = new LinkedHashMap<>());
    return known;
  }

  private void contextChanged() {
    Context.set(values());
  }
}
