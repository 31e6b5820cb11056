package io.csi4j.core.rpc;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.CsiException;
import io.csi4j.core.internal.check.InputLimit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reads the pages of one list. Each page is requested after the one before has arrived. */
final class AllPages<E> {
    private static final int RESTARTS = 3;

    private final int maxEntries;
    private final Function<String, ? extends CompletableFuture<? extends ListedPage<E>>> read;
    private final CompletableFuture<List<E>> result = new CompletableFuture<>();
    private volatile @Nullable CompletableFuture<? extends ListedPage<E>> current;
    private List<E> entries = new ArrayList<>();
    private int pages;
    private int withoutEntries;
    private int restarts;

    AllPages(int maxEntries, Function<String, ? extends CompletableFuture<? extends ListedPage<E>>> read) {
        if (maxEntries < 1) {
            throw new IllegalArgumentException("maxEntries: " + maxEntries + " holds no entry; use 1 or more");
        }
        this.maxEntries = maxEntries;
        this.read = Objects.requireNonNull(read, "read");
    }

    CompletableFuture<List<E>> start() {
        var unused = result.whenComplete((all, failure) -> {
            CompletableFuture<?> open = current;
            if (open != null) {
                open.cancel(false);
            }
        });
        readFrom("");
        return result;
    }

    /** Reads pages while they arrive at once, and continues when the next one arrives; so many pages need no deep stack. */
    private void readFrom(String first) {
        String token = first;
        while (token != null && !result.isDone()) {
            CompletableFuture<? extends ListedPage<E>> page = page(token);
            current = page;
            if (!page.isDone()) {
                var unused = page.whenComplete((arrived, failure) -> {
                    String next = next(arrived, failure);
                    if (next != null) {
                        readFrom(next);
                    }
                });
                if (result.isCancelled()) {
                    page.cancel(false);
                }
                return;
            }
            token = page.handle(this::next).join();
        }
    }

    private CompletableFuture<? extends ListedPage<E>> page(String token) {
        try {
            return Objects.requireNonNull(read.apply(token), "the future of a page");
        } catch (RuntimeException | Error e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Handles the end of a request, and returns the token of the next one; null if none follows. */
    private @Nullable String next(@Nullable ListedPage<E> page, @Nullable Throwable failure) {
        if (failure != null || page == null) {
            Throwable cause =
                    failure == null ? new NullPointerException("the list has a null page") : unwrapped(failure);
            if (cause instanceof CsiCallException call
                    && call.outcome() == CallOutcome.PAGE_RESTART
                    && restarts < RESTARTS) {
                restarts++;
                entries = new ArrayList<>();
                withoutEntries = 0;
                return "";
            }
            result.completeExceptionally(cause);
            return null;
        }
        pages++;
        entries.addAll(page.entries());
        withoutEntries = page.entries().isEmpty() ? withoutEntries + 1 : 0;
        if (entries.size() > maxEntries) {
            fail("it has more than " + maxEntries + " entries");
            return null;
        }
        if (page.nextToken().isEmpty()) {
            result.complete(List.copyOf(entries));
            return null;
        }
        if (pages >= InputLimit.PAGES.max()) {
            fail("it has more than " + pages + " pages");
            return null;
        }
        if (withoutEntries >= InputLimit.PAGES_WITHOUT_PROGRESS.max()) {
            fail(withoutEntries + " pages in a row had no entry, and each named a next page");
            return null;
        }
        return page.nextToken();
    }

    private static Throwable unwrapped(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }

    private void fail(String problem) {
        result.completeExceptionally(new CsiException("the list of the plugin does not end: " + problem
                + ". Raise maxEntries if the provider has that many; else report it to the vendor of the plugin"));
    }
}
