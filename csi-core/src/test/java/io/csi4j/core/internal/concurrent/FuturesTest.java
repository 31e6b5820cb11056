package io.csi4j.core.internal.concurrent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.spi.VirtualTime;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

class FuturesTest {
    private final VirtualTime time = VirtualTime.inOrder();
    private final IllegalStateException failure = new IllegalStateException("x");
    private final RejectedExecutionException rejected = new RejectedExecutionException("closed");
    private final Executor closed = task -> {
        throw rejected;
    };

    @Test
    void unwrapRemovesOnlyWrapperExceptionsAddedByFutures() {
        assertThat(Futures.unwrap(new CompletionException(new ExecutionException(failure))))
                .isSameAs(failure);
        CompletionException bare = new CompletionException("no cause", null);
        assertThat(Futures.unwrap(bare)).isSameAs(bare);
        RuntimeException other = new IllegalArgumentException(failure);
        assertThat(Futures.unwrap(other)).isSameAs(other);
    }

    @Test
    void exceptionThrownWhileOperationStartsFailsFuture() {
        assertThatThrownBy(Futures.start(() -> {
                    throw failure;
                })::join)
                .hasCause(failure);
        CompletableFuture<Object> onExecutor = Futures.startOn(time, () -> {
            throw failure;
        });
        assertThat(onExecutor).isNotDone();
        time.run();
        assertThatThrownBy(onExecutor::join).hasCause(failure);
    }

    @Test
    void futureFromStartOnFailsIfExecutorRejectsTask() {
        assertThatThrownBy(Futures.startOn(closed, () -> CompletableFuture.completedFuture("x"))::join)
                .hasCause(rejected);
    }

    @Test
    void mapConvertsResult() {
        CompletableFuture<String> source = new CompletableFuture<>();
        CompletableFuture<Integer> length = Futures.map(source, String::length);
        assertThat(length).isNotDone();
        source.complete("abc");
        assertThat(length).isCompletedWithValue(3);
        assertThat(source).isCompletedWithValue("abc");
    }

    @Test
    void mapFailsWithUnwrappedExceptionOfSourceOrConversion() {
        CompletableFuture<String> failed = CompletableFuture.failedFuture(new CompletionException(failure));
        assertThat(Futures.map(failed, String::length).handle((value, error) -> error))
                .isCompletedWithValue(failure);
        CompletableFuture<Integer> unconverted = Futures.map(CompletableFuture.completedFuture("abc"), value -> {
            throw failure;
        });
        assertThat(unconverted.handle((value, error) -> error)).isCompletedWithValue(failure);
        AssertionError broken = new AssertionError("x");
        CompletableFuture<Integer> brokenConversion = Futures.map(CompletableFuture.completedFuture("abc"), value -> {
            throw broken;
        });
        assertThat(brokenConversion.handle((value, error) -> error)).isCompletedWithValue(broken);
    }

    @Test
    void cancellingFutureFromMapCancelsSource() {
        CompletableFuture<String> source = new CompletableFuture<>();
        CompletableFuture<Integer> length = Futures.map(source, String::length);
        length.cancel(false);
        assertThat(source).isCancelled();
        CompletableFuture<String> cancelled = new CompletableFuture<>();
        CompletableFuture<Integer> dependent = Futures.map(cancelled, String::length);
        cancelled.cancel(false);
        assertThat(dependent).isCancelled();
    }

    @Test
    void mapConvertsFailureWithoutExceptionsOfFutures() {
        CompletableFuture<String> failed = CompletableFuture.failedFuture(new CompletionException(failure));
        assertThat(Futures.map(failed, String::length, IllegalArgumentException::new)
                        .handle((value, error) -> error))
                .isCompletedWithValueMatching(
                        error -> error instanceof IllegalArgumentException && failure.equals(error.getCause()));
    }

    @Test
    void recoveryReplacesFailureOrLeavesIt() {
        CompletableFuture<String> failed = CompletableFuture.failedFuture(new CompletionException(failure));
        assertThat(Futures.recovered(failed, error -> Optional.of(failure.equals(error) ? "known" : "other")))
                .isCompletedWithValue("known");
        assertThat(Futures.recovered(failed, error -> Optional.empty()).handle((value, error) -> error))
                .isCompletedWithValue(failure);
        CompletableFuture<String> source = new CompletableFuture<>();
        Futures.recovered(source, error -> Optional.empty()).cancel(false);
        assertThat(source).isCancelled();
    }

    @Test
    void operationAfterFutureStartsOnlyIfItsFutureIsNotCancelled() {
        CompletableFuture<String> source = new CompletableFuture<>();
        CompletableFuture<String> operation = new CompletableFuture<>();
        CompletableFuture<String> cancelled = Futures.after(source, () -> {
            throw new AssertionError("started");
        });
        cancelled.cancel(false);
        CompletableFuture<String> started = Futures.after(source, () -> operation);
        source.completeExceptionally(failure);
        assertThat(cancelled).isCancelled();
        assertThat(started).isNotDone();
        started.cancel(false);
        assertThat(operation).isCancelled();
    }

    @Test
    void cancellationIsPassedToSourceOnExecutor() {
        CompletableFuture<String> source = new CompletableFuture<>();
        CompletableFuture<String> result = Futures.cancelledOn(time, source);
        result.cancel(false);
        assertThat(source).isNotDone();
        time.run();
        assertThat(source).isCancelled();
        assertThat(Futures.cancelledOn(time, CompletableFuture.completedFuture("x")))
                .isCompletedWithValue("x");
    }

    @Test
    void composePassesResultOrUnwrappedExceptionToItsCallback() {
        assertThat(Futures.compose(
                        CompletableFuture.completedFuture("a"),
                        value -> CompletableFuture.completedFuture(value + "b"),
                        failed -> CompletableFuture.completedFuture("failed")))
                .isCompletedWithValue("ab");
        assertThat(Futures.compose(
                        CompletableFuture.failedFuture(new CompletionException(failure)),
                        value -> CompletableFuture.completedFuture("value"),
                        failed -> CompletableFuture.completedFuture(failed.getMessage())))
                .isCompletedWithValue("x");
        assertThatThrownBy(Futures.compose(
                        CompletableFuture.completedFuture("a"),
                        value -> {
                            throw failure;
                        },
                        failed -> CompletableFuture.completedFuture("not asked"))::join)
                .hasCause(failure);
    }

    @Test
    void allOfKeepsOrderOfResultsAndFailsIfOneFutureFails() {
        CompletableFuture<Integer> first = new CompletableFuture<>();
        CompletableFuture<Integer> second = new CompletableFuture<>();
        CompletableFuture<List<Integer>> all = Futures.allOf(List.of(first, second));
        second.complete(2);
        assertThat(all).isNotDone();
        first.complete(1);
        assertThat(all).isCompletedWithValue(List.of(1, 2));
        assertThatThrownBy(Futures.allOf(List.of(first, CompletableFuture.failedFuture(failure)))::join)
                .hasCause(failure);
        assertThat(Futures.allOf(List.<CompletableFuture<Integer>>of())).isCompletedWithValue(List.of());
    }
}
