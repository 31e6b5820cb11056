package io.csi4j.core.lifecycle.internal.step;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.command.Command;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.CallCommand;
import io.csi4j.core.internal.command.CallTarget;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.spi.NodeDetach;
import io.csi4j.core.spi.NodeDetached;
import io.csi4j.core.spi.NodeGateway;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeUse;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** Unmounts a volume on a node for an allocation, and unstages it if no other allocation uses it there (R47, R91). */
final class DetachStep implements NodeStep<NodeDetached> {
    private final Operations operations;
    private final VolumeKey key;
    private final Claim claim;

    DetachStep(Operations operations, VolumeKey key, Claim claim) {
        this.operations = operations;
        this.key = key;
        this.claim = claim;
    }

    @Override
    public Rpc rpc() {
        return Rpc.NODE_UNPUBLISH_VOLUME;
    }

    @Override
    public VolumeKey key() {
        return key;
    }

    @Override
    public CallTarget target(Volume volume) {
        return new CallTarget.OfClaim(claim.allocationId(), claim.takenIndex());
    }

    @Override
    public NodeId node() {
        return claim.nodeId();
    }

    @Override
    public boolean takesSecrets() {
        return false;
    }

    @Override
    public boolean outlivesTerm() {
        return false;
    }

    @Override
    public Optional<Volume> current(StateReader state) {
        return state.volume(key)
                .filter(volume -> volume.claims()
                        .same(claim)
                        .filter(now -> now.state() == ClaimState.UNPUBLISHING)
                        .isPresent());
    }

    @Override
    public int attempt(Volume volume) {
        return claim.retry().attempts() + 1;
    }

    @Override
    public Function<NodeGateway, CompletableFuture<NodeDetached>> request(Volume volume, Secrets secrets) {
        NodeDetach request = NodeDetach.of(volume, claim);
        return gateway -> gateway.detach(claim.nodeId(), request);
    }

    @Override
    public CallEnd done(StateReader state, Volume sent, NodeDetached answer) {
        Optional<Volume> volume = current(state);
        if (volume.isEmpty() || isOfFormerMachine(state, volume.get())) {
            // A request to a node whose machine was replaced may have reached the present machine, whose answer proves
            // nothing about the former one.
            return CallEnd.nothing();
        }
        List<Command> facts = new ArrayList<>(2);
        List<VolumeUse> others = unclaimed(volume.get(), answer.otherUses().orElse(List.of()));
        if (!others.isEmpty()) {
            // The claims of other users come first: the volume must not be detached from the node under them.
            facts.add(new ClaimCommand.AdoptUses(key, claim.nodeId(), others, operations.now()));
        }
        facts.add(new ClaimCommand.CheckpointClaim(
                key, claim.allocationId(), claim.takenIndex(), ClaimState.NODE_DETACHED, operations.now()));
        return CallEnd.doneAndFollowed(facts);
    }

    private boolean isOfFormerMachine(StateReader state, Volume volume) {
        return state.node(claim.nodeId())
                .filter(node -> node.isFormer(volume.pluginId(), claim.externalNodeId()))
                .isPresent();
    }

    /** Returns the uses for which the volume has no claim that counts on the node. */
    private static List<VolumeUse> unclaimed(Volume volume, List<VolumeUse> uses) {
        return uses.stream()
                .filter(use -> use.isOf(volume))
                .filter(use -> volume.claims()
                        .get(use.allocationId())
                        .filter(known -> !known.state().atLeast(ClaimState.NODE_DETACHED)
                                || known.operatorOverride().isPresent())
                        .isEmpty())
                .toList();
    }

    @Override
    public CallEnd failed(StateReader state, Volume sent, Throwable failure) {
        if (current(state).isEmpty()) {
            return CallEnd.nothing();
        }
        return CallEnd.failed(
                new CallCommand.RecordCallError(
                        key,
                        target(sent),
                        operations.retryLoop().failedAttempt(failure, claim.retry(), 0),
                        operations.now()),
                failure);
    }
}
