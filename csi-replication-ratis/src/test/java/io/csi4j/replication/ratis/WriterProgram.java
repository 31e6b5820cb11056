package io.csi4j.replication.ratis;

import static io.csi4j.replication.ratis.TestCluster.node;

import io.csi4j.core.command.Command;
import io.csi4j.core.internal.command.Batch;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;

/** A log in a process of its own, which submits commands and prints the number of each command that was answered. */
public final class WriterProgram {
    private static final int AT_ONCE = 8;
    private static final int NODES = 400;

    private WriterProgram() {}

    /**
     * Runs until it is killed.
     *
     * @param args the directory of the log
     */
    public static void main(String[] args) throws IOException, InterruptedException {
        // A small interval, so that snapshots are written all the time.
        RatisLogOptions options = RatisLogOptions.builder().snapshotInterval(60).build();
        Semaphore free = new Semaphore(AT_ONCE);
        try (RatisCommandLog log =
                RatisCommandLog.builder(Path.of(args[0])).options(options).start()) {
            for (int i = 0; ; i++) {
                int number = i;
                free.acquire();
                var unused = log.submit(command(number)).thenAccept(outcome -> {
                    System.out.println(number);
                    free.release();
                });
            }
        }
    }

    /** A node of its own for each command, and many others, so that the files of the log become full. */
    private static Command command(int number) {
        List<Command> nodes = new ArrayList<>();
        nodes.add(node("command-" + number));
        for (int i = 0; i < NODES; i++) {
            nodes.add(node("a-node-with-a-long-name-that-fills-the-log-" + i));
        }
        return new Batch(nodes, TestCluster.NOW);
    }
}
