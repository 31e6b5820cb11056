package io.csi4j.client;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;

/** Collects all items of a publisher. */
class Collector<T> implements Flow.Subscriber<T> {
    private final CompletableFuture<List<T>> all = new CompletableFuture<>();
    private final List<T> items = new ArrayList<>();

    static <T> Collector<T> of(Flow.Publisher<T> publisher) {
        Collector<T> collector = new Collector<>();
        publisher.subscribe(collector);
        return collector;
    }

    CompletableFuture<List<T>> all() {
        return all;
    }

    CompletableFuture<T> last() {
        return all.thenApply(list -> list.get(list.size() - 1));
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
        subscription.request(Long.MAX_VALUE);
    }

    @Override
    public synchronized void onNext(T item) {
        items.add(item);
    }

    @Override
    public void onError(Throwable failure) {
        all.completeExceptionally(failure);
    }

    @Override
    public synchronized void onComplete() {
        all.complete(List.copyOf(items));
    }
}
