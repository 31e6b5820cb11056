package io.csi4j.core.lifecycle.internal.call;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import java.util.List;

/** Reports that a plugin has made the volume of a claim where the node of the claim cannot use it. */
public final class WrongPlaceException extends CsiException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param asked the topology of the node
     * @param made the topologies from which the volume is accessible
     */
    public WrongPlaceException(VolumeKey key, NodeId nodeId, Topology asked, List<Topology> made) {
        super("volume " + key + " was made in " + made + ", and node " + nodeId + " is in " + asked
                + "; it is deleted: place the allocation elsewhere, or ask for the topology of the node only");
    }
}
