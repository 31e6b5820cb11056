package io.csi4j.simulation.internal.server;

import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.state.ObservableState;
import io.csi4j.simulation.LogUnderTest;
import io.csi4j.simulation.internal.time.SimProcess;
import io.csi4j.simulation.internal.world.SimWorld;
import java.time.Clock;
import java.time.Duration;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The simulated world, as a log under test sees it. */
public final class LogSite implements LogUnderTest.Site {
    private final SimWorld world;
    private final SimServer servers;
    private final SplittableRandom random;

    LogSite(SimWorld world, SimServer servers, SplittableRandom random) {
        this.world = world;
        this.servers = servers;
        this.random = random;
    }

    @Override
    public Duration elapsed() {
        return world.scheduler().elapsed();
    }

    @Override
    public void after(Duration delay, Runnable task) {
        world.scheduler().after(delay, task);
    }

    @Override
    public Executor executor() {
        return task -> world.scheduler().after(Duration.ZERO, task);
    }

    @Override
    public SplittableRandom random() {
        return random;
    }

    @Override
    public boolean faults() {
        return world.faults().active();
    }

    @Override
    public void note(String fault) {
        world.trace().note("server", fault);
    }

    @Override
    public void violation(String what) {
        world.reportViolation(what);
    }

    @Override
    public Outcome committed(long index, Command command) {
        return world.applyCommitted(index, command);
    }

    public SimWorld world() {
        return world;
    }

    @Override
    public Server newServer() {
        return new Server();
    }

    /** A process of a server, which can also stand still. */
    public final class Server implements LogUnderTest.Server {
        private final SimProcess process = new SimProcess(world.scheduler());
        private final Clock clock = world.clocks().nextServer();
        private final SplittableRandom ownRandom = random.split();
        private @Nullable SimServerInstance instance;

        private Server() {}

        public SimProcess process() {
            return process;
        }

        private SimServerInstance instance() {
            return Objects.requireNonNull(instance, "open");
        }

        @Override
        public Environment environment() {
            return Environment.of(clock, process, process, ownRandom);
        }

        @Override
        public void open(CommandLog log) {
            instance = servers.instance(process, new CountedLog(world, process, log), clock, ownRandom.split());
        }

        @Override
        public void startLeading() {
            startLeading(() -> true);
        }

        /**
         * Makes this server the leader.
         *
         * @param mayAct whether its log lets it act; the engine asks before each call
         */
        public void startLeading(BooleanSupplier mayAct) {
            servers.lead(instance(), mayAct);
        }

        @Override
        public void stopLeading() {
            servers.follow(instance());
        }

        @Override
        public boolean alive() {
            return process.alive();
        }

        @Override
        public void crash() {
            process.crash();
            servers.crashedInLog(instance);
        }

        @Override
        public void crashAt(int operation, boolean performed, Runnable crashed) {
            process.crashAt(
                    operation,
                    performed,
                    () -> world.scheduler().after(Duration.ZERO, () -> {
                        servers.crashedInLog(instance);
                        crashed.run();
                    }));
        }
    }

    /** Counts the writes of a process, so that the process can crash at a chosen write. */
    private record CountedLog(SimWorld world, SimProcess process, CommandLog log) implements CommandLog {
        @Override
        public CompletableFuture<Outcome> submit(Command command) {
            world.grace().onSubmit(process, log.state().snapshot(), command);
            return process.begins() ? log.submit(command) : new CompletableFuture<>();
        }

        @Override
        public ObservableState state() {
            return log.state();
        }
    }
}
