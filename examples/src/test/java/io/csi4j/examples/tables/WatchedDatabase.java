package io.csi4j.examples.tables;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** A database that reports each point of a transaction before the point is passed: each statement, the commit, and its answer. */
final class WatchedDatabase {
    static final String COMMIT = "commit";
    static final String COMMITTED = "answer of the commit";

    private final DataSource source;
    private final Watcher watcher;

    /** Hears where a transaction is. */
    interface Watcher {
        /**
         * A point is about to be passed.
         *
         * @param transaction the points of the transaction up to this one
         */
        void at(Connection connection, List<String> transaction) throws SQLException;
    }

    private WatchedDatabase(DataSource source, Watcher watcher) {
        this.source = source;
        this.watcher = watcher;
    }

    static DataSource of(DataSource source, Watcher watcher) {
        WatchedDatabase watched = new WatchedDatabase(source, watcher);
        return proxy(DataSource.class, (method, arguments) -> watched.connection());
    }

    private Connection connection() throws SQLException {
        Connection connection = source.getConnection();
        List<String> transaction = new ArrayList<>();
        return proxy(Connection.class, (method, arguments) -> {
            if (method.getName().equals("commit")) {
                pass(connection, transaction, COMMIT);
                connection.commit();
                pass(connection, transaction, COMMITTED);
                transaction.clear();
                return null;
            }
            Object result = method.invoke(connection, arguments);
            return method.getName().equals("prepareStatement")
                    ? statement(connection, transaction, (PreparedStatement) result, (String) arguments[0])
                    : result;
        });
    }

    private PreparedStatement statement(
            Connection connection, List<String> transaction, PreparedStatement statement, String sql) {
        return proxy(PreparedStatement.class, (method, arguments) -> {
            if (method.getName().startsWith("execute")) {
                pass(connection, transaction, sql);
            }
            return method.invoke(statement, arguments);
        });
    }

    private void pass(Connection connection, List<String> transaction, String point) throws SQLException {
        transaction.add(point);
        watcher.at(connection, List.copyOf(transaction));
    }

    /** Carries out a method. */
    private interface Call {
        Object invoke(Method method, Object[] arguments) throws Throwable;
    }

    private static <T> T proxy(Class<T> type, Call call) {
        return type.cast(Proxy.newProxyInstance(
                WatchedDatabase.class.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
                    try {
                        return call.invoke(method, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }
}
