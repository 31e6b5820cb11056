package io.csi4j.core.lifecycle.internal.step;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.apply.NaiveState;
import io.csi4j.core.volume.Attempt;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.Claims;
import io.csi4j.core.volume.Expansion;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Retry;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.VolumeSpec;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When the call that was planned for a node may still be sent. */
class NodeExpandStepTest {
    private static final RequestedCapability USE = RequestedCapability.mount(VolumeAccessMode.MULTI_NODE_MULTI_WRITER);
    private static final CapacityRange RANGE = CapacityRange.atLeast(10);
    private static final Retry FAILED_ONCE = Retry.none().plus(Attempt.failed("it hangs", Instant.EPOCH));

    private final Claim claim = Claim.builder(AllocationId.of("a"), NodeId.of("n1"), ClaimMode.WRITE, USE)
            .createIndex(3)
            .build();
    private final Expansion expansion =
            Expansion.to(RANGE).grown().onNode(claim, new Expansion.OnNode(3, false, 0, FAILED_ONCE));
    private final Volume planned = volume(1).build();
    private final NodeExpandStep step = new NodeExpandStep(null, planned, claim);

    private Volume.Builder volume(long createIndex) {
        VolumeSpec spec = VolumeSpec.builder(PluginId.of("p"))
                .requestedCapabilities(List.of(USE))
                .build();
        return Volume.builder(VolumeKey.of("ns", "v"), spec, createIndex, Instant.EPOCH)
                .claims(Claims.empty().with(claim))
                .expansion(expansion);
    }

    private boolean mayBeSent(Volume.Builder now) {
        NaiveState state = new NaiveState();
        state.putVolume(now.build());
        return step.current(state).isPresent();
    }

    @Test
    void callMayBeSentWhileTheVolumeHasItsIntent() {
        assertThat(mayBeSent(volume(1))).isTrue();
        assertThat(step.current(new NaiveState())).as("the volume is gone").isEmpty();
        assertThat(mayBeSent(volume(2))).as("another volume has the key").isFalse();
        assertThat(mayBeSent(volume(1).phase(VolumePhase.DELETING))).isFalse();
    }

    @Test
    void callIsNotSentForAnotherClaimOrAClaimThatIsReleased() {
        assertThat(mayBeSent(volume(1).claims(Claims.empty()))).isFalse();
        assertThat(mayBeSent(volume(1)
                        .claims(Claims.empty()
                                .with(claim.toBuilder().createIndex(9).build()))))
                .isFalse();
        assertThat(mayBeSent(volume(1)
                        .claims(Claims.empty()
                                .with(claim.toBuilder()
                                        .state(ClaimState.UNPUBLISHING)
                                        .build()))))
                .isFalse();
    }

    @Test
    void callIsNotSentForAnotherExpansionOrAFinishedOne() {
        assertThat(mayBeSent(volume(1).expansion(null))).isFalse();
        assertThat(mayBeSent(volume(1)
                        .expansion(Expansion.to(CapacityRange.atLeast(20)).grown())))
                .isFalse();
        assertThat(mayBeSent(volume(1).expansion(Expansion.to(RANGE))))
                .as("the controller has not expanded it yet")
                .isFalse();
        assertThat(mayBeSent(
                        volume(1).expansion(expansion.onNode(claim, new Expansion.OnNode(3, true, 10, Retry.none())))))
                .as("the node has done it")
                .isFalse();
    }

    @Test
    void attemptsOfTheNodeAreCounted() {
        assertThat(step.attempt(planned)).isEqualTo(2);
        Volume first = volume(1).expansion(Expansion.to(RANGE).grown()).build();
        assertThat(new NodeExpandStep(null, first, claim).attempt(first)).isEqualTo(1);
    }
}
