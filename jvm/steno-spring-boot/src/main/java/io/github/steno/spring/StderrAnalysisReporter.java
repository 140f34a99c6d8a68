package io.github.steno.spring;

import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalysisReporter;

/** Prints why an application did not start where only the log would say it. */
public final class StderrAnalysisReporter implements FailureAnalysisReporter {
  @Override
  public void report(FailureAnalysis analysis) {
    if (!StenoLoggingSystem.isSilent()) return;
    StringBuilder text = new StringBuilder("APPLICATION FAILED TO START\n\n").append(analysis.getDescription()).append('\n');
    if (analysis.getAction() != null && !analysis.getAction().isBlank()) text.append('\n').append(analysis.getAction()).append('\n');
    System.err.print(text);
  }
}
