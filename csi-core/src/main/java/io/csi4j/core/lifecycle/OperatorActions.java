package io.csi4j.core.lifecycle;

import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.internal.LifecycleEngine;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.plugin.PluginView;
import io.csi4j.core.volume.Volume;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The tools of an operator: plugins, repair, and decisions that the engine leaves to people. The rules of {@link
 * VolumeLifecycle} hold for every operation.
 */
public final class OperatorActions {
    private final LifecycleEngine engine;
    private final Operations operations;
    private final Caller caller;

    OperatorActions(LifecycleEngine engine, Caller caller) {
        this.engine = engine;
        this.operations = engine.operations();
        this.caller = caller;
    }

    /**
     * Takes the deletion of a volume back. The provider has to confirm the volume first, since a call to delete it may
     * have been made and have lost its answer: until then the volume stays DELETING. Deletions of this engine that are in
     * flight are waited for. A plugin may still be at a call whose answer was lost before; ask for the health of the
     * volume before you rely on it. Where the plugin is gone permanently no one can confirm anything; {@link ManagedVolumes#deregister} by force forgets the volume then.
     *
     * @param key the volume
     * @return the volume, also if it is not being deleted, without secrets and contexts unless the caller has {@link
     *     io.csi4j.core.spi.Permission#MANAGEMENT}; a {@link CsiRequestException} if the provider has deleted it, does not
     *     confirm it, made something else than was asked for, or has told no id of it yet; a {@link NotLeadingException}
     *     if this engine does not lead; the deletion that is withdrawn fails with a {@link RefusedException}
     */
    public CompletableFuture<Volume> withdrawDeletion(VolumeKey key) {
        Objects.requireNonNull(key, "key");
        return operations.run(
                "withdrawal of the deletion of volume " + key,
                () -> engine.deletion()
                        .withdraw(caller, key)
                        .thenApply(volume -> engine.views().answer(caller, volume)));
    }

    /**
     * Ends an unfinished wish to expand a volume, for example of a plugin that never gets it done and expands only what
     * is not in use: claims do not wait for it any more. Whoever waits for the expansion is told that it was refused. A
     * call that is under way is waited for. No call can be called back: if the outcome of the last one is unknown, the
     * plugin may still grow the volume, and it is for the plugin then to mind that it is in use.
     *
     * @param key the volume
     * @return the volume as it is then, also if there was no such wish, without secrets, contexts, mount flags and parameters unless the caller has
     *     {@link io.csi4j.core.spi.Permission#MANAGEMENT}; a {@link CsiRequestException} if its plugin has grown it, so
     *     that only nodes are left
     */
    public CompletableFuture<Volume> withdrawExpansion(VolumeKey key) {
        Objects.requireNonNull(key, "key");
        return operations.run(
                "withdrawal of the expansion of volume " + key,
                () -> engine.expander()
                        .withdraw(caller, key)
                        .thenApply(volume -> engine.views().answer(caller, volume)));
    }

    /**
     * The health of a plugin's storage backends as one node sees them (NodeGetStorageHealth, since CSI 1.13, R104).
     *
     * @param plugin the plugin
     * @param nodeId the node
     * @return NOT_TOLD where the plugin cannot tell, as none can up to CSI 1.12
     */
    public CompletableFuture<StorageHealthReport> storageHealth(PluginId plugin, NodeId nodeId) {
        Objects.requireNonNull(plugin, "plugin");
        Objects.requireNonNull(nodeId, "nodeId");
        return operations.run(
                "look at the storage of plugin " + plugin + " on node " + nodeId,
                () -> engine.health().storage(caller, plugin, nodeId));
    }

    /**
     * All plugins, each as an {@linkplain PluginView#outline() outline}: how it is, and nothing of what runs it.
     *
     * @return in order of their ids
     */
    public CompletableFuture<List<PluginView>> plugins() {
        return operations.run(
                () -> CompletableFuture.completedFuture(engine.plugins().list(caller)));
    }

    /**
     * A plugin with its instances, and with those of the allocations that run it whose namespaces the caller may read.
     *
     * @param plugin which
     * @return empty: there is none
     */
    public CompletableFuture<Optional<PluginReport>> plugin(PluginId plugin) {
        Objects.requireNonNull(plugin, "plugin");
        return operations.run(
                () -> CompletableFuture.completedFuture(engine.plugins().get(caller, plugin)));
    }

    /**
     * Waits until volumes of a plugin can be claimed on some node: this server knows a healthy node instance, and a
     * healthy controller unless none is needed. For hosts that have just started a plugin: what an agent knows of it
     * reaches the servers a moment later.
     *
     * @param pluginId the plugin; no node need have reported it yet
     * @param limit how long to wait
     * @return the plugin; fails with an {@link UnfinishedException} that says what is missing when the limit is over
     */
    public CompletableFuture<PluginReport> waitForPlugin(PluginId pluginId, Duration limit) {
        Objects.requireNonNull(pluginId, "pluginId");
        Objects.requireNonNull(limit, "limit");
        return operations.run(() -> engine.plugins().waitFor(caller, pluginId, limit));
    }

    /**
     * Forgets a plugin. Refused while anything runs it, is meant to run it, or refers to it; one that does not
     * exist is deleted.
     *
     * @param plugin which
     * @return completes once it is forgotten
     */
    public CompletableFuture<Void> deletePlugin(PluginId plugin) {
        Objects.requireNonNull(plugin, "plugin");
        return operations.run(() -> engine.plugins().delete(caller, plugin));
    }

    /**
     * Compares where a provider has volumes attached with where they should be (N8). A volume that is attached
     * where nothing wants it gets an attachment on record that is to be undone; the leader undoes it like any
     * other, and no claim is admitted to that node before.
     *
     * @param plugin the plugin
     * @param repair whether to bring the provider to where the state is; otherwise it is only told
     * @return what differs, and what came of the repair
     */
    public CompletableFuture<List<Drift>> reconcile(PluginId plugin, boolean repair) {
        Objects.requireNonNull(plugin, "plugin");
        return operations.run(() -> engine.reconciliation().run(caller, plugin, repair));
    }

    /**
     * Finds the volumes that a provider lists and that no volume of the state stands for. It reports them and never
     * deletes one. The search lists all volumes of the provider, twice if it finds any; on a provider with many volumes
     * that takes a while.
     *
     * @param plugin the plugin; it has to offer LIST_VOLUMES
     * @return the volumes, with those that a creation in flight leaves undecided; a {@link NotLeadingException} if this
     *     engine does not lead for the whole time of the search, because the state of another one may lag behind
     */
    public CompletableFuture<OrphanedVolumes> orphanedVolumes(PluginId plugin) {
        Objects.requireNonNull(plugin, "plugin");
        return operations.run(() -> engine.orphans().run(caller, plugin));
    }

    /**
     * Tries at once all that remains to be done for a volume on a node, claims of forgotten allocations
     * included, and tells what came of it (S14). Where the state has nothing to detach, the provider is asked to detach
     * the volume all the same: the intent to do so is stored first, and shows in {@link VolumeClaims#status} until the provider
     * confirms it.
     *
     * @param key the volume
     * @param nodeId the node
     * @return what was done, and what is in the way of the rest; a {@link RejectedException} if the volume is not known,
     *     or the node is not known and nothing of the volume is stored for it
     */
    public CompletableFuture<DetachReport> detach(VolumeKey key, NodeId nodeId) {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(nodeId, "nodeId");
        return engine.claims().detach(caller, key, nodeId);
    }

    /**
     * Has a reaper look at a volume (S13).
     *
     * @param key the volume
     * @return completes once that is on record
     */
    public CompletableFuture<Void> collect(VolumeKey key) {
        Objects.requireNonNull(key, "key");
        return engine.claims().collect(caller, key);
    }

    /**
     * Gives an operator's word, on record, that nothing is left of a volume on the node of a claim (N2).
     *
     * @param key the volume
     * @param allocationId whose claim
     * @param why on what grounds
     * @return completes once that is on record
     */
    public CompletableFuture<Void> overrideClaim(VolumeKey key, AllocationId allocationId, String why) {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(allocationId, "allocationId");
        Objects.requireNonNull(why, "why");
        return operations.run(() ->
                engine.claims().overrideClaim(caller, key, allocationId, why).thenAccept(accepted -> {}));
    }

    /**
     * Gives an operator's word, on record, that a volume is detached from a node (N2).
     *
     * @param key the volume
     * @param nodeId the node
     * @param why on what grounds
     * @return completes once that is on record
     */
    public CompletableFuture<Void> overrideAttachment(VolumeKey key, NodeId nodeId, String why) {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(nodeId, "nodeId");
        Objects.requireNonNull(why, "why");
        return operations.run(() ->
                engine.claims().overrideAttachment(caller, key, nodeId, why).thenAccept(accepted -> {}));
    }
}
