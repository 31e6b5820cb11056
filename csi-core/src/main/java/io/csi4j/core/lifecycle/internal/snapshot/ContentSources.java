package io.csi4j.core.lifecycle.internal.snapshot;

import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.VolumeContentSource;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.SnapshotKey;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.spi.Access;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Checks whether callers may copy the content of snapshots and volumes into the volumes that they ask for. */
public final class ContentSources {
    private final Operations operations;
    private final SnapshotListing snapshots;

    public ContentSources(Operations operations, SnapshotListing snapshots) {
        this.operations = operations;
        this.snapshots = snapshots;
    }

    /**
     * Checks the permission for the content of a volume. A repeated request reaches nothing more than the request that
     * made the row.
     *
     * @return completes if the caller may copy the content
     * @throws io.csi4j.core.spi.AccessDeniedException if the source is a volume, or a snapshot of the state, that the caller
     *     may not read
     */
    public CompletableFuture<Void> allow(
            Caller caller,
            VolumeKey key,
            PluginId plugin,
            Optional<VolumeContentSource> contentSource,
            Optional<SnapshotKey> sourceSnapshot) {
        Optional<VolumeSpec> known = operations.state().volume(key).map(Volume::spec);
        sourceSnapshot
                .filter(snapshot -> !known.flatMap(VolumeSpec::sourceSnapshot).equals(Optional.of(snapshot)))
                .ifPresent(snapshot -> operations
                        .permissions()
                        .allow(caller, Access.in(snapshot.namespace(), Permission.VOLUME_READ)));
        boolean repeated =
                known.filter(spec -> spec.contentSource().equals(contentSource)).isPresent();
        if (contentSource.isEmpty() || repeated) {
            return CompletableFuture.completedFuture(null);
        }
        if (contentSource.get() instanceof VolumeContentSource.SnapshotSource copied) {
            return operations
                    .starter()
                    .run(
                            "check of snapshot " + copied.snapshotId() + " for volume " + key,
                            () -> Optional.of("nothing was created; repeat it"),
                            () -> snapshots.allowCopy(caller, plugin, copied.snapshotId()));
        }
        ExternalVolumeId volume = ((VolumeContentSource.VolumeSource) contentSource.get()).volumeId();
        operations
                .permissions()
                .allowOwner(caller, plugin, Optional.of(volume), Permission.VOLUME_READ, "source volume " + volume);
        return CompletableFuture.completedFuture(null);
    }

    /**
     * Checks the permissions for the content of all volumes that a claim makes. A class that the caller cannot use is not
     * checked, because the claim is refused.
     */
    public CompletableFuture<Void> allow(Caller caller, List<ClaimRequest> requests) {
        List<CompletableFuture<Void>> checks = new ArrayList<>();
        for (ClaimRequest request : requests) {
            request.template()
                    .filter(template -> template.contentSource().isPresent()
                            || template.sourceSnapshot().isPresent())
                    .ifPresent(template -> operations
                            .state()
                            .volumeClass(template.className())
                            .filter(row -> row.usableIn(request.volume().namespace()))
                            .ifPresent(row -> checks.add(allow(
                                    caller,
                                    request.volume(),
                                    row.pluginId(),
                                    template.contentSource(),
                                    template.sourceSnapshot()))));
        }
        return checks.isEmpty()
                ? CompletableFuture.completedFuture(null)
                : CompletableFuture.allOf(checks.toArray(CompletableFuture<?>[]::new));
    }
}
