package io.csi4j.core.lifecycle.internal.step;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.CallCommand;
import io.csi4j.core.internal.command.CallTarget;
import io.csi4j.core.internal.command.ChangeCommand;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.spi.NodeExpand;
import io.csi4j.core.spi.NodeExpansion;
import io.csi4j.core.spi.NodeGateway;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.Expansion;
import io.csi4j.core.volume.Retry;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** Expands a volume on the node of a claim, after its controller has done its part (R83, R94). */
final class NodeExpandStep implements NodeStep<NodeExpansion> {
    private final Operations operations;
    private final Volume planned;
    private final Expansion expansion;
    private final Claim claim;
    private final Retry before;

    NodeExpandStep(Operations operations, Volume planned, Claim claim) {
        this.operations = operations;
        this.planned = planned;
        this.expansion = planned.expansion().orElseThrow();
        this.claim = claim;
        this.before = expansion.of(claim).map(Expansion.OnNode::retry).orElse(Retry.none());
    }

    @Override
    public Rpc rpc() {
        return Rpc.NODE_EXPAND_VOLUME;
    }

    @Override
    public VolumeKey key() {
        return planned.key();
    }

    @Override
    public CallTarget target(Volume volume) {
        return new CallTarget.OfNodeExpansion(claim.allocationId(), claim.createIndex(), expansion.range());
    }

    @Override
    public NodeId node() {
        return claim.nodeId();
    }

    @Override
    public boolean takesSecrets() {
        return true;
    }

    @Override
    public Optional<Volume> current(StateReader state) {
        return state.volume(key())
                .filter(now -> now.createIndex() == planned.createIndex() && now.phase() == VolumePhase.AVAILABLE)
                .filter(now -> now.claims().held(claim).isPresent())
                .filter(now -> now.expansionTo(expansion.range(), expansion.stage())
                        .filter(known -> known.dueFor(claim))
                        .isPresent());
    }

    @Override
    public int attempt(Volume volume) {
        return before.attempts() + 1;
    }

    @Override
    public Function<NodeGateway, CompletableFuture<NodeExpansion>> request(Volume volume, Secrets secrets) {
        NodeExpand request = NodeExpand.of(volume, claim, expansion.range(), secrets);
        return gateway -> gateway.expand(claim.nodeId(), request);
    }

    @Override
    public CallEnd done(StateReader state, Volume sent, NodeExpansion answer) {
        return CallEnd.done(new ChangeCommand.RecordNodeExpansion(
                key(),
                claim.allocationId(),
                claim.createIndex(),
                expansion.range(),
                answer.capacityBytes(),
                operations.now()));
    }

    @Override
    public CallEnd failed(StateReader state, Volume sent, Throwable failure) {
        return CallEnd.failed(
                new CallCommand.RecordCallError(
                        key(), target(sent), Failed.attempt(operations, failure, before, 0, true), operations.now()),
                failure);
    }
}
