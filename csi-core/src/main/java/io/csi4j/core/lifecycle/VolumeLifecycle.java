package io.csi4j.core.lifecycle;

import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.VolumeRequest;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.GroupSnapshotId;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.Snapshot;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.csi.VolumeGroupSnapshot;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.plugin.PluginView;
import io.csi4j.core.rpc.GetCapacityRequest;
import io.csi4j.core.rpc.GetCapacityResponse;
import io.csi4j.core.rpc.ListVolumesResponse;
import io.csi4j.core.rpc.NodeGetVolumeStatsResponse;
import io.csi4j.core.spi.Access;
import io.csi4j.core.spi.AccessDeniedException;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.state.VolumePage;
import io.csi4j.core.state.VolumeQuery;
import io.csi4j.core.state.VolumeView;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeSpec;
import java.security.Principal;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * What a host does with volumes. Every operation asks for the caller's authority first, then checks the
 * request, and only then reads, writes or sends anything.
 *
 * <p>Every operation may be repeated any number of times. A future fails with a {@link
 * io.csi4j.core.call.CsiException}; where that is {@linkplain io.csi4j.core.call.CsiException#retryable()
 * retryable}, the operation may have had effect, or may have it yet, and repeating it goes on where it
 * stopped. Futures complete in the engine's executor. Safe for use by many threads.
 */
public final class VolumeLifecycle {
    private final LifecycleEngine engine;
    private final Caller caller;

    VolumeLifecycle(LifecycleEngine engine, Caller caller) {
        this.engine = engine;
        this.caller = caller;
    }

    /**
     * A builder; log, gateway, timer, clock, executor and random have to be set.
     *
     * @return a new builder
     */
    public static VolumeLifecycleBuilder builder() {
        return new VolumeLifecycleBuilder();
    }

    /**
     * The same engine, on behalf of somebody. Without it, operations run on behalf of the host itself, and
     * access control is asked about that one.
     *
     * @param principal who
     * @return operations as that caller, with no secrets of its own
     */
    public VolumeLifecycle as(Principal principal) {
        return new VolumeLifecycle(engine, new Caller(principal, Optional.empty()));
    }

    /**
     * The same engine and caller, with secrets for the calls of its operations in place of the provider's (S4).
     *
     * @param secrets go into requests and nowhere else; what the engine repeats later, by itself, uses the
     *     provider's
     * @return operations with these secrets
     */
    public VolumeLifecycle withSecrets(Secrets secrets) {
        return new VolumeLifecycle(
                engine, new Caller(caller.principal(), Optional.of(Objects.requireNonNull(secrets, "secrets"))));
    }

    LifecycleEngine engine() {
        return engine;
    }

    Caller caller() {
        return caller;
    }

    /**
     * Declares a volume the provider has, or changes what is declared about one. The plugin's controller, if
     * it has one, has to confirm every capability (R69), so a healthy one is needed.
     *
     * @param key its key
     * @param spec what is declared
     * @return the volume as it is stored now, without secrets and contexts unless the caller has {@link
     *     io.csi4j.core.spi.Permission#MANAGEMENT}
     */
    public CompletableFuture<Volume> register(VolumeKey key, VolumeSpec spec) {
        return run(
                "registration of volume " + key,
                () -> engine.registration()
                        .register(caller, key, spec)
                        .thenApply(volume -> engine.views().answer(caller, volume)));
    }

    /**
     * Makes a volume (R51-R58). The intent is on record before the provider is asked. It fails with a {@link
     * WrongAnswerException} if the provider made something else, which is deleted again, and for good if the
     * provider certainly refused; then nothing is left of it.
     *
     * @param key its key
     * @param spec what is declared; without a name, one is made of the key
     * @return the volume once the provider has it, without secrets and contexts unless the caller has {@link
     *     io.csi4j.core.spi.Permission#MANAGEMENT}
     */
    public CompletableFuture<Volume> create(VolumeKey key, VolumeSpec spec) {
        return run(
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
        return run("deletion of volume " + key, () -> engine.deletion().delete(caller, key));
    }

    /**
     * Forgets a volume and leaves it at the provider.
     *
     * @param key the volume
     * @param force forget its claims and attachments too, provided that each claimant has ended
     * @return completes once the record is gone
     */
    public CompletableFuture<Void> deregister(VolumeKey key, boolean force) {
        return run(
                "deregistration of volume " + key, () -> engine.registration().deregister(caller, key, force));
    }

    /**
     * Grows a volume (R82-R84). A range that the volume meets already is recorded and nothing more. The wish is on
     * record before the first call: if the future fails with an {@link UnfinishedException}, or this server dies, the
     * leader goes on, with the secrets of the {@link io.csi4j.core.spi.SecretsProvider}; {@link Volume#expansion()}
     * tells how far it came. A node that must not be asked again (R95) is not; a claim that is taken before
     * any node did its part has its node do it.
     *
     * @param key the volume
     * @param range how large it has to be
     * @return the volume with its new size, without secrets and contexts unless the caller has {@link
     *     io.csi4j.core.spi.Permission#MANAGEMENT},
     *     and what its nodes make of it; a refusal is a {@link CsiCallException} or a {@link RefusedException}
     */
    public CompletableFuture<ExpandResult> expand(VolumeKey key, CapacityRange range) {
        return run(
                "expansion of volume " + key,
                () -> engine.expander()
                        .expand(caller, key, range)
                        .thenApply(grown ->
                                new ExpandResult(engine.views().answer(caller, grown.volume()), grown.nodes())));
    }

    /**
     * Ends an unfinished wish to expand a volume, for example of a plugin that never gets it done and expands only what
     * is not in use: claims do not wait for it any more. Whoever waits for the expansion is told that it was refused. A
     * call that is under way is waited for. No call can be called back: if the outcome of the last one is unknown, the
     * plugin may still grow the volume, and it is for the plugin then to mind that it is in use.
     *
     * @param key the volume
     * @return the volume as it is then, also if there was no such wish, without secrets and contexts unless the caller has
     *     {@link io.csi4j.core.spi.Permission#MANAGEMENT}; a {@link CsiRequestException} if its plugin has grown it, so
     *     that only nodes are left
     */
    public CompletableFuture<Volume> withdrawExpansion(VolumeKey key) {
        return run(
                "withdrawal of the expansion of volume " + key,
                () -> engine.expander()
                        .withdraw(caller, key)
                        .thenApply(volume -> engine.views().answer(caller, volume)));
    }

    /**
     * Changes mutable parameters of a volume in place (R74). The wish is on record before the call, and the leader
     * goes on with it like with an expansion; {@link Volume#modification()} tells how far it came. A wish that is not
     * fulfilled yet is widened by a newer one, and then both are refused together.
     *
     * @param key the volume
     * @param mutableParameters those that change; all others stay
     * @return the volume once the provider took them, without secrets and contexts unless the caller has {@link
     *     io.csi4j.core.spi.Permission#MANAGEMENT};
     *     a refusal, after which nothing was changed, is a {@link CsiCallException} or a {@link RefusedException}
     */
    public CompletableFuture<Volume> modify(VolumeKey key, Map<String, String> mutableParameters) {
        return run(
                "change of volume " + key,
                () -> engine.modification()
                        .modify(caller, key, mutableParameters)
                        .thenApply(volume -> engine.views().answer(caller, volume)));
    }

    /**
     * A volume with its plugin and allocations, of one index, without anything sensitive.
     *
     * @param key the volume
     * @return empty: there is none
     */
    public CompletableFuture<Optional<VolumeView>> volume(VolumeKey key) {
        return run(() -> CompletableFuture.completedFuture(engine.views().volume(caller, key)));
    }

    /**
     * A page of volumes without anything sensitive. Over all namespaces, those of the namespaces the caller
     * may list.
     *
     * @param query which
     * @return one page, in key order
     */
    public CompletableFuture<VolumePage> volumes(VolumeQuery query) {
        return run(() -> CompletableFuture.completedFuture(engine.views().volumes(caller, query)));
    }

    /**
     * Cuts a snapshot (R76-R79). Snapshots have no record here: the name of the request is the host's own key for
     * it, and has to be kept before this is called. After a crash, an {@link UnfinishedException} or any other loss of
     * the answer, on any server, the same request gives the same snapshot (R76), or makes it; a snapshot that is no
     * longer wanted is asked for in that way too, and then deleted.
     *
     * @param request of what, and under which name
     * @return the snapshot once it is ready to use; an {@link UnfinishedException} says that it is not yet
     */
    public CompletableFuture<Snapshot> createSnapshot(SnapshotRequest request) {
        return run(
                "snapshot " + request.name() + " of volume " + request.volume(),
                () -> engine.snapshots().create(caller, request));
    }

    /**
     * Deletes a snapshot that is in no group (R80). One that does not exist is deleted. The secrets are asked for the
     * volume it was cut of, where that is registered and the plugin tells it, and else for the plugin.
     *
     * @param plugin the plugin that has it
     * @param snapshotId which
     * @return completes once it is gone
     */
    public CompletableFuture<Void> deleteSnapshot(PluginId plugin, SnapshotId snapshotId) {
        return run(
                "deletion of snapshot " + snapshotId, () -> engine.snapshots().delete(caller, plugin, snapshotId));
    }

    /**
     * A snapshot (R81).
     *
     * @param plugin the plugin that has it
     * @param snapshotId which
     * @return empty: there is none that the caller may see
     */
    public CompletableFuture<Optional<Snapshot>> snapshot(PluginId plugin, SnapshotId snapshotId) {
        return run(
                "look at snapshot " + snapshotId, () -> engine.snapshotListing().get(caller, plugin, snapshotId));
    }

    /**
     * A page of a plugin's snapshots (R81).
     *
     * @param plugin the plugin
     * @param source only those of this volume; empty: of any
     * @param maxEntries the most entries to ask for; 0: as the provider likes
     * @param token where to begin, as an earlier page told; empty: at the beginning
     * @return those the caller may see
     */
    public CompletableFuture<ExternalPage<Snapshot>> snapshots(
            PluginId plugin, Optional<ExternalVolumeId> source, int maxEntries, String token) {
        return run(
                "listing of the snapshots of plugin " + plugin,
                () -> engine.snapshotListing().list(caller, plugin, source, maxEntries, token));
    }

    /**
     * Cuts snapshots of several volumes at one point (R97).
     *
     * @param request of what, and under which name
     * @return the group snapshot once it is ready to use
     */
    public CompletableFuture<VolumeGroupSnapshot> createGroupSnapshot(GroupSnapshotRequest request) {
        return run("group snapshot " + request.name(), () -> engine.groups().create(caller, request));
    }

    /**
     * A group snapshot (R100).
     *
     * @param plugin the plugin that has it
     * @param group which
     * @param members all of its snapshots
     * @return empty: there is none that the caller may see
     */
    public CompletableFuture<Optional<VolumeGroupSnapshot>> groupSnapshot(
            PluginId plugin, GroupSnapshotId group, List<SnapshotId> members) {
        return run("look at group snapshot " + group, () -> engine.groups().get(caller, plugin, group, members));
    }

    /**
     * Deletes a group snapshot with all its members (R100). One that does not exist is deleted.
     *
     * @param plugin the plugin that has it
     * @param group which
     * @param members all of its snapshots
     * @return completes once they are gone
     */
    public CompletableFuture<Void> deleteGroupSnapshot(
            PluginId plugin, GroupSnapshotId group, List<SnapshotId> members) {
        return run("deletion of group snapshot " + group, () -> engine.groups().delete(caller, plugin, group, members));
    }

    /**
     * A page of the volumes a provider has, registered here or not (R70-R72).
     *
     * @param plugin the plugin
     * @param maxEntries the most entries to ask for; 0: as the provider likes
     * @param token where to begin, as an earlier page told; empty: at the beginning. One that is no longer
     *     good fails with outcome PAGE_RESTART: begin again
     * @return those the caller may see
     */
    public CompletableFuture<ExternalPage<ListVolumesResponse.Entry>> externalVolumes(
            PluginId plugin, int maxEntries, String token) {
        return run(
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
        return run(
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
        return run("look at the health of volume " + key, () -> engine.health().volume(caller, key));
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
        return run(
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
    public CompletableFuture<NodeGetVolumeStatsResponse> volumeStats(VolumeKey key, AllocationId allocationId) {
        return run(
                "look at the usage of volume " + key + " for allocation " + allocationId,
                () -> engine.health().stats(caller, key, allocationId));
    }

    /**
     * The health of a plugin's storage backends as one node sees them (NodeGetStorageHealth, since CSI 1.13, R104).
     *
     * @param plugin the plugin
     * @param nodeId the node
     * @return NOT_TOLD where the plugin cannot tell, as none can up to CSI 1.12
     */
    public CompletableFuture<StorageHealthReport> storageHealth(PluginId plugin, NodeId nodeId) {
        return run(
                "look at the storage of plugin " + plugin + " on node " + nodeId,
                () -> engine.health().storage(caller, plugin, nodeId));
    }

    /**
     * A page of those volumes of a provider that are not well, registered here or not: ControllerListVolumeHealth since
     * CSI 1.13 (R104), of ListVolumes those whose condition is abnormal before (R70-R72).
     *
     * @param plugin the plugin
     * @param maxEntries the most entries to ask for; 0: as the provider likes
     * @param token where to begin, as an earlier page told; empty: at the beginning. One that is no longer
     *     good fails with outcome PAGE_RESTART: begin again
     * @return those the caller may see; a page may be empty though there are further ones
     */
    public CompletableFuture<ExternalPage<AbnormalVolume>> abnormalVolumes(
            PluginId plugin, int maxEntries, String token) {
        return run(
                "listing of the volumes of plugin " + plugin + " that are not well",
                () -> engine.health().abnormal(caller, plugin, maxEntries, token));
    }

    /**
     * All plugins.
     *
     * @return in order of their ids
     */
    public CompletableFuture<List<PluginView>> plugins() {
        return run(() -> CompletableFuture.completedFuture(engine.plugins().list(caller)));
    }

    /**
     * A plugin with the allocations that run it.
     *
     * @param plugin which
     * @return empty: there is none
     */
    public CompletableFuture<Optional<PluginReport>> plugin(PluginId plugin) {
        return run(() -> CompletableFuture.completedFuture(engine.plugins().get(caller, plugin)));
    }

    /**
     * Forgets a plugin. Refused while anything runs it, is meant to run it, or refers to it; one that does not
     * exist is deleted.
     *
     * @param plugin which
     * @return completes once it is forgotten
     */
    public CompletableFuture<Void> deletePlugin(PluginId plugin) {
        return run(() -> engine.plugins().delete(caller, plugin));
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
        return run(() -> engine.reconciliation().run(caller, plugin, repair));
    }

    /**
     * The log as the engine's own commands go: what the host submits through it, the end of an allocation, a fenced node
     * or a reservation above all, is told to the {@link io.csi4j.core.spi.EventListener} like what the engine writes.
     * Submitted past it, a command does the same and is not told. One that the host's log does not answer within {@link
     * LifecycleOptions#logTimeout()} fails: what came of it is not known.
     *
     * @return the host's log, observed
     * @throws AccessDeniedException if the caller has not {@link Permission#MANAGEMENT}
     */
    public CommandLog log() {
        engine.operations().allow(caller, Access.of(Permission.MANAGEMENT));
        return engine.operations().ports().log();
    }

    /**
     * Begins to lead: takes claims, and brings every volume to where its claims say it should be, beginning
     * with what a former leader left. Exactly one engine of a cluster leads; does nothing if this one does. Its log has to
     * have applied all that was committed before. Two that lead for a while, because one has not noticed that it was
     * overtaken, do no harm as long as the state of each is up to date; {@link #stopLeading} has to come before it is not.
     */
    public void startLeading() {
        engine.claims().start();
        engine.housekeeping().start();
    }

    /**
     * Ends leading. Those who wait for a claim are told to ask the next leader; calls under way are not
     * cancelled, as that would undo nothing (R30). Does nothing if this engine does not lead.
     */
    public void stopLeading() {
        engine.housekeeping().stop();
        engine.claims().stop();
    }

    /**
     * What the caller lacks to submit a workload, for a scheduler to ask before it accepts one (S24): the right to mount
     * in the workload's namespace and to read plugins if it requests volumes, and to deploy plugins if it runs any.
     * Nothing is read or written, and it is told whether this engine leads or not. Whoever claims for its allocations
     * later is asked for again.
     *
     * @param namespace the workload's namespace
     * @param requests the volumes it requests; possibly none
     * @param deploys the plugins that it runs; most often none
     * @return all that is missing, at once; empty: it may be submitted
     */
    public CompletableFuture<List<Access>> missingAuthority(
            Namespace namespace, List<VolumeRequest> requests, Set<PluginId> deploys) {
        return run(
                () -> CompletableFuture.completedFuture(engine.claims().missing(caller, namespace, requests, deploys)));
    }

    /**
     * Claims all volumes an allocation needs, or none of them, and waits until they are published to its
     * node. What cannot be taken now waits in order (N6); the same request again goes on where the first is.
     *
     * @param allocationId the allocation, which the state knows
     * @param requests at least one, no volume twice
     * @return all the node needs. Cancel it to leave the queue, and to release what the request took. Fails
     *     with a {@link RejectedException} for what no waiting cures, a {@link
     *     io.csi4j.core.call.CsiCallException} if the plugin refuses for good (then it is released), a {@link
     *     NotLeadingException} if another engine leads
     * @throws IllegalArgumentException if no volume is named, or one twice
     */
    public CompletableFuture<ClaimGrant> claim(AllocationId allocationId, List<ClaimRequest> requests) {
        return engine.claims().claim(caller, allocationId, requests);
    }

    /**
     * Has a claim released: the allocation needs the volume no more. Its end says so too, without this call. If it fails
     * because the log did not answer, it may come through later: repeat it until it is answered before the allocation
     * claims the volume again.
     *
     * @param key the volume
     * @param allocationId the allocation
     * @return completes once that is on record; the rest goes on in the background, see {@link #status}
     */
    public CompletableFuture<Void> release(VolumeKey key, AllocationId allocationId) {
        return engine.claims().release(caller, key, allocationId);
    }

    /**
     * A node's own report that it has unmounted a volume for an allocation. It is believed, and the node is not asked
     * again, so it needs {@link io.csi4j.core.spi.Permission#NODE_REPORT}, which is for agents and for who speaks for
     * them; the host has to see to it that an agent speaks for its own node alone.
     *
     * @param key the volume
     * @param nodeId the node that reports
     * @param allocationId the allocation
     * @return completes once that is on record; does nothing if the claim is on another node, or is no more
     */
    public CompletableFuture<Void> nodeReleased(VolumeKey key, NodeId nodeId, AllocationId allocationId) {
        return engine.claims().nodeReleased(caller, key, nodeId, allocationId);
    }

    /**
     * Tries at once all that remains to be done for a volume on a node, claims of forgotten allocations
     * included, and tells what came of it (S14).
     *
     * @param key the volume
     * @param nodeId the node
     * @return what was done, and what is in the way of the rest
     */
    public CompletableFuture<DetachReport> detach(VolumeKey key, NodeId nodeId) {
        return engine.claims().detach(caller, key, nodeId);
    }

    /**
     * Has a reaper look at a volume (S13).
     *
     * @param key the volume
     * @return completes once that is on record
     */
    public CompletableFuture<Void> collect(VolumeKey key) {
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
        return run(() ->
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
        return run(() ->
                engine.claims().overrideAttachment(caller, key, nodeId, why).thenAccept(accepted -> {}));
    }

    /**
     * Where a volume stands: holders, those who wait, what remains to be done and why it is not yet.
     *
     * @param key the volume
     * @return empty: there is none
     */
    public CompletableFuture<Optional<VolumeStatus>> status(VolumeKey key) {
        return run(() -> CompletableFuture.completedFuture(engine.claims().status(caller, key)));
    }

    private <R> CompletableFuture<R> run(String what, Supplier<CompletableFuture<R>> operation) {
        return engine.operations().run(what, operation);
    }

    private <R> CompletableFuture<R> run(Supplier<CompletableFuture<R>> operation) {
        return engine.operations().run(operation);
    }
}
