package io.csi4j.agent.internal.wire;

import io.csi4j.core.call.CsiException;

/** Reports a call that is refused because its peer, or all peers together, hold too much of this process. */
public final class PeerLimitException extends CsiException {
    private static final long serialVersionUID = 1L;

    public PeerLimitException(String message) {
        super(message);
    }

    @Override
    public boolean retryable() {
        return true;
    }
}
