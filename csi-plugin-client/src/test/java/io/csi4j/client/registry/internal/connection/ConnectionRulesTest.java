package io.csi4j.client.registry.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.internal.transport.SocketFile;
import io.csi4j.client.registry.instance.ConnectionOptions;
import io.csi4j.client.registry.instance.ExceededLimit;
import io.csi4j.client.registry.instance.PluginState;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;

/** Applies each event in each reachable state. */
class ConnectionRulesTest {
    private static final SocketFile ONE = new SocketFile(1, FileTime.fromMillis(1));
    private static final SocketFile TWO = new SocketFile(2, FileTime.fromMillis(2));
    private static final ConnectionOptions OPTIONS = ConnectionOptions.builder()
            .startUpLimit(Duration.ofSeconds(6))
            .livenessLimit(Duration.ofSeconds(4))
            .probeInterval(Duration.ofSeconds(2))
            .probeSpacing(Duration.ofSeconds(1))
            .retryMax(Duration.ofSeconds(2))
            .factsInterval(Duration.ofSeconds(4))
            .nodeInfoSpacing(Duration.ofSeconds(3))
            .build();
    private static final ConnectionRules RULES = new ConnectionRules(OPTIONS);
    private static final ConnectionRules.Failure AWAY = new ConnectionRules.Failure(true, "nobody there");
    private static final ConnectionRules.Failure ILL = new ConnectionRules.Failure(false, "ill");

    private record Event(String name, BiFunction<ConnectionModel, Moment, ConnectionStep> apply) {}

    private static List<Event> events() {
        return List.of(
                new Event("woken", RULES::woken),
                new Event("absent", (model, moment) -> RULES.seen(model, SocketFile.ABSENT, moment)),
                new Event("one", (model, moment) -> RULES.seen(model, ONE, moment)),
                new Event("two", (model, moment) -> RULES.seen(model, TWO, moment)),
                new Event("suspected", RULES::suspected),
                new Event("restarted", RULES::restarted),
                new Event("full", RULES::full),
                new Event("room", (model, moment) -> RULES.nodeInfoReported(model, turn(model))),
                new Event("ready", (model, moment) -> RULES.probed(model, turn(model), true, moment)),
                new Event("starting", (model, moment) -> RULES.probed(model, turn(model), false, moment)),
                new Event("told", (model, moment) -> RULES.reported(model, turn(model), moment)),
                new Event("away", (model, moment) -> RULES.failed(model, turn(model), AWAY, moment)),
                new Event("ill", (model, moment) -> RULES.failed(model, turn(model), ILL, moment)),
                new Event("closed", (model, moment) -> RULES.closed(model)));
    }

    private static long turn(ConnectionModel model) {
        return model.turn().number();
    }

    /** Returns the state without counters and absolute times. Two states with the same result have the same successors. */
    private static String shape(ConnectionModel model, long now) {
        ConnectionModel.ProbePlan probe = model.probe();
        Map<String, Object> parts = new TreeMap<>();
        parts.put("state", model.state());
        parts.put("socket", model.process().socket());
        parts.put("last", model.process().last());
        parts.put("facts", model.process().factsRead());
        parts.put("ever", model.process().everReady());
        parts.put("anew", model.process().startedAnew());
        parts.put("asking", model.turn().question());
        parts.put("due", Long.signum(now - probe.at()));
        parts.put("failures", Math.min(2, probe.failures()));
        parts.put("spaced", probe.last() == null || now - probe.last() >= 1_000_000_000L);
        parts.put("wanted", model.room().wanted());
        Long asked = model.room().last();
        parts.put("peace", asked != null && now - asked < 3_000_000_000L);
        ConnectionModel.Trouble trouble = model.trouble();
        parts.put("trouble", trouble == null ? "" : trouble.limit() + " " + trouble.exceeded());
        parts.put(
                "late",
                trouble != null && now - trouble.since() >= RULES.limit(trouble).toNanos());
        parts.put(
                "old",
                now - model.process().factsAt() >= OPTIONS.factsInterval().toNanos());
        return parts.toString();
    }

    private record Reached(ConnectionModel model, long now, String trace) {}

    @Test
    void reappearedSocketCountsAsSameProcessIfUnchanged() {
        Moment moment = new Moment(0, 0);
        ConnectionModel observed =
                RULES.seen(ConnectionModel.opened(0, false), ONE, moment).model();
        ConnectionModel gone = RULES.seen(observed, SocketFile.ABSENT, moment).model();
        ConnectionModel back = RULES.seen(gone, ONE, moment).model();
        assertThat(back.process()).isEqualTo(observed.process());
    }

    @Test
    void invariantsHoldAfterEveryEventInEveryState() {
        Set<String> observed = new HashSet<>();
        Queue<Reached> queue = new ArrayDeque<>();
        for (boolean everReady : List.of(false, true)) {
            queue.add(new Reached(ConnectionModel.opened(0, everReady), 0, "opened " + everReady));
        }
        Set<PluginState> states = new HashSet<>();
        int steps = 0;
        while (!queue.isEmpty()) {
            Reached from = queue.remove();
            states.add(from.model().state());
            for (long wait : List.of(0L, 700_000_000L, 2_000_000_000L, 7_000_000_000L)) {
                Moment moment = new Moment(from.now() + wait, 0.5);
                for (Event event : events()) {
                    ConnectionStep step = event.apply().apply(from.model(), moment);
                    String trace = from.trace() + " +" + wait / 1_000_000 + "ms " + event.name();
                    check(from.model(), step, event, moment, trace);
                    steps++;
                    if (observed.add(shape(step.model(), moment.nanos()))) {
                        queue.add(new Reached(step.model(), moment.nanos(), trace));
                    }
                }
            }
        }
        System.out.println("ConnectionRulesTest: " + observed.size() + " states, " + steps + " steps");
        assertThat(states).containsExactlyInAnyOrder(PluginState.values());
        assertThat(observed.size()).isGreaterThan(200);
    }

    private static void check(ConnectionModel before, ConnectionStep step, Event event, Moment moment, String trace) {
        ConnectionModel after = step.model();
        List<String> broken = new ArrayList<>();
        boolean asks = step.ask() != Question.NONE;
        if (asks != (!after.idle() && turn(after) != turn(before))) {
            broken.add("a question is asked exactly when a new one is in flight");
        }
        if (asks && !before.idle() && before.turn().question() == step.ask()) {
            broken.add("one question at a time");
        }
        if (step.ask() == Question.PROBE) {
            Long last = before.probe().last();
            if (last != null && moment.nanos() - last < OPTIONS.probeSpacing().toNanos()) {
                broken.add("probes are spaced");
            }
            if (!after.process().socket().isThere() && before.state() != PluginState.READY) {
                broken.add("nobody is probed without a socket, but who was well");
            }
        }
        if (step.ask() == Question.NODE_INFO) {
            Long last = before.room().last();
            if (last != null
                    && moment.nanos() - last < OPTIONS.nodeInfoSpacing().toNanos()) {
                broken.add("questions for the node's room are spaced");
            }
            if (before.state() != PluginState.READY || after.state() != PluginState.READY) {
                broken.add("only who is well is asked for the node's room, and stays so");
            }
        }
        if (event.name().equals("full")
                && before.process().factsRead()
                && before.state() != PluginState.GONE
                && !after.room().wanted()
                && step.ask() != Question.NODE_INFO) {
            broken.add("who is said to be full is asked, now or later");
        }
        if (before.room().wanted()
                && !after.room().wanted()
                && step.ask() != Question.NODE_INFO
                && after.process().factsRead()) {
            broken.add("what was wanted is forgotten only for all the facts");
        }
        if (before.state() == PluginState.GONE && (after.state() != PluginState.GONE || asks)) {
            broken.add("gone is gone");
        }
        if (after.state() == PluginState.READY
                && (!after.process().factsRead()
                        || after.trouble() != null
                        || after.process().number() == 0)) {
            broken.add("ready means facts of this process, and no trouble");
        }
        if (after.state() != PluginState.READY && after.state() != PluginState.GONE && after.trouble() == null) {
            broken.add("who is not ready has a limit");
        }
        if (after.state() == PluginState.READY
                && before.state() != PluginState.READY
                && !Set.of("ready", "told").contains(event.name())) {
            broken.add("only an answer makes ready");
        }
        if (event.name().equals("starting")
                && !before.equals(after)
                && after.trouble() != null
                && after.trouble().limit() != ExceededLimit.START_UP) {
            broken.add("who starts has the limit of a start");
        }
        if (event.name().equals("starting") && after.state() == PluginState.DEGRADED && !before.equals(after)) {
            broken.add("starting is not ill");
        }
        if (event.name().equals("ill")
                && before.turn().question() == Question.PROBE
                && after.state() != PluginState.DEGRADED) {
            broken.add("a refusal is an illness");
        }
        if (before.trouble() != null
                && before.trouble().exceeded()
                && after.trouble() != null
                && !after.trouble().exceeded()
                && !Set.of("one", "two", "restarted").contains(event.name())
                && !(event.name().equals("starting") && before.trouble().limit() == ExceededLimit.LIVENESS)) {
            broken.add("an exceeded limit holds until it is well, another process, or started again");
        }
        if (event.name().equals("woken")
                && after.wakeAt(RULES).isPresent()
                && after.wakeAt(RULES).getAsLong() - moment.nanos() <= 0) {
            broken.add("no loop runs hot");
        }
        if (after.process().everReady()
                        != (before.process().everReady() || event.name().equals("told"))
                && !after.process().equals(before.process())) {
            broken.add("what was once ready was so for ever");
        }
        assertThat(broken).as(trace).isEmpty();
    }

    @Test
    void responseToAbandonedQueryChangesNothing() {
        Moment now = new Moment(0, 0.5);
        ConnectionModel model =
                RULES.seen(ConnectionModel.opened(0, false), ONE, now).model();
        ConnectionModel asked = RULES.woken(model, new Moment(70_000_000, 0.5)).model();
        assertThat(asked.turn().question()).isEqualTo(Question.PROBE);
        long old = asked.turn().number();

        ConnectionStep replaced = RULES.seen(asked, TWO, now);

        assertThat(replaced.abandon()).isTrue();
        assertThat(RULES.probed(replaced.model(), old, true, now).model()).isEqualTo(replaced.model());
        assertThat(RULES.reported(replaced.model(), old, now).model()).isEqualTo(replaced.model());
        assertThat(RULES.failed(replaced.model(), old, ILL, now).model()).isEqualTo(replaced.model());

        // The late response is also ignored while the same query to the new process is in flight.
        Moment later = new Moment(2_000_000_000, 0.5);
        ConnectionModel again = RULES.woken(replaced.model(), later).model();
        assertThat(again.turn().question()).isEqualTo(Question.PROBE);
        assertThat(RULES.probed(again, old, true, later).model()).isEqualTo(again);
        assertThat(RULES.failed(again, old, ILL, later).model()).isEqualTo(again);
    }

    @Test
    void shortProbeIntervalRespectsMinimumSpacingOfProbes() {
        ConnectionRules rules = new ConnectionRules(ConnectionOptions.builder()
                .probeInterval(Duration.ofMillis(700))
                .probeSpacing(Duration.ofMillis(700))
                .build());
        Moment now = new Moment(100_000_000, 0);
        ConnectionModel observed = rules.seen(ConnectionModel.opened(0, false), ONE, new Moment(0, 0))
                .model();
        ConnectionModel asked = rules.woken(observed, now).model();
        ConnectionModel well = rules.probed(asked, turn(asked), true, now).model();
        ConnectionModel ready = rules.reported(well, turn(well), now).model();
        assertThat(ready.state()).isEqualTo(PluginState.READY);
        assertThat(ready.probe().at()).isGreaterThanOrEqualTo(now.nanos() + 700_000_000);
    }
}
