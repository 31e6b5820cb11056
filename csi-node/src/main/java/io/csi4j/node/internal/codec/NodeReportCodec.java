package io.csi4j.node.internal.codec;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.internal.text.Text;
import io.csi4j.core.spi.NodeForget;
import io.csi4j.core.spi.NodeReport;
import io.csi4j.core.spi.NodeVolume;
import io.csi4j.proto.agent.v1.AgentProto;
import io.csi4j.proto.agent.v1.AgentProto.ForgetCall;
import io.csi4j.proto.agent.v1.AgentProto.ReportedUse;
import io.csi4j.proto.agent.v1.AgentProto.ReportedVolume;
import io.csi4j.values.internal.Values;
import java.time.Duration;
import java.util.Optional;

/** Converts the reports of nodes, and the orders to forget an unmount, to protocol messages and back. */
public final class NodeReportCodec {
    private static final int LONGEST_TEXT = 500;

    private NodeReportCodec() {}

    public static AgentProto.NodeReport write(NodeReport report) {
        AgentProto.NodeReport.Builder built = AgentProto.NodeReport.newBuilder();
        report.volumes().forEach(volume -> built.addVolumes(write(volume)));
        return built.build();
    }

    /**
     * Reads a report. A state that this version does not know is read as MOUNTED, because the volume may be mounted.
     *
     * @throws IllegalArgumentException if a part cannot be read
     */
    public static NodeReport read(AgentProto.NodeReport report) {
        return new NodeReport(
                report.getVolumesList().stream().map(NodeReportCodec::read).toList());
    }

    private static ReportedVolume write(NodeVolume volume) {
        ReportedVolume.Builder built = ReportedVolume.newBuilder()
                .setVolume(Values.key(volume.volume()))
                .setRecordLost(volume.recordLost())
                .setStaged(volume.staged())
                .setStagingProblem(cut(volume.stagingProblem()))
                .setWaitingFor(cut(volume.waitingFor()))
                .setLastError(cut(volume.lastError()))
                .setUnfinishedForMillis(volume.unfinishedFor().toMillis());
        volume.pluginId().map(PluginId::value).ifPresent(built::setPluginId);
        volume.externalVolumeId().map(ExternalVolumeId::value).ifPresent(built::setExternalVolumeId);
        volume.uses().forEach(use -> built.addUses(write(use)));
        volume.call()
                .ifPresent(call -> built.setCall(call.rpc().csiName())
                        .setCallAgeMillis(call.age().toMillis()));
        return built.build();
    }

    private static NodeVolume read(ReportedVolume volume) {
        return new NodeVolume(
                Values.key(volume.getVolume()),
                volume.hasPluginId() ? Optional.of(PluginId.of(volume.getPluginId())) : Optional.empty(),
                volume.hasExternalVolumeId()
                        ? Optional.of(ExternalVolumeId.of(volume.getExternalVolumeId()))
                        : Optional.empty(),
                volume.getRecordLost(),
                volume.getStaged(),
                plain(volume.getStagingProblem()),
                volume.getUsesList().stream().map(NodeReportCodec::read).toList(),
                Rpc.ofCsiName(volume.getCall()).map(rpc -> new NodeVolume.Call(rpc, age(volume.getCallAgeMillis()))),
                plain(volume.getWaitingFor()),
                plain(volume.getLastError()),
                age(volume.getUnfinishedForMillis()));
    }

    private static ReportedUse write(NodeVolume.Use use) {
        ReportedUse.Builder built = ReportedUse.newBuilder()
                .setAllocationId(use.allocationId().value())
                .setState(
                        switch (use.state()) {
                            case MOUNTING -> AgentProto.UseState.USE_STATE_MOUNTING;
                            case MOUNTED -> AgentProto.UseState.USE_STATE_MOUNTED;
                            case UNMOUNTING -> AgentProto.UseState.USE_STATE_UNMOUNTING;
                        })
                .setReadonly(use.readonly())
                .setProblem(cut(use.problem()));
        use.capability().ifPresent(capability -> built.setCapability(IdCodec.write(capability)));
        return built.build();
    }

    private static NodeVolume.Use read(ReportedUse use) {
        NodeVolume.State state = switch (use.getState()) {
            case USE_STATE_MOUNTING -> NodeVolume.State.MOUNTING;
            case USE_STATE_UNMOUNTING -> NodeVolume.State.UNMOUNTING;
            case USE_STATE_MOUNTED, USE_STATE_UNSPECIFIED, UNRECOGNIZED -> NodeVolume.State.MOUNTED;
        };
        return new NodeVolume.Use(
                AllocationId.of(use.getAllocationId()),
                state,
                use.hasCapability() ? Optional.of(IdCodec.read(use.getCapability())) : Optional.empty(),
                use.getReadonly(),
                plain(use.getProblem()));
    }

    public static ForgetCall write(NodeForget forget) {
        return ForgetCall.newBuilder()
                .setVolume(Values.key(forget.volume()))
                .setAllocationId(forget.allocationId().value())
                .setOperator(forget.operator())
                .setReason(forget.reason())
                .build();
    }

    public static NodeForget read(ForgetCall call) {
        return new NodeForget(
                Values.key(call.getVolume()),
                AllocationId.of(call.getAllocationId()),
                call.getOperator(),
                call.getReason());
    }

    private static Duration age(long millis) {
        return Duration.ofMillis(Math.max(0, millis));
    }

    /** Limits a text, because a report may have many. */
    private static String cut(String text) {
        String line = Text.printable(text);
        return line.length() <= LONGEST_TEXT ? line : line.substring(0, LONGEST_TEXT) + "... (cut)";
    }

    private static String plain(String text) {
        return cut(PeerText.plain(text));
    }
}
