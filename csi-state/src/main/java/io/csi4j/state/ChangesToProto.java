package io.csi4j.state;

import io.csi4j.core.volume.Expansion;
import io.csi4j.core.volume.Modification;
import io.csi4j.core.volume.Retry;
import io.csi4j.proto.state.v1.StateProto;

/** Writes unfinished requested changes of a volume. */
final class ChangesToProto {
    private ChangesToProto() {}

    static StateProto.Expansion expansion(Expansion wish) {
        StateProto.Expansion.Builder builder = StateProto.Expansion.newBuilder()
                .setRange(PartsToProto.capacityRange(wish.range()))
                .setStage(wish.stage().name());
        if (!wish.retry().equals(Retry.none())) {
            builder.setRetry(PartsToProto.retry(wish.retry()));
        }
        wish.nodes().forEach((allocationId, step) -> {
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
    static StateProto.Modification modification(Modification wish) {
        StateProto.Modification.Builder builder =
                StateProto.Modification.newBuilder().setIndex(wish.index());
        if (!wish.retry().equals(Retry.none())) {
            builder.setRetry(PartsToProto.retry(wish.retry()));
        }
        return builder.build();
    }

    static StateProto.Modification confidential(Modification wish) {
        StateProto.Modification.Builder builder =
                StateProto.Modification.newBuilder().addAllChanges(PartsToProto.entries(wish.changes()));
        wish.wished()
                .forEach((name, one) -> builder.addWished(StateProto.Modification.Wished.newBuilder()
                        .setName(name)
                        .setIndex(one.index())
                        .setSince(one.since())));
        return builder.build();
    }
}
