package io.csi4j.core.internal.concurrent;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.spi.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class HostCallbacksTest {
    private final VirtualTime time = VirtualTime.inOrder();
    private final HostCallbacks host = new HostCallbacks(time, time);
    private final Logger log = Logger.getLogger(HostCallbacks.class.getName());
    private final List<String> lines = new ArrayList<>();
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord entry) {
            lines.add(entry.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    @BeforeEach
    void captureLog() {
        log.setUseParentHandlers(false);
        log.addHandler(handler);
    }

    @AfterEach
    void releaseLog() {
        log.removeHandler(handler);
        log.setUseParentHandlers(true);
    }

    private CompletableFuture<String> failing() {
        CompletableFuture<String> call = host.call("Port.method", () -> {
            throw new IllegalStateException("with a secret");
        });
        time.run();
        return call;
    }

    @Test
    void failureIsLoggedAtOnceAndThenAtIntervalsWithNumberOfRepetitions() {
        for (int i = 0; i < 3; i++) {
            assertThat(failing()).isCompletedExceptionally();
        }
        assertThat(lines)
                .singleElement()
                .asString()
                .contains("Port.method", "java.lang.IllegalStateException")
                .doesNotContain("secret");
        time.advance(Duration.ofMinutes(10));
        assertThat(failing()).isCompletedExceptionally();
        assertThat(lines).hasSize(2);
        assertThat(lines.get(1)).contains("2 times more");
    }

    @Test
    void failureOfPluginIsNotLogged() {
        CompletableFuture<String> call =
                host.call("Port.method", () -> CompletableFuture.failedFuture(new CsiException("refused")));
        time.run();
        assertThat(call).isCompletedExceptionally();
        assertThat(lines).isEmpty();
    }

    @Test
    void callThatEndedBeforeItBeganIsNotMade() {
        CompletableFuture<String> call = host.call("Port.method", () -> {
            throw new AssertionError("called");
        });
        call.cancel(false);
        time.run();
        assertThat(lines).isEmpty();
    }

    @Test
    void cancellationReachesFutureOfCallback() {
        CompletableFuture<String> inner = new CompletableFuture<>();
        CompletableFuture<String> call = host.call("Port.method", () -> inner);
        time.run();
        call.cancel(true);
        assertThat(inner).isCancelled();
    }

    @Test
    void callbackThatBlocksDoesNotBlockItsCallerAndIsLogged() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        HostCallbacks threaded = new HostCallbacks(task -> new Thread(task).start(), time);
        CompletableFuture<String> call = threaded.call("Port.method", () -> {
            begun.countDown();
            try {
                assertThat(end.await(30, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return CompletableFuture.completedFuture("late");
        });
        assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();
        threaded.givenUp(call, Duration.ofSeconds(1));
        assertThat(lines).singleElement().asString().contains("Port.method has blocked its thread");
        end.countDown();
        assertThat(call.get(30, TimeUnit.SECONDS)).isEqualTo("late");
    }

    @Test
    void watchedCallbackThatDoesNotReturnIsLogged() throws Exception {
        String value = host.watched("Port.value", () -> {
            host.logBlocked();
            assertThat(lines).isEmpty();
            time.advance(Duration.ofMinutes(1));
            host.logBlocked();
            return "value";
        });
        assertThat(value).isEqualTo("value");
        assertThat(lines).singleElement().asString().contains("Port.value has blocked its thread");
        lines.clear();
        time.advance(Duration.ofHours(1));
        host.logBlocked();
        assertThat(lines).isEmpty();
    }
}
