package io.csi4j.replication.ratis;

import java.util.Objects;

/**
 * A peer and the address under which the other peers reach it.
 *
 * @param id the peer
 * @param host a name or an IP address
 * @param port 1 to 65535
 */
public record Peer(PeerId id, String host, int port) {
    private static final int LAST_PORT = 65_535;

    public Peer {
        Objects.requireNonNull(id, "id");
        if (host.isBlank() || port < 1 || port > LAST_PORT) {
            throw new IllegalArgumentException("Peer " + id + ": " + host + ":" + port
                    + " is not an address; give a host and a port from 1 to " + LAST_PORT);
        }
    }

    /** Returns a peer whose id is given as text. */
    public static Peer of(String id, String host, int port) {
        return new Peer(PeerId.of(id), host, port);
    }

    /** Returns the address, as host and port. */
    public String address() {
        return host.contains(":") ? "[" + host + "]:" + port : host + ":" + port;
    }
}
