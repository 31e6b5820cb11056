package io.csi4j.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.node.NodeVolumeEvent;
import io.csi4j.node.NodeVolumeEvent.Kind;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class NodeMetersTest {
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    private double count(String event) {
        return registry.get("csi4j.node.events").tag("event", event).counter().count();
    }

    private static NodeVolumeEvent event(Kind kind) {
        return new NodeVolumeEvent(kind, Optional.empty(), Optional.empty(), "a text of a plugin", Instant.EPOCH);
    }

    @Test
    void eachKindOfEventIsCountedUnderItsName() {
        NodeMeters meters = NodeMeters.of(registry);
        assertThat(registry.getMeters()).hasSameSizeAs(Kind.values());
        assertThat(count("republish_failed")).isZero();
        for (Kind kind : Kind.values()) {
            meters.onEvent(event(kind));
        }
        meters.onEvent(event(Kind.REPUBLISH_FAILED));
        assertThat(count("republish_failed")).isEqualTo(2);
        assertThat(count("mount_changed")).isEqualTo(1);
        assertThat(registry.getMeters()).hasSameSizeAs(Kind.values());
    }

    @Test
    void closedMetersAreRemoved() {
        NodeMeters meters = NodeMeters.of(registry);
        meters.close();
        assertThat(registry.getMeters()).isEmpty();
        meters.onEvent(event(Kind.MOUNTED));
        assertThat(registry.getMeters()).isEmpty();
    }
}
