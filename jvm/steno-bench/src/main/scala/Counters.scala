package io.github.steno.bench

import com.lmax.disruptor.dsl.Disruptor
import com.lmax.disruptor.util.DaemonThreadFactory
import com.typesafe.scalalogging.StrictLogging
import java.util.function.IntToLongFunction
import org.slf4j.{Logger, LoggerFactory}

/** Logs as users of scala-logging do, whatever is behind it. */
class Counter extends IntToLongFunction with StrictLogging {
  private var counter = 0L

  override def applyAsLong(operationsACall: Int): Long = {
    counter += 1
    if (counter % operationsACall == 0) logger.info(s"counter $counter")
    counter
  }
}

/** Makes the text that would be logged, and keeps it: what is left for a logger to cost. */
class TextCounter extends IntToLongFunction {
  private var counter = 0L
  @volatile private var text: String = _

  override def applyAsLong(operationsACall: Int): Long = {
    counter += 1
    if (counter % operationsACall == 0) text = s"counter $counter"
    counter
  }
}

/** Hands what is to be logged to another thread, which finds the logger and calls that. */
object Proxy {
  private val slots = 65536

  final class Event {
    var name: String = _
    var message: String = _
    var cause: Throwable = _
  }

  private val disruptor = new Disruptor[Event](() => new Event, slots, DaemonThreadFactory.INSTANCE)
  disruptor.handleEventsWith((event: Event, _: Long, _: Boolean) =>
    LoggerFactory.getLogger(event.name).info(event.message, event.cause))
  private val ring = disruptor.start()

  def info(name: String, message: => String, cause: Throwable): Unit = {
    val text = message
    val at = ring.next()
    val event = ring.get(at)
    event.name = name
    event.message = text
    event.cause = cause
    ring.publish(at)
  }
}

/** A counter whose calls go through that thread. */
class ProxiedCounter extends IntToLongFunction {
  private val name = classOf[ProxiedCounter].getName
  private val logger: Logger = LoggerFactory.getLogger(name)
  private var counter = 0L

  override def applyAsLong(operationsACall: Int): Long = {
    counter += 1
    if (counter % operationsACall == 0 && logger.isInfoEnabled) Proxy.info(name, s"counter $counter", null)
    counter
  }
}
