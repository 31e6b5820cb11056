package io.csi4j.replication.ratis.internal.peer;

import io.csi4j.replication.ratis.Peer;
import io.csi4j.replication.ratis.PeerId;
import java.util.Optional;
import org.apache.ratis.protocol.RaftPeer;

/** Translates peers between csi4j and Ratis. */
public final class Addresses {
    private Addresses() {}

    /** Converts a peer of csi4j to a peer of Ratis. */
    public static RaftPeer toRaft(Peer peer) {
        return RaftPeer.newBuilder()
                .setId(peer.id().value())
                .setAddress(peer.address())
                .build();
    }

    /** Converts a peer of Ratis to a peer of csi4j. Returns empty if the peer has no address, because it runs alone. */
    public static Optional<Peer> toPeer(RaftPeer peer) {
        String address = peer.getAddress() == null ? "" : peer.getAddress();
        int colon = address.lastIndexOf(':');
        if (colon < 0 || address.endsWith(":0")) {
            return Optional.empty();
        }
        String host = address.substring(0, colon).replace("[", "").replace("]", "");
        return Optional.of(
                new Peer(PeerId.of(peer.getId().toString()), host, Integer.parseInt(address.substring(colon + 1))));
    }
}
