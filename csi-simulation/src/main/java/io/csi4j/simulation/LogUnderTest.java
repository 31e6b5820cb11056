package io.csi4j.simulation;

import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.state.ObservableState;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;

/**
 * A replicated command log under test. A simulation runs it in place of its own model of a log: each peer of the log is a
 * server with an engine, and the log decides which server leads. The simulation keeps a state of its own, to which it applies
 * the committed commands, and checks the invariants there.
 */
@FunctionalInterface
public interface LogUnderTest {
    /**
     * Starts the log of one simulation. All of its work runs in tasks of the site, so that the seed decides every choice.
     *
     * @param site the simulated world, as the log sees it
     */
    RunningLog start(Site site);

    /** The log of one simulation. */
    interface RunningLog extends AutoCloseable {
        /** Submits a command that does not come from a server, and applies it before this method returns. */
        Outcome submit(Command command);

        /** Ends all faults of the log: all peers run and reach each other. */
        void settle();

        /**
         * Compares the states of all peers with the state of the simulation, at the end of a run. Reports each difference as
         * a violation.
         *
         * @param state the state of the simulation
         */
        void compare(ObservableState state);

        @Override
        void close();
    }

    /** The simulated world, as a log sees it. */
    interface Site {
        /** Returns the virtual time since the start. */
        Duration elapsed();

        /** Runs a task later. */
        void after(Duration delay, Runnable task);

        /** Returns an executor that runs tasks later, in an order that the seed decides. */
        Executor executor();

        /** Returns random numbers for the log alone. */
        SplittableRandom random();

        /** Returns whether the log may fail now. */
        boolean faults();

        /** Notes a fault that occurred, for the report. */
        void note(String fault);

        /** Reports that a rule was broken. */
        void violation(String what);

        /**
         * Applies a command to the state of the simulation. The log calls this for each command once, as soon as it is
         * committed, in the order of their indexes, and before any peer applies it.
         *
         * @return the outcome that each peer must compute too
         */
        Outcome committed(long index, Command command);

        /** Returns a new process of a server, without an engine. */
        Server newServer();
    }

    /** A process of a server. After a crash none of its tasks run. */
    interface Server {
        /** Returns the time, the threads and the random numbers of the process. */
        Environment environment();

        /** Creates the engine of the server, which does not lead. */
        void open(CommandLog log);

        void startLeading();

        void stopLeading();

        /** Returns whether the process has not crashed. */
        boolean alive();

        void crash();

        /**
         * Makes the process crash at a later write or call of its engine.
         *
         * @param operation the number of the write or call, from 1 on; 0: no crash
         * @param performed whether this write or call is still performed
         * @param crashed runs after the crash
         */
        void crashAt(int operation, boolean performed, Runnable crashed);
    }
}
