package io.csi4j.core.lifecycle;

import static io.csi4j.core.lifecycle.LifecycleRig.PLUGIN;
import static io.csi4j.core.lifecycle.LifecycleRig.SINGLE;
import static io.csi4j.core.lifecycle.LifecycleRig.VOL;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.lifecycle.internal.LifecycleEngine;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.spi.SecretsProvider;
import io.csi4j.core.spi.SecretsQuery;
import io.csi4j.core.state.ObservableState;
import io.csi4j.core.volume.FencingPolicy;
import io.csi4j.core.volume.Volume;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Ports that take a question and never answer it: they hold nothing for ever, and once they are well all goes on. */
class SilentHostTest {
    private static final AllocationId A = AllocationId.of("a");
    private static final Duration LONG = Duration.ofHours(2);

    private final SilentSecrets secrets = new SilentSecrets();
    private final LifecycleRig rig = LifecycleRig.following();
    private final SilentLog log = new SilentLog(rig.log);
    private final List<NodeId> fenced = new ArrayList<>();
    private final VolumeLifecycle host = lifecycle(builder -> builder);
    private int planned;

    private VolumeLifecycle lifecycle(UnaryOperator<VolumeLifecycleBuilder> more) {
        return more.apply(VolumeLifecycle.builder()
                        .log(log)
                        .gateway(rig.gateway)
                        .environment(rig.clock.environment(new Random(7)))
                        .callbackExecutor(rig.clock)
                        .secrets(secrets)
                        .fencing((node, reason) -> {
                            fenced.add(node);
                            return new CompletableFuture<>();
                        }))
                .build();
    }

    private void lead() {
        rig.volume(VOL);
        host.startLeading();
        rig.clock.run();
        planned = rig.clock.timers();
    }

    private CompletableFuture<ClaimGrant> claim() {
        rig.allocation("a", "n1");
        var grant = host.claims().claim(A, List.of(LifecycleRig.write(VOL, SINGLE)));
        rig.clock.run();
        return grant;
    }

    private void ended() {
        rig.allocation("a", "n1", AllocationStatus.ENDED);
        rig.clock.run();
    }

    private void longTime() {
        rig.clock.advance(LONG);
    }

    /** Nothing is under way, nobody has a turn, and no timer is left but those that there were. */
    private void nothingIsHeld() {
        LifecycleEngine engine = host.engine();
        assertThat(engine.operations().volumeCalls().volumesInFlight()).isZero();
        assertThat(engine.operations().volumeCalls().queues()).isZero();
        assertThat(engine.claims().workers()).isZero();
        assertThat(rig.clock.timers()).isEqualTo(planned);
    }

    @ParameterizedTest
    @EnumSource(
            value = Rpc.class,
            names = {
                "CONTROLLER_PUBLISH_VOLUME",
                "NODE_STAGE_VOLUME",
                "NODE_PUBLISH_VOLUME",
                "CONTROLLER_UNPUBLISH_VOLUME"
            })
    void missingSecretsDoNotBlockVolume(Rpc rpc) {
        lead();
        secrets.silent.add(rpc);
        var grant = claim();
        longTime();
        ended();
        longTime();
        assertThat(secrets.asked).contains(rpc);
        host.stopLeading();
        host.startLeading();
        secrets.silent.clear();
        longTime();
        assertThat(rig.get(VOL).inUse()).isFalse();
        assertThat(grant).isDone();
        nothingIsHeld();
    }

    @Test
    void secretsAreRequestedAgainIfTheyDoNotArrive() {
        lead();
        secrets.silent.add(Rpc.CONTROLLER_PUBLISH_VOLUME);
        var grant = claim();
        rig.clock.advance(Duration.ofSeconds(38));
        assertThat(rig.get(VOL)
                        .attachments()
                        .on(NodeId.of("n1"))
                        .orElseThrow()
                        .retry()
                        .lastError())
                .hasValueSatisfying(reason -> assertThat(reason).contains("did not come within 30 s"));
        secrets.silent.clear();
        longTime();
        assertThat(grant).isCompleted();
        nothingIsHeld();
    }

    @Test
    void secretsThatArriveAfterTimeoutAreNotUsed() {
        lead();
        secrets.silent.add(Rpc.CONTROLLER_PUBLISH_VOLUME);
        var grant = claim();
        rig.clock.advance(Duration.ofSeconds(38));
        secrets.silent.clear();
        longTime();
        assertThat(grant).isCompleted();
        List<Object> sent = rig.gateway.requests(Rpc.CONTROLLER_PUBLISH_VOLUME);
        secrets.unanswered.forEach(late -> late.complete(Secrets.of(Map.of("password", "too late"))));
        longTime();
        assertThat(rig.gateway.requests(Rpc.CONTROLLER_PUBLISH_VOLUME)).isEqualTo(sent);
        nothingIsHeld();
    }

    @ParameterizedTest
    @EnumSource(
            value = Rpc.class,
            names = {"CREATE_VOLUME", "CONTROLLER_EXPAND_VOLUME", "CONTROLLER_MODIFY_VOLUME", "DELETE_VOLUME"})
    void operationWithoutSecretsReportsThem(Rpc rpc) {
        lead();
        VolumeKey made = VolumeKey.of("default", "made");
        if (rpc != Rpc.CREATE_VOLUME) {
            create(made).join();
        }
        secrets.silent.add(rpc);
        var operation = switch (rpc) {
            case CREATE_VOLUME -> create(made);
            case CONTROLLER_EXPAND_VOLUME -> host.volumes().expand(made, CapacityRange.atLeast(1L << 40));
            case CONTROLLER_MODIFY_VOLUME -> host.volumes().modify(made, Map.of("tier", "gold"));
            default -> host.volumes().delete(made);
        };
        longTime();
        assertThat(operation).isCompletedExceptionally();
        secrets.silent.clear();
        longTime();
        var unused = host.volumes().delete(made);
        longTime();
        assertThat(rig.log.snapshot().volume(made)).isEmpty();
        nothingIsHeld();
    }

    private CompletableFuture<Volume> create(VolumeKey key) {
        var created = host.volumes().create(key, LifecycleRig.newSpec().build());
        rig.clock.run();
        return created;
    }

    @Test
    void snapshotCallWhoseSecretsNeverArriveDoesNotBlockNextCall() {
        lead();
        secrets.silent.add(Rpc.DELETE_SNAPSHOT);
        var deleted = host.snapshots().delete(PLUGIN, SnapshotId.of("s"));
        longTime();
        assertThat(deleted).isCompletedExceptionally();
        secrets.silent.clear();
        rig.done(host.snapshots().delete(PLUGIN, SnapshotId.of("s")));
        nothingIsHeld();
    }

    @Test
    void timeoutTimersAreCancelledIfHostAnswersInTime() {
        lead();
        log.slow = true;
        secrets.silent.addAll(EnumSet.allOf(Rpc.class));
        var grant = claim();
        answerAll();
        assertThat(grant).isCompleted();
        ended();
        answerAll();
        assertThat(rig.get(VOL).inUse()).isFalse();
        nothingIsHeld();
    }

    private void answerAll() {
        rig.clock.run();
        while (!log.unanswered.isEmpty() || !secrets.unanswered.isEmpty()) {
            log.answer();
            secrets.answer();
            rig.clock.run();
        }
    }

    /** What becomes of the command that is not answered. */
    enum Silence {
        LOST,
        APPLIED,
        APPLIED_LATE,
        APPLIED_AND_ANSWERED_LATE
    }

    /** Each command of a volume's way from creation to deletion is not answered once. */
    @ParameterizedTest
    @EnumSource(Silence.class)
    void volumeIsCreatedUsedAndDeletedDespiteOneUnansweredCommand(Silence silence) {
        int commands = wayOfAVolume(new SilentHostTest(), -1, silence);
        assertThat(commands).isGreaterThan(10);
        for (int victim = 0; victim < commands; victim++) {
            int unused = wayOfAVolume(new SilentHostTest(), victim, silence);
        }
    }

    private static int wayOfAVolume(SilentHostTest test, int victim, Silence silence) {
        VolumeKey key = VolumeKey.of("default", "made");
        test.lead();
        test.log.victim = victim;
        test.log.silence = silence;
        test.until(() -> test.host.volumes().create(key, LifecycleRig.newSpec().build()));
        test.rig.allocation("a", "n1");
        test.until(() -> test.host.claims().claim(A, List.of(LifecycleRig.write(key, SINGLE))));
        test.until(() -> test.host.volumes().expand(key, CapacityRange.atLeast(1L << 40)));
        test.until(() -> test.host.volumes().modify(key, Map.of("tier", "gold")));
        test.until(() -> test.host.claims().release(key, A));
        test.ended();
        test.longTime();
        assertThat(test.rig.get(key).inUse()).as("after command %s", victim).isFalse();
        test.until(() -> test.rig.log.snapshot().volume(key).isEmpty()
                ? CompletableFuture.completedFuture(null)
                : test.host.volumes().delete(key));
        test.longTime();
        assertThat(test.rig.log.snapshot().volume(key))
                .as("after command %s", victim)
                .isEmpty();
        test.nothingIsHeld();
        assertThat(test.log.unanswered)
                .as("command %s was not answered", victim)
                .hasSize(victim < 0 ? 0 : 1);
        return test.log.submitted;
    }

    /** Repeats what failed because nobody knows what came of a command; it is done after a few times. */
    private void until(Supplier<CompletableFuture<?>> operation) {
        boolean done = false;
        for (int times = 0; !done && times < 3; times++) {
            var result = operation.get();
            longTime();
            assertThat(result).isDone();
            done = !result.isCompletedExceptionally();
        }
        assertThat(done).isTrue();
    }

    @Test
    void claimRequestRepeatedAfterLogTimeoutResultsInOneClaim() {
        lead();
        log.victim = 0;
        log.silence = Silence.APPLIED_AND_ANSWERED_LATE;
        var first = claim();
        rig.clock.advance(Duration.ofSeconds(76));
        assertThat(rig.failed(first, UncertainCommandException.class)).hasMessageContaining("no answer within 1 min");
        var again = claim();
        longTime();
        assertThat(again).isCompleted();
        assertThat(first).isCompletedExceptionally();
        assertThat(rig.get(VOL).claims().size()).isOne();
        assertThat(rig.gateway.requests(Rpc.CONTROLLER_PUBLISH_VOLUME)).hasSize(1);
        ended();
        longTime();
        assertThat(rig.get(VOL).inUse()).isFalse();
        nothingIsHeld();
    }

    @Test
    void retriedDeregistrationDoesNotRemoveVolumeRegisteredMeanwhile() {
        lead();
        log.victim = 0;
        log.silence = Silence.APPLIED;
        var forgotten = host.volumes().deregister(VOL);
        rig.clock.advance(Duration.ofSeconds(5));
        assertThat(forgotten).isNotDone();
        assertThat(rig.log.snapshot().volume(VOL)).isEmpty();
        rig.volume(VOL);
        longTime();
        assertThat(forgotten).isCompleted();
        assertThat(rig.log.snapshot().volume(VOL)).isPresent();
    }

    @Test
    void fenceRequestWithoutAnswerIsSentAgain() {
        rig.volume(VOL);
        host.startLeading();
        VolumeKey key = VolumeKey.of("default", "fenced");
        rig.done(rig.host
                .volumes()
                .create(
                        key,
                        LifecycleRig.newSpec()
                                .fencingPolicy(FencingPolicy.onFence())
                                .build()));
        rig.allocation("a", "n1");
        rig.done(host.claims().claim(A, List.of(LifecycleRig.write(key, SINGLE))));
        rig.ok(new NodeCommand.SetNodeStatus(NodeId.of("n1"), NodeStatus.DOWN, "no heartbeat", rig.clock.instant()));
        ended();
        rig.clock.advance(Duration.ofMinutes(4));
        assertThat(fenced).hasSize(1);
        rig.clock.advance(Duration.ofMinutes(4));
        assertThat(fenced).hasSize(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"CONTROLLER_PUBLISH_VOLUME", "CONTROLLER_UNPUBLISH_VOLUME", "NODE_UNPUBLISH_VOLUME"})
    void callThatNeverEndsDoesNotBlockVolume(Rpc rpc) {
        lead();
        rig.gateway.hang(rpc).hang(rpc);
        var grant = claim();
        longTime();
        assertThat(grant).isCompleted();
        ended();
        longTime();
        assertThat(rig.gateway.requests(rpc)).hasSize(3);
        assertThat(rig.get(VOL).inUse()).isFalse();
        nothingIsHeld();
    }

    /** Secrets of some calls that never come. */
    private static final class SilentSecrets implements SecretsProvider {
        final Set<Rpc> silent = EnumSet.noneOf(Rpc.class);
        final List<Rpc> asked = new ArrayList<>();
        final List<CompletableFuture<Secrets>> unanswered = new ArrayList<>();

        @Override
        public CompletableFuture<Optional<Secrets>> secrets(SecretsQuery query) {
            return secrets(query.rpc()).thenApply(Optional::of);
        }

        private CompletableFuture<Secrets> secrets(Rpc rpc) {
            asked.add(rpc);
            if (!silent.contains(rpc)) {
                return CompletableFuture.completedFuture(Secrets.empty());
            }
            CompletableFuture<Secrets> never = new CompletableFuture<>();
            unanswered.add(never);
            return never;
        }

        void answer() {
            List<CompletableFuture<Secrets>> all = List.copyOf(unanswered);
            unanswered.clear();
            all.forEach(one -> one.complete(Secrets.empty()));
        }
    }

    /** A log that answers one command never, or each of them later. */
    private final class SilentLog implements CommandLog {
        private final HandLog log;
        final List<Runnable> unanswered = new ArrayList<>();
        boolean slow;
        int victim = -1;
        int submitted;
        Silence silence = Silence.LOST;

        SilentLog(HandLog log) {
            this.log = log;
        }

        @Override
        public ObservableState state() {
            return log;
        }

        @Override
        public CompletableFuture<Outcome> submit(Command command) {
            CompletableFuture<Outcome> answer = new CompletableFuture<>();
            if (submitted++ == victim) {
                unanswered.add(() -> {});
                silently(command, answer);
                return answer;
            }
            CompletableFuture<Outcome> done = log.submit(command);
            if (!slow) {
                return done;
            }
            unanswered.add(() -> answer.complete(done.join()));
            return answer;
        }

        private void silently(Command command, CompletableFuture<Outcome> answer) {
            switch (silence) {
                case LOST -> {}
                case APPLIED -> {
                    var unused = log.submit(command);
                }
                case APPLIED_LATE ->
                    later(() -> {
                        var unused = log.submit(command);
                    });
                case APPLIED_AND_ANSWERED_LATE ->
                    later(() -> {
                        var unused = log.submit(command).thenAccept(answer::complete);
                    });
            }
        }

        private void later(Runnable task) {
            var unused = rig.clock.schedule(Duration.ofSeconds(90), task);
        }

        void answer() {
            List<Runnable> all = List.copyOf(unanswered);
            unanswered.clear();
            all.forEach(Runnable::run);
        }
    }
}
