package io.csi4j.agent.internal.server;

import io.csi4j.agent.internal.relay.AgentContacts;
import io.csi4j.agent.internal.wire.PeerListener;
import io.csi4j.agent.internal.wire.WireCaller;
import io.csi4j.core.id.NodeId;
import java.util.function.Consumer;

/** Serves agents and servers, and remembers the connections of agents. */
public final class AgentPeers implements PeerListener {
    private final AgentContacts contacts;

    public AgentPeers(AgentContacts contacts) {
        this.contacts = contacts;
    }

    @Override
    public boolean serves(WireCaller peer) {
        return peer.server() || peer.node() != null;
    }

    @Override
    public String expected() {
        return "the certificate of a server, or of the agent of a node";
    }

    @Override
    public void connected(WireCaller peer) {
        agent(peer, contacts::connected);
    }

    @Override
    public void disconnected(WireCaller peer) {
        agent(peer, contacts::disconnected);
    }

    private static void agent(WireCaller peer, Consumer<NodeId> contact) {
        NodeId node = peer.node();
        if (node != null) {
            contact.accept(node);
        }
    }
}
