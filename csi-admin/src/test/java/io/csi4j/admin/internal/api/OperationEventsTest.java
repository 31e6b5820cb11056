package io.csi4j.admin.internal.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.admin.internal.api.Operation.End;
import io.csi4j.admin.internal.api.Operation.State;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.lifecycle.health.HealthCheck;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.InstantGateway;
import io.csi4j.core.spi.LogDetails;
import io.csi4j.core.spi.LogStatus;
import io.csi4j.core.spi.ReplicatedLog;
import io.csi4j.state.LocalCommandLog;
import io.csi4j.state.StateStore;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The events of an operation whose client goes, and those of one that ends while no one asks for the next event. */
class OperationEventsTest {
    private static final Endpoint ENDPOINT = Endpoint.post("volume recheck", "/v1/volumes/{namespace}/{volume}", "x")
            .action(call -> new CompletableFuture<>());

    private final Environment environment = Environment.system();
    private final StateStore store = StateStore.inMemory();
    private final VolumeLifecycle lifecycle = VolumeLifecycle.builder()
            .log(new LocalCommandLog(store))
            .gateway(new InstantGateway())
            .environment(environment)
            .build();
    private final WatchedState state = new WatchedState(store);

    private volatile boolean leads = true;

    private final Operation operation = new Operation(
            1,
            "op-1",
            ENDPOINT,
            (Endpoint.Action<?>) ENDPOINT.result(),
            "alice",
            "default/db",
            Optional.of(VolumeKey.of("default", "db")),
            false,
            "",
            Instant.EPOCH);
    private final OperationEvents events = new OperationEvents(
            operation,
            new Call(
                    lifecycle,
                    "alice",
                    new Values(Map.of(), ""),
                    new ServerParts(
                            state,
                            () -> leads,
                            Optional.of(log()),
                            HealthCheck.of(lifecycle, environment),
                            Optional.empty(),
                            false,
                            new Operations(environment, Runnable::run))));

    /** A log that knows no leader. */
    private static ReplicatedLog log() {
        LogStatus status = new LogStatus(
                "s1", false, Optional.empty(), Optional.empty(), 1, 0, 0, 0, 0, List.of("s1"), LogDetails.none());
        return (ReplicatedLog) Proxy.newProxyInstance(
                OperationEventsTest.class.getClassLoader(),
                new Class<?>[] {ReplicatedLog.class},
                (proxy, method, arguments) -> status);
    }

    @AfterEach
    void close() {
        lifecycle.close();
        environment.close();
        store.close();
    }

    private static <T> T done(CompletableFuture<T> future) throws Exception {
        return future.get(20, TimeUnit.SECONDS);
    }

    private CompletableFuture<Long> watch() throws Exception {
        return Objects.requireNonNull(state.watches.poll(20, TimeUnit.SECONDS)).newer();
    }

    @Test
    void clientThatGoesEndsItsWaitAndItsWatchOfTheState() throws Exception {
        assertThat(done(events.next())).isPresent();
        CompletableFuture<Optional<OperationView>> next = events.next();
        CompletableFuture<Long> watch = watch();
        assertThat(watch).isNotDone();
        assertThat(next).isNotDone();
        events.cancel();
        assertThat(done(next)).isEmpty();
        assertThat(watch).isCancelled();
        assertThat(done(events.next())).isEmpty();
        assertThat(state.watches).isEmpty();
        assertThat(operation.state()).as("the operation continues").isEqualTo(State.RUNNING);
    }

    @Test
    void endThatComesWhileNoEventIsAskedForIsTheLastEvent() throws Exception {
        assertThat(done(events.next())).isPresent();
        operation.end(new End(State.DONE, Instant.EPOCH, Optional.of("{}"), Optional.empty()));
        assertThat(done(events.next()).orElseThrow().state()).isEqualTo(State.DONE);
        assertThat(done(events.next())).isEmpty();
    }

    @Test
    void lossOfTheLeaderIsAnEventAlthoughNoRowChanges() throws Exception {
        assertThat(done(events.next()).orElseThrow().obstacle()).isEmpty();
        CompletableFuture<Optional<OperationView>> next = events.next();
        leads = false;
        assertThat(done(next).orElseThrow().obstacle().orElseThrow()).startsWith("no server leads");
        leads = true;
        assertThat(done(events.next()).orElseThrow().obstacle()).isEmpty();
    }

    @Test
    void endWakesAWaitingEvent() throws Exception {
        assertThat(done(events.next())).isPresent();
        CompletableFuture<Optional<OperationView>> next = events.next();
        CompletableFuture<Long> watch = watch();
        operation.end(new End(State.CANCELLED, Instant.EPOCH, Optional.empty(), Optional.empty()));
        assertThat(done(next).orElseThrow().state()).isEqualTo(State.CANCELLED);
        assertThat(watch).isCancelled();
    }
}
