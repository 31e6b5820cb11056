package io.csi4j.replication.ratis.internal.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.command.Outcome;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.junit.jupiter.api.Test;

final class SessionsTest {
    private final Sessions sessions = new Sessions();
    private final AtomicInteger applications = new AtomicInteger();

    private static LogEntry entry(long origin, long number, long answered) {
        return new LogEntry(LogEntry.Kind.COMMAND, origin, number, answered, ByteString.EMPTY);
    }

    private Optional<Outcome> apply(LogEntry entry) {
        return sessions.applyOnce(entry, () -> {
            applications.incrementAndGet();
            return new Outcome.Accepted(true, List.of());
        });
    }

    @Test
    void resubmittedEntryIsAppliedOnceAndKeepsItsOutcome() {
        Outcome first = apply(entry(1, 1, 1)).orElseThrow();
        assertThat(apply(entry(1, 1, 1))).isEmpty();
        assertThat(applications).hasValue(1);
        assertThat(sessions.outcome(entry(1, 1, 1))).containsSame(first);
    }

    @Test
    void resubmittedEntryWithAcknowledgedAnswerIsNotAppliedAgain() {
        apply(entry(1, 1, 1));
        apply(entry(1, 2, 2));
        assertThat(apply(entry(1, 1, 1))).isEmpty();
        assertThat(applications).hasValue(2);
        assertThat(sessions.outcome(entry(1, 1, 1))).isEmpty();
    }

    @Test
    void entriesFromDifferentOriginsAreIndependent() {
        apply(entry(1, 1, 1));
        assertThat(apply(entry(2, 1, 1))).isPresent();
    }

    @Test
    void onlyLeastRecentlyUsedOriginIsForgottenWhenLimitIsExceeded() {
        for (int origin = 0; origin < Sessions.MAX_ORIGINS; origin++) {
            apply(entry(origin, 1, 1));
        }
        apply(entry(0, 2, 1));
        apply(entry(-1, 1, 1));
        assertThat(sessions.outcome(entry(0, 1, 1))).isPresent();
        assertThat(sessions.outcome(entry(1, 1, 1))).isEmpty();
        assertThat(sessions.all()).hasSize(Sessions.MAX_ORIGINS);
    }
}
