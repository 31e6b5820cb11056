package io.csi4j.core.lifecycle.internal.reconcile;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.lifecycle.internal.call.Failures;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.rpc.ListVolumesResponse;
import io.csi4j.core.state.StateReader;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Lists all volumes of a storage provider, page by page. The pages are not one consistent snapshot (R70): an entry may
 * be missing or repeated; if entries have the same id, the last one counts.
 */
public final class ProviderListing {
    private static final int PAGE = 500;
    private static final int RESTARTS = 3;

    private final Operations operations;
    private final ProviderQueries providerQueries;

    public ProviderListing(Operations operations, ProviderQueries providerQueries) {
        this.operations = operations;
        this.providerQueries = providerQueries;
    }

    CompletableFuture<Listed> all(PluginId plugin) {
        return all(plugin, 0);
    }

    /**
     * Lists all volumes, starting with the first page. If a page token expires during the listing (R72), the listing
     * starts again with the first page, because the entries of the earlier pages may be outdated.
     */
    private CompletableFuture<Listed> all(PluginId plugin, int restarts) {
        Listed listed = new Listed(operations.state());
        return collect(plugin, listed, "")
                .exceptionallyCompose(
                        failure -> Failures.outcome(failure) == CallOutcome.PAGE_RESTART && restarts < RESTARTS
                                ? all(plugin, restarts + 1)
                                : CompletableFuture.failedFuture(Futures.unwrap(failure)));
    }

    private CompletableFuture<Listed> collect(PluginId plugin, Listed listed, String token) {
        return providerQueries.page(plugin, PAGE, token).thenCompose(page -> {
            page.entries().forEach(entry -> listed.entries.put(entry.volume().volumeId(), entry));
            return page.nextToken().isEmpty()
                    ? CompletableFuture.completedFuture(listed)
                    : collect(plugin, listed, page.nextToken());
        });
    }

    /** The listed volumes, and the state right before the listing. */
    static final class Listed {
        private final StateReader begun;
        private final Map<ExternalVolumeId, ListVolumesResponse.Entry> entries = new LinkedHashMap<>();

        Listed(StateReader begun) {
            this.begun = begun;
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
