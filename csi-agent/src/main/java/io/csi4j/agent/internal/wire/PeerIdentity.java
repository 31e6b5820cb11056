package io.csi4j.agent.internal.wire;

import io.csi4j.agent.spi.PeerRules;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.text.Text;
import java.security.cert.X509Certificate;
import java.util.Optional;

/** Describes certificates to people: whose they are by the rules for peers. */
final class PeerIdentity {
    private static final int LONGEST_NAME = 200;

    private PeerIdentity() {}

    /** Returns the subject of a trusted certificate, and whom the rules take it for. */
    static String of(X509Certificate certificate, PeerRules rules) {
        Optional<NodeId> node = rules.node(certificate);
        String owner = rules.isServer(certificate)
                ? "a server" + node.map(id -> " and the agent of node " + id).orElse("")
                : node.map(id -> "the agent of node " + id).orElse("neither a server nor the agent of one node");
        return subject(certificate) + " (" + owner + ")";
    }

    /** Returns the subject of any certificate. */
    static String subject(X509Certificate certificate) {
        return shown(certificate.getSubjectX500Principal().getName());
    }

    /** Returns the issuer of any certificate. */
    static String issuer(X509Certificate certificate) {
        return shown(certificate.getIssuerX500Principal().getName());
    }

    private static String shown(String name) {
        String line = Text.printable(name);
        return line.length() <= LONGEST_NAME ? line : line.substring(0, LONGEST_NAME) + "... (cut)";
    }
}
