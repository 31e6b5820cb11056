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
import io.csi4j.core.rpc.SnapshotMetadataService;
import io.csi4j.core.spi.Access;
import io.csi4j.core.spi.AccessDeniedException;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.NodeGateway;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.state.VolumeQuery;
import io.csi4j.core.state.VolumeView;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeSpec;
import java.security.Principal;
import java.time.Duration;
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
 * stopped. Futures complete in the {@linkplain
 * VolumeLifecycleBuilder#callbackExecutor callback executor}, and what depends on them may block. Safe for use by many threads.
 */
public final class VolumeLifecycle implements AutoCloseable {
    private final LifecycleEngine engine;
    private final Caller caller;
    private final Runnable closeEnvironment;

    VolumeLifecycle(LifecycleEngine engine, Caller caller, Runnable closeEnvironment) {
        this.engine = engine;
        this.caller = caller;
        this.closeEnvironment = closeEnvironment;
    }

    /**
     * An engine with defaults: threads and time of its own, secrets of the volumes, no access control, no events.
     *
     * @param log the only way state is changed
     * @param gateway the only way plugins and nodes are reached
     * @return ready for use; the caller closes it
     */
    public static VolumeLifecycle of(CommandLog log, NodeGateway gateway) {
        return builder().log(log).gateway(gateway).build();
    }

    /**
     * A builder; log and gateway have to be set.
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
        Objects.requireNonNull(principal, "principal");
        return new VolumeLifecycle(engine, new Caller(principal, Optional.empty()), closeEnvironment);
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
                engine,
                new Caller(caller.principal(), Optional.of(Objects.requireNonNull(secrets, "secrets"))),
                closeEnvironment);
    }

    LifecycleEngine engine() {
        return engine;
    }

    Caller caller() {
        return caller;
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
        return run(
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
        Objects.requireNonNull(key, "key");
        return run("deletion of volume " + key, () -> engine.deletion().delete(caller, key));
    }

    /**
     * Takes the deletion of a volume back. The provider has to confirm the volume first, since a call to delete it may
     * have been made and have lost its answer: until then the volume stays DELETING. Deletions of this engine that are in
     * flight are waited for. A plugin may still be at a call whose answer was lost before; ask for the health of the
     * volume before you rely on it. Where the plugin is gone permanently no one can confirm anything; {@link
     * #deregister} by force forgets the volume then.
     *
     * @param key the volume
     * @return the volume, also if it is not being deleted, without secrets and contexts unless the caller has {@link
     *     io.csi4j.core.spi.Permission#MANAGEMENT}; a {@link CsiRequestException} if the provider has deleted it, does not
     *     confirm it, made something else than was asked for, or has told no id of it yet; a {@link NotLeadingException}
     *     if this engine does not lead; the deletion that is withdrawn fails with a {@link RefusedException}
     */
    public CompletableFuture<Volume> withdrawDeletion(VolumeKey key) {
        Objects.requireNonNull(key, "key");
        return run(
                "withdrawal of the deletion of volume " + key,
                () -> engine.deletion()
                        .withdraw(caller, key)
                        .thenApply(volume -> engine.views().answer(caller, volume)));
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
     * @return the volume with its new size, without secrets, contexts, mount flags and parameters unless the caller has {@link
     *     io.csi4j.core.spi.Permission#MANAGEMENT},
     *     and what its nodes make of it; a refusal is a {@link CsiCallException} or a {@link RefusedException}
     */
    public CompletableFuture<ExpandResult> expand(VolumeKey key, CapacityRange range) {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(range, "range");
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
     * @return the volume as it is then, also if there was no such wish, without secrets, contexts, mount flags and parameters unless the caller has
     *     {@link io.csi4j.core.spi.Permission#MANAGEMENT}; a {@link CsiRequestException} if its plugin has grown it, so
     *     that only nodes are left
     */
    public CompletableFuture<Volume> withdrawExpansion(VolumeKey key) {
        Objects.requireNonNull(key, "key");
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
     * @return the volume once the provider took them, without secrets, contexts, mount flags and parameters unless the caller has {@link
     *     io.csi4j.core.spi.Permission#MANAGEMENT};
     *     a refusal, after which nothing was changed, is a {@link CsiCallException} or a {@link RefusedException}
     */
    public CompletableFuture<Volume> modify(VolumeKey key, Map<String, String> mutableParameters) {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(mutableParameters, "mutableParameters");
        return run(
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
    public CompletableFuture<Optional<VolumeView>> volume(VolumeKey key) {
        Objects.requireNonNull(key, "key");
        return run(() -> CompletableFuture.completedFuture(engine.views().volume(caller, key)));
    }

    /**
     * A page of volumes. Over all namespaces, those of the namespaces the caller may list.
     *
     * @param query which; with a node, the caller has to be allowed to read the volumes too
     * @return one page, in key order
     */
    public CompletableFuture<VolumeSummaries> volumes(VolumeQuery query) {
        Objects.requireNonNull(query, "query");
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
        Objects.requireNonNull(request, "request");
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
        Objects.requireNonNull(plugin, "plugin");
        Objects.requireNonNull(snapshotId, "snapshotId");
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
        Objects.requireNonNull(plugin, "plugin");
        Objects.requireNonNull(snapshotId, "snapshotId");
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
        Objects.requireNonNull(plugin, "plugin");
        Objects.requireNonNull(source, "source");
        Objects.requireNonNull(token, "token");
        return run(
                "listing of the snapshots of plugin " + plugin,
                () -> engine.snapshotListing().list(caller, plugin, source, maxEntries, token));
    }

    /**
     * Which blocks of snapshots are allocated, or differ from an earlier snapshot (R101-R103). A stream is fetched
     * page by page as its subscriber asks for more; a page that fails is repeated where that may help, and one stream
     * may come from several instances of the plugin.
     *
     * <p>A snapshot of a volume that is known here needs VOLUME_READ in that volume's namespace, every other one
     * MANAGEMENT. Secrets in a request are used as they are; where it has none, the {@code SecretsProvider} is asked.
     *
     * @param plugin a plugin with SNAPSHOT_METADATA_SERVICE
     * @return the service; its streams fail with an {@link UnfinishedException} if a page is not had within the time
     *     of an operation
     */
    public SnapshotMetadataService snapshotMetadata(PluginId plugin) {
        return engine.metadata().of(caller, Objects.requireNonNull(plugin, "plugin"));
    }

    /**
     * Cuts snapshots of several volumes at one point (R97).
     *
     * @param request of what, and under which name
     * @return the group snapshot once it is ready to use
     */
    public CompletableFuture<VolumeGroupSnapshot> createGroupSnapshot(GroupSnapshotRequest request) {
        Objects.requireNonNull(request, "request");
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
        Objects.requireNonNull(plugin, "plugin");
        Objects.requireNonNull(group, "group");
        Objects.requireNonNull(members, "members");
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
        Objects.requireNonNull(plugin, "plugin");
        Objects.requireNonNull(group, "group");
        Objects.requireNonNull(members, "members");
        return run("deletion of group snapshot " + group, () -> engine.groups().delete(caller, plugin, group, members));
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
    public CompletableFuture<ExternalPage<ListVolumesResponse.Entry>> externalVolumes(
            PluginId plugin, int maxEntries, String token) {
        Objects.requireNonNull(plugin, "plugin");
        Objects.requireNonNull(token, "token");
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
        Objects.requireNonNull(plugin, "plugin");
        Objects.requireNonNull(request, "request");
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
        Objects.requireNonNull(key, "key");
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
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(allocationId, "allocationId");
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
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(allocationId, "allocationId");
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
        Objects.requireNonNull(plugin, "plugin");
        Objects.requireNonNull(nodeId, "nodeId");
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
     * @return those of namespaces the caller may read, and for the management those that are not registered; a page may be
     *     empty though there are further ones
     */
    public CompletableFuture<ExternalPage<AbnormalVolume>> abnormalVolumes(
            PluginId plugin, int maxEntries, String token) {
        Objects.requireNonNull(plugin, "plugin");
        Objects.requireNonNull(token, "token");
        return run(
                "listing of the volumes of plugin " + plugin + " that are not well",
                () -> engine.health().abnormal(caller, plugin, maxEntries, token));
    }

    /**
     * All plugins, each as an {@linkplain PluginView#outline() outline}: how it is, and nothing of what runs it.
     *
     * @return in order of their ids
     */
    public CompletableFuture<List<PluginView>> plugins() {
        return run(() -> CompletableFuture.completedFuture(engine.plugins().list(caller)));
    }

    /**
     * A plugin with its instances, and with those of the allocations that run it whose namespaces the caller may read.
     *
     * @param plugin which
     * @return empty: there is none
     */
    public CompletableFuture<Optional<PluginReport>> plugin(PluginId plugin) {
        Objects.requireNonNull(plugin, "plugin");
        return run(() -> CompletableFuture.completedFuture(engine.plugins().get(caller, plugin)));
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
        return run(() -> engine.plugins().waitFor(caller, pluginId, limit));
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
        Objects.requireNonNull(plugin, "plugin");
        return run(() -> engine.reconciliation().run(caller, plugin, repair));
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
        return run(() -> engine.orphans().run(caller, plugin));
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
     *
     * @throws AccessDeniedException if the caller has not {@link Permission#MANAGEMENT}
     */
    public void startLeading() {
        engine.operations().allow(caller, Access.of(Permission.MANAGEMENT));
        engine.claims().start();
        engine.housekeeping().start();
    }

    /**
     * Ends leading. Those who wait for a claim are told to ask the next leader; calls under way are not
     * cancelled, as that would undo nothing (R30). Does nothing if this engine does not lead.
     *
     * @throws AccessDeniedException if the caller has not {@link Permission#MANAGEMENT}
     */
    public void stopLeading() {
        engine.operations().allow(caller, Access.of(Permission.MANAGEMENT));
        engine.housekeeping().stop();
        engine.claims().stop();
    }

    /**
     * Ends leading, and the threads of an engine that was built without an {@link Environment}. Close agents and servers
     * that use the engine first; then the engine; then gateway, store and the host's own environment. Does not wait: calls
     * in flight end by themselves, and the next leader repeats those whose outcome is unknown. Does nothing the second
     * time.
     *
     * @throws AccessDeniedException if the caller has not {@link Permission#MANAGEMENT}
     */
    @Override
    public void close() {
        stopLeading();
        closeEnvironment.run();
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
        Objects.requireNonNull(namespace, "namespace");
        Objects.requireNonNull(requests, "requests");
        Objects.requireNonNull(deploys, "deploys");
        return run(
                () -> CompletableFuture.completedFuture(engine.claims().missing(caller, namespace, requests, deploys)));
    }

    /**
     * Claims all volumes an allocation needs, or none of them, and waits until they are published to its
     * node. What cannot be taken now waits in order (N6); the same request again goes on where the first is.
     *
     * @param allocationId the allocation, which the state knows
     * @param requests at least one; several of one volume become one claim, which writes if one of them does. Each
     *     volume is of the allocation's namespace, or {@linkplain VolumeSpec#sharedWith() shared} with it
     * @return all the node needs. Cancel it to leave the queue, and to release what the request took. Fails
     *     with a {@link RejectedException} for what no waiting cures, a {@link
     *     io.csi4j.core.call.CsiCallException} if the plugin refuses for good (then it is released), a {@link
     *     NotLeadingException} if another engine leads
     * @throws IllegalArgumentException if no volume is named
     */
    public CompletableFuture<ClaimGrant> claim(AllocationId allocationId, List<ClaimRequest> requests) {
        Objects.requireNonNull(allocationId, "allocationId");
        Objects.requireNonNull(requests, "requests");
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
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(allocationId, "allocationId");
        return engine.claims().release(caller, key, allocationId);
    }

    /**
     * Has a claim released as it was granted, and not one that the allocation took or asked for again since. For who
     * gives a grant back while another request of the same allocation may be under way.
     *
     * @param key the volume
     * @param allocationId the allocation
     * @param takenIndex the {@link io.csi4j.core.volume.Claim#takenIndex()} of the claim in the {@link VolumeGrant}
     * @return completes once that is on record, or the claim is another one; the rest goes on in the background, see
     *     {@link #status}
     * @throws IllegalArgumentException if the index is less than 1
     */
    public CompletableFuture<Void> release(VolumeKey key, AllocationId allocationId, long takenIndex) {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(allocationId, "allocationId");
        return engine.claims().release(caller, key, allocationId, takenIndex);
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
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(nodeId, "nodeId");
        Objects.requireNonNull(allocationId, "allocationId");
        return engine.claims().nodeReleased(caller, key, nodeId, allocationId);
    }

    /**
     * Tries at once all that remains to be done for a volume on a node, claims of forgotten allocations
     * included, and tells what came of it (S14). Where the state has nothing to detach, the provider is asked to detach
     * the volume all the same: the intent to do so is stored first, and shows in {@link #status} until the provider
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
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(nodeId, "nodeId");
        Objects.requireNonNull(why, "why");
        return run(() ->
                engine.claims().overrideAttachment(caller, key, nodeId, why).thenAccept(accepted -> {}));
    }

    /**
     * Where a volume stands: holders, those who wait, what remains to be done and why it is not yet. It shows what
     * {@link #volume} shows of the volume, and no mount flags of those who wait.
     *
     * @param key the volume
     * @return empty: there is none
     */
    public CompletableFuture<Optional<VolumeStatus>> status(VolumeKey key) {
        Objects.requireNonNull(key, "key");
        return run(() -> CompletableFuture.completedFuture(engine.claims().status(caller, key)));
    }

    /**
     * All claims that wait, over all volumes that the caller may read.
     *
     * @return in the order they came, each with the volume, who holds it, the reason and since when; of a claim on several
     *     volumes, those that the caller may read. Empty on an engine that does not lead
     */
    public CompletableFuture<List<WaitingClaim>> waiting() {
        return run(() -> CompletableFuture.completedFuture(engine.claimViews().waiting(caller)));
    }

    /**
     * The claims of one allocation, over all volumes that the caller may read.
     *
     * @param allocationId the allocation
     * @return the claims it has, and those that wait; both are empty for one that claims nothing
     */
    public CompletableFuture<AllocationClaims> status(AllocationId allocationId) {
        Objects.requireNonNull(allocationId, "allocationId");
        return run(() -> CompletableFuture.completedFuture(engine.claimViews().of(caller, allocationId)));
    }

    private <R> CompletableFuture<R> run(String what, Supplier<CompletableFuture<R>> operation) {
        return engine.operations().run(what, operation);
    }

    private <R> CompletableFuture<R> run(Supplier<CompletableFuture<R>> operation) {
        return engine.operations().run(operation);
    }
}
