package io.csi4j.core.internal.apply;

import static io.csi4j.core.csi.VolumeAccessMode.MULTI_NODE_MULTI_WRITER;
import static io.csi4j.core.internal.apply.Cluster.AT;
import static io.csi4j.core.internal.apply.Cluster.PLUGIN;
import static io.csi4j.core.internal.apply.Cluster.alloc;
import static io.csi4j.core.internal.apply.Cluster.effects;
import static io.csi4j.core.internal.apply.Cluster.published;
import static io.csi4j.core.internal.apply.Cluster.vol;
import static io.csi4j.core.volume.ClaimMode.WRITE;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.cluster.LedgerReport;
import io.csi4j.core.cluster.Node;
import io.csi4j.core.cluster.NodeLedger;
import io.csi4j.core.cluster.NodeMachine;
import io.csi4j.core.cluster.NodeMachine.Former;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.command.Effect;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.internal.command.AttachmentCommand;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.NodeCommand.FormerMachine;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.AttachmentState;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.OperatorOverride;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeUse;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The rows of former machines after reports of new ones, and after statements about them. */
class NodeMachinesTest {
    private static final NodeId NODE = NodeId.of("n1");
    private static final ExternalNodeId FORMER = ExternalNodeId.of("ext-n1");
    private static final ExternalNodeId PRESENT = ExternalNodeId.of("ext-new");

    private final Cluster cluster = Cluster.attaching()
            .nodes("n1", "n2")
            .volume("v", MULTI_NODE_MULTI_WRITER)
            .volume("w", MULTI_NODE_MULTI_WRITER);

    private void reports(ExternalNodeId id) {
        cluster.fingerprint(
                "n1",
                cluster.instance("n1")
                        .nodeInfo(new NodeInfo(id, 0, Optional.of(Cluster.ZONE)))
                        .build());
    }

    private void claim(String allocation, String volume) {
        cluster.claim(allocation, "n1", volume, WRITE, MULTI_NODE_MULTI_WRITER);
        cluster.ok(published(volume, "n1"));
    }

    private void orphan(String volume, ExternalNodeId id) {
        cluster.ok(new AttachmentCommand.RecordOrphan(
                vol(volume), NODE, id, cluster.get(volume).modifyIndex(), AT));
    }

    private static NodeCommand.ResolveFormerMachine statement(ExternalNodeId former, FormerMachine meaning) {
        return statement(former, meaning, "ann");
    }

    private static NodeCommand.ResolveFormerMachine statement(
            ExternalNodeId former, FormerMachine meaning, String operator) {
        return new NodeCommand.ResolveFormerMachine(
                NODE, PLUGIN, former, PRESENT, meaning, operator, "looked at the rack", AT);
    }

    private static Optional<OperatorOverride> by(String operator) {
        return Optional.of(new OperatorOverride(operator, "looked at the rack", AT));
    }

    private Node node() {
        return cluster.state.node(NODE).orElseThrow();
    }

    private NodeMachine machine() {
        return node().machine(PLUGIN).orElseThrow();
    }

    private Optional<ExternalNodeId> attachedTo(String volume) {
        return cluster.attachment(volume, "n1").flatMap(Attachment::externalNodeId);
    }

    private Optional<ExternalNodeId> machineOf(String volume, String allocation) {
        return cluster.claimOf(volume, allocation).orElseThrow().externalNodeId();
    }

    private Optional<ClaimState> stateOf(String volume, String allocation) {
        return cluster.claimOf(volume, allocation).map(Claim::state);
    }

    @Test
    void renamedMachineKeepsItsClaimsAndAttachmentsUnderThePresentId() {
        claim("a", "v");
        claim("b", "v");
        reports(PRESENT);
        claim("c", "w");
        Volume other = cluster.get("w");
        assertThat(machine().former()).containsExactly(new Former(FORMER, false));

        cluster.ok(statement(FORMER, FormerMachine.RENAMED));
        assertThat(machineOf("v", "a")).contains(PRESENT);
        assertThat(machineOf("v", "b")).contains(PRESENT);
        assertThat(attachedTo("v")).contains(PRESENT);
        assertThat(stateOf("v", "a")).contains(ClaimState.TAKEN);
        assertThat(cluster.get("w")).as("a volume of the present machine").isEqualTo(other);
        assertThat(machine()).isEqualTo(new NodeMachine(PLUGIN, PRESENT, false, List.of(), by("ann")));
        cluster.unchanged(statement(FORMER, FormerMachine.RENAMED, "bob"));
    }

    @Test
    void lostMachineReleasesItsClaimsOnly() {
        claim("a", "v");
        reports(PRESENT);
        claim("c", "w");
        Outcome.Accepted lost = cluster.ok(statement(FORMER, FormerMachine.LOST));
        assertThat(effects(lost, Effect.ClaimReleasable.class))
                .containsExactly(new Effect.ClaimReleasable(vol("v"), alloc("a")));
        assertThat(stateOf("v", "a")).contains(ClaimState.UNPUBLISHING);
        assertThat(stateOf("w", "c")).contains(ClaimState.TAKEN);
        assertThat(attachedTo("v")).contains(FORMER);
        assertThat(machine())
                .isEqualTo(new NodeMachine(PLUGIN, PRESENT, false, List.of(new Former(FORMER, true)), by("ann")));

        cluster.unchanged(statement(FORMER, FormerMachine.LOST, "bob"));
        assertThat(machine().statement()).as("the first statement stays").isEqualTo(by("ann"));
    }

    @ParameterizedTest
    @EnumSource(FormerMachine.class)
    void statementAboutMachineThatOnlyAnAttachmentNamesIsRecorded(FormerMachine meaning) {
        orphan("v", FORMER);
        reports(PRESENT);
        orphan("w", PRESENT);
        Volume other = cluster.get("w");
        boolean renamed = meaning == FormerMachine.RENAMED;
        cluster.ok(statement(FORMER, meaning));
        assertThat(attachedTo("v")).contains(renamed ? PRESENT : FORMER);
        assertThat(cluster.get("w")).isEqualTo(other);
        assertThat(machine().former()).isEqualTo(renamed ? List.of() : List.of(new Former(FORMER, true)));
        assertThat(machine().statement()).isEqualTo(by("ann"));
    }

    @ParameterizedTest
    @EnumSource(FormerMachine.class)
    void statementAboutMachineThatNoRowNamesChangesNothing(FormerMachine meaning) {
        claim("a", "v");
        orphan("w", FORMER);
        reports(PRESENT);
        cluster.unchanged(statement(ExternalNodeId.of("ext-never"), meaning));
    }

    @Test
    void statementAboutOneOfTwoFormerMachinesKeepsTheOther() {
        ExternalNodeId second = ExternalNodeId.of("ext-m");
        claim("a", "v");
        reports(second);
        claim("b", "w");
        reports(PRESENT);
        assertThat(machine().former())
                .as("in the order of the ids")
                .containsExactly(new Former(second, false), new Former(FORMER, false));
        cluster.ok(statement(second, FormerMachine.LOST));
        assertThat(machine().former()).containsExactly(new Former(second, true), new Former(FORMER, false));
        assertThat(stateOf("v", "a")).contains(ClaimState.TAKEN);
        cluster.ok(statement(FORMER, FormerMachine.RENAMED, "bob"));
        assertThat(machine())
                .isEqualTo(new NodeMachine(PLUGIN, PRESENT, false, List.of(new Former(second, true)), by("bob")));

        reports(ExternalNodeId.of("ext-third"));
        assertThat(machine().former())
                .as("the statement about a machine stays when the node is replaced again")
                .containsExactly(new Former(second, true), new Former(PRESENT, false));
    }

    @ParameterizedTest
    @EnumSource(FormerMachine.class)
    void claimWithoutExternalIdBelongsToNoFormerMachine(FormerMachine meaning) {
        Cluster bare = Cluster.withoutController();
        bare.ok(new NodeCommand.UpsertNode(NODE, AT));
        bare.volume("v", MULTI_NODE_MULTI_WRITER);
        bare.fingerprint("n1", bare.instance("n1").nodeInfo(null).build());
        bare.claim("a", "n1", "v", WRITE, MULTI_NODE_MULTI_WRITER);
        bare.fingerprint("n1", bare.instance("n1").build());
        bare.claim("b", "n1", "v", WRITE, MULTI_NODE_MULTI_WRITER);
        bare.fingerprint(
                "n1",
                bare.instance("n1")
                        .nodeInfo(new NodeInfo(PRESENT, 0, Optional.of(Cluster.ZONE)))
                        .build());
        boolean renamed = meaning == FormerMachine.RENAMED;
        bare.ok(statement(FORMER, meaning));
        assertThat(bare.claimOf("v", "a").orElseThrow().externalNodeId()).isEmpty();
        assertThat(bare.claimOf("v", "a").orElseThrow().state()).isEqualTo(ClaimState.TAKEN);
        assertThat(bare.claimOf("v", "b").orElseThrow().externalNodeId()).contains(renamed ? PRESENT : FORMER);
        assertThat(bare.claimOf("v", "b").orElseThrow().state())
                .isEqualTo(renamed ? ClaimState.TAKEN : ClaimState.UNPUBLISHING);
    }

    /** The node answers that nothing is mounted; only the claim of the machine that answers, or a lost one, ends. */
    @Test
    void wordOfThePresentMachineEndsNoMountOfAFormerOne() {
        cluster.volume("x", MULTI_NODE_MULTI_WRITER);
        claim("a", "v");
        claim("b", "x");
        reports(PRESENT);
        claim("c", "w");
        cluster.ok(Cluster.checkpoint("v", "a", ClaimState.UNPUBLISHING));
        cluster.ok(Cluster.checkpoint("w", "c", ClaimState.UNPUBLISHING));
        cluster.unchanged(Cluster.checkpoint("v", "a", ClaimState.NODE_DETACHED));
        cluster.ok(Cluster.checkpoint("w", "c", ClaimState.NODE_DETACHED));
        cluster.ok(new ClaimCommand.OverrideClaim(vol("x"), alloc("b"), "ann", "it is gone", AT));
        cluster.ok(Cluster.checkpoint("x", "b", ClaimState.NODE_DETACHED));
        assertThat(stateOf("v", "a")).contains(ClaimState.UNPUBLISHING);
        cluster.ok(statement(FORMER, FormerMachine.LOST));
        cluster.ok(Cluster.checkpoint("v", "a", ClaimState.NODE_DETACHED));
    }

    private static LedgerReport report(ExternalNodeId machine, String externalVolumeId) {
        VolumeUse use = new VolumeUse(
                vol("unknown"),
                PLUGIN,
                ExternalVolumeId.of(externalVolumeId),
                alloc("x"),
                WRITE,
                RequestedCapability.mount(MULTI_NODE_MULTI_WRITER),
                false);
        return new LedgerReport(List.of(use), List.of()).of(Map.of(PLUGIN, machine));
    }

    private void ledger(LedgerReport report) {
        cluster.ok(new NodeCommand.RecordLedger(NODE, report, 0, AT));
    }

    @ParameterizedTest
    @EnumSource(FormerMachine.class)
    void statementEndsUsesThatFormerMachineReported(FormerMachine meaning) {
        reports(PRESENT);
        LedgerReport ofPresent = report(PRESENT, "mine");
        ledger(report(FORMER, "old"));
        ledger(ofPresent);
        assertThat(node().ledger().unclaimed()).hasSize(2);
        cluster.ok(statement(FORMER, meaning));
        assertThat(node().ledger()).isEqualTo(new NodeLedger(0, List.of(ofPresent)));
        assertThat(machine().former())
                .isEqualTo(meaning == FormerMachine.LOST ? List.of(new Former(FORMER, true)) : List.of());
    }

    /** A volume without a known user may be one of each plugin that the machine has named. */
    @Test
    void volumeWithoutKnownUserIsHeldUntilTheLastPluginOfTheMachineIsStated() {
        PluginId other = PluginId.of("q");
        LedgerReport unclear = new LedgerReport(List.of(), List.of(vol("v")));
        reports(PRESENT);
        ledger(unclear.of(Map.of(PLUGIN, FORMER, other, ExternalNodeId.of("q-1"))));
        cluster.ok(statement(FORMER, FormerMachine.LOST));
        assertThat(node().ledger().unclaimed()).containsExactly(unclear.of(Map.of(other, ExternalNodeId.of("q-1"))));
        ledger(unclear.of(Map.of(PLUGIN, ExternalNodeId.of("ext-third"))));
        assertThat(node().ledger().unclaimed()).hasSize(2);
        cluster.ok(statement(ExternalNodeId.of("ext-third"), FormerMachine.LOST));
        assertThat(node().ledger().unclaimed()).containsExactly(unclear.of(Map.of(other, ExternalNodeId.of("q-1"))));
    }

    /** The report may come after a first statement; then a second one has to end it. */
    @ParameterizedTest
    @CsvSource({"LOST, true", "LOST, false", "RENAMED, true", "RENAMED, false"})
    void goneNodeIsRemovedWithTheLastReportOfItsFormerMachine(FormerMachine meaning, boolean before) {
        reports(PRESENT);
        if (before) {
            ledger(report(FORMER, "old"));
            cluster.ok(statement(FORMER, meaning));
        }
        ledger(report(FORMER, "late"));
        cluster.ok(new NodeCommand.RemoveNode(NODE, "", AT));
        assertThat(cluster.statusOf("n1"))
                .as("the former machine may still use a volume")
                .contains(NodeStatus.GONE);
        Outcome.Accepted last = cluster.ok(statement(FORMER, meaning, "bob"));
        assertThat(effects(last, Effect.NodeRemoved.class)).containsExactly(new Effect.NodeRemoved(NODE));
        assertThat(cluster.statusOf("n1")).isEmpty();
    }

    @Test
    void goneNodeThatReturnsKeepsTheReportsOfItsFormerMachine() {
        reports(PRESENT);
        ledger(report(FORMER, "old"));
        cluster.ok(new NodeCommand.RemoveNode(NODE, "", AT));
        List<LedgerReport> left = node().ledger().unclaimed();
        assertThat(left).hasSize(1);
        cluster.ok(new NodeCommand.UpsertNode(NODE, AT.plusSeconds(1)));
        assertThat(node().status()).isEqualTo(NodeStatus.READY);
        assertThat(node().since()).isEqualTo(AT.plusSeconds(1));
        assertThat(node().ledger())
                .as("no ledger is missing: the state is not a restored one")
                .isEqualTo(new NodeLedger(0, left));
        cluster.unchanged(new NodeCommand.UpsertNode(NODE, AT.plusSeconds(2)));
    }

    /** A restored state may be older than a node that it does not have, also when all nodes that it has have reported. */
    @Test
    void newNodeReportsItsLedgerIfTheStateWasRestored() {
        ledger(report(FORMER, "unknown"));
        assertThat(node().ledger().isSettled()).isFalse();
        cluster.ok(new NodeCommand.UpsertNode(NodeId.of("n3"), AT));
        assertThat(missing("n3")).isFalse();
        cluster.ok(new NodeCommand.RequireLedgers("restored", AT.plusSeconds(1)));
        ledger(report(FORMER, "unknown"));
        assertThat(missing("n1")).isFalse();
        cluster.ok(new NodeCommand.RemoveNode(NodeId.of("n3"), "", AT));
        cluster.ok(new NodeCommand.UpsertNode(NodeId.of("n4"), AT));
        assertThat(missing("n4")).isTrue();
    }

    private void status(NodeStatus status) {
        cluster.ok(
                status == NodeStatus.FENCED
                        ? new NodeCommand.FenceNode(NODE, "off", AT)
                        : new NodeCommand.SetNodeStatus(NODE, status, "", AT));
    }

    @Test
    void machineStaysFencedUntilItReportsOnAReadyNode() {
        claim("a", "v");
        assertThat(machine().fenced()).isFalse();
        status(NodeStatus.FENCED);
        assertThat(machine().fenced()).isTrue();
        reports(FORMER);
        assertThat(machine().fenced())
                .as("the report may have been on its way when the host fenced the node")
                .isTrue();
        status(NodeStatus.READY);
        assertThat(machine().fenced())
                .as("the host has not seen the machine yet")
                .isTrue();
        reports(FORMER);
        assertThat(machine().fenced()).isFalse();
        assertThat(machine().former()).isEmpty();
        cluster.unchanged(new PluginCommand.FingerprintNode(
                NODE, List.of(cluster.instance("n1").build()), AT));
    }

    @ParameterizedTest
    @CsvSource({"true", "false"})
    void formerMachineIsLostIfTheHostFencedIt(boolean fenced) {
        claim("a", "v");
        if (fenced) {
            status(NodeStatus.FENCED);
            status(NodeStatus.READY);
        }
        reports(PRESENT);
        assertThat(machine())
                .isEqualTo(
                        new NodeMachine(PLUGIN, PRESENT, false, List.of(new Former(FORMER, fenced)), Optional.empty()));
        status(NodeStatus.FENCED);
        status(NodeStatus.READY);
        reports(ExternalNodeId.of("ext-third"));
        assertThat(machine().former())
                .as("the second fencing is about the machine of then, which has no claim")
                .containsExactly(new Former(FORMER, fenced));
    }

    @Test
    void formerMachineIsForgottenWithItsLastClaimAtTheNextReport() {
        Cluster bare = Cluster.withoutController().nodes("n1").volume("v", MULTI_NODE_MULTI_WRITER);
        bare.claim("a", "n1", "v", WRITE, MULTI_NODE_MULTI_WRITER);
        PluginCommand.FingerprintNode replaced = new PluginCommand.FingerprintNode(
                NODE,
                List.of(bare.instance("n1")
                        .nodeInfo(new NodeInfo(PRESENT, 0, Optional.of(Cluster.ZONE)))
                        .build()),
                AT);
        bare.ok(replaced);
        assertThat(bare.state
                        .node(NODE)
                        .orElseThrow()
                        .machine(PLUGIN)
                        .orElseThrow()
                        .former())
                .as("the claim names it, and nothing is attached")
                .containsExactly(new Former(FORMER, false));
        bare.unchanged(replaced);
        bare.ok(statement(FORMER, FormerMachine.LOST));
        bare.ok(Cluster.checkpoint("v", "a", ClaimState.NODE_DETACHED));
        bare.ok(Cluster.checkpoint("v", "a", ClaimState.READY_TO_FREE));
        bare.ok(Cluster.free("v", "a"));
        bare.ok(replaced);
        assertThat(bare.state.node(NODE).orElseThrow().machine(PLUGIN).orElseThrow())
                .isEqualTo(new NodeMachine(PLUGIN, PRESENT, false, List.of(), by("ann")));
    }

    @Test
    void restoredStateForgetsLossesAndPublishesAgain() {
        claim("a", "v");
        claim("b", "w");
        reports(PRESENT);
        cluster.ok(statement(FORMER, FormerMachine.LOST));
        status(NodeStatus.FENCED);
        cluster.ok(Cluster.checkpoint("w", "b", ClaimState.NODE_DETACHED));
        cluster.ok(Cluster.unpublishing("w", "n1"));
        Attachment leaving = cluster.attachment("w", "n1").orElseThrow();
        cluster.ok(new NodeCommand.RequireLedgers("restored", AT.plusSeconds(1)));
        assertThat(machine())
                .isEqualTo(new NodeMachine(PLUGIN, PRESENT, false, List.of(new Former(FORMER, false)), by("ann")));
        assertThat(node().status()).isEqualTo(NodeStatus.DOWN);
        assertThat(cluster.attachment("v", "n1")).hasValueSatisfying(again -> {
            assertThat(again.state()).isEqualTo(AttachmentState.PUBLISHING);
            assertThat(again.publishContext().isEmpty()).isTrue();
        });
        assertThat(cluster.attachment("w", "n1")).contains(leaving);
    }

    private boolean missing(String node) {
        return cluster.state.node(NodeId.of(node)).orElseThrow().ledger().missing();
    }
}
