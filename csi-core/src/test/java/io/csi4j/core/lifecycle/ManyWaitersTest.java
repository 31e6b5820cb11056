package io.csi4j.core.lifecycle;

import static io.csi4j.core.lifecycle.LifecycleRig.SINGLE;
import static io.csi4j.core.lifecycle.LifecycleRig.VOL;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.state.ObservableState;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.state.StateScope;
import io.csi4j.core.state.VolumeListener;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.Test;

/** Claims that wait for one volume do not delay the claims of others. */
class ManyWaitersTest {
    private static final VolumeKey OTHER = VolumeKey.of("default", "other");
    private static final int MANY = 500;

    /** Counts the snapshots that are taken before the claim of the other volume is submitted. */
    private static final class CountingLog implements CommandLog, ObservableState {
        private final CommandLog log;
        Runnable atNextSnapshot = () -> {};
        int snapshots;
        int untilOther = -1;

        CountingLog(CommandLog log) {
            this.log = log;
        }

        @Override
        public CompletableFuture<Outcome> submit(Command command) {
            if (command instanceof ClaimCommand.TakeClaims take
                    && take.requests().get(0).volume().equals(OTHER)) {
                untilOther = snapshots;
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
            return log.state().subscribe(scope, index, listener);
        }

        @Override
        public Subscription subscribeUnsettled(long index, VolumeListener listener) {
            return log.state().subscribeUnsettled(index, listener);
        }
    }

    @Test
    void claimOfOtherVolumeIsTakenBetweenTheRetriesOfManyWaiters() {
        List<CountingLog> logs = new ArrayList<>();
        LifecycleRig rig = LifecycleRig.leading(log -> {
            logs.add(new CountingLog(log));
            return logs.get(0);
        });
        CountingLog log = logs.get(0);
        rig.volume(VOL).volume(OTHER);
        rig.done(rig.claim("holder", "n1", SINGLE));
        List<CompletableFuture<ClaimGrant>> waiting = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            waiting.add(rig.claim("w" + i, "n2", SINGLE));
        }
        rig.allocation("o", "n1");
        List<CompletableFuture<ClaimGrant>> others = new ArrayList<>();
        rig.run();
        log.snapshots = 0;
        // The claim comes while the first of the waiting requests is retried.
        log.atNextSnapshot = () ->
                others.add(rig.host.claims().claim(AllocationId.of("o"), List.of(LifecycleRig.write(OTHER, SINGLE))));
        assertThat(waiting.get(0).cancel(false)).isTrue();
        rig.run();
        rig.done(others.get(0));
        assertThat(log.untilOther).isBetween(1, 100);
        assertThat(rig.done(rig.host.claims().waiting())).hasSize(MANY - 1);
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
