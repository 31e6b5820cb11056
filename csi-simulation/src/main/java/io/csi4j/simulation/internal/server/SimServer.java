package io.csi4j.simulation.internal.server;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.lifecycle.CallerOperations;
import io.csi4j.core.lifecycle.LifecycleOptions;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.EventListener;
import io.csi4j.core.spi.MissedStepEvent;
import io.csi4j.core.state.ObservableState;
import io.csi4j.core.volume.RemainingWork;
import io.csi4j.simulation.internal.node.NodeSide;
import io.csi4j.simulation.internal.plugin.SimCall;
import io.csi4j.simulation.internal.time.SimProcess;
import io.csi4j.simulation.internal.world.AllowedViolations;
import io.csi4j.simulation.internal.world.PortDecorator;
import io.csi4j.simulation.internal.world.SimConfig;
import io.csi4j.simulation.internal.world.SimNode;
import io.csi4j.simulation.internal.world.SimWorld;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The server processes of the cluster, one after the other. A process may crash or lose its leadership; for a time, two
 * processes may both act as leader.
 */
public final class SimServer {
    private static final int MAX_CRASH_POINT = 20;
    private static final Duration MAX_UNNOTICED = Duration.ofMinutes(1);
    private static final Duration RECONCILE_INTERVAL = Duration.ofSeconds(40);
    /** The shortest time from the stop of all servers until the state is restored. */
    private static final Duration RESTORE = Duration.ofSeconds(2);

    /** The longest time from a backup of the state until its restore begins: about as long as workloads run. */
    private static final Duration MAX_BACKUP_AGE = Duration.ofMinutes(2);

    /** The time before the end of the faults in which no restore begins, so that its faults can show. */
    private static final Duration LAST_RESTORE = Duration.ofMinutes(2);

    private static final Duration SCAN = Duration.ofMinutes(1);
    /** An interval between scans that is longer than a run, so that no scan occurs. */
    private static final Duration RARE_SCAN = Duration.ofDays(2);

    private final SimWorld world;
    private final NodeSide side;
    private final SplittableRandom random;
    private final PortDecorator.Ports ports;
    private final DueSteps dueSteps;
    private @Nullable SimServerInstance current;
    /** Former leaders that have not noticed the new leader yet. */
    private final List<SimServerInstance> overtaken = new ArrayList<>();

    private SimProcess lastTarget;
    private Runnable onNewTerm = () -> {};
    private final Set<OpenRequest> unanswered = new LinkedHashSet<>();
    /** Whether the servers are stopped, so that the state can be restored. */
    private boolean stopped;

    private Runnable onRestore = () -> {};
    /** Whether the state was restored, and does not know it yet. */
    private boolean ledgersMissing;

    public SimServer(SimWorld world, NodeSide side, SplittableRandom random, PortDecorator decorator) {
        this.side = side;
        this.world = world;
        this.random = random;
        this.ports = decorator.of(world);
        this.lastTarget = new SimProcess(world.scheduler());
        this.dueSteps = new DueSteps(world, this::leader);
    }

    private @Nullable VolumeLifecycle leader() {
        return current != null && current.leads() && !current.process().paused() ? current.lifecycle() : null;
    }

    /**
     * Starts the first server and schedules failures.
     *
     * @param newTerm runs at the beginning of each term
     */
    public void begin(SimConfig options, Runnable newTerm) {
        onNewTerm = newTerm;
        dueSteps.begin();
        if (world.hasLogUnderTest()) {
            return;
        }
        start();
        long maxDelay = options.chaos().toNanos();
        for (int i = 0; i < 7; i++) {
            world.scheduler().after(Duration.ofNanos(random.nextLong(maxDelay)), this::failServer);
        }
    }

    /** The process that received the last request. */
    public SimProcess lastTarget() {
        return lastTarget;
    }

    public boolean leads() {
        return current != null && current.leads();
    }

    /**
     * Sends an operator's request to the leader, or to a former leader that has not noticed that another server leads.
     * The server must answer the request unless its process crashes.
     */
    public <R> CompletableFuture<R> request(
            String operation, Function<CallerOperations, CompletableFuture<R>> operationCall) {
        SimServerInstance server = overtaken.isEmpty() || random.nextInt(3) > 0 ? current : overtaken.get(0);
        if (server == null) {
            return noServer();
        }
        lastTarget = server.process();
        world.coverage().operation(operation);
        Supplier<CompletableFuture<R>> call =
                () -> operationCall.apply(server.lifecycle().as(() -> AllowedViolations.OPERATOR));
        CompletableFuture<R> answer = lastTarget.paused() ? later(lastTarget, call) : call.get();
        if (!answer.isDone()) {
            OpenRequest openRequest = new OpenRequest(operation, lastTarget);
            unanswered.add(openRequest);
            var unused = answer.whenComplete((result, failure) -> unanswered.remove(openRequest));
        }
        return answer;
    }

    /** A request waits in the socket of a process that stands still. */
    private static <R> CompletableFuture<R> later(SimProcess process, Supplier<CompletableFuture<R>> call) {
        CompletableFuture<R> answer = new CompletableFuture<>();
        process.run(() -> {
            var unused = call.get().whenComplete((result, failure) -> {
                if (failure == null) {
                    answer.complete(result);
                } else {
                    answer.completeExceptionally(failure);
                }
            });
        });
        return answer;
    }

    /** The requests to living processes that have no answer. */
    public List<String> unanswered() {
        return unanswered.stream()
                .filter(openRequest -> openRequest.process.alive())
                .map(openRequest -> openRequest.operation)
                .toList();
    }

    private static final class OpenRequest {
        private final String operation;
        private final SimProcess process;

        OpenRequest(String operation, SimProcess process) {
            this.operation = operation;
            this.process = process;
        }
    }

    private static <R> CompletableFuture<R> noServer() {
        return CompletableFuture.failedFuture(new CsiException("no server is running"));
    }

    private void start() {
        world.trace().note("server", "starts");
        SimProcess process = new SimProcess(world.scheduler());
        current = instance(process, new SimLog(world, process), world.clocks().nextServer(), random.split());
        if (ledgersMissing) {
            // A server submits this before it leads, and does not lead before the state has it.
            CompletableFuture<Outcome> known = ports.log(localLog(process))
                    .submit(new NodeCommand.RequireLedgers(
                            "restored from a backup", world.clocks().report()));
            ledgersMissing = !known.join().accepted();
        }
        startTerm(current);
    }

    /** A log that answers at once: what a server submits to it before it leads is repeated until it is stored. */
    private CommandLog localLog(SimProcess process) {
        return new CommandLog() {
            @Override
            public CompletableFuture<Outcome> submit(Command command) {
                return CompletableFuture.completedFuture(world.apply(process, command));
            }

            @Override
            public ObservableState state() {
                return world.store();
            }
        };
    }

    /**
     * Schedules a backup of the state, and its restore.
     *
     * @param choices random numbers of their own
     * @param restored follows the guide after the restore: reports everything again
     */
    public void restoreOnce(SimConfig options, SplittableRandom choices, Runnable restored) {
        onRestore = restored;
        long time = options.chaos().minus(LAST_RESTORE).toNanos();
        if (time <= 0) {
            return;
        }
        long backup = choices.nextLong(time);
        long stop = backup + choices.nextLong(MAX_BACKUP_AGE.toNanos());
        world.scheduler().after(Duration.ofNanos(backup), () -> {
            world.trace().note("server", "the state is backed up");
            world.backup().take();
        });
        world.scheduler().after(Duration.ofNanos(stop), this::stopAll);
    }

    /** Stops all servers, also former leaders, and restores the state when none of their calls is in flight any more. */
    private void stopAll() {
        world.trace().note("server", "all servers are stopped");
        stopped = true;
        overtaken.forEach(SimServerInstance::crash);
        overtaken.clear();
        if (current != null) {
            current.crash();
            current = null;
        }
        world.scheduler().after(RESTORE, this::restore);
    }

    private void restore() {
        if (!stopped) {
            return;
        }
        if (world.provider().locks().anyHeld()) {
            // A call of a stopped server would change later what the restored state cannot know.
            world.scheduler().after(RESTORE, this::restore);
            return;
        }
        world.restoreBackup();
        ledgersMissing = true;
        stopped = false;
        start();
        onRestore.run();
    }

    /** Returns what a log under test sees of the simulated world. */
    public LogSite site(SplittableRandom logRandom) {
        return new LogSite(world, this, logRandom);
    }

    /** Makes a server of a log under test the leader. A former leader that stands still does not know of it. */
    void lead(SimServerInstance server, BooleanSupplier mayAct) {
        SimServerInstance former = current;
        if (former != null && former.leads() && !former.equals(server)) {
            world.coverage().fault("paused leader overtaken");
            former.process().retire();
            overtaken.add(former);
        }
        current = server;
        startTerm(server, mayAct);
    }

    /** Ends the leadership of a server of a log under test. */
    void follow(SimServerInstance server) {
        server.stopLeading();
        overtaken.remove(server);
    }

    /** Forgets a server of a log under test, whose process has crashed. */
    void crashedInLog(@Nullable SimServerInstance server) {
        if (server == null) {
            return;
        }
        server.crash();
        overtaken.remove(server);
        if (server.equals(current)) {
            current = null;
        }
        // Requests to the crashed server get no answer, so the workloads repeat them.
        onNewTerm.run();
    }

    /** Creates an engine in a process, on a machine with the given clock. */
    SimServerInstance instance(SimProcess process, CommandLog log, Clock clock, SplittableRandom engineRandom) {
        return new SimServerInstance(
                process,
                VolumeLifecycle.builder()
                        .log(ports.log(dueSteps.observed(log)))
                        .gateway(ports.gateway(new SimGateway(world, process, side)))
                        .environment(Environment.of(clock, ports.timer(process, clock), process, engineRandom))
                        .callbackExecutor(process)
                        .secrets(query -> secrets().thenApply(Optional::of))
                        .fencing((nodeId, reason) -> fence(nodeId))
                        .listener(world.traits().rareScans() ? EventListener.none() : noStepIsMissed())
                        .options(LifecycleOptions.builder()
                                .callTimeout(SimCall.DEADLINE)
                                .scanInterval(world.traits().rareScans() ? RARE_SCAN : SCAN)
                                // The reports of nodes only inform operators, and the simulation has none.
                                .nodeReportInterval(Duration.ZERO)
                                .reconciliation(world.traits().reconciles() ? RECONCILE_INTERVAL : Duration.ZERO, true)
                                .build())
                        .build());
    }

    /** Returns a listener to which a scan must not report any step: events and timers alone have to start all steps. */
    private EventListener noStepIsMissed() {
        return new EventListener() {
            @Override
            public void missedStepFound(MissedStepEvent event) {
                world.reportViolation("I7: a scan found a step of " + event.volume() + " that nothing had started");
            }
        };
    }

    private CompletableFuture<Secrets> secrets() {
        if (!world.faults().secretsHang()) {
            return CompletableFuture.completedFuture(Secrets.empty());
        }
        world.coverage().fault("secrets never come");
        return new CompletableFuture<>();
    }

    private CompletableFuture<Void> fence(NodeId nodeId) {
        world.coverage().step(RemainingWork.Kind.REQUEST_FENCE);
        SimNode node = world.node(nodeId);
        if (node != null) {
            world.scheduler().within(Duration.ofSeconds(5), () -> world.fence(node));
        }
        return CompletableFuture.completedFuture(null);
    }

    private void startTerm(SimServerInstance server) {
        startTerm(server, () -> true);
    }

    private void startTerm(SimServerInstance server, BooleanSupplier mayAct) {
        dueSteps.newTerm();
        server.startLeading(mayAct);
        onNewTerm.run();
    }

    /**
     * Crashes the leader, or ends its leadership: for a while, permanently, or in such a way that the leader does not
     * notice it at first.
     */
    private void failServer() {
        SimServerInstance leader = current;
        if (!world.faults().active() || leader == null || !leader.leads()) {
            return;
        }
        switch (random.nextInt(6)) {
            case 0 -> loseLeadership(leader);
            case 1 -> {
                world.coverage().fault("leadership moves");
                world.trace().note("server", "loses leadership to another server");
                leader.process().retire();
                leader.stopLeading();
                replace(Duration.ofSeconds(5), false);
            }
            case 2 -> overtake(leader);
            case 3 ->
                leader.process().crashAt(1 + random.nextInt(MAX_CRASH_POINT), random.nextBoolean(), () -> {
                    world.coverage().fault("server crash at a write or call");
                    world.trace().note("server", "crashes at a write or call");
                    leader.crash();
                    // The other servers notice the crash after the task in which this process crashed.
                    world.scheduler().after(Duration.ZERO, () -> crashed(leader));
                });
            default -> {
                world.coverage().fault("server crash");
                world.trace().note("server", "crashes");
                leader.crash();
                replace(Duration.ofSeconds(20), true);
            }
        }
    }

    private void crashed(SimServerInstance leader) {
        if (leader.equals(current)) {
            replace(Duration.ofSeconds(20), true);
        } else if (overtaken.remove(leader)) {
            // Requests to the crashed server get no answer, so the workloads repeat them.
            onNewTerm.run();
        }
    }

    private void replace(Duration maxDelay, boolean crashed) {
        current = null;
        world.scheduler().within(maxDelay, () -> recover(crashed));
    }

    /** Makes another server the leader; the old leader continues until it notices this. */
    private void overtake(SimServerInstance server) {
        world.trace().note("server", "is overtaken by another server and does not notice");
        server.process().retire();
        overtaken.add(server);
        replace(Duration.ofSeconds(5), false);
        world.scheduler().after(Duration.ofSeconds(5).plus(world.scheduler().upTo(MAX_UNNOTICED)), () -> {
            if (!overtaken.remove(server)) {
                return;
            }
            if (random.nextInt(3) == 0) {
                world.trace().note("server", "that was overtaken crashes");
                server.crash();
                // Requests to the crashed server get no answer, so the workloads repeat them.
                onNewTerm.run();
            } else {
                world.trace().note("server", "notices that it was overtaken");
                server.stopLeading();
            }
        });
    }

    private void loseLeadership(SimServerInstance server) {
        world.coverage().fault("leadership lost");
        world.trace().note("server", "loses leadership");
        server.stopLeading();
        world.scheduler().within(Duration.ofSeconds(20), () -> {
            if (server.equals(current) && !server.leads()) {
                startTerm(server);
            }
        });
    }

    private void recover(boolean crashed) {
        if (current != null || stopped) {
            return;
        }
        if (crashed && overtaken.isEmpty() && random.nextBoolean()) {
            world.coverage().fault("state reloaded");
            reload();
        }
        if (!overtaken.isEmpty()) {
            world.coverage().fault("two leaders");
        }
        start();
    }

    /** Encodes the state, and replaces the state by the decoded copy. */
    private void reload() {
        try {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            world.store().encode(bytes);
            world.store().restore(new ByteArrayInputStream(bytes.toByteArray()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Makes the current server the only leader, after the faults have ended. */
    public void settle() {
        if (world.hasLogUnderTest()) {
            return;
        }
        overtaken.forEach(SimServerInstance::stopLeading);
        overtaken.clear();
        stopped = false;
        if (current == null) {
            start();
        } else if (!current.leads()) {
            startTerm(current);
        }
        if (current != null) {
            current.process().cancelCrash();
        }
    }
}
