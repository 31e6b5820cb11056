package io.csi4j.simulation.internal.node;

import io.csi4j.core.cluster.LedgerReport;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.VolumeGrant;
import io.csi4j.core.spi.NodeDetach;
import io.csi4j.core.spi.NodeDetached;
import io.csi4j.core.spi.NodeExpand;
import io.csi4j.core.spi.NodeExpansion;
import io.csi4j.node.MountedVolume;
import io.csi4j.node.NodeMount;
import io.csi4j.node.NodeUnmount;
import io.csi4j.node.NodeVolumeId;
import io.csi4j.node.NodeVolumes;
import io.csi4j.simulation.internal.plugin.SimCall;
import io.csi4j.simulation.internal.world.PortDecorator;
import io.csi4j.simulation.internal.world.SimNode;
import io.csi4j.simulation.internal.world.SimVolumes;
import io.csi4j.simulation.internal.world.SimWorld;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** The real node side: each node has a machine with a disk, a mount table, plugins and an agent that may crash. */
public final class NodeVolumesSide implements NodeSide {
    private final SimWorld world;
    private final PortDecorator.NodePorts ports;
    private final SplittableRandom random;
    private final Map<SimNode, SimMachine> machines = new LinkedHashMap<>();
    private Consumer<SimNode> onAgentStart = node -> {};

    public NodeVolumesSide(SimWorld world, PortDecorator.NodePorts ports, SplittableRandom random) {
        this.world = world;
        this.ports = ports;
        this.random = random;
    }

    @Override
    public void add(SimNode node) {
        SimMachine machine = new SimMachine(world, node, ports, random.split(), () -> onAgentStart.accept(node));
        machines.put(node, machine);
        node.machine(machine);
        machine.boot();
    }

    @Override
    public void onAgentStart(Consumer<SimNode> receiver) {
        onAgentStart = receiver;
    }

    private SimMachine machine(SimNode node) {
        return Objects.requireNonNull(machines.get(node), "the node has no machine");
    }

    @Override
    public void detach(SimCall<NodeDetached> call, SimNode node, NodeDetach request) {
        world.coverage().operation("unmount by node volumes");
        NodeVolumeId id = new NodeVolumeId(request.volume(), request.pluginId(), request.externalVolumeId());
        call.relay(() -> machine(node)
                .withVolumes(volumes -> detach(node, volumes, request)
                        .thenCompose(done -> volumes.uses(id))
                        .thenApply(uses -> NodeDetached.withOthers(uses.stream()
                                .filter(use -> !use.allocationId().equals(request.allocationId()))
                                .toList()))));
    }

    private CompletableFuture<Void> detach(SimNode node, NodeVolumes volumes, NodeDetach request) {
        machine(node).unmountRequested(new SimNode.Mount(request.volume(), request.allocationId()));
        return ports.detach(volumes, request);
    }

    @Override
    public void ledger(SimCall<LedgerReport> call, SimNode node) {
        call.relay(() -> machine(node).withVolumes(NodeVolumes::ledger));
    }

    @Override
    public void expand(SimCall<NodeExpansion> call, SimNode node, NodeExpand request) {
        call.relay(() -> machine(node).withVolumes(volumes -> volumes.expand(request)));
    }

    @Override
    public boolean isBusy(SimNode node, VolumeKey volume) {
        return false;
    }

    @Override
    public CompletableFuture<?> mount(SimNode node, VolumeGrant grant, List<ClaimRequest> mounts) {
        world.coverage().operation("mount by node volumes");
        SimMachine machine = machine(node);
        SimNode.Mount mount =
                new SimNode.Mount(grant.view().volume().key(), grant.claim().allocationId());
        machine.asksFor(mount);
        Map<ClaimRequest, NodeMount> wanted = NodeMount.of(grant).forRequests(mounts);
        return machine.withVolumes(volumes -> all(volumes, wanted)).thenAccept(targets -> {
            machine.reportedMounted(mount, targets);
            machine.checkTargets(mount, grant, targets);
        });
    }

    /** Makes the mounts of one volume; the future completes with the target of each. */
    private static CompletableFuture<Map<ClaimRequest, MountedVolume>> all(
            NodeVolumes volumes, Map<ClaimRequest, NodeMount> wanted) {
        Map<ClaimRequest, CompletableFuture<MountedVolume>> begun = new LinkedHashMap<>();
        wanted.forEach((request, mount) -> begun.put(request, volumes.mount(mount)));
        return CompletableFuture.allOf(begun.values().toArray(CompletableFuture<?>[]::new))
                .thenApply(nothing -> {
                    Map<ClaimRequest, MountedVolume> targets = new LinkedHashMap<>();
                    begun.forEach((request, mounted) -> targets.put(request, mounted.join()));
                    return targets;
                });
    }

    @Override
    public CompletableFuture<?> unmount(SimNode node, VolumeKey volume, AllocationId allocationId) {
        SimMachine machine = machine(node);
        machine.endsUse(new SimNode.Mount(volume, allocationId));
        return machine.withVolumes(volumes -> {
            machine.unmountRequested(new SimNode.Mount(volume, allocationId));
            return volumes.unmount(new NodeUnmount(id(world, node, volume), allocationId));
        });
    }

    /** The id of a volume for calls of the node side. */
    static NodeVolumeId id(SimWorld world, SimNode node, VolumeKey volume) {
        return new NodeVolumeId(
                volume,
                SimVolumes.pluginOf(volume),
                Objects.requireNonNull(world.idOn(node, volume), "the volume is unknown"));
    }

    @Override
    public boolean mayHaveMounted(SimNode node, VolumeKey volume) {
        return machine(node).mayHaveMounted(volume);
    }

    @Override
    public boolean mayMountLater(SimNode node) {
        return node.powered();
    }

    @Override
    public void settle() {
        machines.values().forEach(SimMachine::settle);
    }

    @Override
    public String remaining() {
        StringBuilder text = new StringBuilder();
        machines.forEach((node, machine) -> {
            if (node.answers()) {
                text.append(machine.remaining());
            }
        });
        return text.toString();
    }
}
