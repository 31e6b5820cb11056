package io.csi4j.registry.internal.connection;

import io.csi4j.registry.instance.ExceededLimit;
import io.csi4j.registry.instance.PluginState;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * All that the decisions about a connection depend on. Immutable; {@link ConnectionRules} makes the next from
 * it. Times are elapsed nanoseconds.
 *
 * @param state what is published
 * @param problem why it is not ready, or what else is the matter; empty if nothing is
 * @param process which process has the socket
 * @param turn the question in flight, if any
 * @param probe when to probe
 * @param room whether its node's room is to be asked anew
 * @param trouble since when the instance is not ready; null while it is, and when it is gone
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
     * @param socket the file at the path, perhaps none
     * @param last the last file that was there: a process is another one if its file is
     * @param number how many there were, 0 before the first
     * @param factsRead whether the facts are those of this process
     * @param factsAt when they were read
     * @param everReady whether this or an earlier process was ready
     * @param startedAnew whether the host says so, and it has not been well since
     */
    public record Owner(
            SocketFile socket,
            SocketFile last,
            long number,
            boolean factsRead,
            long factsAt,
            boolean everReady,
            boolean startedAnew) {
        /** The same with another look at the path. */
        Owner at(SocketFile seen) {
            return new Owner(seen, last, number, factsRead, factsAt, everReady, startedAnew);
        }

        /** The same with the facts as old as if they were read then. */
        Owner factsOf(long at) {
            return new Owner(socket, last, number, factsRead, at, everReady, startedAnew);
        }

        Owner startedAnew(boolean anew) {
            return new Owner(socket, last, number, factsRead, factsAt, everReady, anew);
        }

        /** It told its facts, so it was ready. */
        Owner told(long at) {
            return new Owner(socket, last, number, true, at, true, startedAnew);
        }

        /** The process that came after it. */
        Owner successor(SocketFile seen) {
            return new Owner(seen, seen, number + 1, false, factsAt, everReady, false);
        }
    }

    /**
     * A question in flight.
     *
     * @param question which, or none
     * @param number counts questions, so that a late answer to an abandoned one is known as such
     */
    public record Turn(Question question, long number) {}

    /**
     * When to probe.
     *
     * @param at not before
     * @param last when the last one was sent; null before the first
     * @param failures in a row; a plugin that is starting fails too
     */
    public record ProbePlan(long at, @Nullable Long last, int failures) {}

    /**
     * When to ask for the node's room.
     *
     * @param wanted whether somebody said that it may be another one; asked while the instance is ready only
     * @param last when it was asked last; null before the first
     */
    public record RoomPlan(boolean wanted, @Nullable Long last) {}

    /**
     * A time without being ready.
     *
     * @param limit which limit applies
     * @param since when it began
     * @param exceeded whether the limit was found to be exceeded
     */
    public record Trouble(ExceededLimit limit, long since, boolean exceeded) {}

    /** An instance that was just registered. */
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

    /** Without a socket nobody can be reached anew, but a process that lost its socket may still answer. */
    public boolean mayProbe() {
        return state != PluginState.GONE && (process.socket().isThere() || state == PluginState.READY);
    }

    /** When there is something to do, if nothing happens before. */
    public OptionalLong wakeAt(ConnectionRules rules) {
        OptionalLong due =
                earlier(idle() && mayProbe() ? OptionalLong.of(probe.at()) : OptionalLong.empty(), roomAt(rules));
        Trouble now = trouble;
        if (now == null || now.exceeded()) {
            return due;
        }
        return earlier(due, OptionalLong.of(now.since() + rules.limit(now).toNanos()));
    }

    /** When to ask for the node's room; empty: not now. */
    public OptionalLong roomAt(ConnectionRules rules) {
        if (!room.wanted() || !idle() || state != PluginState.READY) {
            return OptionalLong.empty();
        }
        Long last = room.last();
        // Right now, where it was never asked: a moment that has passed for certain.
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
