package io.github.steno.jul;

import io.github.steno.Channel;
import java.util.ResourceBundle;

/** The common part of a handler and a {@code System.Logger}: a message, perhaps of a bundle, and arguments. */
final class Messages {
  private static final Object[] NO_ARGUMENTS = {};

  /** @param arguments null: none */
  static void log(Channel channel, int level, String boundary, ResourceBundle bundle, String message, Object[] arguments,
      Throwable thrown) {
    String format = localized(bundle, message);
    if (format == null || arguments == null || arguments.length == 0 || !MessageFormatSyntax.hasNumberedField(format)) {
      channel.log(level, boundary, format, NO_ARGUMENTS, 0, thrown);
      return;
    }
    if (MessageFormatSyntax.isPlain(format, arguments.length)) {
      Object[] texts = new Object[arguments.length];
      for (int i = 0; i < texts.length; i++) {
        texts[i] = arguments[i] instanceof String ? arguments[i] : MessageFormatSyntax.INSTANCE.render(arguments[i]);
      }
      channel.log(level, boundary, format, texts, texts.length, thrown);
      return;
    }
    channel.logText(level, boundary, null, format, MessageFormatSyntax.INSTANCE.format(format, arguments), thrown);
  }

  private static String localized(ResourceBundle bundle, String message) {
    if (bundle == null || message == null) return message;
    try {
      return bundle.getString(message);
    } catch (Throwable e) {
      return message;  // there is none, or the bundle is the program's
    }
  }

  private Messages() {}
}
