package io.csi4j.state.internal.codec;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.volume.Expansion;
import io.csi4j.core.volume.Modification;
import io.csi4j.core.volume.Retry;
import io.csi4j.proto.state.v1.StateProto;
import io.csi4j.values.internal.Values;
import java.util.SortedMap;
import java.util.TreeMap;

/** Unfinished requested changes of a volume. */
final class Changes {
    private Changes() {}

    static StateProto.Expansion expansion(Expansion modification) {
        StateProto.Expansion.Builder builder = StateProto.Expansion.newBuilder()
                .setRange(Parts.capacityRange(modification.range()))
                .setStage(modification.stage().name());
        if (!modification.retry().equals(Retry.none())) {
            builder.setRetry(Parts.retry(modification.retry()));
        }
        modification.nodes().forEach((allocationId, step) -> {
            StateProto.NodeExpansion.Builder node = StateProto.NodeExpansion.newBuilder()
                    .setAllocationId(allocationId.value())
                    .setClaimIndex(step.claimIndex())
                    .setDone(step.done())
                    .setCapacityBytes(step.capacityBytes());
            if (!step.retry().equals(Retry.none())) {
                node.setRetry(Parts.retry(step.retry()));
            }
            builder.addNodes(node);
        });
        return builder.build();
    }

    static Expansion expansion(StateProto.Expansion row) {
        if (!row.hasRange()) {
            throw new IllegalArgumentException("an expansion has no range");
        }
        SortedMap<AllocationId, Expansion.OnNode> nodes = new TreeMap<>();
        for (StateProto.NodeExpansion node : row.getNodesList()) {
            Expansion.OnNode step = new Expansion.OnNode(
                    node.getClaimIndex(),
                    node.getDone(),
                    node.getCapacityBytes(),
                    node.hasRetry() ? Parts.retry(node.getRetry()) : Retry.none());
            if (nodes.put(AllocationId.of(node.getAllocationId()), step) != null) {
                throw new IllegalArgumentException("an expansion has allocation " + node.getAllocationId() + " twice");
            }
        }
        return new Expansion(
                Parts.capacityRange(row.getRange()),
                Parts.name(Expansion.Stage.class, "stage", row.getStage()),
                row.hasRetry() ? Parts.retry(row.getRetry()) : Retry.none(),
                nodes);
    }

    /** Writes a modification without its values, which are confidential. */
    static StateProto.Modification modification(Modification modification) {
        StateProto.Modification.Builder builder =
                StateProto.Modification.newBuilder().setIndex(modification.index());
        if (!modification.retry().equals(Retry.none())) {
            builder.setRetry(Parts.retry(modification.retry()));
        }
        return builder.build();
    }

    static Modification modification(StateProto.Modification row) {
        SortedMap<String, Modification.RequestedChange> requested = new TreeMap<>();
        Values.entries(row.getChangesList())
                .forEach((name, value) ->
                        requested.put(name, new Modification.RequestedChange(value, row.getIndex(), 0)));
        for (StateProto.Modification.RequestedChange known : row.getRequestedList()) {
            requested.computeIfPresent(
                    known.getName(),
                    (name, one) -> new Modification.RequestedChange(one.value(), known.getIndex(), known.getSince()));
        }
        return Modification.restore(
                requested, row.getIndex(), row.hasRetry() ? Parts.retry(row.getRetry()) : Retry.none());
    }

    static StateProto.Modification confidentialValues(Modification modification) {
        StateProto.Modification.Builder builder =
                StateProto.Modification.newBuilder().addAllChanges(Values.entries(modification.changes()));
        modification
                .requested()
                .forEach((name, one) -> builder.addRequested(StateProto.Modification.RequestedChange.newBuilder()
                        .setName(name)
                        .setIndex(one.index())
                        .setSince(one.since())));
        return builder.build();
    }
}
