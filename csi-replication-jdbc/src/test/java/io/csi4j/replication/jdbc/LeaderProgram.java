package io.csi4j.replication.jdbc;

import io.csi4j.core.spi.LeadershipListener;
import java.io.IOException;
import java.util.concurrent.Semaphore;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A server in a process of its own, whose engine submits commands as long as it acts. It prints {@code leads} and {@code
 * follows}, and the name of each command that was answered.
 */
public final class LeaderProgram {
    private static final int AT_ONCE = 8;

    private LeaderProgram() {}

    /** Whether the engine acts. */
    private static final class Engine implements LeadershipListener {
        private boolean acts;

        @Override
        public synchronized void startLeading() {
            acts = true;
            System.out.println("leads");
            notifyAll();
        }

        @Override
        public synchronized void stopLeading() {
            acts = false;
            System.out.println("follows");
        }

        /** Runs a short action as soon as the engine acts, and before it stops. */
        synchronized void act(Runnable action) throws InterruptedException {
            while (!acts) {
                wait();
            }
            action.run();
        }
    }

    /**
     * Runs until it is killed.
     *
     * @param args the port of the database, and the schema
     */
    public static void main(String[] args) throws IOException, InterruptedException {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setServerNames(new String[] {"127.0.0.1"});
        source.setPortNumbers(new int[] {Integer.parseInt(args[0])});
        source.setDatabaseName("postgres");
        source.setUser("postgres");
        source.setCurrentSchema(args[1]);
        Engine engine = new Engine();
        Semaphore free = new Semaphore(AT_ONCE);
        try (JdbcCommandLog log = Logs.builder(source, "child").start()) {
            var unused = log.onLeadership(engine);
            for (int i = 0; ; i++) {
                String name = "child-" + i;
                free.acquire();
                engine.act(() -> {
                    var unusedToo = log.submit(TestServers.node(name)).whenComplete((outcome, failure) -> {
                        if (failure == null) {
                            System.out.println(name);
                        }
                        free.release();
                    });
                });
            }
        }
    }
}
