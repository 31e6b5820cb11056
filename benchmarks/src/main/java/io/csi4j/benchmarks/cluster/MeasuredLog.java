package io.csi4j.benchmarks.cluster;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;

/** A log whose throughput is measured. */
interface MeasuredLog extends AutoCloseable {
    /** Submits one small command at the leader; completes when it is durable and applied. */
    CompletableFuture<?> submit(int number);

    @Override
    void close() throws IOException;

    /** Returns the commands per second of a run with a fixed number of commands in flight. */
    static double commandsPerSecond(MeasuredLog log, int count, int inFlight) throws InterruptedException {
        Semaphore free = new Semaphore(inFlight);
        CompletableFuture<Throwable> failed = new CompletableFuture<>();
        long start = System.nanoTime();
        for (int i = 0; i < count && !failed.isDone(); i++) {
            free.acquire();
            var unused = log.submit(i).whenComplete((done, failure) -> {
                if (failure != null) {
                    failed.complete(failure);
                }
                free.release();
            });
        }
        free.acquire(inFlight);
        if (failed.isDone()) {
            throw new IllegalStateException("a command failed", failed.join());
        }
        return count / ((System.nanoTime() - start) / 1e9);
    }
}
