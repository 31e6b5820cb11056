package io.csi4j.admin.internal.api;

import io.csi4j.admin.internal.json.Shape;
import io.csi4j.core.volume.FirstClaim;
import io.csi4j.core.volume.VolumeOwner;
import java.util.Optional;
import java.util.OptionalLong;

/** The shapes of what a volume knows of its first claim and its owner. */
final class OwnerShapes {
    /** The owner of a volume. */
    static final Shape<VolumeOwner> OWNER = Shape.<VolumeOwner>of(
                    "VolumeOwner",
                    "The allocation or the workload to which a volume belongs, and with whose end it ends or is retained.")
            .text(
                    "allocation",
                    "The allocation; absent if the volume belongs to a workload.",
                    VolumeOwner::ofAllocation)
            .optional()
            .text(
                    "workload",
                    "The workload, in the namespace of the volume; absent if the volume belongs to an allocation.",
                    owner -> workload(owner).map(of -> of.workload().name()))
            .optional()
            .number(
                    "incarnation",
                    "The life of the workload.",
                    owner -> workload(owner)
                            .map(of -> OptionalLong.of(of.workload().incarnation()))
                            .orElse(OptionalLong.empty()))
            .optional()
            .time(
                    "endedAt",
                    "The time when the workload ended; absent while it may run.",
                    owner -> workload(owner).flatMap(VolumeOwner.OfWorkload::endedAt))
            .optional()
            .build();

    /** The claim for which a volume is made. */
    static final Shape<FirstClaim> FIRST_CLAIM = Shape.<FirstClaim>of(
                    "FirstClaim", "The claim for which a volume is made, until an allocation takes the volume.")
            .text("allocation", "The allocation whose claim makes the volume.", FirstClaim::allocationId)
            .text("node", "The node of the allocation, where the volume has to be usable.", FirstClaim::nodeId)
            .objects(
                    "together",
                    "All volumes that are made together: if one of them cannot be made, the unused ones are deleted.",
                    Shapes.KEY,
                    FirstClaim::together)
            .flag("keepUnused", "Whether the volume stays if the claim never takes it.", FirstClaim::keepUnused)
            .build();

    private OwnerShapes() {}

    private static Optional<VolumeOwner.OfWorkload> workload(VolumeOwner owner) {
        return owner.ofWorkload();
    }
}
