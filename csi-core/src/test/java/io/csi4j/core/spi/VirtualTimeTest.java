package io.csi4j.core.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class VirtualTimeTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final VirtualTime time = VirtualTime.inOrder();
    private final List<String> ran = new ArrayList<>();

    @Test
    void tasksDoNotRunUntilStepOrRunIsCalled() {
        time.execute(() -> ran.add("first"));
        time.execute(() -> ran.add("second"));
        assertThat(ran).isEmpty();

        assertThat(time.step()).isTrue();
        assertThat(ran).containsExactly("first");

        time.run();
        assertThat(ran).containsExactly("first", "second");
        assertThat(time.step()).isFalse();
        assertThat(time.executed()).isEqualTo(2);
    }

    @Test
    void timersFireInOrderAndClockShowsDueTimeWhileTimerRuns() {
        Instant start = time.instant();
        time.schedule(SECOND.multipliedBy(2), () -> ran.add("late " + time.elapsed()));
        time.schedule(SECOND, () -> {
            ran.add("early " + time.elapsed());
            time.execute(() -> ran.add("task of early " + time.elapsed()));
        });

        time.advance(SECOND.multipliedBy(3));

        assertThat(ran).containsExactly("early PT1S", "task of early PT1S", "late PT2S");
        assertThat(time.instant()).isEqualTo(start.plusSeconds(3));
        assertThat(time.fired()).isEqualTo(2);
    }

    @Test
    void timersDueTogetherFireInOrderOfSubmission() {
        for (int i = 0; i < 5; i++) {
            int number = i;
            time.schedule(SECOND, () -> ran.add("timer " + number));
        }
        time.advance(SECOND);
        assertThat(ran).containsExactly("timer 0", "timer 1", "timer 2", "timer 3", "timer 4");
    }

    @Test
    void timerDoesNotFireBeforeItIsDue() {
        time.schedule(SECOND, () -> ran.add("timer"));
        time.advance(SECOND.minusNanos(1));
        assertThat(ran).isEmpty();
        assertThat(time.timers()).isOne();
        assertThat(time.timersDueIn(Duration.ofNanos(1))).isOne();

        time.advance(Duration.ofNanos(1));
        assertThat(ran).containsExactly("timer");
        assertThat(time.timers()).isZero();
    }

    @Test
    void cancelledTimerDoesNotRun() {
        Cancellable timer = time.schedule(SECOND, () -> ran.add("timer"));
        timer.cancel();
        assertThat(time.timers()).isZero();
        time.advance(SECOND);
        assertThat(ran).isEmpty();
    }

    @Test
    void taskOrderDependsOnlyOnSeed() {
        Set<List<String>> orders = new HashSet<>();
        for (long seed = 0; seed < 20; seed++) {
            List<String> order = order(seed);
            assertThat(order(seed)).isEqualTo(order);
            assertThat(order).containsExactlyInAnyOrder("task 0", "task 1", "task 2", "timer 0", "timer 1", "timer 2");
            assertThat(order.subList(0, 3)).allMatch(name -> name.startsWith("task"));
            orders.add(order);
        }
        assertThat(orders).hasSizeGreaterThan(5);
    }

    private static List<String> order(long seed) {
        VirtualTime shuffled = VirtualTime.shuffled(seed);
        List<String> order = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            int number = i;
            shuffled.execute(() -> order.add("task " + number));
            shuffled.schedule(SECOND, () -> order.add("timer " + number));
        }
        shuffled.advance(SECOND);
        return order;
    }

    @Test
    void closedEnvironmentDropsOnlyItsOwnTasks() {
        Environment closed = time.environment(new SplittableRandom(1));
        Environment open = time.environment(new SplittableRandom(2));
        closed.executor().execute(() -> ran.add("task of closed"));
        closed.timer().schedule(SECOND, () -> ran.add("timer of closed"));
        open.executor().execute(() -> ran.add("task of open"));
        open.timer().schedule(SECOND, () -> ran.add("timer of open"));

        closed.close();
        closed.executor().execute(() -> ran.add("late task of closed"));
        time.advance(SECOND);

        assertThat(ran).containsExactly("task of open", "timer of open");
        assertThat(closed.clock().instant()).isEqualTo(time.instant());
    }

    @Test
    void tasksThatSubmitTasksEndlesslyCauseException() {
        time.execute(new Runnable() {
            @Override
            public void run() {
                time.execute(this);
            }
        });
        assertThatIllegalStateException().isThrownBy(time::run).withMessageContaining("hot loop");
    }

    @Test
    @Timeout(60)
    void awaitTimersDueInReturnsWhenOtherThreadHasScheduledTimer() throws Exception {
        Thread other = new Thread(() -> time.schedule(SECOND, () -> ran.add("timer")));
        other.start();
        time.awaitTimersDueIn(1, SECOND);
        assertThat(time.timersDueIn(SECOND)).isOne();
        other.join();
    }

    @Test
    void negativeDurationAndTimeZoneOtherThanUtcAreRejected() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> time.advance(Duration.ofSeconds(-1)))
                .withMessage("duration is PT-1S; give zero or more");
        assertThatIllegalArgumentException().isThrownBy(() -> time.withZone(ZoneId.of("Europe/Berlin")));
        assertThat(time.withZone(ZoneOffset.UTC)).isSameAs(time);
    }

    @Test
    void cancelledTimersNeverFireAndAreNotCounted() {
        VirtualTime time = VirtualTime.inOrder();
        List<Integer> fired = new ArrayList<>();
        List<Cancellable> timers = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            int number = i;
            timers.add(time.schedule(Duration.ofMillis(i), () -> fired.add(number)));
        }
        for (int i = 0; i < 1_000; i++) {
            if (i % 10 != 0) {
                timers.get(i).cancel();
                timers.get(i).cancel();
            }
        }
        assertThat(time.timers()).isEqualTo(100);
        assertThat(time.timersDueIn(Duration.ofMillis(10))).isEqualTo(1);
        assertThat(time.timersDueIn(Duration.ofMillis(11))).isZero();
        time.advance(Duration.ofSeconds(1));
        assertThat(fired).hasSize(100).allMatch(number -> number % 10 == 0).isSorted();
        timers.forEach(Cancellable::cancel);
        assertThat(time.timers()).isZero();
    }
}
