package io.csi4j.examples.lifecycle;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.CsiException;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.Snapshot;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.csi.VolumeHealth;
import io.csi4j.core.rpc.ControllerListVolumeHealthRequest;
import io.csi4j.core.rpc.ControllerService;
import io.csi4j.core.rpc.ListSnapshotsRequest;
import io.csi4j.core.rpc.ListVolumesRequest;
import io.csi4j.core.rpc.ListVolumesResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;

/**
 * All pages of a listing. A plugin may send everything at once, whatever was asked; a token that is no
 * longer good means to begin again (R72).
 */
final class Pages<P, E> {
    private static final int PAGE = 100;
    private static final int MOST_PAGES = 10_000;
    private static final int MOST_BEGINNINGS = 3;

    private final Function<String, CompletableFuture<P>> ask;
    private final Function<P, List<E>> entries;
    private final Function<P, String> nextToken;
    private final List<E> all = new ArrayList<>();
    private int pages;
    private int beginnings = 1;

    private Pages(
            Function<String, CompletableFuture<P>> ask, Function<P, List<E>> entries, Function<P, String> nextToken) {
        this.ask = ask;
        this.entries = entries;
        this.nextToken = nextToken;
    }

    static CompletableFuture<List<ListVolumesResponse.Entry>> volumes(ControllerService controller) {
        return new Pages<>(
                        (String token) -> controller.listVolumes(ListVolumesRequest.builder()
                                .maxEntries(PAGE)
                                .startingToken(token)
                                .build()),
                        ListVolumesResponse::entries,
                        ListVolumesResponse::nextToken)
                .from("");
    }

    static CompletableFuture<List<Snapshot>> snapshots(ControllerService controller, SnapshotId id, Secrets secrets) {
        return new Pages<>(
                        (String token) -> controller.listSnapshots(ListSnapshotsRequest.builder()
                                .maxEntries(PAGE)
                                .startingToken(token)
                                .snapshotId(id)
                                .secrets(secrets)
                                .build()),
                        io.csi4j.core.rpc.ListSnapshotsResponse::entries,
                        io.csi4j.core.rpc.ListSnapshotsResponse::nextToken)
                .from("");
    }

    static CompletableFuture<List<VolumeHealth>> volumeHealth(ControllerService controller, Secrets secrets) {
        return new Pages<>(
                        (String token) ->
                                controller.controllerListVolumeHealth(ControllerListVolumeHealthRequest.builder()
                                        .maxEntries(PAGE)
                                        .startingToken(token)
                                        .secrets(secrets)
                                        .build()),
                        io.csi4j.core.rpc.ControllerListVolumeHealthResponse::entries,
                        io.csi4j.core.rpc.ControllerListVolumeHealthResponse::nextToken)
                .from("");
    }

    private CompletableFuture<List<E>> from(String token) {
        return ask.apply(token)
                .thenCompose(page -> {
                    all.addAll(entries.apply(page));
                    String next = nextToken.apply(page);
                    if (next.isEmpty()) {
                        return CompletableFuture.completedFuture(List.copyOf(all));
                    }
                    if (++pages >= MOST_PAGES || next.equals(token)) {
                        return CompletableFuture.failedFuture(new CsiException(
                                "the listing does not end: after " + pages + " pages there is still a next token"));
                    }
                    return from(next);
                })
                .exceptionallyCompose(this::beginAgain);
    }

    private CompletableFuture<List<E>> beginAgain(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        boolean badToken = cause instanceof CsiCallException call && call.outcome() == CallOutcome.PAGE_RESTART;
        if (badToken && beginnings++ < MOST_BEGINNINGS) {
            all.clear();
            return from("");
        }
        return CompletableFuture.failedFuture(cause);
    }
}
