package io.csi4j.state.internal.codec;

import io.csi4j.core.volume.Expansion;
import io.csi4j.core.volume.Modification;
import io.csi4j.core.volume.Retry;
import io.csi4j.proto.state.v1.StateProto;

/** Writes unfinished requested changes of a volume. */
final class ChangesToProto {
    private ChangesToProto() {}

    static StateProto.Expansion expansion(Expansion modification) {
        StateProto.Expansion.Builder builder = StateProto.Expansion.newBuilder()
                .setRange(PartsToProto.capacityRange(modification.range()))
                .setStage(modification.stage().name());
        if (!modification.retry().equals(Retry.none())) {
            builder.setRetry(PartsToProto.retry(modification.retry()));
        }
        modification.nodes().forEach((allocationId, step) -> {
            StateProto.NodeExpansion.Builder node = StateProto.NodeExpansion.newBuilder()
                    .setAllocationId(allocationId.value())
                    .setClaimIndex(step.claimIndex())
                    .setDone(step.done())
                    .setCapacityBytes(step.capacityBytes());
            if (!step.retry().equals(Retry.none())) {
                node.setRetry(PartsToProto.retry(step.retry()));
            }
            builder.addNodes(node);
        });
        return builder.build();
    }

    /** Writes a modification without its values, which are confidential. */
    static StateProto.Modification modification(Modification modification) {
        StateProto.Modification.Builder builder =
                StateProto.Modification.newBuilder().setIndex(modification.index());
        if (!modification.retry().equals(Retry.none())) {
            builder.setRetry(PartsToProto.retry(modification.retry()));
        }
        return builder.build();
    }

    static StateProto.Modification confidentialValues(Modification modification) {
        StateProto.Modification.Builder builder =
                StateProto.Modification.newBuilder().addAllChanges(PartsToProto.entries(modification.changes()));
        modification
                .requested()
                .forEach((name, one) -> builder.addRequested(StateProto.Modification.RequestedChange.newBuilder()
                        .setName(name)
                        .setIndex(one.index())
                        .setSince(one.since())));
        return builder.build();
    }
}
