package io.github.steno.machine;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * An object of ours for each thread, which threads let go of when they are told. What a {@link ThreadLocal} has is kept by its
 * thread, and keeps its own class and the class's loader: so the thread has a box of a class of the JDK, which is emptied. Any
 * thread.
 */
public final class HeldByThreads<T> {
  private static final int SWEEP = 1024;

  private final ThreadLocal<Object[]> boxes = new ThreadLocal<>();
  private final Supplier<T> maker;
  /** Null once the threads were told to let go. Guarded by this. */
  private List<WeakReference<Object[]>> all = new ArrayList<>();
  private int sweepAt = SWEEP;

  public HeldByThreads(Supplier<T> maker) {
    this.maker = maker;
  }

  /** Returns the same object each time, until all are told to let go; then a new one each time. */
  public T ofThread() {
    Object[] box = boxes.get();
    @SuppressWarnings("unchecked")
    T known = box == null ? null : (T) box[0];
    return known != null ? known : make();
  }

  private synchronized T make() {
    T made = maker.get();
    if (all == null) return made;
    Object[] box = {made};
    boxes.set(box);
    all.add(new WeakReference<>(box));
    if (all.size() >= sweepAt) {
      all.removeIf(reference -> reference.get() == null);
      sweepAt = 2 * all.size() + SWEEP;
    }
    return made;
  }

  public synchronized void forgetAll() {
    if (all == null) return;
    for (WeakReference<Object[]> reference : all) {
      Object[] box = reference.get();
      if (box != null) box[0] = null;
    }
    all = null;
  }
}
