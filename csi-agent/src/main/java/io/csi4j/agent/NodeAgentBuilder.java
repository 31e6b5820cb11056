package io.csi4j.agent;

import static io.csi4j.agent.Required.required;

import io.csi4j.agent.internal.wire.WireContext;
import io.csi4j.agent.spi.PeerRules;
import io.csi4j.client.Endpoint;
import io.csi4j.core.id.NodeId;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Builds {@link NodeAgent}s. Not thread-safe. */
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
     * Sets the servers. The agent calls one of them; if this server does not answer, the agent calls the next one. Required.
     *
     * @param endpoints the addresses of {@link AgentServer}s; at least one. With {@link Endpoint#remote}, their certificates have to
     *     identify them as servers
     * @throws IllegalArgumentException if the list is empty
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
     * Sets the address on which servers reach this agent. Required.
     *
     * @param endpoint a Unix socket in a directory of the host's user; {@link Endpoint#remote} with {@code trustedCertificates} and {@code
     *     certificate}, which is the node's certificate; or a loopback address, where every user of this machine counts as a server
     */
    public NodeAgentBuilder listen(Endpoint endpoint) {
        this.listen = Objects.requireNonNull(endpoint, "endpoint");
        return this;
    }

    /** Sets the rules that identify the owners of certificates. Default: {@link PeerRules#byUri()}. */
    public NodeAgentBuilder peers(PeerRules rules) {
        this.rules = Objects.requireNonNull(rules, "rules");
        return this;
    }

    /**
     * Sets the largest message to accept from servers: their calls and their responses. Messages contain requests to plugins and their
     * responses, so raise this limit together with {@link io.csi4j.client.CsiClient.Builder#maxInboundMessageSize}. The sender of a larger
     * message gets an error with the sizes and the name of this setting.
     *
     * @param bytes at least 1. Default: 16 MiB
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
     * Reads the files of an earlier process, connects to its plugins, and starts to serve calls. Blocks briefly on the disk.
     *
     * @return a running agent; the host closes it
     * @throws IllegalStateException if a required part is not set
     * @throws IllegalArgumentException if the directory's path is too long or relative, or certificates cannot be used
     * @throws io.csi4j.node.NodeVolumeException if another process uses the directory
     * @throws io.csi4j.client.registry.PluginStoreException if the list of plugins cannot be read
     * @throws IOException if the directory cannot be used, or the agent cannot listen on its address
     */
    public NodeAgent start() throws IOException {
        return new NodeAgentStarter(this).start();
    }
}
