package io.csi4j.node.internal.mount;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.node.Bench;
import io.csi4j.node.NodeVolumeId;
import io.csi4j.node.internal.ledger.MountTerms;
import io.csi4j.node.internal.ledger.StagingEntry;
import io.csi4j.node.internal.ledger.StagingPhase;
import io.csi4j.node.internal.ledger.UseEntry;
import io.csi4j.node.internal.ledger.UseId;
import io.csi4j.node.internal.ledger.UsePhase;
import io.csi4j.node.internal.ledger.VolumeEntry;
import io.csi4j.node.internal.mount.MountFacts.PluginFact;
import io.csi4j.node.internal.mount.MountFacts.Presence;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Checks the plan for each combination of record and facts against rules that do not use the planner. With {@code
 * -Dcsi4j.node.stride=N}, only each Nth combination is checked, for runs that need the test very often.
 */
class MountPlanTest {
    private static final int STRIDE = Integer.getInteger("csi4j.node.stride", 1);
    private static final UseId A = UseId.first(AllocationId.of("a"));
    private static final UseId B = UseId.first(AllocationId.of("b"));
    private static final String NOW = "boot-2";
    private static final Path ORPHAN = Path.of("/base/publish/ns/v/stray");
    private static final Path ORPHANED_STAGING = Path.of("/base/staging/ns/v/mount-1");
    private static final MountTerms TERMS = terms("ext4");
    private static final MountTerms OTHER = terms("xfs");

    private static MountTerms terms(String fsType) {
        return new MountTerms(
                RequestedCapability.mount(VolumeAccessMode.MULTI_NODE_MULTI_WRITER),
                MountOptions.of(fsType),
                false,
                PublishContext.empty(),
                VolumeContext.empty(),
                Optional.empty());
    }

    /** The actual state of a recorded staging or target. */
    private enum Standing {
        THERE(NOW, true, Presence.MOUNTED),
        GONE(NOW, true, Presence.ABSENT),
        BEFORE_REBOOT("boot-1", true, Presence.ABSENT),
        NOT_REPORTED(NOW, true, Presence.UNKNOWN),
        NEVER_A_MOUNT(NOW, false, Presence.ABSENT);

        final String boot;
        final boolean observed;
        final Presence presence;

        Standing(String boot, boolean observed, Presence presence) {
            this.boot = boot;
            this.observed = observed;
            this.presence = presence;
        }

        boolean lost() {
            return this == GONE || this == BEFORE_REBOOT;
        }
    }

    private record Use(UsePhase phase, Standing standing, MountTerms terms) {}

    private record Staging(StagingPhase phase, Standing standing) {}

    private record Case(Use a, Use b, Staging staging, PluginFact plugin, int bits) {
        boolean rebuilt() {
            return (bits & 1) != 0;
        }

        boolean orphan() {
            return (bits & 2) != 0;
        }

        boolean orphanedStaging() {
            return (bits & 4) != 0;
        }

        boolean uncertain() {
            return (bits & 8) != 0;
        }

        VolumeEntry entry() {
            List<UseEntry> uses = new ArrayList<>();
            add(uses, A, a);
            add(uses, B, b);
            StagingEntry entry = staging == null
                    ? null
                    : new StagingEntry(TERMS, staging.phase, staging.standing.boot, staging.standing.observed);
            NodeVolumeId id = Bench.id("v");
            return new VolumeEntry(id.volume(), id, entry, uses, rebuilt(), uncertain() ? 1 : 0);
        }

        private static void add(List<UseEntry> uses, UseId id, Use use) {
            if (use != null) {
                uses.add(new UseEntry(id, use.terms, use.phase, use.standing.boot, use.standing.observed));
            }
        }

        MountFacts facts() {
            Map<UseId, Presence> targets = new HashMap<>();
            if (a != null) {
                targets.put(A, a.standing.presence);
            }
            if (b != null) {
                targets.put(B, b.standing.presence);
            }
            return new MountFacts(
                    plugin,
                    NOW,
                    staging == null ? Presence.ABSENT : staging.standing.presence,
                    targets,
                    orphan() ? List.of(ORPHAN) : List.of(),
                    orphanedStaging() ? List.of(ORPHANED_STAGING) : List.of(),
                    Set.of());
        }
    }

    private static List<Use> uses(List<MountTerms> terms) {
        List<Use> uses = new ArrayList<>();
        uses.add(null);
        for (MountTerms each : terms) {
            for (UsePhase phase : UsePhase.values()) {
                for (Standing standing : Standing.values()) {
                    // Skips combinations in which no call was sent but a mount exists.
                    if (phase != UsePhase.WANTED || standing == Standing.NEVER_A_MOUNT) {
                        uses.add(new Use(phase, standing, each));
                    }
                }
            }
        }
        return uses;
    }

    private static List<Case> cases() {
        List<Case> cases = new ArrayList<>();
        int number = 0;
        List<Staging> stagings = new ArrayList<>();
        stagings.add(null);
        for (StagingPhase phase : StagingPhase.values()) {
            for (Standing standing : Standing.values()) {
                stagings.add(new Staging(phase, standing));
            }
        }
        for (Use a : uses(List.of(TERMS))) {
            for (Use b : uses(List.of(TERMS, OTHER))) {
                for (Staging staging : stagings) {
                    for (PluginFact plugin : PluginFact.values()) {
                        for (int bits = 0; bits < 16; bits++) {
                            if (number++ % STRIDE == 0) {
                                cases.add(new Case(a, b, staging, plugin, bits));
                            }
                        }
                    }
                }
            }
        }
        return cases;
    }

    @Test
    void planObeysAllRulesInAllStates() {
        List<Case> cases = cases();
        Set<String> kinds = new HashSet<>();
        List<String> wrong = new ArrayList<>();
        for (Case each : cases) {
            MountAction action = MountPlan.next(each.entry(), each.facts());
            kinds.add(action.getClass().getSimpleName());
            String problem = problem(each, action);
            if (!problem.isEmpty() && wrong.size() < 20) {
                wrong.add(problem + ": " + each + " -> " + action);
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(cases).hasSizeGreaterThan(500_000 / STRIDE);
        assertThat(kinds)
                .containsExactlyInAnyOrder(
                        "Stage",
                        "Publish",
                        "ChangeOwnership",
                        "Unpublish",
                        "Unstage",
                        "UnpublishOrphan",
                        "UnstageOrphan",
                        "Refuse",
                        "Forget",
                        "Settled",
                        "Await");
    }

    private static String problem(Case each, MountAction action) {
        boolean anyPublished = mayBe(each.a) || mayBe(each.b);
        boolean protectedByOwners = each.rebuilt() && each.orphan();
        if (action.isCall() && !action.isWithoutPlugin() && each.plugin == PluginFact.ABSENT) {
            return "a call without a plugin";
        }
        if (action instanceof MountAction.ChangeOwnership change) {
            Use use = change.use().equals(A) ? each.a : each.b;
            return use.phase == UsePhase.OWNERSHIP && !use.standing.lost() ? "" : "changes files that are not there";
        }
        if (action instanceof MountAction.Unpublish unpublish) {
            Use use = unpublish.use().equals(A) ? each.a : each.b;
            boolean gone = use.phase.published() && use.standing == Standing.GONE;
            boolean without = mayBe(use) && use.standing.lost() && stagingWent(each);
            return use.phase.goes() || gone || without || foundAtTarget(use) ? "" : "unpublishes who stays";
        }
        if (action instanceof MountAction.Unstage || action instanceof MountAction.UnstageOrphan) {
            if (anyPublished || each.orphan()) {
                return "unstages under a use";
            }
            boolean used = each.staging != null
                    && each.staging.phase != StagingPhase.UNSTAGING
                    && !stagingWent(each)
                    && (wants(each.a, TERMS) || wants(each.b, TERMS));
            return used && action instanceof MountAction.Unstage ? "unstages what is wanted" : "";
        }
        if (action instanceof MountAction.UnpublishOrphan) {
            return protectedByOwners ? "takes away what may be in use" : "";
        }
        if (action instanceof MountAction.Stage stage) {
            if (each.staging == null) {
                return each.plugin == PluginFact.STAGES && !each.orphanedStaging() ? "" : "stages where it must not";
            }
            return (each.staging.phase == StagingPhase.STAGING || each.staging.standing.lost())
                            && !stagingWent(each)
                            && each.staging.phase != StagingPhase.UNSTAGING
                            && stage.terms().equals(TERMS)
                    ? ""
                    : "stages what is staged";
        }
        if (action instanceof MountAction.Publish publish) {
            Use use = publish.use().equals(A) ? each.a : each.b;
            boolean due = use.phase == UsePhase.WANTED
                    || use.phase == UsePhase.PUBLISHING
                    || (use.phase.published() && use.standing == Standing.BEFORE_REBOOT);
            boolean ready = each.staging == null
                    ? each.plugin == PluginFact.DIRECT
                    : each.staging.phase == StagingPhase.STAGED && !each.staging.standing.lost();
            if (foundAtTarget(use)) {
                return "publishes over a mount that an unanswered call may have made";
            }
            return due && ready ? "" : "publishes too early, or again";
        }
        if (action instanceof MountAction.Refuse refuse) {
            Use use = refuse.use().equals(A) ? each.a : each.b;
            return use.phase == UsePhase.WANTED && !each.a.terms.equals(each.b.terms) ? "" : "refuses who fits";
        }
        if (action instanceof MountAction.Forget) {
            return each.a == null
                            && each.b == null
                            && each.staging == null
                            && !each.uncertain()
                            && !each.orphan()
                            && !each.orphanedStaging()
                    ? ""
                    : "forgets something";
        }
        if (action instanceof MountAction.Settled) {
            return idle(each) ? "" : "leaves something undone";
        }
        return "";
    }

    /** Returns whether the staging was mounted in this boot, is missing now, and no target of it is mounted. */
    private static boolean stagingWent(Case each) {
        return each.staging != null
                && each.staging.phase == StagingPhase.STAGED
                && each.staging.standing == Standing.GONE
                && !stays(each.a)
                && !stays(each.b);
    }

    private static boolean stays(Use use) {
        return mayBe(use) && !use.phase.goes() && !use.standing.lost();
    }

    private static boolean mayBe(Use use) {
        return use != null && use.phase != UsePhase.WANTED;
    }

    private static boolean foundAtTarget(Use use) {
        return use.phase == UsePhase.PUBLISHING && use.standing.presence == Presence.MOUNTED;
    }

    private static boolean wants(Use use, MountTerms terms) {
        return use != null && use.phase != UsePhase.LEAVING && use.terms.equals(terms);
    }

    /** Returns whether no action is needed: each use is mounted, or has to wait until the targets of an ending staging are unpublished. */
    private static boolean idle(Case each) {
        boolean going = each.staging != null
                && (each.staging.phase == StagingPhase.UNSTAGING || (!wants(each.a, TERMS) && !wants(each.b, TERMS)));
        for (Use use : new Use[] {each.a, each.b}) {
            if (use == null || (going && use.phase != UsePhase.LEAVING && use.phase != UsePhase.RESETTING)) {
                continue;
            }
            if (use.phase != UsePhase.PUBLISHED || use.standing.lost()) {
                return false;
            }
        }
        return !going || mayBe(each.a) || mayBe(each.b);
    }

    @Test
    void planReachesDesiredStateFromAllStates() {
        int longest = 0;
        for (Case each : cases()) {
            if (each.plugin == PluginFact.ABSENT || each.rebuilt()) {
                continue;
            }
            VolumeEntry entry = each.entry();
            MountFacts facts = each.facts();
            int steps = 0;
            for (MountAction action = MountPlan.next(entry, facts);
                    !(action instanceof MountAction.Settled
                            || action instanceof MountAction.Forget
                            || action instanceof MountAction.Await);
                    action = MountPlan.next(entry, facts)) {
                if (++steps == 20) {
                    fail("20 steps from " + each + ", now " + action);
                }
                if (action instanceof MountAction.Refuse refuse) {
                    entry = entry.without(refuse.use());
                } else {
                    entry = MountPlan.done(MountPlan.begun(entry, action, NOW), action, true);
                    facts = after(facts, action);
                }
            }
            longest = Math.max(longest, steps);
        }
        assertThat(longest).isGreaterThan(4);
    }

    @Test
    void storedRecordHasIntentsOfEntryInAllStates() {
        // The entry is the same with each plugin and each orphan.
        List<VolumeEntry> entries = cases().stream()
                .filter(each -> each.plugin == PluginFact.ABSENT && !each.orphan() && !each.orphanedStaging())
                .map(Case::entry)
                .distinct()
                .toList();
        List<String> wrong = new ArrayList<>();
        for (VolumeEntry entry : entries) {
            VolumeEntry stored = MountPlan.stored(entry);
            if (!MountPlan.covers(stored, entry) || !admits(stored, entry)) {
                wrong.add(entry + " stored as " + stored);
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(entries).hasSizeGreaterThan(10_000 / STRIDE);
    }

    @Test
    void oneWriteServesTwoCallsOnlyIfItHasBothIntents() {
        Set<String> withoutWrite = new HashSet<>();
        List<String> wrong = new ArrayList<>();
        for (Case each : cases()) {
            VolumeEntry entry = each.entry();
            MountFacts facts = each.facts();
            MountAction first = MountPlan.next(entry, facts);
            if (each.plugin == PluginFact.ABSENT || !first.isCall()) {
                continue;
            }
            VolumeEntry stored = MountPlan.stored(MountPlan.begun(entry, first, NOW));
            VolumeEntry done = MountPlan.done(MountPlan.begun(entry, first, NOW), first, true);
            MountAction second = MountPlan.next(done, after(facts, first));
            VolumeEntry intent = MountPlan.begun(done, second, NOW);
            if (second.isCall() && MountPlan.covers(stored, intent)) {
                withoutWrite.add(first.getClass().getSimpleName() + " "
                        + second.getClass().getSimpleName());
                if (!admits(stored, intent)) {
                    wrong.add(intent + " stored as " + stored);
                }
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(withoutWrite).contains("Stage Publish", "Unpublish Unstage", "Unpublish Unpublish");
    }

    /** Returns whether a stored record admits all calls that may have been sent for an entry, and has the same uses that stay. */
    private static boolean admits(VolumeEntry stored, VolumeEntry entry) {
        boolean staging = entry.staging() == null
                ? stored.staging() == null
                : stored.staging() != null
                        && stored.staging().terms().equals(entry.staging().terms())
                        && stored.staging().phase() != earlier(entry.staging().phase());
        boolean uses = entry.uses().stream()
                .allMatch(use -> stored.use(use.id())
                        .filter(other ->
                                other.phase().mayBePublished() || !use.phase().mayBePublished())
                        .filter(other -> other.phase().living() == use.phase().living())
                        .filter(other -> other.phase() == use.phase()
                                || other.terms().stagedAs(stored.staging().terms())
                                || entry.living().isEmpty())
                        .isPresent());
        return staging && uses && stored.living().size() == entry.living().size();
    }

    /** Returns the phase that would hide a call that may have been sent in a given phase. */
    private static StagingPhase earlier(StagingPhase phase) {
        return phase == StagingPhase.STAGED ? null : StagingPhase.STAGED;
    }

    private static MountFacts after(MountFacts facts, MountAction action) {
        Map<UseId, Presence> targets = new HashMap<>(facts.targets());
        if (action instanceof MountAction.Publish publish) {
            targets.put(publish.use(), Presence.MOUNTED);
        }
        if (action instanceof MountAction.Unpublish unpublish) {
            targets.put(unpublish.use(), Presence.ABSENT);
        }
        return new MountFacts(
                facts.plugin(),
                facts.bootId(),
                action instanceof MountAction.Stage ? Presence.MOUNTED : facts.staging(),
                targets,
                action instanceof MountAction.UnpublishOrphan ? List.of() : facts.orphanedTargets(),
                action instanceof MountAction.UnstageOrphan ? List.of() : facts.orphanedStagings(),
                facts.deferred());
    }

    @Test
    void failedActionDoesNotBlockOtherActions() {
        Case each = new Case(
                new Use(UsePhase.LEAVING, Standing.THERE, TERMS),
                new Use(UsePhase.WANTED, Standing.NEVER_A_MOUNT, TERMS),
                new Staging(StagingPhase.STAGED, Standing.THERE),
                PluginFact.STAGES,
                0);
        MountFacts facts = each.facts();
        MountAction first = MountPlan.next(each.entry(), facts);
        MountFacts deferred = new MountFacts(
                facts.plugin(), NOW, facts.staging(), facts.targets(), List.of(), List.of(), Set.of(first));
        assertThat(first).isEqualTo(new MountAction.Unpublish(A));
        assertThat(MountPlan.next(each.entry(), deferred)).isEqualTo(new MountAction.Publish(B));
    }
}
