package io.csi4j.agent.internal.wire;

import io.csi4j.core.internal.log.CauseLog;
import io.grpc.Attributes;
import io.grpc.Grpc;
import io.grpc.ServerTransportFilter;
import java.lang.System.Logger.Level;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Watches which peers connect to an address and which disconnect, and writes both to the log. */
final class PeerConnections extends ServerTransportFilter {
    private static final System.Logger LOG = System.getLogger(PeerConnections.class.getName());
    private static final Attributes.Key<WireCaller> PEER = Attributes.Key.create("csi4j-connected-peer");

    private final PeerInterceptor peers;
    private final PeerListener listener;
    private final CauseLog causes;

    PeerConnections(PeerInterceptor peers, PeerListener listener, CauseLog causes) {
        this.peers = peers;
        this.listener = listener;
        this.causes = causes;
    }

    @Override
    public Attributes transportReady(Attributes connection) {
        WireCaller peer = peers.of(connection);
        if (listener.serves(peer)) {
            LOG.log(Level.INFO, () -> "Connected: " + peer.name() + " from " + address(connection));
            listener.connected(peer);
        } else {
            causes.warn(
                    "not served " + peer.name(),
                    "All calls of " + peer.name() + " from " + address(connection) + " are refused; expected is "
                            + listener.expected() + ". Give it such a certificate, or correct the rules for peers");
        }
        return connection.toBuilder().set(PEER, peer).build();
    }

    @Override
    public void transportTerminated(@Nullable Attributes connection) {
        if (connection == null) {
            return;
        }
        WireCaller peer = connection.get(PEER);
        if (peer != null && listener.serves(peer)) {
            LOG.log(Level.INFO, () -> "Disconnected: " + peer.name() + " from " + address(connection));
            listener.disconnected(peer);
        }
    }

    private static String address(Attributes connection) {
        String address = Objects.toString(connection.get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR), "");
        return address.isBlank() ? "a socket of this machine" : address;
    }
}
