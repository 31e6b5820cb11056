package io.csi4j.core.lifecycle;

import static io.csi4j.core.lifecycle.LifecycleRig.SINGLE;
import static io.csi4j.core.lifecycle.LifecycleRig.VOL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.DeploymentId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.core.lifecycle.health.HealthCheck;
import io.csi4j.core.lifecycle.health.HealthProblem;
import io.csi4j.core.lifecycle.health.ServerHealth;
import io.csi4j.core.plugin.CallSettings;
import io.csi4j.core.plugin.ExpectedInstances;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginDeployment;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.LogClosedException;
import io.csi4j.core.state.ObservableState;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class HealthCheckTest {
    private static final HealthProblem.Kind[] NONE = {};

    private static HealthCheck.Builder builder(LifecycleRig rig) {
        return HealthCheck.builder(rig.host, Environment.of(rig.clock, rig.clock, rig.clock, new Random(1)));
    }

    private static ServerHealth run(LifecycleRig rig, HealthCheck check) {
        rig.clock.advance(Duration.ofSeconds(3));
        CompletableFuture<ServerHealth> health = check.run();
        rig.clock.advance(Duration.ofSeconds(10));
        return rig.done(health);
    }

    private static void assertProblems(ServerHealth health, HealthProblem.Kind... kinds) {
        assertThat(health.problems()).extracting(HealthProblem::kind).containsExactly(kinds);
        assertThat(health.problems()).allSatisfy(problem -> {
            assertThat(problem.message()).isNotEmpty();
            assertThat(problem.remedy()).endsWith(".");
        });
    }

    /** A log that passes commands on, or does what the test wants. */
    private static final class ChangedLog implements CommandLog {
        private final CommandLog log;
        private Optional<CompletableFuture<Outcome>> answer = Optional.empty();
        private int submitted;

        ChangedLog(CommandLog log) {
            this.log = log;
        }

        @Override
        public CompletableFuture<Outcome> submit(Command command) {
            submitted++;
            return answer.orElseGet(() -> log.submit(command));
        }

        @Override
        public ObservableState state() {
            return log.state();
        }
    }

    @Test
    void leadingServerWithoutProblemsIsReportedAsAbleToWork() {
        LifecycleRig rig = LifecycleRig.leading();
        ServerHealth health = run(rig, builder(rig).build());
        assertProblems(health, NONE);
        assertThat(health.able()).isTrue();
        assertThat(health.leading()).isTrue();
        assertThat(health.index()).isPositive();
        assertThat(health.logLatency()).isPresent();
    }

    @Test
    void serverThatBeginsToLeadAgainAndAgainIsAProblemForTenMinutes() {
        LifecycleRig rig = LifecycleRig.leading();
        HealthCheck check = builder(rig).leader(() -> Optional.of("s2")).build();
        rig.host.startLeading();
        rig.host.stopLeading();
        rig.host.startLeading();
        assertThat(rig.host.leaderships())
                .as("no second beginning of one leadership")
                .hasSize(2);
        assertProblems(run(rig, check), NONE);
        rig.host.stopLeading();
        rig.host.startLeading();
        rig.host.stopLeading();
        ServerHealth unsteady = run(rig, check);
        assertProblems(unsteady, HealthProblem.Kind.LEADERSHIP_UNSTEADY);
        assertThat(unsteady.problems().get(0).message())
                .isEqualTo("this server has begun to lead 3 times within 10 min, since "
                        + rig.host.leaderships().get(0) + ", the last time at "
                        + rig.host.leaderships().get(2));
        rig.clock.advance(Duration.ofMinutes(10));
        assertProblems(run(rig, check), NONE);
        for (int i = 0; i < 200; i++) {
            rig.host.startLeading();
            rig.host.stopLeading();
        }
        assertThat(rig.host.leaderships()).hasSize(100).endsWith(rig.now());
    }

    @Test
    void followerIsReportedAsAbleToWorkOnlyIfItKnowsLeader() {
        LifecycleRig rig = LifecycleRig.following();
        ServerHealth alone = run(rig, builder(rig).build());
        assertProblems(alone, HealthProblem.Kind.NO_LEADER);
        assertThat(alone.able()).isFalse();

        ServerHealth follower =
                run(rig, builder(rig).leader(() -> Optional.of("s2")).build());
        assertProblems(follower, NONE);
        assertThat(follower.able()).isTrue();
        assertThat(follower.leading()).isFalse();
        assertThat(follower.leader()).contains("s2");
    }

    @Test
    void commandLogThatDoesNotAnswerInTimeIsBlockingProblem() {
        ChangedLog[] log = new ChangedLog[1];
        LifecycleRig rig = LifecycleRig.leading(real -> log[0] = new ChangedLog(real));
        HealthCheck check = builder(rig).logTimeout(Duration.ofSeconds(4)).build();
        log[0].answer = Optional.of(new CompletableFuture<>());
        CompletableFuture<ServerHealth> health = check.run();
        rig.clock.advance(Duration.ofSeconds(3));
        assertThat(health).isNotDone();
        rig.clock.advance(Duration.ofSeconds(1));
        assertProblems(rig.done(health), HealthProblem.Kind.LOG_SILENT);
        assertThat(rig.done(health).able()).isFalse();
        assertThat(rig.done(health).logLatency()).isEmpty();

        log[0].answer = Optional.empty();
        assertThat(run(rig, check).able())
                .as("the server is able when the log answers again")
                .isTrue();
    }

    @Test
    void logThatIsSlowTwiceInARowIsAProblemThatBlocksNothing() {
        ChangedLog[] log = new ChangedLog[1];
        LifecycleRig rig = LifecycleRig.leading(real -> log[0] = new ChangedLog(real));
        HealthCheck check = builder(rig).build();
        assertProblems(slow(rig, log[0], check, 1_001), NONE);
        assertProblems(slow(rig, log[0], check, 1_000), NONE);
        assertProblems(slow(rig, log[0], check, 1_400), NONE);
        ServerHealth health = slow(rig, log[0], check, 1_900);
        assertProblems(health, HealthProblem.Kind.LOG_SLOW);
        assertThat(health.problems().get(0).message()).contains("after 1400 ms and 1900 ms");
        assertThat(health.able()).isTrue();
        assertProblems(slow(rig, log[0], check, 10), NONE);
    }

    private static ServerHealth slow(LifecycleRig rig, ChangedLog log, HealthCheck check, int millis) {
        rig.clock.advance(Duration.ofSeconds(3));
        CompletableFuture<Outcome> answer = new CompletableFuture<>();
        log.answer = Optional.of(answer);
        CompletableFuture<ServerHealth> health = check.run();
        rig.clock.advance(Duration.ofMillis(millis));
        answer.complete(new Outcome.Rejected(new Rejection.VolumeNotFound(LifecycleRig.VOL)));
        rig.clock.run();
        return rig.done(health);
    }

    @Test
    void closedCommandLogIsBlockingProblemWithErrorMessage() {
        ChangedLog[] log = new ChangedLog[1];
        LifecycleRig rig = LifecycleRig.leading(real -> log[0] = new ChangedLog(real));
        log[0].answer = Optional.of(CompletableFuture.failedFuture(new LogClosedException("raft")));
        ServerHealth health = run(rig, builder(rig).build());
        assertProblems(health, HealthProblem.Kind.LOG_FAILED);
        assertThat(health.problems().get(0).message()).contains("raft: it is closed");
        assertThat(health.able()).isFalse();
    }

    @Test
    void repeatedChecksWithinReuseTimeSubmitOneCommand() {
        ChangedLog[] log = new ChangedLog[1];
        LifecycleRig rig = LifecycleRig.leading(real -> log[0] = new ChangedLog(real));
        HealthCheck check = builder(rig).reuse(Duration.ofSeconds(5)).build();
        int before = log[0].submitted;
        long index = rig.log.snapshot().index();
        for (int i = 0; i < 100; i++) {
            assertThat(rig.done(check.run()).able()).isTrue();
        }
        assertThat(log[0].submitted - before).isEqualTo(1);
        rig.clock.advance(Duration.ofSeconds(5));
        rig.done(check.run());
        assertThat(log[0].submitted - before).isEqualTo(2);
        assertThat(rig.log.snapshot().volume(io.csi4j.core.id.VolumeKey.of("csi4j.health", "probe")))
                .isEmpty();
        assertThat(rig.log.snapshot().index() - index).isLessThanOrEqualTo(2);
    }

    @Test
    void missingInstancesAndUnusablePluginAreNonBlockingProblems() {
        LifecycleRig rig = LifecycleRig.leading().volume(VOL);
        rig.ok(new PluginCommand.UpsertDeployment(
                PluginDeployment.of(
                        DeploymentId.of("default", "d"), Map.of(LifecycleRig.PLUGIN, new ExpectedInstances(3, 3))),
                rig.now()));
        HealthCheck check = builder(rig).build();
        ServerHealth missing = run(rig, check);
        assertProblems(missing, HealthProblem.Kind.PLUGIN_INSTANCES_MISSING);
        assertThat(missing.problems().get(0).message())
                .contains("plugin p has 2 of 3 controllers and 2 of 3 node instances");
        assertThat(missing.able()).isTrue();

        rig.fingerprint(rig.instance("n1").health(false, "").build());
        rig.fingerprint(rig.instance("n2").health(false, "").build());
        ServerHealth unusable = run(rig, check);
        assertProblems(unusable, HealthProblem.Kind.PLUGIN_NOT_USABLE, HealthProblem.Kind.PLUGIN_UNHEALTHY);
        assertThat(unusable.able()).isTrue();
    }

    @Test
    void releaseOrClaimThatExceedsTimeLimitIsProblem() {
        LifecycleRig rig = LifecycleRig.leading().volume(VOL);
        rig.done(rig.claim("a", "n1", SINGLE));
        HealthCheck check = builder(rig)
                .releaseLimit(Duration.ofMinutes(5))
                .claimLimit(Duration.ofMinutes(5))
                .build();
        for (int i = 0; i < 100; i++) {
            rig.gateway.fail(Rpc.NODE_UNPUBLISH_VOLUME, StatusCode.INTERNAL);
        }
        rig.allocation("a", "n1", AllocationStatus.ENDED);
        CompletableFuture<ClaimGrant> waiting = rig.claim("b", "n2", SINGLE);
        ServerHealth early = run(rig, check);
        assertProblems(early, NONE);
        assertThat(early.releases()).isEqualTo(1);
        assertThat(early.waitingClaims()).isEqualTo(1);

        rig.clock.advance(Duration.ofMinutes(6));
        ServerHealth late = run(rig, check);
        assertProblems(late, HealthProblem.Kind.RELEASE_STUCK, HealthProblem.Kind.CLAIM_WAITS_LONG);
        assertThat(late.problems().get(0).message()).contains("volume default/vol on node n1");
        assertThat(late.problems().get(1).message()).contains("allocation b");
        assertThat(late.able()).isTrue();

        rig.gateway.forgetPlanned(Rpc.NODE_UNPUBLISH_VOLUME);
        rig.clock.advance(Duration.ofMinutes(6));
        assertThat(waiting).isCompleted();
        ServerHealth after = run(rig, check);
        assertProblems(after, NONE);
        assertThat(after.releases()).isZero();
    }

    @Test
    void problemOfManySubjectsNamesTheFirstFive() {
        LifecycleRig rig = LifecycleRig.leading();
        HealthCheck check = builder(rig).releaseLimit(Duration.ofMinutes(5)).build();
        rig.gateway.script = call -> {
            if (call.rpc() == Rpc.NODE_UNPUBLISH_VOLUME) {
                return false;
            }
            call.succeed();
            return true;
        };
        rig.allocation("a", "n1");
        for (int i = 1; i <= 7; i++) {
            VolumeKey key = VolumeKey.of("default", "v" + i);
            rig.volume(key);
            rig.done(rig.host
                    .claims()
                    .claim(AllocationId.of("a"), List.of(LifecycleRig.write(key, LifecycleRig.SHARED))));
        }
        rig.allocation("a", "n1", AllocationStatus.ENDED);
        assertThat(run(rig, check).releases()).isEqualTo(7);
        rig.clock.advance(Duration.ofMinutes(5));
        assertThat(run(rig, check).problems())
                .filteredOn(problem -> problem.kind() == HealthProblem.Kind.RELEASE_STUCK)
                .singleElement()
                .satisfies(problem -> assertThat(problem.message())
                        .startsWith("7 releases take longer than 5 min: volume default/v1 on node n1, ")
                        .endsWith("volume default/v5 on node n1 and 2 more"));
    }

    @Test
    void missingNodeInstanceAloneIsProblemAndMoreInstancesThanExpectedAreNone() {
        LifecycleRig rig = LifecycleRig.leading();
        HealthCheck check = builder(rig).build();
        for (ExpectedInstances none : List.of(new ExpectedInstances(2, 2), new ExpectedInstances(1, 1))) {
            expect(rig, none);
            assertProblems(run(rig, check), NONE);
        }
        expect(rig, new ExpectedInstances(0, 3));
        assertProblems(run(rig, check), HealthProblem.Kind.PLUGIN_INSTANCES_MISSING);
        expect(rig, new ExpectedInstances(3, 0));
        assertProblems(run(rig, check), HealthProblem.Kind.PLUGIN_INSTANCES_MISSING);
    }

    private static void expect(LifecycleRig rig, ExpectedInstances expected) {
        rig.ok(new PluginCommand.UpsertDeployment(
                PluginDeployment.of(DeploymentId.of("default", "d"), Map.of(LifecycleRig.PLUGIN, expected)),
                rig.now()));
    }

    @Test
    void heldClaimOfAFormerMachineIsProblemUntilTheMachineIsLost() {
        LifecycleRig rig = LifecycleRig.leading().volume(VOL);
        NodeId node = NodeId.of("n1");
        HealthCheck check = builder(rig).build();
        reportsMachine(rig, "new-1");
        assertProblems(run(rig, check), NONE);
        rig.done(rig.claim("a", "n1", SINGLE));
        assertProblems(run(rig, check), NONE);
        reportsMachine(rig, "new-2");
        ServerHealth held = run(rig, check);
        assertProblems(held, HealthProblem.Kind.NODE_REPLACED);
        assertThat(held.problems().get(0).message())
                .isEqualTo("plugin p reports external id new-2 for node n1, and claims of a former one are held:"
                        + " volume default/vol");
        NodeOverride preview = rig.done(rig.host.operator().previewNode(node, NodeStatement.FORMER_MACHINE_LOST));
        rig.done(rig.host.operator().overrideNode(preview, "it was scrapped"));
        assertProblems(run(rig, check), NONE);
    }

    private static void reportsMachine(LifecycleRig rig, String externalNodeId) {
        rig.fingerprint(rig.instance("n1")
                .nodeInfo(new NodeInfo(ExternalNodeId.of(externalNodeId), 0, Optional.empty()))
                .build());
        rig.run();
    }

    @Test
    void callThatWaitsTooLongForPermitOrAnswerIsReportedAsProblem() {
        LifecycleRig rig = LifecycleRig.leading();
        rig.calls(CallSettings.builder().callsInFlight(1));
        AtomicInteger hanging = new AtomicInteger();
        rig.gateway.script = call -> {
            hanging.incrementAndGet();
            return false;
        };
        HealthCheck check = builder(rig).callLimit(Duration.ofSeconds(30)).build();
        var first = rig.host.volumes().create(VOL, LifecycleRig.newSpec().build());
        var second = rig.host
                .volumes()
                .create(
                        io.csi4j.core.id.VolumeKey.of("default", "w"),
                        LifecycleRig.newSpec().build());
        ServerHealth early = run(rig, check);
        assertThat(hanging).hasValue(1);
        assertThat(early.callsInFlight()).isEqualTo(1);
        assertThat(early.waitingCalls()).isEqualTo(1);
        assertProblems(early, NONE);
        rig.clock.advance(Duration.ofSeconds(30));
        ServerHealth late = run(rig, check);
        assertProblems(late, HealthProblem.Kind.CALL_WAITS_LONG, HealthProblem.Kind.CALL_UNANSWERED);
        assertThat(late.problems().get(0).message()).contains("1 calls").contains("plugin p");
        assertThat(late.problems().get(1).message())
                .isEqualTo("1 calls have no answer for longer than 30 s: CreateVolume of plugin p on node n2");
        assertThat(first).isNotDone();
        assertThat(second).isNotDone();
    }

    @Test
    void unreadableStateIsBlockingProblem() {
        class BrokenState implements CommandLog {
            private final CommandLog log;
            private boolean broken;

            BrokenState(CommandLog log) {
                this.log = log;
            }

            @Override
            public CompletableFuture<Outcome> submit(Command command) {
                return log.submit(command);
            }

            @Override
            public ObservableState state() {
                if (broken) {
                    throw new CsiException("the store is closed");
                }
                return log.state();
            }
        }
        BrokenState[] log = new BrokenState[1];
        LifecycleRig rig = LifecycleRig.leading(real -> log[0] = new BrokenState(real));
        HealthCheck check = builder(rig).build();
        log[0].broken = true;
        ServerHealth health = run(rig, check);
        assertThat(health.able()).isFalse();
        assertThat(health.problems()).extracting(HealthProblem::kind).contains(HealthProblem.Kind.STATE_UNREADABLE);
    }

    @Test
    void problemKindsThatBlockWorkAreDeclaredBeforeNonBlockingKinds() {
        boolean before = true;
        for (HealthProblem.Kind kind : HealthProblem.Kind.values()) {
            assertThat(kind.blocking() && !before)
                    .as("no blocking kind after a non-blocking kind: %s", kind)
                    .isFalse();
            before = kind.blocking();
        }
    }

    @Test
    void nonPositiveTimeLimitIsRejected() {
        LifecycleRig rig = LifecycleRig.guarded();
        Environment environment = Environment.of(rig.clock, rig.clock, rig.clock, new Random(1));
        HealthCheck.Builder builder = HealthCheck.builder(rig.host, environment);
        assertThatIllegalArgumentException().isThrownBy(() -> builder.logTimeout(Duration.ZERO));
        assertThatIllegalArgumentException().isThrownBy(() -> builder.reuse(Duration.ofSeconds(-1)));
        assertThatIllegalArgumentException().isThrownBy(() -> builder.releaseLimit(Duration.ZERO));
        assertThatIllegalArgumentException().isThrownBy(() -> builder.claimLimit(Duration.ZERO));
        assertThatIllegalArgumentException().isThrownBy(() -> builder.callLimit(Duration.ZERO));
        assertThatIllegalArgumentException().isThrownBy(() -> builder.nodeLimit(Duration.ZERO));
        assertThat(builder.logTimeout(Duration.ofNanos(1))).isSameAs(builder);
    }
}
