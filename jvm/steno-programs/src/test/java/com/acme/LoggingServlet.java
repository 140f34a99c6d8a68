package com.acme;

import jakarta.servlet.annotation.WebListener;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.ServletContextEvent;
import jakarta.servlet.ServletContextListener;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.slf4j.LoggerFactory;

/** A web application in one class. */
@WebListener
@WebServlet("/log")
public class LoggingServlet extends HttpServlet implements ServletContextListener {
  private static final long serialVersionUID = 1;

  @Override
  protected void doGet(HttpServletRequest request, HttpServletResponse response) {
    LoggerFactory.getLogger(LoggingServlet.class).info("served {}", request.getQueryString());
  }

  @Override
  public void destroy() {
    LoggerFactory.getLogger(LoggingServlet.class).info("servlet destroyed");
  }

  @Override
  public void contextInitialized(ServletContextEvent event) {
    LoggerFactory.getLogger(LoggingServlet.class).info("begun");
  }
}
