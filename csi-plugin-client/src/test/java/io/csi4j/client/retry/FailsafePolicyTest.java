package io.csi4j.client.retry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.failsafe.RetryPolicy;
import java.io.IOException;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class FailsafePolicyTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    @Test
    void backoffPolicyGivesAttemptsBackoffsAndBudget() {
        RetryOptions options = RetryOptions.of(RetryPolicy.builder()
                .withMaxAttempts(7)
                .withBackoff(SECOND, Duration.ofSeconds(9))
                .withMaxDuration(Duration.ofSeconds(30))
                .build());
        assertThat(options.maxAttempts()).isEqualTo(7);
        assertThat(options.initialBackoff()).isEqualTo(SECOND);
        assertThat(options.maxBackoff()).isEqualTo(Duration.ofSeconds(9));
        assertThat(options.budget()).contains(Duration.ofSeconds(30));
        assertThat(options.minAttempt()).isEqualTo(RetryOptions.ofDefaults().minAttempt());
    }

    @Test
    void constantDelayIsLimitOfEachBackoff() {
        RetryOptions options =
                RetryOptions.of(RetryPolicy.builder().withDelay(SECOND).build());
        assertThat(options.initialBackoff()).isEqualTo(SECOND);
        assertThat(options.maxBackoff()).isEqualTo(SECOND);
        assertThat(options.maxAttempts()).isEqualTo(3);
        assertThat(options.budget()).isEmpty();
    }

    @Test
    void randomDelayAndUnlimitedAttemptsAreFollowed() {
        RetryOptions options = RetryOptions.of(RetryPolicy.builder()
                .withDelay(SECOND, Duration.ofSeconds(4))
                .withMaxAttempts(-1)
                .build());
        assertThat(options.initialBackoff()).isEqualTo(Duration.ofSeconds(4));
        assertThat(options.maxAttempts()).isEqualTo(Integer.MAX_VALUE);
    }

    static Stream<Arguments> refused() {
        return Stream.of(
                Arguments.of("no delay", RetryPolicy.ofDefaults()),
                Arguments.of(
                        "call rules",
                        RetryPolicy.builder()
                                .handle(IOException.class)
                                .withDelay(SECOND)
                                .build()),
                Arguments.of(
                        "call rules",
                        RetryPolicy.builder()
                                .abortOn(IOException.class)
                                .withDelay(SECOND)
                                .build()),
                Arguments.of(
                        "delay function",
                        RetryPolicy.builder().withDelayFn(context -> SECOND).build()),
                Arguments.of(
                        "jitter",
                        RetryPolicy.builder().withDelay(SECOND).withJitter(0.1).build()),
                Arguments.of(
                        "jitter",
                        RetryPolicy.builder()
                                .withDelay(SECOND)
                                .withJitter(Duration.ofMillis(10))
                                .build()),
                Arguments.of(
                        "factor 3",
                        RetryPolicy.builder()
                                .withBackoff(SECOND, Duration.ofSeconds(20), 3)
                                .build()));
    }

    @ParameterizedTest
    @MethodSource("refused")
    void policyThatOptionsCannotFollowIsRefused(String part, RetryPolicy<?> policy) {
        assertThatThrownBy(() -> RetryOptions.of(policy))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(part);
    }
}
