package io.csi4j.core.internal.apply;

import io.csi4j.core.cluster.LedgerReport;
import io.csi4j.core.cluster.Node;
import io.csi4j.core.cluster.NodeLedger;
import io.csi4j.core.cluster.NodeMachine;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.volume.AttachmentState;
import io.csi4j.core.volume.Retry;
import io.csi4j.core.volume.Volume;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Applies the commands about nodes. */
final class NodeHandler implements NodeCommand.Cases<Outcome> {
    private final Step step;

    NodeHandler(Step step) {
        this.step = step;
    }

    @Override
    public Outcome upsertNode(NodeCommand.UpsertNode command) {
        Optional<Node> known = step.reader().node(command.nodeId());
        if (known.isEmpty() || known.get().status() == NodeStatus.GONE) {
            // A restored state may be older than a node that it does not have, and then does not know its mounts.
            long missingSince = Verifications.lastRestore(step.reader()).isPresent() ? step.index() : 0;
            List<LedgerReport> unclaimed =
                    known.map(node -> node.ledger().unclaimed()).orElse(List.of());
            NodeLedger ledger = new NodeLedger(missingSince, unclaimed);
            store(command.nodeId(), NodeStatus.READY, "", ledger);
        }
        return step.accepted();
    }

    @Override
    public Outcome setNodeStatus(NodeCommand.SetNodeStatus command) {
        Optional<Node> known = step.reader().node(command.nodeId());
        if (known.isEmpty() || known.get().status() == NodeStatus.GONE) {
            return notFound(command.nodeId());
        }
        NodeStatus status = known.get().status();
        boolean fencedStays = status == NodeStatus.FENCED && command.status() != NodeStatus.READY;
        if (status != command.status() && !fencedStays) {
            store(command.nodeId(), command.status(), command.reason());
        }
        return step.accepted();
    }

    @Override
    public Outcome fenceNode(NodeCommand.FenceNode command) {
        Optional<Node> known = step.reader().node(command.nodeId());
        if (known.isEmpty()) {
            return notFound(command.nodeId());
        }
        if (!known.get().status().lost()) {
            store(command.nodeId(), NodeStatus.FENCED, command.reason());
            AllocationEndings.endNode(step, command.nodeId());
        }
        return step.accepted();
    }

    @Override
    public Outcome removeNode(NodeCommand.RemoveNode command) {
        Optional<Node> known = step.reader().node(command.nodeId());
        if (known.isPresent() && known.get().status() != NodeStatus.GONE) {
            store(command.nodeId(), NodeStatus.GONE, command.reason());
            AllocationEndings.endNode(step, command.nodeId());
            UnreferencedRows.removeGoneNode(step, command.nodeId());
        }
        return step.accepted();
    }

    @Override
    public Outcome loseStorage(NodeCommand.LoseStorage command) {
        Optional<Rejection> refusal = StorageLosses.refusal(step.reader(), command.loss());
        if (refusal.isPresent()) {
            return Step.rejected(refusal.get());
        }
        VolumeHandler volumes = new VolumeHandler(step);
        StorageLosses.decide(step.reader(), command.loss()).forEach((key, kept) -> {
            if (kept.isEmpty()) {
                step.reader().volume(key).ifPresent(volumes::remove);
            }
        });
        return step.accepted();
    }

    @Override
    public Outcome resolveFormerMachine(NodeCommand.ResolveFormerMachine command) {
        Optional<Node> node = step.reader().node(command.nodeId());
        if (node.isEmpty()) {
            return notFound(command.nodeId());
        }
        Optional<ExternalNodeId> present =
                node.get().machine(command.pluginId()).map(NodeMachine::externalNodeId);
        if (!present.equals(Optional.of(command.present()))) {
            return Step.rejected(
                    new Rejection.NodeMachineChanged(command.nodeId(), command.pluginId(), command.present(), present));
        }
        NodeMachines.resolve(step, command);
        return step.accepted();
    }

    @Override
    public Outcome requireLedgers(NodeCommand.RequireLedgers command) {
        for (Node node : Step.collect(step.reader().nodes())) {
            boolean lost = node.status().lost();
            String reason = lost
                    ? "was " + node.status() + ", which has to be reported again: " + command.reason()
                    : node.reason();
            NodeLedger ledger = node.ledger();
            boolean repeated = ledger.missing() && node.since().equals(step.at());
            if (!repeated) {
                // The time of the status begins again, because a grace period of the old state proves nothing.
                long since = ledger.missing() ? ledger.missingSince() : step.index();
                store(
                        node.id(),
                        lost ? NodeStatus.DOWN : node.status(),
                        reason,
                        new NodeLedger(since, ledger.unclaimed()),
                        NodeMachines.lossesForgotten(node.machines()));
                publishAgain(node.id());
            }
        }
        keepUnused();
        Verifications.restored(step, command);
        return step.accepted();
    }

    /**
     * Makes volumes that were made for claims stay, whatever becomes of these claims: a claim may have taken them since the
     * backup, and they may have data.
     */
    private void keepUnused() {
        for (VolumeKey key : Step.collect(step.reader().unsettledVolumes())) {
            Volume volume = step.reader().volume(key).orElseThrow();
            volume.firstClaim().ifPresent(first -> {
                step.store(volume.toBuilder().firstClaim(null));
                UnreferencedRows.removeGoneNode(step, first.nodeId());
            });
        }
    }

    /**
     * Forgets that volumes are published to a node. Since the backup they may have been detached, or attached again with
     * another result, so a claim is granted only after they are published once more.
     */
    private void publishAgain(NodeId nodeId) {
        for (VolumeKey key : Step.collect(step.reader().volumesOn(nodeId))) {
            Volume volume = step.reader().volume(key).orElseThrow();
            volume.attachments()
                    .on(nodeId)
                    .filter(attachment -> attachment.state() == AttachmentState.PUBLISHED)
                    .ifPresent(attachment -> step.store(volume.toBuilder()
                            .attachments(volume.attachments()
                                    .with(attachment.toBuilder()
                                            .state(AttachmentState.PUBLISHING)
                                            .publishContext(PublishContext.empty())
                                            .retry(Retry.none())
                                            .build()))));
        }
    }

    @Override
    public Outcome recordLedger(NodeCommand.RecordLedger command) {
        Optional<Node> known = step.reader().node(command.nodeId());
        if (known.isEmpty() || known.get().status() == NodeStatus.GONE) {
            return notFound(command.nodeId());
        }
        NodeLedger before = known.get().ledger();
        boolean late = command.ifMissingSince() != 0 && command.ifMissingSince() != before.missingSince();
        if (known.get().status().lost() || late) {
            return step.accepted();
        }
        LedgerReport report = UnclaimedUses.ofItsMachine(command.report(), known.get());
        List<LedgerReport> unclaimed = new ArrayList<>(UnclaimedUses.without(before.unclaimed(), report));
        unclaimed.add(new UseAdoption(step, command.nodeId()).adoptAll(report));
        // The present machine has not reported yet if its plugins have to be reported first.
        boolean stillMissing = UnclaimedUses.isOfOtherMachine(report, known.get());
        NodeLedger now = new NodeLedger(stillMissing ? before.missingSince() : 0, unclaimed);
        if (!now.equals(before)) {
            step.writer().putNode(known.get().withLedger(now, step.index()));
        }
        return step.accepted();
    }

    /** Stores a node. The host's word that a node is lost ends the wait for its ledger, and the uses of its machine. */
    private void store(NodeId nodeId, NodeStatus status, String reason) {
        Optional<Node> known = step.reader().node(nodeId);
        NodeLedger ledger = known.map(Node::ledger).orElse(NodeLedger.settled());
        if (known.isPresent() && status.lost()) {
            ledger = new NodeLedger(0, UnclaimedUses.withoutPresent(ledger.unclaimed(), known.get()));
        }
        store(nodeId, status, reason, ledger);
    }

    private void store(NodeId nodeId, NodeStatus status, String reason, NodeLedger ledger) {
        List<NodeMachine> machines =
                step.reader().node(nodeId).map(Node::machines).orElse(List.of());
        store(nodeId, status, reason, ledger, machines);
    }

    private void store(NodeId nodeId, NodeStatus status, String reason, NodeLedger ledger, List<NodeMachine> machines) {
        long fingerprint = step.reader().node(nodeId).map(Node::fingerprint).orElse(0L);
        Node node = new Node(nodeId, status, step.at(), reason, step.index(), fingerprint, machines, ledger);
        step.writer().putNode(status.lost() ? NodeMachines.fenced(node, step.index()) : node);
    }

    private static Outcome notFound(NodeId nodeId) {
        return Step.rejected(new Rejection.NodeNotFound(nodeId));
    }
}
