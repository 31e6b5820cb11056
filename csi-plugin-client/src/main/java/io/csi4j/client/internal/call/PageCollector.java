package io.csi4j.client.internal.call;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.csi4j.client.internal.transport.ElapsedTime;
import io.csi4j.core.internal.check.InputLimit;
import io.csi4j.core.metadata.MetadataPage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/**
 * Collects the beginning of a stream of snapshot metadata as a page. The page is complete when the stream ends. A page with at least one
 * range is also complete when it is large enough or half of its deadline has passed; the rest of the stream is then cancelled. A page without
 * a range ends when it is large enough, has 1,000 messages or its deadline has passed; its reader reports it as an error.
 *
 * @param <R> what the page holds for a message
 */
public final class PageCollector<R> implements Flow.Subscriber<PageCollector.Received<R>> {
    /**
     * A page of at least this size is complete. The size is in bytes, and far below the size limit of a message between
     * server and agent.
     */
    public static final int ENOUGH_BYTES = 1 << 20;

    private static final String RANGES = "block_metadata";

    private final CompletableFuture<MetadataPage<R>> page = new CompletableFuture<>();
    private final ElapsedTime elapsed;
    private final long begin;
    private final long enoughNanos;
    private final List<R> messages = new ArrayList<>();
    private int bytes;
    private boolean holdsRange;
    private volatile Flow.@Nullable Subscription stream;

    public PageCollector(ElapsedTime elapsed, Duration deadline) {
        this.elapsed = elapsed;
        this.begin = elapsed.nanos();
        this.enoughNanos = deadline.toNanos() / 2;
        var unused = page.whenComplete((done, failure) -> cancel());
    }

    /**
     * A message of the stream.
     *
     * @param value what the page holds for it
     */
    public record Received<R>(Message message, R value) {}

    /** Returns the page; cancelling the future cancels the stream. */
    public CompletableFuture<MetadataPage<R>> page() {
        return page;
    }

    private void cancel() {
        Flow.Subscription current = stream;
        if (current != null) {
            current.cancel();
        }
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
        stream = subscription;
        if (page.isDone()) {
            subscription.cancel();
        } else {
            subscription.request(1);
        }
    }

    @Override
    public void onNext(Received<R> received) {
        Message message = received.message();
        messages.add(received.value());
        bytes += message.getSerializedSize();
        FieldDescriptor ranges = message.getDescriptorForType().findFieldByName(RANGES);
        holdsRange |= message.getRepeatedFieldCount(ranges) > 0;
        long age = elapsed.nanos() - begin;
        // A page without a range is a failure for its reader. Without this limit, a stream of messages without ranges
        // would be collected for ever.
        boolean vain =
                !holdsRange && (age >= 2 * enoughNanos || messages.size() >= InputLimit.MESSAGES_WITHOUT_RANGE.max());
        boolean large = bytes >= ENOUGH_BYTES || messages.size() >= InputLimit.PAGE_MESSAGES.max();
        if (vain || large || (holdsRange && age >= enoughNanos)) {
            page.complete(new MetadataPage<>(messages, false));
            return;
        }
        Flow.Subscription current = stream;
        if (current != null) {
            current.request(1);
        }
    }

    /**
     * Completes the page with the ranges received before the failure. The request for the next page starts after these ranges and reports
     * the failure if it persists.
     */
    @Override
    public void onError(Throwable failure) {
        if (holdsRange) {
            page.complete(new MetadataPage<>(messages, false));
        } else {
            page.completeExceptionally(failure);
        }
    }

    @Override
    public void onComplete() {
        page.complete(new MetadataPage<>(messages, true));
    }
}
