package com.acme

import io.github.oshai.kotlinlogging.KotlinLogging
import org.slf4j.LoggerFactory

private val logger = KotlinLogging.logger {}
private val plain = LoggerFactory.getLogger("com.acme.Plain")

class Part {
    companion object {
        private val logger = KotlinLogging.logger {}
    }

    fun run(number: Int) {
        logger.warn { "lazy $number" }
    }
}

fun main() {
    plain.info("format {} of {} for {}", 1, 2L, "acme")
    plain.info("none")
    plain.atWarn().addKeyValue("user", "eve").log("fluent {}", 2.5)
    logger.info { "interpolated ${6 * 7}" }
    logger.debug { throw AssertionError("not enabled") }
    logger.error(IllegalStateException("why")) { "thrown" }
    for (number in 1..2) Part().run(number)
}
