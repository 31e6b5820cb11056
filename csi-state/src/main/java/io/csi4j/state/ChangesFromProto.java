package io.csi4j.state;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.volume.Expansion;
import io.csi4j.core.volume.Modification;
import io.csi4j.core.volume.Retry;
import io.csi4j.proto.state.v1.StateProto;
import java.util.SortedMap;
import java.util.TreeMap;

/** Reads what is wished for a volume and not fulfilled yet. */
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
        return Expansion.restore(
                PartsFromProto.capacityRange(row.getRange()),
                PartsFromProto.name(Expansion.Stage.class, "stage", row.getStage()),
                row.hasRetry() ? PartsFromProto.retry(row.getRetry()) : Retry.none(),
                nodes);
    }

    static Modification modification(StateProto.Modification row) {
        return Modification.of(
                PartsFromProto.entries(row.getChangesList()),
                row.hasRetry() ? PartsFromProto.retry(row.getRetry()) : Retry.none());
    }
}
