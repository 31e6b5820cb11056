package io.csi4j.micrometer;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.spi.CallEvent;
import io.csi4j.core.spi.DriftEvent;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

/** The meters of the events of one plugin. Thread-safe. */
final class PluginMeters {
    private final MeterFactory meters;
    private final String plugin;
    private final Map<RpcEnd, Timer> calls = new ConcurrentHashMap<>();
    private final Timer queue;
    private final Counter missedSteps;
    private final Counter secretsAbsent;
    private final Map<DriftEvent.Kind, Counter> drift = new EnumMap<>(DriftEvent.Kind.class);

    private record RpcEnd(Rpc rpc, StatusCode code) {}

    PluginMeters(MeterRegistry registry, String plugin) {
        this.meters = new MeterFactory(registry);
        this.plugin = plugin;
        this.queue = meters.timer(CsiMeter.CALL_QUEUE, plugin);
        // These exist at 0 from the start, because Prometheus sees no increase in the first sample of a counter.
        this.missedSteps = meters.counter(CsiMeter.MISSED_STEPS, plugin);
        this.secretsAbsent = meters.counter(CsiMeter.SECRETS_ABSENT, plugin);
        for (DriftEvent.Kind kind : DriftEvent.Kind.values()) {
            drift.put(kind, meters.counter(CsiMeter.DRIFT, plugin, TagValues.of(kind)));
        }
    }

    PluginId pluginId() {
        return PluginId.of(plugin);
    }

    void call(CallEvent event) {
        calls.computeIfAbsent(new RpcEnd(event.rpc(), event.code()), this::timer)
                .record(event.duration());
        queue.record(event.queueAge());
    }

    private Timer timer(RpcEnd end) {
        return meters.timer(
                CsiMeter.CALLS,
                plugin,
                end.rpc().csiName(),
                TagValues.of(end.code()),
                TagValues.of(CallOutcome.of(end.rpc(), end.code(), false)));
    }

    void healthChanged() {
        meters.counter(CsiMeter.PLUGIN_HEALTH_CHANGES, plugin).increment();
    }

    void drift(DriftEvent event) {
        Objects.requireNonNull(drift.get(event.kind())).increment();
    }

    void secretsAbsent() {
        secretsAbsent.increment();
    }

    void missedStep() {
        missedSteps.increment();
    }

    void remove() {
        meters.removeAll();
    }
}
