package io.csi4j.client.internal.socket;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.logging.Logger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Attacks the threads of the network with code that fails on them, and with a logger that fails, too. */
@Timeout(30)
@Tag("newest")
class EndlessLoopsTest {
    /** The logger to which Netty reports a task that has failed. */
    private static final Logger NETTY =
            Logger.getLogger("io.grpc.netty.shaded.io.netty.util.concurrent.AbstractEventExecutor");

    @Test
    void threadGoesOnAfterAnErrorThatCannotBeLogged() throws Exception {
        EventLoopGroup threads = EndlessLoops.nio(1, IoThread.factory("endless-"));
        NETTY.setFilter(line -> {
            throw new NoClassDefFoundError("the formatter of the logger");
        });
        try {
            Thread thread = threads.submit(Thread::currentThread).get(10, TimeUnit.SECONDS);
            assertThat(thread.isDaemon()).isTrue();
            for (int i = 0; i < 3; i++) {
                threads.execute(() -> {
                    throw new NoClassDefFoundError("a class of a handler");
                });
            }
            assertThat(threads.submit(Thread::currentThread).get(10, TimeUnit.SECONDS))
                    .isSameAs(thread);
        } finally {
            NETTY.setFilter(null);
            threads.shutdownGracefully(0, 5, TimeUnit.SECONDS).await(10, TimeUnit.SECONDS);
        }
        assertThat(threads.isTerminated()).isTrue();
    }

    @Test
    void failuresAreReportedEverLessOften() {
        List<String> lines = new ArrayList<>();
        LoopFailures failures = new LoopFailures((count, failure) -> lines.add(count + ": " + failure.getMessage()));
        for (int i = 1; i <= 20; i++) {
            failures.survived(new NoClassDefFoundError("#" + i));
        }
        assertThat(lines).hasSize(5);
        assertThat(lines.get(0)).isEqualTo("1: #1");
        assertThat(lines.get(4)).isEqualTo("16: #16");
    }

    @Test
    void failureThatCannotBeLoggedIsReportedWithTheNextOne() {
        List<String> lines = new ArrayList<>();
        LoopFailures failures = new LoopFailures((count, failure) -> {
            if ("#2".equals(failure.getMessage())) {
                throw new NoClassDefFoundError("the formatter of the logger");
            }
            lines.add(count + ": " + failure.getMessage());
        });
        failures.survived(new OutOfMemoryError("#1"));
        failures.survived(new OutOfMemoryError("#2"));
        failures.survived(new OutOfMemoryError("#3"));
        assertThat(lines).containsExactly("1: #1", "3: #3");
    }
}
