package io.csi4j.core.internal.plan;

import static io.csi4j.core.internal.plan.Sample.LATER;
import static io.csi4j.core.internal.plan.Sample.N1;
import static io.csi4j.core.internal.plan.Sample.N2;
import static io.csi4j.core.internal.plan.Sample.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.plugin.ControllerNeed;
import io.csi4j.core.volume.AttachmentState;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.Expansion;
import io.csi4j.core.volume.FencingPolicy;
import io.csi4j.core.volume.Modification;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.RemainingWork;
import io.csi4j.core.volume.RemainingWork.Kind;
import io.csi4j.core.volume.RemainingWork.Reason;
import io.csi4j.core.volume.Retry;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The calls about a volume itself, and the limit of its controller calls. */
class OwnCallsOfVolumeTest {
    private static final FencingPolicy WAIT = FencingPolicy.waitForConfirmation();
    private static final Retry BACKOFF = Retry.of(1, "failed", LATER);

    private static Volume volume(VolumePhase phase) {
        return Sample.volume(phase, WAIT, List.of(), List.of());
    }

    private static Volume changing(Retry ofExpansion) {
        Expansion expansion = new Expansion(
                CapacityRange.atLeast(200), Expansion.Stage.CONTROLLER, ofExpansion, Collections.emptySortedMap());
        Modification modification = Modification.of(Map.of("tier", "gold"), 5);
        return volume(VolumePhase.AVAILABLE).toBuilder()
                .expansion(expansion)
                .modification(modification)
                .build();
    }

    /** Returns a volume that is to be published to two nodes. */
    private static Volume publishing() {
        return Sample.volume(
                VolumePhase.AVAILABLE,
                WAIT,
                List.of(Optional.of(Sample.taken("a", N1)), Optional.of(Sample.taken("b", N2))),
                List.of(
                        Optional.of(Sample.attachment(N1, AttachmentState.PUBLISHING, false, false, true)),
                        Optional.of(Sample.attachment(N2, AttachmentState.PUBLISHING, false, false, true))));
    }

    private static PlanFacts.Builder facts() {
        return PlanFacts.builder(NOW)
                .controllerNeed(ControllerNeed.REQUIRED)
                .expansion(ControllerNeed.REQUIRED, false)
                .controllerAvailable(true)
                .nodes(id -> Optional.of(Sample.node(id, NodeStatus.READY, NOW)));
    }

    private static Plan plan(Volume volume, PlanFacts.Builder facts) {
        return VolumePlan.of(volume, facts.build());
    }

    private static List<Kind> calls(Plan plan) {
        return plan.calls().stream().map(PlannedStep::kind).toList();
    }

    private static List<Reason> waits(Plan plan) {
        return plan.waits().stream().map(RemainingWork.Wait::reason).toList();
    }

    @Test
    void creationAndDeletionNeedControllerThatOffersThatCall() {
        Plan create = plan(volume(VolumePhase.CREATING), facts().controllerAvailable(Rpc.CREATE_VOLUME::equals));
        assertThat(calls(create)).containsExactly(Kind.CREATE_VOLUME);
        Plan delete = plan(volume(VolumePhase.DELETING), facts().controllerAvailable(Rpc.DELETE_VOLUME::equals));
        assertThat(calls(delete)).containsExactly(Kind.DELETE_VOLUME);
        Plan deletesOnly = plan(volume(VolumePhase.CREATING), facts().controllerAvailable(Rpc.DELETE_VOLUME::equals));
        assertThat(calls(deletesOnly)).isEmpty();
        assertThat(waits(deletesOnly)).containsExactly(Reason.NO_HEALTHY_CONTROLLER);
    }

    @Test
    void idOfVolumeToDeleteIsAskedForAlsoWhileANodeMayUseItWithoutClaim() {
        Volume unknown = volume(VolumePhase.DELETING);
        assertThat(unknown.externalVolumeId()).isEmpty();
        assertThat(calls(plan(unknown, facts().ledgersUnsettled(() -> true))))
                .as("without the id, no use of a node can become a claim")
                .containsExactly(Kind.DELETE_VOLUME);
    }

    @Test
    void deletionWaitsForNodeThatMayUseVolumeWithoutClaim() {
        Volume known = volume(VolumePhase.DELETING).toBuilder()
                .facts(ProviderFacts.builder()
                        .externalVolumeId(ExternalVolumeId.of("known"))
                        .build())
                .build();
        Plan plan = plan(known, facts().ledgersUnsettled(() -> true));
        assertThat(calls(plan)).isEmpty();
        assertThat(waits(plan)).containsExactly(Reason.LEDGER_NOT_KNOWN);
        assertThat(calls(plan(volume(VolumePhase.CREATING), facts().ledgersUnsettled(() -> true))))
                .as("no node uses a volume that is not created yet")
                .containsExactly(Kind.CREATE_VOLUME);
    }

    @Test
    void expansionOfUnusedVolumesOnlyWaitsForNodeThatMayUseVolumeWithoutClaim() {
        Volume volume = changing(Retry.none()).toBuilder().modification(null).build();
        Plan offline =
                plan(volume, facts().expansion(ControllerNeed.REQUIRED, true).ledgersUnsettled(() -> true));
        assertThat(calls(offline)).isEmpty();
        assertThat(waits(offline)).containsExactly(Reason.LEDGER_NOT_KNOWN);
        assertThat(calls(plan(volume, facts().ledgersUnsettled(() -> true))))
                .as("of a plugin that also expands used volumes")
                .containsExactly(Kind.EXPAND_VOLUME);
        assertThat(calls(plan(volume, facts().expansion(ControllerNeed.REQUIRED, true))))
                .containsExactly(Kind.EXPAND_VOLUME);
    }

    @Test
    void modificationFollowsExpansionAndIsMadeWhileExpansionCannotBe() {
        assertThat(calls(plan(changing(Retry.none()), facts()))).containsExactly(Kind.EXPAND_VOLUME);
        Plan later = plan(changing(BACKOFF), facts());
        assertThat(calls(later)).containsExactly(Kind.MODIFY_VOLUME);
        assertThat(waits(later)).containsExactly(Reason.RETRY_LATER);
    }

    /** R26. */
    @Test
    void callAboutVolumeRunsAlone() {
        for (InFlightSnapshot inFlight : List.of(
                new InFlightSnapshot(true, Set.of(), Set.of()), new InFlightSnapshot(false, Set.of(N1), Set.of()))) {
            Plan busy = plan(volume(VolumePhase.DELETING), facts().calls(inFlight));
            assertThat(calls(busy)).isEmpty();
            assertThat(waits(busy)).containsExactly(Reason.CALL_IN_FLIGHT);
        }
        Volume both = publishing().toBuilder()
                .expansion(Expansion.to(CapacityRange.atLeast(200)))
                .build();
        Plan plan = plan(both, facts().maxControllerCalls(5));
        assertThat(calls(plan)).containsExactly(Kind.EXPAND_VOLUME);
        assertThat(waits(plan)).containsExactly(Reason.CALL_IN_FLIGHT, Reason.CALL_IN_FLIGHT);
    }

    /** R26. */
    @Test
    void asManyControllerCallsAsPluginAllowsRunAtSameTime() {
        assertThat(calls(plan(publishing(), facts()))).containsExactly(Kind.CONTROLLER_PUBLISH);
        assertThat(waits(plan(publishing(), facts()))).containsExactly(Reason.CALL_IN_FLIGHT);
        assertThat(calls(plan(publishing(), facts().maxControllerCalls(2))))
                .containsExactly(Kind.CONTROLLER_PUBLISH, Kind.CONTROLLER_PUBLISH);
        InFlightSnapshot other = new InFlightSnapshot(false, Set.of(NodeId.of("n3"), NodeId.of("n4")), Set.of());
        assertThat(calls(plan(publishing(), facts().maxControllerCalls(3).calls(other))))
                .as("two of three calls are in flight")
                .containsExactly(Kind.CONTROLLER_PUBLISH);
        assertThat(calls(plan(publishing(), facts().maxControllerCalls(2).calls(other))))
                .isEmpty();
    }

    @Test
    void planWakesAtFirstOfItsTimes() {
        Volume volume = Sample.volume(
                VolumePhase.AVAILABLE,
                WAIT,
                List.of(
                        Optional.of(releasing("a", Retry.of(1, "failed", NOW.plusSeconds(20)))),
                        Optional.of(releasing("b", Retry.of(1, "failed", NOW.plusSeconds(10)))),
                        Optional.of(releasing("c", Retry.of(1, "failed", NOW.plusSeconds(30))))),
                List.of());
        Plan plan = plan(volume, facts());
        assertThat(waits(plan)).containsOnly(Reason.RETRY_LATER).hasSize(3);
        assertThat(plan.wakeAt()).contains(NOW.plusSeconds(10));
    }

    private static Claim releasing(String allocation, Retry retry) {
        return Sample.claim(allocation, N1, ClaimState.UNPUBLISHING, false, false).toBuilder()
                .retry(retry)
                .build();
    }

    @Test
    void planWithoutFactsMakesNoCallAndEndsNoClaim() {
        PlanFacts.Builder unknown = PlanFacts.builder(NOW).sweep(true);
        assertThat(waits(plan(volume(VolumePhase.CREATING), unknown))).containsExactly(Reason.NO_HEALTHY_CONTROLLER);
        Plan held = plan(
                Sample.volume(VolumePhase.AVAILABLE, WAIT, List.of(Optional.of(Sample.taken("a", N1))), List.of()),
                unknown.nodes(id -> Optional.of(Sample.node(id, NodeStatus.READY, NOW))));
        assertThat(held.idle()).isTrue();
        assertThat(calls(plan(volume(VolumePhase.DELETING), unknown.controllerAvailable(true))))
                .as("a volume from which no other is created")
                .containsExactly(Kind.DELETE_VOLUME);
    }
}
