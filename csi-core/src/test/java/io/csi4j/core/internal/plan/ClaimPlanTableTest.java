package io.csi4j.core.internal.plan;

import static io.csi4j.core.internal.plan.Sample.N1;
import static io.csi4j.core.internal.plan.Sample.NOW;
import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.internal.plan.Sample.Situation;
import io.csi4j.core.plugin.ControllerNeed;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.AttachmentState;
import io.csi4j.core.volume.Attempt;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.Expansion;
import io.csi4j.core.volume.FencingPolicy;
import io.csi4j.core.volume.Modification;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Keeps docs/claim-plan.md as the planner decides. {@code -Dcsi4j.docs.write=true} writes it anew. */
class ClaimPlanTableTest {
    private static final Path PAGE = Path.of("..", "docs", "claim-plan.md");
    private static final Situation READY = Sample.situations().get(1);

    private final StringBuilder page = new StringBuilder();

    @Test
    void documentedTableEqualsDecisionsOfPlanner() throws IOException {
        head();
        nodeStep();
        attachments();
        ends();
        phases();
        requests();
        if (Boolean.getBoolean("csi4j.docs.write")) {
            Files.writeString(PAGE, page);
        }
        assertThat(Files.readString(PAGE))
                .as("docs/claim-plan.md is out of date; write it with -Dcsi4j.docs.write=true and check the change")
                .isEqualTo(page.toString());
    }

    private void head() {
        page.append("""
                # Decisions of the planner

                `ClaimPlanTableTest` writes this page from the planner; do not edit it. To write it again:
                `mvn -pl csi-core -Dtest=ClaimPlanTableTest -Dcsi4j.docs.write=true test`.

                Each cell has the steps that the engine can take now, and in italics the reasons of waits. In all tables, no
                call is in flight, no retry is scheduled, and the controller is required and healthy, except where a row or
                column says otherwise.
                """);
    }

    private void table(String title, String first, List<String> columns) {
        page.append("\n## ").append(title).append("\n\n| ").append(first).append(" | ");
        page.append(String.join(" | ", columns))
                .append(" |\n|")
                .append("---|".repeat(columns.size() + 1))
                .append('\n');
    }

    private void row(String name, Stream<Plan> plans) {
        page.append("| ").append(name).append(" | ");
        page.append(plans.map(ClaimPlanTableTest::cell).collect(joining(" | "))).append(" |\n");
    }

    private static String cell(Plan plan) {
        String done = plan.actions().stream().map(ClaimPlanTableTest::text).collect(joining("; "));
        String waited = plan.waits().stream()
                .map(wait -> "*" + words(wait.reason()) + "*")
                .distinct()
                .collect(joining(", "));
        return plan.idle() ? "-" : done + (done.isEmpty() || waited.isEmpty() ? "" : "; ") + waited;
    }

    private static String words(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    private static String text(PlannedStep step) {
        return switch (step.kind()) {
            case CHECKPOINT_CLAIM -> "**" + step.state() + "** (" + words(step.reason()) + ")";
            case REMOVE_ATTACHMENT -> "**RemoveAttachment** (" + words(step.reason()) + ")";
            default ->
                Stream.of(step.kind().name().split("_", -1))
                        .map(word -> word.charAt(0) + word.substring(1).toLowerCase(Locale.ROOT))
                        .collect(joining("", "**", "**"));
        };
    }

    private static Claim claim(ClaimState state, boolean overridden) {
        return Sample.claim("a", N1, state, overridden, false);
    }

    private static Optional<Attachment> attachment(AttachmentState state) {
        return Optional.of(Sample.attachment(N1, state, false, false, true));
    }

    private static Plan plan(Situation situation, List<Claim> claims, Optional<Attachment> attached) {
        return plan(situation, claims, attached, ControllerNeed.REQUIRED, true);
    }

    private static Plan plan(
            Situation situation,
            List<Claim> claims,
            Optional<Attachment> attached,
            ControllerNeed need,
            boolean available) {
        return plan(
                situation, claims, attached, facts -> facts.controllerNeed(need).controllerAvailable(available));
    }

    private static Plan plan(
            Situation situation,
            List<Claim> claims,
            Optional<Attachment> attached,
            UnaryOperator<PlanFacts.Builder> plugin) {
        Volume volume = Sample.volume(
                VolumePhase.AVAILABLE,
                situation.policy(),
                claims.stream().map(Optional::of).toList(),
                List.of(attached));
        return VolumePlan.of(
                volume,
                plugin.apply(PlanFacts.builder(NOW))
                        .inStatus(Sample.since(NOW))
                        .nodes(situation::node)
                        .fenceRequested(situation.asked() ? java.util.Set.of(N1) : java.util.Set.of())
                        .build());
    }

    private void nodeStep() {
        table(
                "A claim in release, by the status of its node (the volume is attached there)",
                "node",
                List.of("UNPUBLISHING", "UNPUBLISHING, overridden", "NODE_DETACHED"));
        for (Situation situation : Sample.situations()) {
            row(
                    situation.name(),
                    Stream.of(
                                    claim(ClaimState.UNPUBLISHING, false),
                                    claim(ClaimState.UNPUBLISHING, true),
                                    claim(ClaimState.NODE_DETACHED, false))
                            .map(c -> plan(situation, List.of(c), attachment(AttachmentState.PUBLISHED))));
        }
        row(
                "READY, another driver runs there",
                Stream.of(
                                claim(ClaimState.UNPUBLISHING, false),
                                claim(ClaimState.UNPUBLISHING, true),
                                claim(ClaimState.NODE_DETACHED, false))
                        .map(c -> plan(
                                READY,
                                List.of(c),
                                attachment(AttachmentState.PUBLISHED),
                                facts -> facts.controllerNeed(ControllerNeed.REQUIRED)
                                        .controllerAvailable(true)
                                        .providerConflict(id -> true))));
    }

    private void attachments() {
        table(
                "An attachment, by the claims on its node and the state of the plugin",
                "claims, plugin",
                Stream.of(AttachmentState.values()).map(Enum::name).toList());
        List<List<Claim>> claims = List.of(
                List.of(),
                List.of(claim(ClaimState.TAKEN, false)),
                List.of(claim(ClaimState.UNPUBLISHING, false)),
                List.of(claim(ClaimState.NODE_DETACHED, false)),
                List.of(claim(ClaimState.NODE_DETACHED, false), Sample.claim("b", N1, ClaimState.TAKEN, false, false)),
                List.of(
                        claim(ClaimState.NODE_DETACHED, false),
                        Sample.claim("b", N1, ClaimState.UNPUBLISHING, false, false)));
        for (List<Claim> there : claims) {
            String name = there.isEmpty()
                    ? "no claim"
                    : there.stream().map(c -> c.state().name()).collect(joining(" and "));
            row(name, attachmentStates(there, ControllerNeed.REQUIRED, true));
        }
        for (List<Claim> there : List.of(claims.get(1), claims.get(3))) {
            String state = there.get(0).state() + ", ";
            row(state + "no healthy controller", attachmentStates(there, ControllerNeed.REQUIRED, false));
            row(state + "need of a controller not known", attachmentStates(there, ControllerNeed.UNKNOWN, true));
            row(state + "plugin no longer attaches", attachmentStates(there, ControllerNeed.NOT_REQUIRED, true));
            row(
                    state + "plugin no longer attaches, but an instance does",
                    Stream.of(AttachmentState.values())
                            .map(s -> plan(
                                    READY,
                                    there,
                                    attachment(s),
                                    facts -> facts.controllerNeed(ControllerNeed.NOT_REQUIRED)
                                            .controllerAvailable(true)
                                            .controllerOffers(rpc -> true))));
        }
    }

    private static Stream<Plan> attachmentStates(List<Claim> claims, ControllerNeed need, boolean available) {
        return Stream.of(AttachmentState.values()).map(s -> plan(READY, claims, attachment(s), need, available));
    }

    private void ends() {
        table(
                "The end of a claim, by the attachment and other claims on its node",
                "attachment, need of a controller, other claim",
                List.of("NODE_DETACHED", "READY_TO_FREE"));
        for (ControllerNeed need : ControllerNeed.values()) {
            row("none, " + need + ", none", lastSteps(Optional.empty(), need, List.of()));
        }
        for (ClaimState other : ClaimState.values()) {
            Claim beside = Sample.claim("b", N1, other, false, false);
            row(
                    "PUBLISHED, REQUIRED, " + other,
                    lastSteps(attachment(AttachmentState.PUBLISHED), ControllerNeed.REQUIRED, List.of(beside)));
        }
    }

    private static Stream<Plan> lastSteps(Optional<Attachment> attached, ControllerNeed need, List<Claim> others) {
        return Stream.of(ClaimState.NODE_DETACHED, ClaimState.READY_TO_FREE).map(state -> {
            List<Claim> claims = new ArrayList<>(others);
            claims.add(claim(state, false));
            return plan(READY, claims, attached, need, true);
        });
    }

    private void phases() {
        table(
                "Creation and deletion",
                "phase",
                List.of("not in use", "claimed", "no healthy controller", "another volume is being created from it"));
        for (VolumePhase phase : VolumePhase.values()) {
            Volume free = Sample.volume(phase, FencingPolicy.waitForConfirmation(), List.of(), List.of());
            Volume used = Sample.volume(
                    phase,
                    FencingPolicy.waitForConfirmation(),
                    List.of(Optional.of(claim(ClaimState.TAKEN, false))),
                    List.of());
            row(
                    phase.name(),
                    Stream.of(
                            phasePlan(free, true, false),
                            phasePlan(used, true, false),
                            phasePlan(free, false, false),
                            phasePlan(free, true, true)));
        }
    }

    private void requests() {
        table(
                "Requested changes, by the plugin",
                "requested change, use",
                List.of("controller expands", "nodes alone expand", "not known", "controller expands, only offline"));
        List<Claim> used = List.of(claim(ClaimState.TAKEN, false));
        Expansion grow = Expansion.to(CapacityRange.atLeast(200));
        Modification change = Modification.of(Map.of("tier", "gold"), 5);
        row("grow, not in use", requested(List.of(), grow, null));
        row("grow, claimed", requested(used, grow, null));
        row("grown, not in use", requested(List.of(), grow.grown(), null));
        row("grown, claimed", requested(used, grow.grown(), null));
        row("grow, refused", requested(used, grow.failed(new Attempt("refused", Optional.empty())), null));
        row("change parameters", requested(used, null, change));
        row("grow and change parameters", requested(used, grow, change));
    }

    private static Stream<Plan> requested(List<Claim> claims, @Nullable Expansion grow, @Nullable Modification change) {
        Volume volume = Sample.volume(
                        VolumePhase.AVAILABLE,
                        FencingPolicy.waitForConfirmation(),
                        claims.stream().map(Optional::of).toList(),
                        claims.isEmpty() ? List.of() : List.of(attachment(AttachmentState.PUBLISHED)))
                .toBuilder()
                .expansion(grow)
                .modification(change)
                .build();
        return Stream.of(
                        PlanFacts.builder(NOW).expansion(ControllerNeed.REQUIRED, false),
                        PlanFacts.builder(NOW).expansion(ControllerNeed.NOT_REQUIRED, false),
                        PlanFacts.builder(NOW),
                        PlanFacts.builder(NOW).expansion(ControllerNeed.REQUIRED, true))
                .map(facts -> VolumePlan.of(
                        volume,
                        facts.controllerNeed(ControllerNeed.REQUIRED)
                                .controllerAvailable(true)
                                .nodes(READY::node)
                                .build()));
    }

    private static Plan phasePlan(Volume volume, boolean available, boolean source) {
        return VolumePlan.of(
                volume,
                PlanFacts.builder(NOW)
                        .controllerNeed(ControllerNeed.REQUIRED)
                        .controllerAvailable(available)
                        .source(source)
                        .nodes(READY::node)
                        .build());
    }
}
