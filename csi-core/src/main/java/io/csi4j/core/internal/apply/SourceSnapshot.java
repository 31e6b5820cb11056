package io.csi4j.core.internal.apply;

import io.csi4j.core.call.Problem;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.VolumeContentSource;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.SnapshotKey;
import io.csi4j.core.internal.text.Sizes;
import io.csi4j.core.snapshot.SnapshotPhase;
import io.csi4j.core.snapshot.VolumeSnapshot;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.AttachmentMode;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.VolumeSpec;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The snapshot of the state from which a volume is to be created. The command that stores the intent to create the volume
 * resolves the key to the storage provider's id, and the row keeps both.
 */
public final class SourceSnapshot {
    private static final String FIELD = "sourceSnapshot";

    private final SnapshotKey key;
    private final Optional<VolumeSnapshot> row;

    private SourceSnapshot(SnapshotKey key, Optional<VolumeSnapshot> row) {
        this.key = key;
        this.row = row;
    }

    /** Returns the snapshot that is the source; empty if no key of one is given. */
    static Optional<SourceSnapshot> of(StateReader state, Optional<SnapshotKey> asked) {
        return asked.map(key -> new SourceSnapshot(key, state.snapshot(key)));
    }

    /** Returns all reasons why a volume with this specification cannot be created from the snapshot. */
    public static List<Problem> problems(StateReader state, VolumeSpec spec) {
        return of(state, spec.sourceSnapshot())
                .map(source -> source.problems(spec))
                .orElse(List.of());
    }

    /** Returns the specification with the storage provider's id of the snapshot, and at least its size. */
    static VolumeSpec resolved(StateReader state, VolumeSpec spec) {
        return of(state, spec.sourceSnapshot())
                .flatMap(source -> source.row)
                .map(row -> resolved(row, spec))
                .orElse(spec);
    }

    private static VolumeSpec resolved(VolumeSnapshot row, VolumeSpec spec) {
        long asked = spec.capacityRange().map(CapacityRange::requiredBytes).orElse(0L);
        long limit = spec.capacityRange().map(CapacityRange::limitBytes).orElse(0L);
        VolumeSpec.Builder resolved = spec.toBuilder()
                .contentSource(
                        row.snapshotId().map(VolumeContentSource::snapshot).orElse(null));
        boolean fits = limit == 0 || limit >= row.leastBytes();
        if (asked == 0 && row.leastBytes() > 0 && fits) {
            resolved.capacityRange(new CapacityRange(row.leastBytes(), limit));
        }
        return resolved.restore();
    }

    /** Returns the size that a volume from the snapshot has at least; empty if it is not known. */
    Optional<Long> leastBytes() {
        return row.map(VolumeSnapshot::leastBytes).filter(size -> size > 0);
    }

    private List<Problem> problems(VolumeSpec spec) {
        Optional<Problem> unusable = unusable(spec.pluginId());
        if (unusable.isPresent()) {
            return List.of(unusable.get());
        }
        List<Problem> problems = new ArrayList<>();
        spec.contentSource()
                .filter(given -> !Optional.of(given)
                        .equals(row.flatMap(VolumeSnapshot::snapshotId).map(VolumeContentSource::snapshot)))
                .ifPresent(given -> problems.add(new Problem(
                        "contentSource", "is another source than sourceSnapshot " + key, "leave out one of the two")));
        otherMode(spec).ifPresent(problems::add);
        spec.capacityRange()
                .flatMap(range -> smaller(range, row.orElseThrow().leastBytes()))
                .ifPresent(problems::add);
        return problems;
    }

    /** Returns why no volume of a plugin can be made from the snapshot now. */
    Optional<Problem> unusable(PluginId plugin) {
        if (row.isEmpty()) {
            return problem("does not exist", "use a snapshot of the list");
        }
        VolumeSnapshot known = row.get();
        if (!known.spec().pluginId().equals(plugin)) {
            return problem(
                    "is one of plugin " + known.spec().pluginId(),
                    "create the volume with that plugin: it has the data");
        }
        if (known.deletionRequested() || known.phase() == SnapshotPhase.DELETING) {
            return problem("is being deleted", "use another snapshot");
        }
        return known.phase() == SnapshotPhase.READY
                ? Optional.empty()
                : problem(
                        "is " + known.phase() + ", and not READY",
                        known.phase() == SnapshotPhase.CREATING
                                ? "repeat the request when it is READY"
                                : "use another snapshot");
    }

    private Optional<Problem> problem(String problem, String remedy) {
        return Optional.of(new Problem(FIELD, "is " + key + ", which " + problem, remedy));
    }

    /** Returns the problem with a file system that is to be used as a device, or a device as a file system. */
    private Optional<Problem> otherMode(VolumeSpec spec) {
        Set<AttachmentMode> known = row.orElseThrow().content().attachmentModes();
        Set<AttachmentMode> others = EnumSet.noneOf(AttachmentMode.class);
        for (RequestedCapability capability : spec.requestedCapabilities()) {
            if (!known.isEmpty() && !known.contains(capability.attachmentMode())) {
                others.add(capability.attachmentMode());
            }
        }
        return others.isEmpty()
                ? Optional.empty()
                : Optional.of(new Problem(
                        "requestedCapabilities",
                        "have the attachment mode " + others + ", and snapshot " + key + " is one of a volume with "
                                + known,
                        "use the mode of the snapshot"));
    }

    /** Returns the problem with a size below that of the source. */
    static Optional<Problem> smaller(CapacityRange range, long leastBytes) {
        if (range.requiredBytes() > 0 && range.requiredBytes() < leastBytes) {
            return Optional.of(below("capacityRange.requiredBytes", range.requiredBytes(), leastBytes));
        }
        return range.limitBytes() > 0 && range.limitBytes() < leastBytes
                ? Optional.of(below("capacityRange.limitBytes", range.limitBytes(), leastBytes))
                : Optional.empty();
    }

    private static Problem below(String field, long bytes, long leastBytes) {
        return new Problem(
                field,
                "is " + Sizes.text(bytes) + ", and the source has " + Sizes.text(leastBytes),
                "raise it to " + Sizes.text(leastBytes) + " at least, or leave it out");
    }
}
