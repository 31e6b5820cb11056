package io.csi4j.examples.scheduler;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** The time between two questions to another process. */
final class Pause {
    private Pause() {}

    static void millis(long millis) {
        CompletableFuture.runAsync(() -> {}, CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS))
                .join();
    }
}
