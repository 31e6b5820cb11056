package io.csi4j.core.internal.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.ResourceBundle;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class CauseLogTest {
    private final SetClock clock = new SetClock();
    private final Lines lines = new Lines();
    private final CauseLog log = new CauseLog(lines, clock);

    @Test
    void causeIsWrittenOnceAndThenAtIntervalsWithCount() {
        log.warn("disk", "the disk is full");
        log.warn("disk", "the disk is full");
        log.warn("disk", "the disk is full");
        assertThat(lines.written).containsExactly("WARNING the disk is full");

        clock.now = clock.now.plus(CauseLog.INTERVAL);
        log.warn("disk", "the disk is full");
        assertThat(lines.written)
                .containsExactly(
                        "WARNING the disk is full",
                        "WARNING the disk is full (2 more times since 2026-01-01T00:00:00Z)");
    }

    @Test
    void repeatedLineHasNoCountIfCauseDidNotAppearInBetween() {
        log.warn("disk", "the disk is full");
        clock.now = clock.now.plus(CauseLog.INTERVAL);
        log.warn("disk", "the disk is full");
        assertThat(lines.written).containsExactly("WARNING the disk is full", "WARNING the disk is full");
    }

    @Test
    void eachCauseHasItsOwnLine() {
        log.warn("disk", "the disk is full");
        log.warn("net", "the peer is silent");
        assertThat(lines.written).containsExactly("WARNING the disk is full", "WARNING the peer is silent");
    }

    @Test
    void causeThatWasOverIsWrittenAgainAtOnce() {
        assertThat(log.over("disk")).isFalse();
        log.warn("disk", "the disk is full");
        assertThat(log.over("disk")).isTrue();
        log.warn("disk", "the disk is full");
        assertThat(lines.written).hasSize(2);
    }

    @Test
    void clockThatJumpsADayBackDoesNotSilenceACause() {
        log.warn("disk", "the disk is full");
        clock.now = clock.now.minus(Duration.ofDays(1));
        log.warn("disk", "the disk is full");
        assertThat(lines.written).hasSize(2);
    }

    @Test
    void causesThatArriveInMassesAreCountedOnly() {
        for (int cause = 1; cause <= 150; cause++) {
            log.warn("cause " + cause, "line " + cause);
        }
        assertThat(lines.written).hasSize(100).endsWith("WARNING line 100");

        clock.now = clock.now.plus(CauseLog.INTERVAL);
        log.warn("new", "the next line");
        assertThat(lines.written)
                .hasSize(101)
                .endsWith("WARNING the next line (50 lines about other causes were left out)");
    }

    private static final class SetClock extends Clock {
        private Instant now = Instant.parse("2026-01-01T00:00:00Z");

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Instant instant() {
            return now;
        }
    }

    private static final class Lines implements System.Logger {
        private final List<String> written = new ArrayList<>();

        @Override
        public String getName() {
            return "lines";
        }

        @Override
        public boolean isLoggable(Level level) {
            return true;
        }

        @Override
        public void log(
                Level level, @Nullable ResourceBundle bundle, @Nullable String message, @Nullable Throwable thrown) {
            written.add(level + " " + message);
        }

        @Override
        public void log(
                Level level, @Nullable ResourceBundle bundle, @Nullable String format, @Nullable Object... params) {
            written.add(level + " " + format);
        }
    }
}
