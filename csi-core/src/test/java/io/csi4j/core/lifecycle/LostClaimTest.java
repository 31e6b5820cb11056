package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimState;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The failure of a claim that is taken and then lost names the reason. */
class LostClaimTest {
    private final LifecycleRig rig = LifecycleRig.leading().volume(LifecycleRig.VOL);

    private Optional<ClaimState> claim(String allocation) {
        return rig.get(LifecycleRig.VOL)
                .claims()
                .get(AllocationId.of(allocation))
                .map(Claim::state);
    }

    private void refused(CompletableFuture<ClaimGrant> grant) {
        assertThat(rig.failed(grant, CsiCallException.class).code()).isEqualTo(StatusCode.INVALID_ARGUMENT);
    }

    /** A claim whose publish was refused; the log shows that, and has not answered yet. */
    private CompletableFuture<ClaimGrant> refusedAndVisible() {
        rig.gateway.leaveOpen();
        CompletableFuture<ClaimGrant> grant = rig.claim("a", "n1", LifecycleRig.SHARED);
        rig.log.fate = HandLog.Fate.NOT_DURABLE;
        rig.gateway.only().fail(StatusCode.INVALID_ARGUMENT);
        rig.run();
        rig.log.fate = HandLog.Fate.APPLIED;
        rig.gateway.answer();
        assertThat(claim("a")).contains(ClaimState.UNPUBLISHING);
        assertThat(grant).isNotDone();
        return grant;
    }

    @Test
    void claimFailsWithPluginRefusalIfPlanRunsBeforeCallEnds() {
        CompletableFuture<ClaimGrant> grant = refusedAndVisible();
        rig.withFastThreads(() -> rig.log.notDurable.remove(0).run());
        refused(grant);
    }

    @Test
    void claimFailsWithPluginRefusalIfPlanRunsAfterCallEnds() {
        CompletableFuture<ClaimGrant> grant = refusedAndVisible();
        rig.log.notDurable.remove(0).run();
        refused(grant);
    }

    @Test
    void claimFailsWithPluginRefusalIfRefusalArrivesBeforeCommandLogResponse() {
        rig.gateway.leaveOpen();
        CompletableFuture<ClaimGrant> first = rig.claim("a", "n1", LifecycleRig.SHARED);
        rig.allocation("b", "n1");
        rig.log.fate = HandLog.Fate.NOT_DURABLE;
        CompletableFuture<ClaimGrant> second = rig.host
                .claims()
                .claim(AllocationId.of("b"), List.of(LifecycleRig.write(LifecycleRig.VOL, LifecycleRig.SHARED)));
        rig.run();
        rig.log.fate = HandLog.Fate.APPLIED;
        HandCall publish = rig.gateway.only();
        rig.gateway.answer();
        publish.fail(StatusCode.INVALID_ARGUMENT);
        refused(first);
        assertThat(claim("b")).contains(ClaimState.UNPUBLISHING);
        assertThat(second).isNotDone();
        List.copyOf(rig.log.notDurable).forEach(Runnable::run);
        refused(second);
    }

    @Test
    void pluginRefusalOfEarlierClaimDoesNotFailLaterClaim() {
        CompletableFuture<ClaimGrant> first = refusedAndVisible();
        CompletableFuture<ClaimGrant> second = rig.host
                .claims()
                .claim(AllocationId.of("a"), List.of(LifecycleRig.write(LifecycleRig.VOL, LifecycleRig.SHARED)));
        rig.gateway.hang(Rpc.CONTROLLER_PUBLISH_VOLUME);
        rig.log.notDurable.remove(0).run();
        refused(first);
        rig.clock.advance(Duration.ofMinutes(1));
        assertThat(claim("a")).contains(ClaimState.TAKEN);
        assertThat(second).isNotDone();
        rig.done(rig.host.operator().overrideClaim(LifecycleRig.VOL, AllocationId.of("a"), "pulled"));
        rig.failed(second, ClaimLostException.class);
    }

    @Test
    void claimReleasedDuringPublishFailsWithClaimLostException() {
        VolumeRig late = VolumeRig.started();
        CompletableFuture<Secrets> secrets = new CompletableFuture<>();
        late.secrets = query -> query.rpc() == Rpc.NODE_STAGE_VOLUME
                ? secrets.thenApply(Optional::of)
                : CompletableFuture.completedFuture(Optional.of(Secrets.empty()));
        VolumeLifecycle engine = late.engine();
        engine.startLeading();
        late.done(engine.volumes().create(VolumeRig.VOL, VolumeRig.spec().build()));
        late.allocation("a", "n1", AllocationStatus.RUNNING);
        ClaimRequest request = LifecycleRig.write(VolumeRig.VOL, LifecycleRig.SHARED);
        CompletableFuture<ClaimGrant> grant = engine.claims().claim(AllocationId.of("a"), List.of(request));
        late.run();
        assertThat(late.gateway.rpcs()).contains(Rpc.CONTROLLER_PUBLISH_VOLUME);
        late.done(engine.claims().release(VolumeRig.VOL, AllocationId.of("a")));
        secrets.complete(Secrets.empty());
        assertThat(late.failed(grant, ClaimLostException.class))
                .hasMessageContaining("before it was granted")
                .hasMessageNotContaining("published");
    }
}
