package io.csi4j.client.registry.internal.connection;

import io.csi4j.client.internal.transport.SocketFile;
import io.csi4j.client.registry.instance.ConnectionOptions;
import io.csi4j.client.registry.instance.ExceededLimit;
import io.csi4j.client.registry.instance.PluginState;
import io.csi4j.client.registry.internal.connection.ConnectionModel.Owner;
import io.csi4j.client.registry.internal.connection.ConnectionModel.ProbePlan;
import io.csi4j.client.registry.internal.connection.ConnectionModel.RoomPlan;
import io.csi4j.client.registry.internal.connection.ConnectionModel.Trouble;
import java.time.Duration;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Decides the next step of a connection. Each method computes the step only from the state of the connection, an event
 * and the time. A late response, or an event after the end of the connection, changes nothing.
 *
 * @param options the limits and intervals
 */
public record ConnectionRules(ConnectionOptions options) {
    /**
     * The delay of the first query after a change of the socket. The client checks the socket only every 50 ms, so an earlier query could
     * still go to the old process.
     */
    private static final Duration SOCKET_CHECKS = Duration.ofMillis(60);

    /**
     * Probes of healthy instances are scheduled at common multiples of this duration, so that they run together. A probe right after
     * another one costs much less CPU time than a probe after a long pause.
     */
    private static final Duration BEAT = Duration.ofSeconds(1);

    public Duration limit(Trouble trouble) {
        return trouble.limit() == ExceededLimit.START_UP ? options.startUpLimit() : options.livenessLimit();
    }

    /** Handles the wake-up at the time that {@link ConnectionModel#wakeAt} has returned. */
    public ConnectionStep woken(ConnectionModel model, Moment moment) {
        ConnectionModel now = limited(model, moment);
        if (!now.idle() || !now.mayProbe() || moment.nanos() - now.probe().at() < 0) {
            return room(now, moment);
        }
        ProbePlan sent =
                new ProbePlan(now.probe().at(), moment.nanos(), now.probe().failures());
        return ConnectionStep.asking(now.with(sent), Question.PROBE);
    }

    /** Sends the query of the node's volume limit if its time has come. */
    private ConnectionStep room(ConnectionModel model, Moment moment) {
        OptionalLong at = model.roomAt(this);
        return at.isPresent() && moment.nanos() - at.getAsLong() >= 0
                ? ConnectionStep.asking(model.with(new RoomPlan(false, moment.nanos())), Question.NODE_INFO)
                : ConnectionStep.quiet(model);
    }

    /** Returns the shortest time between two queries of the node's volume limit. */
    public long roomSpacing() {
        return options.nodeInfoSpacing().toNanos();
    }

    /**
     * Handles a call that was refused because the node is full. The plugin's volume limit may have changed, so it is
     * queried again. If the facts of the process have not been read yet, no extra query is needed, because the facts
     * include the limit.
     */
    public ConnectionStep full(ConnectionModel model, Moment moment) {
        if (model.state() == PluginState.GONE || !model.process().factsRead()) {
            return ConnectionStep.quiet(model);
        }
        return room(model.with(new RoomPlan(true, model.room().last())), moment);
    }

    /** Handles the response to the query of the node's volume limit. */
    public ConnectionStep nodeInfoReported(ConnectionModel model, long turn) {
        return ConnectionStep.quiet(awaits(model, turn, Question.NODE_INFO) ? answered(model) : model);
    }

    private ConnectionModel limited(ConnectionModel model, Moment moment) {
        Trouble trouble = model.trouble();
        if (trouble == null
                || trouble.exceeded()
                || moment.nanos() - trouble.since() < limit(trouble).toNanos()) {
            return model;
        }
        return model.in(new Trouble(trouble.limit(), trouble.since(), true));
    }

    /** Handles the result of a check of the socket's path. */
    public ConnectionStep seen(ConnectionModel model, SocketFile socket, Moment moment) {
        Owner process = model.process();
        if (model.state() == PluginState.GONE || socket.equals(process.socket())) {
            return ConnectionStep.quiet(model);
        }
        if (socket.isThere() && !socket.equals(process.last())) {
            return another(model, socket, moment);
        }
        ConnectionModel now = model.with(process.at(socket));
        if (socket.isThere() || model.state() == PluginState.READY) {
            // The file of the same process is back, or the file of a ready process has vanished. A probe shows whether
            // the process still answers; its facts are kept.
            return ConnectionStep.quiet(soon(now, 0, moment));
        }
        PluginState left = process.everReady() ? PluginState.DEGRADED : PluginState.CONNECTING;
        return ConnectionStep.abandoning(now.with(left, "its socket is gone; waiting for it to come back"));
    }

    /** Handles another process at the path. The facts of the old process are kept as the last known ones. */
    private ConnectionStep another(ConnectionModel model, SocketFile socket, Moment moment) {
        Owner process = model.process();
        String problem = process.number() == 0
                ? "its socket is there; it has not answered yet"
                : "another process has its socket; it has not answered yet";
        ConnectionModel now = model.with(PluginState.CONNECTING, problem)
                .with(process.successor(socket))
                // Cancels the separate query of the volume limit, because the new process is queried for all facts.
                .with(new RoomPlan(false, model.room().last()))
                .in(
                        process.number() == 0
                                ? model.trouble()
                                : new Trouble(ExceededLimit.START_UP, moment.nanos(), false));
        return ConnectionStep.abandoning(soon(now, SOCKET_CHECKS.toNanos(), moment));
    }

    /** Handles a report of a failed call after which the plugin may have ended. */
    public ConnectionStep suspected(ConnectionModel model, Moment moment) {
        return ConnectionStep.quiet(model.state() == PluginState.READY ? soon(model, 0, moment) : model);
    }

    /** Handles a restart of the plugin by the host: the plugin has its full start-up time again. */
    public ConnectionStep restarted(ConnectionModel model, Moment moment) {
        if (model.state() == PluginState.GONE) {
            return ConnectionStep.quiet(model);
        }
        ConnectionModel now = soon(model, 0, moment);
        // Probes a ready instance, whose process may have ended unnoticed. If the probe fails, the instance counts as
        // starting.
        return ConnectionStep.quiet(
                now.trouble() == null
                        ? now.with(now.process().startedAnew(true))
                        : now.in(new Trouble(ExceededLimit.START_UP, moment.nanos(), false)));
    }

    /**
     * Schedules a probe for the end of a pause, or later if the probe spacing requires it (R41). A pause of 0 does not
     * delay a probe that is already due. Resets the number of failures.
     */
    private ConnectionModel soon(ConnectionModel model, long pause, Moment moment) {
        ProbePlan planned = model.probe();
        long wanted = moment.nanos() + pause;
        boolean sooner = planned.failures() == 0 && planned.at() - wanted < 0 && pause == 0;
        return model.with(new ProbePlan(allowed(model, sooner ? planned.at() : wanted), planned.last(), 0));
    }

    /** Returns the given time, or the earliest later time that the probe spacing permits. */
    private long allowed(ConnectionModel model, long at) {
        Long last = model.probe().last();
        if (last == null) {
            return at;
        }
        long next = last + options.probeSpacing().toNanos();
        return at - next < 0 ? next : at;
    }

    /** Handles the response to a probe. */
    public ConnectionStep probed(ConnectionModel model, long turn, boolean ready, Moment moment) {
        if (!awaits(model, turn, Question.PROBE)) {
            return ConnectionStep.quiet(model);
        }
        if (!ready) {
            Trouble trouble = model.trouble();
            // Starts the start-up limit anew, because the time in which the old process was unhealthy does not count
            // for the new one.
            Trouble starting = trouble != null && trouble.limit() == ExceededLimit.START_UP
                    ? trouble
                    : new Trouble(ExceededLimit.START_UP, moment.nanos(), false);
            return ConnectionStep.quiet(answered(later(model, moment))
                    .with(PluginState.PROBING, "it is still starting")
                    .in(starting));
        }
        Owner process = model.process();
        if (!process.factsRead()) {
            return ConnectionStep.asking(
                    model.with(PluginState.PROBING, "it is well; its facts are being read"), Question.FACTS);
        }
        ConnectionModel well = well(model, moment);
        boolean old =
                moment.nanos() - process.factsAt() >= options.factsInterval().toNanos();
        return old ? ConnectionStep.asking(well, Question.FACTS) : ConnectionStep.quiet(well);
    }

    /** Handles the facts that the process reported. */
    public ConnectionStep reported(ConnectionModel model, long turn, Moment moment) {
        if (!awaits(model, turn, Question.FACTS)) {
            return ConnectionStep.quiet(model);
        }
        return ConnectionStep.quiet(well(model.with(model.process().reported(moment.nanos())), moment));
    }

    private ConnectionModel well(ConnectionModel model, Moment moment) {
        String notice = model.process().socket().isThere() ? "" : "it is well, but its socket is gone";
        return answered(model)
                .with(PluginState.READY, notice)
                .with(model.process().startedAnew(false))
                .with(new ProbePlan(
                        allowed(model, moment.aroundOnBeat(options.probeInterval(), BEAT)),
                        model.probe().last(),
                        0))
                .in(null);
    }

    /** Handles a query without a usable response. */
    public ConnectionStep failed(ConnectionModel model, long turn, Failure failure, Moment moment) {
        if (model.idle() || model.turn().number() != turn) {
            return ConnectionStep.quiet(model);
        }
        if (model.turn().question() == Question.NODE_INFO) {
            // Keeps the last facts; the next probe shows whether the instance is healthy.
            ConnectionModel kept = answered(model);
            return failure.unreachable() ? suspected(kept, moment) : ConnectionStep.quiet(kept);
        }
        if (model.state() == PluginState.READY && model.turn().question() == Question.FACTS) {
            // Keeps the last facts, because the instance has just reported that it is healthy.
            ConnectionModel kept = well(model, moment);
            return ConnectionStep.quiet(kept.with(PluginState.READY, failure.text()));
        }
        boolean neverMet = !model.process().everReady() && failure.unreachable();
        Trouble trouble = model.trouble();
        ExceededLimit limit = model.process().startedAnew() ? ExceededLimit.START_UP : ExceededLimit.LIVENESS;
        ConnectionModel now = failure.unreachable() ? doubted(model, moment) : model;
        return ConnectionStep.quiet(answered(later(now, moment))
                .with(neverMet ? PluginState.CONNECTING : PluginState.DEGRADED, failure.text())
                .in(trouble == null ? new Trouble(limit, moment.nanos(), false) : trouble));
    }

    /**
     * Handles the suspicion that the process has ended. A new process may use the same socket file, because a proxy may
     * own the socket (R2). So the facts are kept, but they are read again as soon as the instance is healthy.
     */
    private ConnectionModel doubted(ConnectionModel model, Moment moment) {
        return model.with(
                model.process().factsOf(moment.nanos() - options.factsInterval().toNanos()));
    }

    /** Handles the closing of the connection. */
    public ConnectionStep closed(ConnectionModel model) {
        return ConnectionStep.abandoning(
                model.with(PluginState.GONE, "it is no longer registered").in((@Nullable Trouble) null));
    }

    private static boolean awaits(ConnectionModel model, long turn, Question question) {
        return model.turn().question() == question && model.turn().number() == turn;
    }

    private static ConnectionModel answered(ConnectionModel model) {
        return new ConnectionModel(
                model.state(),
                model.problem(),
                model.process(),
                new ConnectionModel.Turn(Question.NONE, model.turn().number()),
                model.probe(),
                model.room(),
                model.trouble());
    }

    /** Schedules a probe after a backoff that doubles with each failure. */
    private ConnectionModel later(ConnectionModel model, Moment moment) {
        ProbePlan probe = model.probe();
        int doublings = Math.min(probe.failures(), 30);
        long max = options.retryMax().toNanos();
        long base = options.probeSpacing().toNanos();
        Duration pause = Duration.ofNanos(base > (max >> doublings) ? max : base << doublings);
        long at = allowed(model, moment.within(pause));
        return model.with(new ProbePlan(at, probe.last(), Math.min(probe.failures() + 1, 1_000)));
    }

    /**
     * The reason why a query has no usable response.
     *
     * @param unreachable true: the process did not answer, and may have ended; false: the query failed for another
     *     reason
     * @param text the reason, for operators
     */
    public record Failure(boolean unreachable, String text) {}
}
