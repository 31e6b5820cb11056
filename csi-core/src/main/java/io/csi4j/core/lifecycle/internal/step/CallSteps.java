package io.csi4j.core.lifecycle.internal.step;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.Volume;

/** Creates the step for each planned call of a volume. */
public final class CallSteps {
    private final Operations operations;
    private final StepEvents events;

    public CallSteps(Operations operations, StepEvents events) {
        this.operations = operations;
        this.events = events;
    }

    public CallStep<?> create(Volume volume) {
        return new CreateStep(operations, volume);
    }

    /** Returns the step that deletes a volume, or first the one that finds its external id. */
    public CallStep<?> delete(Volume volume) {
        return volume.externalVolumeId().isPresent()
                ? new DeleteStep(operations, volume)
                : new FindIdStep(operations, volume);
    }

    public CallStep<?> expand(Volume volume) {
        return new ExpandStep(operations, volume);
    }

    public CallStep<?> modify(Volume volume) {
        return new ModifyStep(operations, volume);
    }

    public CallStep<?> expandOnNode(Volume volume, AllocationId allocationId) {
        return new NodeExpandStep(operations, volume, claim(volume, allocationId));
    }

    public CallStep<?> publish(Volume volume, NodeId nodeId) {
        return new PublishStep(operations, events, volume.key(), attachment(volume, nodeId));
    }

    public CallStep<?> unpublish(Volume volume, NodeId nodeId) {
        return new UnpublishStep(operations, events, volume.key(), attachment(volume, nodeId));
    }

    public CallStep<?> detach(Volume volume, AllocationId allocationId) {
        return new DetachStep(operations, volume.key(), claim(volume, allocationId));
    }

    private static Claim claim(Volume volume, AllocationId allocationId) {
        return volume.claims().get(allocationId).orElseThrow();
    }

    private static Attachment attachment(Volume volume, NodeId nodeId) {
        return volume.attachments().on(nodeId).orElseThrow();
    }
}
