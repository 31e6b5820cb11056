package io.csi4j.core.internal.apply;

import io.csi4j.core.call.Problem;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeSpec;
import java.util.List;
import java.util.function.Function;

/**
 * Merges a new declaration into a registered volume. Rejects changes of immutable fields, and fields that are invalid
 * together.
 */
final class DeclarationMerge {
    private DeclarationMerge() {}

    /**
     * Merges a declaration into the volume's specification, applies {@code then} to the merged specification, and
     * returns its outcome. If fields conflict or are invalid, returns a rejection instead.
     */
    static Outcome of(Volume volume, VolumeSpec declared, Function<VolumeSpec, Outcome> then) {
        VolumeMerge merge = VolumeMerge.of(volume, declared);
        if (!merge.conflicts().isEmpty()) {
            return Step.rejected(new Rejection.ConflictingFields(volume.key(), merge.conflicts()));
        }
        VolumeSpec merged = merge.merged();
        List<Problem> problems = merged.problems();
        return problems.isEmpty()
                ? then.apply(merged)
                : Step.rejected(new Rejection.InvalidRequest("volume " + volume.key(), problems));
    }
}
