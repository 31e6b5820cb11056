package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.state.StateReader;
import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import javax.management.JMException;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;

/** When a rack is lost a hundred thousand calls wait for their place. What each of them keeps has to be little. */
class WaitingCallsTest {
    private static final int VOLUMES = 40;

    @Test
    void callsWaitingForPermitKeepNoStateSnapshotInMemory() throws JMException {
        ClaimRig rig = ClaimRig.with("n1");
        rig.gateway.script = call -> false;
        List<WeakReference<StateReader>> states = new ArrayList<>();
        List<CompletableFuture<ClaimGrant>> grants = new ArrayList<>();
        for (int i = 0; i < VOLUMES; i++) {
            String volume = "v" + i;
            rig.volume(volume, VolumeAccessMode.SINGLE_NODE_WRITER);
            grants.add(rig.claim("a" + i, "n1", ClaimRig.write(volume, VolumeAccessMode.SINGLE_NODE_WRITER)));
            states.add(new WeakReference<>(rig.log.snapshot()));
        }
        assertThat(rig.gateway.open).as("calls that were sent").hasSizeBetween(1, VOLUMES / 2);
        rig.volume("another", VolumeAccessMode.SINGLE_NODE_WRITER);

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

    /**
     * Returns how many objects are still reachable. The histogram of the virtual machine counts only reachable objects,
     * so it collects all others first, whatever the options of the machine say of {@link System#gc}.
     */
    private static long alive(List<WeakReference<StateReader>> states) throws JMException {
        ManagementFactory.getPlatformMBeanServer()
                .invoke(
                        new ObjectName("com.sun.management:type=DiagnosticCommand"),
                        "gcClassHistogram",
                        new Object[] {new String[0]},
                        new String[] {String[].class.getName()});
        return states.stream().filter(state -> state.get() != null).count();
    }
}
