package io.csi4j.node.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.node.Bench;
import io.csi4j.node.NodeVolumeId;
import io.csi4j.node.NodeVolumeStatus;
import io.csi4j.node.internal.ledger.MountTerms;
import io.csi4j.node.internal.ledger.StagingEntry;
import io.csi4j.node.internal.ledger.StagingPhase;
import io.csi4j.node.internal.ledger.UnmountOrder;
import io.csi4j.node.internal.ledger.UseEntry;
import io.csi4j.node.internal.ledger.UseId;
import io.csi4j.node.internal.ledger.UsePhase;
import io.csi4j.node.internal.ledger.VolumeEntry;
import io.csi4j.node.internal.mount.MountAction;
import io.csi4j.node.internal.mount.MountAction.Await;
import io.csi4j.node.internal.mount.MountAction.Reason;
import io.csi4j.node.internal.mount.MountFacts;
import io.csi4j.node.internal.mount.MountFacts.PluginFact;
import io.csi4j.node.internal.mount.MountFacts.Presence;
import io.csi4j.node.internal.mount.NodePaths;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class WorkerViewTest {
    private static final NodeVolumeId ID = Bench.id("v");
    private static final UseId A = UseId.first(AllocationId.of("a"));
    private static final UseId B = UseId.first(AllocationId.of("b"));
    private static final UnmountOrder ORDER = new UnmountOrder("alice", "the driver was killed", 1);
    private static final MountAction SETTLED = new MountAction.Settled();
    private static final MountAction CALL = new MountAction.Publish(A);
    private static final MountTerms TERMS = new MountTerms(
            RequestedCapability.mount(VolumeAccessMode.MULTI_NODE_MULTI_WRITER),
            MountOptions.none(),
            true,
            PublishContext.empty(),
            VolumeContext.empty(),
            Optional.empty());

    private static UseEntry use(UseId id, UsePhase phase) {
        return new UseEntry(id, TERMS, phase, "boot", true);
    }

    private static VolumeEntry entry(UseEntry... uses) {
        return new VolumeEntry(ID.volume(), ID, null, List.of(uses), false, 0);
    }

    private static VolumeEntry staged(StagingPhase phase, UseEntry... uses) {
        return entry(uses).staged(new StagingEntry(TERMS, phase, "boot", true));
    }

    private static MountFacts facts(PluginFact plugin, Presence presence) {
        return new MountFacts(
                plugin, "boot", presence, Map.of(A, presence, B, presence), List.of(), List.of(), Set.of());
    }

    private static WorkerView view(VolumeEntry entry, Presence presence, MountAction action) {
        return WorkerView.of(entry, facts(PluginFact.STAGES, presence), action, "", null);
    }

    private static String waiting(VolumeEntry entry, MountAction action) {
        return view(entry, Presence.MOUNTED, action).waitingFor();
    }

    @Test
    void viewNamesTheReasonOfTheWait() {
        VolumeEntry published = entry(use(A, UsePhase.PUBLISHED));
        VolumeEntry leaving = entry(use(A, UsePhase.LEAVING));
        assertThat(waiting(leaving, new MountAction.DirectUnmount(A)))
                .isEqualTo("its target is being unmounted without the plugin");
        assertThat(waiting(published, CALL)).isEqualTo("a call to its plugin is under way");
        assertThat(waiting(published, SETTLED)).isEmpty();
        for (Reason reason : Reason.values()) {
            assertThat(waiting(published, new Await(reason))).isEqualTo(reason.text);
            boolean wayOut = reason == Reason.PLUGIN || reason == Reason.RETRY;
            assertThat(waiting(leaving, new Await(reason)))
                    .startsWith(reason.text)
                    .matches(text -> text.endsWith("forgetUnmount in Java)") == wayOut);
        }
        assertThat(waiting(leaving.ordered(ORDER), SETTLED))
                .contains("its unmount is to be finished without the plugin (ordered by alice");
    }

    @Test
    void viewNamesTheReasonOfAnOrderedDirectUnmountThatWaits() {
        VolumeEntry ordered =
                entry(use(B, UsePhase.PUBLISHED), use(A, UsePhase.LEAVING).with(ORDER));
        assertThat(view(ordered, Presence.UNKNOWN, CALL).waitingFor())
                .startsWith("its direct unmount for allocation a (ordered by alice: the driver was killed) waits for ")
                .endsWith("the mount table, which cannot be read");
        assertThat(view(ordered, Presence.ABSENT, CALL).waitingFor())
                .contains("since nothing is mounted at its target")
                .endsWith("forgetUnmount in Java)");
        assertThat(view(ordered, Presence.MOUNTED, CALL).waitingFor()).endsWith("it has not done so yet");
        assertThat(WorkerView.of(ordered, facts(PluginFact.ABSENT, Presence.MOUNTED), CALL, "", null)
                        .waitingFor())
                .contains("its plugin, which is not there")
                .endsWith("forgetUnmount in Java)");
        // The order of a use that does not end has no effect.
        assertThat(waiting(entry(use(A, UsePhase.PUBLISHED).with(ORDER)), SETTLED))
                .isEmpty();
    }

    @Test
    void reasonHasTheLastError() {
        WorkerView idle = view(entry(), Presence.MOUNTED, SETTLED);
        assertThat(idle.reason()).isEqualTo("it had no turn yet");
        WorkerView failed =
                WorkerView.of(entry(), facts(PluginFact.STAGES, Presence.MOUNTED), CALL, "the disk is full", null);
        assertThat(failed.reason()).isEqualTo("a call to its plugin is under way; last error: the disk is full");
        assertThat(failed.stalled("the ledger cannot be written", 5).reason())
                .isEqualTo("the ledger cannot be written; the work waits until that is mended; last error: the ledger"
                        + " cannot be written");
    }

    @Test
    void workIsUnfinishedUntilEachUseIsPublishedAndNothingIsUnmounted() {
        VolumeEntry published = staged(StagingPhase.STAGED, use(A, UsePhase.PUBLISHED));
        assertThat(WorkerView.isUnfinished(published, SETTLED)).isFalse();
        assertThat(WorkerView.isUnfinished(entry(), SETTLED)).isFalse();
        assertThat(WorkerView.isUnfinished(published, CALL)).isTrue();
        for (Reason reason : Reason.values()) {
            assertThat(WorkerView.isUnfinished(published, new Await(reason)))
                    .as("%s", reason)
                    .isEqualTo(reason == Reason.PLUGIN || reason == Reason.RETRY);
        }
        for (UsePhase phase : UsePhase.values()) {
            assertThat(WorkerView.isUnfinished(entry(use(B, UsePhase.PUBLISHED), use(A, phase)), SETTLED))
                    .as("%s", phase)
                    .isEqualTo(phase != UsePhase.PUBLISHED);
        }
        assertThat(WorkerView.isUnfinished(staged(StagingPhase.UNSTAGING, use(A, UsePhase.PUBLISHED)), SETTLED))
                .isTrue();
        assertThat(WorkerView.isUnfinished(staged(StagingPhase.STAGED), SETTLED))
                .isTrue();
    }

    @Test
    void onlyVolumeWithoutRecordAndErrorIsGone() {
        MountFacts facts = facts(PluginFact.STAGES, Presence.ABSENT);
        assertThat(WorkerView.of(entry(), facts, new MountAction.Forget(), "", null)
                        .isGone())
                .isTrue();
        assertThat(WorkerView.of(entry(), facts, new MountAction.Forget(), "the disk is full", null)
                        .isGone())
                .isFalse();
        assertThat(WorkerView.of(entry(), facts, SETTLED, "", null).isGone()).isFalse();
    }

    @Test
    void stalledViewKeepsTheTimeSinceWhenWorkIsUnfinished() {
        WorkerView idle = view(entry(), Presence.MOUNTED, SETTLED);
        assertThat(idle.stalled("full", 70).unfinishedSince()).isEqualTo(70);
        assertThat(idle.stalled("full", 70).stalled("full", 90).unfinishedSince())
                .isEqualTo(70);
    }

    private static NodeVolumeStatus status(WorkerView view) {
        return view.status(new NodePaths(Path.of("/base")), path -> "problem at " + path, 50_000_000);
    }

    @Test
    void statusHasStateOfEachUse() {
        for (UsePhase phase : UsePhase.values()) {
            for (Presence presence : Presence.values()) {
                NodeVolumeStatus.Use use = status(view(entry(use(A, phase)), presence, SETTLED))
                        .uses()
                        .get(0);
                boolean mounted = phase == UsePhase.PUBLISHED && presence != Presence.ABSENT;
                assertThat(use.state())
                        .as("%s %s", phase, presence)
                        .isEqualTo(
                                mounted
                                        ? NodeVolumeStatus.State.MOUNTED
                                        : phase == UsePhase.LEAVING
                                                ? NodeVolumeStatus.State.UNMOUNTING
                                                : NodeVolumeStatus.State.MOUNTING);
                assertThat(use.problem()).isEqualTo(mounted ? "problem at /base/publish/ns/v/a" : "");
                assertThat(use.capability()).contains(TERMS.capability());
                assertThat(use.readonly()).isTrue();
            }
        }
        UseEntry unknown = new UseEntry(A, MountTerms.UNKNOWN, UsePhase.LEAVING, "boot", true);
        NodeVolumeStatus.Use use =
                status(view(entry(unknown), Presence.MOUNTED, SETTLED)).uses().get(0);
        assertThat(use.capability()).isEmpty();
        assertThat(use.readonly()).isFalse();
        UseEntry mounting = new UseEntry(A, MountTerms.UNKNOWN, UsePhase.PUBLISHING, "boot", true);
        assertThat(status(view(entry(mounting), Presence.MOUNTED, SETTLED))
                        .uses()
                        .get(0)
                        .capability())
                .isPresent();
    }

    @Test
    void volumeCountsAsStagedAfterTheAnswerAsLongAsTheMountIsThere() {
        for (StagingPhase phase : StagingPhase.values()) {
            for (Presence presence : Presence.values()) {
                NodeVolumeStatus status = status(view(staged(phase, use(A, UsePhase.PUBLISHED)), presence, SETTLED));
                boolean staged = phase != StagingPhase.STAGING && presence != Presence.ABSENT;
                assertThat(status.staged()).as("%s %s", phase, presence).isEqualTo(staged);
                assertThat(status.stagingProblem()).isEqualTo(staged ? "problem at /base/staging/ns/v/mount-5" : "");
            }
        }
        assertThat(status(view(entry(use(A, UsePhase.PUBLISHED)), Presence.MOUNTED, SETTLED))
                        .staged())
                .isFalse();
    }

    @Test
    void statusHasAgesOfCallAndUnfinishedWork() {
        WorkerView idle = view(entry(), Presence.MOUNTED, SETTLED);
        assertThat(status(idle).call()).isEmpty();
        assertThat(status(idle).unfinishedFor()).isZero();
        WorkerView calling =
                idle.stalled("full", 20_000_000).calling(new WorkerView.InFlight(Rpc.NODE_PUBLISH_VOLUME, 45_000_000));
        assertThat(status(calling).call())
                .contains(new NodeVolumeStatus.Call(Rpc.NODE_PUBLISH_VOLUME, Duration.ofMillis(5)));
        assertThat(status(calling).unfinishedFor()).isEqualTo(Duration.ofMillis(31));
        assertThat(status(calling.called()).call()).isEmpty();
        assertThat(status(calling.called()).unfinishedFor()).isEqualTo(Duration.ofMillis(31));
        WorkerView later = idle.stalled("full", 60_000_000);
        assertThat(status(later).unfinishedFor()).isEqualTo(Duration.ofMillis(1));
    }
}
