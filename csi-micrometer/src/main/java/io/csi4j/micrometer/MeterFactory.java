package io.csi4j.micrometer;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.DoubleSupplier;

/** Registers meters, and removes all of them later. Thread-safe. */
final class MeterFactory {
    private final MeterRegistry registry;
    private final Set<Meter> meters = ConcurrentHashMap.newKeySet();

    MeterFactory(MeterRegistry registry) {
        this.registry = registry;
    }

    Counter counter(CsiMeter meter, String... values) {
        return kept(Counter.builder(meter.meterName())
                .description(meter.description())
                .baseUnit(meter.unit())
                .tags(tags(meter, values))
                .register(registry));
    }

    Timer timer(CsiMeter meter, String... values) {
        return kept(Timer.builder(meter.meterName())
                .description(meter.description())
                .tags(tags(meter, values))
                .register(registry));
    }

    void gauge(CsiMeter meter, DoubleSupplier value, String... values) {
        kept(Gauge.builder(meter.meterName(), value::getAsDouble)
                .description(meter.description())
                .baseUnit(meter.unit().isEmpty() ? null : meter.unit())
                .tags(tags(meter, values))
                .strongReference(true)
                .register(registry));
    }

    void removeAll() {
        meters.forEach(registry::remove);
        meters.clear();
    }

    private <M extends Meter> M kept(M meter) {
        meters.add(meter);
        return meter;
    }

    private static String[] tags(CsiMeter meter, String... values) {
        List<String> names = meter.tags();
        if (names.size() != values.length) {
            throw new IllegalArgumentException(meter + " has the tags " + names + ", not " + values.length);
        }
        String[] tags = new String[2 * values.length];
        for (int i = 0; i < values.length; i++) {
            tags[2 * i] = names.get(i);
            tags[2 * i + 1] = values[i];
        }
        return tags;
    }
}
