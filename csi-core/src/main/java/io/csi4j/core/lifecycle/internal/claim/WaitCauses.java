package io.csi4j.core.lifecycle.internal.claim;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.cluster.Node;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.command.AdmissionDecision;
import io.csi4j.core.command.WaitReason;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.apply.Placement;
import io.csi4j.core.lifecycle.CallFailure;
import io.csi4j.core.lifecycle.WaitingClaim;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.plugin.ControllerNeed;
import io.csi4j.core.plugin.PluginFacts;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.AttachmentState;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.Holder;
import io.csi4j.core.volume.Retry;
import io.csi4j.core.volume.Volume;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Explains to operators what ends the wait of a claim, if that is not simply the end of another allocation: a node that
 * does not answer, or a call that fails.
 */
final class WaitCauses {
    /** The number of causes that one text names. */
    private static final int MOST = 3;

    private final Operations operations;

    WaitCauses(Operations operations) {
        this.operations = operations;
    }

    /** Returns a waiting claim with the causes that end its wait. */
    WaitingClaim explained(WaitingClaim claim) {
        if (claim.volume().isEmpty() || claim.reason().isEmpty()) {
            return claim;
        }
        VolumeKey key = claim.volume().get();
        StateReader state = operations.state();
        return state.volume(key)
                .map(volume ->
                        claim.withCause(text(state, volume, claim.reason().get())))
                .orElse(claim);
    }

    private String text(StateReader state, Volume volume, AdmissionDecision.Wait wait) {
        Set<String> causes = new LinkedHashSet<>();
        if (wait.reason() == WaitReason.VOLUME_NOT_READY) {
            failure(volume, Rpc.CREATE_VOLUME, Optional.empty(), volume.retry()).ifPresent(causes::add);
        }
        if (wait.reason() == WaitReason.NOT_VERIFIED) {
            volume.verification()
                    .flatMap(
                            known -> failure(volume, Rpc.VALIDATE_VOLUME_CAPABILITIES, Optional.empty(), known.retry()))
                    .ifPresent(causes::add);
        }
        for (Holder holder : wait.holders()) {
            if (causes.size() < MOST) {
                volume.claims()
                        .get(holder.allocationId())
                        .flatMap(claim -> holder(state, volume, claim))
                        .ifPresent(causes::add);
            }
        }
        for (Attachment attachment : volume.attachments()) {
            if (wait.reason() == WaitReason.BEING_DETACHED
                    && attachment.state() == AttachmentState.UNPUBLISHING
                    && causes.size() < MOST) {
                detach(state, volume, attachment.nodeId()).ifPresent(causes::add);
            }
        }
        return String.join("; ", causes);
    }

    /** Returns why the claim of a holder does not end; empty if it ends with its allocation, or is ending now. */
    private Optional<String> holder(StateReader state, Volume volume, Claim claim) {
        NodeId nodeId = claim.nodeId();
        if (claim.nodeDetached()) {
            return detach(state, volume, nodeId);
        }
        Optional<Node> node = state.node(nodeId);
        if (node.isEmpty()) {
            return Optional.of("node " + nodeId + " is not known: report it, or override the claim of allocation "
                    + claim.allocationId() + " if the volume is not mounted there");
        }
        if (node.get().status() == NodeStatus.DOWN || node.get().status() == NodeStatus.DISCONNECTED) {
            return Optional.of(silent(node.get(), claim));
        }
        return claim.state() == ClaimState.TAKEN
                ? Optional.empty()
                : failure(volume, Rpc.NODE_UNPUBLISH_VOLUME, Optional.of(nodeId), claim.retry());
    }

    private static String silent(Node node, Claim claim) {
        String ended = claim.state() == ClaimState.TAKEN
                ? "; allocation " + claim.allocationId() + " has not ended: end it, and"
                : ":";
        return "node " + node.id() + " is " + node.status() + " since " + node.since()
                + (node.reason().isEmpty() ? "" : " (" + node.reason() + ")")
                + ended
                + " fence the node and report it as fenced, or start it again, or override the claim of allocation "
                + claim.allocationId() + " if the node certainly does not write any more";
    }

    private Optional<String> detach(StateReader state, Volume volume, NodeId nodeId) {
        Retry retry = volume.attachments().on(nodeId).map(Attachment::retry).orElse(Retry.none());
        Optional<String> failure = failure(volume, Rpc.CONTROLLER_UNPUBLISH_VOLUME, Optional.of(nodeId), retry);
        boolean needed = state.facts(volume.pluginId())
                .map(PluginFacts::controllerNeed)
                .filter(need -> need == ControllerNeed.REQUIRED)
                .isPresent();
        return failure.isEmpty()
                        && needed
                        && !Placement.healthyController(
                                state, operations.ports().trust(), volume.pluginId(), Rpc.CONTROLLER_UNPUBLISH_VOLUME)
                ? Optional.of("the detach from node " + nodeId + " waits for a healthy controller of plugin "
                        + volume.pluginId() + ": start one")
                : failure;
    }

    /** Returns the last failure of a call: in the plugin's own words if this server made the call, otherwise as stored. */
    private Optional<String> failure(Volume volume, Rpc rpc, Optional<NodeId> node, Retry retry) {
        List<CallFailure> known = operations.calls().failures().of(volume.key());
        Optional<String> own = known.stream()
                .filter(failure -> failure.rpc() == rpc && failure.nodeId().equals(node))
                .findFirst()
                .map(failure ->
                        rpc.csiName() + node.map(id -> " for node " + id).orElse("") + " fails since " + failure.since()
                                + " (" + failure.failures() + " times): " + failure.text());
        return own.or(() -> retry.lastError()
                .map(error -> rpc.csiName() + node.map(id -> " for node " + id).orElse("") + " has failed "
                        + retry.attempts() + " times: " + error));
    }
}
