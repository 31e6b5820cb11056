package io.csi4j.core.command;

import io.csi4j.core.call.Problem;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.VolumeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.AttachmentMode;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.VolumeLifetime;
import io.csi4j.core.volume.VolumeTemplate;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

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
 * @param template the claims make the volume from this template if it does not exist. Empty for a volume that has to
 *     exist. With the lifetime {@link VolumeLifetime#ALLOCATION}, each allocation has its own volume, and {@code source}
 *     is the name of the volume in the workload
 */
public record VolumeRequest(
        String source,
        boolean readOnly,
        RequestedCapability capability,
        MountOptions mountOptions,
        boolean perAllocation,
        Optional<VolumeTemplate> template) {
    public VolumeRequest {
        Objects.requireNonNull(source, "source");
        Objects.requireNonNull(capability, "capability");
        Objects.requireNonNull(mountOptions, "mountOptions");
        Objects.requireNonNull(template, "template");
    }

    /**
     * Creates a request for a volume that has to exist.
     *
     * @param source the volume id; with {@code perAllocation}, the first part of the volume id
     * @param readOnly whether the allocations only read
     * @param capability the access mode and the mount or block type
     * @param mountOptions the options that override those of the volume; possibly empty
     * @param perAllocation whether each allocation has its own volume
     */
    public VolumeRequest(
            String source,
            boolean readOnly,
            RequestedCapability capability,
            MountOptions mountOptions,
            boolean perAllocation) {
        this(source, readOnly, capability, mountOptions, perAllocation, Optional.empty());
    }

    /** Returns this request for a volume that the claims make from a template if it does not exist. */
    public VolumeRequest madeFrom(VolumeTemplate made) {
        return new VolumeRequest(source, readOnly, capability, mountOptions, perAllocation, Optional.of(made));
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
        if (perAllocation && ofAllocation()) {
            problems.add(new Problem(
                    "perAllocation",
                    "is set for a volume of lifetime ALLOCATION, which each allocation has anyway",
                    "unset it"));
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
        if (!perAllocation && !ofAllocation() && exclusive() && (shape.count() > 1 || shape.onEveryNode())) {
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

    /** Returns whether each allocation has a volume that lives as long as the allocation. */
    private boolean ofAllocation() {
        return template.filter(made -> made.lifetime() == VolumeLifetime.ALLOCATION)
                .isPresent();
    }

    /**
     * Returns the claim request of one allocation.
     *
     * @param namespace the workload's namespace
     * @param index the allocation's index in its workload, from 0
     * @throws IllegalArgumentException if the source is not a valid volume id, the index is negative, or the volume lives
     *     as long as the allocation, so that its key needs the id of the allocation
     */
    public ClaimRequest claimOf(Namespace namespace, int index) {
        if (index < 0) {
            throw new IllegalArgumentException("VolumeRequest: index is " + index + "; count allocations from 0");
        }
        if (ofAllocation()) {
            throw new IllegalArgumentException("VolumeRequest: " + source
                    + " has a volume for each allocation; give the id of the allocation, too");
        }
        String id = perAllocation ? source + "[" + index + "]" : source;
        return claimOf(new VolumeKey(namespace, VolumeId.of(id)));
    }

    /**
     * Returns the claim request of one allocation.
     *
     * @param namespace the workload's namespace
     * @param allocationId the allocation
     * @param index the allocation's index in its workload, from 0
     * @throws IllegalArgumentException if the source is not a valid volume id, or the index is negative
     */
    public ClaimRequest claimOf(Namespace namespace, AllocationId allocationId, int index) {
        return ofAllocation()
                ? claimOf(VolumeKey.ofAllocation(namespace, allocationId, source))
                : claimOf(namespace, index);
    }

    private ClaimRequest claimOf(VolumeKey key) {
        return new ClaimRequest(key, readOnly ? ClaimMode.READ : ClaimMode.WRITE, capability, mountOptions, template);
    }
}
