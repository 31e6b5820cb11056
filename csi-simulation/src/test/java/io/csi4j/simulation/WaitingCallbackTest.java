package io.csi4j.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.AllocationCommand;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.core.lifecycle.ClaimGrant;
import io.csi4j.core.lifecycle.DetachReport;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.InstantGateway;
import io.csi4j.core.spi.Timer;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.state.LocalCommandLog;
import io.csi4j.state.StateStore;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An engine with one thread continues while callbacks wait for other operations or block. */
@Timeout(120)
class WaitingCallbackTest {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final PluginId PLUGIN = PluginId.of("disk");
    private static final NodeId NODE = NodeId.of("n1");
    private static final VolumeKey VOLUME = VolumeKey.of("default", "v");
    private static final RequestedCapability WRITER = RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER);

    private final ExecutorService executor = Executors.newSingleThreadExecutor();
    private final ScheduledThreadPoolExecutor scheduler = new ScheduledThreadPoolExecutor(1);
    private final StateStore store = StateStore.inMemory();
    private final VolumeLifecycle lifecycle = VolumeLifecycle.builder()
            .log(new LocalCommandLog(store))
            .gateway(new InstantGateway())
            .environment(Environment.of(Clock.systemUTC(), Timer.from(scheduler), executor, new SplittableRandom(1)))
            .build();

    @BeforeEach
    void cluster() {
        lifecycle.startLeading();
        store.apply(new NodeCommand.UpsertNode(NODE, Instant.now()));
        PluginInstance instance = PluginInstance.builder(
                        new InstanceKey(NODE, PLUGIN, PluginType.MONOLITH, Optional.empty()), Instant.now())
                .provider("disk.example.com")
                .vendorVersion("1.0")
                .capabilities(Capabilities.unknown()
                        .withServices(PluginService.CONTROLLER_SERVICE)
                        .withController(ControllerCapability.PUBLISH_UNPUBLISH_VOLUME)
                        .withNode())
                .nodeInfo(new NodeInfo(ExternalNodeId.of("i-1"), 0, Optional.empty()))
                .build();
        store.apply(new PluginCommand.FingerprintNode(NODE, List.of(instance), Instant.now()));
        assertThat(register(VOLUME)).succeedsWithin(LONG);
    }

    @AfterEach
    void close() {
        lifecycle.stopLeading();
        store.close();
        executor.shutdownNow();
        scheduler.shutdownNow();
    }

    private CompletableFuture<Volume> register(VolumeKey key) {
        return lifecycle
                .volumes()
                .register(
                        key,
                        VolumeSpec.builder(PLUGIN)
                                .requestedCapabilities(List.of(WRITER))
                                .build());
    }

    private void running(AllocationId id) {
        store.apply(new AllocationCommand.UpsertAllocation(
                id, Namespace.of("default"), NODE, Optional.empty(), AllocationStatus.RUNNING, Instant.now()));
    }

    private void ended(AllocationId id) {
        store.apply(new AllocationCommand.UpsertAllocation(
                id, Namespace.of("default"), NODE, Optional.empty(), AllocationStatus.ENDED, Instant.now()));
    }

    private CompletableFuture<ClaimGrant> claim(AllocationId id) {
        return lifecycle.claims().claim(id, List.of(ClaimRequest.of(VOLUME, ClaimMode.WRITE, WRITER)));
    }

    @Test
    void refusedClaimCallbackCanWaitForAnotherClaim() {
        AllocationId known = AllocationId.of("known");
        running(known);
        CompletableFuture<ClaimGrant> other = claim(AllocationId.of("unknown")).handle((grant, refusal) -> {
            assertThat(refusal).hasMessageContaining("unknown");
            return claim(known).join();
        });
        assertThat(other)
                .succeedsWithin(LONG)
                .satisfies(grant -> assertThat(grant.allocationId()).isEqualTo(known));
    }

    @Test
    void claimGrantCallbackCanWaitForDetachment() {
        AllocationId id = AllocationId.of("short-lived");
        running(id);
        CompletableFuture<DetachReport> detached = claim(id).thenApply(grant -> {
            lifecycle.claims().release(VOLUME, id).join();
            return lifecycle.operator().detach(VOLUME, NODE).join();
        });
        assertThat(detached).succeedsWithin(LONG);
        assertThat(store.snapshot().volume(VOLUME).orElseThrow().inUse()).isFalse();
    }

    @Test
    void operationCallbackCanWaitForAnotherOperation() {
        VolumeKey second = VolumeKey.of("default", "second");
        CompletableFuture<DetachReport> detached = register(second).thenApply(volume -> {
            AllocationId id = AllocationId.of("a");
            running(id);
            claim(id).join();
            lifecycle.claims().release(VOLUME, id).join();
            return lifecycle.operator().detach(VOLUME, NODE).join();
        });
        assertThat(detached).succeedsWithin(LONG);
    }

    @Test
    void blockedCallbacksDoNotBlockUnrelatedClaim() throws InterruptedException {
        AllocationId holder = AllocationId.of("holder");
        running(holder);
        assertThat(claim(holder)).succeedsWithin(LONG);
        CompletableFuture<Void> end = new CompletableFuture<>();
        CountDownLatch blocked = new CountDownLatch(8);
        for (int i = 0; i < 8; i++) {
            AllocationId id = AllocationId.of("waiter-" + i);
            running(id);
            CompletableFuture<ClaimGrant> claim = claim(id);
            assertThat(claim).isNotDone();
            var unused = claim.whenComplete((grant, refusal) -> {
                blocked.countDown();
                end.join();
            });
        }
        for (int i = 0; i < 8; i++) {
            ended(AllocationId.of("waiter-" + i));
        }
        // A get on one of these futures could run its callback on this thread, which would then block.
        assertThat(blocked.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
        AllocationId next = AllocationId.of("next");
        running(next);
        assertThat(lifecycle.claims().release(VOLUME, holder)).succeedsWithin(LONG);
        assertThat(claim(next)).succeedsWithin(LONG);
        assertThat(end.complete(null)).isTrue();
    }
}
