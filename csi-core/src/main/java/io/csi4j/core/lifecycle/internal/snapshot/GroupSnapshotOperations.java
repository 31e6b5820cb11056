package io.csi4j.core.lifecycle.internal.snapshot;

import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Problem;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.GroupSnapshotId;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.Snapshot;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.csi.VolumeGroupSnapshot;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.apply.PluginOffer;
import io.csi4j.core.internal.check.CsiLimits;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.lifecycle.GroupSnapshotRequest;
import io.csi4j.core.lifecycle.WrongAnswerException;
import io.csi4j.core.lifecycle.internal.call.CallSubject;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.lifecycle.internal.call.Failures;
import io.csi4j.core.lifecycle.internal.call.NotReadyException;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.call.RetryLoop;
import io.csi4j.core.lifecycle.internal.call.SourceUse;
import io.csi4j.core.rpc.CreateVolumeGroupSnapshotRequest;
import io.csi4j.core.rpc.DeleteVolumeGroupSnapshotRequest;
import io.csi4j.core.rpc.GetVolumeGroupSnapshotRequest;
import io.csi4j.core.spi.Access;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.volume.Volume;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/** Creates snapshots of several volumes at the same time (R97-R100), with one set of secrets for all of them (R98). */
public final class GroupSnapshotOperations {
    private final Operations operations;
    private final SnapshotListing listing;

    public GroupSnapshotOperations(Operations operations, SnapshotListing listing) {
        this.operations = operations;
        this.listing = listing;
    }

    public CompletableFuture<VolumeGroupSnapshot> create(Caller caller, GroupSnapshotRequest request) {
        for (VolumeKey key : request.volumes()) {
            operations.permissions().allow(caller, Access.in(key.namespace(), Permission.VOLUME_WRITE));
        }
        operations.permissions().allow(caller, Access.of(Permission.PLUGIN_READ));
        String what = "group snapshot " + request.name();
        CsiLimits.requireUnreserved(what, "parameters", request.parameters());
        PluginId plugin = plugin(request, what);
        offer(plugin, what);
        List<Volume> volumes =
                request.volumes().stream().map(operations::available).toList();
        List<ExternalVolumeId> sources = volumes.stream().map(Volume::remoteId).toList();
        var message = CreateVolumeGroupSnapshotRequest.builder(request.name(), sources)
                .parameters(request.parameters())
                .build();
        AtomicBoolean cut = new AtomicBoolean();
        return operations
                .retryLoop()
                .untilDone(
                        what, RetryLoop.Stored.NOTHING_HERE, attempt -> step(caller, volumes, message, attempt, cut));
    }

    private PluginId plugin(GroupSnapshotRequest request, String what) {
        PluginId plugin = operations.volume(request.volumes().get(0)).pluginId();
        for (VolumeKey key : request.volumes()) {
            PluginId other = operations.volume(key).pluginId();
            if (!other.equals(plugin)) {
                throw new CsiRequestException(
                        what,
                        List.of(new Problem(
                                "volumes",
                                "are of plugins " + plugin + " and " + other,
                                "group volumes of one plugin only")));
            }
        }
        return plugin;
    }

    private void offer(PluginId plugin, String what) {
        PluginOffer.of(operations.state(), plugin)
                .needs(PluginService.GROUP_CONTROLLER_SERVICE, "group snapshots")
                .check(what);
    }

    private CompletableFuture<VolumeGroupSnapshot> step(
            Caller caller,
            List<Volume> volumes,
            CreateVolumeGroupSnapshotRequest message,
            int attempt,
            AtomicBoolean cut) {
        PluginId plugin = volumes.get(0).pluginId();
        return operations
                .volumeCalls()
                .exclusively(
                        new GroupName(plugin, message.name()),
                        () -> operations
                                .secrets()
                                .of(caller, plugin, Rpc.CREATE_VOLUME_GROUP_SNAPSHOT)
                                .thenCompose(secrets -> operations
                                        .calls()
                                        .groupController(
                                                CallSubject.of(Rpc.CREATE_VOLUME_GROUP_SNAPSHOT, plugin, message.name())
                                                        .attempt(attempt),
                                                group -> {
                                                    check(volumes, cut.get());
                                                    return group.createVolumeGroupSnapshot(message.toBuilder()
                                                            .secrets(secrets)
                                                            .build());
                                                })))
                .thenApply(answer -> checked(message, answer.groupSnapshot(), cut))
                .exceptionallyCompose(failure -> CompletableFuture.failedFuture(MissingCapacity.permanent(failure)));
    }

    /**
     * Checks the source volumes of a group snapshot.
     *
     * @param cut whether the snapshots exist already; then a deleted source volume is no error
     */
    private void check(List<Volume> volumes, boolean cut) {
        for (Volume asked : volumes) {
            Volume volume = operations.same(asked, "cut");
            if (!cut) {
                Operations.changeable(volume);
            }
        }
    }

    private static VolumeGroupSnapshot checked(
            CreateVolumeGroupSnapshotRequest asked, VolumeGroupSnapshot answer, AtomicBoolean done) {
        Set<ExternalVolumeId> cut = new HashSet<>();
        answer.snapshots().forEach(snapshot -> cut.add(snapshot.sourceVolumeId()));
        if (!cut.equals(Set.copyOf(asked.sourceVolumeIds()))) {
            throw new WrongAnswerException(
                    Rpc.CREATE_VOLUME_GROUP_SNAPSHOT,
                    "group snapshot " + asked.name(),
                    "it holds snapshots of " + cut + " and not of " + asked.sourceVolumeIds());
        }
        done.set(true);
        if (!answer.readyToUse()) {
            throw new NotReadyException(
                    "group snapshot " + asked.name(),
                    "the plugin has it with the id " + answer.groupSnapshotId() + " and the snapshots "
                            + answer.snapshots().stream()
                                    .map(Snapshot::snapshotId)
                                    .toList());
        }
        return answer;
    }

    public CompletableFuture<Optional<VolumeGroupSnapshot>> get(
            Caller caller, PluginId plugin, GroupSnapshotId group, List<SnapshotId> members) {
        operations.permissions().allow(caller, Access.of(Permission.PLUGIN_READ));
        offer(plugin, "read group snapshot " + group);
        return find(caller, plugin, group, members)
                .thenApply(found -> found.filter(known -> visible(caller, plugin, known)));
    }

    /** Returns whether the caller may read all source volumes. A group without members needs MANAGEMENT. */
    private boolean visible(Caller caller, PluginId plugin, VolumeGroupSnapshot group) {
        return group.snapshots().isEmpty()
                ? operations.permissions().allows(caller, Access.of(Permission.MANAGEMENT))
                : group.snapshots().stream()
                        .map(Snapshot::sourceVolumeId)
                        .allMatch(source ->
                                operations.permissions().owns(caller, plugin, source, Permission.VOLUME_READ));
    }

    /** Finds a group by its id and its complete list of members (R100). */
    private CompletableFuture<Optional<VolumeGroupSnapshot>> find(
            Caller caller, PluginId plugin, GroupSnapshotId group, List<SnapshotId> members) {
        var message = GetVolumeGroupSnapshotRequest.builder(group, members).build();
        return operations
                .secrets()
                .of(caller, plugin, Rpc.GET_VOLUME_GROUP_SNAPSHOT)
                .thenCompose(secrets -> operations
                        .calls()
                        .groupController(
                                CallSubject.of(Rpc.GET_VOLUME_GROUP_SNAPSHOT, plugin, group.value()),
                                service -> service.getVolumeGroupSnapshot(
                                        message.toBuilder().secrets(secrets).build())))
                .thenApply(answer -> Optional.of(answer.groupSnapshot()))
                .exceptionallyCompose(failure -> Failures.code(failure) == StatusCode.NOT_FOUND
                        ? CompletableFuture.completedFuture(Optional.empty())
                        : CompletableFuture.failedFuture(Futures.unwrap(failure)));
    }

    /**
     * Deletes a group snapshot. The caller needs VOLUME_WRITE in the namespace of each source volume, and MANAGEMENT if
     * a source volume is not registered. Succeeds if the storage provider does not have the group.
     */
    public CompletableFuture<Void> delete(
            Caller caller, PluginId plugin, GroupSnapshotId group, List<SnapshotId> members) {
        operations.permissions().allow(caller, Access.of(Permission.PLUGIN_READ));
        String what = "deletion of group snapshot " + group;
        offer(plugin, what);
        var message = DeleteVolumeGroupSnapshotRequest.builder(group, members).build();
        return find(caller, plugin, group, members).thenCompose(found -> {
            if (found.isEmpty()) {
                return CompletableFuture.completedFuture(null);
            }
            listing.allowChange(caller, plugin, found.get().snapshots(), "group snapshot " + group);
            onlyMembers(caller, what, found.get(), members);
            return operations
                    .retryLoop()
                    .untilDone(
                            what,
                            RetryLoop.Stored.NOTHING_HERE,
                            attempt -> deleteStep(caller, plugin, message, attempt));
        });
    }

    /**
     * Checks that each snapshot of the request is a member of the group, unless the caller has MANAGEMENT. The permissions
     * were checked for the members that the plugin reports, and the request for the deletion names those of the caller.
     */
    private void onlyMembers(Caller caller, String what, VolumeGroupSnapshot group, List<SnapshotId> members) {
        Set<SnapshotId> strangers = new TreeSet<>(Comparator.comparing(SnapshotId::value));
        strangers.addAll(members);
        group.snapshots().forEach(snapshot -> strangers.remove(snapshot.snapshotId()));
        if (!strangers.isEmpty() && !operations.permissions().allows(caller, Access.of(Permission.MANAGEMENT))) {
            throw CsiRequestException.afterQuestion(
                    what,
                    List.of(new Problem(
                            "snapshotIds", "has " + strangers + ", which the group does not have", "leave them out")));
        }
    }

    private CompletableFuture<Void> deleteStep(
            Caller caller, PluginId plugin, DeleteVolumeGroupSnapshotRequest message, int attempt) {
        GroupSnapshotId group = message.groupSnapshotId();
        return operations
                .volumeCalls()
                .exclusively(
                        group,
                        () -> operations
                                .secrets()
                                .of(caller, plugin, Rpc.DELETE_VOLUME_GROUP_SNAPSHOT)
                                .thenCompose(secrets -> operations
                                        .calls()
                                        .groupController(
                                                CallSubject.of(Rpc.DELETE_VOLUME_GROUP_SNAPSHOT, plugin, group.value())
                                                        .attempt(attempt),
                                                service -> {
                                                    SourceUse.check(
                                                            operations.state(),
                                                            plugin,
                                                            message.snapshotIds(),
                                                            key -> operations
                                                                    .permissions()
                                                                    .mayRead(caller, key));
                                                    return service.deleteVolumeGroupSnapshot(message.toBuilder()
                                                            .secrets(secrets)
                                                            .build());
                                                }))
                                .thenApply(answer -> null));
    }

    private record GroupName(PluginId plugin, String name) {}
}
