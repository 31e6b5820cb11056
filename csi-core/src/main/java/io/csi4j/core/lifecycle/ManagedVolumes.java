package io.csi4j.core.lifecycle;

import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.internal.LifecycleEngine;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.plugin.PluginView;
import io.csi4j.core.rpc.GetCapacityRequest;
import io.csi4j.core.rpc.GetCapacityResponse;
import io.csi4j.core.rpc.ListVolumesResponse;
import io.csi4j.core.rpc.NodeGetVolumeStatsResponse;
import io.csi4j.core.state.VolumeQuery;
import io.csi4j.core.state.VolumeView;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeSpec;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The volumes of the cluster: they are registered, created, changed and deleted here, and seen with their health and
 * usage. The rules of {@link VolumeLifecycle} hold for every operation.
 */
public final class ManagedVolumes {
    private final LifecycleEngine engine;
    private final Operations operations;
    private final Caller caller;

    ManagedVolumes(LifecycleEngine engine, Caller caller) {
        this.engine = engine;
        this.operations = engine.operations();
        this.caller = caller;
    }

    /**
     * Declares a volume the provider has, or changes what is declared about one. The plugin's controller, if
     * it has one, has to confirm every capability (R69), so a healthy one is needed. A volume that the plugin does not
     * know fails at once with a {@link CsiRequestException}, and so does everything that it does not confirm. While a
     * volume is being created, the fields of the request for it stay as they are.
     *
     * @param key its key
     * @param spec what is declared
     * @return the volume as it is stored now, without secrets, contexts, mount flags and parameters unless the caller has {@link
     *     io.csi4j.core.spi.Permission#MANAGEMENT}
     */
    public CompletableFuture<Volume> register(VolumeKey key, VolumeSpec spec) {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(spec, "spec");
        return operations.run(
                "registration of volume " + key,
                () -> engine.registration()
                        .register(caller, key, spec)
                        .thenApply(volume -> engine.views().answer(caller, volume)));
    }

    /**
     * Makes a volume (R51-R58). The intent is on record before the provider is asked. A repeat with equal fields answers
     * the volume that exists, and one with another field is rejected with the name of that field; it never changes a
     * volume. A volume context cannot be declared: the provider gives it (R57). It fails with a {@link
     * WrongAnswerException} if the provider made something else, which is deleted again, and for good if the
     * provider certainly refused; then nothing is left of it.
     *
     * @param key its key
     * @param spec what is declared; without a name, one is made of the key
     * @return the volume once the provider has it, without secrets, contexts, mount flags and parameters unless the caller has {@link
     *     io.csi4j.core.spi.Permission#MANAGEMENT}
     */
    public CompletableFuture<Volume> create(VolumeKey key, VolumeSpec spec) {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(spec, "spec");
        return operations.run(
                "creation of volume " + key,
                () -> engine.creation()
                        .create(caller, key, spec)
                        .thenApply(volume -> engine.views().answer(caller, volume)));
    }

    /**
     * Deletes a volume at the provider, and then its record. Refused while it is in use or goes by another
     * name too. If the provider refuses, with a {@link RefusedException}, the volume is as it was.
     *
     * @param key the volume
     * @return completes once both are gone
     */
    public CompletableFuture<Void> delete(VolumeKey key) {
        Objects.requireNonNull(key, "key");
        return operations.run(
                "deletion of volume " + key, () -> engine.deletion().delete(caller, key));
    }

    /**
     * Forgets a volume and leaves it at the provider. One that is being created or deleted is forgotten by force only:
     * whether the provider has it is not known.
     *
     * @param key the volume
     * @param force forget its claims and attachments too, provided that each claimant has ended, and an unfinished
     *     creation or deletion
     * @return completes once the record is gone
     */
    public CompletableFuture<Void> deregister(VolumeKey key, boolean force) {
        Objects.requireNonNull(key, "key");
        return operations.run(
                "deregistration of volume " + key, () -> engine.registration().deregister(caller, key, force));
    }

    /**
     * Grows a volume (R82-R84). A volume whose size already lies in the range is only recorded. The request is
     * persisted before the first call: if the future fails with an {@link UnfinishedException}, or this server dies, the
     * leader finishes the expansion, with the secrets of the {@link io.csi4j.core.spi.SecretsProvider}; {@link
     * Volume#expansion()} shows its progress. Secrets of the caller reach the nodes only if this server leads. A node
     * that refused permanently (R95) is not asked again. A claim that is taken before any node expanded the volume has
     * its node expand it.
     *
     * @param key the volume
     * @param range how large it has to be
     * @return the volume with its new size, without secrets, contexts, mount flags and parameters unless the caller has {@link
     *     io.csi4j.core.spi.Permission#MANAGEMENT},
     *     and what its nodes make of it; a refusal is a {@link CsiCallException} or a {@link RefusedException}
     */
    public CompletableFuture<ExpandResult> expand(VolumeKey key, CapacityRange range) {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(range, "range");
        return operations.run(
                "expansion of volume " + key,
                () -> engine.expander()
                        .expand(caller, key, range)
                        .thenApply(grown ->
                                new ExpandResult(engine.views().answer(caller, grown.volume()), grown.nodes())));
    }

    /**
     * Changes mutable parameters of a volume in place (R74). The wish is on record before the call, and the leader
     * goes on with it like with an expansion; {@link Volume#modification()} tells how far it came. A wish that is not
     * fulfilled yet is widened by a newer one, and then both are refused together.
     *
     * @param key the volume
     * @param mutableParameters those that change; all others stay
     * @return the volume once the provider took them, without secrets, contexts, mount flags and parameters unless the caller has {@link
     *     io.csi4j.core.spi.Permission#MANAGEMENT};
     *     a refusal, after which nothing was changed, is a {@link CsiCallException} or a {@link RefusedException}
     */
    public CompletableFuture<Volume> modify(VolumeKey key, Map<String, String> mutableParameters) {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(mutableParameters, "mutableParameters");
        return operations.run(
                "change of volume " + key,
                () -> engine.modification()
                        .modify(caller, key, mutableParameters)
                        .thenApply(volume -> engine.views().answer(caller, volume)));
    }

    /**
     * A volume with its plugin and allocations, of one index, without secrets, contexts, mount flags and parameters,
     * whoever the caller is. The plugin is an {@linkplain PluginView#outline() outline} unless the caller may read
     * plugins.
     *
     * @param key the volume
     * @return empty: there is none
     */
    public CompletableFuture<Optional<VolumeView>> get(VolumeKey key) {
        Objects.requireNonNull(key, "key");
        return operations.run(
                () -> CompletableFuture.completedFuture(engine.views().volume(caller, key)));
    }

    /**
     * A page of volumes. Over all namespaces, those of the namespaces the caller may list.
     *
     * @param query which; with a node, the caller has to be allowed to read the volumes too
     * @return one page, in key order
     */
    public CompletableFuture<VolumeSummaries> list(VolumeQuery query) {
        Objects.requireNonNull(query, "query");
        return operations.run(
                () -> CompletableFuture.completedFuture(engine.views().volumes(caller, query)));
    }

    /**
     * A page of the volumes a provider has, registered here or not (R70-R72).
     *
     * @param plugin the plugin
     * @param maxEntries the most entries to ask for; 0: as the provider likes
     * @param token where to begin, as an earlier page told; empty: at the beginning. One that is no longer
     *     good fails with outcome PAGE_RESTART: begin again
     * @return those of namespaces the caller may read, without contexts; of those that are not registered, all for the
     *     management, and else none
     */
    public CompletableFuture<ExternalPage<ListVolumesResponse.Entry>> listExternal(
            PluginId plugin, int maxEntries, String token) {
        Objects.requireNonNull(plugin, "plugin");
        Objects.requireNonNull(token, "token");
        return operations.run(
                "listing of the volumes of plugin " + plugin,
                () -> engine.looks().volumes(caller, plugin, maxEntries, token));
    }

    /**
     * Room for new volumes (R75).
     *
     * @param plugin the plugin
     * @param request for what kind of volumes, and where
     * @return as the provider told
     */
    public CompletableFuture<GetCapacityResponse> capacity(PluginId plugin, GetCapacityRequest request) {
        Objects.requireNonNull(plugin, "plugin");
        Objects.requireNonNull(request, "request");
        return operations.run(
                "look at the capacity of plugin " + plugin, () -> engine.looks().capacity(caller, plugin, request));
    }

    /**
     * The health of a volume as its controller sees it: ControllerGetVolumeHealth since CSI 1.13 (R104), the condition
     * that ControllerGetVolume tells before.
     *
     * @param key the volume
     * @return NOT_TOLD where the plugin's controller speaks neither model
     */
    public CompletableFuture<VolumeHealthReport> health(VolumeKey key) {
        Objects.requireNonNull(key, "key");
        return operations.run(
                "look at the health of volume " + key, () -> engine.health().volume(caller, key));
    }

    /**
     * The health of a volume as the node sees it where an allocation uses it: NodeGetVolumeHealth since CSI 1.13 (R104),
     * the condition that NodeGetVolumeStats tells before.
     *
     * @param key the volume
     * @param allocationId who uses it
     * @return NOT_TOLD where the plugin's node service speaks neither model; fails with NOT_FOUND if the volume is not
     *     mounted for the allocation
     */
    public CompletableFuture<VolumeHealthReport> health(VolumeKey key, AllocationId allocationId) {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(allocationId, "allocationId");
        return operations.run(
                "look at the health of volume " + key + " for allocation " + allocationId,
                () -> engine.health().volume(caller, key, allocationId));
    }

    /**
     * How full a volume is where an allocation uses it (NodeGetVolumeStats, R92).
     *
     * @param key the volume
     * @param allocationId who uses it
     * @return as the plugin told; fails with NOT_FOUND if the volume is not mounted for the allocation
     */
    public CompletableFuture<NodeGetVolumeStatsResponse> stats(VolumeKey key, AllocationId allocationId) {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(allocationId, "allocationId");
        return operations.run(
                "look at the usage of volume " + key + " for allocation " + allocationId,
                () -> engine.health().stats(caller, key, allocationId));
    }

    /**
     * A page of those volumes of a provider that are not well, registered here or not: ControllerListVolumeHealth since
     * CSI 1.13 (R104), of ListVolumes those whose condition is abnormal before (R70-R72).
     *
     * @param plugin the plugin
     * @param maxEntries the most entries to ask for; 0: as the provider likes
     * @param token where to begin, as an earlier page told; empty: at the beginning. One that is no longer
     *     good fails with outcome PAGE_RESTART: begin again
     * @return those of namespaces the caller may read, and for the management those that are not registered; a page may be
     *     empty though there are further ones
     */
    public CompletableFuture<ExternalPage<AbnormalVolume>> listAbnormal(PluginId plugin, int maxEntries, String token) {
        Objects.requireNonNull(plugin, "plugin");
        Objects.requireNonNull(token, "token");
        return operations.run(
                "listing of the volumes of plugin " + plugin + " that are not well",
                () -> engine.health().abnormal(caller, plugin, maxEntries, token));
    }
}
