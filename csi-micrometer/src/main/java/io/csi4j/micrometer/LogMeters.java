package io.csi4j.micrometer;

import io.csi4j.core.spi.LogCommit;
import io.csi4j.core.spi.LogDetails;
import io.csi4j.core.spi.LogStatus;
import io.csi4j.core.spi.ReplicatedLog;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** The meters of a replicated log. Each update replaces all figures of the gauges at once. */
final class LogMeters {
    private final MeterRegistry registry;
    private final ReplicatedLog log;
    private final MeterFactory meters;
    private final Timer committed;
    private final Timer overtaken;
    private final Timer failed;
    private final Counter failures;
    private final Map<String, MeterFactory> servers = new HashMap<>();
    private final Runnable unlisten;
    private volatile LogStatus status;
    private long counted;

    LogMeters(MeterRegistry registry, ReplicatedLog log) {
        this.registry = registry;
        this.log = log;
        this.status = log.status();
        this.meters = new MeterFactory(registry);
        this.committed = timer(LogCommit.Result.COMMITTED);
        this.overtaken = timer(LogCommit.Result.OVERTAKEN);
        this.failed = timer(LogCommit.Result.FAILED);
        this.failures = meters.counter(CsiMeter.LOG_FAILURES);
        gauge(CsiMeter.LOG_WAITING_BYTES, now -> now.details().waitingBytes());
        gauge(CsiMeter.LOG_TERM, LogStatus::term);
        gauge(CsiMeter.LOG_LEASE_AGE, now -> seconds(now.details().leaseAge().orElse(Duration.ZERO)));
        gauge(CsiMeter.LOG_ENTRIES, LogMeters::entries);
        gauge(CsiMeter.LOG_SNAPSHOT_INDEX, LogStatus::snapshotIndex);
        gauge(
                CsiMeter.LOG_SNAPSHOT_BYTES,
                now -> now.details().snapshot().map(LogDetails.Snapshot::bytes).orElse(0L));
        gauge(
                CsiMeter.LOG_SNAPSHOT_AGE,
                now -> seconds(now.details()
                        .snapshot()
                        .flatMap(LogDetails.Snapshot::age)
                        .orElse(Duration.ZERO)));
        gauge(CsiMeter.LOG_TROUBLE, now -> now.details().trouble().isPresent() ? 1 : 0);
        this.unlisten = log.onCommit(this::record);
        read();
    }

    private void gauge(CsiMeter meter, ToDoubleFunction<LogStatus> figure) {
        meters.gauge(meter, () -> figure.applyAsDouble(status));
    }

    private static double entries(LogStatus now) {
        return now.details().firstIndex().isPresent()
                ? now.lastIndex() - now.details().firstIndex().getAsLong() + 1
                : 0;
    }

    private static double seconds(Duration duration) {
        return duration.toMillis() / 1000.0;
    }

    private Timer timer(LogCommit.Result result) {
        return meters.timer(CsiMeter.LOG_COMMIT, TagValues.of(result));
    }

    private void record(LogCommit commit) {
        Timer timer = switch (commit.result()) {
            case COMMITTED -> committed;
            case OVERTAKEN -> overtaken;
            case FAILED -> failed;
        };
        timer.record(commit.took());
    }

    /** Reads the figures of the log. Adds gauges for new servers, and removes those of servers that are gone. */
    synchronized void read() {
        LogStatus now = log.status();
        status = now;
        failures.increment((double) Math.max(0, now.details().failures() - counted));
        counted = now.details().failures();
        Map<String, LogDetails.Server> listed = new HashMap<>();
        now.details().servers().forEach(server -> listed.put(server.name(), server));
        listed.keySet().forEach(name -> servers.computeIfAbsent(name, this::server));
        servers.entrySet().removeIf(server -> {
            boolean gone = !listed.containsKey(server.getKey());
            if (gone) {
                server.getValue().removeAll();
            }
            return gone;
        });
    }

    private MeterFactory server(String name) {
        MeterFactory own = new MeterFactory(registry);
        own.gauge(
                CsiMeter.LOG_LAG,
                () -> of(
                        name,
                        server -> Math.max(
                                0, status.lastIndex() - server.appliedIndex().orElse(status.lastIndex()))),
                name);
        own.gauge(
                CsiMeter.LOG_SILENCE,
                () -> of(name, server -> seconds(server.silentFor().orElse(Duration.ZERO))),
                name);
        return own;
    }

    private double of(String name, ToDoubleFunction<LogDetails.Server> figure) {
        return status.details().servers().stream()
                .filter(server -> server.name().equals(name))
                .mapToDouble(figure)
                .findFirst()
                .orElse(0);
    }

    synchronized void close() {
        unlisten.run();
        meters.removeAll();
        servers.values().forEach(MeterFactory::removeAll);
        servers.clear();
    }
}
