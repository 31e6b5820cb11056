package io.csi4j.core.internal.apply;

import io.csi4j.core.cluster.Node;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Volume;
import java.util.Optional;

/** Finds the nodes whose ledgers forbid a step, because the claims of the state do not represent them. */
public final class Ledgers {
    private Ledgers() {}

    /**
     * Returns the first node that may use a volume without a claim: it still has to report its ledger, or its report
     * names the volume and no claim represents that. A node knows a volume that was given up by its former key. Empty if
     * there is none.
     */
    public static Optional<NodeId> firstUnsettled(StateReader state, Volume volume) {
        for (Node node : state.unsettledNodes()) {
            if (node.ledger().mayUse(volume)
                    || (volume.formerKey().isPresent() && node.ledger().mayUse(volume.asRequested()))) {
                return Optional.of(node.id());
            }
        }
        return Optional.empty();
    }
}
