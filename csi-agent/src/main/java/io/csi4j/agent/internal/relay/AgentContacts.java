package io.csi4j.agent.internal.relay;

import io.csi4j.core.id.NodeId;
import io.csi4j.core.spi.AgentConnection;
import java.time.Clock;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Remembers for each node whether its agent is connected to this server, and whether its last call was refused. Thread-safe. */
public final class AgentContacts {
    private final Clock clock;
    private final Map<NodeId, Contact> contacts = new ConcurrentHashMap<>();

    private record Contact(int connections, @Nullable Instant since, String refusal) {
        private static final Contact NONE = new Contact(0, null, "");
    }

    AgentContacts(Clock clock) {
        this.clock = clock;
    }

    public void connected(NodeId node) {
        contacts.compute(node, (id, known) -> {
            Contact before = known == null ? Contact.NONE : known;
            return new Contact(
                    before.connections() + 1,
                    before.connections() == 0 ? clock.instant() : before.since(),
                    before.refusal());
        });
    }

    public void disconnected(NodeId node) {
        contacts.computeIfPresent(node, (id, known) -> {
            int left = Math.max(0, known.connections() - 1);
            return new Contact(left, left == 0 ? clock.instant() : known.since(), known.refusal());
        });
    }

    /** A call of the node's agent was served. */
    public void served(NodeId node) {
        contacts.computeIfPresent(
                node,
                (id, known) -> known.refusal().isEmpty() ? known : new Contact(known.connections(), known.since(), ""));
    }

    /**
     * A call for the node was refused.
     *
     * @param node a node of the state, so that the number of nodes is limited
     */
    public void refused(NodeId node, String reason) {
        contacts.compute(node, (id, known) -> {
            Contact before = known == null ? Contact.NONE : known;
            return new Contact(before.connections(), before.since(), reason);
        });
    }

    /** Returns what is known about a node's agent; empty if it has not called yet. */
    public Optional<AgentConnection> of(NodeId node) {
        return Optional.ofNullable(contacts.get(node))
                .map(contact -> new AgentConnection(
                        contact.connections() > 0, Optional.ofNullable(contact.since()), contact.refusal()));
    }
}
