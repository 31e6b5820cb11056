package io.csi4j.simulation;

import io.csi4j.simulation.internal.SimulationRun;
import io.csi4j.simulation.internal.world.PortDecorator;
import io.csi4j.simulation.internal.world.SimConfig;
import io.csi4j.simulation.internal.world.SimCoverage;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Runs the real engine, the real store and, in a share of the seeds, the real node side in a simulated world. Nodes lose
 * power, are cut off, fenced or removed; servers, agents and plugins crash; calls fail, hang, or are done late; the log loses
 * answers. The simulation checks the invariants after each step, and that all releases end once the faults stop. One seed
 * decides everything, in one thread and in virtual time.
 *
 * <pre>{@code
 * LifecycleSimulation simulation = LifecycleSimulation.builder().nodes(5).placement(scheduler).build();
 * SimulationReport report = simulation.run(4711);
 * if (!report.ok()) {
 *     throw new AssertionError(report + "\n" + report.diagram());
 * }
 * }</pre>
 *
 * <p>While a simulation runs, {@code java.util.logging} shows no line of {@code io.csi4j}, because each simulated fault
 * would write a warning. A level that the program has set for this logger stays.
 *
 * <p>Immutable. Safe for use by several threads if the placement and the source of workloads are.
 */
public final class LifecycleSimulation {
    private final SimConfig config;

    private LifecycleSimulation(SimConfig config) {
        this.config = config;
    }

    /** Returns a small cluster with many faults, and with random placement and workloads. */
    public static LifecycleSimulation ofDefaults() {
        return builder().build();
    }

    /** Returns a builder with the default values. */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Returns all events that simulations can produce: each fault, operation, access mode and step of the engine's plan. {@link
     * SimulationReport#covered()} has the events of one simulation.
     */
    public static Set<String> coverage() {
        return SimCoverage.ALL;
    }

    /**
     * Runs one simulation.
     *
     * @param seed decides all random choices
     */
    public SimulationReport run(long seed) {
        return SimulationRun.run(seed, config);
    }

    /**
     * Runs a range of seeds, on all processors. Ends early after a seed has failed.
     *
     * @param first the first seed
     * @param seeds the number of seeds
     */
    public SimulationSummary runAll(long first, long seeds) {
        return runAll(first, seeds, report -> {});
    }

    /**
     * Runs a range of seeds, on all processors. Ends early after a seed has failed.
     *
     * @param first the first seed
     * @param seeds the number of seeds
     * @param progress receives each report, from several threads
     */
    public SimulationSummary runAll(long first, long seeds, Consumer<SimulationReport> progress) {
        Objects.requireNonNull(progress, "progress");
        AtomicLong done = new AtomicLong();
        AtomicLong calls = new AtomicLong();
        AtomicLong commands = new AtomicLong();
        Map<String, Long> seedsByEvent = new ConcurrentHashMap<>();
        Optional<SimulationReport> failure = LongStream.range(first, first + seeds)
                .parallel()
                .mapToObj(this::run)
                .peek(report -> {
                    done.incrementAndGet();
                    calls.addAndGet(report.calls());
                    commands.addAndGet(report.commands());
                    report.covered().forEach(event -> seedsByEvent.merge(event, 1L, Long::sum));
                    progress.accept(report);
                })
                .filter(report -> !report.ok())
                .findAny();
        return new SimulationSummary(done.get(), calls.get(), commands.get(), seedsByEvent, failure);
    }

    /** Builds {@link LifecycleSimulation}s. Not safe for use by several threads. */
    public static final class Builder {
        private static final SimConfig DEFAULTS = SimConfig.ofDefaults();

        private int nodes = DEFAULTS.nodes();
        private int volumes = DEFAULTS.volumes();
        private int workloads = DEFAULTS.workloads();
        private Duration chaos = DEFAULTS.chaos();
        private double faultRate = DEFAULTS.faultRate();
        private double nodeVolumesShare = DEFAULTS.nodeVolumesShare();
        private @Nullable PlacementPolicy placement;
        private @Nullable WorkloadSource source;
        private @Nullable SchedulerLoop loop;
        private @Nullable LogUnderTest log;

        private Builder() {}

        /**
         * Sets the number of nodes. Default: 3.
         *
         * @param nodes 2 or more
         * @throws IllegalArgumentException if there are fewer
         */
        public Builder nodes(int nodes) {
            this.nodes = atLeast("nodes", nodes, 2);
            return this;
        }

        /**
         * Sets the number of volumes; they differ in their access modes. Default: 5.
         *
         * @param volumes 1 or more
         * @throws IllegalArgumentException if there are fewer
         */
        public Builder volumes(int volumes) {
            this.volumes = atLeast("volumes", volumes, 1);
            return this;
        }

        /**
         * Sets the number of workloads. Default: 24.
         *
         * @param workloads 1 or more
         * @throws IllegalArgumentException if there are fewer
         */
        public Builder workloads(int workloads) {
            this.workloads = atLeast("workloads", workloads, 1);
            return this;
        }

        /**
         * Sets the time during which faults occur; all releases must end after it. Default: 8 minutes.
         *
         * @param chaos virtual time, above zero
         * @throws IllegalArgumentException if it is not above zero
         */
        public Builder chaos(Duration chaos) {
            if (chaos.isZero() || chaos.isNegative()) {
                throw new IllegalArgumentException("LifecycleSimulation: chaos is " + chaos + "; use more than zero");
            }
            this.chaos = chaos;
            return this;
        }

        /**
         * Sets the share of calls that are refused, hang, or lose their answer. Default: 0.25.
         *
         * @param faultRate 0 to 1
         * @throws IllegalArgumentException if it is outside this range
         */
        public Builder faultRate(double faultRate) {
            this.faultRate = fraction("faultRate", faultRate);
            return this;
        }

        /**
         * Sets the share of seeds in which the nodes run the real node side: ledger, mounts and workers on a simulated disk
         * and mount table. In the other seeds a model of it runs, which is faster. Default: a third.
         *
         * @param share 0 to 1
         * @throws IllegalArgumentException if it is outside this range
         */
        public Builder nodeVolumesShare(double share) {
            this.nodeVolumesShare = fraction("nodeVolumesShare", share);
            return this;
        }

        /**
         * Sets the placement under test. The simulation also checks each chosen node. The node must exist. A node that
         * can never take the claims must not be chosen if another node can take them. Default: a random node, often
         * deliberately a wrong one.
         */
        public Builder placement(PlacementPolicy placement) {
            this.placement = Objects.requireNonNull(placement, "placement");
            return this;
        }

        /** Sets the loop under test, which starts and ends workloads beside those of the source. Default: none. */
        public Builder loop(SchedulerLoop loop) {
            this.loop = Objects.requireNonNull(loop, "loop");
            return this;
        }

        /** Sets the source of the workloads. Default: random workloads with one to three volumes. */
        public Builder workloadSource(WorkloadSource source) {
            this.source = Objects.requireNonNull(source, "source");
            return this;
        }

        /** Sets a replicated command log under test. Default: the simulation's own model of a log. */
        public Builder log(LogUnderTest log) {
            this.log = Objects.requireNonNull(log, "log");
            return this;
        }

        private static int atLeast(String option, int value, int min) {
            if (value < min) {
                throw new IllegalArgumentException(
                        "LifecycleSimulation: " + option + " is " + value + "; use " + min + " or more");
            }
            return value;
        }

        private static double fraction(String option, double value) {
            if (!(value >= 0 && value <= 1)) {
                throw new IllegalArgumentException("LifecycleSimulation: " + option + " is " + value + "; use 0 to 1");
            }
            return value;
        }

        /** Returns an immutable simulation. */
        public LifecycleSimulation build() {
            return new LifecycleSimulation(new SimConfig(
                    nodes,
                    volumes,
                    workloads,
                    chaos,
                    faultRate,
                    nodeVolumesShare,
                    DEFAULTS.databaseShare(),
                    DEFAULTS.templatesShare(),
                    PortDecorator.NONE,
                    placement,
                    source,
                    loop,
                    log));
        }
    }
}
