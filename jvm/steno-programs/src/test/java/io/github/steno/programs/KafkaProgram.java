package io.github.steno.programs;

import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.StringSerializer;

/** Makes producers that nobody answers, and closes them. */
final class KafkaProgram {
  private static final int PRODUCERS = 5;

  public static void main(String[] arguments) {
    for (int i = 0; i < PRODUCERS; i++) {
      Map<String, Object> options = Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, "127.0.0.1:1", ProducerConfig.CLIENT_ID_CONFIG,
          "client " + i, ProducerConfig.RECONNECT_BACKOFF_MS_CONFIG, 600_000L, ProducerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, 600_000L);
      new KafkaProducer<>(options, new StringSerializer(), new StringSerializer()).close(Duration.ZERO);
    }
  }

  private KafkaProgram() {}
}
