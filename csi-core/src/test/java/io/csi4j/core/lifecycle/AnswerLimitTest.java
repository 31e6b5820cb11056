package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.lifecycle.internal.call.AnswerTimeout;
import io.csi4j.core.spi.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

class AnswerLimitTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(40);
    private static final Duration ROUND = Duration.ofSeconds(10);

    private final VirtualTime clock = VirtualTime.inOrder();
    private final AnswerTimeout limit = new AnswerTimeout(clock, clock, TIMEOUT);

    private <R> CompletableFuture<R> within(CompletableFuture<R> answer) {
        return limit.within(answer, timeout -> new CsiException("nothing within " + timeout));
    }

    @Test
    void anAnswerThatIsThereIsHandedOnAsItIs() {
        CompletableFuture<String> answer = CompletableFuture.completedFuture("here");
        assertThat(within(answer)).isSameAs(answer);
        assertThat(clock.timers()).isZero();
    }

    @Test
    void anAnswerInTimeLeavesNoTimerBehind() {
        CompletableFuture<String> one = new CompletableFuture<>();
        CompletableFuture<String> other = new CompletableFuture<>();
        var first = within(one);
        var second = within(other);
        assertThat(clock.timers()).isOne();
        one.complete("one");
        assertThat(first).isCompletedWithValue("one");
        assertThat(clock.timers()).isOne();
        other.completeExceptionally(new CsiException("refused"));
        assertThatThrownBy(second::join).hasCauseInstanceOf(CsiException.class).hasMessageContaining("refused");
        assertThat(clock.timers()).isZero();
        assertThat(limit.awaited()).isZero();
    }

    @Test
    void whoeverComesInTheMiddleOfARoundHasAllItsTime() {
        List<CompletableFuture<String>> all = new ArrayList<>();
        for (int second = 0; second < 30; second++) {
            all.add(within(new CompletableFuture<>()));
            clock.advance(Duration.ofSeconds(1));
        }
        // The first came 30 seconds ago.
        for (int second = 31; second < 90; second++) {
            clock.advance(Duration.ofSeconds(1));
            for (int came = 0; came < all.size(); came++) {
                int waited = second - came;
                if (waited < TIMEOUT.toSeconds()) {
                    assertThat(all.get(came)).isNotDone();
                } else if (waited >= TIMEOUT.plus(ROUND).toSeconds()) {
                    assertThat(all.get(came)).isCompletedExceptionally();
                }
            }
        }
        assertThat(all).allMatch(CompletableFuture::isCompletedExceptionally);
        assertThat(clock.timers()).isZero();
    }

    @Test
    void anAnswerThatComesLaterIsNobodys() {
        CompletableFuture<String> answer = new CompletableFuture<>();
        var waiting = within(answer);
        clock.advance(TIMEOUT.plus(ROUND));
        assertThatThrownBy(waiting::join).hasMessageContaining("nothing within PT40S");
        answer.complete("late");
        assertThat(waiting).isCompletedExceptionally();
        assertThat(limit.awaited()).isZero();
        assertThat(clock.timers()).isZero();
    }

    @Test
    void whoWaitsGoesOnInTheExecutor() {
        var waiting = within(new CompletableFuture<String>());
        List<String> told = new ArrayList<>();
        AnswerTimeout queued =
                new AnswerTimeout(clock, task -> told.add(waiting.isDone() ? "in its turn" : "before"), TIMEOUT);
        var unused = queued.within(new CompletableFuture<String>(), timeout -> new CsiException("late"));
        clock.advance(TIMEOUT.plus(ROUND));
        assertThat(told).containsExactly("in its turn");
    }

    @Test
    void aRoundThatWasCalledOffTooLateEndsNobodysTime() {
        List<Runnable> fired = new ArrayList<>();
        AnswerTimeout hasty = new AnswerTimeout(
                (delay, task) -> {
                    fired.add(task);
                    return () -> {};
                },
                Runnable::run,
                TIMEOUT);
        CompletableFuture<String> first = new CompletableFuture<>();
        var unused = hasty.within(first, timeout -> new CsiException("late"));
        first.complete("here");
        var second = hasty.within(new CompletableFuture<String>(), timeout -> new CsiException("late"));
        for (int i = 0; i < 10; i++) {
            fired.get(0).run();
        }
        assertThat(second).isNotDone();
        for (int i = 1; i <= 5; i++) {
            assertThat(second).isNotDone();
            fired.get(i).run();
        }
        assertThat(second).isCompletedExceptionally();
    }

    @Test
    void withoutATimerNobodyWaits() {
        AnswerTimeout closed = new AnswerTimeout(
                (delay, task) -> {
                    throw new RejectedExecutionException("closed");
                },
                clock,
                TIMEOUT);
        var waiting = closed.within(new CompletableFuture<String>(), timeout -> new CsiException("late"));
        assertThatThrownBy(waiting::join).hasCauseInstanceOf(RejectedExecutionException.class);
        assertThat(closed.awaited()).isZero();
    }
}
