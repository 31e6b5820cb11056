package io.csi4j.client.internal.retry;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The effect of a call's attempts on its volume and on the failure that its caller gets. */
class OutcomeTrackerTest {
    private static final PlainCall PUBLISH = PlainCall.of(Rpc.NODE_PUBLISH_VOLUME, "v", "/1");
    private static final PlainCall EXPAND = PlainCall.of(Rpc.NODE_EXPAND_VOLUME, "v", "/1");
    private static final PlainCall STATS = PlainCall.of(Rpc.NODE_GET_VOLUME_STATS, "v", "/1");
    private static final Duration SPENT = Duration.ofMillis(1_540);

    private final OutcomeTracker tracker = new OutcomeTracker();

    private void lost(PlainCall call) {
        tracker.tried(call.rpc(), call.failure(StatusCode.UNAVAILABLE), true);
    }

    @Test
    void endOfCallDependsOnLastFailure() {
        Map<StatusCode, QueueExit> ends = Map.of(
                StatusCode.NOT_FOUND, QueueExit.ANSWERED,
                StatusCode.FAILED_PRECONDITION, QueueExit.ANSWERED,
                StatusCode.ALREADY_EXISTS, QueueExit.ANSWERED,
                StatusCode.PERMISSION_DENIED, QueueExit.NOTHING,
                StatusCode.UNAVAILABLE, QueueExit.NOTHING);
        ends.forEach((code, end) -> assertThat(tracker.end(PUBLISH.rpc(), PUBLISH.failure(code)))
                .as("%s", code)
                .isEqualTo(end));
        assertThat(tracker.end(PUBLISH.rpc(), null)).isEqualTo(QueueExit.DONE);
        assertThat(tracker.end(PUBLISH.rpc(), new IllegalStateException("defect")))
                .isEqualTo(QueueExit.NOTHING);
    }

    @Test
    void attemptWithoutResponseLeavesUnknownOutcomeUnlessPluginCheckedVolumeLater() {
        lost(PUBLISH);
        assertThat(tracker.end(PUBLISH.rpc(), PUBLISH.failure(StatusCode.UNAVAILABLE)))
                .isEqualTo(QueueExit.UNKNOWN);
        assertThat(tracker.end(PUBLISH.rpc(), PUBLISH.failure(StatusCode.PERMISSION_DENIED)))
                .isEqualTo(QueueExit.UNKNOWN);
        assertThat(tracker.end(PUBLISH.rpc(), new IllegalStateException("defect")))
                .isEqualTo(QueueExit.UNKNOWN);
        assertThat(tracker.end(PUBLISH.rpc(), PUBLISH.failure(StatusCode.NOT_FOUND)))
                .isEqualTo(QueueExit.ANSWERED);
        assertThat(tracker.end(PUBLISH.rpc(), null)).isEqualTo(QueueExit.DONE);
        assertThat(tracker.end(Rpc.CREATE_VOLUME, null)).isEqualTo(QueueExit.NOTHING);
    }

    @Test
    void defectOfClientAfterSendingLeavesUnknownOutcome() {
        tracker.tried(PUBLISH.rpc(), new IllegalStateException("defect"), true);
        assertThat(tracker.end(PUBLISH.rpc(), new IllegalStateException("defect")))
                .isEqualTo(QueueExit.UNKNOWN);
    }

    @Test
    void unsentOrRefusedAttemptLeavesNoUnknownOutcome() {
        tracker.tried(PUBLISH.rpc(), PUBLISH.failure(StatusCode.UNAVAILABLE), false);
        tracker.tried(PUBLISH.rpc(), PUBLISH.failure(StatusCode.PERMISSION_DENIED), true);
        tracker.tried(STATS.rpc(), STATS.failure(StatusCode.UNAVAILABLE), true);
        assertThat(tracker.end(PUBLISH.rpc(), PUBLISH.failure(StatusCode.UNAVAILABLE)))
                .isEqualTo(QueueExit.NOTHING);
    }

    @Test
    void failureOfSingleAttemptIsUnchanged() {
        IllegalStateException defect = new IllegalStateException("defect");
        CsiCallException refused = PUBLISH.failure(StatusCode.NOT_FOUND);
        assertThat(tracker.notify(defect, 3, SPENT)).isSameAs(defect);
        assertThat(tracker.notify(refused, 1, SPENT)).isSameAs(refused);
        lost(PUBLISH);
        CsiCallException unanswered = PUBLISH.failure(StatusCode.UNAVAILABLE);
        assertThat(tracker.notify(unanswered, 1, SPENT)).isSameAs(unanswered);
        CsiCallException read = STATS.failure(StatusCode.NOT_FOUND);
        assertThat(tracker.notify(read, 1, SPENT)).isSameAs(read);
    }

    @Test
    void failureAfterSeveralAttemptsNamesTheirNumber() {
        CsiCallException failure = PUBLISH.failure(StatusCode.NOT_FOUND);
        assertThat(tracker.notify(failure, 2, SPENT)).isInstanceOfSatisfying(CsiCallException.class, noted -> {
            assertThat(noted).hasMessage("long NOT_FOUND. It was tried 2 times within 1.5 s.");
            assertThat(noted.summary()).isEqualTo("short NOT_FOUND. It was tried 2 times within 1.5 s.");
            assertThat(noted.rpc()).isEqualTo(failure.rpc());
            assertThat(noted.plugin()).isEqualTo("ebs");
            assertThat(noted.volume()).contains("v");
            assertThat(noted.code()).isEqualTo(StatusCode.NOT_FOUND);
            assertThat(noted.outcome()).isEqualTo(failure.outcome());
            assertThat(noted).hasCause(failure.getCause());
        });
    }

    @Test
    void refusalAfterAttemptWithoutResponseHasUnknownOutcome() {
        lost(PUBLISH);
        assertThat(tracker.notify(PUBLISH.failure(StatusCode.NOT_FOUND), 2, SPENT))
                .isInstanceOfSatisfying(
                        CsiCallException.class,
                        noted -> assertThat(noted.outcome()).isEqualTo(CallOutcome.OUTCOME_UNKNOWN))
                .hasMessage(
                        "long NOT_FOUND. It was tried 2 times within 1.5 s. An earlier try had no definite answer, so"
                                + " whether that took effect is unknown: call again with the same fields, or undo it with"
                                + " NodeUnpublishVolume.");
    }

    @Test
    void refusalOfRepeatedCallHasUnknownOutcome() {
        tracker.replays(true);
        assertThat(tracker.notify(EXPAND.failure(StatusCode.NOT_FOUND), 1, SPENT))
                .isInstanceOfSatisfying(
                        CsiCallException.class,
                        noted -> assertThat(noted.outcome()).isEqualTo(CallOutcome.OUTCOME_UNKNOWN))
                .hasMessageStartingWith("long NOT_FOUND. An earlier try had no definite answer")
                .hasMessageEndingWith("call again with the same fields.");
    }
}
