package io.csi4j.simulation.stress;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.ExternalVolume;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.rpc.ControllerPublishVolumeRequest;
import io.csi4j.core.rpc.ControllerPublishVolumeResponse;
import io.csi4j.core.rpc.ControllerService;
import io.csi4j.core.rpc.ControllerUnpublishVolumeRequest;
import io.csi4j.core.rpc.CreateVolumeRequest;
import io.csi4j.core.rpc.CreateVolumeResponse;
import io.csi4j.core.rpc.DeleteVolumeRequest;
import io.csi4j.core.rpc.GroupControllerService;
import io.csi4j.core.spi.NodeDetach;
import io.csi4j.core.spi.NodeDetached;
import io.csi4j.core.spi.NodeGateway;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.state.StateStore;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Plugins and nodes in one class: they answer on any thread, with or without delay, and sometimes fail before or after the
 * effect.
 */
final class StressPlugin implements NodeGateway {
    private static final StatusCode[] FAILURES = {
        StatusCode.UNAVAILABLE,
        StatusCode.DEADLINE_EXCEEDED,
        StatusCode.ABORTED,
        StatusCode.INTERNAL,
        StatusCode.RESOURCE_EXHAUSTED,
        StatusCode.INVALID_ARGUMENT
    };

    /** Entries are {@code volume@node}, with external ids. */
    final Set<String> attached = ConcurrentHashMap.newKeySet();
    /** Entries are {@code volume@node:allocation}, with external ids. */
    final Set<String> mounted = ConcurrentHashMap.newKeySet();

    final Set<String> created = ConcurrentHashMap.newKeySet();
    final Queue<String> violations = new ConcurrentLinkedQueue<>();
    final AtomicLong calls = new AtomicLong();
    private final Map<String, String> inFlight = new ConcurrentHashMap<>();
    private final ScheduledExecutorService threads;
    private final StateStore store;
    private final Failures failures;
    private volatile boolean failing = true;

    /** Decides which calls fail. */
    interface Failures {
        /** Returns the status code of a call; null if the call succeeds. The service names the volume, too. */
        @Nullable StatusCode of(Rpc rpc, String service);
    }

    StressPlugin(ScheduledExecutorService threads, StateStore store) {
        this(threads, store, (rpc, service) -> {
            ThreadLocalRandom random = ThreadLocalRandom.current();
            return random.nextInt(8) == 0 ? FAILURES[random.nextInt(FAILURES.length)] : null;
        });
    }

    StressPlugin(ScheduledExecutorService threads, StateStore store, Failures failures) {
        this.threads = threads;
        this.store = store;
        this.failures = failures;
    }

    void stopFailing() {
        failing = false;
    }

    static String mount(String volume, String allocation, String node) {
        return volume + "@" + node + ":" + allocation;
    }

    Set<String> inFlight() {
        return inFlight.keySet();
    }

    private <R> CompletableFuture<R> call(Rpc rpc, String service, Supplier<R> effect) {
        calls.incrementAndGet();
        String other = inFlight.putIfAbsent(service, rpc.csiName());
        if (other != null) {
            violations.add("I4: " + rpc.csiName() + " overlaps " + other + " at " + service);
        }
        ThreadLocalRandom random = ThreadLocalRandom.current();
        CompletableFuture<R> answer = new CompletableFuture<>();
        StatusCode failure = failing ? failures.of(rpc, service) : null;
        boolean refused = failure == StatusCode.INVALID_ARGUMENT || random.nextBoolean();
        Runnable work = () -> {
            R result = failure == null || !refused ? effect.get() : null;
            inFlight.remove(service);
            if (failure == null) {
                answer.complete(result);
            } else {
                answer.completeExceptionally(new CsiCallException(
                        rpc, "p", null, failure, CallOutcome.of(rpc, failure, false), "failed with " + failure, null));
            }
        };
        switch (random.nextInt(3)) {
            case 0 -> work.run();
            case 1 -> threads.execute(work);
            default -> {
                var unused = threads.schedule(work, random.nextInt(300), TimeUnit.MICROSECONDS);
            }
        }
        return answer;
    }

    private CompletableFuture<ControllerPublishVolumeResponse> publish(ControllerPublishVolumeRequest request) {
        String volume = request.volumeId().value();
        String at = volume + "@" + request.nodeId().value();
        return call(Rpc.CONTROLLER_PUBLISH_VOLUME, "controller for " + volume, () -> {
            attached.add(at);
            return new ControllerPublishVolumeResponse(PublishContext.of(Map.of("device", at)));
        });
    }

    private CompletableFuture<Void> unpublish(ControllerUnpublishVolumeRequest request) {
        String volume = request.volumeId().value();
        String at = volume + "@" + request.nodeId().orElseThrow().value();
        return call(Rpc.CONTROLLER_UNPUBLISH_VOLUME, "controller for " + volume, () -> {
            if (mounted.stream().anyMatch(mount -> mount.startsWith(at + ":"))) {
                violations.add("I3: " + at + " is detached under a mount");
            }
            attached.remove(at);
            return null;
        });
    }

    private CompletableFuture<CreateVolumeResponse> create(CreateVolumeRequest request) {
        return call(Rpc.CREATE_VOLUME, "controller for " + request.name(), () -> {
            created.add(request.name());
            return new CreateVolumeResponse(
                    ExternalVolume.builder(ExternalVolumeId.of(request.name())).build());
        });
    }

    private CompletableFuture<Void> delete(DeleteVolumeRequest request) {
        String volume = request.volumeId().value();
        return call(Rpc.DELETE_VOLUME, "controller for " + volume, () -> {
            created.remove(volume);
            return null;
        });
    }

    @Override
    public ControllerService controller(InstanceKey instance) {
        return (ControllerService) Proxy.newProxyInstance(
                ControllerService.class.getClassLoader(),
                new Class<?>[] {ControllerService.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "controllerPublishVolume" -> publish((ControllerPublishVolumeRequest) arguments[0]);
                    case "controllerUnpublishVolume" -> unpublish((ControllerUnpublishVolumeRequest) arguments[0]);
                    case "createVolume" -> create((CreateVolumeRequest) arguments[0]);
                    case "deleteVolume" -> delete((DeleteVolumeRequest) arguments[0]);
                    default -> throw new UnsupportedOperationException(method.getName());
                });
    }

    @Override
    public CompletableFuture<NodeDetached> detach(NodeId nodeId, NodeDetach request) {
        String volume = request.externalVolumeId().value();
        String mount = mount(volume, request.allocationId().value(), "ext-" + nodeId);
        Optional<ClaimState> claim = store.snapshot()
                .volume(request.volume())
                .flatMap(known -> known.claims().get(request.allocationId()))
                .map(Claim::state);
        if (!claim.equals(Optional.of(ClaimState.UNPUBLISHING))) {
            violations.add("I5: a node step for " + mount + " while its claim is " + claim);
        }
        return call(Rpc.NODE_UNPUBLISH_VOLUME, "node " + nodeId + " for " + volume, () -> {
                    mounted.remove(mount);
                    return "";
                })
                .thenApply(done -> NodeDetached.othersUnknown());
    }

    @Override
    public GroupControllerService groupController(InstanceKey instance) {
        throw new UnsupportedOperationException("the stress test has no group snapshots");
    }

    @Override
    public CompletableFuture<Void> refreshNodeInfo(NodeId nodeId, PluginId pluginId) {
        // Failures with a full node are random here, so the plugin has no new limit to report.
        return CompletableFuture.completedFuture(null);
    }
}
