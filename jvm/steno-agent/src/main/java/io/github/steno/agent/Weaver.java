package io.github.steno.agent;

import java.lang.instrument.ClassFileTransformer;
import java.security.ProtectionDomain;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import org.objectweb.asm.ClassReader;

/**
 * Weaves classes as they are loaded. One that calls no logger, that it does not understand, or that could not find {@link
 * CallSites}, stays what it is. Hidden classes are not shown to agents.
 *
 * <p>Thread safety: any thread.
 */
final class Weaver implements ClassFileTransformer {
  private static final int CONSTANT_CLASS = 7;

  /** By class loader: true if its classes find our {@link CallSites}. */
  private final Map<ClassLoader, Boolean> reaches = Collections.synchronizedMap(new WeakHashMap<>());

  @Override
  public byte[] transform(ClassLoader loader, String name, Class<?> redefined, ProtectionDomain domain, byte[] code) {
    try {
      if (loader == null || name == null || LoggerCalls.isOfAnInterface(name)) return null;
      ClassReader reader = new ClassReader(code);
      return namesLogger(reader) && reaches(loader) ? ClassWeaver.weave(reader) : null;
    } catch (RuntimeException | StackOverflowError e) {
      return null;  // of a version that is not known yet, or not what a compiler makes
    }
  }

  private static boolean namesLogger(ClassReader reader) {
    char[] buffer = new char[reader.getMaxStringLength()];
    for (int i = 1; i < reader.getItemCount(); i++) {
      int at = reader.getItem(i);  // after the tag; 0: the second half of a long
      if (at != 0 && reader.readByte(at - 1) == CONSTANT_CLASS && LoggerCalls.isLogger(reader.readUTF8(at, buffer))) {
        return true;
      }
    }
    return false;
  }

  private boolean reaches(ClassLoader loader) {
    Boolean known = reaches.get(loader);
    if (known != null) return known;
    boolean found;
    try {
      found = Class.forName(CallSites.class.getName(), false, loader) == CallSites.class;
    } catch (ClassNotFoundException | LinkageError e) {
      found = false;
    }
    reaches.put(loader, found);
    return found;
  }
}
