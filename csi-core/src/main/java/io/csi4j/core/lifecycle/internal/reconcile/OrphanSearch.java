package io.csi4j.core.lifecycle.internal.reconcile;

import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.apply.PluginOffer;
import io.csi4j.core.lifecycle.NotLeadingException;
import io.csi4j.core.lifecycle.OrphanedVolumes;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.spi.Access;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.WithdrawnCreation;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Finds volumes that the storage provider lists although no volume of the state refers to them. The search reports
 * these volumes and never deletes one.
 *
 * <p>Concurrent creations and deletions cause no false reports. The search lists the provider's volumes twice. It
 * reports an id only if both listings contain it, and if the state contains it neither before the first listing nor
 * after the second one. A volume that is deleted during the search was in the state before the first listing, or is
 * missing in the second listing. A volume that is created during the search is in the state after a listing, or its
 * creation is unfinished, and then the volume counts as undecided. The search needs a state that has the intents of all
 * calls; only the leader certainly has it.
 */
public final class OrphanSearch {
    private final Operations operations;
    private final ProviderListing listing;
    private final Supplier<Optional<Object>> leadership;

    /**
     * Creates the search.
     *
     * @param leadership identifies the current term of leadership; empty if this engine does not lead
     */
    public OrphanSearch(Operations operations, ProviderListing listing, Supplier<Optional<Object>> leadership) {
        this.operations = operations;
        this.listing = listing;
        this.leadership = leadership;
    }

    /**
     * Searches the orphaned volumes of a plugin.
     *
     * @param stopped returns whether the search has to stop, because no caller waits for it
     */
    public CompletableFuture<OrphanedVolumes> run(Caller caller, PluginId plugin, BooleanSupplier stopped) {
        operations.permissions().allow(caller, Access.of(Permission.MANAGEMENT));
        Object term = leadership.get().orElseThrow(NotLeadingException::new);
        PluginOffer.of(operations.state(), plugin)
                .needs(ControllerCapability.LIST_VOLUMES, "finding orphaned volumes")
                .check("search for orphaned volumes");
        return listing.all(plugin, stopped).thenCompose(first -> {
            List<ExternalVolumeId> candidates = unknown(plugin, first.begun(), first.ids());
            return unknown(plugin, operations.state(), candidates).isEmpty()
                    ? CompletableFuture.completedFuture(result(term, plugin, List.of()))
                    : listing.all(plugin, stopped).thenApply(second -> result(term, plugin, both(candidates, second)));
        });
    }

    private static List<ExternalVolumeId> both(List<ExternalVolumeId> candidates, ProviderListing.Listed second) {
        return candidates.stream().filter(second::has).toList();
    }

    private static List<ExternalVolumeId> unknown(PluginId plugin, StateReader state, List<ExternalVolumeId> ids) {
        return ids.stream()
                .filter(id -> state.volumeByExternalId(plugin, id).isEmpty())
                .toList();
    }

    private OrphanedVolumes result(Object term, PluginId plugin, List<ExternalVolumeId> candidates) {
        StateReader state = operations.state();
        if (!leadership.get().equals(Optional.of(term))) {
            throw new NotLeadingException();
        }
        List<ExternalVolumeId> unknown = unknown(plugin, state, candidates);
        List<VolumeKey> unresolved = new ArrayList<>();
        for (VolumeKey key : state.volumesOf(plugin)) {
            if (state.volume(key).flatMap(Volume::externalVolumeId).isEmpty()) {
                unresolved.add(key);
            }
        }
        List<WithdrawnCreation> withdrawn = new ArrayList<>();
        for (WithdrawnCreation creation : state.withdrawnCreations()) {
            if (creation.pluginId().equals(plugin)) {
                withdrawn.add(creation);
            }
        }
        return unresolved.isEmpty()
                ? new OrphanedVolumes(plugin, unknown, List.of(), List.of(), withdrawn)
                : new OrphanedVolumes(plugin, List.of(), unknown, unresolved, withdrawn);
    }
}
