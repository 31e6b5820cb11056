package io.csi4j.simulation;

import io.csi4j.core.command.AttachmentCommand;
import io.csi4j.core.command.ClaimCommand;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.VolumeCommand;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Volume;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * What is an operator's responsibility and not the engine's: exactly the claims and attachments that were overridden on
 * record by the simulation's operator, or forgotten by force, from then on.
 */
final class AllowedViolations {
    static final String OPERATOR = "operator";

    /** The claims, and where they were. */
    private final Map<SimNode.Mount, NodeId> mounts = new LinkedHashMap<>();

    private final Set<VolumeOnNode> attachments = new TreeSet<>();
    private final Set<VolumeOnNode> formerAttachments = new TreeSet<>();
    private final Set<VolumeOnNode> detachments = new TreeSet<>();

    /** The operator asks for a detachment, which the provider is asked for without a record too. */
    void detachRequested(VolumeKey volume, NodeId nodeId) {
        detachments.add(new VolumeOnNode(volume, nodeId));
    }

    /** Whether the operator asked for that detachment at any time. */
    boolean wasDetachRequested(VolumeKey volume, NodeId nodeId) {
        return detachments.contains(new VolumeOnNode(volume, nodeId));
    }

    /** Whether nobody has to unmount that any more. */
    boolean allowsMount(VolumeKey volume, AllocationId allocationId) {
        return mounts.containsKey(new SimNode.Mount(volume, allocationId));
    }

    /** Whether the provider may have that without a record. */
    boolean allowsAttachment(VolumeKey volume, NodeId nodeId) {
        return attachments.contains(new VolumeOnNode(volume, nodeId));
    }

    /** Whether that was so at any time. */
    boolean everAllowedAttachment(VolumeOnNode location) {
        return formerAttachments.contains(location);
    }

    private void allowAttachment(VolumeOnNode location) {
        attachments.add(location);
        formerAttachments.add(location);
    }

    Map<SimNode.Mount, NodeId> mounts() {
        return new LinkedHashMap<>(mounts);
    }

    Set<VolumeOnNode> attachments() {
        return new TreeSet<>(attachments);
    }

    void mountRemoved(SimNode.Mount mount) {
        mounts.remove(mount);
    }

    void attachmentRemoved(VolumeOnNode location) {
        attachments.remove(location);
    }

    boolean isEmpty() {
        return mounts.isEmpty() && attachments.isEmpty();
    }

    /**
     * Looks at a command that was accepted.
     *
     * @param before the state it met
     * @param after the state it left
     */
    void accepted(Command command, StateReader before, StateReader after) {
        if (command instanceof ClaimCommand.OverrideClaim override
                && override.who().equals(OPERATOR)) {
            after.volume(override.key())
                    .flatMap(volume -> volume.claims().get(override.allocationId()))
                    .ifPresent(claim ->
                            mounts.put(new SimNode.Mount(override.key(), override.allocationId()), claim.nodeId()));
        } else if (command instanceof AttachmentCommand.OverrideAttachment override
                && override.who().equals(OPERATOR)) {
            boolean overridden = after.volume(override.key())
                    .flatMap(volume -> volume.attachments().on(override.nodeId()))
                    .filter(attachment -> attachment.operatorOverride().isPresent())
                    .isPresent();
            if (overridden) {
                allowAttachment(new VolumeOnNode(override.key(), override.nodeId()));
            }
        } else if (command instanceof VolumeCommand.DeregisterVolume removal && removal.force()) {
            Optional<Volume> removed = before.volume(removal.key());
            removed.ifPresent(this::allowAllOf);
        }
    }

    private void allowAllOf(Volume volume) {
        volume.claims()
                .forEach(claim -> mounts.put(new SimNode.Mount(volume.key(), claim.allocationId()), claim.nodeId()));
        volume.attachments()
                .forEach(attachment -> allowAttachment(new VolumeOnNode(volume.key(), attachment.nodeId())));
    }
}
