package io.csi4j.core.lifecycle.internal.reconcile;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolume;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.internal.check.InputLimit;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.internal.text.Durations;
import io.csi4j.core.lifecycle.UnfinishedException;
import io.csi4j.core.lifecycle.WrongAnswerException;
import io.csi4j.core.lifecycle.internal.call.Failures;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.rpc.ListVolumesResponse;
import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.state.StateReader;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Lists all volumes of a storage provider, page by page. The pages are not one consistent snapshot (R70): an entry may
 * be missing or repeated; if entries have the same id, the last one counts.
 *
 * <p>A listing ends, whatever the plugin answers: after the operation timeout, when no caller waits for it any more, and at
 * the limits for pages, for pages without a new volume in a row, for volumes, and for their ids and nodes ({@link
 * InputLimit}). It holds no contexts.
 */
public final class ProviderListing {
    private static final int PAGE = 500;
    private static final int RESTARTS = 3;
    private static final int MAX_PAGES = InputLimit.PAGES.max();
    private static final int MAX_PAGES_WITHOUT_PROGRESS = InputLimit.PAGES_WITHOUT_PROGRESS.max();

    private final Operations operations;
    private final ProviderQueries providerQueries;

    public ProviderListing(Operations operations, ProviderQueries providerQueries) {
        this.operations = operations;
        this.providerQueries = providerQueries;
    }

    /**
     * Lists all volumes.
     *
     * @param stopped returns whether the listing has to stop before its next page, because no caller waits for its result
     * @return fails with an {@link UnfinishedException} if the listing was stopped or reached its time limit, and with a
     *     {@link WrongAnswerException} if the plugin's pages do not end
     */
    CompletableFuture<Listed> all(PluginId plugin, BooleanSupplier stopped) {
        Listing listing = new Listing(plugin, stopped);
        listing.begin();
        return listing.result;
    }

    /** One listing. Its pages are requested one after the other. */
    private final class Listing {
        private final PluginId plugin;
        private final BooleanSupplier stopped;
        private final CompletableFuture<Listed> result = new CompletableFuture<>();
        private final Duration limit = operations.ports().options().operationTimeout();
        private volatile boolean late;
        private Listed listed = new Listed(operations.state());
        private int restarts;
        private int pages;
        private int withoutProgress;

        Listing(PluginId plugin, BooleanSupplier stopped) {
            this.plugin = plugin;
            this.stopped = stopped;
        }

        void begin() {
            Cancellable end = operations.ports().timer().schedule(limit, () -> late = true);
            var unused = result.whenComplete((done, failure) -> end.cancel());
            next("");
        }

        private void next(String token) {
            if (late || stopped.getAsBoolean()) {
                result.completeExceptionally(new UnfinishedException(
                        what()
                                + (late
                                        ? " is not done after " + Durations.text(limit)
                                        : " was stopped, because no caller waits for it")
                                + ": " + pages + " pages with " + listed.entries.size()
                                + " volumes were read; nothing continues, repeat it"
                                + (late ? ", with a longer operationTimeout if the provider has more volumes" : ""),
                        null));
                return;
            }
            var unused = Futures.start(() -> providerQueries.page(plugin, PAGE, token))
                    .whenComplete((page, failure) -> {
                        try {
                            if (failure == null) {
                                arrived(page);
                            } else {
                                failed(Futures.unwrap(failure));
                            }
                        } catch (RuntimeException wrong) {
                            result.completeExceptionally(wrong);
                        }
                    });
        }

        private void arrived(ListVolumesResponse page) {
            int before = listed.entries.size();
            page.entries().forEach(listed::add);
            pages++;
            withoutProgress = listed.entries.size() > before ? 0 : withoutProgress + 1;
            if (InputLimit.LISTED.isExceededBy(listed.entries.size())) {
                throw endless("the list " + InputLimit.LISTED.problem(listed.entries.size()));
            } else if (InputLimit.LISTED_TEXT.isExceededBy(listed.bytes)) {
                throw endless("the ids and nodes of the list: it " + InputLimit.LISTED_TEXT.problem(listed.bytes));
            } else if (page.nextToken().isEmpty()) {
                result.complete(listed);
            } else if (withoutProgress >= MAX_PAGES_WITHOUT_PROGRESS) {
                throw endless(withoutProgress + " pages in a row had no new volume, and each named a next page");
            } else if (pages >= MAX_PAGES) {
                throw endless("it has more than " + MAX_PAGES + " pages");
            } else {
                next(page.nextToken());
            }
        }

        /**
         * Starts again with the first page if a page token has expired (R72), because the entries of the earlier pages
         * may be outdated.
         */
        private void failed(@Nullable Throwable failure) {
            if (failure != null && Failures.outcome(failure) == CallOutcome.PAGE_RESTART && restarts < RESTARTS) {
                restarts++;
                withoutProgress = 0;
                listed = new Listed(operations.state());
                next("");
            } else {
                result.completeExceptionally(failure);
            }
        }

        private String what() {
            return "listing of the volumes of plugin " + plugin;
        }

        private WrongAnswerException endless(String problem) {
            return new WrongAnswerException(
                    Rpc.LIST_VOLUMES,
                    what(),
                    problem + "; " + listed.entries.size()
                            + " volumes were read, and nothing continues. Report it to the vendor of the plugin");
        }
    }

    /** The listed volumes, and the state right before the listing. */
    static final class Listed {
        private final StateReader begun;
        private final Map<ExternalVolumeId, ListVolumesResponse.Entry> entries = new LinkedHashMap<>();
        private long bytes;

        Listed(StateReader begun) {
            this.begun = begun;
        }

        private void add(ListVolumesResponse.Entry entry) {
            ExternalVolumeId id = entry.volume().volumeId();
            ListVolumesResponse.Entry held =
                    new ListVolumesResponse.Entry(ExternalVolume.builder(id).build(), entry.status());
            bytes += bytes(held);
            ListVolumesResponse.Entry before = entries.put(id, held);
            bytes -= before == null ? 0 : bytes(before);
        }

        private static long bytes(ListVolumesResponse.Entry entry) {
            long bytes = InputLimit.bytes(entry.volume().volumeId().value());
            if (entry.status().isPresent()) {
                for (ExternalNodeId node : entry.status().get().publishedNodeIds()) {
                    bytes += InputLimit.bytes(node.value());
                }
                bytes += entry.status()
                        .get()
                        .volumeCondition()
                        .map(condition -> InputLimit.bytes(condition.message()))
                        .orElse(0);
            }
            return bytes;
        }

        StateReader begun() {
            return begun;
        }

        Collection<ListVolumesResponse.Entry> entries() {
            return entries.values();
        }

        List<ExternalVolumeId> ids() {
            return List.copyOf(entries.keySet());
        }

        boolean has(ExternalVolumeId id) {
            return entries.containsKey(id);
        }
    }
}
