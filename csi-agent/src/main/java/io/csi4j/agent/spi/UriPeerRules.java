package io.csi4j.agent.spi;

import io.csi4j.core.id.NodeId;
import java.net.URI;
import java.net.URISyntaxException;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** Identifies owners by URI names of the form {@code csi4j://server} and {@code csi4j://node/ID}. */
final class UriPeerRules implements PeerRules {
    private static final String SCHEME = "csi4j";
    private static final String SERVER = "server";
    private static final String NODE = "node";
    /** The number for names of the kind URI in a certificate (RFC 5280, GeneralName). */
    private static final int URI_NAME = 6;

    @Override
    public boolean isServer(X509Certificate certificate) {
        return names(certificate).stream().anyMatch(name -> SERVER.equals(name.getAuthority()));
    }

    @Override
    public Optional<NodeId> node(X509Certificate certificate) {
        List<NodeId> nodes = names(certificate).stream()
                .filter(name -> NODE.equals(name.getAuthority()))
                .flatMap(name -> id(name.getPath()).stream())
                .distinct()
                .toList();
        return nodes.size() == 1 ? Optional.of(nodes.get(0)) : Optional.empty();
    }

    private static Optional<NodeId> id(String path) {
        try {
            return path.length() > 1 ? Optional.of(NodeId.of(path.substring(1))) : Optional.empty();
        } catch (IllegalArgumentException noId) {
            return Optional.empty();
        }
    }

    private static List<URI> names(X509Certificate certificate) {
        List<URI> uris = new ArrayList<>();
        try {
            Collection<List<?>> names = certificate.getSubjectAlternativeNames();
            for (List<?> name : names == null ? List.<List<?>>of() : names) {
                if (name.get(0) instanceof Integer kind && kind == URI_NAME) {
                    URI uri = new URI(String.valueOf(name.get(1)));
                    if (SCHEME.equals(uri.getScheme()) && uri.getPath() != null) {
                        uris.add(uri);
                    }
                }
            }
            return uris;
        } catch (CertificateParsingException | URISyntaxException unreadable) {
            // Treats a certificate with unreadable names as one without names.
            return List.of();
        }
    }
}
