package io.csi4j.core.placement;

import io.csi4j.core.command.Command;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.command.Batch;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.state.StateReader;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Creates a command that marks all plugin instances as unhealthy after a host has restored an older state. The host
 * submits the command before it places allocations. An instance becomes healthy again when its node reports it; its
 * facts and capabilities stay known.
 */
public final class HealthAfterRestore {
    private HealthAfterRestore() {}

    /**
     * Creates the command.
     *
     * @param state the restored state
     * @param at the time of the command, by the clock of the host
     * @return the command; empty if no instance is healthy
     */
    public static Optional<Command> markUnhealthy(StateReader state, Instant at) {
        Objects.requireNonNull(at, "at");
        Map<NodeId, List<PluginInstance>> onNodes = new TreeMap<>();
        boolean anyHealthy = false;
        for (PluginInstance instance : state.instances()) {
            anyHealthy |= instance.healthy();
            onNodes.computeIfAbsent(instance.key().nodeId(), node -> new ArrayList<>())
                    .add(instance.toBuilder()
                            .health(false, "the node has not reported since the state was restored")
                            .build());
        }
        List<Command> commands = new ArrayList<>();
        onNodes.forEach((node, instances) -> commands.add(new PluginCommand.FingerprintNode(node, instances, at)));
        return anyHealthy ? Optional.of(new Batch(commands, at)) : Optional.empty();
    }
}
