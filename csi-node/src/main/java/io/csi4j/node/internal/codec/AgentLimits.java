package io.csi4j.node.internal.codec;

import com.google.protobuf.Message;
import io.csi4j.client.internal.limit.FieldLimits;
import io.csi4j.core.internal.check.InputLimit;
import io.csi4j.proto.agent.v1.AgentProto.Acknowledgement;
import io.csi4j.proto.agent.v1.AgentProto.AgentAnswer;
import io.csi4j.proto.agent.v1.AgentProto.AgentCall;
import io.csi4j.proto.agent.v1.AgentProto.CancelClaimCall;
import io.csi4j.proto.agent.v1.AgentProto.ClaimAnswer;
import io.csi4j.proto.agent.v1.AgentProto.ClaimCall;
import io.csi4j.proto.agent.v1.AgentProto.Fingerprint;
import io.csi4j.proto.agent.v1.AgentProto.FingerprintAnswer;
import io.csi4j.proto.agent.v1.AgentProto.FingerprintRequest;
import io.csi4j.proto.agent.v1.AgentProto.HostMessage;
import io.csi4j.proto.agent.v1.AgentProto.ReleasedCall;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** The limits of the messages between nodes and servers, which each side applies to what arrives. */
public final class AgentLimits {
    private static final FieldLimits LIMITS = limits();

    private AgentLimits() {}

    private static FieldLimits limits() {
        return FieldLimits.of(List.of(
                        AgentCall.getDescriptor(),
                        AgentAnswer.getDescriptor(),
                        FingerprintRequest.getDescriptor(),
                        FingerprintAnswer.getDescriptor(),
                        ClaimCall.getDescriptor(),
                        ClaimAnswer.getDescriptor(),
                        CancelClaimCall.getDescriptor(),
                        ReleasedCall.getDescriptor(),
                        Acknowledgement.getDescriptor(),
                        HostMessage.getDescriptor()))
                .value(
                        InputLimit.ID,
                        name("VolumeUse.external_volume_id"),
                        name("ReportedVolume.external_volume_id"),
                        name("CallSubject.volume"))
                .value(
                        InputLimit.NODE_ID,
                        name("DetachCall.external_node_id"),
                        name("GrantedVolume.external_node_id"),
                        name("NodeMachineChanged.expected"),
                        name("NodeMachineChanged.present"),
                        "csi4j.values.v1.NodeInfo.external_node_id",
                        "csi4j.values.v1.MachineIds.Plugin.external_node_id")
                .value(InputLimit.ATTEMPT, name("ClaimCall.attempt"), name("CancelClaimCall.attempt"))
                .value(InputLimit.TOPOLOGY_PART, "csi4j.values.v1.Topology.segments")
                .value(
                        InputLimit.TEXT,
                        name("Failure.message"),
                        name("Failure.summary"),
                        name("Problem.field"),
                        name("Problem.problem"),
                        name("Problem.remedy"),
                        name("NotAdmitted.detail"),
                        name("Waiting.reason"),
                        name("AccessNeed.caller"),
                        name("ForgetCall.operator"),
                        name("ForgetCall.reason"),
                        name("Fingerprint.health_description"),
                        name("ReportedVolume.waiting_for"),
                        name("ReportedVolume.last_error"),
                        name("ReportedVolume.staging_problem"),
                        name("ReportedUse.problem"),
                        "csi4j.values.v1.RepublishOptions.audiences",
                        "csi4j.values.v1.OwnershipSettings.excludes")
                .value(
                        InputLimit.MESSAGE,
                        name("PluginCall.request"),
                        name("AgentAnswer.response"),
                        name("AgentAnswer.stats"),
                        name("AgentAnswer.health"),
                        name("AgentAnswer.storage_health"),
                        name("AgentAnswer.plugin_info"),
                        name("HostMessage.volume_stats"),
                        name("HostMessage.volume_health"),
                        name("HostMessage.storage_health"),
                        name("HostMessage.plugin_info"),
                        name("MetadataPage.messages"))
                .count(InputLimit.PAGE_MESSAGES, name("MetadataPage.messages"))
                .count(
                        InputLimit.NODE_VOLUMES,
                        name("VolumeUses.uses"),
                        name("LedgerReport.uses"),
                        name("LedgerReport.unclear"),
                        name("NodeReport.volumes"),
                        name("ReportedVolume.uses"))
                .count(InputLimit.PROBLEMS, name("Failure.problems"))
                .count(InputLimit.INSTANCES, name("FingerprintRequest.instances"), "csi4j.values.v1.MachineIds.plugins")
                .count(
                        InputLimit.CAPABILITIES,
                        "csi4j.values.v1.Capabilities.numbers",
                        name("ClaimedTemplate.requested_capabilities"))
                .count(
                        InputLimit.CLAIMED_VOLUMES,
                        name("ClaimCall.volumes"),
                        name("Grant.volumes"),
                        name("ClaimedVolumes.volumes"))
                .count(
                        InputLimit.FLAGS,
                        "csi4j.values.v1.MountOptions.mount_flags",
                        name("MountTarget.mount_flags"),
                        "csi4j.values.v1.RepublishOptions.audiences",
                        "csi4j.values.v1.OwnershipSettings.excludes")
                .value(
                        InputLimit.MOUNT_FLAGS,
                        "csi4j.values.v1.MountOptions.mount_flags",
                        name("MountTarget.mount_flags"))
                .build();
    }

    private static String name(String field) {
        return "csi4j.agent.v1." + field;
    }

    /** Describes the first field of a message that is beyond its limit; empty if there is none. */
    public static Optional<String> problem(Message message) {
        return LIMITS.excess(message).map(excess -> excess.field() + " " + excess.problem());
    }

    /**
     * Checks a message.
     *
     * @throws IllegalArgumentException if a field is beyond its limit
     */
    public static void check(Message message) {
        problem(message).ifPresent(problem -> {
            throw new IllegalArgumentException(problem + "; the message is refused");
        });
    }

    /**
     * Returns the report of a node in which a plugin with a field beyond its limit is not healthy, and has no facts. The
     * other plugins of the node stay as they are.
     *
     * @param refused gets the problem of each such plugin
     */
    public static FingerprintRequest perPlugin(FingerprintRequest report, Consumer<String> refused) {
        FingerprintRequest.Builder reduced = report.toBuilder().clearInstances();
        for (Fingerprint instance : report.getInstancesList()) {
            Optional<String> problem = problem(instance);
            problem.ifPresent(refused);
            reduced.addInstances(
                    problem.map(text -> withoutFacts(instance, text)).orElse(instance));
        }
        return reduced.build();
    }

    private static Fingerprint withoutFacts(Fingerprint instance, String problem) {
        return Fingerprint.newBuilder()
                .setInstance(instance.getInstance())
                .setHealthDescription("the facts of this plugin are refused: " + problem)
                .setStartedAt(instance.getStartedAt())
                .setUpdatedAt(instance.getUpdatedAt())
                .build();
    }
}
