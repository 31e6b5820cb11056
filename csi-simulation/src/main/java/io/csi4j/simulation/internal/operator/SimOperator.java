package io.csi4j.simulation.internal.operator;

import io.csi4j.core.cluster.Node;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.NodeStatement;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.Claims;
import io.csi4j.core.volume.Volume;
import io.csi4j.simulation.internal.host.SimWorkloads;
import io.csi4j.simulation.internal.node.NodeSide;
import io.csi4j.simulation.internal.server.SimServer;
import io.csi4j.simulation.internal.world.SimConfig;
import io.csi4j.simulation.internal.world.SimNode;
import io.csi4j.simulation.internal.world.SimVolumes;
import io.csi4j.simulation.internal.world.SimWorld;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/**
 * An operator who uses all operations at random times. After an override the operator does the work manually, but only later.
 */
public final class SimOperator {
    private static final int ACTIONS = 12;
    private static final Duration RETRY_DELAY = Duration.ofSeconds(20);
    private static final Duration MAX_DISCOVERY = Duration.ofMinutes(3);
    private static final Duration MAX_REPAIR = Duration.ofMinutes(8);

    private final SimWorld world;
    private final SimServer server;
    private final SimVolumes volumes;
    private final SimWorkloads workloads;
    private final SplittableRandom random;
    private final RequestedChanges requestedChanges;
    private final ManualRepair manualRepair;
    private final OrphanRepair orphanRepair;

    public SimOperator(
            SimWorld world,
            NodeSide side,
            SimServer server,
            SimVolumes volumes,
            SimWorkloads workloads,
            SplittableRandom random) {
        this.world = world;
        this.server = server;
        this.volumes = volumes;
        this.workloads = workloads;
        this.random = random;
        this.requestedChanges = new RequestedChanges(world, server, volumes, random.split());
        this.manualRepair = new ManualRepair(world, side, volumes, workloads);
        this.orphanRepair = new OrphanRepair(world, server);
    }

    public void begin(SimConfig options) {
        long max = options.chaos().toNanos();
        for (int i = 0; i < ACTIONS; i++) {
            world.scheduler().after(Duration.ofNanos(random.nextLong(max)), this::act);
        }
    }

    private void act() {
        if (!world.faults().active()) {
            return;
        }
        VolumeKey key = volumes.pick();
        Optional<Volume> volume = volumes.find(key);
        if (volume.isEmpty()) {
            return;
        }
        int action = random.nextInt(10);
        if (world.traits().restores() && action >= 3 && action <= 8) {
            return;
        }
        switch (action) {
            case 0, 1 -> detach(volume.get());
            case 2 ->
                trace(
                        "collect",
                        key,
                        server.request("collect", engine -> engine.operator().recheck(key)));
            case 3 -> overrideClaim(volume.get());
            case 4 -> overrideAttachment(volume.get());
            case 5, 6 -> requestedChanges.expand(key);
            case 7, 8 -> requestedChanges.modify(key);
            default -> deregister(volume.get());
        }
    }

    private void trace(String action, VolumeKey key, CompletableFuture<?> answer) {
        world.trace().note("operator", action + " " + key.volumeId());
        var unused = answer.whenComplete((done, failure) -> world.trace()
                .note("operator", action + " " + key.volumeId() + (failure == null ? " done" : " failed")));
    }

    private void detach(Volume volume) {
        Set<NodeId> nodes = new TreeSet<>(volume.claims().nodeIds());
        volume.attachments().forEach(attachment -> nodes.add(attachment.nodeId()));
        nodes.add(NodeId.of("n1"));
        NodeId nodeId = new ArrayList<>(nodes).get(random.nextInt(nodes.size()));
        world.allowedViolations().detachRequested(volume.key(), nodeId);
        trace(
                "detach from " + nodeId,
                volume.key(),
                server.request("detach", engine -> engine.operator().detach(volume.key(), nodeId)));
    }

    private void overrideClaim(Volume volume) {
        Claims claims = volume.claims();
        List<Claim> all = new ArrayList<>();
        claims.forEach(all::add);
        if (all.isEmpty()) {
            return;
        }
        if (world.traits().replaces() && random.nextBoolean()) {
            overrideNode(all.get(0).nodeId());
            return;
        }
        Claim claim = all.get(random.nextInt(all.size()));
        if (workloads.isRunning(claim.allocationId())) {
            world.coverage().operation("override claim of running workload");
        }
        trace(
                "override of the claim of " + claim.allocationId() + " on",
                volume.key(),
                server.request(
                        "override claim",
                        engine -> engine.operator()
                                .overrideClaim(volume.key(), claim.allocationId(), "by the simulation")));
        manualRepair.startSoon();
    }

    private void overrideNode(NodeId nodeId) {
        world.trace().note("operator", "override of node " + nodeId);
        var unused = server.request(
                "override node",
                engine -> engine.operator()
                        .previewNode(nodeId, NodeStatement.UNMOUNTED)
                        .thenCompose(preview -> engine.operator().overrideNode(preview, "by the simulation")));
        manualRepair.startSoon();
    }

    /** Finds out some time later that a machine was replaced, switches it off, and says so. */
    public void machineReplaced(SimNode former) {
        world.scheduler().within(MAX_DISCOVERY, () -> stateLost(former.id));
    }

    private void stateLost(NodeId nodeId) {
        world.trace().note("operator", "former machines of " + nodeId + " are lost");
        var unused = server.request(
                "state that a machine is lost",
                engine -> engine.operator()
                        .previewNode(nodeId, NodeStatement.FORMER_MACHINE_LOST)
                        .thenCompose(preview -> {
                            preview.machines().forEach(machine -> manualRepair.switchOff(machine.former()));
                            return engine.operator().overrideNode(preview, "switched off");
                        }));
    }

    /**
     * States of all former machines that they are lost, and repeats this until no claim of such a machine is held and
     * no report can make another machine a former one. A node whose machine the state does not know may come back with
     * another one.
     */
    private void stateAllLost(BooleanSupplier allReported) {
        StateReader state = world.store().snapshot();
        Set<NodeId> held = new TreeSet<>();
        Set<NodeId> absent = new TreeSet<>();
        for (VolumeKey key : world.volumes().values()) {
            state.volume(key)
                    .ifPresent(volume -> volume.claims().forEach(claim -> {
                        Optional<Node> known = state.node(claim.nodeId());
                        if (known.flatMap(node -> node.machine(volume.pluginId()))
                                .isEmpty()) {
                            absent.add(claim.nodeId());
                        }
                        known.filter(node -> node.isFormer(volume.pluginId(), claim.externalNodeId()))
                                .ifPresent(node -> held.add(node.id()));
                    }));
        }
        // A volume that is registered again takes over what a forgotten one left on nodes.
        state.leftovers().forEach(leftover -> absent.addAll(leftover.claims().nodeIds()));
        for (Node node : state.unsettledNodes()) {
            node.ledger().unclaimed().stream()
                    .flatMap(report -> report.machines().orElse(Map.of()).entrySet().stream())
                    .filter(id -> node.isFormer(id.getKey(), Optional.of(id.getValue())))
                    .forEach(id -> held.add(node.id()));
        }
        held.forEach(this::stateLost);
        if (!held.isEmpty() || !absent.isEmpty() || world.hasDelayedCommands() || !allReported.getAsBoolean()) {
            world.scheduler().after(RETRY_DELAY, () -> stateAllLost(allReported));
        }
    }

    /** After a restore: repeats the statements about former machines, and registers the volumes that are missing. */
    public void restored() {
        world.machines().stream().filter(SimNode::replaced).forEach(this::machineReplaced);
        registerAll();
        if (world.lost().anyMissing()) {
            world.scheduler().within(MAX_REPAIR, this::repairProvider);
        }
        var unused = server.request("reconcile", engine -> engine.operator().reconcile(SimVolumes.ATTACHING, true));
        orphanRepair.begin();
    }

    private void overrideAttachment(Volume volume) {
        volume.attachments().forEach(attachment -> {
            if (random.nextBoolean()) {
                trace(
                        "override of the attachment to " + attachment.nodeId() + " of",
                        volume.key(),
                        server.request(
                                "override attachment",
                                engine -> engine.operator()
                                        .overrideAttachment(volume.key(), attachment.nodeId(), "by the simulation")));
            }
        });
        manualRepair.startSoon();
    }

    private void deregister(Volume volume) {
        VolumeKey key = volume.key();
        if (!volumes.isDeclared(key)) {
            return;
        }
        boolean force = random.nextBoolean();
        String operation = force ? "deregister by force" : "deregister";
        CompletableFuture<?> answer = server.request(
                operation,
                engine -> force
                        ? engine.operator().forgetVolume(key, "by the simulation")
                        : engine.volumes().deregister(key));
        trace(operation, key, answer);
        manualRepair.startSoon();
        world.scheduler().within(RETRY_DELAY, this::registerAll);
        // The deregistration may complete much later, if the log did not answer.
        var unused = answer.whenComplete((done, failure) -> world.scheduler().within(RETRY_DELAY, this::registerAll));
    }

    /** Registers missing volumes again, and repeats this until none is missing. */
    private void registerAll() {
        boolean missing = false;
        for (VolumeKey key : volumes.declared()) {
            if (volumes.find(key).isEmpty()) {
                missing = true;
                trace(
                        "register",
                        key,
                        server.request("register", engine -> engine.volumes().register(key, volumes.spec(key))));
            }
        }
        if (missing || world.hasDelayedCommands()) {
            world.scheduler().after(RETRY_DELAY, this::registerAll);
        }
    }

    /** Brings the volumes back that the provider has lost, and lets the plugin be asked about them. */
    private void repairProvider() {
        world.lost().repair();
        recheckLost();
    }

    /** Asks again about each lost volume, and repeats this until none is lost. */
    private void recheckLost() {
        boolean waits = world.hasDelayedCommands();
        for (VolumeKey key : volumes.declared()) {
            Optional<Volume> volume = volumes.find(key);
            waits |= volume.filter(Volume::toBeVerified).isPresent();
            if (volume.filter(Volume::isLost).isPresent()) {
                waits = true;
                trace(
                        "recheck of the lost",
                        key,
                        server.request(
                                "recheck a lost volume",
                                engine -> engine.operator().recheck(key)));
            }
        }
        if (waits) {
            world.scheduler().after(RETRY_DELAY, this::recheckLost);
        }
    }

    /**
     * After the faults have ended, does the remaining manual work of overrides, and registers the missing volumes.
     *
     * @param allReported whether the state has all reports of the host
     */
    public void settle(BooleanSupplier allReported) {
        manualRepair.repair();
        stateAllLost(allReported);
        registerAll();
        repairProvider();
    }

    public boolean settled() {
        return remaining().isEmpty();
    }

    /** The operator's unfinished work. */
    public String remaining() {
        StringBuilder text = new StringBuilder();
        text.append(requestedChanges.remaining()).append(orphanRepair.remaining());
        if (!world.allowedViolations().isEmpty()) {
            text.append(" unrepaired overrides ")
                    .append(world.allowedViolations().mounts())
                    .append(world.allowedViolations().attachments());
        }
        volumes.declared().stream()
                .filter(key -> volumes.find(key).isEmpty())
                .forEach(key -> text.append(" not registered ").append(key));
        return text.toString();
    }
}
