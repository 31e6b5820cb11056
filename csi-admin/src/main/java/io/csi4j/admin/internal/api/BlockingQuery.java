package io.csi4j.admin.internal.api;

import io.csi4j.admin.internal.http.HttpAnswer;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.spi.Timer;
import io.csi4j.core.state.ObservableState;
import io.csi4j.core.state.StateScope;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * A read that waits until a part of the state has changed after an index, or its time is over. If something newer is there,
 * it reads at once. Otherwise it checks the permission, watches, and reads when the watch has ended.
 *
 * <p>Ten thousand of them wait at once. So a waiting one has one watch of all its parts and one timer, which ends the
 * watch, and keeps no request. A client that goes cancels the answer, and so the present step.
 */
final class BlockingQuery {
    /** With more parts, whole tables are watched, so that a waiting request stays small. */
    private static final int PARTS = 16;

    /**
     * The parts of the server that all queries share.
     *
     * @param requests the threads on which a query reads after its wait
     * @param failed makes the answer to a failed read
     */
    record Shared(
            ObservableState state, Timer timer, Executor requests, Function<? super Throwable, HttpAnswer> failed) {}

    private final Shared shared;
    private final Supplier<CompletableFuture<HttpAnswer>> read;
    private final CompletableFuture<HttpAnswer> answer = new CompletableFuture<>();
    private volatile CompletableFuture<?> step = answer;

    /** @param read reads the answer */
    BlockingQuery(Shared shared, Supplier<CompletableFuture<HttpAnswer>> read) {
        this.shared = shared;
        this.read = read;
        var unused = answer.whenComplete((made, failure) -> step.cancel(false));
    }

    /**
     * Starts this query.
     *
     * @param parts the parts of the state that follow from the request
     * @param index the index of the state that the client has read
     * @param wait the longest wait
     * @param probe fails without the permission, because such a caller must not learn when something changes; returns the
     *     parts that the answer shows besides
     */
    CompletableFuture<HttpAnswer> start(
            List<StateScope> parts, long index, Duration wait, Supplier<CompletableFuture<List<StateScope>>> probe) {
        CompletableFuture<Long> newer = shared.state.newerThan(few(parts.stream()), index);
        if (newer.isDone()) {
            read();
            return answer;
        }
        newer.cancel(false); // The watch with all parts follows; it finds what changes in the meantime.
        CompletableFuture<List<StateScope>> probed = probe.get();
        begin(probed);
        var unused = probed.whenComplete((more, refused) -> {
            if (refused == null) {
                List<StateScope> all = few(Stream.concat(parts.stream(), more.stream()));
                watch(Futures.start(() -> shared.state.newerThan(all, index)), wait);
            } else {
                answer.complete(shared.failed.apply(refused));
            }
        });
        return answer;
    }

    private static List<StateScope> few(Stream<StateScope> parts) {
        List<StateScope> all = parts.distinct().toList();
        return all.size() <= PARTS
                ? all
                : all.stream()
                        .map(part -> StateScope.of(part.table()))
                        .distinct()
                        .toList();
    }

    private void watch(CompletableFuture<Long> newer, Duration wait) {
        begin(newer);
        Cancellable limit = shared.timer.schedule(wait, () -> newer.cancel(false));
        var unused = newer.whenComplete((at, ended) -> {
            limit.cancel();
            if (!answer.isDone()) {
                shared.requests.execute(this::read);
            }
        });
    }

    private void read() {
        CompletableFuture<HttpAnswer> made = Futures.start(read);
        begin(made);
        var unused = made.whenComplete(
                (done, failure) -> answer.complete(failure == null ? done : shared.failed.apply(failure)));
    }

    /** Makes a step the present one, unless the client has gone. */
    private void begin(CompletableFuture<?> next) {
        step = next;
        if (answer.isDone()) {
            next.cancel(false);
        }
    }
}
