package io.csi4j.agent;

import static io.csi4j.agent.RemoteNodeGateway.required;

import io.csi4j.agent.internal.wire.WireContext;
import io.csi4j.agent.spi.PeerRules;
import io.csi4j.client.Endpoint;
import io.csi4j.core.id.NodeId;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Builds a {@link NodeAgent}. Not safe for use by several threads. */
public final class NodeAgentBuilder extends NodeBuilder<NodeAgentBuilder> {
    private static final String NAME = "NodeAgent";

    private List<Endpoint> servers = List.of();
    private @Nullable Endpoint listen;
    PeerRules rules = PeerRules.byUri();
    int maxInboundMessageSize = WireContext.DEFAULT_MAX_INBOUND_MESSAGE_SIZE;

    NodeAgentBuilder(NodeId nodeId, Path directory) {
        super(nodeId, directory);
    }

    @Override
    NodeAgentBuilder self() {
        return this;
    }

    /**
     * Sets the servers: one is talked to, and the next when that one does not answer. Required.
     *
     * @param endpoints where {@link AgentServer}s listen; at least one. Of {@link Endpoint#remote}, the certificates
     *     have to be servers'
     * @return this
     * @throws IllegalArgumentException if there is none
     */
    public NodeAgentBuilder servers(List<Endpoint> endpoints) {
        Objects.requireNonNull(endpoints, "endpoints");
        if (endpoints.isEmpty()) {
            throw new IllegalArgumentException("servers: there is none; name at least one");
        }
        this.servers = List.copyOf(endpoints);
        return this;
    }

    /**
     * Sets where servers reach this agent. Required.
     *
     * @param endpoint a Unix socket, in a directory that only the host's user may enter; {@link Endpoint#remote} with
     *     {@code trustedCertificates} and {@code clientCertificate}, which is shown here as that of the node; or a
     *     loopback address, where every user of this machine is taken for a server
     * @return this
     */
    public NodeAgentBuilder listen(Endpoint endpoint) {
        this.listen = Objects.requireNonNull(endpoint, "endpoint");
        return this;
    }

    /**
     * Sets whose certificates are whose.
     *
     * @param rules {@link PeerRules#byUri()} if not set
     * @return this
     */
    public NodeAgentBuilder peers(PeerRules rules) {
        this.rules = Objects.requireNonNull(rules, "rules");
        return this;
    }

    /**
     * Sets the largest message to accept of servers: their calls, and their answers. Messages hold what plugins ask and answer, and a little more: whoever
     * raises {@link io.csi4j.client.CsiClient.Builder#maxInboundMessageSize} for plugins that do not page their lists
     * raises this too. Who sends more is told the sizes and the name of this setting.
     *
     * @param bytes 16 MiB if not set; at least 1
     * @return this
     * @throws IllegalArgumentException if the number is zero or negative
     */
    public NodeAgentBuilder maxInboundMessageSize(int bytes) {
        this.maxInboundMessageSize = WireContext.checkedMessageSize(bytes);
        return this;
    }

    List<Endpoint> servers() {
        if (servers.isEmpty()) {
            throw new IllegalStateException(NAME + ": servers is not set; it has no default");
        }
        return servers;
    }

    Endpoint listen() {
        return required(NAME, "listen", listen);
    }

    /**
     * Reads what an earlier process left, begins to look for plugins, and serves. Blocks on the disk, briefly.
     *
     * @return an agent at work; the host closes it
     * @throws IllegalStateException if something required was not set
     * @throws IllegalArgumentException if the directory's path is too long or relative, or certificates cannot be used
     * @throws io.csi4j.node.NodeVolumeException if another process uses the directory
     * @throws io.csi4j.registry.PluginStoreException if what was kept of plugins cannot be read
     * @throws IOException if the directory cannot be used, or it cannot be listened at the place
     */
    public NodeAgent start() throws IOException {
        return new NodeAgentStarter(this).start();
    }
}
