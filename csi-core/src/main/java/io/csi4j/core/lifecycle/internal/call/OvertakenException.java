package io.csi4j.core.lifecycle.internal.call;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;

/**
 * Reports that a call was not sent, because the row that asked for the call was removed or changed while the call
 * waited.
 */
public final class OvertakenException extends CsiException {
    private static final long serialVersionUID = 1L;

    public OvertakenException(VolumeKey key, NodeId nodeId) {
        super("volume " + key + " on node " + nodeId + ": the call was overtaken and not sent");
    }

    public OvertakenException(VolumeKey key) {
        super("volume " + key + ": the call was overtaken and not sent");
    }

    /** Returns true: another attempt can succeed, because it reads the state again. */
    @Override
    public boolean retryable() {
        return true;
    }
}
