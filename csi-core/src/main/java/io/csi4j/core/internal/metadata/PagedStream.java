package io.csi4j.core.internal.metadata;

import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.csi.BlockMetadata;
import io.csi4j.core.metadata.MetadataPage;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Flow;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The stream of one subscriber, read page by page. One thread at a time works on the stream: it delivers the requested
 * messages, and requests the next page when no message is left. If the subscriber asks for more messages while a thread
 * works on the stream, the same thread delivers these messages too.
 */
final class PagedStream<Q, R> implements Flow.Subscription {
    private final MetadataRpc<Q, R> rpc;
    private final Function<Q, CompletableFuture<MetadataPage<R>>> pages;
    private final Q request;
    private final String plugin;
    private final Flow.Subscriber<? super R> subscriber;
    private final ReceivedRanges received = new ReceivedRanges();
    private final Queue<R> buffered = new ArrayDeque<>();

    // The fields from demand to fetching are guarded by this object's monitor. The other mutable fields are used only
    // by the thread that works on the stream.
    private long demand;
    private boolean working;
    private boolean ended;
    private @Nullable Throwable misuse;
    private @Nullable CompletableFuture<?> fetching;

    private boolean complete;

    PagedStream(
            MetadataRpc<Q, R> rpc,
            Function<Q, CompletableFuture<MetadataPage<R>>> pages,
            Q request,
            String plugin,
            Flow.Subscriber<? super R> subscriber) {
        this.rpc = rpc;
        this.pages = pages;
        this.request = request;
        this.plugin = plugin;
        this.subscriber = subscriber;
    }

    void begin() {
        subscriber.onSubscribe(this);
    }

    @Override
    public void request(long n) {
        synchronized (this) {
            if (n <= 0) {
                misuse = new IllegalArgumentException(
                        "request: " + n + " messages were asked for; ask for at least one");
            } else {
                demand = demand + n < 0 ? Long.MAX_VALUE : demand + n;
            }
            if (working || ended) {
                return;
            }
            working = true;
        }
        work();
    }

    @Override
    public void cancel() {
        CompletableFuture<?> page;
        synchronized (this) {
            ended = true;
            page = fetching;
        }
        if (page != null) {
            page.cancel(false);
        }
    }

    /**
     * Works on the stream until the subscriber has all requested messages, the stream has to wait for a page, or the
     * stream has ended.
     */
    private void work() {
        while (true) {
            synchronized (this) {
                boolean idle = misuse == null && demand == 0 && !(complete && buffered.isEmpty());
                if (ended || idle) {
                    working = false;
                    return;
                }
            }
            if (!step()) {
                return;
            }
        }
    }

    /** Delivers one message or requests a page. Returns false if this thread has nothing more to do. */
    private boolean step() {
        Throwable wrong;
        synchronized (this) {
            wrong = misuse;
        }
        if (wrong != null) {
            fail(wrong);
            return false;
        }
        R next = buffered.poll();
        if (next != null) {
            synchronized (this) {
                demand -= demand == Long.MAX_VALUE ? 0 : 1;
            }
            deliver(next);
            return true;
        }
        if (complete) {
            end();
            subscriber.onComplete();
            return false;
        }
        return fetch();
    }

    private void deliver(R message) {
        try {
            subscriber.onNext(message);
        } catch (RuntimeException | Error fault) {
            fail(fault);
        }
    }

    /** Requests the next page. Returns true if the page has arrived at once. */
    private boolean fetch() {
        received.streamBegins();
        long from = Math.max(rpc.startingOffset(request), received.end());
        Q wanted = from == rpc.startingOffset(request) ? request : rpc.from(request, from);
        CompletableFuture<MetadataPage<R>> page;
        try {
            page = pages.apply(wanted);
        } catch (RuntimeException refused) {
            page = CompletableFuture.failedFuture(refused);
        }
        boolean unwanted;
        synchronized (this) {
            fetching = page;
            unwanted = ended;
        }
        if (unwanted) {
            page.cancel(false);
        }
        boolean now = page.isDone();
        var unused = page.whenComplete((arrived, failure) -> {
            take(arrived, failure);
            if (!now) {
                work();
            }
        });
        return now;
    }

    private void take(@Nullable MetadataPage<R> page, @Nullable Throwable failure) {
        synchronized (this) {
            fetching = null;
            if (ended) {
                return;
            }
        }
        if (page == null) {
            fail(cause(failure));
            return;
        }
        long before = received.end();
        for (R message : page.messages()) {
            List<BlockMetadata> ranges = rpc.ranges(message);
            String problem = received.problem(rpc.type(message), rpc.volumeCapacityBytes(message), ranges);
            if (problem != null) {
                fail(broken(problem));
                return;
            }
            List<BlockMetadata> fresh = received.add(rpc.type(message), rpc.volumeCapacityBytes(message), ranges);
            if (!fresh.isEmpty() || ranges.isEmpty()) {
                buffered.add(fresh.equals(ranges) ? message : rpc.with(message, fresh));
            }
        }
        complete = page.complete();
        if (!complete && received.end() == before) {
            fail(broken("a page that is not the last one holds no new range"));
        }
    }

    private static Throwable cause(@Nullable Throwable failure) {
        if (failure == null) {
            return new IllegalStateException("the page has neither messages nor a failure");
        }
        Throwable inner = failure;
        while (inner instanceof CompletionException && inner.getCause() != null) {
            inner = inner.getCause();
        }
        return inner;
    }

    private CsiCallException broken(String problem) {
        return rpc.broken(request, plugin, problem);
    }

    private void fail(Throwable failure) {
        if (end()) {
            subscriber.onError(failure);
        }
    }

    /** Ends the stream. Returns true only for the call that ended it. */
    private synchronized boolean end() {
        boolean first = !ended;
        ended = true;
        return first;
    }
}
