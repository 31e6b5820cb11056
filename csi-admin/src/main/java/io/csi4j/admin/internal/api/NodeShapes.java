package io.csi4j.admin.internal.api;

import io.csi4j.admin.internal.json.Shape;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.cluster.LedgerReport;
import io.csi4j.core.cluster.NodeMachine;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.lifecycle.NodeView;
import io.csi4j.core.lifecycle.VolumeStatus;
import io.csi4j.core.spi.NodeReport;
import io.csi4j.core.spi.NodeVolume;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.VolumeUse;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The shapes of nodes. */
final class NodeShapes {
    private static final Shape<NodeVolume.Use> USE = Shape.<NodeVolume.Use>of(
                    "NodeUse", "A mount of a volume for an allocation.")
            .text("allocation", "The allocation.", NodeVolume.Use::allocationId)
            .column()
            .choice("state", "The progress of the mount or unmount.", NodeVolume.State.class, NodeVolume.Use::state)
            .column()
            .maybe(
                    "capability",
                    "The use; absent if the node has lost its record.",
                    Shapes.CAPABILITY,
                    NodeVolume.Use::capability)
            .flag("readonly", "Whether the mount is read-only.", NodeVolume.Use::readonly)
            .column()
            .text(
                    "problem",
                    "The problem that the last check of the mount found; empty if it found none.",
                    NodeVolume.Use::problem)
            .column()
            .build();

    private static final Shape<NodeVolume.Call> CALL = Shape.<NodeVolume.Call>of(
                    "NodeCall", "A call of the node to the plugin that has not ended.")
            .choice("rpc", "The RPC.", Rpc.class, NodeVolume.Call::rpc)
            .seconds("age", "The time since it was sent.", NodeVolume.Call::age)
            .build();

    /** A volume on a node. */
    private static final Shape<NodeVolume> VOLUME = volume(
                    Shape.<NodeVolume>of("NodeVolume", "A volume that a node has mounted or staged, as it reported."),
                    volume -> volume)
            .build();

    /** A volume on one of its nodes. */
    static final Shape<VolumeStatus.OnNode> ON_NODE = volume(
                    Shape.<VolumeStatus.OnNode>of("VolumeOnNode", "What a node has reported of the volume.")
                            .text("node", "The node.", VolumeStatus.OnNode::nodeId)
                            .column()
                            .time(
                                    "reportedAt",
                                    "The time at which this server got the report.",
                                    VolumeStatus.OnNode::reportedAt)
                            .column("REPORTED"),
                    VolumeStatus.OnNode::volume)
            .build();

    private static final Shape<NodeMachine.Former> FORMER = Shape.<NodeMachine.Former>of(
                    "FormerNodeMachine", "A machine that was behind the node before.")
            .text("externalNodeId", "Its id at the storage provider.", NodeMachine.Former::externalNodeId)
            .flag(
                    "lost",
                    "Whether the host or an operator has said that it cannot reach storage any more.",
                    NodeMachine.Former::lost)
            .build();

    private static final Shape<NodeMachine> MACHINE = Shape.<NodeMachine>of(
                    "NodeMachine", "The machine behind a node, as one plugin identifies it.")
            .text("plugin", "The plugin.", NodeMachine::pluginId)
            .column()
            .text("externalNodeId", "Its id at the storage provider.", NodeMachine::externalNodeId)
            .column()
            .flag("fenced", "Whether the host has fenced or removed the node since.", NodeMachine::fenced)
            .column()
            .objects("former", "The machines that claims or attachments still have.", FORMER, NodeMachine::former)
            .maybe(
                    "statement",
                    "The last statement of an operator about a former machine.",
                    Shapes.STATEMENT,
                    NodeMachine::statement)
            .build();

    private static final Shape<VolumeUse> LEDGER_USE = Shape.<VolumeUse>of(
                    "LedgerUse", "A use of a volume on a node that no claim of the state represents.")
            .text(
                    "namespace",
                    "The namespace of the volume.",
                    use -> use.volume().namespace().value())
            .column()
            .text(
                    "volume",
                    "The volume, as the node knows it.",
                    use -> use.volume().volumeId().value())
            .column()
            .text("plugin", "The plugin of the volume.", VolumeUse::pluginId)
            .column()
            .text("externalVolumeId", "The storage provider's id of the volume.", VolumeUse::externalVolumeId)
            .text("allocation", "The allocation.", VolumeUse::allocationId)
            .column()
            .choice("mode", "READ if it is mounted read-only.", ClaimMode.class, VolumeUse::mode)
            .object("capability", "The use.", Shapes.CAPABILITY, VolumeUse::capability)
            .flag("leaving", "Whether the node is unmounting it.", VolumeUse::leaving)
            .build();

    /** A node in a list. */
    static final Shape<NodeView> SUMMARY =
            node(Shape.<NodeView>of("NodeSummary", "A node in a list.")).build();

    /** A node. */
    static final Shape<NodeView> STATUS = node(Shape.<NodeView>of(
                    "NodeStatus", "A node with the report of its agent: its mounts and stagings."))
            .number(
                    "modifyIndex",
                    "The index of the last command that changed it.",
                    view -> view.node().modifyIndex())
            .objects(
                    "machines",
                    "The machine behind it, for each plugin.",
                    MACHINE,
                    view -> view.node().machines())
            .flag(
                    "ledgerMissing",
                    "Whether the node has to report what it has mounted, since the state was restored.",
                    view -> view.node().ledger().missing())
            .objects(
                    "unclaimed",
                    "The uses that it reported and that no claim represents.",
                    LEDGER_USE,
                    view -> view.node().ledger().unclaimed().stream()
                            .map(LedgerReport::uses)
                            .flatMap(List::stream)
                            .toList())
            .objects(
                    "volumes",
                    "The volumes of the last report; none without a report.",
                    VOLUME,
                    view -> view.report().map(NodeReport::volumes).orElse(List.of()))
            .build();

    private NodeShapes() {}

    private static <T> Shape.Builder<T> volume(Shape.Builder<T> shape, Function<T, NodeVolume> volume) {
        return shape.text(
                        "namespace",
                        "The namespace of the volume.",
                        v -> volume.apply(v).volume().namespace().value())
                .column()
                .text(
                        "volume",
                        "The volume.",
                        v -> volume.apply(v).volume().volumeId().value())
                .column()
                .text(
                        "plugin",
                        "The plugin; absent if the node has lost its record.",
                        v -> volume.apply(v).pluginId())
                .optional()
                .text(
                        "externalVolumeId",
                        "The storage provider's id; absent if the node has lost its record.",
                        v -> volume.apply(v).externalVolumeId())
                .optional()
                .flag(
                        "recordLost",
                        "Whether the node has lost its record, so that it may have mounts that no use explains.",
                        v -> volume.apply(v).recordLost())
                .flag(
                        "staged",
                        "Whether it is staged, as far as the node knows.",
                        v -> volume.apply(v).staged())
                .column()
                .text(
                        "stagingProblem",
                        "The problem that the last check of the staging found; empty if it found none.",
                        v -> volume.apply(v).stagingProblem())
                .text(
                        "broken",
                        "The mounts that the last check found broken, with the reason of each; empty if it found none.",
                        v -> broken(volume.apply(v)))
                .column()
                .objects(
                        "uses",
                        "The allocations that use or request it, or are being unmounted.",
                        USE,
                        v -> volume.apply(v).uses())
                .maybe(
                        "call",
                        "The call to the plugin in flight.",
                        CALL,
                        v -> volume.apply(v).call())
                .text(
                        "waitingFor",
                        "The reason why the work waits; empty if it does not.",
                        v -> volume.apply(v).waitingFor())
                .column()
                .text(
                        "lastError",
                        "The failure of the step that failed last; empty if it has succeeded since.",
                        v -> volume.apply(v).lastError())
                .column("ERROR")
                .seconds(
                        "unfinishedFor",
                        "The time since the work began; 0 if there is none.",
                        v -> volume.apply(v).unfinishedFor())
                .column("UNFINISHED");
    }

    private static Shape.Builder<NodeView> node(Shape.Builder<NodeView> shape) {
        return shape.text("node", "The node.", view -> view.node().id())
                .column()
                .choice(
                        "status",
                        "The status that the host reported.",
                        NodeStatus.class,
                        view -> view.node().status())
                .column()
                .time(
                        "since",
                        "The time at which it got the status.",
                        view -> view.node().since())
                .column()
                .text(
                        "reason",
                        "The reason of the status; may be empty.",
                        view -> view.node().reason())
                .column()
                .time("lastContact", "The time at which its agent last answered this server.", NodeView::lastContact)
                .optional()
                .column("CONTACT")
                .seconds(
                        "silentFor",
                        "The time since the first question that its agent has not answered; absent if it answered.",
                        NodeView::silentFor)
                .optional()
                .column("SILENT")
                .text(
                        "contactProblem",
                        "The reason why the last question has no answer; empty if it was answered.",
                        NodeView::contactProblem)
                .optional()
                .flag(
                        "connected",
                        "Whether its agent is connected to this server; absent if no connection is known.",
                        view -> view.connection().map(connection -> connection.connected()))
                .optional()
                .time(
                        "connectedSince",
                        "The time at which the agent connected, or lost its connection.",
                        view -> view.connection().flatMap(connection -> connection.since()))
                .optional()
                .text(
                        "refusal",
                        "The reason why this server refused the agent's last call; empty if it did not.",
                        view -> view.connection().map(connection -> connection.refusal()))
                .optional()
                .number(
                        "volumeCount",
                        "The volumes of the last report.",
                        view -> view.report().map(report -> report.volumes().size()))
                .optional()
                .column("VOLUMES")
                .number(
                        "unfinishedCount",
                        "The volumes whose mount or unmount is not finished.",
                        view -> view.report().map(report -> report.unfinished().size()))
                .optional()
                .column("UNFINISHED");
    }

    private static String broken(NodeVolume volume) {
        Stream<String> staging = volume.stagingProblem().isEmpty()
                ? Stream.empty()
                : Stream.of("the staging (" + volume.stagingProblem() + ")");
        Stream<String> uses = volume.uses().stream()
                .filter(use -> !use.problem().isEmpty())
                .map(use -> "the mount of allocation " + use.allocationId() + " (" + use.problem() + ")");
        return Stream.concat(staging, uses).collect(Collectors.joining("; "));
    }
}
