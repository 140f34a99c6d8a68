package io.github.steno.programs;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import org.hibernate.SessionFactory;
import org.hibernate.cfg.Configuration;

/** Stores and reads rows in a database in memory. */
final class HibernateProgram {
  private static final int SEATS = 100;

  @Entity(name = "Seat")
  static class Seat {
    @Id int number;
    String guest;
  }

  public static void main(String[] arguments) {
    Configuration configuration = new Configuration().addAnnotatedClass(Seat.class)
        .setProperty("hibernate.connection.url", "jdbc:h2:mem:seats").setProperty("hibernate.hbm2ddl.auto", "create-drop");
    try (SessionFactory factory = configuration.buildSessionFactory()) {
      for (int number = 0; number < SEATS; number++) {
        Seat seat = new Seat();
        seat.number = number;
        seat.guest = "guest " + number;
        factory.inTransaction(session -> session.persist(seat));
      }
      factory.inTransaction(session -> session.createQuery("from Seat where number > 50", Seat.class).list());
      try {
        factory.inTransaction(session -> session.createNativeMutationQuery("update nowhere set a = 1").executeUpdate());
      } catch (RuntimeException e) {
        // which Hibernate logs
      }
    }
  }

  private HibernateProgram() {}
}
