package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.StatusCode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

/** The host's executor rejects a plan, for example because its queue is full. */
class RejectedPlanTest {
    @Test
    void volumeIsPlannedAgainAfterTheExecutorRejectedOnePlan() {
        LifecycleRig rig = LifecycleRig.leading().volume(LifecycleRig.VOL);
        rig.gateway.leaveOpen();
        CompletableFuture<ClaimGrant> grant = rig.claim("a", "n1", LifecycleRig.SHARED);
        rig.run();
        HandCall publish = rig.gateway.only();
        rig.gateway.answer();
        publish.fail(StatusCode.ABORTED);
        rig.run();
        assertThat(grant).isNotDone();
        List<RejectedExecutionException> rejected = new ArrayList<>();
        rig.withoutThreads(() -> {
            try {
                rig.clock.advance(Duration.ofMinutes(1)); // the end of the backoff
            } catch (RejectedExecutionException e) {
                rejected.add(e);
            }
        });
        assertThat(rejected).hasSize(1);
        rig.clock.advance(Duration.ofMinutes(20)); // a scan
        rig.done(grant);
    }
}
