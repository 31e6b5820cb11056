package io.csi4j.simulation.defect;

import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.id.DeploymentId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.core.plugin.ExpectedInstances;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginDeployment;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.spi.NodeGateway;
import io.csi4j.core.spi.Timer;
import io.csi4j.core.state.ObservableState;
import io.csi4j.simulation.internal.world.PortDecorator;
import io.csi4j.simulation.internal.world.SimConfig;
import io.csi4j.simulation.internal.world.SimWorld;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;

/** Makes engines behave as if they had a defect: in the state that they read, in their commands, calls or timers. */
final class DefectInjector implements PortDecorator {
    /** The first retry delays are at most this long. */
    private static final Duration RETRY = Duration.ofSeconds(5);
    /** Changes nothing that another check reads. */
    private static final Command UNLOGGED = new PluginCommand.UpsertDeployment(
            PluginDeployment.of(
                    DeploymentId.of("default", "unlogged"),
                    Map.of(PluginId.of("unlogged"), new ExpectedInstances(1, 1))),
            Instant.EPOCH);

    private final PlantedDefect defect;

    DefectInjector(PlantedDefect defect) {
        this.defect = defect;
    }

    /** A timer that schedules with one timer, and measures the elapsed time in its own way. */
    private record WrappedTimer(Timer timer, LongSupplier elapsed) implements Timer {
        @Override
        public Cancellable schedule(Duration delay, Runnable task) {
            return timer.schedule(delay, task);
        }

        @Override
        public long nanoTime() {
            return elapsed.getAsLong();
        }
    }

    /** A simulation with the defect. */
    static SimConfig config(PlantedDefect defect) {
        return SimConfig.ofDefaults()
                .withNodeVolumes(0)
                .withTemplates(defect.ofTemplates() ? 1 : 0)
                .withDatabases(defect.ofDatabase() ? 1 : 0)
                .with(new DefectInjector(defect));
    }

    @Override
    public DatabaseRules databaseRules() {
        return new DatabaseRules() {
            @Override
            public boolean refusesFormerTerms() {
                return defect != PlantedDefect.FORMER_TERM_IS_ACCEPTED;
            }

            @Override
            public boolean findsUnknownCommits() {
                return defect != PlantedDefect.UNKNOWN_COMMIT_IS_REPEATED;
            }

            @Override
            public Duration acting(Duration lease) {
                return defect == PlantedDefect.LEADER_ACTS_AFTER_ITS_LEASE
                        ? lease.multipliedBy(2)
                        : DatabaseRules.super.acting(lease);
            }

            @Override
            public long renewedAt(long sentAt, long answeredAt) {
                return defect == PlantedDefect.LEASE_COUNTS_FROM_ANSWER ? answeredAt : sentAt;
            }

            @Override
            public boolean mayAct(boolean leads) {
                return leads || defect == PlantedDefect.WOKEN_LEADER_CALLS_AT_ONCE;
            }
        };
    }

    @Override
    public NodeInfo reported(NodeInfo info) {
        return switch (defect) {
            case NODE_LIMIT_IS_LOST -> new NodeInfo(info.externalNodeId(), 0, info.accessibleTopology());
            case TOPOLOGY_OF_NODE_IS_LOST ->
                new NodeInfo(info.externalNodeId(), info.maxVolumesPerNode(), Optional.empty());
            default -> info;
        };
    }

    @Override
    public PluginInstance reported(PluginInstance instance) {
        return defect == PlantedDefect.UNPROVED_INSTANCE_COUNTS_AS_INSTANCE && !instance.proved()
                ? instance.toBuilder().health(true, "").build()
                : instance;
    }

    @Override
    public Ports of(SimWorld world) {
        DefectiveView view = new DefectiveView(defect);
        DefectiveLog writes =
                new DefectiveLog(defect, world.store(), world.scheduler().clock());
        DefectiveCalls calls = new DefectiveCalls(defect, world);
        if (defect == PlantedDefect.STATE_CHANGES_BESIDE_LOG) {
            world.store().apply(UNLOGGED);
        }
        return new Ports() {
            @Override
            public Timer timer(Timer timer, Clock clock) {
                return switch (defect) {
                    case TIMERS_NEVER_FIRE -> new WrappedTimer((delay, task) -> () -> {}, timer::nanoTime);
                    case NO_RETRY_AFTER_REJECTED_WRITE ->
                        new WrappedTimer(
                                (delay, task) -> writes.rejectedRecently() && delay.compareTo(RETRY) <= 0
                                        ? () -> {}
                                        : timer.schedule(delay, task),
                                timer::nanoTime);
                    case WAITING_FOLLOWS_THE_CLOCK ->
                        new WrappedTimer(
                                timer,
                                () -> Duration.between(Instant.EPOCH, clock.instant())
                                        .toNanos());
                    default -> timer;
                };
            }

            @Override
            public CommandLog log(CommandLog log) {
                ObservableState state = view.of(log.state());
                return new CommandLog() {
                    @Override
                    public CompletableFuture<Outcome> submit(Command command) {
                        return writes.submit(log, command);
                    }

                    @Override
                    public ObservableState state() {
                        return state;
                    }
                };
            }

            @Override
            public NodeGateway gateway(NodeGateway gateway) {
                return calls.of(gateway);
            }
        };
    }
}
