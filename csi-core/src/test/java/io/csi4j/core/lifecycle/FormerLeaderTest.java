package io.csi4j.core.lifecycle;

import static io.csi4j.core.csi.VolumeAccessMode.SINGLE_NODE_WRITER;
import static io.csi4j.core.lifecycle.ClaimRig.write;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.volume.FencingPolicy;
import io.csi4j.core.volume.VolumePhase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Calls that still wait for something when their engine stops leading. */
class FormerLeaderTest {
    private static CompletableFuture<?> begin(VolumeLifecycle engine, Rpc rpc) {
        ManagedVolumes volumes = engine.volumes();
        return switch (rpc) {
            case CREATE_VOLUME ->
                volumes.create(
                        VolumeKey.of("default", "another"), VolumeRig.spec().build());
            case DELETE_VOLUME -> volumes.delete(VolumeRig.VOL);
            case CONTROLLER_EXPAND_VOLUME -> volumes.expand(VolumeRig.VOL, CapacityRange.atLeast(1L << 40));
            case CONTROLLER_MODIFY_VOLUME -> volumes.modify(VolumeRig.VOL, Map.of("tier", "gold"));
            default -> throw new IllegalArgumentException(rpc + " has no intent");
        };
    }

    @ParameterizedTest
    @EnumSource(
            value = Rpc.class,
            names = {"CREATE_VOLUME", "DELETE_VOLUME", "CONTROLLER_EXPAND_VOLUME", "CONTROLLER_MODIFY_VOLUME"})
    void callThatWaitsForSecretsIsNotSentAfterEngineStopsLeading(Rpc rpc) {
        VolumeRig rig = VolumeRig.started();
        rig.made();
        rig.gateway.calls().clear();
        CompletableFuture<Secrets> secrets = new CompletableFuture<>();
        rig.secrets = query -> secrets.thenApply(Optional::of);
        VolumeLifecycle former = rig.engine();
        var unused = begin(former, rpc);
        rig.clock.run();
        former.stopLeading();
        secrets.complete(VolumeRig.SECRETS);
        rig.clock.run();
        assertThat(rig.gateway.requests(rpc)).isEmpty();
        rig.engine();
        rig.clock.advance(Duration.ofMinutes(10));
        assertThat(rig.gateway.requests(rpc))
                .as("the next leader makes the call")
                .hasSize(1);
    }

    @Test
    void resultOfCallIsStoredAfterItsEngineStoppedLeading() {
        VolumeRig rig = VolumeRig.started();
        VolumeLifecycle former = rig.engine();
        rig.gateway.leaveOpen();
        var unused = former.volumes().create(VolumeRig.VOL, VolumeRig.spec().build());
        rig.clock.run();
        HandCall creation = rig.gateway.only();
        former.stopLeading();
        creation.succeed();
        rig.clock.run();
        assertThat(rig.volume().phase()).as("no later leader has to ask").isEqualTo(VolumePhase.AVAILABLE);
    }

    /** The leader waits for a retry, a grace period, a fence, a ledger and a scan when its term ends. */
    @Test
    void endOfTheTermLeavesNoTimerAndNoQuestion() {
        ClaimRig rig = ClaimRig.with("n1", "n2", "n3")
                .volume("retried", SINGLE_NODE_WRITER)
                .volume("graced", FencingPolicy.afterGrace(Duration.ofHours(1)), SINGLE_NODE_WRITER)
                .volume("fenced", FencingPolicy.onFence(), SINGLE_NODE_WRITER)
                .use("a", "n1", write("retried", SINGLE_NODE_WRITER))
                .use("b", "n2", write("graced", SINGLE_NODE_WRITER))
                .use("c", "n3", write("fenced", SINGLE_NODE_WRITER));
        List<String> asked = new ArrayList<>();
        rig.gateway.failAll(StatusCode.INTERNAL);
        rig.gateway.ledgerAnswers = node -> {
            asked.add("ledger of " + node);
            return CompletableFuture.failedFuture(new CsiException("not now"));
        };
        rig.fencing = (node, reason) -> {
            asked.add("fence of " + node);
            return CompletableFuture.failedFuture(new IllegalStateException("busy"));
        };
        rig.ended("a", "n1");
        rig.status("n2", NodeStatus.DISCONNECTED);
        rig.status("n3", NodeStatus.DOWN);
        rig.ok(new NodeCommand.RequireLedgers("restored", rig.now()));
        rig.minutes(2);
        assertThat(asked).contains("ledger of n1", "fence of n3");
        assertThat(rig.clock.timers()).isGreaterThanOrEqualTo(5);
        rig.engine.stop();
        rig.run();
        assertThat(rig.clock.timers()).isZero();
        asked.clear();
        rig.gateway.calls().clear();
        rig.minutes(60);
        assertThat(asked).isEmpty();
        assertThat(rig.gateway.calls()).isEmpty();
    }
}
