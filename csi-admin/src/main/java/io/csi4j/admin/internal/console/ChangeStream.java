package io.csi4j.admin.internal.console;

import io.csi4j.admin.internal.http.HttpBody;
import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.spi.Timer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends an event to an open page when the state or the history has changed. A stream has no queue: once a second it compares
 * the present version with the version that it sent last. After five seconds without a change, it sends an event anyway. A
 * slow client only gets fewer events, and never delays the engine.
 */
final class ChangeStream implements HttpBody {
    private static final Duration TICK = Duration.ofSeconds(1);
    private static final int TICKS_WITHOUT_CHANGE = 5;

    private final Timer timer;
    private final LongSupplier version;
    private final Runnable ended;
    private @Nullable Cancellable tick;
    private boolean cancelled;
    private boolean begun;
    private long sent;

    /**
     * @param version a number that changes with the state or the history
     * @param ended called once when the client leaves
     */
    ChangeStream(Timer timer, LongSupplier version, Runnable ended) {
        this.timer = timer;
        this.version = version;
        this.ended = ended;
    }

    @Override
    public synchronized CompletableFuture<Optional<byte[]>> next() {
        if (!begun) {
            begun = true;
            sent = version.getAsLong();
            return CompletableFuture.completedFuture(event("retry: 3000\n\n"));
        }
        CompletableFuture<Optional<byte[]>> event = new CompletableFuture<>();
        wait(event, 1);
        return event;
    }

    private synchronized void wait(CompletableFuture<Optional<byte[]>> event, int ticks) {
        if (cancelled) {
            event.complete(Optional.empty());
            return;
        }
        tick = timer.schedule(TICK, () -> {
            long now = version.getAsLong();
            if (now == sent && ticks < TICKS_WITHOUT_CHANGE) {
                wait(event, ticks + 1);
            } else {
                sent = now;
                event.complete(event(""));
            }
        });
    }

    private Optional<byte[]> event(String before) {
        return Optional.of((before + "event: change\ndata: " + sent + "\n\n").getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public synchronized void cancel() {
        if (!cancelled) {
            cancelled = true;
            if (tick != null) {
                tick.cancel();
            }
            ended.run();
        }
    }
}
