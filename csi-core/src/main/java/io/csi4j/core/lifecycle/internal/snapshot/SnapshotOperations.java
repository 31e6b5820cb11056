package io.csi4j.core.lifecycle.internal.snapshot;

import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Problem;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.Snapshot;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.internal.apply.PluginOffer;
import io.csi4j.core.internal.check.CsiLimits;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.lifecycle.SnapshotRequest;
import io.csi4j.core.lifecycle.WrongAnswerException;
import io.csi4j.core.lifecycle.internal.call.CallSubject;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.lifecycle.internal.call.NotReadyException;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.call.RetryLoop;
import io.csi4j.core.lifecycle.internal.call.SourceUse;
import io.csi4j.core.rpc.CreateSnapshotRequest;
import io.csi4j.core.rpc.DeleteSnapshotRequest;
import io.csi4j.core.spi.Access;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.volume.Volume;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Creates snapshots until they are ready to use, and deletes them (R76-R80). The engine does not store snapshots in its
 * state.
 */
public final class SnapshotOperations {
    private final Operations operations;
    private final SnapshotListing listing;

    public SnapshotOperations(Operations operations, SnapshotListing listing) {
        this.operations = operations;
        this.listing = listing;
    }

    /**
     * Creates a snapshot.
     *
     * @param cut gets the id of the snapshot as soon as the plugin has returned it
     */
    public CompletableFuture<Snapshot> create(
            Caller caller, SnapshotRequest request, AtomicReference<@Nullable SnapshotId> cut) {
        operations
                .permissions()
                .allow(
                        caller,
                        Access.in(request.volume().namespace(), Permission.VOLUME_WRITE),
                        Access.of(Permission.PLUGIN_READ));
        Volume volume = Operations.changeable(operations.volume(request.volume()));
        String what = "snapshot " + request.name() + " of volume " + request.volume();
        CsiLimits.requireUnreserved(what, "parameters", request.parameters());
        PluginOffer offer = PluginOffer.of(operations.state(), volume.pluginId())
                .needs(ControllerCapability.CREATE_DELETE_SNAPSHOT, "snapshots");
        if (request.accessibilityRequirements().isPresent()) {
            offer.needs(PluginService.SNAPSHOT_ACCESSIBILITY_CONSTRAINTS, "accessibilityRequirements");
        }
        offer.check(what);
        // The request is checked before anything is sent. Its secrets are added later.
        var checked = message(volume, request, Secrets.empty());
        return operations
                .retryLoop()
                .untilDone(what, RetryLoop.Stored.NOTHING_HERE, attempt -> step(caller, volume, request, attempt, cut))
                .exceptionallyCompose(failure -> failed(
                        caller,
                        checked.sourceVolumeId(),
                        volume.pluginId(),
                        Optional.ofNullable(cut.get()),
                        Futures.unwrap(failure)));
    }

    private static CreateSnapshotRequest message(Volume volume, SnapshotRequest request, Secrets secrets) {
        CreateSnapshotRequest.Builder builder = CreateSnapshotRequest.builder(volume.remoteId(), request.name())
                .parameters(request.parameters())
                .secrets(secrets);
        request.accessibilityRequirements().ifPresent(builder::accessibilityRequirements);
        return builder.build();
    }

    /**
     * Sends the request once. Each further attempt sends the same request again, whether a response was lost or the
     * snapshot is not ready yet (R77).
     */
    private CompletableFuture<Snapshot> step(
            Caller caller,
            Volume asked,
            SnapshotRequest request,
            int attempt,
            AtomicReference<@Nullable SnapshotId> cut) {
        return operations.volumeCalls().exclusively(request.volume(), () -> {
            Volume volume = source(asked, cut);
            return operations
                    .secrets()
                    .of(caller, volume, Rpc.CREATE_SNAPSHOT)
                    .thenCompose(secrets -> operations
                            .calls()
                            .controller(CallSubject.of(Rpc.CREATE_SNAPSHOT, volume, attempt), controller -> {
                                source(asked, cut);
                                return controller.createSnapshot(message(volume, request, secrets));
                            }))
                    .thenApply(answer -> checked(volume, request, answer.snapshot(), cut))
                    .exceptionallyCompose(
                            failure -> CompletableFuture.failedFuture(MissingCapacity.permanent(failure)));
        });
    }

    /**
     * Returns the source volume of the snapshot.
     *
     * @param cut the id of the snapshot once it exists; then a deleted source volume is no error
     */
    private Volume source(Volume asked, AtomicReference<@Nullable SnapshotId> cut) {
        Volume volume = operations.same(asked, "cut");
        return cut.get() == null ? Operations.changeable(volume) : volume;
    }

    private static Snapshot checked(
            Volume volume, SnapshotRequest request, Snapshot answer, AtomicReference<@Nullable SnapshotId> cut) {
        String what = "snapshot " + request.name() + " of volume " + request.volume();
        if (!answer.sourceVolumeId().equals(volume.remoteId())) {
            throw new WrongAnswerException(
                    Rpc.CREATE_SNAPSHOT,
                    what,
                    "it is one of " + answer.sourceVolumeId() + " and not of " + volume.remoteId());
        }
        cut.set(answer.snapshotId());
        if (!answer.readyToUse()) {
            throw notReady(what, answer.snapshotId());
        }
        return answer;
    }

    /** Returns the exception for a snapshot that exists and is not ready to use. */
    public static NotReadyException notReady(String what, SnapshotId snapshotId) {
        return new NotReadyException(what, "the plugin has it with the id " + snapshotId);
    }

    /**
     * Handles a failed creation. A snapshot whose creation failed permanently is deleted (R78); a snapshot that only
     * takes too long is kept.
     */
    private CompletableFuture<Snapshot> failed(
            Caller caller, ExternalVolumeId source, PluginId plugin, Optional<SnapshotId> cut, Throwable failure) {
        if (cut.isEmpty() || !RetryLoop.isPermanent(failure)) {
            return CompletableFuture.failedFuture(failure);
        }
        CallSubject subject = CallSubject.of(Rpc.DELETE_SNAPSHOT, plugin, source.value());
        return deleteNow(caller, subject, cut.get(), Optional.of(source)).handle((deleted, undeleted) -> {
            if (undeleted != null) {
                failure.addSuppressed(Futures.unwrap(undeleted));
            }
            throw failure instanceof RuntimeException known ? known : new IllegalStateException(failure);
        });
    }

    public CompletableFuture<Void> delete(Caller caller, PluginId plugin, SnapshotId snapshotId) {
        operations.permissions().allow(caller, Access.of(Permission.PLUGIN_READ));
        PluginOffer.of(operations.state(), plugin)
                .needs(ControllerCapability.CREATE_DELETE_SNAPSHOT, "snapshots")
                .check("deletion of snapshot " + snapshotId);
        return listing.find(caller, plugin, snapshotId).thenCompose(found -> {
            listing.allowChange(caller, plugin, found, "snapshot " + snapshotId);
            found.flatMap(Snapshot::groupSnapshotId).ifPresent(group -> {
                throw new CsiRequestException(
                        "deletion of snapshot " + snapshotId,
                        List.of(new Problem(
                                "snapshotId",
                                "is a member of group snapshot " + group + " (R80)",
                                "delete the group snapshot")));
            });
            CallSubject subject = CallSubject.of(Rpc.DELETE_SNAPSHOT, plugin, snapshotId.value());
            return deleteNow(caller, subject, snapshotId, found.map(Snapshot::sourceVolumeId));
        });
    }

    private CompletableFuture<Void> deleteNow(
            Caller caller, CallSubject subject, SnapshotId snapshotId, Optional<ExternalVolumeId> source) {
        return operations
                .retryLoop()
                .untilDone(
                        "deletion of snapshot " + snapshotId,
                        RetryLoop.Stored.NOTHING_HERE,
                        attempt -> operations
                                .volumeCalls()
                                .exclusively(
                                        snapshotId,
                                        () -> operations
                                                .secrets()
                                                .of(caller, subject.plugin(), source, Rpc.DELETE_SNAPSHOT)
                                                .thenCompose(secrets -> operations
                                                        .calls()
                                                        .<Void>controller(subject.attempt(attempt), controller -> {
                                                            SourceUse.check(
                                                                    operations.state(),
                                                                    subject.plugin(),
                                                                    List.of(snapshotId),
                                                                    key -> operations
                                                                            .permissions()
                                                                            .mayRead(caller, key));
                                                            return controller.deleteSnapshot(
                                                                    DeleteSnapshotRequest.builder(snapshotId)
                                                                            .secrets(secrets)
                                                                            .build());
                                                        }))))
                .thenApply(deleted -> null);
    }
}
