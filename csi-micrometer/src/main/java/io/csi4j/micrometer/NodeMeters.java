package io.csi4j.micrometer;

import io.csi4j.node.NodeVolumeEvent;
import io.csi4j.node.NodeVolumeListener;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;

/**
 * Counts the events of the volumes of one node in a registry of the host, by their kind; for example how often
 * NodePublishVolume was repeated without success. It is a listener of {@code NodeAgent}, {@code LocalNode} or
 * {@code NodeVolumes}, and needs {@code csi-node}. Thread-safe.
 */
public final class NodeMeters implements NodeVolumeListener, AutoCloseable {
    private final MeterFactory meters;
    private final Map<NodeVolumeEvent.Kind, Counter> events = new EnumMap<>(NodeVolumeEvent.Kind.class);

    private NodeMeters(MeterRegistry registry) {
        this.meters = new MeterFactory(registry);
        for (NodeVolumeEvent.Kind kind : NodeVolumeEvent.Kind.values()) {
            events.put(kind, meters.counter(CsiMeter.NODE_EVENTS, TagValues.of(kind)));
        }
    }

    /**
     * Creates the meters of a node in a registry. All kinds of events have a meter from the beginning.
     *
     * @param registry the host's registry
     */
    public static NodeMeters of(MeterRegistry registry) {
        return new NodeMeters(Objects.requireNonNull(registry, "registry"));
    }

    /** Counts an event. Never blocks. */
    @Override
    public void onEvent(NodeVolumeEvent event) {
        Objects.requireNonNull(events.get(event.kind()), "counter").increment();
    }

    /** Removes the meters from the registry. Further events have no effect there. */
    @Override
    public void close() {
        meters.removeAll();
    }
}
