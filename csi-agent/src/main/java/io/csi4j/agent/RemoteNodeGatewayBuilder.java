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

/** Builds a {@link RemoteNodeGateway}. Not safe for use by several threads. */
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
     * Sets time, threads and randomness.
     *
     * @param environment the host closes it, after the gateway. If not set, the gateway has its own {@link Environment#system()} and
     *     closes it with itself
     * @return this
     */
    public RemoteNodeGatewayBuilder environment(Environment environment) {
        this.environment = Objects.requireNonNull(environment, "environment");
        return this;
    }

    /**
     * Sets how long to wait for the answers of plugins. A little is added for the way. A detach has the time of
     * NodeUnpublishVolume and NodeUnstageVolume together.
     *
     * @param deadlines {@link CallDeadlines#ofDefaults()} if not set
     * @return this
     */
    public RemoteNodeGatewayBuilder deadlines(CallDeadlines deadlines) {
        this.deadlines = Objects.requireNonNull(deadlines, "deadlines");
        return this;
    }

    /**
     * Sets whose certificates are whose.
     *
     * @param rules {@link PeerRules#byUri()} if not set
     * @return this
     */
    public RemoteNodeGatewayBuilder peers(PeerRules rules) {
        this.rules = Objects.requireNonNull(rules, "rules");
        return this;
    }

    /**
     * Sets what plugins have announced, so that a request that needs more is refused here (R42). The agent refuses
     * RPCs that its plugin does not have in any case.
     *
     * @param capabilities asked at every call, for example from the state; nothing is known if not set
     * @return this
     */
    public RemoteNodeGatewayBuilder capabilities(Function<InstanceKey, Capabilities> capabilities) {
        this.capabilities = Objects.requireNonNull(capabilities, "capabilities");
        return this;
    }

    /**
     * Sets the largest message to accept of agents, straight or over another server: the answers to calls. Messages hold what plugins ask and answer, and a little more: whoever
     * raises {@link io.csi4j.client.CsiClient.Builder#maxInboundMessageSize} for plugins that do not page their lists
     * raises this too. Who sends more is told the sizes and the name of this setting.
     *
     * @param bytes 16 MiB if not set; at least 1
     * @return this
     * @throws IllegalArgumentException if the number is zero or negative
     */
    public RemoteNodeGatewayBuilder maxInboundMessageSize(int bytes) {
        this.maxInboundMessageSize = WireContext.checkedMessageSize(bytes);
        return this;
    }

    /**
     * The gateway. Nothing is connected yet.
     *
     * @return a new gateway; the host closes it
     */
    public RemoteNodeGateway build() {
        Environment world = environment == null ? Environment.system() : environment;
        WireContext wire = new WireContext(world, environment == null, maxInboundMessageSize);
        WireChannels channels = new WireChannels(wire, rules);
        return new RemoteNodeGateway(wire, channels, new AgentLink(directory, channels), deadlines, capabilities);
    }
}
