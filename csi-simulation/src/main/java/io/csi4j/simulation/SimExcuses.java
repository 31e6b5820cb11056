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
final class SimExcuses {
    static final String OPERATOR = "operator";

    /** A volume on a node. */
    record Place(VolumeKey volume, NodeId nodeId) implements Comparable<Place> {
        @Override
        public int compareTo(Place other) {
            int order = volume.compareTo(other.volume);
            return order != 0 ? order : nodeId.compareTo(other.nodeId);
        }
    }

    /** The claims, and where they were. */
    private final Map<SimNode.Mount, NodeId> mounts = new LinkedHashMap<>();

    private final Set<Place> attachments = new TreeSet<>();
    private final Set<Place> formerAttachments = new TreeSet<>();
    private final Set<Place> detachments = new TreeSet<>();

    /** The operator asks for a detachment, which the provider is asked for without a record too. */
    void detachmentAsked(VolumeKey volume, NodeId nodeId) {
        detachments.add(new Place(volume, nodeId));
    }

    /** Whether the operator asked for that detachment at any time. */
    boolean detachment(VolumeKey volume, NodeId nodeId) {
        return detachments.contains(new Place(volume, nodeId));
    }

    /** Whether nobody has to unmount that any more. */
    boolean mount(VolumeKey volume, AllocationId allocationId) {
        return mounts.containsKey(new SimNode.Mount(volume, allocationId));
    }

    /** Whether the provider may have that without a record. */
    boolean attachment(VolumeKey volume, NodeId nodeId) {
        return attachments.contains(new Place(volume, nodeId));
    }

    /** Whether that was so at any time. */
    boolean formerAttachment(Place place) {
        return formerAttachments.contains(place);
    }

    private void attachment(Place place) {
        attachments.add(place);
        formerAttachments.add(place);
    }

    Map<SimNode.Mount, NodeId> mounts() {
        return new LinkedHashMap<>(mounts);
    }

    Set<Place> attachments() {
        return new TreeSet<>(attachments);
    }

    void unmounted(SimNode.Mount mount) {
        mounts.remove(mount);
    }

    void detached(Place place) {
        attachments.remove(place);
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
        if (command instanceof ClaimCommand.OverrideClaim word
                && word.operator().equals(OPERATOR)) {
            after.volume(word.key())
                    .flatMap(volume -> volume.claims().get(word.allocationId()))
                    .ifPresent(claim -> mounts.put(new SimNode.Mount(word.key(), word.allocationId()), claim.nodeId()));
        } else if (command instanceof AttachmentCommand.OverrideAttachment word
                && word.operator().equals(OPERATOR)) {
            boolean there = after.volume(word.key())
                    .flatMap(volume -> volume.attachments().on(word.nodeId()))
                    .filter(attachment -> attachment.operatorOverride().isPresent())
                    .isPresent();
            if (there) {
                attachment(new Place(word.key(), word.nodeId()));
            }
        } else if (command instanceof VolumeCommand.DeregisterVolume word && word.force()) {
            Optional<Volume> forgotten = before.volume(word.key());
            forgotten.ifPresent(this::forgotten);
        }
    }

    private void forgotten(Volume volume) {
        volume.claims()
                .forEach(claim -> mounts.put(new SimNode.Mount(volume.key(), claim.allocationId()), claim.nodeId()));
        volume.attachments().forEach(attachment -> attachment(new Place(volume.key(), attachment.nodeId())));
    }
}
