package io.csi4j.agent.spi;

import io.csi4j.core.id.NodeId;
import java.security.cert.X509Certificate;
import java.util.Optional;

/**
 * Identifies the owner of a certificate. Receives trusted certificates only: one of the {@code trustedCertificates} has
 * signed them. Safe for use by many threads.
 */
public interface PeerRules {
    /**
     * Whether it is a server's. An agent obeys whoever shows such a certificate.
     *
     * @param certificate a trusted certificate
     * @return false: an agent does nothing for its owner
     */
    boolean isServer(X509Certificate certificate);

    /**
     * The node whose agent it belongs to. A server believes its owner about that node only, and gives it what workloads
     * there need, secrets included.
     *
     * @param certificate a trusted certificate
     * @return empty: it is no agent's
     */
    Optional<NodeId> node(X509Certificate certificate);

    /**
     * By subject alternative names of the kind URI: {@code csi4j://server} for servers, {@code csi4j://node/ID} for the
     * agent of a node, with the id percent-encoded as in any URI. A certificate with the names of two nodes is no
     * agent's.
     *
     * @return the default
     */
    static PeerRules byUri() {
        return new UriPeerRules();
    }
}
