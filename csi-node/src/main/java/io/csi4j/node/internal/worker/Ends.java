package io.csi4j.node.internal.worker;

import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;

/** What is done at the end of a future, whoever else looks at it. */
public final class Ends {
    private Ends() {}

    /** Has something done that itself must not fail. */
    public static <T> void of(CompletableFuture<T> future, BiConsumer<? super T, ? super Throwable> action) {
        CompletableFuture<T> unused = future.whenComplete(action);
    }
}
