package io.csi4j.benchmarks.engine;

import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.rpc.ControllerPublishVolumeResponse;
import io.csi4j.core.rpc.ControllerService;
import io.csi4j.core.rpc.ControllerUnpublishVolumeResponse;
import io.csi4j.core.rpc.GroupControllerService;
import io.csi4j.core.rpc.NodeGetVolumeHealthResponse;
import io.csi4j.core.rpc.NodeGetVolumeStatsResponse;
import io.csi4j.core.spi.NodeDetach;
import io.csi4j.core.spi.NodeExpand;
import io.csi4j.core.spi.NodeExpansion;
import io.csi4j.core.spi.NodeGateway;
import io.csi4j.core.spi.NodeLook;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Plugins that answer at once, after a time, or never. */
final class Plugins implements NodeGateway {
    private final ScheduledExecutorService timer;
    private final Duration delay;
    private final Set<PluginId> hanging = ConcurrentHashMap.newKeySet();
    private final Map<PluginId, ControllerService> services = new ConcurrentHashMap<>();
    final AtomicInteger inFlight = new AtomicInteger();
    final AtomicInteger mostInFlight = new AtomicInteger();

    Plugins(ScheduledExecutorService timer, Duration delay) {
        this.timer = timer;
        this.delay = delay;
    }

    void hang(PluginId plugin) {
        hanging.add(plugin);
    }

    @Override
    public ControllerService controller(InstanceKey instance) {
        return services.computeIfAbsent(instance.pluginId(), this::service);
    }

    private ControllerService service(PluginId plugin) {
        ControllerPublishVolumeResponse published = ControllerPublishVolumeResponse.builder()
                .publishContext(PublishContext.of(Map.of("device", "/dev/sdb")))
                .build();
        ControllerUnpublishVolumeResponse unpublished = ControllerUnpublishVolumeResponse.of();
        return (ControllerService) Proxy.newProxyInstance(
                Plugins.class.getClassLoader(),
                new Class<?>[] {ControllerService.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "controllerPublishVolume" -> answer(plugin, published);
                    case "controllerUnpublishVolume" -> answer(plugin, unpublished);
                    default -> throw new UnsupportedOperationException(method.getName());
                });
    }

    private <R> CompletableFuture<R> answer(PluginId plugin, R response) {
        if (hanging.contains(plugin)) {
            return new CompletableFuture<>();
        }
        if (delay.isZero()) {
            return CompletableFuture.completedFuture(response);
        }
        mostInFlight.accumulateAndGet(inFlight.incrementAndGet(), Math::max);
        CompletableFuture<R> answer = new CompletableFuture<>();
        var unused = timer.schedule(
                () -> {
                    inFlight.decrementAndGet();
                    answer.complete(response);
                },
                delay.toNanos(),
                TimeUnit.NANOSECONDS);
        return answer;
    }

    @Override
    public CompletableFuture<Void> detach(NodeId nodeId, NodeDetach request) {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public GroupControllerService groupController(InstanceKey instance) {
        throw new UnsupportedOperationException("no group controller is measured");
    }

    @Override
    public CompletableFuture<NodeExpansion> expand(NodeId nodeId, NodeExpand request) {
        throw new UnsupportedOperationException("no expansion is measured");
    }

    @Override
    public CompletableFuture<NodeGetVolumeStatsResponse> volumeStats(NodeId nodeId, NodeLook request) {
        throw new UnsupportedOperationException("no statistics are measured");
    }

    @Override
    public CompletableFuture<NodeGetVolumeHealthResponse> volumeHealth(NodeId nodeId, NodeLook request) {
        throw new UnsupportedOperationException("no health is measured");
    }
}
