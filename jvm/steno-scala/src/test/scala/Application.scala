package com.acme

import com.sun.management.ThreadMXBean
import com.typesafe.scalalogging.{LazyLogging, StrictLogging}
import java.lang.management.ManagementFactory

/** An application as users write it: nothing here knows of steno. */
object Application extends StrictLogging {
  def main(arguments: Array[String]): Unit = {
    val count = 42
    val name = "text"
    logger.info(s"interpolated $count of $name")
    logger.info("format {} of {} for {}", 1, 2L, "acme")
    logger.debug(s"not enabled ${sys.error("not evaluated")}")
    logger.error("thrown", new IllegalStateException("why"))
    new Part().work()
  }
}

class Part extends LazyLogging {
  def work(): Unit = for (i <- 1 to 3) logger.warn(s"lazy $i")
}

object Busy extends StrictLogging {
  private val calls = 20000

  private def log(i: Int, name: String): Unit = {
    logger.info(s"interpolated $i of $name")
    logger.info("format {} of {} for {}", i, if (i % 2 == 0) i * 2L else 5L, if (i > 5) name else "acme")
  }

  /** Prints how many bytes two calls take. */
  def main(arguments: Array[String]): Unit = {
    val threads = ManagementFactory.getThreadMXBean.asInstanceOf[ThreadMXBean]
    val id = Thread.currentThread.getId
    for (i <- 1 to calls) log(i, "text")
    val before = threads.getThreadAllocatedBytes(id)
    var i = 0
    while (i < calls) {
      log(i, "text")
      i += 1
    }
    println("allocated: " + (threads.getThreadAllocatedBytes(id) - before) / calls)
  }
}
