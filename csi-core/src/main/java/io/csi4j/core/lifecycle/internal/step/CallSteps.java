package io.csi4j.core.lifecycle.internal.step;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.plan.PlannedStep;
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

    /** Returns the step for a planned call that is not a request to the host. */
    public CallStep<?> of(PlannedStep planned, Volume volume) {
        return switch (planned.kind()) {
            case CREATE_VOLUME -> new CreateStep(operations, volume);
            case DELETE_VOLUME ->
                volume.externalVolumeId().isPresent()
                        ? new DeleteStep(operations, volume)
                        : new FindIdStep(operations, volume);
            case VERIFY_VOLUME -> new VerifyStep(operations, volume);
            case EXPAND_VOLUME -> new ExpandStep(operations, volume);
            case MODIFY_VOLUME -> new ModifyStep(operations, volume);
            case NODE_EXPAND -> new NodeExpandStep(operations, volume, claim(volume, planned.allocationId()));
            case CONTROLLER_PUBLISH ->
                new PublishStep(operations, events, volume.key(), attachment(volume, planned.nodeId()));
            case NODE_DETACH -> new DetachStep(operations, volume.key(), claim(volume, planned.allocationId()));
            case CONTROLLER_UNPUBLISH ->
                new UnpublishStep(operations, events, volume.key(), attachment(volume, planned.nodeId()));
            default -> throw new IllegalArgumentException(planned + " is not a call to a plugin");
        };
    }

    private static Claim claim(Volume volume, AllocationId allocationId) {
        return volume.claims().get(allocationId).orElseThrow();
    }

    private static Attachment attachment(Volume volume, NodeId nodeId) {
        return volume.attachments().on(nodeId).orElseThrow();
    }
}
