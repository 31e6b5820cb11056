package io.csi4j.simulation.internal.node;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.cluster.LedgerReport;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.VolumeGrant;
import io.csi4j.core.spi.NodeDetach;
import io.csi4j.core.spi.NodeDetached;
import io.csi4j.core.spi.NodeExpand;
import io.csi4j.core.spi.NodeExpansion;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeUse;
import io.csi4j.simulation.internal.plugin.SimCall;
import io.csi4j.simulation.internal.world.Refusal;
import io.csi4j.simulation.internal.world.SimNode;
import io.csi4j.simulation.internal.world.SimVolumes;
import io.csi4j.simulation.internal.world.SimWorld;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** A model of the node side: it mounts and unmounts in one step. */
public final class ModelNodeSide implements NodeSide {
    private final SimWorld world;

    public ModelNodeSide(SimWorld world) {
        this.world = world;
    }

    @Override
    public void add(SimNode node) {}

    @Override
    public void onAgentStart(Consumer<SimNode> receiver) {}

    @Override
    public void detach(SimCall<NodeDetached> call, SimNode node, NodeDetach request) {
        run(call, node, request.volume(), () -> {
            if (request.externalNodeId()
                    .filter(id -> !id.equals(node.externalId))
                    .isPresent()) {
                throw new Refusal(StatusCode.FAILED_PRECONDITION);
            }
            node.unmount(new SimNode.Mount(request.volume(), request.allocationId()));
            return NodeDetached.withOthers(node.uses().stream()
                    .filter(use -> use.volume().equals(request.volume())
                            || use.externalVolumeId().equals(request.externalVolumeId()))
                    .toList());
        });
    }

    @Override
    public void ledger(SimCall<LedgerReport> call, SimNode node) {
        call.run(
                new SimCall.Handler(node.locks(), "ledger", node::agentRestarts, node::loseAgentCalls),
                () -> {},
                () -> {
                    if (!node.answers()) {
                        throw new Refusal(StatusCode.UNAVAILABLE);
                    }
                    return new LedgerReport(node.uses(), List.of())
                            .of(Map.of(SimVolumes.ATTACHING, node.externalId, SimVolumes.LOCAL, node.externalId));
                });
    }

    @Override
    public void expand(SimCall<NodeExpansion> call, SimNode node, NodeExpand request) {
        run(call, node, request.volume(), () -> {
            if (!node.mounts().contains(new SimNode.Mount(request.volume(), request.allocationId()))) {
                throw new Refusal(StatusCode.NOT_FOUND);
            }
            return new NodeExpansion(world.provider()
                    .expandOnNode(
                            request.volume(), node.id, request.capacityRange().requiredBytes()));
        });
    }

    private static <R> void run(SimCall<R> call, SimNode node, VolumeKey volume, Supplier<R> effect) {
        call.run(
                new SimCall.Handler(node.locks(), volume.toString(), node::agentRestarts, node::loseAgentCalls),
                () -> {},
                () -> {
                    if (!node.answers()) {
                        throw new Refusal(StatusCode.UNAVAILABLE);
                    }
                    return effect.get();
                });
    }

    @Override
    public boolean isBusy(SimNode node, VolumeKey volume) {
        return node.locks().isHeld(volume.toString());
    }

    @Override
    public CompletableFuture<?> mount(SimNode node, VolumeGrant grant, List<ClaimRequest> mounts) {
        if (grant.claim()
                .externalNodeId()
                .filter(id -> !id.equals(node.externalId))
                .isPresent()) {
            world.coverage().fault("call for a former machine");
            return CompletableFuture.failedFuture(new CsiException("the claim is of another machine"));
        }
        Volume volume = grant.view().volume();
        Claim claim = grant.claim();
        if (node.hasOther(volume.remoteId(), volume.key())) {
            return CompletableFuture.failedFuture(
                    new CsiException("the node has another volume with the name " + volume.key()));
        }
        node.name(volume.remoteId(), volume.key());
        node.mount(
                new SimNode.Mount(volume.key(), claim.allocationId()),
                claim.capability().attachmentMode());
        node.record(new VolumeUse(
                volume.key(),
                volume.pluginId(),
                volume.remoteId(),
                claim.allocationId(),
                claim.mode(),
                claim.capability(),
                false));
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletableFuture<?> unmount(SimNode node, VolumeKey volume, AllocationId allocationId) {
        node.unmount(new SimNode.Mount(volume, allocationId));
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public boolean mayHaveMounted(SimNode node, VolumeKey volume) {
        return false;
    }

    @Override
    public boolean mayMountLater(SimNode node) {
        return false;
    }

    @Override
    public void settle() {}

    @Override
    public String remaining() {
        return "";
    }
}
