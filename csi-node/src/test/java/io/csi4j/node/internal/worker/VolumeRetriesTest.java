package io.csi4j.node.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.concurrent.Backoff;
import io.csi4j.core.internal.concurrent.HostCallbacks;
import io.csi4j.core.spi.VirtualTime;
import io.csi4j.node.Bench;
import io.csi4j.node.MountPoints;
import io.csi4j.node.MountSecretsProvider;
import io.csi4j.node.MountTable;
import io.csi4j.node.NodeVolumeEvent;
import io.csi4j.node.NodeVolumeListener;
import io.csi4j.node.NodeVolumeOptions;
import io.csi4j.node.PathProbe.Finding;
import io.csi4j.node.PublishTokenProvider;
import io.csi4j.node.internal.ledger.MachineIds;
import io.csi4j.node.internal.ledger.MountTerms;
import io.csi4j.node.internal.ledger.UseEntry;
import io.csi4j.node.internal.ledger.UseId;
import io.csi4j.node.internal.ledger.UsePhase;
import io.csi4j.node.internal.ledger.VolumeEntry;
import io.csi4j.node.internal.ledger.VolumeLedger;
import io.csi4j.node.internal.mount.MountAction;
import io.csi4j.node.internal.mount.MountAction.Await;
import io.csi4j.node.internal.mount.MountAction.Reason;
import io.csi4j.node.internal.mount.NodePaths;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The delays of one worker, whose tasks run when the test says so. */
class VolumeRetriesTest {
    private static final UseId USE = UseId.first(AllocationId.of("a"));
    private static final MountAction UNPUBLISH = new MountAction.Unpublish(USE);
    private static final MountAction UNSTAGE = new MountAction.Unstage();
    private static final Duration FIRST = Duration.ofSeconds(1);
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    @TempDir
    Path temporary;

    private final VirtualTime time = VirtualTime.inOrder();
    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private final List<NodeVolumeEvent> events = new ArrayList<>();
    private NodePorts ports;
    private VolumeRetries retries;
    private UnmountPatience patience;

    @BeforeEach
    void create() throws IOException {
        ports = ports(time, events::add);
        retries = new VolumeRetries(ports, tasks::add);
        patience = new UnmountPatience(ports, tasks::add);
    }

    private NodePorts ports(Executor executor, NodeVolumeListener listener) throws IOException {
        NodeVolumeOptions options = NodeVolumeOptions.builder()
                .firstRetry(FIRST)
                .longestRetry(Duration.ofHours(1))
                .withoutPluginAfter(PATIENCE)
                .build();
        HostCallbacks host = new HostCallbacks(executor, time);
        MountTable table = new MountTable() {
            @Override
            public MountPoints read() {
                return MountPoints.of(List.of());
            }

            @Override
            public Optional<String> bootId() {
                return Optional.empty();
            }
        };
        VolumeLedger ledger = new VolumeLedger() {
            @Override
            public Contents load() {
                return new Contents(List.of(), List.of());
            }

            @Override
            public void save(VolumeEntry entry) {
                throw new AssertionError("unexpected write");
            }

            @Override
            public void remove(VolumeKey key) {
                throw new AssertionError("unexpected write");
            }

            @Override
            public void close() {}
        };
        return new NodePorts(
                new NodePaths(temporary),
                ledger,
                MachineIds.open(temporary.toRealPath().resolve("machine-ids"), false),
                table,
                path -> CompletableFuture.completedFuture(Finding.SOUND),
                target -> CompletableFuture.completedFuture(null),
                (target, wanted, progress) -> CompletableFuture.completedFuture(null),
                id -> Optional.empty(),
                MountSecretsProvider.none(),
                PublishTokenProvider.none(),
                new RepublishLimits(),
                time,
                time,
                executor,
                new Backoff(options.firstRetry(), options.longestRetry(), new Longest()),
                new Reporter(listener, time, executor, host),
                host,
                options);
    }

    /** Returns the largest numbers, and so the longest delays. */
    private static final class Longest implements RandomGenerator {
        @Override
        public long nextLong() {
            return Long.MAX_VALUE;
        }

        @Override
        public long nextLong(long bound) {
            return bound - 1;
        }
    }

    private void runTasks() {
        while (!tasks.isEmpty()) {
            tasks.remove().run();
        }
    }

    /** Lets time pass until the worker has a task, and returns how long that took. */
    private Duration delay() {
        Duration step = Duration.ofMillis(500);
        Duration passed = Duration.ZERO;
        while (tasks.isEmpty()) {
            time.advance(step);
            passed = passed.plus(step);
            assertThat(passed).isLessThan(Duration.ofHours(2));
        }
        return passed;
    }

    @Test
    void failedStepIsDeferredForLongerEachTimeUntilItSucceeds() {
        retries.failed(UNPUBLISH, "first");
        assertThat(retries.deferred()).containsExactly(UNPUBLISH);
        assertThat(delay()).isEqualTo(FIRST);
        assertThat(retries.deferred()).containsExactly(UNPUBLISH);
        runTasks();
        assertThat(retries.deferred()).isEmpty();
        for (int failure = 2; failure <= 8; failure++) {
            retries.failed(UNPUBLISH, "later");
            delay();
            runTasks();
        }
        retries.failed(UNPUBLISH, "last");
        assertThat(delay()).isEqualTo(FIRST.multipliedBy(256));
        runTasks();
        retries.succeeded(UNPUBLISH);
        retries.failed(UNPUBLISH, "again");
        assertThat(delay()).isEqualTo(FIRST);
    }

    @Test
    void lastErrorStaysUntilNoStepFails() {
        assertThat(retries.lastError()).isEmpty();
        retries.failed(UNPUBLISH, "busy");
        retries.failed(UNSTAGE, "refused");
        assertThat(retries.lastError()).isEqualTo("refused");
        retries.succeeded(UNPUBLISH);
        assertThat(retries.lastError()).isEqualTo("refused");
        retries.succeeded(UNSTAGE);
        assertThat(retries.lastError()).isEmpty();
        retries.failed(UNPUBLISH, "busy");
        retries.clear();
        assertThat(retries.deferred()).isEmpty();
        assertThat(retries.lastError()).isEqualTo("busy");
    }

    @Test
    void allStepsWaitAfterFailedWriteForLongerEachTime() {
        assertThat(retries.stalled()).isFalse();
        retries.stall("full");
        assertThat(retries.stalled()).isTrue();
        assertThat(retries.stallReason()).isEqualTo("full");
        assertThat(retries.lastError()).isEqualTo("full");
        assertThat(delay()).isEqualTo(FIRST);
        assertThat(retries.stalled()).isTrue();
        runTasks();
        assertThat(retries.stalled()).isFalse();
        for (int stall = 2; stall <= 8; stall++) {
            retries.stall("full");
            delay();
            runTasks();
        }
        retries.stall("full");
        assertThat(delay()).isEqualTo(FIRST.multipliedBy(256));
        runTasks();
        retries.succeeded(UNPUBLISH);
        retries.stall("full");
        assertThat(delay()).isEqualTo(FIRST);
        runTasks();
        retries.stall("full");
        retries.clear();
        assertThat(retries.stalled()).isFalse();
    }

    @Test
    void laterPlanReplacesEarlierOne() {
        retries.planAgain(Duration.ofSeconds(1));
        retries.planAgain(Duration.ofSeconds(9));
        assertThat(time.timers()).isEqualTo(1);
        assertThat(delay()).isEqualTo(Duration.ofSeconds(9));
    }

    @Test
    void closedWorkerHasNoTimers() {
        retries.failed(UNPUBLISH, "busy");
        retries.stall("full");
        retries.planAgain(Duration.ofSeconds(1));
        patience.failed(UNPUBLISH, failure(StatusCode.INTERNAL));
        assertThat(time.timers()).isEqualTo(4);
        retries.close();
        patience.close();
        assertThat(time.timers()).isZero();
        retries.failed(UNPUBLISH, "busy");
        retries.stall("full");
        retries.planAgain(Duration.ofSeconds(1));
        patience.failed(UNPUBLISH, failure(StatusCode.INTERNAL));
        assertThat(time.timers()).isZero();
    }

    // ---- the patience with a plugin that does not unmount

    private static CsiCallException failure(StatusCode code) {
        Rpc rpc = Rpc.NODE_UNPUBLISH_VOLUME;
        return new CsiCallException(rpc, "p", null, code, CallOutcome.of(rpc, code, false), "failed", null);
    }

    private static VolumeEntry entry(UsePhase phase) {
        UseEntry use = new UseEntry(USE, MountTerms.UNKNOWN, phase, "boot", true);
        return new VolumeEntry(Bench.id("v").volume(), Bench.id("v"), null, List.of(use), false, 0);
    }

    @Test
    void patienceEndsWhenThePluginWasMissingForTheLimit() {
        for (UsePhase phase : List.of(UsePhase.LEAVING, UsePhase.RESETTING)) {
            patience.planned(entry(phase), new Await(Reason.RETRY));
            assertThat(time.timers()).isZero();
            patience.planned(entry(phase), new Await(Reason.PLUGIN));
            time.advance(PATIENCE.minusSeconds(1));
            patience.planned(entry(phase), new Await(Reason.PLUGIN));
            runTasks();
            assertThat(patience.isOver()).isFalse();
            time.advance(Duration.ofSeconds(1));
            runTasks();
            assertThat(patience.isOver()).isTrue();
            patience.planned(entry(phase), new Await(Reason.PLUGIN));
            assertThat(time.timers()).isZero();
            assertThat(patience.isOver()).isTrue();
            patience.planned(entry(UsePhase.PUBLISHED), new Await(Reason.PLUGIN));
            assertThat(patience.isOver()).isFalse();
        }
    }

    @Test
    void onlyRefusedUnmountsCountAndTheTimeStartsAtTheFirst() {
        patience.failed(UNPUBLISH, failure(StatusCode.UNAVAILABLE));
        assertThat(patience.refused()).isEmpty();
        assertThat(time.timers()).isZero();
        patience.failed(UNPUBLISH, failure(StatusCode.INTERNAL));
        time.advance(PATIENCE.dividedBy(2));
        patience.failed(UNSTAGE, failure(StatusCode.INTERNAL));
        assertThat(patience.refused()).containsExactlyInAnyOrder(UNPUBLISH, UNSTAGE);
        patience.failed(UNPUBLISH, failure(StatusCode.DEADLINE_EXCEEDED));
        assertThat(patience.refused()).containsExactly(UNSTAGE);
        time.advance(PATIENCE.dividedBy(2));
        runTasks();
        assertThat(patience.isOver()).isTrue();
        patience.reset();
        assertThat(patience.isOver()).isFalse();
        assertThat(patience.refused()).isEmpty();
    }

    @Test
    void timeThatEndedBeforeResetDoesNotCount() {
        patience.failed(UNPUBLISH, failure(StatusCode.INTERNAL));
        time.advance(PATIENCE);
        patience.reset();
        runTasks();
        assertThat(patience.isOver()).isFalse();
        patience.failed(UNPUBLISH, failure(StatusCode.INTERNAL));
        time.advance(PATIENCE);
        patience.reset();
        patience.failed(UNPUBLISH, failure(StatusCode.INTERNAL));
        runTasks();
        assertThat(patience.isOver()).isFalse();
        time.advance(PATIENCE);
        runTasks();
        assertThat(patience.isOver()).isTrue();
    }

    // ---- the events for the host

    @Test
    void listenerThatDoesNotReturnGetsAtMostTenThousandEventsLater() {
        for (int event = 0; event < 10_005; event++) {
            ports.reporter().report(NodeVolumeEvent.Kind.MOUNTED, null, null, "event " + event);
        }
        time.run();
        assertThat(events).hasSize(10_000);
        assertThat(events.get(9_999).message()).isEqualTo("event 9999");
        assertThat(events.get(0).volume()).isEmpty();
        ports.reporter().report(NodeVolumeEvent.Kind.MOUNTED, Bench.id("v").volume(), USE.allocationId(), "later");
        time.run();
        assertThat(events).hasSize(10_001);
        assertThat(events.get(10_000).volume()).contains(Bench.id("v").volume());
        assertThat(events.get(10_000).allocationId()).contains(USE.allocationId());
    }

    @Test
    void eventsThatTheExecutorRejectsDoNotCount() throws IOException {
        boolean[] rejects = {true};
        Reporter reporter = ports(
                        task -> {
                            if (rejects[0]) {
                                throw new RejectedExecutionException("shut down");
                            }
                            time.execute(task);
                        },
                        events::add)
                .reporter();
        for (int event = 0; event < 10_001; event++) {
            reporter.report(NodeVolumeEvent.Kind.MOUNTED, null, null, "rejected");
        }
        rejects[0] = false;
        reporter.report(NodeVolumeEvent.Kind.MOUNTED, null, null, "accepted");
        time.run();
        assertThat(events).extracting(NodeVolumeEvent::message).contains("accepted");
    }
}
