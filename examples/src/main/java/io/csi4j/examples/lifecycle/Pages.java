package io.csi4j.examples.lifecycle;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.CsiException;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.Snapshot;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.csi.VolumeHealth;
import io.csi4j.core.rpc.ControllerListVolumeHealthRequest;
import io.csi4j.core.rpc.ControllerListVolumeHealthResponse;
import io.csi4j.core.rpc.ControllerService;
import io.csi4j.core.rpc.ListSnapshotsRequest;
import io.csi4j.core.rpc.ListSnapshotsResponse;
import io.csi4j.core.rpc.ListVolumesRequest;
import io.csi4j.core.rpc.ListVolumesResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;

/**
 * Reads all pages of a listing. A plugin may ignore the page size; if it rejects a token, the listing starts again (R72).
 */
final class Pages<P, E> {
    private static final int PAGE_SIZE = 100;
    private static final int MAX_PAGES = 10_000;
    private static final int MAX_STARTS = 3;

    private final Function<String, CompletableFuture<P>> fetch;
    private final Function<P, List<E>> entries;
    private final Function<P, String> nextToken;
    private final List<E> items = new ArrayList<>();
    private int pages;
    private int starts = 1;

    Pages(Function<String, CompletableFuture<P>> fetch, Function<P, List<E>> entries, Function<P, String> nextToken) {
        this.fetch = fetch;
        this.entries = entries;
        this.nextToken = nextToken;
    }

    static CompletableFuture<List<ListVolumesResponse.Entry>> volumes(ControllerService controller) {
        return new Pages<>(
                        (String token) -> controller.listVolumes(ListVolumesRequest.builder()
                                .maxEntries(PAGE_SIZE)
                                .startingToken(token)
                                .build()),
                        ListVolumesResponse::entries,
                        ListVolumesResponse::nextToken)
                .from("");
    }

    static CompletableFuture<List<Snapshot>> snapshots(ControllerService controller, SnapshotId id, Secrets secrets) {
        return new Pages<>(
                        (String token) -> controller.listSnapshots(ListSnapshotsRequest.builder()
                                .maxEntries(PAGE_SIZE)
                                .startingToken(token)
                                .snapshotId(id)
                                .secrets(secrets)
                                .build()),
                        ListSnapshotsResponse::entries,
                        ListSnapshotsResponse::nextToken)
                .from("");
    }

    static CompletableFuture<List<VolumeHealth>> volumeHealth(ControllerService controller, Secrets secrets) {
        return new Pages<>(
                        (String token) ->
                                controller.controllerListVolumeHealth(ControllerListVolumeHealthRequest.builder()
                                        .maxEntries(PAGE_SIZE)
                                        .startingToken(token)
                                        .secrets(secrets)
                                        .build()),
                        ControllerListVolumeHealthResponse::entries,
                        ControllerListVolumeHealthResponse::nextToken)
                .from("");
    }

    CompletableFuture<List<E>> from(String token) {
        return fetch.apply(token)
                .thenCompose(page -> {
                    items.addAll(entries.apply(page));
                    String next = nextToken.apply(page);
                    if (next.isEmpty()) {
                        return CompletableFuture.completedFuture(List.copyOf(items));
                    }
                    if (++pages >= MAX_PAGES || next.equals(token)) {
                        return CompletableFuture.failedFuture(new CsiException(
                                "the listing does not end: after " + pages + " pages there is still a next token"));
                    }
                    return from(next);
                })
                .exceptionallyCompose(this::restart);
    }

    private CompletableFuture<List<E>> restart(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        boolean badToken = cause instanceof CsiCallException call && call.outcome() == CallOutcome.PAGE_RESTART;
        if (badToken && starts++ < MAX_STARTS) {
            items.clear();
            return from("");
        }
        return CompletableFuture.failedFuture(cause);
    }
}
