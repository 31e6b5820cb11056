package io.csi4j.micrometer;

import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.command.WaitReason;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.spi.NodeVolume;
import io.csi4j.core.volume.AttachmentState;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.QuotaKey;
import io.csi4j.core.volume.VolumePhase;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** The gauges that show the figures of an engine and its state. Each update replaces all figures at once. */
final class StateGauges {
    private final MeterRegistry registry;
    private final MeterFactory meters;
    private final Map<PluginId, MeterFactory> plugins = new HashMap<>();
    private final Map<QuotaKey, MeterFactory> quotas = new HashMap<>();
    private final Map<QuotaKey, List<Boolean>> shownLimits = new HashMap<>();
    private volatile Figures figures = new Figures();

    StateGauges(MeterRegistry registry, VolumeLifecycle lifecycle) {
        this.registry = registry;
        this.meters = new MeterFactory(registry);
        meters.gauge(CsiMeter.LEADER, () -> lifecycle.isLeading() ? 1 : 0);
        meters.gauge(CsiMeter.STATE_INDEX, () -> figures.index);
        meters.gauge(CsiMeter.VOLUMES_UNSETTLED, () -> figures.unsettled);
        meters.gauge(CsiMeter.VOLUMES_RETAINED, () -> figures.retained);
        meters.gauge(CsiMeter.VOLUMES_GIVEN_UP, () -> figures.givenUp);
        meters.gauge(CsiMeter.VOLUMES_LOST, () -> figures.lost);
        meters.gauge(CsiMeter.RELEASES, () -> figures.releases);
        meters.gauge(CsiMeter.RELEASES_AGE, () -> figures.releaseAge);
        meters.gauge(CsiMeter.CLAIMS_WAITING_AGE, () -> figures.waitingAge);
        meters.gauge(CsiMeter.CLAIMS_WAITING, () -> figures.deciding, Figures.DECIDING);
        each(CsiMeter.CLAIMS_WAITING, WaitReason.class, now -> now.waiting);
        each(CsiMeter.CLAIMS, ClaimState.class, now -> now.claims);
        each(CsiMeter.ATTACHMENTS, AttachmentState.class, now -> now.attachments);
        each(CsiMeter.VOLUMES, VolumePhase.class, now -> now.volumes);
        each(CsiMeter.NODES, NodeStatus.class, now -> now.nodes);
        each(CsiMeter.NODE_USES, NodeVolume.State.class, now -> now.uses);
        meters.gauge(CsiMeter.NODE_STAGINGS, () -> figures.stagings);
        meters.gauge(CsiMeter.NODE_WORK_FAILING, () -> figures.failingWork);
        meters.gauge(CsiMeter.NODE_WORK_AGE, () -> figures.workAge);
        meters.gauge(CsiMeter.NODE_CALL_AGE, () -> figures.nodeCallAge);
        meters.gauge(CsiMeter.NODE_MOUNTS_BROKEN, () -> figures.brokenMounts);
        meters.gauge(CsiMeter.NODES_SILENT, () -> figures.silentNodes);
    }

    private <E extends Enum<E>> void each(CsiMeter meter, Class<E> type, Function<Figures, Map<E, Integer>> counts) {
        for (E constant : type.getEnumConstants()) {
            meters.gauge(meter, () -> counts.apply(figures).getOrDefault(constant, 0), TagValues.of(constant));
        }
    }

    /** Makes the gauges show new figures. Adds gauges for new plugins, and removes those of plugins that are gone. */
    synchronized void show(Figures now) {
        figures = now;
        showQuotas(now);
        now.plugins.keySet().forEach(id -> plugins.computeIfAbsent(id, this::plugin));
        plugins.entrySet().removeIf(plugin -> {
            boolean gone = !now.plugins.containsKey(plugin.getKey());
            if (gone) {
                plugin.getValue().removeAll();
            }
            return gone;
        });
    }

    /** Adds gauges for new quotas, and removes those of quotas that are gone or have other limits than before. */
    private void showQuotas(Figures now) {
        quotas.entrySet().removeIf(shown -> {
            boolean gone = !Objects.equals(shownLimits.get(shown.getKey()), limits(now.quotas.get(shown.getKey())));
            if (gone) {
                shown.getValue().removeAll();
            }
            return gone;
        });
        shownLimits.keySet().retainAll(quotas.keySet());
        now.quotas.forEach((key, row) -> {
            if (!quotas.containsKey(key)) {
                quotas.put(key, quota(row));
                shownLimits.put(key, limits(row));
            }
        });
    }

    /** Returns which limits a quota has. */
    private static List<Boolean> limits(Figures.@Nullable QuotaFigures row) {
        return row == null
                ? List.of()
                : List.of(row.quota().volumes().isPresent(), row.quota().bytes().isPresent());
    }

    private MeterFactory quota(Figures.QuotaFigures row) {
        MeterFactory own = new MeterFactory(registry);
        QuotaKey key = row.quota().key();
        String namespace = key.namespace().value();
        String className = key.className().map(VolumeClassName::value).orElse("");
        own.gauge(CsiMeter.QUOTA_USED, () -> of(key, now -> now.use().volumes()), namespace, className, "volumes");
        own.gauge(CsiMeter.QUOTA_USED, () -> of(key, now -> now.use().bytes()), namespace, className, "bytes");
        if (row.quota().volumes().isPresent()) {
            own.gauge(
                    CsiMeter.QUOTA_LIMIT,
                    () -> of(key, now -> now.quota().volumes().orElse(0)),
                    namespace,
                    className,
                    "volumes");
        }
        if (row.quota().bytes().isPresent()) {
            own.gauge(
                    CsiMeter.QUOTA_LIMIT,
                    () -> of(key, now -> now.quota().bytes().orElse(0)),
                    namespace,
                    className,
                    "bytes");
        }
        return own;
    }

    private double of(QuotaKey key, ToLongFunction<Figures.QuotaFigures> value) {
        Figures.QuotaFigures row = figures.quotas.get(key);
        return row == null ? 0 : value.applyAsLong(row);
    }

    private MeterFactory plugin(PluginId id) {
        MeterFactory own = new MeterFactory(registry);
        String name = id.value();
        own.gauge(CsiMeter.CALLS_IN_FLIGHT, () -> of(id, plugin -> plugin.inFlight), name);
        own.gauge(CsiMeter.CALLS_WAITING, () -> of(id, plugin -> plugin.waiting), name);
        own.gauge(CsiMeter.CALLS_WAITING_AGE, () -> of(id, plugin -> plugin.waitingAge), name);
        own.gauge(CsiMeter.PLUGIN_HEALTHY, () -> of(id, plugin -> plugin.healthyControllers), name, "controller");
        own.gauge(CsiMeter.PLUGIN_HEALTHY, () -> of(id, plugin -> plugin.healthyNodes), name, "node");
        own.gauge(CsiMeter.PLUGIN_EXPECTED, () -> of(id, plugin -> plugin.expectedControllers), name, "controller");
        own.gauge(CsiMeter.PLUGIN_EXPECTED, () -> of(id, plugin -> plugin.expectedNodes), name, "node");
        return own;
    }

    private double of(PluginId id, ToDoubleFunction<Figures.PluginFigures> value) {
        Figures.PluginFigures plugin = figures.plugins.get(id);
        return plugin == null ? 0 : value.applyAsDouble(plugin);
    }

    synchronized void close() {
        meters.removeAll();
        plugins.values().forEach(MeterFactory::removeAll);
        plugins.clear();
        quotas.values().forEach(MeterFactory::removeAll);
        quotas.clear();
        shownLimits.clear();
    }
}
