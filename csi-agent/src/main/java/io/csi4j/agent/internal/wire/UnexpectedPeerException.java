package io.csi4j.agent.internal.wire;

import java.security.cert.CertificateException;

/** A trusted certificate belongs to another peer than expected. The message names both. */
final class UnexpectedPeerException extends CertificateException {
    private static final long serialVersionUID = 1L;

    UnexpectedPeerException(String message) {
        super(message);
    }
}
