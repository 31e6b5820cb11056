package io.csi4j.client.registry.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.internal.transport.SocketFile;
import io.csi4j.client.registry.instance.ConnectionOptions;
import io.csi4j.client.registry.instance.ExceededLimit;
import io.csi4j.client.registry.instance.PluginState;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** The exact times of probes, queries and limits of one connection. */
class ConnectionTimesTest {
    private static final SocketFile ONE = new SocketFile(1, FileTime.fromMillis(1));
    private static final SocketFile TWO = new SocketFile(2, FileTime.fromMillis(2));
    private static final ConnectionRules RULES = new ConnectionRules(ConnectionOptions.builder()
            .startUpLimit(Duration.ofSeconds(6))
            .livenessLimit(Duration.ofSeconds(4))
            .probeInterval(Duration.ofSeconds(3))
            .probeSpacing(Duration.ofSeconds(1))
            .retryMax(Duration.ofSeconds(5))
            .factsInterval(Duration.ofSeconds(10))
            .nodeInfoSpacing(Duration.ofSeconds(3))
            .build());
    private static final ConnectionRules.Failure AWAY = new ConnectionRules.Failure(true, "no process");
    private static final ConnectionRules.Failure ILL = new ConnectionRules.Failure(false, "ill");
    private static final long BEGIN = 1_000_000_000_000L;

    private ConnectionModel model = ConnectionModel.opened(at(0), false);
    private ConnectionStep last = ConnectionStep.quiet(model);

    private static long at(double seconds) {
        return BEGIN + Math.round(seconds * 1e9);
    }

    /** Returns the moment with a random number in the middle: a wait is not changed, and a backoff is 3/4 of its limit. */
    private static Moment moment(double seconds) {
        return new Moment(at(seconds), 0.5);
    }

    private Question take(ConnectionStep step) {
        last = step;
        model = step.model();
        return step.ask();
    }

    private Question woken(double seconds) {
        return take(RULES.woken(model, moment(seconds)));
    }

    private Question probed(boolean ready, double seconds) {
        return take(RULES.probed(model, model.turn().number(), ready, moment(seconds)));
    }

    private Question reported(double seconds) {
        return take(RULES.reported(model, model.turn().number(), moment(seconds)));
    }

    private Question failed(ConnectionRules.Failure failure, double seconds) {
        return take(RULES.failed(model, model.turn().number(), failure, moment(seconds)));
    }

    private Question seen(SocketFile socket, double seconds) {
        return take(RULES.seen(model, socket, moment(seconds)));
    }

    private void nextProbe(double seconds) {
        assertThat(model.probe().at()).isEqualTo(at(seconds));
    }

    private void wakes(double seconds) {
        assertThat(model.wakeAt(RULES)).isEqualTo(OptionalLong.of(at(seconds)));
    }

    private void is(PluginState state, String problem) {
        assertThat(model.state()).isEqualTo(state);
        assertThat(model.problem()).isEqualTo(problem);
    }

    private void trouble(ExceededLimit limit, double since, boolean exceeded) {
        assertThat(model.trouble()).isEqualTo(new ConnectionModel.Trouble(limit, at(since), exceeded));
    }

    /** Leads the connection to the state READY: the socket appears at 0 s, and the facts are read at 0.2 s. */
    private void becomeReady() {
        seen(ONE, 0);
        woken(0.06);
        probed(true, 0.1);
        reported(0.2);
        assertThat(model.state()).isEqualTo(PluginState.READY);
    }

    @Test
    void registeredInstanceWaitsForSocketUntilStartUpLimit() {
        is(PluginState.CONNECTING, "waiting for its socket");
        wakes(6);
        assertThat(woken(5.999)).isEqualTo(Question.NONE);
        trouble(ExceededLimit.START_UP, 0, false);
        assertThat(woken(6)).isEqualTo(Question.NONE);
        trouble(ExceededLimit.START_UP, 0, true);
        assertThat(model.wakeAt(RULES)).isEmpty();
        woken(7);
        trouble(ExceededLimit.START_UP, 0, true);
    }

    @Test
    void firstProbeIsSentAfterClientHasCheckedSocket() {
        assertThat(seen(ONE, 2)).isEqualTo(Question.NONE);
        assertThat(last.abandon()).isTrue();
        is(PluginState.CONNECTING, "its socket is there; it has not answered yet");
        assertThat(model.process()).isEqualTo(new ConnectionModel.Owner(ONE, ONE, 1, false, at(0), false, false));
        trouble(ExceededLimit.START_UP, 0, false);
        wakes(2.06);
        assertThat(woken(2.059)).isEqualTo(Question.NONE);
        assertThat(woken(2.06)).isEqualTo(Question.PROBE);
        assertThat(model.probe()).isEqualTo(new ConnectionModel.ProbePlan(at(2.06), at(2.06), 0));
        wakes(6);

        assertThat(probed(true, 2.1)).isEqualTo(Question.FACTS);
        is(PluginState.PROBING, "it is well; its facts are being read");
        assertThat(model.turn().number()).isEqualTo(3);
        assertThat(reported(2.2)).isEqualTo(Question.NONE);
        is(PluginState.READY, "");
        assertThat(model.process()).isEqualTo(new ConnectionModel.Owner(ONE, ONE, 1, true, at(2.2), true, false));
        assertThat(model.trouble()).isNull();
        nextProbe(5);
        wakes(5);
    }

    @Test
    void factsAreReadAgainAfterTheirInterval() {
        becomeReady();
        nextProbe(3);
        assertThat(woken(3)).isEqualTo(Question.PROBE);
        assertThat(probed(true, 10.199)).isEqualTo(Question.NONE);
        is(PluginState.READY, "");
        nextProbe(13);
        assertThat(woken(13)).isEqualTo(Question.PROBE);
        assertThat(probed(true, 13)).isEqualTo(Question.FACTS);
        is(PluginState.READY, "");
        assertThat(failed(ILL, 13.1)).isEqualTo(Question.NONE);
        is(PluginState.READY, "ill");
        assertThat(model.process().factsAt()).isEqualTo(at(0.2));
        nextProbe(16);
        woken(16);
        assertThat(probed(true, 16)).isEqualTo(Question.FACTS);
        reported(16);
        assertThat(model.process().factsAt()).isEqualTo(at(16));
        woken(19);
        assertThat(probed(true, 26)).as("exactly one interval later").isEqualTo(Question.FACTS);
    }

    @Test
    void backoffOfFailedProbesDoublesUntilMaximum() {
        seen(ONE, 0);
        woken(0.06);
        failed(AWAY, 0.5);
        is(PluginState.CONNECTING, "no process");
        trouble(ExceededLimit.START_UP, 0, false);
        nextProbe(1.25);
        assertThat(model.process().factsAt()).isEqualTo(at(-9.5));
        assertThat(woken(1.25)).isEqualTo(Question.PROBE);
        failed(ILL, 1.25);
        is(PluginState.DEGRADED, "ill");
        nextProbe(2.75);
        woken(2.75);
        failed(ILL, 2.75);
        nextProbe(5.75);
        woken(5.75);
        failed(ILL, 5.75);
        nextProbe(9.5);
        assertThat(model.probe().failures()).isEqualTo(4);
        wakes(6);
        for (int failures = 5; failures <= 1_010; failures++) {
            woken(5 * failures);
            failed(ILL, 5 * failures);
        }
        nextProbe(5_053.75);
        assertThat(model.probe().failures()).isEqualTo(1_000);
    }

    @Test
    void backoffRespectsSpacingOfProbes() {
        seen(ONE, 0);
        woken(0.06);
        failed(ILL, 0.06);
        nextProbe(1.06);
    }

    @Test
    void failedProbeOfReadyInstanceBeginsLivenessLimit() {
        becomeReady();
        woken(3);
        failed(AWAY, 3.5);
        is(PluginState.DEGRADED, "no process");
        trouble(ExceededLimit.LIVENESS, 3.5, false);
        assertThat(model.process().factsAt()).as("the facts are read again").isEqualTo(at(-6.5));
        nextProbe(4.25);
        woken(7.499);
        trouble(ExceededLimit.LIVENESS, 3.5, false);
        assertThat(model.turn().question()).isEqualTo(Question.PROBE);
        wakes(7.5);
        assertThat(woken(7.5)).isEqualTo(Question.NONE);
        trouble(ExceededLimit.LIVENESS, 3.5, true);
        failed(ILL, 7.6);
        trouble(ExceededLimit.LIVENESS, 3.5, true);

        nextProbe(9.1);
        woken(9.1);
        assertThat(probed(false, 9.2)).isEqualTo(Question.NONE);
        is(PluginState.PROBING, "it is still starting");
        trouble(ExceededLimit.START_UP, 9.2, false);
        nextProbe(12.2);
        woken(12.2);
        probed(false, 12.3);
        trouble(ExceededLimit.START_UP, 9.2, false);
    }

    @Test
    void suspectedInstanceIsProbedAtOnceUnlessProbeIsDueOrTooSoon() {
        assertThat(RULES.suspected(model, moment(1)).model()).isEqualTo(model);
        becomeReady();
        ConnectionModel ready = model;
        assertThat(RULES.suspected(ready, moment(2)).model().probe().at()).isEqualTo(at(2));
        assertThat(RULES.suspected(ready, moment(0.3)).model().probe().at())
                .as("spacing after the probe at 0.06 s")
                .isEqualTo(at(1.06));
        assertThat(RULES.suspected(ready, moment(4)).model().probe().at())
                .as("a probe that is overdue is not delayed")
                .isEqualTo(at(3));
        assertThat(RULES.suspected(ready, moment(2)).ask()).isEqualTo(Question.NONE);
    }

    @Test
    void failuresAreForgottenWhenSocketOfSameProcessReturns() {
        becomeReady();
        seen(SocketFile.ABSENT, 0.5);
        is(PluginState.READY, "");
        nextProbe(1.06);
        woken(1.06);
        probed(true, 1.1);
        is(PluginState.READY, "it is well, but its socket is gone");
        nextProbe(4);
        woken(4);
        failed(AWAY, 4);
        assertThat(model.probe().failures()).isEqualTo(1);
        is(PluginState.DEGRADED, "no process");
        assertThat(model.mayProbe()).isFalse();
        wakes(8);

        seen(ONE, 7);
        is(PluginState.DEGRADED, "no process");
        assertThat(last.abandon()).isFalse();
        assertThat(model.process().socket()).isEqualTo(ONE);
        assertThat(model.process().number()).isEqualTo(1);
        assertThat(model.process().factsRead()).isTrue();
        assertThat(model.probe()).isEqualTo(new ConnectionModel.ProbePlan(at(7), at(4), 0));
    }

    @Test
    void lostSocketOfUnreadyInstanceAbandonsQuery() {
        seen(ONE, 0);
        woken(0.06);
        seen(SocketFile.ABSENT, 0.5);
        assertThat(last.abandon()).isTrue();
        is(PluginState.CONNECTING, "its socket is gone; waiting for it to come back");
        assertThat(model.idle()).isTrue();

        model = ConnectionModel.opened(at(0), true);
        seen(ONE, 0);
        seen(SocketFile.ABSENT, 0.5);
        is(PluginState.DEGRADED, "its socket is gone; waiting for it to come back");
        ConnectionModel same = model;
        seen(SocketFile.ABSENT, 0.6);
        assertThat(model).isEqualTo(same);
        assertThat(last.abandon()).isFalse();
    }

    @Test
    void anotherProcessHasItsFullStartUpTimeAndIsAskedForAllFacts() {
        becomeReady();
        take(RULES.full(model, moment(0.3)));
        reported(0.4);
        take(RULES.nodeInfoReported(model, model.turn().number()));
        take(RULES.full(model, moment(0.5)));
        assertThat(model.room()).isEqualTo(new ConnectionModel.RoomPlan(true, at(0.3)));
        seen(TWO, 2);
        assertThat(last.abandon()).isTrue();
        is(PluginState.CONNECTING, "another process has its socket; it has not answered yet");
        assertThat(model.process()).isEqualTo(new ConnectionModel.Owner(TWO, TWO, 2, false, at(0.2), true, false));
        assertThat(model.room()).isEqualTo(new ConnectionModel.RoomPlan(false, at(0.3)));
        trouble(ExceededLimit.START_UP, 2, false);
        wakes(2.06);
        assertThat(RULES.full(model, moment(2)).model()).isEqualTo(model);
    }

    @Test
    void queriesOfVolumeLimitAreSpaced() {
        becomeReady();
        assertThat(take(RULES.full(model, moment(0.3)))).isEqualTo(Question.NODE_INFO);
        assertThat(model.room()).isEqualTo(new ConnectionModel.RoomPlan(false, at(0.3)));
        assertThat(take(RULES.full(model, moment(0.4)))).isEqualTo(Question.NONE);
        assertThat(model.roomAt(RULES)).as("a query is in flight").isEmpty();
        take(RULES.nodeInfoReported(model, model.turn().number() - 1));
        assertThat(model.turn().question()).isEqualTo(Question.NODE_INFO);
        take(RULES.nodeInfoReported(model, model.turn().number()));
        assertThat(model.idle()).isTrue();
        assertThat(model.roomAt(RULES)).isEqualTo(OptionalLong.of(at(3.3)));
        wakes(3);
        woken(3);
        probed(true, 3);
        wakes(3.3);
        assertThat(woken(3.299)).isEqualTo(Question.NONE);
        assertThat(woken(3.3)).isEqualTo(Question.NODE_INFO);
    }

    @Test
    void failedQueryOfVolumeLimitKeepsInstanceReady() {
        becomeReady();
        take(RULES.full(model, moment(0.3)));
        ConnectionModel asked = model;
        failed(ILL, 0.5);
        is(PluginState.READY, "");
        assertThat(model.idle()).isTrue();
        nextProbe(3);
        model = asked;
        failed(AWAY, 2);
        is(PluginState.READY, "");
        nextProbe(2);
        assertThat(RULES.failed(model, model.turn().number(), ILL, moment(3)).model())
                .as("no query is in flight")
                .isEqualTo(model);
    }

    @Test
    void restartedInstanceHasItsFullStartUpTimeAgain() {
        woken(6);
        take(RULES.restarted(model, moment(7)));
        trouble(ExceededLimit.START_UP, 7, false);
        assertThat(model.process().startedAnew()).isFalse();
        seen(ONE, 8);
        woken(8.06);
        probed(true, 8.1);
        reported(8.2);
        nextProbe(11);

        take(RULES.restarted(model, moment(9.5)));
        nextProbe(9.5);
        assertThat(model.trouble()).isNull();
        assertThat(model.process().startedAnew()).isTrue();
        woken(9.5);
        failed(AWAY, 9.6);
        trouble(ExceededLimit.START_UP, 9.6, false);
        is(PluginState.DEGRADED, "no process");
        woken(10.5);
        probed(true, 10.5);
        reported(10.6);
        assertThat(model.process().startedAnew()).isFalse();
    }

    @Test
    void closedConnectionStaysClosed() {
        becomeReady();
        take(RULES.closed(model));
        assertThat(last.abandon()).isTrue();
        is(PluginState.GONE, "it is no longer registered");
        assertThat(model.trouble()).isNull();
        assertThat(model.mayProbe()).isFalse();
        assertThat(model.wakeAt(RULES)).isEmpty();
        ConnectionModel gone = model;
        assertThat(RULES.restarted(gone, moment(9))).isEqualTo(ConnectionStep.quiet(gone));
        assertThat(RULES.seen(gone, TWO, moment(9))).isEqualTo(ConnectionStep.quiet(gone));
        assertThat(RULES.full(gone, moment(9))).isEqualTo(ConnectionStep.quiet(gone));
        assertThat(RULES.suspected(gone, moment(9))).isEqualTo(ConnectionStep.quiet(gone));
        assertThat(RULES.woken(gone, moment(9))).isEqualTo(ConnectionStep.quiet(gone));
    }

    @Test
    void waitsDependOnRandomNumber() {
        Duration wait = Duration.ofSeconds(10);
        assertThat(new Moment(at(1), 0).around(wait)).isEqualTo(at(10));
        assertThat(new Moment(at(1), 0.5).around(wait)).isEqualTo(at(11));
        assertThat(new Moment(at(1), 0).within(wait)).isEqualTo(at(6));
        assertThat(new Moment(at(1), 0.5).within(wait)).isEqualTo(at(8.5));
        Duration beat = Duration.ofSeconds(4);
        // The wait may end between 10 s and 12 s after 0.5 s; the only multiple of the beat is 12 s.
        assertThat(new Moment(at(0.5), 0).aroundOnBeat(Duration.ofSeconds(10), beat))
                .isEqualTo(at(9.5));
        assertThat(new Moment(at(1), 0).aroundOnBeat(Duration.ofSeconds(10), beat))
                .isEqualTo(at(12));
        assertThat(new Moment(at(1.5), 0.9).aroundOnBeat(Duration.ofSeconds(10), beat))
                .isEqualTo(at(12));
        assertThat(new Moment(at(3), 0).aroundOnBeat(Duration.ofSeconds(10), beat))
                .isEqualTo(at(12));
        // A multiple of the beat at either end of the wait's range is in the range.
        assertThat(new Moment(at(1), 0.5).aroundOnBeat(wait, Duration.ofSeconds(5)))
                .isEqualTo(at(10));
        assertThat(new Moment(at(4), 0.5).aroundOnBeat(wait, Duration.ofSeconds(7)))
                .isEqualTo(at(15));
    }
}
