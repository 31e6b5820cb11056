package io.csi4j.core.lifecycle;

import static io.csi4j.core.lifecycle.LifecycleRig.SINGLE;
import static io.csi4j.core.lifecycle.LifecycleRig.VOL;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.state.ObservableState;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.state.StateScope;
import io.csi4j.core.state.VolumeListener;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Claims that wait for one volume do not delay the claims of others. */
class ManyWaitersTest {
    private static final VolumeKey OTHER = VolumeKey.of("default", "other");
    private static final VolumeKey SHARED = VolumeKey.of("elsewhere", "shared");
    private static final NodeId N2 = NodeId.of("n2");
    private static final int MANY = 200;

    /** Counts the snapshots that are taken before the claim of the other volume is submitted. */
    private static final class CountingLog implements CommandLog, ObservableState {
        private final CommandLog log;
        Runnable atNextSnapshot = () -> {};
        int snapshots;
        int untilOther = -1;
        /** The TakeClaims commands that are in flight; null if the log answers at once. */
        @Nullable List<Runnable> held;
        /** Calls the listeners for the allocation of the first waiting request. */
        Consumer<Runnable> firstWaiter = Runnable::run;

        CountingLog(CommandLog log) {
            this.log = log;
        }

        @Override
        public CompletableFuture<Outcome> submit(Command command) {
            if (command instanceof ClaimCommand.TakeClaims take
                    && take.requests().get(0).volume().equals(OTHER)) {
                untilOther = snapshots;
            }
            if (held != null && command instanceof ClaimCommand.TakeClaims) {
                CompletableFuture<Outcome> answer = new CompletableFuture<>();
                held.add(() -> {
                    var unused = log.submit(command).thenAccept(answer::complete);
                });
                return answer;
            }
            return log.submit(command);
        }

        @Override
        public ObservableState state() {
            return this;
        }

        @Override
        public StateReader snapshot() {
            snapshots++;
            Runnable action = atNextSnapshot;
            atNextSnapshot = () -> {};
            action.run();
            return log.state().snapshot();
        }

        @Override
        public CompletableFuture<Long> newerThan(StateScope scope, long index) {
            return log.state().newerThan(scope, index);
        }

        @Override
        public Subscription subscribe(StateScope scope, long index, LongConsumer listener) {
            return log.state()
                    .subscribe(
                            scope,
                            index,
                            scope.equals(StateScope.allocation(AllocationId.of("w0")))
                                    ? changed -> firstWaiter.accept(() -> listener.accept(changed))
                                    : listener);
        }

        @Override
        public Subscription subscribeUnsettled(long index, VolumeListener listener) {
            return log.state().subscribeUnsettled(index, listener);
        }
    }

    @Test
    void claimOfOtherVolumeIsTakenBetweenTheRetriesOfManyWaiters() {
        List<CountingLog> logs = new ArrayList<>();
        LifecycleRig rig = counting(logs);
        rig.volume(VOL).volume(OTHER);
        status(rig, NodeStatus.DOWN);
        List<CompletableFuture<ClaimGrant>> waiting = waiters(rig, MANY);
        rig.allocation("o", "n1");
        List<CompletableFuture<ClaimGrant>> others = new ArrayList<>();
        rig.run();
        CountingLog log = logs.get(0);
        log.snapshots = 0;
        // The claim comes while the first of the waiting requests is retried.
        log.atNextSnapshot = () ->
                others.add(rig.host.claims().claim(AllocationId.of("o"), List.of(LifecycleRig.write(OTHER, SINGLE))));
        status(rig, NodeStatus.READY);
        rig.run();
        rig.done(others.get(0));
        assertThat(log.untilOther).isBetween(1, 100);
        rig.done(waiting.get(0));
        assertThat(rig.done(rig.host.claims().waiting(WaitingQuery.all())).items())
                .hasSize(MANY - 1);
    }

    @Test
    void waitersAreDecidedAgainAfterTheExecutorRejectedOneTask() {
        List<CountingLog> logs = new ArrayList<>();
        LifecycleRig rig = counting(logs).volume(VOL);
        status(rig, NodeStatus.DOWN);
        CompletableFuture<ClaimGrant> waiting = waiters(rig, 1).get(0);
        List<RejectedExecutionException> rejected = new ArrayList<>();
        // The state keeps a listener that has failed.
        logs.get(0).firstWaiter = call -> {
            try {
                rig.withoutThreads(call);
            } catch (RejectedExecutionException e) {
                rejected.add(e);
            }
        };
        rig.allocation("w0", "n2", AllocationStatus.PENDING);
        rig.run();
        assertThat(rejected).hasSize(1);
        logs.get(0).firstWaiter = Runnable::run;
        status(rig, NodeStatus.READY);
        rig.done(waiting);
    }

    @Test
    void costOfGrantDoesNotDependOnNumberOfWaiters() {
        assertThat(snapshotsOfGrant(MANY)).isEqualTo(snapshotsOfGrant(20));
    }

    /** Returns how many snapshots of the state the engine takes from the end of the first allocation to the next grant. */
    private static int snapshotsOfGrant(int waiters) {
        List<CountingLog> logs = new ArrayList<>();
        LifecycleRig rig = counting(logs).volume(VOL);
        rig.done(rig.claim("holder", "n1", SINGLE));
        List<CompletableFuture<ClaimGrant>> waiting = waiters(rig, waiters);
        rig.run();
        CountingLog log = logs.get(0);
        log.snapshots = 0;
        rig.done(rig.host.claims().release(VOL, AllocationId.of("holder")));
        rig.done(waiting.get(0));
        int snapshots = log.snapshots;
        assertThat(rig.done(rig.host.claims().waiting(WaitingQuery.all())).items())
                .hasSize(waiters - 1)
                .filteredOn(claim -> claim.behind().isEmpty())
                .hasSize(1);
        return snapshots;
    }

    @Test
    void allWaitersAreRejectedTogetherOnceNoneCanBeGranted() {
        List<CountingLog> logs = new ArrayList<>();
        LifecycleRig rig = counting(logs);
        share(rig, List.of(Namespace.of("default")));
        rig.allocation("holder", "n1");
        rig.done(claim(rig, "holder"));
        List<CompletableFuture<ClaimGrant>> waiting = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            rig.allocation("w" + i, "n2");
            waiting.add(claim(rig, "w" + i));
        }
        rig.run();
        List<Runnable> held = new ArrayList<>();
        logs.get(0).held = held;
        share(rig, List.of());
        assertThat(held).as("no request waits for the answer to another").hasSize(100);
        held.forEach(Runnable::run);
        rig.run();
        assertThat(waiting).allMatch(CompletableFuture::isCompletedExceptionally);
    }

    private static CompletableFuture<ClaimGrant> claim(LifecycleRig rig, String allocation) {
        return rig.host.claims().claim(AllocationId.of(allocation), List.of(LifecycleRig.write(SHARED, SINGLE)));
    }

    private static void share(LifecycleRig rig, List<Namespace> namespaces) {
        rig.done(rig.host
                .volumes()
                .register(
                        SHARED,
                        LifecycleRig.spec()
                                .externalVolumeId(ExternalVolumeId.of("shared"))
                                .sharedWith(namespaces)
                                .build()));
        rig.run();
    }

    private static void status(LifecycleRig rig, NodeStatus status) {
        rig.done(rig.host.log().submit(new NodeCommand.SetNodeStatus(N2, status, "", rig.clock.instant())));
    }

    private static LifecycleRig counting(List<CountingLog> logs) {
        return LifecycleRig.leading(log -> {
            logs.add(new CountingLog(log));
            return logs.get(0);
        });
    }

    private static List<CompletableFuture<ClaimGrant>> waiters(LifecycleRig rig, int count) {
        List<CompletableFuture<ClaimGrant>> waiting = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            waiting.add(rig.claim("w" + i, "n2", SINGLE));
        }
        return waiting;
    }

    @Test
    void allWaitersAreGrantedInOrder() {
        LifecycleRig rig = LifecycleRig.leading().volume(VOL);
        rig.done(rig.claim("holder", "n1", SINGLE));
        List<CompletableFuture<ClaimGrant>> waiting = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            waiting.add(rig.claim("w" + i, "n1", SINGLE));
        }
        String last = "holder";
        for (int i = 0; i < waiting.size(); i++) {
            assertThat(waiting.subList(i, waiting.size())).noneMatch(CompletableFuture::isDone);
            rig.done(rig.host.claims().release(VOL, AllocationId.of(last)));
            rig.done(waiting.get(i));
            last = "w" + i;
        }
    }
}
