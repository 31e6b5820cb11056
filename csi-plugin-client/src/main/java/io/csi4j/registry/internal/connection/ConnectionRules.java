package io.csi4j.registry.internal.connection;

import io.csi4j.registry.instance.ConnectionOptions;
import io.csi4j.registry.instance.ExceededLimit;
import io.csi4j.registry.instance.PluginState;
import io.csi4j.registry.internal.connection.ConnectionModel.Owner;
import io.csi4j.registry.internal.connection.ConnectionModel.ProbePlan;
import io.csi4j.registry.internal.connection.ConnectionModel.RoomPlan;
import io.csi4j.registry.internal.connection.ConnectionModel.Trouble;
import java.time.Duration;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The next step of a connection: pure functions of its state, an event and the time. They accept every event in every
 * state: a late answer, or an event after the end, changes nothing.
 *
 * @param options the limits and intervals
 */
public record ConnectionRules(ConnectionOptions options) {
    /**
     * The client looks which socket it is connected to at most every 50 ms; a call made sooner after a change
     * could still go to the old process.
     */
    private static final Duration CLIENT_LOOKS = Duration.ofMillis(60);

    /**
     * What is well is probed on a common beat. One probe after a long silence costs several times as much as the next
     * one right after it: threads, tables and code have to be fetched anew.
     */
    private static final Duration BEAT = Duration.ofSeconds(1);

    public Duration limit(Trouble trouble) {
        return trouble.limit() == ExceededLimit.START_UP ? options.startUpLimit() : options.livenessLimit();
    }

    /** Time has passed. */
    public ConnectionStep woken(ConnectionModel model, Moment moment) {
        ConnectionModel now = limited(model, moment);
        if (!now.idle() || !now.mayProbe() || moment.nanos() - now.probe().at() < 0) {
            return room(now, moment);
        }
        ProbePlan sent =
                new ProbePlan(now.probe().at(), moment.nanos(), now.probe().failures());
        return ConnectionStep.asking(now.with(sent), Question.PROBE);
    }

    /** Asks for the node's room, if it is time to. */
    private ConnectionStep room(ConnectionModel model, Moment moment) {
        OptionalLong at = model.roomAt(this);
        return at.isPresent() && moment.nanos() - at.getAsLong() >= 0
                ? ConnectionStep.asking(model.with(new RoomPlan(false, moment.nanos())), Question.NODE_INFO)
                : ConnectionStep.quiet(model);
    }

    /** The least time between two questions for the node's room. */
    public long roomSpacing() {
        return options.nodeInfoSpacing().toNanos();
    }

    /**
     * A call was refused as if the node were full, so its room may be another one than the plugin told. A process that
     * has told no facts yet will be asked for all of them anyway.
     */
    public ConnectionStep full(ConnectionModel model, Moment moment) {
        if (model.state() == PluginState.GONE || !model.process().factsRead()) {
            return ConnectionStep.quiet(model);
        }
        return room(model.with(new RoomPlan(true, model.room().last())), moment);
    }

    /** The plugin told its node's room, or that it has no word for it. */
    public ConnectionStep toldRoom(ConnectionModel model, long turn) {
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

    /** A look at the socket's path. */
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
            // It came back as it was, or it went and its process may be there still: it is time to ask.
            return ConnectionStep.quiet(soon(now, 0, moment));
        }
        PluginState left = process.everReady() ? PluginState.DEGRADED : PluginState.CONNECTING;
        return ConnectionStep.abandoning(now.with(left, "its socket is gone; waiting for it to come back"));
    }

    /** Another process has the path: all that was known of the old one is only a memory. */
    private ConnectionStep another(ConnectionModel model, SocketFile socket, Moment moment) {
        Owner process = model.process();
        String problem = process.number() == 0
                ? "its socket is there; it has not answered yet"
                : "another process has its socket; it has not answered yet";
        ConnectionModel now = model.with(PluginState.CONNECTING, problem)
                .with(process.successor(socket))
                // It is asked for all it has to tell.
                .with(new RoomPlan(false, model.room().last()))
                .in(
                        process.number() == 0
                                ? model.trouble()
                                : new Trouble(ExceededLimit.START_UP, moment.nanos(), false));
        return ConnectionStep.abandoning(soon(now, CLIENT_LOOKS.toNanos(), moment));
    }

    /** Somebody's call to the plugin failed as if nobody were there. */
    public ConnectionStep suspected(ConnectionModel model, Moment moment) {
        return ConnectionStep.quiet(model.state() == PluginState.READY ? soon(model, 0, moment) : model);
    }

    /** The host starts the plugin anew: it has all of its time again. */
    public ConnectionStep restarted(ConnectionModel model, Moment moment) {
        if (model.state() == PluginState.GONE) {
            return ConnectionStep.quiet(model);
        }
        ConnectionModel now = soon(model, 0, moment);
        // Who is still taken for ready may have ended unnoticed: if the next probe finds nobody, it is starting.
        return ConnectionStep.quiet(
                now.trouble() == null
                        ? now.with(now.process().startedAnew(true))
                        : now.in(new Trouble(ExceededLimit.START_UP, moment.nanos(), false)));
    }

    /** Probes as soon as it is allowed (R41), and forgets how often that has failed. */
    private ConnectionModel soon(ConnectionModel model, long pause, Moment moment) {
        ProbePlan planned = model.probe();
        long wanted = moment.nanos() + pause;
        boolean sooner = planned.failures() == 0 && planned.at() - wanted < 0 && pause == 0;
        return model.with(new ProbePlan(allowed(model, sooner ? planned.at() : wanted), planned.last(), 0));
    }

    /** {@code at}, or when the spacing between probes allows it. */
    private long allowed(ConnectionModel model, long at) {
        Long last = model.probe().last();
        if (last == null) {
            return at;
        }
        long next = last + options.probeSpacing().toNanos();
        return at - next < 0 ? next : at;
    }

    /** The plugin answered a probe. */
    public ConnectionStep probed(ConnectionModel model, long turn, boolean ready, Moment moment) {
        if (!awaits(model, turn, Question.PROBE)) {
            return ConnectionStep.quiet(model);
        }
        if (!ready) {
            Trouble trouble = model.trouble();
            // The time that it was ill is no part of its start; what goes wrong from now on is.
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

    /** The plugin told its facts. */
    public ConnectionStep told(ConnectionModel model, long turn, Moment moment) {
        if (!awaits(model, turn, Question.FACTS)) {
            return ConnectionStep.quiet(model);
        }
        return ConnectionStep.quiet(well(model.with(model.process().told(moment.nanos())), moment));
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

    /** A question ended without a usable answer. */
    public ConnectionStep failed(ConnectionModel model, long turn, Failure failure, Moment moment) {
        if (model.idle() || model.turn().number() != turn) {
            return ConnectionStep.quiet(model);
        }
        if (model.turn().question() == Question.NODE_INFO) {
            // What it told before holds, and whether it is well is for a probe to find out.
            ConnectionModel kept = answered(model);
            return failure.unreachable() ? suspected(kept, moment) : ConnectionStep.quiet(kept);
        }
        if (model.state() == PluginState.READY && model.turn().question() == Question.FACTS) {
            // It said just now that it is well, and what it told before holds until it tells something else.
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
     * Who answers next may be another process, though the file of its socket is the same: the socket can belong to
     * somebody who stands before the plugin (R2). What it told holds, and is asked anew as soon as it is well.
     */
    private ConnectionModel doubted(ConnectionModel model, Moment moment) {
        return model.with(
                model.process().factsOf(moment.nanos() - options.factsInterval().toNanos()));
    }

    /** The end. */
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

    /** Probes again after a pause that doubles with each failure. */
    private ConnectionModel later(ConnectionModel model, Moment moment) {
        ProbePlan probe = model.probe();
        int doublings = Math.min(probe.failures(), 30);
        long most = options.retryMost().toNanos();
        long base = options.probeSpacing().toNanos();
        Duration pause = Duration.ofNanos(base > (most >> doublings) ? most : base << doublings);
        long at = allowed(model, moment.within(pause));
        return model.with(new ProbePlan(at, probe.last(), Math.min(probe.failures() + 1, 1_000)));
    }

    /**
     * Why a question has no usable answer.
     *
     * @param unreachable whether nobody may have been there; otherwise the plugin itself refused
     * @param text for an operator
     */
    public record Failure(boolean unreachable, String text) {}
}
