package io.csi4j.agent.spi;

import io.csi4j.core.id.NodeId;
import java.security.cert.X509Certificate;
import java.util.Optional;

/**
 * Identifies the owner of a certificate. All passed certificates are trusted, which means that one of the {@code trustedCertificates} has
 * signed them. Thread-safe.
 */
public interface PeerRules {
    /**
     * Returns whether a certificate belongs to a server. An agent executes the calls of such a certificate's owner.
     *
     * @param certificate a trusted certificate
     */
    boolean isServer(X509Certificate certificate);

    /**
     * Returns the node to whose agent a certificate belongs. A server accepts the agent's reports about this node only, and sends the agent
     * the data of the node's workloads, including secrets.
     *
     * @param certificate a trusted certificate
     * @return the node; empty if the certificate does not belong to an agent
     */
    Optional<NodeId> node(X509Certificate certificate);

    /**
     * Returns the default rules, by subject alternative names of the kind URI: {@code csi4j://server} for servers,
     * {@code csi4j://node/ID} for the agent of a node, with the id percent-encoded. A certificate with the names of two
     * nodes identifies no agent.
     */
    static PeerRules byUri() {
        return new UriPeerRules();
    }
}
