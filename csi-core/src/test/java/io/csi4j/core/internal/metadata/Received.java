package io.csi4j.core.internal.metadata;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Flow;

/** A subscriber that asks for so many messages at a time, and notes what comes. */
final class Received<T> implements Flow.Subscriber<T> {
    private final long first;
    private final long afterEach;
    private final List<T> items = new ArrayList<>();
    private Flow.Subscription subscription;
    private Throwable failure;
    private int ends;

    private Received(long first, long afterEach) {
        this.first = first;
        this.afterEach = afterEach;
    }

    static <T> Received<T> all(Flow.Publisher<T> publisher) {
        return from(publisher, Long.MAX_VALUE, 0);
    }

    static <T> Received<T> oneByOne(Flow.Publisher<T> publisher) {
        return from(publisher, 1, 1);
    }

    static <T> Received<T> onDemand(Flow.Publisher<T> publisher) {
        return from(publisher, 0, 0);
    }

    private static <T> Received<T> from(Flow.Publisher<T> publisher, long first, long afterEach) {
        Received<T> received = new Received<>(first, afterEach);
        publisher.subscribe(received);
        return received;
    }

    List<T> items() {
        return items;
    }

    Flow.Subscription subscription() {
        return subscription;
    }

    Throwable failure() {
        return failure;
    }

    boolean completed() {
        return ends == 1 && failure == null;
    }

    int ends() {
        return ends;
    }

    @Override
    public void onSubscribe(Flow.Subscription given) {
        if (subscription != null) {
            throw new AssertionError("subscribed twice");
        }
        subscription = given;
        if (first > 0) {
            given.request(first);
        }
    }

    @Override
    public void onNext(T item) {
        if (ends > 0) {
            throw new AssertionError("unexpected item after the end: " + item);
        }
        items.add(item);
        if (afterEach > 0) {
            subscription.request(afterEach);
        }
    }

    @Override
    public void onError(Throwable thrown) {
        ends++;
        failure = thrown;
    }

    @Override
    public void onComplete() {
        ends++;
    }
}
