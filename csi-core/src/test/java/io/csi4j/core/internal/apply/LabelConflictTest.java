package io.csi4j.core.internal.apply;

import static io.csi4j.core.csi.VolumeAccessMode.MULTI_NODE_MULTI_WRITER;
import static io.csi4j.core.internal.apply.Cluster.alloc;
import static io.csi4j.core.internal.apply.Cluster.checkpoint;
import static io.csi4j.core.internal.apply.Cluster.take;
import static io.csi4j.core.internal.apply.Cluster.vol;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.command.AdmissionDecision;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.NeverReason;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.command.WaitReason;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.placement.FeasibleNodes;
import io.csi4j.core.placement.NodeAnswer;
import io.csi4j.core.placement.ProposedPlacement;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.SecurityLabel;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A volume has one security label on a node. Placement and claims must both respect that. */
class LabelConflictTest {
    private static final Namespace NAMESPACE = Namespace.of("default");
    private static final MountOptions NONE = MountOptions.none();
    private static final MountOptions A = NONE.withLabel(new SecurityLabel("u:r:t:s0:c1,c2"));
    private static final MountOptions B = NONE.withLabel(new SecurityLabel("u:r:t:s0:c8,c9"));

    private final Cluster cluster = Cluster.attaching().nodes("n1", "n2").volume("v", MULTI_NODE_MULTI_WRITER);

    private static ClaimRequest request(MountOptions options) {
        return new ClaimRequest(vol("v"), ClaimMode.READ, RequestedCapability.mount(MULTI_NODE_MULTI_WRITER), options);
    }

    private void stages(boolean stages) {
        if (!stages) {
            cluster.fingerprint(
                    "n1",
                    cluster.instance("n1")
                            .capabilities(known -> known.withNode())
                            .build());
        }
    }

    private void held(String allocation, String node, MountOptions options) {
        cluster.allocation(allocation, node);
        cluster.ok(take(allocation, request(options)));
    }

    /** Returns the refusal, which placement and the claim command give alike; empty if the claim was taken. */
    private Optional<AdmissionDecision> decision(String allocation, String node, MountOptions options) {
        NodeAnswer placement =
                FeasibleNodes.in(cluster.state).on(NAMESPACE, NodeId.of(node), List.of(request(options)));
        cluster.allocation(allocation, node);
        if (placement.admitted()) {
            cluster.ok(take(allocation, request(options)));
            return Optional.empty();
        }
        AdmissionDecision refused = cluster.refused(Rejection.NotAdmitted.class, take(allocation, request(options)))
                .decision();
        assertThat(placement.refusals().get(vol("v"))).isEqualTo(refused);
        return Optional.of(refused);
    }

    private static Stream<Arguments> pairs() {
        return Stream.of(NONE, A, B)
                .flatMap(first -> Stream.of(NONE, A, B)
                        .flatMap(second ->
                                Stream.of(Arguments.of(first, second, true), Arguments.of(first, second, false))));
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void onlyEqualLabelsFitOnANodeAndAllOnTwo(MountOptions first, MountOptions second, boolean stages) {
        stages(stages);
        held("a", "n1", first);
        Optional<AdmissionDecision> refused = decision("b", "n1", second);
        assertThat(refused.isEmpty()).isEqualTo(first.equals(second));
        refused.ifPresent(decision -> {
            AdmissionDecision.Wait wait = (AdmissionDecision.Wait) decision;
            assertThat(wait.reason()).isEqualTo(WaitReason.OTHER_MOUNT_OPTIONS_IN_USE);
            assertThat(wait.detail()).contains("another security label").doesNotContain("u:r:t", "allocation a");
            assertThat(wait.holders()).isEmpty();
        });
        assertThat(decision("c", "n2", second)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void claimCountsUntilTheNodeHasUnmountedIt(boolean stages) {
        stages(stages);
        held("a", "n1", A);
        cluster.ok(checkpoint("v", "a", ClaimState.UNPUBLISHING));
        assertThat(decision("b", "n1", B)).as("it may still be mounted").isPresent();
        cluster.ok(checkpoint("v", "a", ClaimState.NODE_DETACHED));
        assertThat(decision("b", "n1", B)).isEmpty();
        assertThat(cluster.claimOf("v", "b").orElseThrow().mountOptions()).isEqualTo(B);
    }

    /** The conflict is the same with any profile, so a changed one makes no placement wrong. */
    @Test
    void profileOfThePluginDoesNotMatter() {
        held("a", "n1", A);
        AdmissionDecision before = decision("b", "n1", B).orElseThrow();
        cluster.ok(new io.csi4j.core.internal.command.PluginProfileCommand.PutPluginProfile(
                io.csi4j.core.plugin.PluginProfile.builder(pluginOf("v"))
                        .securityLabel(true)
                        .build(),
                0,
                java.time.Instant.EPOCH));
        assertThat(decision("b", "n1", B)).contains(before);
        assertThat(decision("c", "n1", A)).isEmpty();
    }

    private PluginId pluginOf(String volume) {
        return cluster.get(volume).pluginId();
    }

    @Test
    void placementRespectsTheLabelOfAnEarlierProposedPlacement() {
        FeasibleNodes plan = FeasibleNodes.in(cluster.state)
                .with(new ProposedPlacement(alloc("a"), NAMESPACE, NodeId.of("n1"), List.of(request(A))));
        assertThat(plan.on(NAMESPACE, NodeId.of("n1"), List.of(request(B))).admitted())
                .isFalse();
        assertThat(plan.on(NAMESPACE, NodeId.of("n1"), List.of(request(A))).admitted())
                .isTrue();
        assertThat(plan.on(NAMESPACE, NodeId.of("n2"), List.of(request(B))).admitted())
                .isTrue();
    }

    @Test
    void flagThatSetsAContextIsRefused() {
        AdmissionDecision refused = decision(
                        "a", "n1", MountOptions.of("", "context=x").withLabel(new SecurityLabel("u:r:t:s0")))
                .orElseThrow();
        assertThat(((AdmissionDecision.Never) refused).reason()).isEqualTo(NeverReason.PLUGIN_CANNOT);
        assertThat(((AdmissionDecision.Never) refused).detail()).contains("leave one of them out");
        assertThat(decision("b", "n1", MountOptions.of("", "context=x"))).isEmpty();
    }

    @Test
    void repeatedClaimWithAnotherLabelIsRejected() {
        held("a", "n1", A);
        for (MountOptions other : List.of(NONE, B)) {
            AdmissionDecision refused = cluster.refused(Rejection.NotAdmitted.class, take("a", request(other)))
                    .decision();
            assertThat(((AdmissionDecision.Never) refused).reason()).isEqualTo(NeverReason.CLAIMED_DIFFERENTLY);
        }
    }
}
