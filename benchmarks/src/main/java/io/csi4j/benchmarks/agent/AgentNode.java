package io.csi4j.benchmarks.agent;

import io.csi4j.client.Endpoint;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.spi.NodeVolumeQuery;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A node with an agent.
 *
 * @param node the name of the node and of its certificate
 * @param directory the agent's directory
 * @param port the port on this machine on which the agent listens; 0: it listens on a Unix socket
 * @param tls whether the agent and the server use certificates
 */
record AgentNode(String node, Path directory, int port, boolean tls) {
    static final PluginId PLUGIN = PluginId.of("instant");
    static final AllocationId WEB = AllocationId.of("web");

    /** Returns this node as a program argument, which {@link #read} parses. */
    String toArgument() {
        return node + "," + directory + "," + port + "," + tls;
    }

    static AgentNode read(String argument) {
        String[] parts = argument.split(",", -1);
        return new AgentNode(parts[0], Path.of(parts[1]), Integer.parseInt(parts[2]), Boolean.parseBoolean(parts[3]));
    }

    NodeId id() {
        return NodeId.of(node);
    }

    InstanceKey instance() {
        return new InstanceKey(id(), PLUGIN, PluginType.MONOLITH, Optional.empty());
    }

    static ExternalVolumeId volume(int number) {
        return ExternalVolumeId.of("vol-" + number);
    }

    static VolumeKey key(int number) {
        return VolumeKey.of("ns", "volume-" + number);
    }

    static NodeVolumeQuery query(int number) {
        return new NodeVolumeQuery(key(number), PLUGIN, volume(number), WEB);
    }

    /** Returns the agent's endpoint for a peer that has the named certificate. */
    Endpoint endpoint(PemFiles files, String certificate) {
        if (port == 0) {
            return Endpoint.unix(directory.resolveSibling(node + "-socket").resolve("s"));
        }
        return tls
                ? Endpoint.remote("tcp://localhost:" + port, files.tlsOptions(certificate))
                : Endpoint.loopback("tcp://127.0.0.1:" + port);
    }
}
