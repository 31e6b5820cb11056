package io.csi4j.agent.spi;

import io.csi4j.core.id.NodeId;
import java.security.cert.X509Certificate;
import java.util.Optional;

/**
 * Identifies the owner of a certificate. Gets trusted certificates only: one of the {@code trustedCertificates} has signed them. Thread-safe.
 */
public interface PeerRules {
    /**
     * Returns whether the certificate is a server's. An agent executes the calls of its owner.
     *
     * @param certificate a trusted certificate
     */
    boolean isServer(X509Certificate certificate);

    /**
     * Returns the node of an agent's certificate. A server accepts the owner's reports about that node only, and sends it the data of the workloads there, including
     * secrets.
     *
     * @param certificate a trusted certificate
     * @return empty: the certificate is not an agent's
     */
    Optional<NodeId> node(X509Certificate certificate);

    /**
     * Returns the default rules, by subject alternative names of the kind URI: {@code csi4j://server} for servers, {@code csi4j://node/ID} for the agent of a node, with the
     * id percent-encoded. A certificate with the names of two nodes is not an agent's.
     */
    static PeerRules byUri() {
        return new UriPeerRules();
    }
}
