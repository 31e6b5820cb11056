package io.csi4j.agent;

import io.csi4j.agent.internal.relay.AgentLink;
import io.csi4j.agent.internal.wire.WireChannels;
import io.csi4j.agent.internal.wire.WireContext;
import io.csi4j.agent.spi.NodeDirectory;
import io.csi4j.agent.spi.PeerRules;
import io.csi4j.client.CallDeadlines;
import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.spi.Environment;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Builds {@link RemoteNodeGateway}s. Not thread-safe. */
public final class RemoteNodeGatewayBuilder {
    private final NodeDirectory directory;
    private CallDeadlines deadlines = CallDeadlines.ofDefaults();
    private @Nullable Environment environment;
    private PeerRules rules = PeerRules.byUri();
    private int maxInboundMessageSize = WireContext.DEFAULT_MAX_INBOUND_MESSAGE_SIZE;
    private Function<InstanceKey, Capabilities> capabilities = instance -> Capabilities.unknown();

    RemoteNodeGatewayBuilder(NodeDirectory directory) {
        this.directory = Objects.requireNonNull(directory, "directory");
    }

    /**
     * Sets the clock, the timer, the threads and the random numbers.
     *
     * @param environment the host's environment, which the host closes after the gateway; if not set, the gateway has its own {@link
     *     Environment#system()} and closes it
     */
    public RemoteNodeGatewayBuilder environment(Environment environment) {
        this.environment = Objects.requireNonNull(environment, "environment");
        return this;
    }

    /**
     * Sets the deadlines for the responses of plugins; a short time for the network is added to each. The deadline of a detach is the sum
     * of those of NodeUnpublishVolume and NodeUnstageVolume. Default: {@link CallDeadlines#ofDefaults()}.
     */
    public RemoteNodeGatewayBuilder deadlines(CallDeadlines deadlines) {
        this.deadlines = Objects.requireNonNull(deadlines, "deadlines");
        return this;
    }

    /** Sets the rules that identify the owners of certificates. Default: {@link PeerRules#byUri()}. */
    public RemoteNodeGatewayBuilder peers(PeerRules rules) {
        this.rules = Objects.requireNonNull(rules, "rules");
        return this;
    }

    /**
     * Sets the source of plugins' capabilities, so that the gateway rejects unsupported requests before it sends them
     * (R42). Without this setting, the agent rejects calls of RPCs that the plugin does not support, and the plugin rejects fields
     * that it does not support.
     *
     * @param capabilities called for every call, for example {@link io.csi4j.core.plugin.PluginInstance#capabilities()} for the
     *     instance in the state. Default: unknown capabilities
     */
    public RemoteNodeGatewayBuilder capabilities(Function<InstanceKey, Capabilities> capabilities) {
        this.capabilities = Objects.requireNonNull(capabilities, "capabilities");
        return this;
    }

    /**
     * Sets the largest message to accept from agents, directly or through another server: the responses to calls. Messages contain requests
     * to plugins and their responses, so raise this limit together with {@link io.csi4j.client.CsiClient.Builder#maxInboundMessageSize}.
     * The sender of a larger message gets an error with the sizes and the name of this setting.
     *
     * @param bytes at least 1. Default: 16 MiB
     * @throws IllegalArgumentException if the number is zero or negative
     */
    public RemoteNodeGatewayBuilder maxInboundMessageSize(int bytes) {
        this.maxInboundMessageSize = WireContext.checkedMessageSize(bytes);
        return this;
    }

    /**
     * Builds the gateway, without connecting.
     *
     * @return a new gateway; the host closes it
     */
    public RemoteNodeGateway build() {
        Environment world = environment == null ? Environment.system() : environment;
        WireContext wire = new WireContext(world, environment == null, maxInboundMessageSize);
        WireChannels channels = new WireChannels(wire, rules);
        return new RemoteNodeGateway(
                wire, channels, new AgentLink(directory, channels, world.clock()), deadlines, capabilities);
    }
}
