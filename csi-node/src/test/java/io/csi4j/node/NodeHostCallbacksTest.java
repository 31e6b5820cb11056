package io.csi4j.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.AdditionalAnswers.delegatesTo;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.rpc.NodeService;
import io.csi4j.node.PathProbe.Finding;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.mockito.invocation.InvocationOnMock;
import org.mockito.stubbing.Answer;

/** Callbacks of the host on a node that misbehave twice: the work continues, and the log names the callback. */
class NodeHostCallbacksTest {
    /** The ways in which a callback misbehaves. */
    enum Behaviour {
        THROWS("java.lang.IllegalStateException"),
        THROWS_ERROR("java.lang.AssertionError"),
        RETURNS_NULL("answered null"),
        COMPLETES_WITH_NULL("answered null"),
        FAILS("java.lang.IllegalStateException"),
        NEVER_COMPLETES("");

        private final String logged;

        Behaviour(String logged) {
            this.logged = logged;
        }

        private boolean ofFuture() {
            return this == COMPLETES_WITH_NULL || this == FAILS || this == NEVER_COMPLETES;
        }
    }

    /** The callbacks. */
    enum Callback {
        PROBE("PathProbe.probe"),
        SECRETS("MountSecretsProvider.secrets"),
        FIND("NodePlugins.find"),
        TABLE("MountTable.read"),
        LISTENER("NodeVolumeListener.onEvent"),
        SERVICE("");

        private final String logged;

        Callback(String logged) {
            this.logged = logged;
        }

        boolean can(Behaviour behaviour) {
            return switch (this) {
                case PROBE, SECRETS -> true;
                case FIND, TABLE -> !behaviour.ofFuture();
                case LISTENER -> behaviour == Behaviour.THROWS || behaviour == Behaviour.THROWS_ERROR;
                // A plugin's failures are its answers; the client of csi4j limits their time.
                case SERVICE -> behaviour != Behaviour.NEVER_COMPLETES && behaviour != Behaviour.COMPLETES_WITH_NULL;
            };
        }
    }

    static Stream<Arguments> table() {
        return Stream.of(Callback.values())
                .flatMap(callback -> Stream.of(Behaviour.values())
                        .filter(callback::can)
                        .map(behaviour -> Arguments.of(callback, behaviour)));
    }

    private final Logger log = Logger.getLogger("io.csi4j");
    private final Queue<String> logged = new ConcurrentLinkedQueue<>();
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord entry) {
            logged.add(String.valueOf(entry.getMessage()));
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    private final AtomicInteger misbehaved = new AtomicInteger();

    @TempDir
    Path base;

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

    /** Misbehaves twice, then calls the good implementation. */
    @SuppressWarnings("unchecked")
    private <R> R does(boolean chosen, Behaviour behaviour, Supplier<R> good) {
        if (!chosen || misbehaved.getAndIncrement() >= 2) {
            return good.get();
        }
        return switch (behaviour) {
            case THROWS -> throw new IllegalStateException("planned");
            case THROWS_ERROR -> throw new AssertionError("planned");
            case RETURNS_NULL -> null;
            case COMPLETES_WITH_NULL -> (R) CompletableFuture.completedFuture(null);
            case FAILS -> (R) CompletableFuture.failedFuture(new IllegalStateException("planned"));
            case NEVER_COMPLETES -> (R) new CompletableFuture<>();
        };
    }

    @ParameterizedTest
    @MethodSource("table")
    void volumeIsMountedAndUnmountedAlthoughCallbackMisbehavesTwice(Callback callback, Behaviour behaviour)
            throws IOException {
        Bench bench = new Bench(base, 1, true);
        bench.crash();
        MountTable table = mock(MountTable.class);
        when(table.read())
                .thenAnswer(
                        call -> does(callback == Callback.TABLE, behaviour, () -> MountPoints.of(bench.node.mounts)));
        when(table.bootId()).thenAnswer(call -> bench.node.bootId());
        NodeVolumes volumes = bench.another(id -> does(
                        callback == Callback.FIND,
                        behaviour,
                        () -> bench.node
                                .found()
                                .map(plugin ->
                                        NodePlugin.of(service(callback, behaviour, bench), plugin.capabilities()))))
                .mountTable(table)
                .probe(path -> does(
                        callback == Callback.PROBE, behaviour, () -> CompletableFuture.completedFuture(Finding.SOUND)))
                .secrets((id, allocation) -> does(
                        callback == Callback.SECRETS,
                        behaviour,
                        () -> CompletableFuture.completedFuture(MountSecrets.none())))
                .listener(event -> does(callback == Callback.LISTENER, behaviour, () -> ""))
                .checkEvery(Duration.ofMinutes(1))
                .options(Bench.unsynced().longestRetry(Duration.ofSeconds(20)).build())
                .build();
        CompletableFuture<Void> started = volumes.start();
        CompletableFuture<MountedVolume> mounted =
                volumes.mount(Bench.request("v", "a").build());
        bench.time.advance(Duration.ofMinutes(2));
        assertThat(started).isCompleted();
        assertThat(mounted).isCompleted();
        bench.time.advance(Duration.ofMinutes(20));
        CompletableFuture<Void> unmounted = volumes.unmount(new NodeUnmount(Bench.id("v"), AllocationId.of("a")));
        bench.time.advance(Duration.ofMinutes(2));
        assertThat(unmounted).isCompleted();
        assertThat(bench.node.mounts).isEmpty();
        assertThat(misbehaved).hasValueGreaterThanOrEqualTo(2);
        if (!behaviour.logged.isEmpty() && !callback.logged.isEmpty()) {
            assertThat(logged).anyMatch(line -> line.contains(callback.logged) && line.contains(behaviour.logged));
        }
    }

    private NodeService service(Callback callback, Behaviour behaviour, Bench bench) {
        Answer<Object> good = delegatesTo(bench.node);
        return mock(NodeService.class, call -> does(callback == Callback.SERVICE, behaviour, () -> answer(good, call)));
    }

    private static Object answer(Answer<Object> good, InvocationOnMock call) {
        try {
            return good.answer(call);
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void allocationCountsAsRunningUntilStillRunsAnswers() {
        Bench bench = new Bench(base, 1, true);
        bench.checkPeriod = Duration.ofMinutes(1);
        bench.restart();
        bench.done(bench.mount("v", "a"));
        bench.runs = allocation -> does(true, Behaviour.THROWS, () -> false);
        bench.restart();
        assertThat(bench.node.mounts).contains(Path.of(bench.target("v", "a")));

        bench.time.advance(Duration.ofMinutes(5));
        assertThat(bench.node.mounts).isEmpty();
        assertThat(logged)
                .anyMatch(line -> line.contains("NodeVolumesBuilder.stillRuns")
                        && line.contains("java.lang.IllegalStateException"));
    }

    @Test
    void lateAnswerOfStillRunsDoesNotEndAllocationThatWasMountedAgain() {
        Bench bench = new Bench(base, 1, true);
        bench.checkPeriod = Duration.ofMinutes(1);
        bench.restart();
        bench.done(bench.mount("v", "a"));
        bench.runs = allocation -> does(true, Behaviour.THROWS, () -> false);
        bench.restart();
        bench.done(bench.mount("v", "a"));

        bench.time.advance(Duration.ofMinutes(5));
        assertThat(bench.node.mounts).contains(Path.of(bench.target("v", "a")));
    }

    @Test
    void directUnmountThatReturnsNullIsRetried() {
        Bench bench = new Bench(base, 1, true);
        bench.direct = path -> does(true, Behaviour.RETURNS_NULL, () -> {
            bench.node.unmount(path);
            return CompletableFuture.completedFuture(null);
        });
        bench.done(bench.mount("v", "a"));
        bench.node.denies = true;
        bench.node.loseRecord(bench.target("v", "a"));
        CompletableFuture<Void> unused = bench.unmount("v", "a");
        bench.time.advance(Duration.ofSeconds(1));
        bench.done(bench.volumes.unmountDirectly(
                new NodeUnmount(Bench.id("v"), AllocationId.of("a")), "alice", "driver was killed"));
        assertThat(bench.node.mounts).isEmpty();
        assertThat(logged).anyMatch(line -> line.contains("DirectUnmount.unmount") && line.contains("answered null"));
    }
}
