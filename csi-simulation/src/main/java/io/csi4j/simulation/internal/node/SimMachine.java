package io.csi4j.simulation.internal.node;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.VolumeGrant;
import io.csi4j.core.spi.Environment;
import io.csi4j.node.MountPoints;
import io.csi4j.node.MountTable;
import io.csi4j.node.MountedVolume;
import io.csi4j.node.NodePlugin;
import io.csi4j.node.NodeUnmount;
import io.csi4j.node.NodeVolumeEvent;
import io.csi4j.node.NodeVolumeException;
import io.csi4j.node.NodeVolumeId;
import io.csi4j.node.NodeVolumeOptions;
import io.csi4j.node.NodeVolumeStatus;
import io.csi4j.node.NodeVolumes;
import io.csi4j.node.PathProbe;
import io.csi4j.simulation.internal.disk.SimDisk;
import io.csi4j.simulation.internal.disk.SimFileSystem;
import io.csi4j.simulation.internal.disk.WriteGate;
import io.csi4j.simulation.internal.plugin.CallsInFlight;
import io.csi4j.simulation.internal.plugin.SimCall;
import io.csi4j.simulation.internal.time.SimProcess;
import io.csi4j.simulation.internal.world.PortDecorator;
import io.csi4j.simulation.internal.world.SimNode;
import io.csi4j.simulation.internal.world.SimVolumes;
import io.csi4j.simulation.internal.world.SimWorld;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The programs of one node: {@link NodeVolumes} in an agent process on a simulated disk and mount table. The agent crashes at
 * writes and calls, is stopped and started again, and loses what was not synced when the node loses power.
 */
final class SimMachine implements SimNode.Machine {
    private static final String DIRECTORY = "/agent";
    private static final Duration MAX_RESTART = Duration.ofSeconds(5);
    private static final Duration OPERATOR_DELAY = Duration.ofSeconds(30);
    private static final Duration RETRY = Duration.ofSeconds(2);
    /** The longest time without a driver; often longer than the rest of the run's faults. */
    private static final Duration LONGEST_WITHOUT_DRIVER = Duration.ofMinutes(6);

    private static final String NO_DRIVER = "the driver was removed";
    /** Shorter limits than the defaults suffice, because each simulated call takes effect within twice its deadline, or never. */
    private static final NodeVolumeOptions OPTIONS = NodeVolumeOptions.builder()
            .mountLimit(Duration.ofMinutes(2))
            .lateWork(SimCall.DEADLINE.multipliedBy(4))
            .withoutPluginAfter(Duration.ofSeconds(30))
            .build();

    private final SimWorld world;
    private final SimNode node;
    private final PortDecorator.NodePorts ports;
    private final SplittableRandom random;
    private final SimDisk disk;
    private final SimKernel kernel;
    private final Runnable onAgentStart;
    private final List<Runnable> waiting = new ArrayList<>();
    private @Nullable SimProcess process;
    private @Nullable SimFileSystem files;
    private @Nullable NodeVolumes volumes;
    /** Whether the driver of the node was removed: no agent can call it. */
    private boolean driverRemoved;
    /** Whether the agent has unmounted the volumes of all workloads that no longer run. */
    private boolean ready;
    /** The mounts for which workloads have asked, and which they have not released. */
    private final Set<SimNode.Mount> wanted = new TreeSet<>();

    SimMachine(
            SimWorld world,
            SimNode node,
            PortDecorator.NodePorts ports,
            SplittableRandom random,
            Runnable onAgentStart) {
        this.world = world;
        this.node = node;
        this.ports = ports;
        this.random = random;
        this.disk = new SimDisk(random.split());
        this.kernel = new SimKernel(world, node, disk);
        this.onAgentStart = onAgentStart;
    }

    /** Records that the workload asks the agent for a mount. */
    void asksFor(SimNode.Mount mount) {
        kernel.renewals().requested(mount);
        wanted.add(mount);
    }

    /** Records that the agent is asked to unmount. */
    void unmountRequested(SimNode.Mount mount) {
        kernel.renewals().unmountRequested(mount);
    }

    /**
     * Records that the agent reported the targets of a mount to the host. The workload uses them, unless it has released
     * the volume meanwhile.
     */
    void reportedMounted(SimNode.Mount mount, Map<ClaimRequest, MountedVolume> targets) {
        if (wanted.contains(mount)) {
            kernel.use(
                    mount,
                    targets.values().stream()
                            .map(target -> target.targetPath().toString())
                            .toList());
        }
    }

    /** Checks the targets that the agent has reported. */
    void checkTargets(SimNode.Mount mount, VolumeGrant grant, Map<ClaimRequest, MountedVolume> targets) {
        new TargetChecks(world, kernel).reported(mount, grant, targets);
    }

    /** Whether the agent has mounted a volume or may still do so, or does not run, so that this is not known. */
    boolean mayHaveMounted(VolumeKey volume) {
        NodeVolumes running = volumes;
        return running == null
                || !ready
                || running.status(volume)
                        .filter(record -> record.staged()
                                || !record.uses().isEmpty()
                                || record.call().isPresent()
                                || record.recordLost())
                        .isPresent();
    }

    /** Records that the workload no longer uses the mount. */
    void endsUse(SimNode.Mount mount) {
        wanted.remove(mount);
        kernel.noLongerUsed(mount);
    }

    @Override
    public void losePower() {
        world.coverage().fault("disk lost power");
        endAgent();
        kernel.reboot();
        disk.losePower();
        if (random.nextInt(4) == 0) {
            removeDriver();
        }
    }

    @Override
    public void boot() {
        startAgent();
    }

    @Override
    public void restartPlugin() {
        kernel.restartPlugin();
        if (random.nextInt(4) == 0) {
            removeDriver();
        }
    }

    /** Removes the driver for the rest of the faults, or for a while. Operators then unmount what is no longer used. */
    private void removeDriver() {
        if (driverRemoved || !world.faults().active()) {
            return;
        }
        driverRemoved = true;
        kernel.renewals().disturb();
        world.coverage().fault(NO_DRIVER);
        world.trace().note(node.id.value(), NO_DRIVER);
        world.scheduler().within(LONGEST_WITHOUT_DRIVER, () -> {
            driverRemoved = false;
            kernel.renewals().disturb();
        });
        world.scheduler().within(OPERATOR_DELAY, this::unmountByHand);
    }

    /**
     * Acts as an operator while the driver is missing: unmounts by hand what ended workloads have left, and orders the
     * agent to forget it. Repeats this until the driver is installed again.
     */
    private void unmountByHand() {
        if (!driverRemoved) {
            return;
        }
        SimProcess agent = process;
        NodeVolumes running = volumes;
        if (agent != null && running != null) {
            agent.run(() -> running.volumes().forEach(status -> unmountByHand(running, status)));
        }
        world.scheduler().within(OPERATOR_DELAY, this::unmountByHand);
    }

    private void unmountByHand(NodeVolumes running, NodeVolumeStatus status) {
        boolean allEnd = status.uses().stream().allMatch(use -> use.state() == NodeVolumeStatus.State.UNMOUNTING);
        for (NodeVolumeStatus.Use use : status.uses()) {
            if (use.state() == NodeVolumeStatus.State.UNMOUNTING && !node.runs(use.allocationId())) {
                String target = use.targetPath().toString();
                SimNode.Mount mount = new SimNode.Mount(status.volume(), use.allocationId());
                kernel.unmount(target);
                kernel.removeInline(target);
                disk.unplug(target);
                kernel.noLongerUsed(mount);
                node.unpublish(mount, target);
            }
        }
        String stagings = DIRECTORY + "/staging/" + status.volume().namespace() + "/"
                + status.volume().volumeId() + "/";
        if (allEnd && !node.hasMounted(status.volume())) {
            List.copyOf(kernel.mountPoints()).stream()
                    .filter(point -> point.startsWith(stagings))
                    .forEach(kernel::unmount);
            node.unstage(status.volume());
        }
        // One order is for everything of the volume that is being unmounted.
        AllocationId any = status.uses().stream()
                .filter(use -> use.state() == NodeVolumeStatus.State.UNMOUNTING)
                .map(NodeVolumeStatus.Use::allocationId)
                .findFirst()
                .orElse(AllocationId.of("none"));
        // The mount table does not show what a plugin keeps for an inline volume. The operator removes that first.
        // A target whose publish has no answer yet is not removed, although its workload has ended.
        boolean removed = !SimVolumes.isInline(status.volume())
                || status.uses().stream()
                        .allMatch(use ->
                                use.state() == NodeVolumeStatus.State.UNMOUNTING && !node.runs(use.allocationId()));
        if (removed && !status.unfinishedFor().isZero()) {
            var unused = running.forgetUnmount(status.volume(), any, "operator", NO_DRIVER);
        }
    }

    /** Kills the agent or lets it stop normally, at random, and starts it again. */
    @Override
    public void restartAgent() {
        NodeVolumes stopping = volumes;
        SimProcess former = process;
        if (stopping == null || former == null || random.nextBoolean()) {
            crashed();
            return;
        }
        world.coverage().fault("agent stopped");
        volumes = null;
        ready = false;
        kernel.agent(null);
        var unused = stopping.stop().whenComplete((nothing, failure) -> {
            if (former.equals(process)) {
                crashed();
            }
        });
    }

    /** Cancels the crash that was planned for the running agent, if any. */
    void settle() {
        driverRemoved = false;
        kernel.renewals().disturb();
        if (process != null) {
            process.cancelCrash();
        }
    }

    private void endAgent() {
        if (process != null) {
            process.crash();
        }
        if (files != null) {
            files.processEnded();
        }
        process = null;
        volumes = null;
        ready = false;
        kernel.agent(null);
    }

    private void crashed() {
        endAgent();
        node.loseAgentCalls();
        world.scheduler().within(MAX_RESTART, this::startAgent);
    }

    private void startAgent() {
        if (process != null || !node.powered()) {
            return;
        }
        world.trace().note(node.id.value(), "the agent starts");
        SimProcess agent = new SimProcess(world.scheduler());
        process = agent;
        kernel.agent(agent);
        agent.crashAt(world.faults().crashPoint(), world.faults().coin(), () -> {
            world.coverage().fault("agent crash at a write or call");
            world.trace().note(node.id.value(), "the agent crashes");
            // A new agent starts after the task in which this one crashed.
            world.scheduler().after(Duration.ZERO, () -> {
                if (agent.equals(process)) {
                    crashed();
                }
            });
        });
        try {
            NodeVolumes built = build(agent);
            volumes = built;
            // As an agent does for the plugins of its registry, so that a report says by which ids they know the
            // machine.
            built.pluginChanged(SimVolumes.ATTACHING);
            built.pluginChanged(SimVolumes.LOCAL);
            var unused = built.start().whenComplete((nothing, failure) -> agent.run(() -> started(agent, failure)));
        } catch (NodeVolumeException e) {
            failedStart(agent, e);
        }
    }

    private NodeVolumes build(SimProcess agent) {
        SimFileSystem opened = disk.openFor(ports.gate(gate(agent)));
        files = opened;
        CallsInFlight calls = new CallsInFlight(world);
        return NodeVolumes.builder(opened.getPath(DIRECTORY), plugin -> plugin(agent, calls, plugin))
                .environment(Environment.of(ports.clock(world.clocks().node(node.id)), agent, agent, random.split()))
                .publishTokens(ports.tokens(kernel.renewals().issuer(agent)))
                .mountTable(ports.mountTable(table(opened)))
                .probe(path -> CompletableFuture.completedFuture(PathProbe.Finding.SOUND))
                .directUnmount(path ->
                        CompletableFuture.failedFuture(new CsiException("the simulation orders no direct unmount")))
                .ownership(ports.ownership(new SimOwnership(world, kernel, agent, ports)))
                .options(OPTIONS)
                .listener(event -> {
                    if (event.kind() == NodeVolumeEvent.Kind.UNMOUNT_FORGOTTEN) {
                        world.coverage().fault("unmount without the driver");
                    }
                    if (event.kind() == NodeVolumeEvent.Kind.OWNER_UNKNOWN) {
                        event.volume().ifPresent(volume -> unmountByName(agent, volume));
                    }
                })
                .stillRuns(id -> !ports.unmountsAtStart(id, node.runs(id)))
                .build();
    }

    /**
     * Acts as an operator who unmounts a volume whose record in the ledger was lost, and finds the targets by their
     * names. A record is missing if a second power loss brings back the file of a target that was removed after the
     * first power loss.
     */
    private void unmountByName(SimProcess agent, VolumeKey volume) {
        String targets = DIRECTORY + "/publish/" + volume.namespace() + "/" + volume.volumeId();
        world.scheduler()
                .within(
                        OPERATOR_DELAY,
                        () -> agent.run(() -> {
                            NodeVolumes running = volumes;
                            if (running == null) {
                                return;
                            }
                            Stream.concat(disk.filesBelow(targets).stream(), kernel.mountPoints().stream())
                                    .filter(path -> path.startsWith(targets + "/"))
                                    .map(SimNodePlugin::allocation)
                                    .filter(id -> !node.runs(id))
                                    .distinct()
                                    .forEach(id -> {
                                        var unused = running.unmount(
                                                new NodeUnmount(NodeVolumesSide.id(world, node, volume), id));
                                    });
                        }));
    }

    private static WriteGate gate(SimProcess agent) {
        return () -> {
            if (!agent.begins()) {
                throw new IOException("the process was killed");
            }
        };
    }

    private MountTable table(SimFileSystem opened) {
        return new MountTable() {
            @Override
            public MountPoints read() throws IOException {
                if (world.faults().tableUnreadable()) {
                    world.coverage().fault("mount table unreadable");
                    kernel.renewals().tableFailed();
                    throw new IOException("the mount table cannot be read");
                }
                List<Path> points = kernel.mountPoints().stream()
                        .map(point -> opened.getPath(point))
                        .toList();
                return kernel.labels()
                        .in(MountPoints.of(points, point -> kernel.entry(point.toString())), opened::getPath);
            }

            @Override
            public Optional<String> bootId() {
                return Optional.of(kernel.bootId());
            }
        };
    }

    private Optional<NodePlugin> plugin(SimProcess agent, CallsInFlight calls, PluginId plugin) {
        return node.powered() && agent.alive() && !driverRemoved
                ? Optional.of(NodePlugin.of(
                                ports.nodeService(new SimNodePlugin(world, kernel, agent, calls, plugin)),
                                SimNodePlugin.CAPABILITIES)
                        .on(node.externalId))
                : Optional.empty();
    }

    private void failedStart(SimProcess agent, Throwable failure) {
        if (!agent.alive()) {
            return;
        }
        world.reportViolation("N5: the agent of " + node.id + " cannot start: " + failure);
    }

    private void started(SimProcess agent, @Nullable Throwable failure) {
        if (failure != null) {
            failedStart(agent, failure);
            return;
        }
        unmountEnded(agent);
    }

    /**
     * Unmounts the volumes that the ledger has for ended workloads, as each host must do after the start of an agent.
     * When all are unmounted, the agent is ready.
     */
    private void unmountEnded(SimProcess agent) {
        NodeVolumes running = volumes;
        if (running == null) {
            return;
        }
        List<AllocationId> ended = running.volumes().stream()
                .flatMap(status -> status.uses().stream())
                .map(NodeVolumeStatus.Use::allocationId)
                .distinct()
                .filter(id -> ports.unmountsAtStart(id, node.runs(id)))
                .toList();
        CompletableFuture<?>[] unmounts =
                ended.stream().flatMap(id -> unmounts(running, id)).toArray(CompletableFuture<?>[]::new);
        var unused = CompletableFuture.allOf(unmounts)
                .whenComplete((nothing, failure) -> agent.run(() -> {
                    if (failure == null && nothingIsLeft(running)) {
                        becomeReady();
                    } else {
                        world.scheduler().after(RETRY, () -> agent.run(() -> unmountEnded(agent)));
                    }
                }));
    }

    private Stream<CompletableFuture<?>> unmounts(NodeVolumes running, AllocationId allocation) {
        List<NodeVolumeId> ids = running.volumesFor(allocation);
        ids.forEach(id -> unmountRequested(new SimNode.Mount(id.volume(), allocation)));
        return ids.stream().map(id -> running.unmount(new NodeUnmount(id, allocation)));
    }

    /** Whether a running workload uses each of the volumes that are staged on this node. */
    private boolean nothingIsLeft(NodeVolumes running) {
        return node.staged().stream()
                .allMatch(volume -> running.status(volume)
                        .filter(status -> status.uses().stream().anyMatch(use -> node.runs(use.allocationId())))
                        .isPresent());
    }

    private void becomeReady() {
        ready = true;
        kernel.agentIsReady();
        onAgentStart.run();
        List<Runnable> tasks = List.copyOf(waiting);
        waiting.clear();
        tasks.forEach(Runnable::run);
    }

    @Override
    public boolean isReady() {
        return ready;
    }

    @Override
    public void whenReady(Runnable task) {
        if (ready) {
            task.run();
        } else {
            waiting.add(task);
        }
    }

    /**
     * Runs an operation on the node volumes of the agent. The future fails if the agent is not ready, and never
     * completes if the agent crashes during the operation.
     */
    <R> CompletableFuture<R> withVolumes(Function<NodeVolumes, CompletableFuture<R>> use) {
        NodeVolumes running = volumes;
        SimProcess agent = process;
        if (running == null || agent == null || !agent.alive() || !ready) {
            return CompletableFuture.failedFuture(new CsiException("the agent of " + node.id + " does not run"));
        }
        CompletableFuture<R> answer = new CompletableFuture<>();
        var unused = use.apply(running)
                .whenComplete((result, failure) -> agent.run(() -> {
                    if (failure == null) {
                        answer.complete(result);
                    } else {
                        answer.completeExceptionally(failure);
                    }
                }));
        return answer;
    }

    /**
     * Returns a text that lists the mounts, volumes and records that are left on this node; empty: nothing is left. If
     * the agent is not ready, the text says so.
     */
    String remaining() {
        NodeVolumes running = volumes;
        if (running == null || !ready) {
            return " the agent of " + node.id + " is not ready";
        }
        String text = kernel.mountPoints().isEmpty() ? "" : " " + node.id + " has mounts " + kernel.mountPoints();
        if (!kernel.inlineTargets().isEmpty()) {
            text += " " + node.id + " has inline volumes at " + kernel.inlineTargets();
        }
        List<NodeVolumeStatus> known = running.volumes();
        if (!known.isEmpty()) {
            text += " " + node.id + " has volumes " + known;
        }
        List<String> records = disk.filesBelow(DIRECTORY + "/ledger").stream()
                .filter(file -> !file.endsWith(".lock"))
                .toList();
        return records.isEmpty() ? text : text + " " + node.id + " has records " + records;
    }
}
