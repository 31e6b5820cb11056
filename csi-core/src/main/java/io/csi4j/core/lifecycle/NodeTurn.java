package io.csi4j.core.lifecycle;

import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.Claim;

/** What calls to a node's plugin about a volume take their turns by (R26). */
record NodeTurn(VolumeKey key, NodeId nodeId) {
    static NodeTurn of(VolumeKey key, Claim claim) {
        return new NodeTurn(key, claim.nodeId());
    }
}
