package io.csi4j.node.internal.mount;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.node.Bench;
import io.csi4j.node.internal.ledger.MountTerms;
import io.csi4j.node.internal.ledger.StagingEntry;
import io.csi4j.node.internal.ledger.StagingPhase;
import io.csi4j.node.internal.ledger.UnmountOrder;
import io.csi4j.node.internal.ledger.UseEntry;
import io.csi4j.node.internal.ledger.UseId;
import io.csi4j.node.internal.ledger.UsePhase;
import io.csi4j.node.internal.mount.MountFacts.PluginFact;
import io.csi4j.node.internal.mount.MountFacts.Presence;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Each condition of a conclusion counts: with one condition changed, the facts no longer permit the conclusion. */
class MountFactsTest {
    private static final UseId USE = UseId.first(AllocationId.of("a"));
    private static final UnmountOrder ORDER = new UnmountOrder("alice", "the driver was killed", 1);
    private static final String NOW = "boot-2";
    private static final String EARLIER = "boot-1";
    private static final Set<MountAction> UNPUBLISH = Set.of(new MountAction.Unpublish(USE));
    private static final Set<MountAction> UNSTAGE = Set.of(new MountAction.Unstage());

    /** Facts with one presence for the target and the staging. */
    private static MountFacts facts(PluginFact plugin, Presence presence) {
        return new MountFacts(plugin, NOW, presence, Map.of(USE, presence), List.of(), List.of(), Set.of());
    }

    private static MountFacts withoutPlugin(Presence presence) {
        return facts(PluginFact.ABSENT, presence).withRefused(Set.of(), true);
    }

    private static UseEntry use(UsePhase phase, String boot, boolean observed) {
        return new UseEntry(USE, MountTerms.UNKNOWN, UsePhase.PUBLISHED, boot, observed).in(phase);
    }

    private static StagingEntry staging(StagingPhase phase, String boot, boolean observed) {
        return new StagingEntry(MountTerms.UNKNOWN, StagingPhase.STAGED, boot, observed).in(phase);
    }

    @Test
    void unmountOfTargetIsFinishedWithoutPluginOnlyIfNothingCanBeMounted() {
        UseEntry gone = use(UsePhase.LEAVING, NOW, true);
        UseEntry goneForReset = use(UsePhase.RESETTING, NOW, true);
        UseEntry ofEarlierBoot = new UseEntry(USE, MountTerms.UNKNOWN, UsePhase.LEAVING, EARLIER, false);
        MountFacts missing = withoutPlugin(Presence.ABSENT);
        for (UseEntry use : List.of(gone, goneForReset, ofEarlierBoot)) {
            assertThat(missing.mayForget(use, false)).isTrue();
            assertThat(facts(PluginFact.STAGES, Presence.ABSENT)
                            .withRefused(UNPUBLISH, true)
                            .mayForget(use, false))
                    .isTrue();
            for (MountFacts facts : List.of(
                    withoutPlugin(Presence.MOUNTED),
                    withoutPlugin(Presence.UNKNOWN),
                    facts(PluginFact.ABSENT, Presence.ABSENT).withRefused(UNPUBLISH, false),
                    facts(PluginFact.STAGES, Presence.ABSENT).withRefused(UNSTAGE, true),
                    facts(PluginFact.DIRECT, Presence.ABSENT).withRefused(Set.of(), true))) {
                assertThat(facts.mayForget(use, false)).as("%s", facts).isFalse();
            }
        }
        for (UseEntry use : List.of(
                use(UsePhase.LEAVING, NOW, false),
                new UseEntry(USE, MountTerms.UNKNOWN, UsePhase.LEAVING, NOW, true),
                use(UsePhase.PUBLISHED, NOW, true),
                use(UsePhase.PUBLISHED, EARLIER, true),
                use(UsePhase.WANTED, EARLIER, true),
                ofEarlierBoot.in(UsePhase.LEAVING, "", false))) {
            assertThat(missing.mayForget(use, false)).as("%s", use).isFalse();
        }
    }

    @Test
    void orderFinishesUnmountOnlyIfTheMountTableHasNoTarget() {
        UseEntry unanswered = new UseEntry(USE, MountTerms.UNKNOWN, UsePhase.LEAVING, NOW, false);
        MountFacts missing = facts(PluginFact.STAGES, Presence.ABSENT);
        assertThat(missing.mayForget(unanswered, true)).isTrue();
        assertThat(missing.mayForget(unanswered, false)).isFalse();
        assertThat(facts(PluginFact.STAGES, Presence.MOUNTED).mayForget(unanswered, true))
                .isFalse();
        assertThat(facts(PluginFact.STAGES, Presence.UNKNOWN).mayForget(unanswered, true))
                .isFalse();
        assertThat(missing.mayForget(use(UsePhase.RESETTING, NOW, true), true)).isFalse();
        assertThat(missing.mayForget(staging(StagingPhase.STAGING, NOW, false), true))
                .isTrue();
        assertThat(missing.mayForget(staging(StagingPhase.STAGING, NOW, false), false))
                .isFalse();
        assertThat(facts(PluginFact.STAGES, Presence.MOUNTED)
                        .mayForget(staging(StagingPhase.STAGING, NOW, false), true))
                .isFalse();
    }

    @Test
    void removalOfStagingIsFinishedWithoutPluginOnlyIfNothingCanBeStaged() {
        StagingEntry gone = staging(StagingPhase.UNSTAGING, NOW, true);
        StagingEntry ofEarlierBoot = new StagingEntry(MountTerms.UNKNOWN, StagingPhase.STAGING, EARLIER, false);
        MountFacts missing = withoutPlugin(Presence.ABSENT);
        for (StagingEntry staging : List.of(gone, ofEarlierBoot)) {
            assertThat(missing.mayForget(staging, false)).isTrue();
            assertThat(facts(PluginFact.STAGES, Presence.ABSENT)
                            .withRefused(UNSTAGE, true)
                            .mayForget(staging, false))
                    .isTrue();
            for (MountFacts facts : List.of(
                    withoutPlugin(Presence.MOUNTED),
                    withoutPlugin(Presence.UNKNOWN),
                    facts(PluginFact.ABSENT, Presence.ABSENT).withRefused(UNSTAGE, false),
                    facts(PluginFact.STAGES, Presence.ABSENT).withRefused(UNPUBLISH, true))) {
                assertThat(facts.mayForget(staging, false)).as("%s", facts).isFalse();
            }
        }
        assertThat(missing.mayForget(staging(StagingPhase.UNSTAGING, NOW, false), false))
                .isFalse();
        assertThat(missing.mayForget(new StagingEntry(MountTerms.UNKNOWN, StagingPhase.UNSTAGING, NOW, true), false))
                .isFalse();
        assertThat(missing.mayForget(new StagingEntry(MountTerms.UNKNOWN, StagingPhase.STAGING, NOW, true), false))
                .isFalse();
    }

    @Test
    void targetIsUnmountedDirectlyOnlyIfDeniedAndEndingAndPermitted() {
        MountFacts mounted = facts(PluginFact.STAGES, Presence.MOUNTED);
        UseEntry leaving = use(UsePhase.LEAVING, NOW, true);
        UseEntry ordered = leaving.with(ORDER);
        assertThat(mounted.withDenied(Set.of(USE), true).unmountDirectly(leaving))
                .isTrue();
        assertThat(mounted.withDenied(Set.of(USE), false).unmountDirectly(ordered))
                .isTrue();
        assertThat(mounted.withDenied(Set.of(USE), false).unmountDirectly(leaving))
                .isFalse();
        assertThat(mounted.withDenied(Set.of(), true).unmountDirectly(ordered)).isFalse();
        for (UsePhase phase : List.of(UsePhase.PUBLISHING, UsePhase.PUBLISHED, UsePhase.RESETTING)) {
            assertThat(mounted.withDenied(Set.of(USE), true).unmountDirectly(use(phase, NOW, true)))
                    .isFalse();
        }
    }

    @Test
    void rebootIsAssumedOnlyIfBothBootIdsAreKnownAndDiffer() {
        MountFacts facts = facts(PluginFact.STAGES, Presence.ABSENT);
        MountFacts unknown =
                new MountFacts(PluginFact.STAGES, "", Presence.ABSENT, Map.of(), List.of(), List.of(), Set.of());
        assertThat(facts.otherBoot(EARLIER)).isTrue();
        assertThat(facts.otherBoot(NOW)).isFalse();
        assertThat(facts.otherBoot("")).isFalse();
        assertThat(unknown.otherBoot(EARLIER)).isFalse();
    }

    @Test
    void onlyMountThatWasSeenOrOfEarlierBootIsLost() {
        MountFacts absent = facts(PluginFact.STAGES, Presence.ABSENT);
        assertThat(absent.lost(use(UsePhase.PUBLISHED, NOW, true))).isTrue();
        assertThat(absent.lost(use(UsePhase.PUBLISHED, NOW, false))).isFalse();
        assertThat(absent.lost(use(UsePhase.PUBLISHED, EARLIER, false))).isTrue();
        assertThat(facts(PluginFact.STAGES, Presence.UNKNOWN).lost(use(UsePhase.PUBLISHED, NOW, true)))
                .isFalse();
        assertThat(absent.gone(use(UsePhase.PUBLISHED, NOW, true))).isTrue();
        assertThat(absent.gone(use(UsePhase.PUBLISHED, EARLIER, true))).isFalse();
        assertThat(absent.gone(use(UsePhase.LEAVING, NOW, true))).isFalse();
        assertThat(absent.lost(staging(StagingPhase.STAGED, NOW, true))).isTrue();
        assertThat(absent.lost(staging(StagingPhase.STAGED, NOW, false))).isFalse();
        assertThat(absent.gone(staging(StagingPhase.STAGED, NOW, true))).isTrue();
        assertThat(absent.gone(staging(StagingPhase.STAGED, EARLIER, true))).isFalse();
        assertThat(absent.gone(staging(StagingPhase.UNSTAGING, NOW, true))).isFalse();
    }

    @Test
    void mountOfUnansweredPublishIsFoundUnlessItMayBelongToRunningWorkload() {
        MountFacts mounted = facts(PluginFact.STAGES, Presence.MOUNTED);
        UseEntry unanswered = new UseEntry(USE, MountTerms.UNKNOWN, UsePhase.PUBLISHING, NOW, false);
        assertThat(mounted.foundAtTarget(unanswered)).isTrue();
        assertThat(mounted.foundAtTarget(unanswered.withMayRun(true))).isFalse();
        assertThat(mounted.foundAtTarget(unanswered.in(UsePhase.PUBLISHED))).isFalse();
        assertThat(facts(PluginFact.STAGES, Presence.ABSENT).foundAtTarget(unanswered))
                .isFalse();
    }

    @Test
    void machineDiffersOnlyIfBothIdsAreKnown() {
        MountFacts facts = facts(PluginFact.STAGES, Presence.ABSENT);
        Optional<ExternalNodeId> here = Optional.of(ExternalNodeId.of("here"));
        MountTerms there = terms(Optional.of(ExternalNodeId.of("there")));
        assertThat(facts.onMachine(here).otherMachine(there)).isTrue();
        assertThat(facts.onMachine(here).otherMachine(terms(here))).isFalse();
        assertThat(facts.onMachine(here).otherMachine(terms(Optional.empty()))).isFalse();
        assertThat(facts.otherMachine(there)).isFalse();
    }

    private static MountTerms terms(Optional<ExternalNodeId> machine) {
        return new MountTerms(
                Bench.MANY, MountOptions.none(), false, PublishContext.empty(), VolumeContext.empty(), machine);
    }
}
