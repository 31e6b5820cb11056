package io.csi4j.client.registry.internal.connection;

import io.csi4j.client.internal.transport.SocketFile;
import io.csi4j.client.registry.instance.ExceededLimit;
import io.csi4j.client.registry.instance.PluginState;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The state of a connection. Immutable; {@link ConnectionRules} computes the next state. Times are elapsed nanoseconds.
 *
 * @param state the state that snapshots show
 * @param problem the reason why the instance is not ready, or another problem; empty: none
 * @param process the process behind the socket
 * @param turn the query in flight
 * @param probe the time of the next probe
 * @param room the plan for the query of the node's volume limit
 * @param trouble the period in which the instance is not ready; null while it is ready, and after its removal
 */
public record ConnectionModel(
        PluginState state,
        String problem,
        Owner process,
        Turn turn,
        ProbePlan probe,
        RoomPlan room,
        @Nullable Trouble trouble) {

    /**
     * The process behind the socket.
     *
     * @param socket the file at the path, or none
     * @param last the last file at the path; another file means another process
     * @param number the number of processes so far, 0 before the first
     * @param factsRead whether the facts are those of this process
     * @param factsAt the time at which the facts were read
     * @param everReady whether this or an earlier process was ready
     * @param startedAnew whether the host has reported a restart, and the process has not been healthy since that report
     */
    public record Owner(
            SocketFile socket,
            SocketFile last,
            long number,
            boolean factsRead,
            long factsAt,
            boolean everReady,
            boolean startedAnew) {
        /** Returns a copy after the file at the path has changed while the process stays the same. */
        Owner at(SocketFile observed) {
            return new Owner(observed, last, number, factsRead, factsAt, everReady, startedAnew);
        }

        /** Returns a copy with another time at which the facts were read. */
        Owner factsOf(long at) {
            return new Owner(socket, last, number, factsRead, at, everReady, startedAnew);
        }

        Owner startedAnew(boolean anew) {
            return new Owner(socket, last, number, factsRead, factsAt, everReady, anew);
        }

        /**
         * Returns a copy after the process has reported its facts at the time {@code at}; {@code everReady} becomes
         * true.
         */
        Owner reported(long at) {
            return new Owner(socket, last, number, true, at, true, startedAnew);
        }

        /** Returns the model of the next process behind the socket. */
        Owner successor(SocketFile observed) {
            return new Owner(observed, observed, number + 1, false, factsAt, everReady, false);
        }
    }

    /**
     * A query in flight.
     *
     * @param question the query, or none
     * @param number the number of the query, by which a late response to an abandoned query is recognized
     */
    public record Turn(Question question, long number) {}

    /**
     * The plan for the next probe.
     *
     * @param at the earliest time of the next probe
     * @param last the time of the last probe; null before the first
     * @param failures the number of consecutive failures; a response that the plugin is starting counts as a failure, too
     */
    public record ProbePlan(long at, @Nullable Long last, int failures) {}

    /**
     * The plan for the next query of the node's volume limit.
     *
     * @param wanted whether a query is needed because the limit may have changed; it is made only while the instance is ready
     * @param last the time of the last query; null before the first
     */
    public record RoomPlan(boolean wanted, @Nullable Long last) {}

    /**
     * A period in which the instance is not ready.
     *
     * @param limit the limit that applies
     * @param since the beginning of the period
     * @param exceeded whether the limit is exceeded
     */
    public record Trouble(ExceededLimit limit, long since, boolean exceeded) {}

    /** Returns the state of an instance that was just registered. */
    public static ConnectionModel opened(long now, boolean everReady) {
        return new ConnectionModel(
                PluginState.CONNECTING,
                "waiting for its socket",
                new Owner(SocketFile.ABSENT, SocketFile.ABSENT, 0, false, now, everReady, false),
                new Turn(Question.NONE, 0),
                new ProbePlan(now, null, 0),
                new RoomPlan(false, null),
                new Trouble(ExceededLimit.START_UP, now, false));
    }

    public boolean idle() {
        return turn.question() == Question.NONE;
    }

    /**
     * Returns whether a probe may reach a process. A process that was ready may still answer after its socket file has
     * disappeared; in every other state, the socket file is needed.
     */
    public boolean mayProbe() {
        return state != PluginState.GONE && (process.socket().isThere() || state == PluginState.READY);
    }

    /**
     * Returns the time at which the rules have to decide again without an event: for a query, or because a limit is
     * exceeded. Empty: only an event leads to another decision.
     */
    public OptionalLong wakeAt(ConnectionRules rules) {
        OptionalLong due =
                earlier(idle() && mayProbe() ? OptionalLong.of(probe.at()) : OptionalLong.empty(), roomAt(rules));
        Trouble now = trouble;
        if (now == null || now.exceeded()) {
            return due;
        }
        return earlier(due, OptionalLong.of(now.since() + rules.limit(now).toNanos()));
    }

    /** Returns the time of the next query of the node's volume limit; empty if no query is needed. */
    public OptionalLong roomAt(ConnectionRules rules) {
        if (!room.wanted() || !idle() || state != PluginState.READY) {
            return OptionalLong.empty();
        }
        Long last = room.last();
        // Uses the time at which the facts were read if there was no query yet. This time has passed, so the first
        // query is made at once.
        return OptionalLong.of(last == null ? process.factsAt() : last + rules.roomSpacing());
    }

    private static OptionalLong earlier(OptionalLong one, OptionalLong other) {
        if (one.isEmpty() || other.isEmpty()) {
            return one.isPresent() ? one : other;
        }
        return one.getAsLong() - other.getAsLong() < 0 ? one : other;
    }

    public ConnectionModel with(PluginState newState, String newProblem) {
        return new ConnectionModel(newState, newProblem, process, turn, probe, room, trouble);
    }

    public ConnectionModel with(Owner newProcess) {
        return new ConnectionModel(state, problem, newProcess, turn, probe, room, trouble);
    }

    public ConnectionModel asking(Question question) {
        return new ConnectionModel(
                state, problem, process, new Turn(question, turn.number() + 1), probe, room, trouble);
    }

    public ConnectionModel with(ProbePlan newProbe) {
        return new ConnectionModel(state, problem, process, turn, newProbe, room, trouble);
    }

    public ConnectionModel in(@Nullable Trouble newTrouble) {
        return new ConnectionModel(state, problem, process, turn, probe, room, newTrouble);
    }

    public ConnectionModel with(RoomPlan newRoom) {
        return new ConnectionModel(state, problem, process, turn, probe, newRoom, trouble);
    }
}
