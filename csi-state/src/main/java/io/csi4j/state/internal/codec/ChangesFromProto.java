package io.csi4j.state.internal.codec;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.volume.Expansion;
import io.csi4j.core.volume.Modification;
import io.csi4j.core.volume.Retry;
import io.csi4j.proto.state.v1.StateProto;
import java.util.SortedMap;
import java.util.TreeMap;

/** Reads unfinished requested changes of a volume. */
final class ChangesFromProto {
    private ChangesFromProto() {}

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
                    node.hasRetry() ? PartsFromProto.retry(node.getRetry()) : Retry.none());
            if (nodes.put(AllocationId.of(node.getAllocationId()), step) != null) {
                throw new IllegalArgumentException("an expansion has allocation " + node.getAllocationId() + " twice");
            }
        }
        return new Expansion(
                PartsFromProto.capacityRange(row.getRange()),
                PartsFromProto.name(Expansion.Stage.class, "stage", row.getStage()),
                row.hasRetry() ? PartsFromProto.retry(row.getRetry()) : Retry.none(),
                nodes);
    }

    static Modification modification(StateProto.Modification row) {
        SortedMap<String, Modification.RequestedChange> requested = new TreeMap<>();
        PartsFromProto.entries(row.getChangesList())
                .forEach((name, value) ->
                        requested.put(name, new Modification.RequestedChange(value, row.getIndex(), 0)));
        for (StateProto.Modification.RequestedChange known : row.getRequestedList()) {
            requested.computeIfPresent(
                    known.getName(),
                    (name, one) -> new Modification.RequestedChange(one.value(), known.getIndex(), known.getSince()));
        }
        return Modification.restore(
                requested, row.getIndex(), row.hasRetry() ? PartsFromProto.retry(row.getRetry()) : Retry.none());
    }
}
