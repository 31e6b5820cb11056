package io.csi4j.agent.internal.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.csi4j.client.internal.socket.IoThread;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class WireThreadsTest {
    @Test
    void threadsEndWithTheirLastUse() {
        WireThreads first = new WireThreads();
        WireThreads second = new WireThreads();
        assertThat(second.group()).isSameAs(first.group());
        first.close();
        assertThat(first.ended()).succeedsWithin(10, TimeUnit.SECONDS);
        assertThat(second.group().isShuttingDown()).isFalse();
        second.close();
        assertThat(second.ended()).succeedsWithin(10, TimeUnit.SECONDS);
        assertThat(second.group().isShuttingDown()).isTrue();
    }

    @Test
    void closeAfterEndHasNoEffect() {
        WireThreads threads = new WireThreads();
        threads.close();
        assertThat(threads.ended()).succeedsWithin(10, TimeUnit.SECONDS);
        assertThat(threads.group().isShuttingDown()).isTrue();
        assertThatCode(threads::close).doesNotThrowAnyException();
    }

    @Test
    void callbacksOfEndDoNotRunOnNetworkThread() {
        WireThreads threads = new WireThreads();
        CompletableFuture<Boolean> onNetworkThread = threads.ended().thenApply(nothing -> IoThread.isCurrent());
        threads.close();
        assertThat(onNetworkThread).succeedsWithin(10, TimeUnit.SECONDS).isEqualTo(false);
    }
}
