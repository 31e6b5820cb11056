package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.csi.AccessMode;
import io.csi4j.core.state.StateReader;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** When a rack is lost a hundred thousand calls wait for their place. What each of them keeps has to be little. */
class WaitingCallsTest {
    private static final int VOLUMES = 40;

    @Test
    void callsWaitingForPermitKeepNoStateSnapshotInMemory() {
        ClaimRig rig = ClaimRig.with("n1");
        rig.gateway.script = call -> false;
        List<WeakReference<StateReader>> states = new ArrayList<>();
        List<CompletableFuture<ClaimGrant>> grants = new ArrayList<>();
        for (int i = 0; i < VOLUMES; i++) {
            String volume = "v" + i;
            rig.volume(volume, AccessMode.SINGLE_NODE_WRITER);
            grants.add(rig.claim("a" + i, "n1", ClaimRig.write(volume, AccessMode.SINGLE_NODE_WRITER)));
            states.add(new WeakReference<>(rig.log.snapshot()));
        }
        assertThat(rig.gateway.open).as("calls that were sent").hasSizeBetween(1, VOLUMES / 2);
        rig.volume("another", AccessMode.SINGLE_NODE_WRITER);

        assertThat(alive(states)).isZero();
        assertThat(grants).noneMatch(CompletableFuture::isDone);

        // They know all they need.
        rig.gateway.script = call -> {
            call.succeed();
            return true;
        };
        while (!rig.gateway.open.isEmpty()) {
            rig.gateway.open.remove(0).succeed();
            rig.run();
        }
        assertThat(grants).allMatch(grant -> grant.isDone() && !grant.isCompletedExceptionally());
    }

    /** How many the collector does not get, however often it is asked. */
    private static long alive(List<WeakReference<StateReader>> states) {
        long alive = states.size();
        for (int i = 0; i < 20 && alive > 0; i++) {
            System.gc();
            alive = states.stream().filter(state -> state.get() != null).count();
        }
        return alive;
    }
}
