package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.spi.CallEvent;
import io.csi4j.core.spi.EventListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The attempts of a detach are counted. */
class DetachAttemptsTest {
    @Test
    void retriedDetachIsReportedWithAttemptNumberTwo() {
        VolumeRig rig = VolumeRig.started();
        List<Integer> attempts = new ArrayList<>();
        rig.listener = new EventListener() {
            @Override
            public void callFinished(CallEvent event) {
                if (event.rpc() == Rpc.NODE_UNPUBLISH_VOLUME) {
                    attempts.add(event.attempt());
                }
            }
        };
        VolumeLifecycle engine = rig.engine();
        engine.startLeading();
        rig.done(engine.volumes().create(VolumeRig.VOL, VolumeRig.spec().build()));
        rig.allocation("a", "n1", AllocationStatus.RUNNING);
        rig.done(engine.claims()
                .claim(AllocationId.of("a"), List.of(LifecycleRig.write(VolumeRig.VOL, LifecycleRig.SHARED))));
        rig.gateway.fail(Rpc.NODE_UNPUBLISH_VOLUME, StatusCode.UNAVAILABLE);
        rig.done(engine.claims().release(VolumeRig.VOL, AllocationId.of("a")));
        rig.clock.advance(Duration.ofMinutes(5));
        assertThat(attempts).containsExactly(1, 2);
    }
}
