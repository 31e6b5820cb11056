package io.csi4j.core.lifecycle;

import static io.csi4j.core.lifecycle.LifecycleRig.SINGLE;
import static io.csi4j.core.lifecycle.LifecycleRig.VOL;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.health.HealthCheck;
import io.csi4j.core.lifecycle.health.HealthProblem;
import io.csi4j.core.lifecycle.health.ServerHealth;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.state.ObservableState;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The boundaries of the health check: its limits, its lists, and its times. */
class HealthLimitsTest {
    private static final Duration LIMIT = Duration.ofMinutes(5);

    private static HealthCheck.Builder builder(LifecycleRig rig) {
        return HealthCheck.builder(rig.host, Environment.of(rig.clock, rig.clock, rig.clock, new Random(1)));
    }

    private static ServerHealth run(LifecycleRig rig, HealthCheck check) {
        CompletableFuture<ServerHealth> health = check.run();
        rig.clock.run();
        return rig.done(health);
    }

    private static void unmountsHang(LifecycleRig rig) {
        rig.gateway.script = call -> {
            if (call.rpc() == Rpc.NODE_UNPUBLISH_VOLUME) {
                return false;
            }
            call.succeed();
            return true;
        };
    }

    @Test
    void releaseThatTakesExactlyTheLimitIsNoProblem() {
        LifecycleRig rig = LifecycleRig.leading().volume(VOL);
        unmountsHang(rig);
        rig.done(rig.claim("a", "n1", SINGLE));
        HealthCheck check = builder(rig)
                .releaseLimit(LIMIT)
                .callLimit(LIMIT.multipliedBy(9))
                .build();
        rig.allocation("a", "n1", AllocationStatus.ENDED);
        assertThat(run(rig, check).releases()).isEqualTo(1);
        rig.clock.advance(LIMIT);
        assertThat(run(rig, check).problems()).isEmpty();
        rig.clock.advance(Duration.ofSeconds(2));
        assertThat(run(rig, check).problems())
                .extracting(HealthProblem::kind)
                .containsExactly(HealthProblem.Kind.RELEASE_STUCK);
    }

    @Test
    void problemOfFiveSubjectsNamesThemAll() {
        LifecycleRig rig = LifecycleRig.leading();
        unmountsHang(rig);
        HealthCheck check = builder(rig)
                .releaseLimit(LIMIT)
                .callLimit(LIMIT.multipliedBy(9))
                .build();
        rig.allocation("a", "n1");
        for (int i = 1; i <= 5; i++) {
            VolumeKey key = VolumeKey.of("default", "v" + i);
            rig.volume(key);
            rig.done(rig.host
                    .claims()
                    .claim(AllocationId.of("a"), List.of(LifecycleRig.write(key, LifecycleRig.SHARED))));
        }
        rig.allocation("a", "n1", AllocationStatus.ENDED);
        run(rig, check);
        rig.clock.advance(LIMIT.plusSeconds(2));
        assertThat(run(rig, check).problems())
                .singleElement()
                .satisfies(problem -> assertThat(problem.message()).endsWith("volume default/v5 on node n1"));
    }

    @Test
    void claimOfThePresentMachineIsNotNamedBesideOneOfAFormerMachine() {
        VolumeKey other = VolumeKey.of("default", "other");
        LifecycleRig rig = LifecycleRig.leading().volume(VOL).volume(other);
        machine(rig, "old");
        rig.done(rig.claim("a", "n1", SINGLE));
        machine(rig, "new");
        rig.allocation("b", "n1");
        rig.done(
                rig.host.claims().claim(AllocationId.of("b"), List.of(LifecycleRig.write(other, LifecycleRig.SHARED))));
        assertThat(run(rig, builder(rig).build()).problems())
                .singleElement()
                .satisfies(problem -> assertThat(problem.message()).endsWith("are held: volume default/vol"));
    }

    private static void machine(LifecycleRig rig, String externalNodeId) {
        rig.fingerprint(rig.instance("n1")
                .nodeInfo(new NodeInfo(ExternalNodeId.of(externalNodeId), 0, Optional.empty()))
                .build());
        rig.run();
    }

    @Test
    void resultOfALongRunningServerIsReusedAndItsLatencyIsThatOfTheLog() {
        SlowLog[] log = new SlowLog[1];
        LifecycleRig rig = LifecycleRig.leading(real -> log[0] = new SlowLog(real));
        HealthCheck check = builder(rig).reuse(Duration.ofSeconds(5)).build();
        rig.clock.advance(Duration.ofDays(1));
        log[0].hold = Optional.of(new CompletableFuture<>());
        CompletableFuture<ServerHealth> health = check.run();
        rig.clock.advance(Duration.ofMillis(30));
        log[0].hold.get().complete(null);
        assertThat(rig.done(health).logLatency()).contains(Duration.ofMillis(30));
        assertThat(run(rig, check)).isSameAs(rig.done(health));
    }

    /** A log that answers late. */
    private static final class SlowLog implements CommandLog {
        private final CommandLog log;
        private Optional<CompletableFuture<Void>> hold = Optional.empty();

        SlowLog(CommandLog log) {
            this.log = log;
        }

        @Override
        public CompletableFuture<Outcome> submit(Command command) {
            CompletableFuture<Outcome> answer = log.submit(command);
            return hold.map(held -> held.thenCompose(now -> answer)).orElse(answer);
        }

        @Override
        public ObservableState state() {
            return log.state();
        }
    }
}
