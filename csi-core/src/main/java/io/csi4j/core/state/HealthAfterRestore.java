package io.csi4j.core.state;

import io.csi4j.core.command.Batch;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.PluginCommand;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.plugin.PluginInstance;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Takes back the health of plugins that an earlier run of the host recorded. A host that restores its state after it
 * was down submits the command before it schedules: an instance counts as healthy again once its node reports it.
 * What plugins offer, and who they are, stays known.
 */
public final class HealthAfterRestore {
    private HealthAfterRestore() {}

    /**
     * The command that makes every healthy instance unhealthy until its node reports again.
     *
     * @param state the state that was restored
     * @param at when, by the clock of the host
     * @return one command; empty: no instance is healthy
     */
    public static Optional<Command> unconfirmed(StateReader state, Instant at) {
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
