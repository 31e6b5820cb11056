package io.csi4j.core.lifecycle.internal.change;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.apply.NaiveState;
import io.csi4j.core.internal.command.CallTarget;
import io.csi4j.core.lifecycle.ExpandResult;
import io.csi4j.core.spi.NodeExpansion;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.Claims;
import io.csi4j.core.volume.Expansion;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Retry;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeSpec;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The part of an expansion that the nodes do, for the claims of one volume. */
class NodePartsTest {
    private static final VolumeKey KEY = VolumeKey.of("ns", "v");
    private static final CapacityRange RANGE = CapacityRange.atLeast(200);
    private static final Claim A = claim("a", 11).build();
    private static final Claim B = claim("b", 12).build();

    private final NaiveState state = new NaiveState();
    private final NodeParts parts = new NodeParts(KEY, RANGE);

    private static Claim.Builder claim(String allocation, long createIndex) {
        return Claim.builder(
                        AllocationId.of(allocation),
                        NodeId.of("n-" + allocation),
                        ClaimMode.WRITE,
                        RequestedCapability.mount(VolumeAccessMode.MULTI_NODE_MULTI_WRITER))
                .createIndex(createIndex);
    }

    private Volume row(@Nullable Expansion expansion, Claim... claims) {
        Volume row = row(1, expansion, claims);
        state.putVolume(row);
        return row;
    }

    private static Volume row(long createIndex, @Nullable Expansion expansion, Claim... claims) {
        VolumeSpec spec = VolumeSpec.builder(PluginId.of("p"))
                .requestedCapabilities(List.of(RequestedCapability.mount(VolumeAccessMode.MULTI_NODE_MULTI_WRITER)))
                .build();
        return Volume.builder(KEY, spec, createIndex, Instant.EPOCH)
                .expansion(expansion)
                .claims(Claims.of(List.of(claims)))
                .build();
    }

    private static Expansion onNodes() {
        return Expansion.to(RANGE).grown();
    }

    private static Expansion.OnNode done(Claim claim, long capacity) {
        return new Expansion.OnNode(claim.createIndex(), true, capacity, Retry.none());
    }

    private static Expansion.OnNode failed(Claim claim, Retry retry) {
        return new Expansion.OnNode(claim.createIndex(), false, 0, retry);
    }

    private static ExpandResult.NodePart part(Claim claim, long capacity) {
        return new ExpandResult.NodePart(claim.allocationId(), claim.nodeId(), capacity, Optional.empty());
    }

    private static ExpandResult.NodePart part(Claim claim, String error) {
        return new ExpandResult.NodePart(claim.allocationId(), claim.nodeId(), 0, Optional.of(error));
    }

    private static CallTarget call(Claim claim) {
        return new CallTarget.OfNodeExpansion(claim.allocationId(), claim.createIndex(), RANGE);
    }

    @Test
    void resultHasTheSizeOfEachNodeThatStillHadToExpand() {
        assertThat(parts.in(state)).as("the controller has not expanded it").isEmpty();
        assertThat(parts.unfinished(state, "late")).isEmpty();
        parts.selectClaims(row(onNodes().onNode(A, done(A, 210)), A, B));
        assertThat(parts.in(state)).as("the node of b has not answered").isEmpty();
        assertThat(parts.unfinished(state, "late")).containsExactly(part(A, 210), part(B, "late"));

        row(onNodes().onNode(A, done(A, 210)).onNode(B, failed(B, Retry.of(1, "down", Instant.EPOCH))), A, B);
        assertThat(parts.in(state)).as("it tries again").isEmpty();
        row(onNodes().onNode(A, done(A, 210)).onNode(B, failed(B, Retry.of(1, "no resize2fs", null))), A, B);
        assertThat(parts.in(state)).contains(List.of(part(A, 210), part(B, "no resize2fs")));
        row(null, A, B);
        assertThat(parts.in(state)).as("all nodes are done").contains(List.of(part(A, 0), part(B, 0)));
    }

    @Test
    void claimsWithoutAPartInThisExpansionAreLeftOut() {
        Claim ending = claim("b", 12).state(ClaimState.UNPUBLISHING).build();
        parts.selectClaims(row(onNodes(), A, ending));
        row(null, A, ending);
        assertThat(parts.in(state)).contains(List.of(part(A, 0)));

        NodeParts ofAnother = new NodeParts(KEY, CapacityRange.atLeast(300));
        ofAnother.selectClaims(row(onNodes(), A, B));
        assertThat(ofAnother.in(state)).contains(List.of());
    }

    @Test
    void answerOfACallCountsBeforeTheRowAndNotBeforeItsEnd() {
        parts.begin(call(A));
        parts.begin(call(B));
        parts.end(call(B), new NodeExpansion(222));
        parts.selectClaims(row(null, A, B));
        assertThat(parts.in(state)).as("the call for a is in flight").isEmpty();
        parts.end(call(A), null);
        assertThat(parts.in(state)).contains(List.of(part(A, 0), part(B, 222)));
    }

    @Test
    void nodeOfAReleasedClaimIsReportedAsNotExpanded() {
        parts.selectClaims(row(onNodes(), A, B));
        String released = " released volume ns/v before its node expanded it: nothing is left to do there";
        row(onNodes().onNode(A, done(A, 210)), A, claim("b", 15).build());
        assertThat(parts.in(state))
                .as("a newer claim of the allocation is another one")
                .contains(List.of(part(A, 210), part(B, "allocation b" + released)));

        state.putVolume(row(2, onNodes().onNode(A, done(A, 210)), A, B));
        assertThat(parts.in(state))
                .as("another volume has the key")
                .contains(List.of(part(A, "allocation a" + released), part(B, "allocation b" + released)));
    }
}
