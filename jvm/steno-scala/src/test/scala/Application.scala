package com.acme

import com.typesafe.scalalogging.{LazyLogging, StrictLogging}

/** As its users write it: nothing here knows of steno. */
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
