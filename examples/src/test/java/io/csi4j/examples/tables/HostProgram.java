package io.csi4j.examples.tables;

import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.spi.InstantGateway;
import io.csi4j.replication.jdbc.JdbcCommandLog;
import io.csi4j.state.ClearTextSecretsCipher;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** A host in a process of its own, which does one step, and stands still at a point of it until it is killed. */
public final class HostProgram {
    private HostProgram() {}

    /**
     * Runs until it is killed.
     *
     * @param args the port of the database; the beginning of a statement of the transaction; and that of the statement
     *     in the same transaction before which the program prints {@code here} and stands still
     */
    public static void main(String[] args) throws Exception {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setServerNames(new String[] {"127.0.0.1"});
        source.setPortNumbers(new int[] {Integer.parseInt(args[0])});
        source.setDatabaseName("postgres");
        source.setUser("postgres");
        DataSource watched = WatchedDatabase.of(source, (connection, transaction) -> {
            if (has(transaction, args[1])
                    && transaction.get(transaction.size() - 1).startsWith(args[2])) {
                System.out.println("here");
                new CompletableFuture<Void>().join();
            }
        });
        try (JdbcCommandLog log = JdbcCommandLog.builder(source)
                        .server("child")
                        .secretsCipher(ClearTextSecretsCipher.secretsStayReadable())
                        .start();
                VolumeLifecycle volumes = VolumeLifecycle.of(log, new InstantGateway())) {
            new TableScheduler(watched, log, volumes).step();
            System.out.println("passed");
        }
    }

    private static boolean has(List<String> transaction, String beginning) {
        return transaction.stream().anyMatch(point -> point.startsWith(beginning));
    }
}
