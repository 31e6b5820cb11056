package io.csi4j.examples.lifecycle;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.csi.BlockMetadata;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Adds up a stream of block ranges, one message at a time, and checks their order (R101). */
final class BlockRanges<M> implements Flow.Subscriber<M> {
    /** The sum of all ranges. */
    record Total(long ranges, long bytes) {
        String text() {
            return ranges + " ranges, " + Quantities.text(bytes);
        }
    }

    private final Function<M, List<BlockMetadata>> rangesOf;
    private final CompletableFuture<Total> total = new CompletableFuture<>();
    private Flow.@Nullable Subscription subscription;
    private long ranges;
    private long bytes;
    private long end;

    private BlockRanges(Function<M, List<BlockMetadata>> rangesOf) {
        this.rangesOf = rangesOf;
    }

    static <M> CompletableFuture<Total> collect(
            Flow.Publisher<M> publisher, Function<M, List<BlockMetadata>> rangesOf) {
        BlockRanges<M> subscriber = new BlockRanges<>(rangesOf);
        publisher.subscribe(subscriber);
        return subscriber.total;
    }

    @Override
    public void onSubscribe(Flow.Subscription newSubscription) {
        subscription = newSubscription;
        newSubscription.request(1);
    }

    @Override
    public void onNext(M message) {
        for (BlockMetadata range : rangesOf.apply(message)) {
            if (range.byteOffset() < end) {
                fail(new CsiException("the range at " + range.byteOffset()
                        + " begins before the end of the one before it, " + end + " (R101)"));
                return;
            }
            end = range.endOffset();
            ranges++;
            bytes += range.sizeBytes();
        }
        if (total.isDone()) {
            fail(new CsiException("the consumer no longer waits for the rest"));
        } else if (subscription != null) {
            subscription.request(1);
        }
    }

    private void fail(CsiException reason) {
        if (subscription != null) {
            subscription.cancel();
        }
        total.completeExceptionally(reason);
    }

    @Override
    public void onError(Throwable failure) {
        total.completeExceptionally(failure);
    }

    @Override
    public void onComplete() {
        total.complete(new Total(ranges, bytes));
    }
}
