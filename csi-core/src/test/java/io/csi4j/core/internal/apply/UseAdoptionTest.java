package io.csi4j.core.internal.apply;

import static io.csi4j.core.csi.VolumeAccessMode.MULTI_NODE_MULTI_WRITER;
import static io.csi4j.core.internal.apply.Cluster.AT;
import static io.csi4j.core.internal.apply.Cluster.PLUGIN;
import static io.csi4j.core.internal.apply.Cluster.alloc;
import static io.csi4j.core.internal.apply.Cluster.checkpoint;
import static io.csi4j.core.internal.apply.Cluster.effects;
import static io.csi4j.core.internal.apply.Cluster.vol;
import static io.csi4j.core.volume.ClaimMode.WRITE;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.cluster.LedgerReport;
import io.csi4j.core.command.Effect;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.internal.command.AttachmentCommand;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.VolumeUse;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The uses that a node's ledger names, and the claims that they become. */
class UseAdoptionTest {
    private static final NodeId NODE = NodeId.of("n1");

    private final Cluster cluster = Cluster.attaching().nodes("n1", "n2").volume("v", MULTI_NODE_MULTI_WRITER);

    private static VolumeUse use(
            String volume, PluginId plugin, String externalId, String allocation, boolean leaving) {
        return new VolumeUse(
                vol(volume),
                plugin,
                ExternalVolumeId.of(externalId),
                alloc(allocation),
                WRITE,
                RequestedCapability.mount(MULTI_NODE_MULTI_WRITER),
                leaving);
    }

    private static VolumeUse use(String allocation) {
        return use("v", PLUGIN, "v", allocation, false);
    }

    private static VolumeUse leaving(String allocation) {
        return use("v", PLUGIN, "v", allocation, true);
    }

    private static Outcome.Accepted report(Cluster cluster, VolumeUse use) {
        return cluster.ok(new NodeCommand.RecordLedger(NODE, new LedgerReport(List.of(use), List.of()), 0, AT));
    }

    private Optional<ClaimState> state(String allocation) {
        return cluster.claimOf("v", allocation).map(Claim::state);
    }

    private List<VolumeUse> unclaimed() {
        return cluster.state.node(NODE).orElseThrow().ledger().unclaimed().stream()
                .flatMap(report -> report.uses().stream())
                .toList();
    }

    private void replaced() {
        cluster.fingerprint(
                "n1",
                cluster.instance("n1")
                        .nodeInfo(new NodeInfo(ExternalNodeId.of("ext-new"), 0, Optional.of(Cluster.ZONE)))
                        .build());
    }

    @Test
    void useBecomesAClaimThatIsReleasedIfItsAllocationHasEnded() {
        assertThat(effects(report(cluster, use("a")), Effect.ClaimTaken.class)).hasSize(1);
        assertThat(state("a")).contains(ClaimState.TAKEN);
        cluster.ended("b", "n1");
        Outcome.Accepted ended = report(cluster, use("b"));
        assertThat(effects(ended, Effect.ClaimTaken.class)).isEmpty();
        assertThat(effects(ended, Effect.ClaimReleasable.class))
                .containsExactly(new Effect.ClaimReleasable(vol("v"), alloc("b")));
        assertThat(state("b")).contains(ClaimState.UNPUBLISHING);
        assertThat(unclaimed()).isEmpty();
    }

    @Test
    void useIsOneOfTheVolumeWithItsPluginAndExternalId() {
        VolumeUse ofOtherPlugin = use("v", PluginId.of("q"), "v", "a", false);
        report(cluster, ofOtherPlugin);
        assertThat(unclaimed()).containsExactly(ofOtherPlugin);
        VolumeUse ofOtherVolume = use("v", PLUGIN, "another", "a", false);
        report(cluster, ofOtherVolume);
        assertThat(unclaimed()).containsExactly(ofOtherVolume);
        assertThat(state("a")).isEmpty();
        report(cluster, use("a"));
        assertThat(unclaimed()).isEmpty();
        assertThat(state("a")).contains(ClaimState.TAKEN);
    }

    @Test
    void useByAllocationWithAClaimOnAnotherNodeIsKept() {
        cluster.claim("a", "n2", "v", WRITE, MULTI_NODE_MULTI_WRITER);
        report(cluster, use("a"));
        assertThat(unclaimed()).containsExactly(use("a"));
        report(cluster, leaving("a"));
        assertThat(state("a")).as("the claim on the other node").contains(ClaimState.TAKEN);
    }

    @Test
    void nodeIsAskedAgainAboutADetachedClaimUnlessAnOperatorHasDetachedIt() {
        cluster.claim("a", "n1", "v", WRITE, MULTI_NODE_MULTI_WRITER);
        cluster.claim("b", "n1", "v", WRITE, MULTI_NODE_MULTI_WRITER);
        report(cluster, use("a"));
        assertThat(state("a")).contains(ClaimState.TAKEN);
        cluster.ok(checkpoint("v", "a", ClaimState.UNPUBLISHING));
        cluster.ok(checkpoint("v", "a", ClaimState.NODE_DETACHED));
        report(cluster, use("a"));
        assertThat(state("a")).contains(ClaimState.UNPUBLISHING);
        cluster.ok(new ClaimCommand.OverrideClaim(vol("v"), alloc("b"), "ann", "it is gone", AT));
        if (state("b").filter(ClaimState.UNPUBLISHING::equals).isPresent()) {
            cluster.ok(checkpoint("v", "b", ClaimState.NODE_DETACHED));
        }
        report(cluster, use("b"));
        assertThat(state("b")).contains(ClaimState.NODE_DETACHED);
    }

    @Test
    void claimThatItsNodeIsUnmountingIsReleased() {
        cluster.claim("a", "n1", "v", WRITE, MULTI_NODE_MULTI_WRITER);
        Outcome.Accepted released = report(cluster, leaving("a"));
        assertThat(state("a")).contains(ClaimState.UNPUBLISHING);
        assertThat(effects(released, Effect.ClaimReleasable.class))
                .containsExactly(new Effect.ClaimReleasable(vol("v"), alloc("a")));
        assertThat(effects(report(cluster, leaving("a")), Effect.ClaimReleasable.class))
                .isEmpty();
    }

    @Test
    void reportOfThePresentMachineEndsNoClaimOfTheFormerOne() {
        cluster.claim("a", "n1", "v", WRITE, MULTI_NODE_MULTI_WRITER);
        replaced();
        report(cluster, leaving("a"));
        assertThat(state("a")).contains(ClaimState.TAKEN);
        assertThat(unclaimed()).containsExactly(leaving("a"));
    }

    @Test
    void useBesideAnAttachmentOfTheFormerMachineIsKept() {
        cluster.ok(new AttachmentCommand.RecordOrphan(
                vol("v"), NODE, ExternalNodeId.of("ext-n1"), cluster.get("v").modifyIndex(), AT));
        replaced();
        report(cluster, use("a"));
        assertThat(state("a")).isEmpty();
        assertThat(unclaimed()).containsExactly(use("a"));
    }

    @Test
    void claimHasTheFormerNameThatTheNodeKnows() {
        report(cluster, use("old", PLUGIN, "v", "a", false));
        report(cluster, use("b"));
        assertThat(cluster.claimOf("v", "a").orElseThrow().formerVolume()).contains(vol("old"));
        assertThat(cluster.claimOf("v", "b").orElseThrow().formerVolume()).isEmpty();
    }

    @Test
    void useOfAMachineThatWasReplacedIsKept() {
        replaced();
        LedgerReport former = new LedgerReport(
                List.of(use("a")), List.of(), Optional.of(Map.of(PLUGIN, ExternalNodeId.of("ext-n1"))));
        cluster.ok(new NodeCommand.RecordLedger(NODE, former, 0, AT));
        assertThat(state("a")).isEmpty();
        assertThat(unclaimed()).containsExactly(use("a"));
        LedgerReport present = new LedgerReport(
                List.of(use("b")), List.of(), Optional.of(Map.of(PLUGIN, ExternalNodeId.of("ext-new"))));
        cluster.ok(new NodeCommand.RecordLedger(NODE, present, 0, AT));
        assertThat(state("b")).contains(ClaimState.TAKEN);
    }

    @Test
    void useByAnAllocationOfAnotherNodeIsKept() {
        cluster.allocation("a", "n2");
        report(cluster, use("a"));
        assertThat(unclaimed()).containsExactly(use("a"));
        assertThat(state("a")).isEmpty();
    }

    /** The present mount counts, but not against an attachment that is there. */
    @ParameterizedTest
    @CsvSource({
        "MULTI_NODE_READER_ONLY, false, true",
        "MULTI_NODE_MULTI_WRITER, false, false",
        "MULTI_NODE_READER_ONLY, true, false"
    })
    void attachmentOfAnotherCapabilityThatHasNotBegunIsReplaced(
            VolumeAccessMode known, boolean published, boolean replaced) {
        cluster.volume("w", MULTI_NODE_MULTI_WRITER, VolumeAccessMode.MULTI_NODE_READER_ONLY);
        cluster.claim("b", "n1", "w", ClaimMode.READ, known);
        if (published) {
            cluster.ok(new AttachmentCommand.RecordPublished(vol("w"), NODE, PublishContext.empty(), AT));
        }
        Attachment before = cluster.get("w").attachments().on(NODE).orElseThrow();
        cluster.ok(new ClaimCommand.AdoptUses(vol("w"), NODE, List.of(use("w", PLUGIN, "w", "a", false)), AT));
        assertThat(cluster.claimOf("w", "a").map(Claim::state)).contains(ClaimState.TAKEN);
        Attachment now = cluster.get("w").attachments().on(NODE).orElseThrow();
        assertThat(now.createIndex() != before.createIndex()).isEqualTo(replaced);
        assertThat(now.capability().accessMode()).isEqualTo(replaced ? MULTI_NODE_MULTI_WRITER : known);
    }

    @Test
    void useOfAVolumeThatNeedsNoAttachmentGetsNone() {
        Cluster bare = Cluster.withoutController().nodes("n1").volume("v", MULTI_NODE_MULTI_WRITER);
        report(bare, use("a"));
        assertThat(bare.claimOf("v", "a").map(Claim::state)).contains(ClaimState.TAKEN);
        assertThat(bare.get("v").attachments().on(NODE)).isEmpty();
        report(cluster, use("a"));
        assertThat(cluster.get("v").attachments().on(NODE).flatMap(Attachment::externalNodeId))
                .contains(ExternalNodeId.of("ext-n1"));
    }

    /** A claim of a plugin that attaches volumes needs the id of the machine. */
    @Test
    void useOnANodeWithoutExternalIdIsKeptIfThePluginAttaches() {
        cluster.fingerprint("n2");
        cluster.ok(
                new NodeCommand.RecordLedger(NodeId.of("n2"), new LedgerReport(List.of(use("a")), List.of()), 0, AT));
        assertThat(state("a")).isEmpty();
        Cluster bare = Cluster.withoutController().nodes("n2").volume("v", MULTI_NODE_MULTI_WRITER);
        bare.ok(new NodeCommand.UpsertNode(NODE, AT));
        report(bare, use("a"));
        assertThat(bare.claimOf("v", "a").map(Claim::state)).contains(ClaimState.TAKEN);
    }

    @Test
    void useOfANodeThatTheStateDoesNotHaveBecomesAClaim() {
        Cluster bare = Cluster.withoutController().nodes("n2").volume("v", MULTI_NODE_MULTI_WRITER);
        bare.ok(new ClaimCommand.AdoptUses(vol("v"), NodeId.of("n9"), List.of(use("a")), AT));
        assertThat(bare.claimOf("v", "a").map(Claim::nodeId)).contains(NodeId.of("n9"));
    }
}
