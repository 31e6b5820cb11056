package io.csi4j.simulation.internal.world;

import io.csi4j.core.command.Command;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.AttachmentCommand;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.state.StateReader;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The violations that the simulation permits, because its operator took responsibility for them: an override of a
 * claim or an attachment, or a forced deregistration. The invariant checks ask here before they report a violation.
 */
public final class AllowedViolations {
    public static final String OPERATOR = "operator";

    /** The mounts for which the operator, not the engine, is responsible, each with its node. */
    private final Map<SimNode.Mount, NodeId> mounts = new LinkedHashMap<>();

    private final Set<VolumeOnNode> formerMounts = new TreeSet<>();
    private final Set<VolumeOnNode> attachments = new TreeSet<>();
    private final Set<VolumeOnNode> formerAttachments = new TreeSet<>();
    private final Set<VolumeOnNode> detachments = new TreeSet<>();

    /**
     * Records that the operator requests a detachment. From then on, the engine may detach the volume at the provider
     * even if the state has no row for the attachment.
     */
    public void detachRequested(VolumeKey volume, NodeId nodeId) {
        detachments.add(new VolumeOnNode(volume, nodeId));
    }

    /** Whether the operator ever requested this detachment. */
    public boolean wasDetachRequested(VolumeKey volume, NodeId nodeId) {
        return detachments.contains(new VolumeOnNode(volume, nodeId));
    }

    /** Whether this mount may exist without a claim. */
    public boolean allowsMount(VolumeKey volume, AllocationId allocationId) {
        return mounts.containsKey(new SimNode.Mount(volume, allocationId));
    }

    /** Whether {@link #allowsMount} was true for a mount at this location at any time. */
    public boolean everAllowedMount(VolumeOnNode location) {
        return formerMounts.contains(location);
    }

    /** Whether the volume may be staged on the node without a claim. */
    public boolean allowsStaging(VolumeKey volume, NodeId nodeId) {
        return mounts.entrySet().stream()
                .anyMatch(entry -> entry.getKey().volume().equals(volume)
                        && entry.getValue().equals(nodeId));
    }

    /** Whether the volume may be attached at the provider without a row in the state. */
    public boolean allowsAttachment(VolumeKey volume, NodeId nodeId) {
        return attachments.contains(new VolumeOnNode(volume, nodeId));
    }

    /** Whether {@link #allowsAttachment} was true for this location at any time. */
    public boolean everAllowedAttachment(VolumeOnNode location) {
        return formerAttachments.contains(location);
    }

    private void allowAttachment(VolumeOnNode location) {
        attachments.add(location);
        formerAttachments.add(location);
    }

    public Map<SimNode.Mount, NodeId> mounts() {
        return new LinkedHashMap<>(mounts);
    }

    public Set<VolumeOnNode> attachments() {
        return new TreeSet<>(attachments);
    }

    public void mountRemoved(SimNode.Mount mount) {
        mounts.remove(mount);
    }

    public void attachmentRemoved(VolumeOnNode location) {
        attachments.remove(location);
    }

    public boolean isEmpty() {
        return mounts.isEmpty() && attachments.isEmpty();
    }

    /**
     * Adds what an accepted command permits from now on.
     *
     * @param after the state after the command
     */
    public void accepted(Command command, StateReader after) {
        if (command instanceof ClaimCommand.OverrideClaim override
                && override.operator().equals(OPERATOR)) {
            after.volume(override.key())
                    .flatMap(volume -> volume.claims().get(override.allocationId()))
                    .ifPresent(claim -> {
                        mounts.put(new SimNode.Mount(override.key(), override.allocationId()), claim.nodeId());
                        formerMounts.add(new VolumeOnNode(override.key(), claim.nodeId()));
                    });
        } else if (command instanceof AttachmentCommand.OverrideAttachment override
                && override.operator().equals(OPERATOR)) {
            boolean overridden = after.volume(override.key())
                    .flatMap(volume -> volume.attachments().on(override.nodeId()))
                    .filter(attachment -> attachment.operatorOverride().isPresent())
                    .isPresent();
            if (overridden) {
                allowAttachment(new VolumeOnNode(override.key(), override.nodeId()));
            }
        }
    }
}
