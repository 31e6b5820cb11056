package io.csi4j.agent.internal.wire;

/** Decides which peers may use an address, and receives their connections. Must not block and must not throw. */
public interface PeerListener {
    /** Returns whether any call of a peer can be served. */
    boolean serves(WireCaller peer);

    /** Returns the peers that are served, for people. */
    String expected();

    /** A peer that is served has connected; it may have several connections. */
    void connected(WireCaller peer);

    /** A connection of a peer that is served has ended. */
    void disconnected(WireCaller peer);

    /** Returns the listener of an agent: servers may call it. */
    static PeerListener servers() {
        return new PeerListener() {
            @Override
            public boolean serves(WireCaller peer) {
                return peer.server();
            }

            @Override
            public String expected() {
                return "the certificate of a server";
            }

            @Override
            public void connected(WireCaller peer) {
                // The log has it.
            }

            @Override
            public void disconnected(WireCaller peer) {
                // The log has it.
            }
        };
    }
}
