package io.csi4j.simulation.internal;

import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Volume;
import io.csi4j.simulation.SimulationReport;
import io.csi4j.simulation.internal.check.FinalLivenessRound;
import io.csi4j.simulation.internal.check.FinalTemplateRound;
import io.csi4j.simulation.internal.check.InvariantChecks;
import io.csi4j.simulation.internal.database.DatabaseFault;
import io.csi4j.simulation.internal.database.DatabaseLog;
import io.csi4j.simulation.internal.host.SimHost;
import io.csi4j.simulation.internal.host.SimWorkloads;
import io.csi4j.simulation.internal.node.ModelNodeSide;
import io.csi4j.simulation.internal.node.NodeSide;
import io.csi4j.simulation.internal.node.NodeVolumesSide;
import io.csi4j.simulation.internal.operator.SimCreations;
import io.csi4j.simulation.internal.operator.SimOperator;
import io.csi4j.simulation.internal.operator.SimSnapshotUser;
import io.csi4j.simulation.internal.server.LogSite;
import io.csi4j.simulation.internal.server.SimServer;
import io.csi4j.simulation.internal.world.SimConfig;
import io.csi4j.simulation.internal.world.SimVolumes;
import io.csi4j.simulation.internal.world.SimWorld;
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
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Runs one seed: a time with faults, then the end of all workloads, and a last round without faults. */
public final class SimulationRun {
    private static final Duration SETTLE_TIMEOUT = Duration.ofHours(3);
    /**
     * The time in which a run with rare scans has to reach its end state. It is longer than all retries, and shorter
     * than the interval between two scans, so that no scan can help.
     */
    private static final Duration RARE_SCAN_SETTLE_TIMEOUT = Duration.ofMinutes(30);

    private static final Duration LAST_FAULTS = Duration.ofSeconds(20);
    private static final int CALLS_PER_RELEASE = 60;
    private static final int STEPS_PER_CHECK = 16;
    private static final long LOG_SEED = 0x6c6f_6775_6e64_6572L;
    private static final long DATABASE_SEED = 0x6461_7461_6261_7365L;
    private static final long CLOCK_SEED = 0x5bd1e995c10c4L;
    private static final long RESTORE_SEED = 0x7265_7374_6f72_6531L;
    private static final long GROUP_SEED = 0x47524f5550L;
    private static final long LABEL_SEED = 0x4c4142454cL;
    /** In one of so many seeds with the real node volumes, workloads name security labels. */
    private static final int SEEDS_PER_LABEL = 5;

    private static final long RENEWAL_SEED = 0x52454e4557L;
    /** In one of so many seeds with the real node volumes, mounted volumes are published again. */
    private static final int SEEDS_PER_RENEWAL = 5;

    /** In one of so many seeds with the real node volumes, workloads name groups for their files. */
    private static final int SEEDS_PER_GROUP = 5;

    /** One in so many seeds restores the state from a backup. */
    private static final int SEEDS_PER_RESTORE = 4;

    private static final long LOST_SEED = 0x6c6f_7374_766f_6c73L;

    /** The longest time until a host reports its allocations after a restore, in nanoseconds. */
    private static final long REPORT_TIME = Duration.ofSeconds(30).toNanos();

    private static final long NODE_SEED = 0x6e6f_6465_7369_6465L;
    private static final long TEMPLATE_SEED = 0x7465_6d70_6c61_7465L;

    private final long seed;
    private final SimWorld world;
    private final SimConfig options;
    /** The faults of the log in a database; null: the log is another one. */
    private final @Nullable Set<DatabaseFault> database;

    private final boolean nodeVolumes;
    private final NodeSide side;
    private final InvariantChecks checks;
    private final SimHost host;
    private final SimServer server;
    private final SimVolumes volumes;
    private final SimWorkloads workloads;
    private final SimCreations creations;
    private final SimOperator operator;
    private final SimSnapshotUser snapshots;
    private final FinalLivenessRound finalRound;
    private final FinalTemplateRound finalTemplates;
    private final SplittableRandom restoreRandom;
    private long steps;

    private SimulationRun(
            long seed,
            SimWorld world,
            SimConfig options,
            @Nullable Set<DatabaseFault> database,
            SplittableRandom random) {
        // Chooses between the real node programs and a model of them by separate random numbers, so that this choice
        // does not change any other random choice of the run.
        SplittableRandom nodeRandom = new SplittableRandom(seed ^ NODE_SEED);
        this.nodeVolumes = nodeRandom.nextDouble() < options.nodeVolumesShare();
        this.side = nodeVolumes
                ? new NodeVolumesSide(world, options.decorator().ofNodes(world), nodeRandom.split())
                : new ModelNodeSide(world);
        this.seed = seed;
        this.world = world;
        this.options = options;
        this.database = database;
        this.checks = new InvariantChecks(world);
        this.host = new SimHost(world, side, random.split(), options.decorator());
        this.server = new SimServer(world, side, random.split(), options.decorator());
        this.restoreRandom = new SplittableRandom(seed ^ RESTORE_SEED).split();
        LogSite site = server.site(new SplittableRandom(seed ^ LOG_SEED));
        if (options.log() != null) {
            world.useLog(options.log().start(site));
        } else if (database != null) {
            world.useLog(new DatabaseLog(site, database, options.decorator().databaseRules()));
        }
        this.volumes = new SimVolumes(world, random.split());
        boolean groups = options.decorator().alwaysNamesGroups()
                || new SplittableRandom(seed ^ GROUP_SEED).nextInt(SEEDS_PER_GROUP) == 0;
        if (nodeVolumes && groups) {
            volumes.nameGroups();
        }
        SplittableRandom renewals = new SplittableRandom(seed ^ RENEWAL_SEED);
        if (nodeVolumes && (options.decorator().alwaysPublishesAgain() || renewals.nextInt(SEEDS_PER_RENEWAL) == 0)) {
            volumes.publishAgain(renewals);
        }
        SplittableRandom labels = new SplittableRandom(seed ^ LABEL_SEED);
        if (nodeVolumes && (options.decorator().alwaysNamesLabels() || labels.nextInt(SEEDS_PER_LABEL) == 0)) {
            volumes.nameLabels(labels);
        }
        volumes.putProfiles();
        this.workloads = new SimWorkloads(world, side, host, server, volumes, options, random.split());
        this.creations = new SimCreations(world, server, volumes, random.split());
        this.operator = new SimOperator(world, side, server, volumes, workloads, random.split());
        this.snapshots = new SimSnapshotUser(world, server, volumes, random.split());
        this.finalRound = new FinalLivenessRound(world, side, host, server, volumes, random.split());
        this.finalTemplates = new FinalTemplateRound(world, side, host, server);
    }

    /**
     * Runs one simulation.
     *
     * @param seed decides all random choices
     */
    @SuppressWarnings("try") // the log is silent until the block ends
    public static SimulationReport run(long seed, SimConfig options) {
        SplittableRandom random = new SplittableRandom(seed);
        // A log under test keeps its own commands, so the simulation cannot exchange its state.
        boolean restores = options.log() == null
                && options.faultRate() > 0
                && new SplittableRandom(seed ^ RESTORE_SEED).nextInt(SEEDS_PER_RESTORE) == 0;
        Set<DatabaseFault> database = restores ? null : database(seed, options);
        try (SilentLog silent = SilentLog.begin();
                SimWorld world = new SimWorld(
                        random.split(),
                        new SplittableRandom(seed ^ CLOCK_SEED),
                        templates(seed, options),
                        options.faultRate(),
                        restores)) {
            return new SimulationRun(seed, world, options, database, random).run();
        }
    }

    /**
     * Chooses whether the log is one in a database, and its faults, by separate random numbers, so that this choice does
     * not change any other seed.
     */
    private static @Nullable Set<DatabaseFault> database(long seed, SimConfig options) {
        SplittableRandom random = new SplittableRandom(seed ^ DATABASE_SEED);
        return options.log() == null && random.nextDouble() < options.databaseShare()
                ? DatabaseFault.choose(random, options.faultRate())
                : null;
    }

    /**
     * Chooses whether workloads make volumes from templates, by separate random numbers, so that this choice does not
     * change any other seed. Workloads and placements under test choose for themselves.
     */
    private static @Nullable SplittableRandom templates(long seed, SimConfig options) {
        SplittableRandom random = new SplittableRandom(seed ^ TEMPLATE_SEED);
        boolean own = options.placement() != null || options.source() != null || options.loop() != null;
        return !own && options.log() == null && random.nextDouble() < options.templatesShare() ? random : null;
    }

    private SimulationReport run() {
        world.onFence(host::fence);
        host.onReplacement(operator::machineReplaced, workloads::reportAll);
        host.begin(options, workloads::report, workloads::agentRestarted);
        volumes.begin(options);
        world.clocks().begin(options);
        server.begin(options, workloads::repeatClaims);
        workloads.begin(options);
        if (!world.traits().restores()) {
            creations.begin(options);
        }
        operator.begin(options);
        snapshots.begin(options);
        world.drift()
                .begin(
                        options,
                        repair -> {
                            var unused = server.request(
                                    "reconcile", engine -> engine.operator().reconcile(SimVolumes.ATTACHING, repair));
                        },
                        volumes);
        if (world.traits().restores()) {
            world.backup().onUses(workloads::sentMounts, side::mayHaveMounted);
            world.lost().begin(new SplittableRandom(seed ^ LOST_SEED));
            server.restoreOnce(options, restoreRandom, this::restored);
        }
        boolean running = true;
        while (running && world.scheduler().elapsed().compareTo(options.chaos()) < 0) {
            running = step();
        }
        if (world.violations().isEmpty()) {
            settle();
        }
        if (world.violations().isEmpty()) {
            finalRound();
        }
        if (world.violations().isEmpty()) {
            replay();
        }
        return new SimulationReport(
                seed,
                world.violations(),
                nodeVolumes,
                Optional.ofNullable(database)
                        .map(faults -> faults.stream().map(DatabaseFault::text).collect(Collectors.toSet())),
                world.scheduler().elapsed(),
                steps,
                world.calls(),
                world.applied().size(),
                world.coverage().covered(),
                world.trace().diagram());
    }

    /** Does what the guide says for the time after a restore, with what is true of the machines. */
    private void restored() {
        host.restored();
        workloads.restored();
        workloads.repeatGrants();
        if (restoreRandom.nextBoolean()) {
            workloads.reportAgain();
        } else {
            // Some hosts take their time; the nodes may have reported their ledgers by then.
            world.scheduler().after(Duration.ofNanos(restoreRandom.nextLong(REPORT_TIME)), workloads::reportAgain);
        }
        operator.restored();
    }

    private boolean step() {
        steps++;
        boolean stepped = world.scheduler().step();
        checks.afterStep();
        return stepped && world.violations().isEmpty();
    }

    /** Stops all faults and ends all workloads; all volumes must then become free. */
    private void settle() {
        world.trace().note("host", "faults end");
        world.faults().stop();
        side.settle();
        world.nodes().values().stream().filter(node -> !node.removed()).forEach(host::recover);
        server.settle();
        if (world.hasLogUnderTest()) {
            world.settleLog();
            runUntil(server::leads);
        }
        if (world.traits().rareScans()) {
            lastFaults();
        }
        workloads.endAll();
        creations.endAll();
        operator.settle(host::settled);
        world.drift().settle(volumes);
        runUntil(this::settled);
    }

    /**
     * Causes the last faults while the workloads end: the log fails for some time, and all plugins become unhealthy
     * once. Nothing but the engine's own retries handles the end of these faults, so a volume that the engine forgot
     * stays blocked.
     */
    private void lastFaults() {
        world.faults().logStillFails(true);
        world.scheduler().after(LAST_FAULTS, () -> world.faults().logStillFails(false));
        host.failPluginsOnce();
    }

    /** Grants each workload its volumes once more, and checks that cancelled claims are released. */
    private void finalRound() {
        finalRound.begin();
        finalTemplates.begin();
        runUntil(() -> finalRound.settled() && finalTemplates.remaining().isEmpty());
        finalRound.endAll();
        runUntil(this::settled);
    }

    private void runUntil(BooleanSupplier done) {
        long before = world.calls();
        long maxCalls = 100 + (long) CALLS_PER_RELEASE * (remainingRows() + 4L * options.volumes());
        Duration timeout = world.traits().rareScans() ? RARE_SCAN_SETTLE_TIMEOUT : SETTLE_TIMEOUT;
        Duration end = world.scheduler().elapsed().plus(timeout);
        boolean running = world.violations().isEmpty();
        // Calls {@code done} only at every few steps, because this call costs more than a step.
        while (running && !(steps % STEPS_PER_CHECK == 0 && done.getAsBoolean())) {
            if (world.scheduler().idleUntil(end)) {
                if (!done.getAsBoolean()) {
                    world.reportViolation("I7: no end after " + timeout + ": " + remaining());
                }
                return;
            }
            running = step();
            if (world.calls() - before > maxCalls) {
                world.reportViolation("I7: more than " + maxCalls + " calls and still unsettled: " + remaining());
            }
        }
    }

    private long remainingRows() {
        return world.volumes().values().stream()
                .distinct()
                .map(world.store().snapshot()::volume)
                .flatMap(Optional::stream)
                .mapToLong(
                        volume -> volume.claims().size() + volume.attachments().size())
                .sum();
    }

    private boolean settled() {
        return remainingRows() == 0
                && !world.hasDelayedCommands()
                && !world.store().snapshot().unsettledVolumes().iterator().hasNext()
                && !world.store().snapshot().unsettledNodes().iterator().hasNext()
                && !world.store().snapshot().leftovers().iterator().hasNext()
                && workloads.answered()
                && world.provider().attachments().values().stream().allMatch(Map::isEmpty)
                && workloads.remainingTemplates().isEmpty()
                && creations.settled()
                && host.settled()
                && operator.settled()
                && snapshots.remaining().isEmpty()
                && side.remaining().isEmpty()
                && server.unanswered().isEmpty()
                && (database == null || leadsForLong())
                && world.capacity().remaining().isEmpty()
                && !world.faults().logStillFails();
    }

    /** Whether the leader has renewed its lease since the faults of the database have ended. */
    private boolean leadsForLong() {
        return server.leads()
                && world.scheduler().elapsed().compareTo(options.chaos().plus(DatabaseLog.RECOVERY)) > 0;
    }

    private String remaining() {
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
        state.unsettledNodes()
                .forEach(node -> text.append(node.id())
                        .append(" has ")
                        .append(node.ledger())
                        .append(", "));
        return text + "attached " + world.provider().attachments()
                + (workloads.answered() ? "" : ", a claim has no answer") + workloads.remainingTemplates() + ", "
                + creations.remaining()
                + ", operations without answer "
                + server.unanswered() + operator.remaining() + snapshots.remaining() + finalRound.remaining()
                + finalTemplates.remaining()
                + world.capacity().remaining() + side.remaining();
    }

    /** Applies all commands of the run again to an empty store, and checks that the states are equal. */
    private void replay() {
        try (StateStore other = StateStore.create(StateStoreOptions.builder()
                .secretsCipher(ClearTextSecretsCipher.secretsStayReadable())
                .build())) {
            for (SimWorld.Applied one : world.applied()) {
                if (one.index().isPresent()) {
                    other.applyAt(one.index().getAsLong(), one.command());
                } else {
                    other.apply(one.command());
                }
            }
            if (!Arrays.equals(encoded(other), encoded(world.store()))) {
                world.reportViolation("I9: the same commands produced a different state");
            }
        }
        world.compareLog();
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
