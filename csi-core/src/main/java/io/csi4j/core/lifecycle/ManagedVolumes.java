package io.csi4j.core.lifecycle;

import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.OwnerCommand;
import io.csi4j.core.lifecycle.internal.LifecycleEngine;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.lifecycle.internal.call.OperationStarter;
import io.csi4j.core.lifecycle.internal.change.DeleteRequest;
import io.csi4j.core.lifecycle.internal.change.ModifyRequest;
import io.csi4j.core.plugin.PluginView;
import io.csi4j.core.rpc.GetCapacityRequest;
import io.csi4j.core.rpc.GetCapacityResponse;
import io.csi4j.core.rpc.ListVolumesResponse;
import io.csi4j.core.rpc.NodeGetVolumeStatsResponse;
import io.csi4j.core.state.ListPage;
import io.csi4j.core.state.VolumeQuery;
import io.csi4j.core.state.VolumeView;
import io.csi4j.core.volume.ReclaimPolicy;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.core.volume.VolumeTemplate;
import io.csi4j.core.volume.WorkloadOwner;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Registers, creates, changes and deletes volumes, lists them, and reports their health and usage. {@link
 * VolumeLifecycle} describes the rules for all operations, for example about permissions and failures.
 */
public final class ManagedVolumes {
    private final LifecycleEngine engine;
    private final OperationStarter operations;
    private final Caller caller;

    ManagedVolumes(LifecycleEngine engine, Caller caller) {
        this.engine = engine;
        this.operations = engine.operations().starter(caller);
        this.caller = caller;
    }

    /**
     * Registers a volume that exists at the provider, or changes the specification of a registered volume. A
     * healthy instance of the plugin has to answer before anything is stored: a controller confirms every capability
     * (R69); of a plugin without a controller service, an instance on a READY node says which driver it is (R37). Fails
     * at once with a {@link CsiRequestException} if no instance is healthy, if another driver answers, or if the plugin
     * does not know the volume or does not confirm a capability. Fails with a {@link RejectedException} if another driver
     * takes over the plugin's id before the command is applied. While a volume is being created, the fields of its creation request cannot change.
     *
     * <p>The row gives the right to mount and delete the provider's volume. So a key without a row needs {@link
     * io.csi4j.core.spi.Permission#MANAGEMENT}, and so does a changed volume context.
     *
     * @param key the key of the volume in the state
     * @param spec the specification of the volume
     * @return the stored volume, without secrets, contexts, mount flags and parameters unless the caller has {@link
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
     * Creates a volume at the provider (R51-R58). The intent is stored before the plugin is called. Another call with
     * equal fields returns the existing volume. Another call with a different field changes nothing and is rejected
     * with the name of that field. The specification cannot contain a volume context, because the plugin returns it
     * (R57). Fails with a {@link WrongAnswerException} if the provider created another volume than requested; the
     * engine then deletes that volume, with the secrets of the caller as long as the operation timeout. If it is certain that the provider refused, the future fails with an exception
     * that is not retryable, and the state keeps no row of the volume; at a server that does not lead, the exception has
     * the plugin's code and not its words. Fails with a {@link VolumeRemovedException} if the volume was removed
     * meanwhile. While the outcome of a call is not known, the
     * leader repeats the call, until the volume exists, is deleted, or {@link OperatorActions#withdrawCreation} gives
     * the creation up; {@link Volume#creationForecast()} tells whether the plugin has no room.
     *
     * <p>Each creation makes a new volume: after {@link #deregister}, {@link OperatorActions#forgetVolume}, a refusal or
     * a withdrawal, another creation with the same key never returns the former volume with its data, because it has
     * another name at the provider. To have the former volume back, {@link #register} it with its external id. A
     * specification with a name of its own is the exception: a plugin returns the volume that it has by this name. No
     * other volume of the plugin may be created with that name, and such a name needs {@link
     * io.csi4j.core.spi.Permission#MANAGEMENT}. A content source needs {@link io.csi4j.core.spi.Permission#VOLUME_READ}
     * in the namespace of its volume, or MANAGEMENT if it is of no registered volume.
     *
     * @param key the key of the volume in the state
     * @param spec the specification; without a name, csi4j gives this creation a name of its own, derived from the key
     * @return the volume, once the provider has created it, without secrets, contexts, mount flags and parameters
     *     unless the caller has {@link io.csi4j.core.spi.Permission#MANAGEMENT}
     */
    public CompletableFuture<Volume> create(VolumeKey key, VolumeSpec spec) {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(spec, "spec");
        return operations.run(() -> engine.changes()
                .create(caller, key, spec)
                .thenApply(volume -> engine.views().answer(caller, volume)));
    }

    /**
     * Creates a volume from a class, with a size, as {@link #create(VolumeKey, VolumeTemplate)} does.
     *
     * @param capacity the size, within the limits of the class
     */
    public CompletableFuture<Volume> create(VolumeKey key, VolumeClassName className, CapacityRange capacity) {
        Objects.requireNonNull(capacity, "capacity");
        return create(
                key, VolumeTemplate.builder(className).capacityRange(capacity).build());
    }

    /**
     * Creates a volume from a class (R51-R58). The class is read in the transaction that stores the intent, and all its
     * values, also its secrets, are copied into the row of the volume; later changes of the class, or its removal, do not
     * change the volume. The volume remembers the class ({@link Volume#classOrigin()}).
     *
     * <p>Another call with the same template returns the existing volume, also if the class has changed meanwhile; another
     * class, size or capability is rejected with the name of the field. Fails with a {@link RejectedException} that names
     * all problems if the namespace cannot use a class of this name, the size or a capability is outside of the class, or
     * the plugin cannot make such volumes. Otherwise, this method is as {@link #create(VolumeKey, VolumeSpec)}.
     *
     * @param key the key of the volume in the state; its namespace has to be one that may use the class
     * @param template the name of the class, with size and capabilities within its limits
     * @return the volume, once the provider has created it, without secrets, contexts, mount flags and parameters
     *     unless the caller has {@link io.csi4j.core.spi.Permission#MANAGEMENT}
     */
    public CompletableFuture<Volume> create(VolumeKey key, VolumeTemplate template) {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(template, "template");
        return operations.run(() -> engine.changes()
                .create(caller, key, template)
                .thenApply(volume -> engine.views().answer(caller, volume)));
    }

    /**
     * Deletes a volume at the storage provider, and then removes its row from the state. Rejected while the volume is
     * in use, or while another registered volume has the same external id. If the provider refuses, the future fails
     * with a {@link RefusedException} and the volume is unchanged. While another volume is being created from this one,
     * the deletion waits, and no further creation from it begins.
     *
     * <p>If the volume's creation is not finished, the deletion asks the plugin for the volume by the same CreateVolume
     * request, and deletes it. If each call certainly made nothing, it ends at once. If the plugin answers
     * RESOURCE_EXHAUSTED three times, the creation is withdrawn and the deletion ends; {@link
     * OperatorActions#withdrawnCreations} shows it. {@link OperatorActions#withdrawCreation} ends it in any other case.
     *
     * @return completes when the volume is deleted at the provider and in the state
     */
    public CompletableFuture<Void> delete(VolumeKey key) {
        Objects.requireNonNull(key, "key");
        return operations.run(() ->
                engine.changes().request(caller, key, new DeleteRequest(key)).thenApply(deleted -> null));
    }

    /**
     * Deletes a volume that was retained when its workload ended, as {@link #delete} deletes other volumes. {@link #delete}
     * refuses such a volume, because its class or an operator keeps its data.
     *
     * @return completes when the volume is deleted at the provider and in the state
     */
    public CompletableFuture<Void> deleteRetained(VolumeKey key) {
        Objects.requireNonNull(key, "key");
        return operations.run(() -> engine.changes()
                .request(caller, key, new DeleteRequest(key, true))
                .thenApply(deleted -> null));
    }

    /**
     * Changes the reclaim policy of a volume of a class: whether the volume is deleted or retained when its workload ends.
     * A retained volume whose policy becomes DELETE is deleted as soon as no claim is left. Rejected if the volume is being
     * deleted already.
     *
     * @return completes when the state of this server has the change
     */
    public CompletableFuture<Void> setReclaim(VolumeKey key, ReclaimPolicy reclaim) {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(reclaim, "reclaim");
        return operations.run(() -> engine.changes()
                .owner(
                        caller,
                        key,
                        (volume, now) -> new OwnerCommand.SetReclaim(key, volume.createIndex(), reclaim, now)));
    }

    /**
     * Gives a volume to a workload of its namespace, or to none, for example one that was retained. Rejected if the volume
     * belongs to an allocation, is being deleted, or the workload has ended.
     *
     * @param workload the new owner; empty for none: then the volume is persistent
     * @return completes when the state of this server has the change
     */
    public CompletableFuture<Void> adopt(VolumeKey key, Optional<WorkloadOwner> workload) {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(workload, "workload");
        return operations.run(() -> engine.changes()
                .owner(
                        caller,
                        key,
                        (volume, now) -> new OwnerCommand.SetOwner(key, volume.createIndex(), workload, now)));
    }

    /**
     * Removes a volume from the state and leaves it at the storage provider. Rejected while the volume has a claim or an
     * attachment, and while it is being created or deleted, because its existence at the provider is then unknown.
     * {@link OperatorActions#forgetVolume} removes it all the same.
     *
     * @return completes when the volume is removed from the state
     */
    public CompletableFuture<Void> deregister(VolumeKey key) {
        Objects.requireNonNull(key, "key");
        return operations.run(
                "deregistration of volume " + key, () -> engine.registration().deregister(caller, key));
    }

    /**
     * Expands a volume (R82-R84). If the volume's size already lies in the range, only the state changes. The request
     * is stored before the first call. If the future fails with an {@link UnfinishedException}, or this server fails,
     * the leader finishes the expansion with the secrets of the {@link io.csi4j.core.spi.SecretsProvider}.
     * {@link Volume#expansion()} shows the progress. The caller's secrets reach the nodes only if this server leads. A
     * node that refused permanently (R95) gets no second request. If a claim is granted before its node has expanded
     * the volume, mounting expands the volume on that node.
     *
     * @param range the requested size
     * @return the volume with its new size, and a future with the results of the nodes; the volume is without secrets,
     *     contexts, mount flags and parameters unless the caller has {@link io.csi4j.core.spi.Permission#MANAGEMENT}.
     *     Fails with a {@link CsiCallException} or a {@link RefusedException} if the plugin refuses
     */
    public CompletableFuture<ExpandResult> expand(VolumeKey key, CapacityRange range) {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(range, "range");
        return operations.run(() -> engine.changes()
                .expand(caller, key, range)
                .thenApply(grown -> new ExpandResult(engine.views().answer(caller, grown.volume()), grown.nodes())));
    }

    /**
     * Modifies mutable parameters of a volume in place (R74). The request is stored before the call, and the leader
     * finishes it even if this server fails. {@link Volume#modification()} shows the progress. A newer request is
     * merged into an unfinished one; if the plugin then refuses, both requests fail.
     *
     * @param mutableParameters the parameters to change; all others keep their values
     * @return the volume, once the plugin has changed the parameters, without secrets, contexts, mount flags and
     *     parameters unless the caller has {@link io.csi4j.core.spi.Permission#MANAGEMENT}. Fails with a
     *     {@link CsiCallException} or a {@link RefusedException} if the plugin refuses; the volume has not changed then
     */
    public CompletableFuture<Volume> modify(VolumeKey key, Map<String, String> mutableParameters) {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(mutableParameters, "mutableParameters");
        return operations.run(() -> engine.changes()
                .request(caller, key, new ModifyRequest(key, mutableParameters))
                .thenApply(volume -> engine.views().answer(caller, volume)));
    }

    /**
     * Returns a volume with its plugin and its allocations, all read at the same index of the state. Secrets, contexts,
     * mount flags and parameters are left out for every caller. If the caller may not read plugins, the plugin is
     * without its instances and allocations (an {@linkplain PluginView#outline() outline}).
     *
     * @return empty if the state does not have the volume
     */
    public CompletableFuture<Optional<VolumeView>> get(VolumeKey key) {
        Objects.requireNonNull(key, "key");
        return operations.run(
                () -> CompletableFuture.completedFuture(engine.views().volume(caller, key)));
    }

    /**
     * Returns a page of volumes. A query over all namespaces returns the volumes of those namespaces that the caller may
     * list. No plugin and no node is asked.
     *
     * @param query the filter; a query by node or workload also needs the permission to read volumes
     * @return one page, in the order of the keys. The problems of a volume are shown only to callers who may read it
     */
    public CompletableFuture<ListPage<VolumeSummary, VolumeKey>> list(VolumeQuery query) {
        Objects.requireNonNull(query, "query");
        return operations.run(
                () -> CompletableFuture.completedFuture(engine.volumeList().page(caller, query)));
    }

    /**
     * Returns a page of the storage provider's volumes, whether the state has rows for them or not (R70-R72).
     *
     * @param maxEntries the largest number of entries to request; 0 to let the plugin decide
     * @param token the token of an earlier page; empty for the first page. With an expired token the call fails with
     *     the outcome PAGE_RESTART: begin again with an empty token
     * @return the volumes of namespaces that the caller may read, without contexts; unregistered volumes only for
     *     callers with MANAGEMENT
     */
    public CompletableFuture<ExternalPage<ListVolumesResponse.Entry>> listExternal(
            PluginId plugin, int maxEntries, String token) {
        Objects.requireNonNull(plugin, "plugin");
        Objects.requireNonNull(token, "token");
        return operations.run(
                "listing of the volumes of plugin " + plugin,
                () -> engine.providerQueries().volumes(caller, plugin, maxEntries, token));
    }

    /**
     * Returns the storage provider's free capacity for new volumes (R75).
     *
     * @param request the parameters and the topology of the new volumes
     */
    public CompletableFuture<GetCapacityResponse> capacity(PluginId plugin, GetCapacityRequest request) {
        Objects.requireNonNull(plugin, "plugin");
        Objects.requireNonNull(request, "request");
        return operations.run(
                "read the capacity of plugin " + plugin,
                () -> engine.providerQueries().capacity(caller, plugin, request));
    }

    /**
     * Returns the health of a volume as its controller reports it: by ControllerGetVolumeHealth from CSI 1.13 on
     * (R104), and by the volume condition of ControllerGetVolume in older versions of CSI.
     *
     * @return NOT_REPORTED if the plugin's controller supports neither
     */
    public CompletableFuture<VolumeHealthReport> health(VolumeKey key) {
        Objects.requireNonNull(key, "key");
        return operations.run(
                "read the health of volume " + key, () -> engine.health().volume(caller, key));
    }

    /**
     * Returns the health of a volume as the node of an allocation reports it: by NodeGetVolumeHealth from CSI 1.13 on
     * (R104), and by the volume condition of NodeGetVolumeStats in older versions of CSI.
     *
     * @param allocationId the allocation that uses the volume
     * @return NOT_REPORTED if the plugin's node service supports neither; fails with NOT_FOUND if the volume is not
     *     mounted for the allocation
     */
    public CompletableFuture<VolumeHealthReport> health(VolumeKey key, AllocationId allocationId) {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(allocationId, "allocationId");
        return operations.run(
                "read the health of volume " + key + " for allocation " + allocationId,
                () -> engine.health().volume(caller, key, allocationId));
    }

    /**
     * Returns the usage of a volume on the node of an allocation that uses the volume (NodeGetVolumeStats, R92).
     *
     * @param allocationId the allocation that uses the volume
     * @return the plugin's response; fails with NOT_FOUND if the volume is not mounted for the allocation
     */
    public CompletableFuture<NodeGetVolumeStatsResponse> stats(VolumeKey key, AllocationId allocationId) {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(allocationId, "allocationId");
        return operations.run(
                "read the usage of volume " + key + " for allocation " + allocationId,
                () -> engine.health().stats(caller, key, allocationId));
    }

    /**
     * Returns a page of the storage provider's abnormal volumes, whether the state has rows for them or not. Uses
     * ControllerListVolumeHealth from CSI 1.13 on (R104), and the volume conditions in ListVolumes in older versions of
     * CSI (R70-R72).
     *
     * @param maxEntries the largest number of entries to request; 0 to let the plugin decide
     * @param token the token of an earlier page; empty for the first page. With an expired token the call fails with
     *     the outcome PAGE_RESTART: begin again with an empty token
     * @return the volumes of namespaces that the caller may read; unregistered volumes only for callers with
     *     MANAGEMENT. A page without entries may still have a next page
     */
    public CompletableFuture<ExternalPage<AbnormalVolume>> listAbnormal(PluginId plugin, int maxEntries, String token) {
        Objects.requireNonNull(plugin, "plugin");
        Objects.requireNonNull(token, "token");
        return operations.run(
                "listing of the volumes of plugin " + plugin + " that are not well",
                () -> engine.health().abnormal(caller, plugin, maxEntries, token));
    }
}
