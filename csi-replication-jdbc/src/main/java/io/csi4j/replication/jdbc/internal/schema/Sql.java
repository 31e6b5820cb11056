package io.csi4j.replication.jdbc.internal.schema;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Short queries whose answers are texts. */
final class Sql {
    private Sql() {}

    /** Returns the rows of a query; a value is null where the database has none. */
    static List<List<@Nullable String>> rows(Connection connection, String sql, @Nullable Object... parameters)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            try (ResultSet result = statement.executeQuery()) {
                List<List<@Nullable String>> rows = new ArrayList<>();
                int columns = result.getMetaData().getColumnCount();
                while (result.next()) {
                    List<@Nullable String> row = new ArrayList<>();
                    for (int column = 1; column <= columns; column++) {
                        row.add(result.getString(column));
                    }
                    rows.add(row);
                }
                return rows;
            }
        }
    }

    /** Returns the first value of a query; empty where there is none. */
    static String value(Connection connection, String sql, @Nullable Object... parameters) throws SQLException {
        List<List<@Nullable String>> rows = rows(connection, sql, parameters);
        String value = rows.isEmpty() ? null : rows.get(0).get(0);
        return value == null ? "" : value;
    }

    static boolean exists(Connection connection, String table) throws SQLException {
        return !rows(connection, "SELECT 1 FROM " + table + " LIMIT 1").isEmpty();
    }
}
