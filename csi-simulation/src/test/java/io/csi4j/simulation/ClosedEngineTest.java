package io.csi4j.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.AllocationCommand;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.lifecycle.ClaimGrant;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.InstantGateway;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.state.LocalCommandLog;
import io.csi4j.state.StateStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Closing an engine fails its waiting operations and leaves the host's environment open. */
@Timeout(120)
class ClosedEngineTest {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final RequestedCapability WRITER = RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER);
    private static final VolumeKey VOLUME = VolumeKey.of("default", "v");

    private final StateStore store = StateStore.inMemory();
    private final LocalCommandLog log = new LocalCommandLog(store);

    @AfterEach
    void close() {
        store.close();
    }

    /** A claim that waits because its node has no plugin. */
    private CompletableFuture<ClaimGrant> waitingClaim(VolumeLifecycle lifecycle) {
        lifecycle.startLeading();
        NodeId node = NodeId.of("n1");
        AllocationId allocation = AllocationId.of("a");
        store.apply(new NodeCommand.UpsertNode(node, Instant.now()));
        store.apply(new AllocationCommand.UpsertAllocation(
                allocation, Namespace.of("default"), node, Optional.empty(), AllocationStatus.RUNNING, Instant.now()));
        store.apply(new VolumeCommand.RegisterVolume(
                VOLUME, spec(), VolumeOrigin.REGISTERED, ProviderFacts.builder().build(), Instant.now()));
        CompletableFuture<ClaimGrant> waiting =
                lifecycle.claims().claim(allocation, List.of(ClaimRequest.of(VOLUME, ClaimMode.WRITE, WRITER)));
        assertThat(waiting).isNotDone();
        return waiting;
    }

    private static VolumeSpec spec() {
        return VolumeSpec.builder(PluginId.of("p"))
                .externalVolumeId(ExternalVolumeId.of("vol-1"))
                .requestedCapabilities(List.of(WRITER))
                .build();
    }

    @Test
    void waitingClaimFailsWhenEngineWithOwnThreadsIsClosed() {
        VolumeLifecycle lifecycle = VolumeLifecycle.of(log, new InstantGateway());
        CompletableFuture<ClaimGrant> waiting = waitingClaim(lifecycle);
        lifecycle.close();
        lifecycle.close();
        assertThat(waiting)
                .failsWithin(LONG)
                .withThrowableOfType(ExecutionException.class)
                .withCauseInstanceOf(CsiException.class);
    }

    @Test
    void operationOnClosedEngineFailsInsteadOfWaiting() {
        VolumeLifecycle lifecycle = VolumeLifecycle.of(log, new InstantGateway());
        lifecycle.startLeading();
        lifecycle.close();
        CompletableFuture<?> late = lifecycle.volumes().delete(VOLUME);
        assertThat(late).failsWithin(LONG);
    }

    @Test
    void hostEnvironmentStaysOpenForAnotherEngine() {
        try (Environment environment = Environment.system()) {
            VolumeLifecycle first = VolumeLifecycle.builder()
                    .log(log)
                    .gateway(new InstantGateway())
                    .environment(environment)
                    .build();
            CompletableFuture<ClaimGrant> waiting = waitingClaim(first);
            first.close();
            assertThat(waiting).failsWithin(LONG);
            try (VolumeLifecycle second = VolumeLifecycle.builder()
                    .log(log)
                    .gateway(new InstantGateway())
                    .environment(environment)
                    .build()) {
                second.startLeading();
                AllocationId next = AllocationId.of("next");
                CompletableFuture<ClaimGrant> unknown =
                        second.claims().claim(next, List.of(ClaimRequest.of(VOLUME, ClaimMode.WRITE, WRITER)));
                assertThat(unknown)
                        .failsWithin(LONG)
                        .withThrowableOfType(ExecutionException.class)
                        .withMessageContaining("next");
            }
        }
    }
}
