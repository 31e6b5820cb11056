package io.csi4j.node.internal.mount;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.csi.ExternalNodeId;
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
import io.csi4j.node.internal.ledger.UnmountOrder;
import io.csi4j.node.internal.ledger.UseEntry;
import io.csi4j.node.internal.ledger.UseId;
import io.csi4j.node.internal.ledger.UsePhase;
import io.csi4j.node.internal.ledger.VolumeEntry;
import io.csi4j.node.internal.mount.MountAction.Await;
import io.csi4j.node.internal.mount.MountAction.DirectUnmount;
import io.csi4j.node.internal.mount.MountAction.Forget;
import io.csi4j.node.internal.mount.MountAction.ForgetStaging;
import io.csi4j.node.internal.mount.MountAction.ForgetTarget;
import io.csi4j.node.internal.mount.MountAction.Publish;
import io.csi4j.node.internal.mount.MountAction.Reason;
import io.csi4j.node.internal.mount.MountAction.Refuse;
import io.csi4j.node.internal.mount.MountAction.Settled;
import io.csi4j.node.internal.mount.MountAction.Stage;
import io.csi4j.node.internal.mount.MountAction.Unpublish;
import io.csi4j.node.internal.mount.MountAction.UnpublishOrphan;
import io.csi4j.node.internal.mount.MountAction.Unstage;
import io.csi4j.node.internal.mount.MountAction.UnstageOrphan;
import io.csi4j.node.internal.mount.MountFacts.PluginFact;
import io.csi4j.node.internal.mount.MountFacts.Presence;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Single records with their next action, with the facts that {@link MountPlanTest} leaves out. */
class MountPlanExamplesTest {
    private static final NodeVolumeId ID = Bench.id("v");
    private static final UseId A = UseId.first(AllocationId.of("a"));
    private static final UseId B = UseId.first(AllocationId.of("b"));
    private static final String NOW = "boot-2";
    private static final String EARLIER = "boot-1";
    private static final UnmountOrder ORDER = new UnmountOrder("alice", "the driver was killed", 1);
    private static final ExternalNodeId HERE = ExternalNodeId.of("here");
    private static final ExternalNodeId THERE = ExternalNodeId.of("there");
    private static final MountTerms EXT4 = terms(Bench.MANY, "ext4", "1");
    private static final MountTerms XFS = terms(Bench.MANY, "xfs", "1");
    private static final MountTerms OTHER_MODE =
            terms(RequestedCapability.mount(VolumeAccessMode.MULTI_NODE_SINGLE_WRITER), "ext4", "1");
    private static final Path ORPHAN = Path.of("/base/publish/ns/v/orphan");
    private static final Path ORPHANED_STAGING = Path.of("/base/staging/ns/v/mount-7");

    private static MountTerms terms(RequestedCapability capability, String fsType, String context) {
        return new MountTerms(
                capability,
                MountOptions.of(fsType),
                false,
                PublishContext.of(Map.of("k", context)),
                VolumeContext.empty(),
                Optional.of(HERE));
    }

    private static UseEntry use(UseId id, UsePhase phase, MountTerms terms) {
        return new UseEntry(id, terms, phase, NOW, true);
    }

    private static VolumeEntry entry(UseEntry... uses) {
        return new VolumeEntry(ID.volume(), ID, null, List.of(uses), false, 0);
    }

    private static StagingEntry staging(StagingPhase phase) {
        return new StagingEntry(EXT4, phase, NOW, true);
    }

    private static VolumeEntry staged(UseEntry... uses) {
        return entry(uses).staged(staging(StagingPhase.STAGED));
    }

    private static MountFacts facts(PluginFact plugin, Presence presence, List<Path> targets, List<Path> stagings) {
        return new MountFacts(plugin, NOW, presence, Map.of(A, presence, B, presence), targets, stagings, Set.of());
    }

    private static MountFacts facts(PluginFact plugin) {
        return facts(plugin, Presence.MOUNTED, List.of(), List.of());
    }

    private static void next(MountAction expected, VolumeEntry entry, MountFacts facts) {
        assertThat(MountPlan.next(entry, facts)).isEqualTo(expected);
    }

    @Test
    void useThatDoesNotFitTheHolderIsRefused() {
        UseEntry published = use(A, UsePhase.PUBLISHED, EXT4);
        UseEntry wanted = use(B, UsePhase.WANTED, XFS);
        MountAction refuse = new Refuse(B, A.allocationId());
        next(refuse, staged(published, wanted), facts(PluginFact.STAGES));
        next(refuse, staged(published, wanted), facts(PluginFact.ABSENT));
        next(refuse, entry(published, wanted), facts(PluginFact.STAGES));
        next(new Publish(B), entry(published, wanted), facts(PluginFact.DIRECT));
        next(new Await(Reason.PLUGIN), entry(published, wanted), facts(PluginFact.ABSENT));
        UseEntry otherMode = use(B, UsePhase.WANTED, OTHER_MODE);
        next(refuse, entry(published, otherMode), facts(PluginFact.DIRECT));
        next(refuse, entry(use(A, UsePhase.WANTED, EXT4), otherMode), facts(PluginFact.DIRECT));
        // The use with a call is the holder, although it comes later.
        next(
                new Refuse(A, B.allocationId()),
                entry(use(A, UsePhase.WANTED, XFS), use(B, UsePhase.PUBLISHING, EXT4)),
                facts(PluginFact.STAGES));
        next(new Unpublish(A), staged(use(A, UsePhase.LEAVING, EXT4), wanted), facts(PluginFact.STAGES));
        next(new Unstage(), staged(wanted), facts(PluginFact.STAGES));
    }

    @Test
    void brokenStagingServesOnlyTheUsesThatHaveIt() {
        MountFacts broken = facts(PluginFact.STAGES).withStagingBroken(true);
        UseEntry published = use(A, UsePhase.PUBLISHED, EXT4);
        UseEntry wanted = use(B, UsePhase.WANTED, EXT4);
        next(new Settled(), staged(published), broken);
        next(new Await(Reason.BROKEN_STAGING), staged(published, wanted), broken);
        next(new Unstage(), staged(wanted), broken);
        next(new Publish(B), staged(published, wanted), facts(PluginFact.STAGES));
    }

    @Test
    void nothingIsMountedForAnotherMachine() {
        MountFacts there = facts(PluginFact.STAGES).onMachine(Optional.of(THERE));
        MountFacts here = facts(PluginFact.STAGES).onMachine(Optional.of(HERE));
        VolumeEntry wanted = entry(use(A, UsePhase.WANTED, EXT4));
        next(new Await(Reason.MACHINE), wanted, there);
        next(new Stage(EXT4), wanted, here);
        next(new Await(Reason.MACHINE), staged(use(A, UsePhase.WANTED, EXT4)), there);
        next(new Publish(A), staged(use(A, UsePhase.WANTED, EXT4)), here);
        next(new Unpublish(A), staged(use(A, UsePhase.LEAVING, EXT4)), there);
    }

    @Test
    void unmountIsFinishedOrMadeWithoutPluginIfThatIsPermitted() {
        MountFacts gone = facts(PluginFact.ABSENT, Presence.ABSENT, List.of(), List.of());
        VolumeEntry leaving = staged(use(A, UsePhase.LEAVING, EXT4));
        VolumeEntry unstaging = entry().staged(staging(StagingPhase.UNSTAGING));
        next(new Await(Reason.PLUGIN), leaving, gone);
        next(new ForgetTarget(A), leaving.ordered(ORDER), gone);
        next(new Await(Reason.PLUGIN), unstaging, gone);
        next(new ForgetStaging(), unstaging.ordered(ORDER), gone);
        next(new Unstage(), unstaging, facts(PluginFact.STAGES, Presence.ABSENT, List.of(), List.of()));
        MountFacts denied = facts(PluginFact.ABSENT).withDenied(Set.of(A), true);
        next(new DirectUnmount(A), leaving, denied);
        next(new Await(Reason.PLUGIN), leaving, facts(PluginFact.ABSENT).withDenied(Set.of(A), false));
    }

    @Test
    void mountOfUnknownOwnerIsRemovedFirstOrKept() {
        List<Path> target = List.of(ORPHAN);
        List<Path> stagings = List.of(ORPHANED_STAGING);
        VolumeEntry known = entry();
        VolumeEntry lost = new VolumeEntry(ID.volume(), ID, null, List.of(), true, 0);
        MountFacts orphan = facts(PluginFact.STAGES, Presence.ABSENT, target, stagings);
        next(new UnpublishOrphan(ORPHAN), known, orphan);
        next(new Await(Reason.OWNERS), lost, orphan);
        next(new Await(Reason.IDENTITY), VolumeEntry.empty(ID.volume(), false), orphan);
        MountFacts orphanedStaging = facts(PluginFact.STAGES, Presence.MOUNTED, List.of(), stagings);
        next(new UnstageOrphan(ORPHANED_STAGING), known, orphanedStaging);
        next(new UnstageOrphan(ORPHANED_STAGING), lost, orphanedStaging);
        VolumeEntry published = entry(use(A, UsePhase.PUBLISHED, EXT4), use(B, UsePhase.WANTED, EXT4));
        next(new Await(Reason.OWNERS), published, orphanedStaging);
        next(new Publish(B), published, facts(PluginFact.DIRECT, Presence.MOUNTED, List.of(), stagings));
        next(new Forget(), known, facts(PluginFact.STAGES));
        next(new Settled(), known.uncertainAt(1), facts(PluginFact.STAGES));
    }

    @Test
    void deferredActionWaitsAndTheNextOneIsMade() {
        VolumeEntry entry = entry(use(A, UsePhase.LEAVING, EXT4), use(B, UsePhase.LEAVING, EXT4));
        MountFacts facts = facts(PluginFact.DIRECT);
        next(new Unpublish(A), entry, facts);
        next(new Unpublish(B), entry, deferred(facts, Set.of(new Unpublish(A))));
        next(new Await(Reason.RETRY), entry, deferred(facts, Set.of(new Unpublish(A), new Unpublish(B))));
    }

    private static MountFacts deferred(MountFacts facts, Set<MountAction> deferred) {
        return new MountFacts(facts.plugin(), NOW, facts.staging(), facts.targets(), List.of(), List.of(), deferred);
    }

    @Test
    void repeatedStageHasTheTermsOfTheEarlierCallUntilReboot() {
        MountTerms later = terms(Bench.MANY, "ext4", "2");
        MountFacts facts = facts(PluginFact.STAGES, Presence.ABSENT, List.of(), List.of());
        VolumeEntry wanted = entry(use(B, UsePhase.WANTED, later));
        next(new Stage(later), wanted, facts);
        next(new Stage(EXT4), wanted.staged(staging(StagingPhase.STAGING)), facts);
        VolumeEntry afterReboot = wanted.staged(new StagingEntry(EXT4, StagingPhase.STAGED, EARLIER, true));
        next(new Stage(later), afterReboot, facts);
        VolumeEntry otherFirst = entry(use(A, UsePhase.LEAVING, XFS), use(B, UsePhase.WANTED, later))
                .staged(new StagingEntry(EXT4, StagingPhase.STAGED, EARLIER, true));
        next(new Unpublish(A), otherFirst, facts);
    }

    @Test
    void recordBeforeCallSaysThatItMayHaveBeenSent() {
        VolumeEntry wanted = entry(use(A, UsePhase.WANTED, EXT4));
        VolumeEntry staging = MountPlan.begun(wanted, new Stage(EXT4), NOW);
        assertThat(staging.staging()).isEqualTo(new StagingEntry(EXT4, StagingPhase.STAGING, NOW, false));
        VolumeEntry again = MountPlan.begun(staged(use(A, UsePhase.WANTED, EXT4)), new Stage(EXT4), NOW);
        assertThat(again.staging()).isEqualTo(new StagingEntry(EXT4, StagingPhase.STAGING, NOW, true));
        assertThat(MountPlan.begun(wanted, new Publish(A), NOW).use(A).orElseThrow())
                .isEqualTo(use(A, UsePhase.PUBLISHING, EXT4));
        VolumeEntry published = staged(use(A, UsePhase.PUBLISHED, EXT4));
        assertThat(MountPlan.begun(published, new Unpublish(A), NOW)
                        .use(A)
                        .orElseThrow()
                        .phase())
                .isEqualTo(UsePhase.RESETTING);
        assertThat(MountPlan.begun(published, new Unstage(), NOW).staging().phase())
                .isEqualTo(StagingPhase.UNSTAGING);
        assertThat(MountPlan.begun(wanted, new Unstage(), NOW)).isEqualTo(wanted);
        assertThat(MountPlan.begun(published, new UnpublishOrphan(ORPHAN), NOW)).isEqualTo(published);
    }

    @Test
    void recordAfterCallHasItsResult() {
        VolumeEntry staging = entry().staged(staging(StagingPhase.STAGING));
        assertThat(MountPlan.done(staging, new Stage(EXT4), false).staging())
                .isEqualTo(new StagingEntry(EXT4, StagingPhase.STAGED, NOW, false));
        VolumeEntry unstaging = entry().staged(staging(StagingPhase.UNSTAGING));
        assertThat(MountPlan.done(unstaging, new Stage(EXT4), true)).isEqualTo(unstaging);
        VolumeEntry publishing = entry(use(A, UsePhase.PUBLISHING, EXT4));
        assertThat(MountPlan.done(publishing, new Publish(A), true).uses())
                .containsExactly(use(A, UsePhase.PUBLISHED, EXT4));
        VolumeEntry leaving = entry(use(A, UsePhase.LEAVING, EXT4));
        assertThat(MountPlan.done(leaving, new Publish(A), true)).isEqualTo(leaving);
        for (MountAction action : List.of(new Unpublish(A), new DirectUnmount(A), new ForgetTarget(A))) {
            assertThat(MountPlan.done(leaving, action, false).uses()).isEmpty();
            UseEntry reset = MountPlan.done(entry(use(A, UsePhase.RESETTING, EXT4)), action, false)
                    .use(A)
                    .orElseThrow();
            assertThat(reset).isEqualTo(new UseEntry(A, EXT4, UsePhase.WANTED, "", true));
        }
        for (MountAction action : List.of(new Unstage(), new ForgetStaging())) {
            assertThat(MountPlan.done(unstaging, action, false).staging()).isNull();
            VolumeEntry needed = unstaging.with(use(A, UsePhase.WANTED, EXT4));
            assertThat(MountPlan.done(needed, action, false).staging())
                    .isEqualTo(new StagingEntry(EXT4, StagingPhase.STAGING, "", true));
            assertThat(MountPlan.done(unstaging.with(use(A, UsePhase.WANTED, XFS)), action, false)
                            .staging())
                    .isNull();
            VolumeEntry neverSeen = needed.staged(new StagingEntry(EXT4, StagingPhase.UNSTAGING, NOW, false));
            assertThat(MountPlan.done(neverSeen, action, false).staging()).isNull();
        }
        assertThat(MountPlan.done(leaving, new UnpublishOrphan(ORPHAN), false)).isEqualTo(leaving);
    }

    @Test
    void orderEndsWithTheUnmountThatItConcerns() {
        VolumeEntry both = entry(use(A, UsePhase.LEAVING, EXT4), use(B, UsePhase.LEAVING, EXT4))
                .ordered(ORDER);
        VolumeEntry one = MountPlan.done(both, new ForgetTarget(A), false);
        assertThat(one.forgetOrder()).isEqualTo(ORDER);
        assertThat(MountPlan.done(one, new ForgetTarget(B), false).forgetOrder())
                .isNull();
    }

    @Test
    void mountThatIsMissingAfterItsAnswerIsMadeAgain() {
        VolumeEntry publishing = entry(use(A, UsePhase.PUBLISHING, EXT4));
        assertThat(MountPlan.vain(publishing, new Publish(A))
                        .use(A)
                        .orElseThrow()
                        .phase())
                .isEqualTo(UsePhase.RESETTING);
        VolumeEntry staging = entry().staged(staging(StagingPhase.STAGING));
        assertThat(MountPlan.vain(staging, new Stage(EXT4)).staging()).isEqualTo(staging(StagingPhase.STAGED));
    }

    @Test
    void storedRecordHasTheIntentOfTheNextCall() {
        UseEntry wanted = use(A, UsePhase.WANTED, EXT4);
        VolumeEntry staging = entry(wanted).staged(staging(StagingPhase.STAGING));
        assertThat(MountPlan.stored(staging).use(A).orElseThrow()).isEqualTo(use(A, UsePhase.PUBLISHING, EXT4));
        VolumeEntry done = staged(wanted);
        assertThat(MountPlan.stored(done)).isEqualTo(done);
        VolumeEntry lost = new VolumeEntry(ID.volume(), ID, staging.staging(), staging.uses(), true, 0);
        assertThat(MountPlan.stored(lost)).isEqualTo(lost);
        VolumeEntry leaving = staged(use(A, UsePhase.LEAVING, EXT4));
        assertThat(MountPlan.stored(leaving).staging().phase()).isEqualTo(StagingPhase.UNSTAGING);
        VolumeEntry other = entry(use(A, UsePhase.WANTED, XFS)).staged(staging(StagingPhase.STAGING));
        assertThat(MountPlan.stored(other)).isEqualTo(other);
        assertThat(MountPlan.stored(entry(wanted))).isEqualTo(entry(wanted));
    }

    @Test
    void storedRecordCoversIntentOnlyIfTermsAndBootAreTheSame() {
        UseEntry wanted = use(A, UsePhase.WANTED, EXT4);
        VolumeEntry stored = MountPlan.stored(entry(wanted).staged(staging(StagingPhase.STAGING)));
        VolumeEntry publishing = staged(use(A, UsePhase.PUBLISHING, EXT4));
        assertThat(MountPlan.covers(stored, publishing)).isTrue();
        assertThat(MountPlan.covers(stored, publishing.uncertainAt(1))).isFalse();
        for (StagingEntry other : List.of(
                new StagingEntry(EXT4, StagingPhase.STAGED, EARLIER, true),
                new StagingEntry(terms(Bench.MANY, "ext4", "2"), StagingPhase.STAGED, NOW, true))) {
            assertThat(MountPlan.covers(stored, publishing.staged(other)))
                    .as("%s", other)
                    .isFalse();
        }
        assertThat(MountPlan.covers(entry(wanted), publishing)).isFalse();
        assertThat(MountPlan.covers(stored, entry(use(A, UsePhase.PUBLISHING, EXT4))))
                .isFalse();

        VolumeEntry both = MountPlan.stored(staged(use(A, UsePhase.LEAVING, EXT4), use(B, UsePhase.LEAVING, EXT4)));
        VolumeEntry one = staged(use(B, UsePhase.LEAVING, EXT4));
        assertThat(MountPlan.covers(
                        both, one.staged(staging(StagingPhase.STAGED).in(StagingPhase.UNSTAGING))))
                .isTrue();
        assertThat(MountPlan.covers(staged(use(A, UsePhase.PUBLISHED, EXT4), use(B, UsePhase.LEAVING, EXT4)), one))
                .isFalse();
        UseEntry staying = use(A, UsePhase.PUBLISHED, EXT4);
        assertThat(MountPlan.covers(staged(staying, use(B, UsePhase.LEAVING, EXT4)), staged(staying)))
                .isFalse();
    }
}
