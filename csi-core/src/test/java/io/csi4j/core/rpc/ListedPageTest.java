package io.csi4j.core.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.CsiException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ListedPageTest {
    private final CsiCallException expired = new CsiCallException(
            Rpc.LIST_VOLUMES,
            "plugin",
            null,
            StatusCode.ABORTED,
            CallOutcome.PAGE_RESTART,
            "the token has expired",
            null);

    private record Page(List<Integer> entries, String nextToken) implements ListedPage<Integer> {}

    /** The pages of a list of numbers; the token of a page is its first number. */
    private static Page page(String token, int size, int numbers) {
        int first = token.isEmpty() ? 0 : Integer.parseInt(token);
        int end = Math.min(first + size, numbers);
        return new Page(IntStream.range(first, end).boxed().toList(), end == numbers ? "" : String.valueOf(end));
    }

    private static CompletableFuture<List<Integer>> all(Function<String, CompletableFuture<Page>> read) {
        return ListedPage.all(100_000, read);
    }

    @Test
    void pagesThatArriveAtOnceAreReadWithoutDeepStack() {
        assertThat(all(token -> CompletableFuture.completedFuture(page(token, 1, 15_000)))
                        .join())
                .containsExactlyElementsOf(IntStream.range(0, 15_000).boxed().toList());
    }

    @Test
    void nextPageIsRequestedAfterOneBeforeHasArrived() {
        List<String> tokens = new ArrayList<>();
        List<CompletableFuture<Page>> pages = new ArrayList<>();
        CompletableFuture<List<Integer>> all = all(token -> {
            tokens.add(token);
            pages.add(new CompletableFuture<>());
            return pages.get(pages.size() - 1);
        });
        for (int i = 0; i < 3; i++) {
            assertThat(tokens).hasSize(i + 1);
            pages.get(i).complete(page(tokens.get(i), 2, 5));
        }
        assertThat(tokens).containsExactly("", "2", "4");
        assertThat(all.join()).containsExactly(0, 1, 2, 3, 4);
    }

    @Test
    void listBeginsAgainWhenItsTokenHasExpired() {
        List<String> tokens = new ArrayList<>();
        List<Integer> all = all(token -> {
                    tokens.add(token);
                    return tokens.size() == 2
                            ? CompletableFuture.failedFuture(expired)
                            : CompletableFuture.completedFuture(page(token, 2, 4));
                })
                .join();
        assertThat(tokens).containsExactly("", "2", "", "2");
        assertThat(all).containsExactly(0, 1, 2, 3);
    }

    @Test
    void listWhoseTokensAlwaysExpireFailsAfterThreeRestarts() {
        List<String> tokens = new ArrayList<>();
        assertThatThrownBy(all(token -> {
                    tokens.add(token);
                    return token.isEmpty()
                            ? CompletableFuture.completedFuture(page(token, 2, 4))
                            : CompletableFuture.failedFuture(expired);
                })::join)
                .hasCause(expired);
        assertThat(tokens).containsExactly("", "2", "", "2", "", "2", "", "2");
    }

    @Test
    void listThatDoesNotEndFails() {
        assertThatThrownBy(ListedPage.all(10, token -> CompletableFuture.completedFuture(page(token, 4, 11)))::join)
                .hasCauseInstanceOf(CsiException.class)
                .hasMessageContaining("more than 10 entries");
        assertThat(ListedPage.all(10, token -> CompletableFuture.completedFuture(page(token, 4, 10)))
                        .join())
                .hasSize(10);
        List<String> tokens = new ArrayList<>();
        assertThatThrownBy(all(token -> {
                    tokens.add(token);
                    return CompletableFuture.completedFuture(new Page(List.of(), "again"));
                })::join)
                .hasCauseInstanceOf(CsiException.class)
                .hasMessageContaining("50 pages in a row had no entry");
        assertThat(tokens).hasSize(50);
        assertThatThrownBy(all(token -> CompletableFuture.completedFuture(page(token, 1, 30_000)))::join)
                .hasCauseInstanceOf(CsiException.class)
                .hasMessageContaining("more than 20000 pages");
        assertThatThrownBy(() -> ListedPage.all(0, token -> CompletableFuture.completedFuture(page(token, 1, 1))))
                .hasMessageContaining("maxEntries: 0");
    }

    @Test
    void failureOfPageFailsList() {
        IllegalStateException failure = new IllegalStateException("no connection");
        assertThatThrownBy(all(token -> CompletableFuture.failedFuture(failure))::join)
                .hasCause(failure);
        assertThatThrownBy(all(token -> {
                    throw failure;
                })::join)
                .hasCause(failure);
    }

    @Test
    void cancelledListCancelsCurrentPage() {
        CompletableFuture<Page> page = new CompletableFuture<>();
        CompletableFuture<List<Integer>> all = all(token -> page);
        all.cancel(false);
        assertThat(page).isCancelled();
    }
}
