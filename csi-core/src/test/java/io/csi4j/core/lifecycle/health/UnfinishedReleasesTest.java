package io.csi4j.core.lifecycle.health;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.apply.NaiveState;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.AttachmentState;
import io.csi4j.core.volume.Attachments;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.Claims;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeSpec;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class UnfinishedReleasesTest {
    private static final RequestedCapability USE = RequestedCapability.mount(VolumeAccessMode.MULTI_NODE_MULTI_WRITER);
    private static final VolumeKey V = VolumeKey.of("ns", "v");
    private static final NodeId N1 = NodeId.of("n1");
    private static final NodeId N2 = NodeId.of("n2");
    private static final Instant EARLY = Instant.ofEpochSecond(10);
    private static final Instant LATE = Instant.ofEpochSecond(20);

    private final NaiveState state = new NaiveState();
    private final UnfinishedReleases releases = new UnfinishedReleases();

    private void volume(VolumeKey key, List<Claim> claims, Attachment... attachments) {
        VolumeSpec spec = VolumeSpec.builder(PluginId.of("p"))
                .requestedCapabilities(List.of(USE))
                .build();
        state.putVolume(Volume.builder(key, spec, 1, Instant.EPOCH)
                .claims(Claims.of(claims))
                .attachments(Attachments.of(List.of(attachments)))
                .build());
    }

    private static Claim claim(String allocation, NodeId node, ClaimState claimState, long createIndex) {
        return Claim.builder(AllocationId.of(allocation), node, ClaimMode.WRITE, USE)
                .state(claimState)
                .createIndex(createIndex)
                .build();
    }

    private static Attachment attachment(NodeId node, AttachmentState attachmentState) {
        return Attachment.builder(node, USE)
                .state(attachmentState)
                .createIndex(3)
                .build();
    }

    private static Release release(VolumeKey volume, NodeId node, String allocation, Instant since) {
        return new Release(volume, node, Optional.of(allocation).map(AllocationId::of), 0, since);
    }

    @Test
    void claimThatIsHeldIsNoReleaseAndEachOtherIs() {
        volume(
                V,
                List.of(claim("held", N1, ClaimState.TAKEN, 2), claim("ended", N1, ClaimState.UNPUBLISHING, 2)),
                attachment(N1, AttachmentState.PUBLISHED));
        assertThat(releases.update(state, EARLY)).containsExactly(release(V, N1, "ended", EARLY));
    }

    @Test
    void attachmentIsAReleaseOnlyIfItIsDetachedWithoutAClaim() {
        volume(
                V,
                List.of(claim("ended", N1, ClaimState.NODE_DETACHED, 2)),
                attachment(N1, AttachmentState.UNPUBLISHING),
                attachment(N2, AttachmentState.UNPUBLISHING));
        assertThat(releases.update(state, EARLY))
                .containsExactlyInAnyOrder(
                        release(V, N1, "ended", EARLY), new Release(V, N2, Optional.empty(), 0, EARLY));
        volume(V, List.of(), attachment(N2, AttachmentState.PUBLISHED));
        assertThat(releases.update(state, EARLY)).isEmpty();
    }

    @Test
    void ageCountsFromTheFirstTimeAndTheOldestReleaseIsFirst() {
        VolumeKey later = VolumeKey.of("ns", "a-first-by-name");
        volume(V, List.of(claim("a", N1, ClaimState.UNPUBLISHING, 2)), attachment(N2, AttachmentState.UNPUBLISHING));
        assertThat(releases.update(state, EARLY)).hasSize(2);
        volume(later, List.of(claim("b", N1, ClaimState.UNPUBLISHING, 2)));
        assertThat(releases.update(state, LATE))
                .containsExactly(
                        release(V, N1, "a", EARLY),
                        new Release(V, N2, Optional.empty(), 0, EARLY),
                        release(later, N1, "b", LATE));
    }

    @Test
    void ageOfANewClaimOfTheSameAllocationCountsAnew() {
        volume(V, List.of(claim("a", N1, ClaimState.UNPUBLISHING, 2)));
        assertThat(releases.update(state, EARLY)).hasSize(1);
        volume(V, List.of(claim("a", N1, ClaimState.UNPUBLISHING, 5)));
        assertThat(releases.update(state, LATE)).containsExactly(release(V, N1, "a", LATE));
    }

    @Test
    void ageOfAReleaseThatWasFinishedMeanwhileCountsAnew() {
        volume(V, List.of(claim("a", N1, ClaimState.UNPUBLISHING, 2)));
        assertThat(releases.update(state, EARLY)).hasSize(1);
        state.removeVolume(V);
        assertThat(releases.update(state, EARLY)).isEmpty();
        volume(V, List.of(claim("a", N1, ClaimState.UNPUBLISHING, 2)));
        assertThat(releases.update(state, LATE)).containsExactly(release(V, N1, "a", LATE));
    }
}
