package io.csi4j.core.lifecycle.internal.snapshot;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.SnapshotKey;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.check.CsiLimits;
import io.csi4j.core.internal.command.SnapshotCommand;
import io.csi4j.core.lifecycle.RejectedException;
import io.csi4j.core.lifecycle.SnapshotFailedException;
import io.csi4j.core.lifecycle.UnfinishedException;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.call.RetryLoop;
import io.csi4j.core.lifecycle.internal.wait.RowWait;
import io.csi4j.core.lifecycle.internal.wait.RowWaits;
import io.csi4j.core.plugin.PluginProfile;
import io.csi4j.core.snapshot.SnapshotPhase;
import io.csi4j.core.snapshot.SnapshotSpec;
import io.csi4j.core.snapshot.VolumeSnapshot;
import io.csi4j.core.spi.Access;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.state.StateScope;
import io.csi4j.core.volume.OperatorOverride;
import io.csi4j.core.volume.Volume;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Stores what callers ask of snapshots, and waits for the leader, which makes the calls. */
public final class SnapshotRows {
    private static final int NAME_BYTES = 16;

    private final Operations operations;
    private final RowWaits waits;

    public SnapshotRows(Operations operations, RowWaits waits) {
        this.operations = operations;
        this.waits = waits;
    }

    /** Stores the intent to create a snapshot, and waits until the snapshot is ready to use. */
    public CompletableFuture<VolumeSnapshot> create(
            Caller caller, SnapshotKey key, VolumeKey source, Map<String, String> parameters) {
        operations
                .permissions()
                .allow(
                        caller,
                        Access.in(key.namespace(), Permission.VOLUME_WRITE),
                        Access.in(source.namespace(), Permission.VOLUME_WRITE),
                        Access.of(Permission.PLUGIN_READ));
        String what = "snapshot " + key + " of volume " + source;
        CsiLimits.requireUnreserved(what, "parameters", parameters);
        Volume volume = Operations.changeable(operations.volume(source));
        SnapshotSpec spec = intent(key, volume, parameters);
        // A request that breaks a rule of CSI fails here, before anything is stored.
        SnapshotCalls.request(spec, Secrets.empty());
        RowWait<VolumeSnapshot> wait = waits.begin(StateScope.snapshot(key));
        var command = new SnapshotCommand.CreateSnapshot(key, spec, operations.now());
        return operations
                .retryLoop()
                .untilDone(what, RetryLoop.Stored.UNCERTAIN, attempt -> operations.submitUnlessChanged(command))
                .thenApply(SnapshotCalls::stored)
                .thenCompose(row -> limited(wait, what, key).await(state -> created(state, row)));
    }

    private SnapshotSpec intent(SnapshotKey key, Volume volume, Map<String, String> parameters) {
        String name = newName();
        Map<String, String> all = new HashMap<>(parameters);
        if (operations
                .state()
                .pluginProfile(volume.pluginId())
                .filter(PluginProfile::snapshotMetadata)
                .isPresent()) {
            all.put(
                    CsiLimits.RESERVED_PREFIX + "volumesnapshot/name",
                    key.name().value());
            all.put(
                    CsiLimits.RESERVED_PREFIX + "volumesnapshot/namespace",
                    key.namespace().value());
            all.put(CsiLimits.RESERVED_PREFIX + "volumesnapshotcontent/name", name);
        }
        return new SnapshotSpec(volume.key(), volume.createIndex(), volume.pluginId(), volume.remoteId(), name, all);
    }

    /** Returns a name that no other snapshot of the plugin has: its digits are chosen by chance, so nothing repeats them. */
    private String newName() {
        byte[] digits = new byte[NAME_BYTES];
        operations.ports().random().nextBytes(digits);
        return "snapshot-" + HexFormat.of().formatHex(digits);
    }

    private <R> RowWait<R> limited(RowWait<R> wait, String what, SnapshotKey key) {
        Duration limit = operations.ports().options().operationTimeout();
        return wait.limit(limit, () -> {
            throw new UnfinishedException(
                    what + " is not done"
                            + operations
                                    .state()
                                    .snapshot(key)
                                    .flatMap(row -> row.retry().lastError())
                                    .map(error -> ": " + error)
                                    .orElse("")
                            + "; " + RetryLoop.Stored.INTENT.text(),
                    null);
        });
    }

    /** Returns the snapshot if it is ready, and fails if it will not be. */
    private static Optional<VolumeSnapshot> created(StateReader state, VolumeSnapshot asked) {
        VolumeSnapshot now = state.snapshot(asked.key())
                .filter(row -> row.createIndex() == asked.createIndex())
                .orElseThrow(() -> gone(asked));
        if (now.phase() == SnapshotPhase.FAILED || now.phase() == SnapshotPhase.MAYBE_LEAKED) {
            throw new SnapshotFailedException(now);
        }
        if (now.deletionRequested() || now.phase() == SnapshotPhase.DELETING) {
            throw new RejectedException(new Rejection.SnapshotNotFound(asked.key()));
        }
        return Optional.of(now).filter(row -> row.phase() == SnapshotPhase.READY);
    }

    private static CsiException gone(VolumeSnapshot asked) {
        return new RejectedException(new Rejection.SnapshotNotFound(asked.key()));
    }

    /** Stores the request to delete a snapshot, and waits until the state does not have it. */
    public CompletableFuture<Void> delete(Caller caller, SnapshotKey key) {
        operations.permissions().allow(caller, Access.in(key.namespace(), Permission.VOLUME_WRITE));
        Optional<VolumeSnapshot> known = operations.state().snapshot(key);
        if (known.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        long createIndex = known.get().createIndex();
        String what = "deletion of snapshot " + key;
        RowWait<Boolean> wait = waits.begin(StateScope.snapshot(key));
        var command = new SnapshotCommand.DeleteSnapshot(key, createIndex, operations.now());
        return operations
                .retryLoop()
                .untilDone(what, RetryLoop.Stored.UNCERTAIN, attempt -> operations.submit(command))
                .thenCompose(stored -> limited(wait, what, key)
                        .await(state -> state.snapshot(key)
                                        .filter(row -> row.createIndex() == createIndex)
                                        .isEmpty()
                                ? Optional.of(true)
                                : Optional.empty()))
                .thenApply(done -> null);
    }

    /** Returns a snapshot; empty if the state does not have it. */
    public Optional<VolumeSnapshot> get(Caller caller, SnapshotKey key) {
        operations.permissions().allow(caller, Access.in(key.namespace(), Permission.VOLUME_READ));
        return operations.state().snapshot(key);
    }

    /** Returns the snapshots of a namespace, and of one volume if it is given, in the order of their keys. */
    public List<VolumeSnapshot> list(Caller caller, Namespace namespace, Optional<VolumeKey> source) {
        operations.permissions().allow(caller, Access.in(namespace, Permission.VOLUME_READ));
        StateReader state = operations.state();
        List<VolumeSnapshot> found = new ArrayList<>();
        if (source.isPresent()) {
            for (SnapshotKey key : state.snapshotsOf(source.get())) {
                state.snapshot(key).ifPresent(found::add);
            }
        } else {
            state.snapshots().forEach(found::add);
        }
        found.removeIf(row -> !row.key().namespace().equals(namespace));
        return List.copyOf(found);
    }

    /** Records the statement of an operator that the storage provider has no such snapshot, and removes the row. */
    public CompletableFuture<Void> forget(Caller caller, SnapshotKey key, String reason) {
        operations.permissions().allow(caller, Access.of(Permission.MANAGEMENT));
        VolumeSnapshot known = operations
                .state()
                .snapshot(key)
                .orElseThrow(() -> new RejectedException(new Rejection.SnapshotNotFound(key)));
        var command = new SnapshotCommand.ForgetSnapshot(
                key,
                known.createIndex(),
                new OperatorOverride(caller.principal().getName(), reason, operations.now()));
        return operations
                .retryLoop()
                .untilDone(
                        "removal of snapshot " + key, RetryLoop.Stored.UNCERTAIN, attempt -> operations.submit(command))
                .thenApply(accepted -> null);
    }
}
