package io.csi4j.client.registry;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;

/** Waits for conditions, in tests with real sockets. */
final class Wait {
    static final Duration PATIENCE = Duration.ofSeconds(60);

    private Wait() {}

    /** Returns the first snapshot that satisfies the condition. */
    static RegistrySnapshot until(PluginRegistry registry, Predicate<RegistrySnapshot> fits) {
        CompletableFuture<RegistrySnapshot> found = new CompletableFuture<>();
        var subscription = registry.subscribe((snapshot, changes) -> {
            if (fits.test(snapshot)) {
                found.complete(snapshot);
            }
        });
        try {
            return get(found);
        } catch (AssertionError never) {
            throw new AssertionError(never.getMessage() + "; the last snapshot is " + registry.snapshot(), never);
        } finally {
            subscription.cancel();
        }
    }

    static <T> T get(CompletableFuture<T> future) {
        try {
            return future.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new AssertionError("did not happen: " + e, e);
        }
    }

    static Throwable failure(CompletableFuture<?> future) {
        try {
            Object answer = future.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            throw new AssertionError("the operation did not fail: " + answer);
        } catch (ExecutionException e) {
            return e.getCause();
        } catch (InterruptedException | TimeoutException e) {
            throw new AssertionError("did not happen: " + e, e);
        }
    }
}
