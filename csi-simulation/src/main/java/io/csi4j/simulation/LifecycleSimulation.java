package io.csi4j.simulation;

import io.csi4j.core.command.Command;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Volume;
import io.csi4j.state.ClearTextSecretsCipher;
import io.csi4j.state.StateStore;
import io.csi4j.state.StateStoreOptions;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;

/**
 * The real engine and the real store in a simulated world: nodes lose power, are cut off, fenced and removed; the
 * server crashes between any two steps and loses the lead; calls are refused, hang, are done without an answer or long
 * after; the log loses answers. After each step the invariants are checked; when the trouble stops, every release must
 * end. All of it is decided by one seed, in one thread, in virtual time.
 *
 * <pre>{@code
 * SimulationResult result = LifecycleSimulation.run(4711, SimulationOptions.ofDefaults());
 * if (!result.ok()) {
 *     throw new AssertionError(result + "\n" + result.diagram());
 * }
 * }</pre>
 */
public final class LifecycleSimulation {
    private static final Duration PATIENCE = Duration.ofHours(3);
    /** All retries end in this time, and no scan of all volumes comes in it where scans are rare. */
    private static final Duration PROGRESS = Duration.ofMinutes(30);

    private static final Duration LAST_TROUBLE = Duration.ofSeconds(20);
    private static final int CALLS_PER_RELEASE = 60;
    private static final int STEPS_PER_LOOK = 16;

    private final long seed;
    private final SimWorld world;
    private final SimulationOptions options;
    private final SimChecks checks;
    private final SimHost host;
    private final SimServer server;
    private final SimVolumes volumes;
    private final SimWorkloads workloads;
    private final SimCreations creations;
    private final SimOperator operator;
    private final SimSnapshots snapshots;
    private final SimEncore encore;
    private long steps;

    private LifecycleSimulation(long seed, SimWorld world, SimulationOptions options, SplittableRandom random) {
        this.seed = seed;
        this.world = world;
        this.options = options;
        this.checks = new SimChecks(world);
        this.host = new SimHost(world, random.split(), options.decorator());
        this.server = new SimServer(world, random.split(), options.decorator());
        this.volumes = new SimVolumes(world, random.split());
        this.workloads = new SimWorkloads(world, host, server, volumes, random.split());
        this.creations = new SimCreations(world, server, volumes, random.split());
        this.operator = new SimOperator(world, server, volumes, workloads, random.split());
        this.snapshots = new SimSnapshots(world, server, volumes, random.split());
        this.encore = new SimEncore(world, host, server, volumes, random.split());
    }

    /**
     * Runs one simulation.
     *
     * @param seed decides everything
     * @param options what it is like
     * @return what came of it
     */
    public static SimulationResult run(long seed, SimulationOptions options) {
        SplittableRandom random = new SplittableRandom(seed);
        try (SimWorld world = new SimWorld(random.split(), options.faultRate())) {
            return new LifecycleSimulation(seed, world, options, random).run();
        }
    }

    /**
     * All that may happen in simulations: each fault, operation, access mode and step of the engine's plan. What of it
     * happened in one of them is told by {@link SimulationResult#covered()}.
     *
     * @return names, in order
     */
    public static Set<String> coverage() {
        return SimCoverage.ALL;
    }

    private SimulationResult run() {
        world.onFence(host::fence);
        host.begin(options, workloads::report, workloads::agentBegins);
        volumes.begin(options);
        server.begin(options, workloads::claimAgain);
        workloads.begin(options);
        creations.begin(options);
        operator.begin(options);
        snapshots.begin(options);
        world.drift().begin(options, server, volumes);
        boolean going = true;
        while (going && world.scheduler().elapsed().compareTo(options.chaos()) < 0) {
            going = step();
        }
        if (world.violation() == null) {
            calmDown();
        }
        if (world.violation() == null) {
            encore();
        }
        if (world.violation() == null) {
            replay();
        }
        return new SimulationResult(
                seed,
                Optional.ofNullable(world.violation()),
                world.scheduler().elapsed(),
                steps,
                world.calls(),
                world.applied().size(),
                world.coverage().seen(),
                world.trace().diagram());
    }

    private boolean step() {
        steps++;
        boolean more = world.scheduler().step();
        checks.afterStep();
        return more && world.violation() == null;
    }

    /** No more faults, and everybody goes home: now everything has to come to its end. */
    private void calmDown() {
        world.trace().note("host", "no more trouble");
        world.faults().stop();
        world.nodes().values().stream().filter(node -> !node.removed()).forEach(host::back);
        server.settle();
        if (world.traits().rareScans()) {
            lastTrouble();
        }
        workloads.endAll();
        creations.endAll();
        operator.settle();
        world.drift().calmDown(volumes);
        until(this::settled);
    }

    /**
     * While everything ends, the log still fails and the plugins are ill, and nobody but the engine notices the end of it:
     * no later news and no scan wakes a volume that the engine forgot.
     */
    private void lastTrouble() {
        world.faults().logFailsStill(true);
        world.scheduler().after(LAST_TROUBLE, () -> world.faults().logFailsStill(false));
        host.lastIllness();
    }

    /** Everybody gets what they want in turn, and what was taken for those who left is given back. */
    private void encore() {
        encore.begin();
        until(encore::settled);
        encore.endAll();
        until(this::settled);
    }

    private void until(BooleanSupplier done) {
        long before = world.calls();
        long most = 100 + (long) CALLS_PER_RELEASE * (left() + 4L * options.volumes());
        Duration patience = world.traits().rareScans() ? PROGRESS : PATIENCE;
        Duration end = world.scheduler().elapsed().plus(patience);
        boolean going = world.violation() == null;
        // To look whether all is done costs more than a step.
        while (going && !(steps % STEPS_PER_LOOK == 0 && done.getAsBoolean())) {
            if (world.scheduler().idleUntil(end)) {
                if (!done.getAsBoolean()) {
                    world.violated("I7: no end after " + patience + ": " + remains());
                }
                return;
            }
            going = step();
            if (world.calls() - before > most) {
                world.violated("I7: more than " + most + " calls, and something is left: " + remains());
            }
        }
    }

    private long left() {
        return world.volumes().values().stream()
                .map(world.store().snapshot()::volume)
                .flatMap(Optional::stream)
                .mapToLong(
                        volume -> volume.claims().size() + volume.attachments().size())
                .sum();
    }

    private boolean settled() {
        return left() == 0
                && !world.commandsOnTheirWay()
                && !world.store().snapshot().unsettledVolumes().iterator().hasNext()
                && workloads.answered()
                && world.provider().attachments().values().stream().allMatch(Map::isEmpty)
                && creations.settled()
                && operator.settled()
                && snapshots.remains().isEmpty()
                && server.unanswered().isEmpty()
                && world.room().remains().isEmpty()
                && !world.faults().logFailsStill();
    }

    private String remains() {
        StringBuilder text = new StringBuilder();
        StateReader state = world.store().snapshot();
        for (var key : world.volumes().values()) {
            Optional<Volume> volume = state.volume(key);
            if (volume.isPresent() && volume.get().inUse()) {
                text.append(key).append(" has ");
                volume.get()
                        .claims()
                        .forEach(claim -> text.append("claim ")
                                .append(claim.allocationId())
                                .append(' ')
                                .append(claim.state())
                                .append(' '));
                volume.get()
                        .attachments()
                        .forEach(attachment -> text.append("attachment ")
                                .append(attachment.nodeId())
                                .append(' ')
                                .append(attachment.state())
                                .append(' '));
            }
        }
        state.unsettledVolumes().forEach(key -> text.append(key).append(" is unsettled, "));
        return text + "attached " + world.provider().attachments()
                + (workloads.answered() ? "" : ", a claim unanswered") + ", " + creations.remains() + ", unanswered "
                + server.unanswered() + operator.remains() + snapshots.remains() + encore.remains()
                + world.room().remains();
    }

    /** The state is a function of the commands. */
    private void replay() {
        try (StateStore other = StateStore.create(StateStoreOptions.builder()
                .secretsCipher(ClearTextSecretsCipher.secretsStayReadable())
                .build())) {
            for (Command command : world.applied()) {
                other.apply(command);
            }
            if (!Arrays.equals(encoded(other), encoded(world.store()))) {
                world.violated("I9: the same commands gave another state");
            }
        }
    }

    private static byte[] encoded(StateStore store) {
        try {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            store.encode(bytes);
            return bytes.toByteArray();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
