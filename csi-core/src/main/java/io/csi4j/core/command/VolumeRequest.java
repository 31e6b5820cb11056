package io.csi4j.core.command;

import io.csi4j.core.call.Problem;
import io.csi4j.core.csi.AccessMode;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.VolumeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.AttachmentMode;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.RequestedCapability;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * What a workload declares about a volume it needs, before anything is placed: each of its
 * allocations makes a {@link ClaimRequest} of it.
 *
 * @param source the volume id; with {@code perAllocation}, what it begins with
 * @param readOnly whether its allocations only read
 * @param capability how they use it
 * @param mountOptions on top of the volume's; possibly empty
 * @param perAllocation whether each allocation has a volume of its own, with its index in brackets (X8)
 */
public record VolumeRequest(
        String source,
        boolean readOnly,
        RequestedCapability capability,
        MountOptions mountOptions,
        boolean perAllocation) {
    public VolumeRequest {
        Objects.requireNonNull(source, "source");
        Objects.requireNonNull(capability, "capability");
        Objects.requireNonNull(mountOptions, "mountOptions");
    }

    /**
     * All that is wrong with the request for a workload of some shape, in a fixed order.
     *
     * @param shape how many allocations share it
     * @return empty: nothing is
     */
    public List<Problem> problems(WorkloadShape shape) {
        List<Problem> problems = new ArrayList<>();
        if (source.isEmpty()) {
            problems.add(new Problem("source", "is empty", "name the volume"));
        }
        if (perAllocation && shape.onEveryNode()) {
            problems.add(new Problem(
                    "perAllocation", "is set for a workload on every node", "its allocations have no index; unset it"));
        }
        if (perAllocation && shape.canaries() > 0) {
            problems.add(new Problem(
                    "perAllocation", "is set while updates use canaries", "a canary has no volume; use no canaries"));
        }
        if (capability.accessMode() == AccessMode.UNKNOWN) {
            problems.add(new Problem("accessMode", "is UNKNOWN", "choose one of the seven (R96)"));
        }
        if (capability.attachmentMode() == AttachmentMode.BLOCK && !mountOptions.isEmpty()) {
            problems.add(new Problem("mountOptions", "are given for a block device", "leave them out"));
        }
        if (capability.accessMode().readerOnly() && !readOnly) {
            problems.add(new Problem(
                    "readOnly", "is not set although " + capability.accessMode() + " allows no writer", "set it"));
        }
        if (!perAllocation && alone() && (shape.count() > 1 || shape.onEveryNode())) {
            problems.add(new Problem(
                    "accessMode",
                    "is " + capability.accessMode()
                            + ", which several allocations cannot share wherever they are placed",
                    "run one allocation, set perAllocation, or choose another access mode"));
        }
        return List.copyOf(problems);
    }

    /** Whether allocations on different nodes would exclude each other. */
    private boolean alone() {
        return switch (capability.accessMode()) {
            case SINGLE_NODE_WRITER, SINGLE_NODE_READER_ONLY, SINGLE_NODE_SINGLE_WRITER, SINGLE_NODE_MULTI_WRITER ->
                true;
            case MULTI_NODE_SINGLE_WRITER -> !readOnly;
            case UNKNOWN, MULTI_NODE_READER_ONLY, MULTI_NODE_MULTI_WRITER -> false;
        };
    }

    /**
     * The claim of one allocation.
     *
     * @param namespace the workload's namespace
     * @param index the allocation's index in its workload, from 0
     * @throws IllegalArgumentException if the source is no volume id, or the index is negative
     */
    public ClaimRequest claimOf(Namespace namespace, int index) {
        if (index < 0) {
            throw new IllegalArgumentException("VolumeRequest: index is " + index + "; count allocations from 0");
        }
        String id = perAllocation ? source + "[" + index + "]" : source;
        return new ClaimRequest(
                new VolumeKey(namespace, VolumeId.of(id)),
                readOnly ? ClaimMode.READ : ClaimMode.WRITE,
                capability,
                mountOptions);
    }
}
