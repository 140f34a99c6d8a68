package io.github.steno.calls;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Predicate;

/** A method of a logger, chosen at random, with arguments of the types that it takes. */
record RandomCall(Method method, Object[] arguments) {
  /** Returns the methods of an interface in an order that is the same everywhere. */
  static List<Method> methods(Class<?> type, Predicate<Method> wanted) {
    List<Method> found = new ArrayList<>(Arrays.stream(type.getMethods()).filter(wanted).toList());
    found.sort(Comparator.comparing(Method::toGenericString));
    return found;
  }

  /** @param special makes an argument of a type that is this interface's own; null: it is to be one of all */
  static RandomCall of(List<Method> methods, RandomValues values, BiFunction<Method, Class<?>, Object> special) {
    Method method = methods.get(values.below(methods.size()));
    Class<?>[] types = method.getParameterTypes();
    Object[] arguments = new Object[types.length];
    for (int i = 0; i < types.length; i++) {
      Object made = special.apply(method, types[i]);
      if (made != null) {
        arguments[i] = made;
      } else if (types[i] == String.class) {
        arguments[i] = values.below(40) == 0 ? null : values.format();
      } else if (types[i] == Object[].class) {
        arguments[i] = values.values();
      } else if (types[i] == Throwable.class) {
        arguments[i] = values.thrownOrNull();
      } else if (types[i] == Object.class) {
        arguments[i] = values.value();
      } else if (types[i] == CharSequence.class) {
        arguments[i] = new RandomValues.Characters(values.format());
      }
    }
    return new RandomCall(method, arguments);
  }

  void make(Object logger) {
    Comparison.call(logger, method, arguments);
  }
}
