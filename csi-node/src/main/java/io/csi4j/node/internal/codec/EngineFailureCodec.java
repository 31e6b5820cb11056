package io.csi4j.node.internal.codec;

import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.CsiException;
import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.command.AdmissionDecision;
import io.csi4j.core.command.NeverReason;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.lifecycle.ClaimLostException;
import io.csi4j.core.lifecycle.RejectedException;
import io.csi4j.core.spi.Access;
import io.csi4j.core.spi.AccessDeniedException;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.node.NodeVolumeException;
import io.csi4j.proto.agent.v1.AgentProto.AccessNeed;
import io.csi4j.proto.agent.v1.AgentProto.CallSubject;
import io.csi4j.proto.agent.v1.AgentProto.ClaimLoss;
import io.csi4j.proto.agent.v1.AgentProto.Failure;
import io.csi4j.proto.agent.v1.AgentProto.FailureKind;
import io.csi4j.proto.agent.v1.AgentProto.FingerprintOutdated;
import io.csi4j.proto.agent.v1.AgentProto.NodeLost;
import io.csi4j.proto.agent.v1.AgentProto.NodeMachineChanged;
import io.csi4j.proto.agent.v1.AgentProto.NotAdmitted;
import io.csi4j.proto.agent.v1.AgentProto.WrongPhase;
import io.csi4j.values.internal.Values;
import java.util.Optional;

/** Converts exceptions of the engine and of the node side to protocol messages and back. */
public final class EngineFailureCodec {
    private EngineFailureCodec() {}

    /**
     * Adds the details of an exception of the engine to a message, so that the peer can create the same exception. Adds
     * nothing for other exceptions.
     */
    public static void write(Throwable failure, Failure.Builder reported) {
        if (failure instanceof CsiCallException call) {
            CallSubject.Builder subject =
                    CallSubject.newBuilder().setRpc(call.rpc().csiName()).setPluginId(call.plugin());
            call.volume().ifPresent(subject::setVolume);
            reported.setCall(subject);
        } else if (failure instanceof RejectedException rejected) {
            write(rejected.reason(), reported);
        } else if (failure instanceof ClaimLostException lost) {
            reported.setClaimLoss(ClaimLoss.newBuilder()
                    .setVolume(Values.key(lost.volume()))
                    .setAllocationId(lost.allocationId().value()));
        } else if (failure instanceof NodeVolumeException onNode) {
            reported.setNodeReason(onNode.reason().name());
        } else if (failure instanceof AccessDeniedException denied) {
            denied.access().ifPresent(access -> {
                AccessNeed.Builder need = AccessNeed.newBuilder()
                        .setCaller(denied.caller())
                        .setPermission(access.permission().name());
                access.namespace().ifPresent(namespace -> need.setNamespace(namespace.value()));
                reported.setAccessNeed(need);
            });
        }
    }

    private static void write(Rejection reason, Failure.Builder reported) {
        if (!aboutClaim(reason, reported)) {
            aboutCluster(reason, reported);
        }
    }

    private static boolean aboutClaim(Rejection reason, Failure.Builder reported) {
        if (reason instanceof Rejection.VolumeNotFound absent) {
            reported.setVolumeNotFound(Values.key(absent.key()));
        } else if (reason instanceof Rejection.AllocationNotFound absent) {
            reported.setAllocationNotFound(absent.allocationId().value());
        } else if (reason instanceof Rejection.AllocationEnded ended) {
            reported.setAllocationEnded(ended.allocationId().value());
        } else if (reason instanceof Rejection.NotAdmitted refused
                && refused.decision() instanceof AdmissionDecision.Never never) {
            reported.setNotAdmitted(NotAdmitted.newBuilder()
                    .setVolume(Values.key(refused.key()))
                    .setAllocationId(refused.allocationId().value())
                    .setReason(never.reason().name())
                    .setDetail(never.detail()));
        } else if (reason instanceof Rejection.WrongPhase wrong) {
            reported.setWrongPhase(WrongPhase.newBuilder()
                    .setVolume(Values.key(wrong.key()))
                    .setPhase(wrong.phase().name())
                    .setWanted(wrong.wanted().name()));
        } else if (reason instanceof Rejection.CreationUnfinished unfinished) {
            reported.setCreationUnfinished(Values.key(unfinished.key()));
        } else if (reason instanceof Rejection.DeletionUnfinished unfinished) {
            reported.setDeletionUnfinished(Values.key(unfinished.key()));
        } else {
            return false;
        }
        return true;
    }

    private static void aboutCluster(Rejection reason, Failure.Builder reported) {
        if (reason instanceof Rejection.FingerprintOutdated outdated) {
            reported.setFingerprintOutdated(FingerprintOutdated.newBuilder()
                    .setNodeId(outdated.nodeId().value())
                    .setOrder(outdated.order())
                    .setNewest(outdated.newest()));
        } else if (reason instanceof Rejection.NodeNotFound absent) {
            reported.setNodeNotFound(absent.nodeId().value());
        } else if (reason instanceof Rejection.NodeLost lost) {
            reported.setNodeLost(NodeLost.newBuilder()
                    .setNodeId(lost.nodeId().value())
                    .setStatus(lost.status().name()));
        } else if (reason instanceof Rejection.NodeMachineChanged changed) {
            NodeMachineChanged.Builder machine = NodeMachineChanged.newBuilder()
                    .setNodeId(changed.nodeId().value())
                    .setPluginId(changed.pluginId().value())
                    .setExpected(changed.expected().value());
            changed.present().map(ExternalNodeId::value).ifPresent(machine::setPresent);
            reported.setNodeMachineChanged(machine);
        }
    }

    /** Returns the exception that a caller on the server would get; empty if this version does not know its type. */
    public static Optional<CsiException> read(Failure failure) {
        try {
            return known(failure);
        } catch (IllegalArgumentException unreadable) {
            // Returns empty for a failure whose type only a newer version knows. The caller of this method then uses
            // only the text of the failure.
            return Optional.empty();
        }
    }

    private static Optional<CsiException> known(Failure failure) {
        if (failure.getKind() == FailureKind.FAILURE_KIND_REQUEST && failure.getProblemsCount() > 0) {
            return Optional.of(new CsiRequestException("the request", FailureCodec.problems(failure, PeerText::plain)));
        }
        return switch (failure.getReasonCase()) {
            case CALL -> call(failure);
            case VOLUME_NOT_FOUND -> rejected(new Rejection.VolumeNotFound(Values.key(failure.getVolumeNotFound())));
            case ALLOCATION_NOT_FOUND ->
                rejected(new Rejection.AllocationNotFound(AllocationId.of(failure.getAllocationNotFound())));
            case ALLOCATION_ENDED ->
                rejected(new Rejection.AllocationEnded(AllocationId.of(failure.getAllocationEnded())));
            case NOT_ADMITTED -> {
                NotAdmitted refused = failure.getNotAdmitted();
                yield rejected(new Rejection.NotAdmitted(
                        Values.key(refused.getVolume()),
                        AllocationId.of(refused.getAllocationId()),
                        new AdmissionDecision.Never(
                                NeverReason.valueOf(refused.getReason()), PeerText.plain(refused.getDetail()))));
            }
            case CLAIM_LOSS ->
                Optional.of(new ClaimLostException(
                        Values.key(failure.getClaimLoss().getVolume()),
                        AllocationId.of(failure.getClaimLoss().getAllocationId())));
            case ACCESS_NEED -> {
                AccessNeed need = failure.getAccessNeed();
                yield Optional.of(new AccessDeniedException(
                        PeerText.plain(need.getCaller()),
                        new Access(
                                Permission.valueOf(need.getPermission()),
                                need.hasNamespace()
                                        ? Optional.of(Namespace.of(need.getNamespace()))
                                        : Optional.empty())));
            }
            case FINGERPRINT_OUTDATED -> {
                FingerprintOutdated outdated = failure.getFingerprintOutdated();
                yield rejected(new Rejection.FingerprintOutdated(
                        NodeId.of(outdated.getNodeId()), outdated.getOrder(), outdated.getNewest()));
            }
            case NODE_NOT_FOUND -> rejected(new Rejection.NodeNotFound(NodeId.of(failure.getNodeNotFound())));
            case NODE_LOST ->
                rejected(new Rejection.NodeLost(
                        NodeId.of(failure.getNodeLost().getNodeId()),
                        NodeStatus.valueOf(failure.getNodeLost().getStatus())));
            case NODE_MACHINE_CHANGED -> {
                NodeMachineChanged machine = failure.getNodeMachineChanged();
                yield rejected(new Rejection.NodeMachineChanged(
                        NodeId.of(machine.getNodeId()),
                        PluginId.of(machine.getPluginId()),
                        ExternalNodeId.of(machine.getExpected()),
                        machine.hasPresent()
                                ? Optional.of(ExternalNodeId.of(machine.getPresent()))
                                : Optional.empty()));
            }
            case WRONG_PHASE ->
                rejected(new Rejection.WrongPhase(
                        Values.key(failure.getWrongPhase().getVolume()),
                        VolumePhase.valueOf(failure.getWrongPhase().getPhase()),
                        VolumePhase.valueOf(failure.getWrongPhase().getWanted())));
            case CREATION_UNFINISHED ->
                rejected(new Rejection.CreationUnfinished(Values.key(failure.getCreationUnfinished())));
            case DELETION_UNFINISHED ->
                rejected(new Rejection.DeletionUnfinished(Values.key(failure.getDeletionUnfinished())));
            case NODE_REASON ->
                Optional.of(new NodeVolumeException(
                        NodeVolumeException.Reason.valueOf(failure.getNodeReason()),
                        PeerText.plain(failure.getMessage())));
            case REASON_NOT_SET -> Optional.empty();
        };
    }

    private static Optional<CsiException> rejected(Rejection reason) {
        return Optional.of(new RejectedException(reason));
    }

    private static Optional<CsiException> call(Failure failure) {
        CallSubject subject = failure.getCall();
        return Rpc.ofCsiName(subject.getRpc())
                .map(rpc -> new CsiCallException(
                        rpc,
                        PeerText.plain(subject.getPluginId()),
                        subject.hasVolume() ? PeerText.plain(subject.getVolume()) : null,
                        FailureCodec.code(failure),
                        FailureCodec.outcome(failure),
                        PeerText.plain(failure.getMessage()),
                        PeerText.plain(
                                failure.getSummary().isEmpty()
                                        ? rpc.csiName() + " failed (" + FailureCodec.code(failure) + ")"
                                        : failure.getSummary()),
                        null));
    }
}
