package io.csi4j.core.internal.plan;

import static io.csi4j.core.internal.plan.Sample.N1;
import static io.csi4j.core.internal.plan.Sample.N2;
import static io.csi4j.core.internal.plan.Sample.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.cluster.Node;
import io.csi4j.core.cluster.NodeLedger;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.internal.plan.Sample.Situation;
import io.csi4j.core.plugin.ControllerNeed;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.Expansion;
import io.csi4j.core.volume.FencingPolicy;
import io.csi4j.core.volume.FirstClaim;
import io.csi4j.core.volume.Modification;
import io.csi4j.core.volume.RemainingWork;
import io.csi4j.core.volume.Retry;
import io.csi4j.core.volume.Verification;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Every state of a volume on one and on two nodes, with every fact that matters. */
class VolumePlanTest {
    private static final List<InFlightSnapshot> CALLS = List.of(
            InFlightSnapshot.none(),
            new InFlightSnapshot(true, Set.of(), Set.of()),
            new InFlightSnapshot(false, Set.of(N1), Set.of()),
            new InFlightSnapshot(false, Set.of(), Set.of(N1)));

    private static final List<Verification> VERIFICATIONS = List.of(
            Verification.asked(7),
            Verification.confirmed(7, NOW),
            new Verification(7, Verification.Stage.LOST, 2, Retry.none(), Optional.of(NOW)));

    private final Set<RemainingWork.Kind> observed = new HashSet<>();
    private final Set<RemainingWork.Reason> reasons = EnumSet.noneOf(RemainingWork.Reason.class);
    private final Set<TransitionReason> reason = EnumSet.noneOf(TransitionReason.class);
    private long states;

    @Test
    void plansForAllVolumeStatesOnOneNodeObeyRules() {
        for (Situation situation : Sample.situations()) {
            oneNode(VolumePhase.AVAILABLE, situation);
        }
        for (VolumePhase phase : List.of(VolumePhase.CREATING, VolumePhase.DELETING)) {
            oneNode(phase, Sample.situations().get(1));
            oneNode(phase, Sample.situations().get(12));
        }
        for (int situation : List.of(0, 1, 6, 12)) {
            requests(Sample.situations().get(situation));
        }
        unused();
        verifications();
        verificationsInUse();
        assertThat(states).isGreaterThan(1_000_000);
        assertThat(observed)
                .as("every kind of action is planned in some situation")
                .containsExactlyInAnyOrder(RemainingWork.Kind.values());
        assertThat(reasons).containsExactlyInAnyOrder(RemainingWork.Reason.values());
        assertThat(reason).containsExactlyInAnyOrder(TransitionReason.values());
    }

    private void oneNode(VolumePhase phase, Situation situation) {
        List<PlanFacts> facts = facts(situation);
        for (Optional<Claim> a : Sample.claims("a", N1, true)) {
            for (Optional<Claim> b : a.isEmpty() ? List.of(a) : Sample.claims("b", N1, true)) {
                for (Optional<Attachment> attachment : Sample.attachments(N1, true)) {
                    Volume volume = Sample.volume(phase, situation.policy(), List.of(a, b), List.of(attachment));
                    facts.forEach(known -> check(volume, known));
                }
            }
        }
    }

    /** Volumes that are made for a claim, and that no claim has taken yet. */
    private void unused() {
        for (VolumePhase phase : VolumePhase.values()) {
            Volume volume = Sample.volume(phase, Sample.situations().get(0).policy(), List.of(), List.of());
            for (boolean kept : new boolean[] {false, true}) {
                Volume made = volume.toBuilder()
                        .firstClaim(new FirstClaim(AllocationId.of("a"), N1, List.of(volume.key()), kept))
                        .build();
                for (Duration elapsed : List.of(Duration.ZERO, VolumePlan.UNUSED.minusMillis(1), VolumePlan.UNUSED)) {
                    for (InFlightSnapshot calls : CALLS) {
                        check(
                                made,
                                PlanFacts.builder(NOW)
                                        .calls(calls)
                                        .controllerAvailable(true)
                                        .unusedFor(() -> elapsed)
                                        .build());
                    }
                }
            }
        }
    }

    /** Volumes of a restored state, which have to be verified or requested again. */
    private void verifications() {
        for (VolumePhase phase : VolumePhase.values()) {
            Volume volume = Sample.volume(phase, Sample.situations().get(0).policy(), List.of(), List.of());
            for (Verification known : VERIFICATIONS) {
                for (InFlightSnapshot calls : CALLS) {
                    for (boolean available : new boolean[] {false, true}) {
                        check(
                                volume.toBuilder().verification(known).build(),
                                PlanFacts.builder(NOW)
                                        .calls(calls)
                                        .controllerAvailable(available)
                                        .notVerified(() -> known.stage() == Verification.Stage.ASKED)
                                        .build());
                    }
                }
            }
        }
    }

    /** Volumes of a restored state that the backup has in use. */
    private void verificationsInUse() {
        for (Situation situation : Sample.situations()) {
            List<PlanFacts> facts = facts(situation);
            for (Optional<Claim> claim : Sample.claims("a", N1, false)) {
                for (Optional<Attachment> attachment : Sample.attachments(N1, false)) {
                    Volume volume = Sample.volume(
                            VolumePhase.AVAILABLE, situation.policy(), List.of(claim), List.of(attachment));
                    for (Verification verification : VERIFICATIONS) {
                        Volume restored =
                                volume.toBuilder().verification(verification).build();
                        facts.forEach(known -> check(restored, known));
                    }
                }
            }
        }
    }

    /** What is wished for a volume, beside claims and attachments that matter to it. */
    private void requests(Situation situation) {
        List<PlanFacts> facts = requestFacts(situation);
        List<Optional<Claim>> claims = Sample.claims("a", N1, false);
        for (Optional<Claim> a : claims) {
            for (Optional<Claim> b : List.of(Optional.<Claim>empty(), Optional.of(Sample.taken("b", N1)))) {
                for (Optional<Attachment> attachment : Sample.attachments(N1, false)) {
                    Volume volume = Sample.volume(
                            VolumePhase.AVAILABLE, situation.policy(), List.of(a, b), List.of(attachment));
                    for (Optional<Expansion> growing : Sample.expansions()) {
                        for (Optional<Modification> changing : Sample.modifications()) {
                            Volume requested = volume.toBuilder()
                                    .expansion(growing.orElse(null))
                                    .modification(changing.orElse(null))
                                    .build();
                            facts.forEach(known -> check(requested, known));
                        }
                    }
                }
            }
        }
    }

    private static List<PlanFacts> requestFacts(Situation situation) {
        List<PlanFacts> all = new ArrayList<>();
        Optional<Node> node = situation.node(N1);
        for (InFlightSnapshot calls : CALLS) {
            for (ControllerNeed expansion : ControllerNeed.values()) {
                for (boolean flag : new boolean[] {false, true}) {
                    PlanFacts.Builder known = PlanFacts.builder(NOW)
                            .inStatus(Sample.since(NOW))
                            .controllerNeed(ControllerNeed.REQUIRED)
                            .expansion(expansion, flag)
                            .nodes(id -> node)
                            .calls(calls);
                    all.add(known.controllerAvailable(true).build());
                    all.add(known.controllerAvailable(flag).sweep(true).build());
                }
            }
        }
        return all;
    }

    /** Returns the node as it is after the restore of a state, until it has said what it has mounted. */
    private static Node unreported(Node node) {
        return node.status().lost() ? node : node.withLedger(NodeLedger.missingSince(5), 5);
    }

    private static List<PlanFacts> facts(Situation situation) {
        List<PlanFacts> all = new ArrayList<>();
        Optional<Node> node = situation.node(N1);
        for (InFlightSnapshot calls : CALLS) {
            for (ControllerNeed need : ControllerNeed.values()) {
                for (int sweep = 0; sweep < 3; sweep++) {
                    boolean ended = sweep == 2;
                    PlanFacts.Builder known = PlanFacts.builder(NOW)
                            .inStatus(Sample.since(NOW))
                            .controllerNeed(need)
                            .controllerAvailable(true)
                            .nodes(id -> node)
                            .ended(id -> ended)
                            .calls(calls)
                            .fenceRequested(situation.asked() ? Set.of(N1) : Set.of())
                            .sweep(sweep > 0);
                    all.add(known.build());
                    all.add(known.providerConflict(id -> true).build());
                    known.providerConflict(id -> false);
                    if (need == ControllerNeed.NOT_REQUIRED) {
                        all.add(known.controllerOffers(rpc -> true).build());
                    }
                    if (need == ControllerNeed.REQUIRED) {
                        all.add(known.source(true).build());
                        all.add(known.source(false).controllerAvailable(false).build());
                        all.add(known.controllerAvailable(true)
                                .nodes(id -> node.map(VolumePlanTest::unreported))
                                .ledgersUnsettled(() -> true)
                                .build());
                    }
                }
            }
        }
        return all;
    }

    @Test
    void plansForAllVolumeStatesOnTwoNodesObeyRules() {
        List<PlanFacts> facts = twoNodes();
        FencingPolicy policy = FencingPolicy.waitForConfirmation();
        for (Optional<Claim> a : Sample.claims("a", N1, false)) {
            for (Optional<Claim> b : Sample.claims("b", N2, false)) {
                for (Optional<Attachment> first : Sample.attachments(N1, false)) {
                    for (Optional<Attachment> second : Sample.attachments(N2, false)) {
                        Volume volume =
                                Sample.volume(VolumePhase.AVAILABLE, policy, List.of(a, b), List.of(first, second));
                        facts.forEach(known -> check(volume, known));
                    }
                }
            }
        }
        assertThat(states).isGreaterThan(200_000);
    }

    private static List<PlanFacts> twoNodes() {
        List<PlanFacts> all = new ArrayList<>();
        List<Situation> situations = Sample.situations();
        for (Situation one : List.of(situations.get(1), situations.get(7), situations.get(12))) {
            for (Situation other : List.of(situations.get(0), situations.get(1), situations.get(12))) {
                for (InFlightSnapshot calls : CALLS) {
                    for (int max = 1; max < 3; max++) {
                        all.add(PlanFacts.builder(NOW)
                                .inStatus(Sample.since(NOW))
                                .controllerNeed(ControllerNeed.REQUIRED)
                                .controllerAvailable(true)
                                .nodes(id -> (id.equals(N1) ? one : other).node(id))
                                .calls(calls)
                                .maxControllerCalls(max)
                                .build());
                    }
                }
            }
        }
        return all;
    }

    private void check(Volume volume, PlanFacts facts) {
        Plan plan = VolumePlan.of(volume, facts);
        states++;
        Optional<String> broken = PlanRules.broken(volume, facts, plan);
        if (broken.isPresent()) {
            assertThat(broken)
                    .as("%s %s of %s with %s", plan, volume.claims().holders(), volume, facts.calls())
                    .isEmpty();
        }
        for (PlannedStep step : plan.actions()) {
            observed.add(step.kind());
            if (step.kind() == RemainingWork.Kind.CHECKPOINT_CLAIM) {
                reason.add(step.reason());
            }
        }
        for (RemainingWork.Wait wait : plan.waits()) {
            reasons.add(wait.reason());
        }
    }
}
