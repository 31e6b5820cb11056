package io.csi4j.core.command;

import io.csi4j.core.call.Problem;
import io.csi4j.core.csi.VolumeAccessMode;
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
 * A volume that a workload needs, as declared before its allocations are placed. Each allocation claims it by {@link
 * #claimOf}.
 *
 * @param source the volume id; with {@code perAllocation}, the first part of the volume id
 * @param readOnly whether the allocations only read
 * @param capability the access mode and the mount or block type
 * @param mountOptions the options that override those of the volume; possibly empty
 * @param perAllocation whether each allocation has its own volume, with the allocation's index in brackets: {@code
 *     data[3]}
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
     * Checks this request for a workload of the given shape, and returns the problems in a fixed order.
     *
     * @param shape the number of allocations that share the request
     * @return all problems; empty if the request is valid
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
        if (capability.accessMode() == VolumeAccessMode.UNKNOWN) {
            problems.add(new Problem("accessMode", "is UNKNOWN", "choose one of the seven (R96)"));
        }
        if (capability.attachmentMode() == AttachmentMode.BLOCK && !mountOptions.isEmpty()) {
            problems.add(new Problem("mountOptions", "are given for a block device", "leave them out"));
        }
        if (capability.accessMode().readerOnly() && !readOnly) {
            problems.add(new Problem(
                    "readOnly", "is not set although " + capability.accessMode() + " allows no writer", "set it"));
        }
        if (!perAllocation && exclusive() && (shape.count() > 1 || shape.onEveryNode())) {
            problems.add(new Problem(
                    "accessMode",
                    "is " + capability.accessMode()
                            + ", which several allocations cannot share wherever they are placed",
                    "run one allocation, set perAllocation, or choose another access mode"));
        }
        return List.copyOf(problems);
    }

    /** Returns whether the access mode forbids allocations on different nodes to use the volume together. */
    private boolean exclusive() {
        return switch (capability.accessMode()) {
            case SINGLE_NODE_WRITER, SINGLE_NODE_READER_ONLY, SINGLE_NODE_SINGLE_WRITER, SINGLE_NODE_MULTI_WRITER ->
                true;
            case MULTI_NODE_SINGLE_WRITER -> !readOnly;
            case UNKNOWN, MULTI_NODE_READER_ONLY, MULTI_NODE_MULTI_WRITER -> false;
        };
    }

    /**
     * Returns the claim request of one allocation.
     *
     * @param namespace the workload's namespace
     * @param index the allocation's index in its workload, from 0
     * @throws IllegalArgumentException if the source is not a valid volume id, or the index is negative
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
