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
 * @param node its name, which is also that of its certificate
 * @param directory the agent's
 * @param port where the agent listens on this machine; 0: at a Unix socket
 * @param tls whether with certificates on both sides
 */
record Place(String node, Path directory, int port, boolean tls) {
    static final PluginId PLUGIN = PluginId.of("instant");
    static final AllocationId WEB = AllocationId.of("web");

    /** As an argument of a program. */
    String written() {
        return node + "," + directory + "," + port + "," + tls;
    }

    static Place read(String written) {
        String[] parts = written.split(",", -1);
        return new Place(parts[0], Path.of(parts[1]), Integer.parseInt(parts[2]), Boolean.parseBoolean(parts[3]));
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

    static NodeVolumeQuery look(int number) {
        return new NodeVolumeQuery(key(number), PLUGIN, volume(number), WEB);
    }

    /** Where the agent listens, for one who shows a certificate of that name. */
    Endpoint endpoint(PemFiles files, String who) {
        if (port == 0) {
            return Endpoint.unix(directory.resolveSibling(node + "-socket").resolve("s"));
        }
        return tls
                ? Endpoint.remote("tcp://localhost:" + port, files.of(who))
                : Endpoint.loopback("tcp://127.0.0.1:" + port);
    }
}
