package io.csi4j.simulation.internal.world;

import static io.csi4j.simulation.internal.world.PlacedWorld.AT;
import static io.csi4j.simulation.internal.world.PlacedWorld.key;
import static io.csi4j.simulation.internal.world.PlacedWorld.take;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.command.AdmissionDecision;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.TopologyRequirement;
import io.csi4j.core.csi.VolumeExpansion;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.internal.command.ChangeCommand;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.placement.FeasibleNodes;
import io.csi4j.core.placement.NodeAnswer;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumeSpec;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Each check of decisions and records finds what is wrong for it, and no other check reports it. */
class DecisionChecksTest {
    private static final Outcome ACCEPTED = new Outcome.Accepted(true, List.of());

    private final PlacedWorld placed = new PlacedWorld(VolumeExpansion.ONLINE);
    private StateReader free;
    private StateReader taken;

    @BeforeEach
    void freeAndTakenVolume() {
        placed.volume("v");
        placed.allocation("a");
        placed.allocation("b");
        free = placed.world.store().snapshot();
        placed.ok(take("v", "b"));
        taken = placed.world.store().snapshot();
    }

    @AfterEach
    void close() {
        placed.close();
    }

    private NodeAnswer answer() {
        return FeasibleNodes.in(taken)
                .on(
                        Namespace.of(SimVolumes.NAMESPACE),
                        PlacedWorld.N1,
                        take("v", "a").requests());
    }

    private Outcome rightRefusal() {
        return placed.world.store().apply(take("v", "a"));
    }

    @Test
    void findsNothingInRightDecisions() {
        AdmissionCheck.checkDecision(placed.world, take("v", "a"), free, ACCEPTED);
        AdmissionCheck.checkDecision(placed.world, take("v", "a"), taken, rightRefusal());
        assertThat(placed.world.violations()).isEmpty();
    }

    @Test
    void findsClaimsThatPlacementRefuses() {
        AdmissionCheck.checkDecision(placed.world, take("v", "a"), taken, ACCEPTED);
        placed.found("I12: " + answer() + " and the claims of a ended with " + ACCEPTED);
    }

    @Test
    void findsRefusalForAnotherReason() {
        AdmissionDecision.Wait right = (AdmissionDecision.Wait)
                ((Rejection.NotAdmitted) ((Outcome.Rejected) rightRefusal()).reason()).decision();
        AdmissionDecision other = new AdmissionDecision.Wait(right.reason(), List.of(), "");
        assertThat(other).isNotEqualTo(right);
        Rejection refused = new Rejection.NotAdmitted(key("v"), AllocationId.of("a"), other);
        AdmissionCheck.checkDecision(placed.world, take("v", "a"), taken, new Outcome.Rejected(refused));
        placed.found("I12: " + answer() + " and the claims ended with " + refused);
    }

    @Test
    void findsEffectOfRequestThatIsNotStoredAnyMore() {
        ClaimCommand.TakeClaims late =
                new ClaimCommand.TakeClaims(AllocationId.of("a"), take("v", "a").requests(), 99, AT);
        AdmissionCheck.checkDecision(placed.world, late, free, new Outcome.Accepted(false, List.of()));
        assertThat(placed.world.violations()).isEmpty();
        Outcome effect = new Outcome.Accepted(true, List.of());
        AdmissionCheck.checkDecision(placed.world, late, free, effect);
        placed.found("I12: a request of a that is not stored any more ended with " + effect);
    }

    @Test
    void findsClaimOutOfReach() {
        placed.world
                .topology()
                .put(
                        placed.row("v").remoteId(),
                        Optional.of(TopologyRequirement.requisite(Topology.of("zone", "elsewhere"))));
        AdmissionCheck.checkDecision(placed.world, take("v", "a"), free, ACCEPTED);
        placed.found("R24: vol-v is claimed by a, out of reach of n1");
    }

    @Test
    void findsRefusalOfVolumeInReach() {
        VolumeSpec spec = VolumeSpec.builder(SimVolumes.ATTACHING)
                .externalVolumeId(placed.world.addVolume(key("w")))
                .requestedCapabilities(List.of(PlacedWorld.MOUNT))
                .build();
        ProviderFacts facts = ProviderFacts.builder()
                .accessibleTopology(List.of(Topology.of("zone", "elsewhere")))
                .build();
        placed.ok(new VolumeCommand.RegisterVolume(key("w"), spec, VolumeOrigin.REGISTERED, facts, AT));
        StateReader before = placed.world.store().snapshot();
        Outcome refused = placed.world.store().apply(take("w", "a"));
        AdmissionCheck.checkDecision(placed.world, take("w", "a"), before, refused);
        placed.found("R24: default/w is reported out of reach of n1");
    }

    @Test
    void findsModificationThatTheProviderDoesNotHave() {
        Map<String, String> fast = Map.of("tier", "fast");
        placed.ok(new ChangeCommand.BeginModification(key("v"), fast, AT));
        StateReader before = placed.world.store().snapshot();
        long request = placed.row("v").modification().orElseThrow().index();
        ChangeCommand.RecordModified recorded =
                new ChangeCommand.RecordModified(key("v"), placed.row("v").createIndex(), request, fast, AT);
        placed.ok(recorded);
        new ChangeChecks(placed.world)
                .accepted(recorded, before, placed.world.store().snapshot());
        placed.found("R74: default/v is recorded to have tier=fast, and the provider has null");
    }
}
