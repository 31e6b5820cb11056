package io.csi4j.core.lifecycle;

import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.internal.LifecycleEngine;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.lifecycle.internal.call.OperationStarter;
import io.csi4j.core.plugin.PluginView;
import io.csi4j.core.state.ListPage;
import io.csi4j.core.volume.Leftover;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.WithdrawnCreation;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The actions of operators: they inspect and remove plugins, repair volumes, and make the decisions that only a person
 * can make. {@link VolumeLifecycle} describes the rules for all operations, for example about permissions and failures.
 */
public final class OperatorActions {
    private final LifecycleEngine engine;
    private final OperationStarter operations;
    private final Caller caller;

    OperatorActions(LifecycleEngine engine, Caller caller) {
        this.engine = engine;
        this.operations = engine.operations().starter(caller);
        this.caller = caller;
    }

    /**
     * Withdraws the deletion of a volume. The storage provider has to confirm that the volume still exists, because a
     * DeleteVolume call with a lost response may have deleted it. Until then the volume stays in the phase DELETING.
     * The operation waits for this engine's DeleteVolume calls in flight. The plugin may still process a call whose
     * response was lost: check the health of the volume before using it. If the plugin was removed permanently, nothing
     * can confirm the volume; use {@link #forgetVolume}.
     *
     * @return the volume, also if it is not being deleted, without secrets and contexts unless the caller has
     *     {@link io.csi4j.core.spi.Permission#MANAGEMENT}. Fails with a {@link CsiRequestException} if the provider has
     *     deleted the volume, does not confirm it, created another volume than requested, or has not returned an id
     *     yet. Fails with a {@link NotLeadingException} if this engine does not lead. The callers of the withdrawn
     *     deletion get a {@link RefusedException}
     */
    public CompletableFuture<Volume> withdrawDeletion(VolumeKey key) {
        Objects.requireNonNull(key, "key");
        return operations.run(
                "withdrawal of the deletion of volume " + key,
                () -> engine.withdrawals()
                        .deletion(caller, key)
                        .thenApply(volume -> engine.views().answer(caller, volume)));
    }

    /**
     * Withdraws an unfinished expansion, for example because the plugin expands only volumes that are not in use.
     * Claims no longer wait for the expansion, and the expansion fails for its callers with a {@link RefusedException}.
     * The withdrawal waits until no call of the expansion is in flight. If the outcome of the last call is unknown, the
     * plugin may still expand the volume, even while the volume is in use.
     *
     * @return the volume, also if it has no unfinished expansion, without secrets, contexts, mount flags and parameters
     *     unless the caller has {@link io.csi4j.core.spi.Permission#MANAGEMENT}. Fails with a
     *     {@link CsiRequestException} if the controller has already expanded the volume and only nodes remain
     */
    public CompletableFuture<Volume> withdrawExpansion(VolumeKey key) {
        Objects.requireNonNull(key, "key");
        return operations.run(
                "withdrawal of the expansion of volume " + key,
                () -> engine.withdrawals()
                        .expansion(caller, key)
                        .thenApply(volume -> engine.views().answer(caller, volume)));
    }

    /**
     * Returns the health of a plugin's storage backends as one node reports it (NodeGetStorageHealth, since CSI 1.13,
     * R104).
     *
     * @return NOT_REPORTED if the plugin does not report the health; only plugins with CSI 1.13 or later can report it
     */
    public CompletableFuture<StorageHealthReport> storageHealth(PluginId plugin, NodeId nodeId) {
        Objects.requireNonNull(plugin, "plugin");
        Objects.requireNonNull(nodeId, "nodeId");
        return operations.run(
                "read the storage of plugin " + plugin + " on node " + nodeId,
                () -> engine.health().storage(caller, plugin, nodeId));
    }

    /**
     * Returns a page of the plugins, each as an {@linkplain PluginView#outline() outline}: its provider, version and
     * health, without its instances and allocations.
     *
     * @return the plugins in the order of their ids
     */
    public CompletableFuture<ListPage<PluginView, PluginId>> plugins(PluginQuery query) {
        Objects.requireNonNull(query, "query");
        return operations.run(
                () -> CompletableFuture.completedFuture(engine.plugins().list(caller, query)));
    }

    /**
     * Returns a plugin with its instances, and with its allocations in namespaces that the caller may read.
     *
     * @return empty if the state does not have the plugin
     */
    public CompletableFuture<Optional<PluginReport>> plugin(PluginId plugin) {
        Objects.requireNonNull(plugin, "plugin");
        return operations.run(
                () -> CompletableFuture.completedFuture(engine.plugins().get(caller, plugin)));
    }

    /**
     * Returns the calls for volumes that have failed and have not succeeded since, of the volumes that the caller may read.
     * They are tried again, unless the plugin has refused them. The engine remembers them while it leads.
     *
     * @return the calls in the order of their volumes. Fails with an {@link io.csi4j.core.spi.AccessDeniedException} if the
     *     caller does not have {@link io.csi4j.core.spi.Permission#PLUGIN_READ}
     */
    public CompletableFuture<List<FailedCall>> failedCalls() {
        return operations.run(
                () -> CompletableFuture.completedFuture(engine.plugins().failedCalls(caller)));
    }

    /**
     * Returns a page of the calls of this engine that have not ended: those in flight, and those that wait because the number of
     * calls in flight is limited. If the caller may not read the volume of a call, the call is returned without it.
     *
     * @return the calls in the order in which they began, oldest first. Fails with an {@link io.csi4j.core.spi.AccessDeniedException} if the caller does
     *     not have {@link io.csi4j.core.spi.Permission#PLUGIN_READ}
     */
    public CompletableFuture<ListPage<PluginCall, Long>> calls(CallQuery query) {
        Objects.requireNonNull(query, "query");
        return operations.run(
                () -> CompletableFuture.completedFuture(engine.plugins().calls(caller, query)));
    }

    /**
     * Returns a page of the nodes, each with the last report of its agent: what it has of volumes, and which of its mounts and
     * unmounts are not finished. The leader asks the agents at {@link LifecycleOptions#nodeReportInterval() intervals}; of a
     * page, it asks up to 32 again, and waits for up to 2 seconds, if the state has changed about them since. The other servers know a report only if {@link #node} has asked for it.
     *
     * @return the nodes in the order of their ids. Fails with an {@link io.csi4j.core.spi.AccessDeniedException} if the
     *     caller does not have {@link io.csi4j.core.spi.Permission#MANAGEMENT}
     */
    public CompletableFuture<ListPage<NodeView, NodeId>> nodes(NodeQuery query) {
        Objects.requireNonNull(query, "query");
        return operations.run(() -> engine.nodeReports().fresh(caller, query));
    }

    /**
     * Asks the agent of a node for a report now. Every server can ask.
     *
     * @return the node with its report; {@link NodeView#contactProblem} says why there is none. Fails with a
     *     {@link RejectedException} if the state does not have the node
     */
    public CompletableFuture<NodeView> node(NodeId nodeId) {
        Objects.requireNonNull(nodeId, "nodeId");
        return operations.run(() -> engine.nodeReports().get(caller, nodeId));
    }

    /**
     * Orders a node to finish the unmount of a volume without its plugin, because the plugin cannot finish it: it was
     * removed for good, or it refuses each unmount. The node obeys only if the allocation no longer uses the volume, and
     * if the node's mount table shows that nothing of the volume is mounted there. The operator and the reason are in
     * the node's ledger until the unmount is finished, and in its events. The plugin may keep resources of its own, for
     * example a session or an encrypted device; look after them by hand. The engine then continues the release.
     *
     * @param reason the operator's reason; not blank
     * @return completes when the node has no record of the volume for the allocation. Fails with the node's reason if it
     *     does not obey, for example because the volume is still mounted. Fails with a {@link RejectedException} if the
     *     state does not have the node, and with an {@link io.csi4j.core.spi.AccessDeniedException} if the caller does
     *     not have {@link io.csi4j.core.spi.Permission#MANAGEMENT}
     */
    public CompletableFuture<Void> forgetUnmount(
            VolumeKey key, NodeId nodeId, AllocationId allocationId, String reason) {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(nodeId, "nodeId");
        Objects.requireNonNull(allocationId, "allocationId");
        Objects.requireNonNull(reason, "reason");
        return operations.run(
                "order to node " + nodeId + " to forget the unmount of volume " + key,
                () -> engine.nodeReports().forgetUnmount(caller, key, nodeId, allocationId, reason));
    }

    /**
     * Waits until volumes of a plugin can be claimed on at least one node: the state has a healthy node instance, and a
     * healthy controller instance if the plugin needs one. Use this method after starting a plugin, because the reports
     * of agents arrive a little later.
     *
     * @param pluginId the plugin; the state need not have it yet
     * @param limit the longest time to wait
     * @return the plugin. After the limit the future fails with an {@link UnfinishedException}, whose message says what
     *     the plugin lacks
     */
    public CompletableFuture<PluginReport> waitForPlugin(PluginId pluginId, Duration limit) {
        Objects.requireNonNull(pluginId, "pluginId");
        Objects.requireNonNull(limit, "limit");
        return operations.run(() -> engine.plugins().waitFor(caller, pluginId, limit));
    }

    /**
     * Removes what the state has left of a plugin. Rejected while the plugin has an instance, healthy or not, a
     * deployment that expects one, or a volume; an instance that has not answered yet does not count. A plugin without
     * these is normally removed with the last of them, so this has an effect only if something was left over. Has no
     * effect if the state does not have the plugin.
     *
     * @return completes when the plugin is removed. Fails with a {@link RejectedException} that names what uses the
     *     plugin
     */
    public CompletableFuture<Void> deletePlugin(PluginId plugin) {
        Objects.requireNonNull(plugin, "plugin");
        return operations.run(() -> engine.plugins().delete(caller, plugin));
    }

    /**
     * Records the operator's statement which driver a plugin's volumes belong to. Use it if instances of the plugin
     * report different provider names (see {@link PluginView#conflicts}), or before an upgrade that renames the driver.
     * Instances with this name are called from then on; instances with another name are not. A wrong name sends calls
     * for the plugin's volumes to a driver that does not know them, and such a driver may confirm a detachment or a
     * deletion that it did not make.
     *
     * @param provider the name from GetPluginInfo (R37)
     * @param reason the operator's evidence; the state keeps it
     * @return completes when the statement is stored. Fails with a {@link CsiRequestException} if the state has no
     *     facts of the plugin
     */
    public CompletableFuture<Void> setProvider(PluginId plugin, String provider, String reason) {
        Objects.requireNonNull(plugin, "plugin");
        Objects.requireNonNull(provider, "provider");
        Objects.requireNonNull(reason, "reason");
        return operations.run(() -> engine.plugins().setProvider(caller, plugin, provider, reason));
    }

    /**
     * Compares the attachments at the storage provider with those in the state. If a volume is attached to a node where
     * it has no claim, the repair stores the intent to detach the volume. The leader then detaches the volume. Before
     * the volume is detached, the leader admits no claim on the volume for that node. Only the leader publishes a volume
     * again that is not attached although it should be; another server reports {@link Drift.Repair#FAILED} for it.
     *
     * @param repair whether to repair the differences; otherwise they are only reported
     * @return the differences, each with the result of its repair. Fails with an {@link UnfinishedException} after the
     *     operation timeout; nothing continues then, nor after the future was cancelled
     */
    public CompletableFuture<List<Drift>> reconcile(PluginId plugin, boolean repair) {
        Objects.requireNonNull(plugin, "plugin");
        return operations.runUnlessStopped(
                "reconciliation with plugin " + plugin,
                stopped -> engine.reconciliation().run(caller, plugin, repair, stopped));
    }

    /**
     * Finds orphaned volumes: the storage provider lists them, but no volume of the state refers to them. The search
     * reports the orphans and never deletes one. It lists all volumes of the provider, and lists them again if it finds
     * an orphan; with many volumes this takes a while.
     *
     * @param plugin the plugin; it has to support LIST_VOLUMES
     * @return the orphans, and the volumes that may belong to unfinished creations. Fails with an
     *     {@link UnfinishedException} after the operation timeout; nothing continues then, nor after the future was
     *     cancelled. Fails with a {@link
     *     NotLeadingException} if this engine stops leading during the search, because its state may then be outdated
     */
    public CompletableFuture<OrphanedVolumes> orphanedVolumes(PluginId plugin) {
        Objects.requireNonNull(plugin, "plugin");
        return operations.runUnlessStopped(
                "search for orphaned volumes of plugin " + plugin,
                stopped -> engine.orphans().run(caller, plugin, stopped));
    }

    /**
     * Tries all remaining steps to detach a volume from a node now, without waiting for a backoff, and reports the
     * result. If the state has nothing to detach, the engine still asks the storage provider to detach the volume. It
     * first stores the intent; {@link VolumeClaims#status} shows the intent until the provider confirms.
     *
     * @return the finished steps, and the reasons for the steps that remain. Fails with a {@link RejectedException} if
     *     the state does not have the volume, or has neither the node nor a claim or an attachment of the volume on it
     */
    public CompletableFuture<DetachReport> detach(VolumeKey key, NodeId nodeId) {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(nodeId, "nodeId");
        return engine.claims().detach(caller, key, nodeId);
    }

    /**
     * Asks the leader to plan the remaining work of a volume and to perform it. The leader does the same after each
     * change of the volume. If this engine leads, it also repeats calls at once that have failed and wait for their next
     * attempt. If the state was restored, and the volume is lost or not verified since, the plugin is also asked whether
     * the storage provider has the volume; a lost volume that it has can be used again.
     *
     * @return completes when the request is stored
     */
    public CompletableFuture<Void> recheck(VolumeKey key) {
        Objects.requireNonNull(key, "key");
        return engine.claims().recheck(caller, key);
    }

    /**
     * Records the operator's statement that a volume is no longer mounted or staged on the node of a claim. The engine
     * then continues the release without proof from the node.
     *
     * @param allocationId the allocation of the claim
     * @param reason the operator's evidence; the state keeps it
     * @return completes when the statement is stored
     */
    public CompletableFuture<Void> overrideClaim(VolumeKey key, AllocationId allocationId, String reason) {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(allocationId, "allocationId");
        Objects.requireNonNull(reason, "reason");
        return operations.run(() -> engine.claims()
                .releases()
                .overrideClaim(caller, key, allocationId, reason)
                .thenAccept(accepted -> {}));
    }

    /**
     * Records the operator's statement that a volume is detached from a node. The engine then continues without a
     * confirmation by the storage provider.
     *
     * @param reason the operator's evidence; the state keeps it
     * @return completes when the statement is stored
     */
    public CompletableFuture<Void> overrideAttachment(VolumeKey key, NodeId nodeId, String reason) {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(nodeId, "nodeId");
        Objects.requireNonNull(reason, "reason");
        return operations.run(() -> engine.claims()
                .releases()
                .overrideAttachment(caller, key, nodeId, reason)
                .thenAccept(accepted -> {}));
    }

    /**
     * Removes a volume from the state in every phase, also if nodes may still have it mounted or attached, and leaves it
     * at the storage provider. Rejected while an allocation that claims the volume has not ended.
     *
     * <p>The volume's claims and attachments are not lost: what no node has unmounted and no controller has detached
     * stays in the state as a {@linkplain #leftovers() leftover}. A volume with the same plugin and external id that is
     * added later, under any key, takes it over. It admits no claim until the nodes have unmounted the volume, are
     * fenced or removed, or an operator {@linkplain #overrideClaim overrides} the claim.
     *
     * @param reason the operator's reason; a leftover keeps it
     * @return completes when the volume is removed from the state
     */
    public CompletableFuture<Void> forgetVolume(VolumeKey key, String reason) {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(reason, "reason");
        return operations.run(
                "removal of volume " + key + " by an operator",
                () -> engine.registration().forget(caller, key, reason));
    }

    /** Returns what forgotten volumes may have left on nodes, in the order of plugins and external ids. */
    public CompletableFuture<List<Leftover>> leftovers() {
        return operations.run(
                () -> CompletableFuture.completedFuture(engine.leftovers().list(caller)));
    }

    /**
     * Records the operator's statement that no node has a forgotten volume mounted or attached any more, and removes the
     * {@linkplain #leftovers() leftover}.
     *
     * @param key the plugin and the external id of the forgotten volume
     * @param reason the operator's evidence; the command log keeps it
     * @return completes when the statement is stored. Fails with a {@link CsiRequestException} if there is no such
     *     leftover
     */
    public CompletableFuture<Void> overrideLeftover(Leftover.Key key, String reason) {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(reason, "reason");
        return operations.run(() -> engine.leftovers().override(caller, key, reason));
    }

    /**
     * Gives up a creation that is not finished, also if its volume is to be deleted already, for example because the
     * plugin answers each call with RESOURCE_EXHAUSTED. The engine calls the plugin no more for it, the callers of the
     * creation get a {@link RefusedException}, and the key can be used again at once, with this or another plugin: the
     * new creation has a name of its own at the provider. {@link Volume#creationForecast()} tells beforehand whether the
     * plugin has no room, or the outcome is unclear.
     *
     * <p>Unless it is certain that no call has made the volume, the creation stays stored: {@link
     * #withdrawnCreations()} and {@link #orphanedVolumes} show it, because the provider may have made a volume of this
     * name, or may still make it. An answer that comes later adds the id of that volume, or removes the record.
     *
     * @param reason why the creation is given up; the record keeps it
     * @return the record; empty if it is certain that nothing was made. Fails with a {@link RejectedException} if the
     *     state does not have the volume, or the provider has made it
     */
    public CompletableFuture<Optional<WithdrawnCreation>> withdrawCreation(VolumeKey key, String reason) {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(reason, "reason");
        return operations.run(() -> engine.withdrawals().creation(caller, key, reason));
    }

    /** Returns the withdrawn creations that may have made a volume at a provider, in the order of plugins and names. */
    public CompletableFuture<List<WithdrawnCreation>> withdrawnCreations() {
        return operations.run(
                () -> CompletableFuture.completedFuture(engine.leftovers().withdrawnCreations(caller)));
    }

    /**
     * Records the operator's statement that the provider has no volume of a withdrawn creation and will have none, and
     * removes its record. The name can then be used again.
     *
     * @param key the plugin and the name that CreateVolume sent
     * @param reason the operator's evidence; the command log keeps it
     * @return completes when the statement is stored. Fails with a {@link CsiRequestException} if there is no such
     *     record
     */
    public CompletableFuture<Void> forgetWithdrawnCreation(WithdrawnCreation.Key key, String reason) {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(reason, "reason");
        return operations.run(() -> engine.leftovers().forgetWithdrawnCreation(caller, key, reason));
    }

    /**
     * Returns what a statement about a node would change now. It changes nothing. Pass the preview to
     * {@link #overrideNode} to make the statement.
     *
     * @return the preview; empty if the statement would change nothing. Fails with a {@link RejectedException} if the
     *     state has neither the node nor a claim or attachment on it
     */
    public CompletableFuture<NodeOverride> previewNode(NodeId nodeId, NodeStatement statement) {
        Objects.requireNonNull(nodeId, "nodeId");
        Objects.requireNonNull(statement, "statement");
        return operations.run(
                () -> CompletableFuture.completedFuture(engine.nodeOverrides().preview(caller, nodeId, statement)));
    }

    /**
     * Records the operator's statement about a node for all claims, attachments and machines of a preview. The engine
     * then continues without proof from the node, as {@link NodeStatement} says. Many commands are stored in several
     * transactions; if one fails, repeat the call with the same preview.
     *
     * @param preview what to change; claims and attachments that are newer stay as they are
     * @param reason the operator's evidence; the state keeps it
     * @return completes when the statement is stored. Fails with a {@link RejectedException} if the plugin has reported
     *     another external id of the node since the preview, or if an attachment has a new claim
     */
    public CompletableFuture<Void> overrideNode(NodeOverride preview, String reason) {
        Objects.requireNonNull(preview, "preview");
        Objects.requireNonNull(reason, "reason");
        return operations.run(() -> engine.nodeOverrides().override(caller, preview, reason));
    }
}
