package io.csi4j.core.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.command.Command;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.internal.apply.NaiveState;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class UnhealthyAfterRestoreTest {
    private static final Instant AT = Instant.parse("2026-01-01T00:00:00Z");

    private final NaiveState state = new NaiveState();

    private void node(String name, String... plugins) {
        NodeId nodeId = NodeId.of(name);
        state.apply(new NodeCommand.UpsertNode(nodeId, AT));
        List<PluginInstance> instances = Stream.of(plugins)
                .map(plugin -> PluginInstance.builder(
                                new InstanceKey(nodeId, PluginId.of(plugin), PluginType.NODE, Optional.empty()), AT)
                        .capabilities(Capabilities.unknown().withServices())
                        .build())
                .toList();
        state.apply(new PluginCommand.FingerprintNode(nodeId, instances, AT));
    }

    private List<PluginInstance> instances() {
        List<PluginInstance> instances = new ArrayList<>();
        state.instances().forEach(instances::add);
        return instances;
    }

    @Test
    void allInstancesAreUnhealthyAndKeepTheirFactsUntilTheirNodesReport() {
        node("n1", "p", "q");
        node("n2", "p");
        Command command = HealthAfterRestore.markUnhealthy(state, AT).orElseThrow();
        assertThat(state.apply(command).accepted()).isTrue();
        assertThat(instances())
                .hasSize(3)
                .noneMatch(PluginInstance::healthy)
                .allSatisfy(instance -> assertThat(instance.capabilities())
                        .isEqualTo(Capabilities.unknown().withServices()));
        assertThat(HealthAfterRestore.markUnhealthy(state, AT))
                .as("no command where no instance is healthy")
                .isEmpty();
        node("n2", "p");
        assertThat(instances()).filteredOn(PluginInstance::healthy).hasSize(1);
        assertThat(HealthAfterRestore.markUnhealthy(state, AT))
                .as("one healthy instance among others")
                .isPresent();
    }
}
