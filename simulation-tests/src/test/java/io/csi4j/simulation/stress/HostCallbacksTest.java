package io.csi4j.simulation.stress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.AdditionalAnswers.delegatesTo;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.withSettings;

import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.cluster.LedgerReport;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Command;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.lifecycle.LifecycleOptions;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.rpc.ControllerService;
import io.csi4j.core.spi.ClaimEvent;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.EventListener;
import io.csi4j.core.spi.NodeDetach;
import io.csi4j.core.spi.NodeGateway;
import io.csi4j.core.state.StateScope;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.FencingPolicy;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.state.LocalCommandLog;
import io.csi4j.state.StateStore;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.mockito.invocation.InvocationOnMock;

/**
 * Callbacks of the host that misbehave twice for one volume, on real threads and without scans. The volume and another
 * one must finish nevertheless, and the log must name the callback.
 */
class HostCallbacksTest {
    private static final VolumeAccessMode MODE = VolumeAccessMode.SINGLE_NODE_WRITER;
    private static final VolumeKey VICTIM = VolumeKey.of("default", "victim");
    private static final VolumeKey OTHER = VolumeKey.of("default", "other");
    private static final AllocationId ALLOCATION = AllocationId.of("a-victim");
    private static final NodeId NODE = StressCluster.node(3);
    private static final Duration TIMEOUT = Duration.ofMillis(300);
    private static final int LIMIT_SECONDS = 30;

    /** The ways in which a callback misbehaves. */
    enum Behaviour {
        THROWS("java.lang.IllegalStateException"),
        THROWS_ERROR("java.lang.AssertionError"),
        RETURNS_NULL("answered null"),
        COMPLETES_WITH_NULL("answered null"),
        FAILS("java.lang.IllegalStateException"),
        NEVER_COMPLETES(""),
        BLOCKS("has blocked its thread"),
        ANSWERS_LATE("");

        private final String logged;

        Behaviour(String logged) {
            this.logged = logged;
        }
    }

    /** The callbacks. */
    enum Callback {
        CREATE("NodeGateway for CreateVolume"),
        PUBLISH("NodeGateway for ControllerPublishVolume"),
        UNPUBLISH("NodeGateway for ControllerUnpublishVolume"),
        DELETE("NodeGateway for DeleteVolume"),
        DETACH("NodeGateway for NodeUnpublishVolume"),
        LEDGER("NodeGateway.ledger"),
        SECRETS("SecretsProvider"),
        FENCE("Fencing.fence"),
        LISTENER("EventListener.claimChanged"),
        LOG("CommandLog.submit"),
        ACCESS("AccessControl.allows");

        private final String logged;

        Callback(String logged) {
            this.logged = logged;
        }

        boolean can(Behaviour behaviour) {
            return switch (this) {
                // These return nothing, or a value.
                case LISTENER, ACCESS ->
                    behaviour == Behaviour.THROWS
                            || behaviour == Behaviour.THROWS_ERROR
                            || (behaviour == Behaviour.BLOCKS && this == LISTENER);
                // The value of these futures is null.
                case UNPUBLISH, DELETE, DETACH, FENCE -> behaviour != Behaviour.COMPLETES_WITH_NULL;
                // A submission runs on the thread of the caller, because the order of commands counts.
                case LOG -> behaviour != Behaviour.BLOCKS;
                default -> true;
            };
        }
    }

    static Stream<Arguments> table() {
        return Stream.of(Callback.values())
                .flatMap(callback -> Stream.of(Behaviour.values())
                        .filter(callback::can)
                        .map(behaviour -> Arguments.of(callback, behaviour)));
    }

    private final Logger engineLog = Logger.getLogger("io.csi4j");
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

    private final StateStore store = StateStore.inMemory();
    private final ScheduledThreadPoolExecutor threads = new ScheduledThreadPoolExecutor(2);
    private final StressPlugin plugin = new StressPlugin(threads, store, (rpc, service) -> null);
    private final StressCluster cluster = new StressCluster(store);
    private final Environment environment = Environment.system();
    private final AtomicInteger misbehaved = new AtomicInteger();
    private final CountDownLatch end = new CountDownLatch(1);

    @BeforeEach
    void captureLog() {
        engineLog.setUseParentHandlers(false);
        engineLog.addHandler(handler);
    }

    @AfterEach
    void close() {
        end.countDown();
        engineLog.removeHandler(handler);
        engineLog.setUseParentHandlers(true);
        environment.close();
        threads.shutdownNow();
        store.close();
    }

    @ParameterizedTest
    @MethodSource("table")
    void volumesFinishAlthoughCallbackMisbehavesTwice(Callback callback, Behaviour behaviour) throws Exception {
        try (Hostile host = new Hostile(callback, behaviour)) {
            CompletableFuture<Void> other = host.live(OTHER, AllocationId.of("a-other"), StressCluster.node(4));
            CompletableFuture<Void> victim = host.live(VICTIM, ALLOCATION, NODE);
            other.get(LIMIT_SECONDS, TimeUnit.SECONDS);
            victim.get(LIMIT_SECONDS, TimeUnit.SECONDS);
            assertThat(misbehaved).hasValueGreaterThanOrEqualTo(behaviour == Behaviour.BLOCKS ? 1 : 2);
            // Releases the threads that block, before the events that wait behind them are awaited.
            end.countDown();
            if (behaviour.logged.isEmpty()) {
                return;
            }
            if (callback == Callback.LISTENER && behaviour == Behaviour.BLOCKS) {
                // A blocked listener gets its events later.
                host.freedEvent.get(LIMIT_SECONDS, TimeUnit.SECONDS);
                return;
            }
            assertThat(logged)
                    .as("log lines")
                    .anyMatch(line -> line.contains(callback.logged) && line.contains(behaviour.logged));
        }
    }

    /** A host with one callback that misbehaves for the volume VICTIM. */
    private final class Hostile implements AutoCloseable {
        private final Callback callback;
        private final Behaviour behaviour;
        private final VolumeLifecycle lifecycle;
        private final CompletableFuture<Void> freedEvent = new CompletableFuture<>();
        private volatile boolean started;

        Hostile(Callback callback, Behaviour behaviour) {
            this.callback = callback;
            this.behaviour = behaviour;
            CommandLog log = new LocalCommandLog(store);
            this.lifecycle = VolumeLifecycle.builder()
                    .log(log(log))
                    .gateway(gateway())
                    .environment(environment)
                    .secrets(query -> does(
                            Callback.SECRETS,
                            query.volume()
                                    .filter(volume -> volume.key().equals(VICTIM))
                                    .isPresent(),
                            () -> CompletableFuture.completedFuture(Optional.of(Secrets.empty()))))
                    .access((caller, access) -> doesNow(Callback.ACCESS, started))
                    .fencing((nodeId, reason) -> does(Callback.FENCE, nodeId.equals(NODE), () -> {
                        cluster.apply(new NodeCommand.FenceNode(
                                nodeId, "fenced", cluster.clock().instant()));
                        return CompletableFuture.completedFuture(null);
                    }))
                    .listener(new EventListener() {
                        @Override
                        public void claimChanged(ClaimEvent event) {
                            boolean unused =
                                    doesNow(Callback.LISTENER, event.volume().equals(VICTIM));
                            if (event.volume().equals(VICTIM) && event.change() == ClaimEvent.Change.FREED) {
                                freedEvent.complete(null);
                            }
                        }
                    })
                    .options(LifecycleOptions.builder()
                            .callTimeout(TIMEOUT)
                            .secretsTimeout(TIMEOUT)
                            .logTimeout(TIMEOUT)
                            .retry(Duration.ofMillis(10), Duration.ofMillis(40))
                            .slowRetry(Duration.ofMillis(10), Duration.ofMillis(40))
                            .fencingPolicy(FencingPolicy.onFence())
                            .scanInterval(Duration.ofDays(1))
                            .build())
                    .build();
            if (callback == Callback.LEDGER) {
                cluster.apply(new NodeCommand.RequireLedgers(
                        "restored", cluster.clock().instant()));
            }
            lifecycle.startLeading();
            this.started = true;
        }

        /** Misbehaves twice, then calls the good implementation. */
        @SuppressWarnings("NullAway") // A host may return null against the contract.
        private <R> CompletableFuture<R> does(Callback which, boolean victim, Supplier<CompletableFuture<R>> good) {
            if (which != callback || !victim || misbehaved.get() >= 2) {
                return good.get();
            }
            misbehaved.incrementAndGet();
            return switch (behaviour) {
                case THROWS -> throw new IllegalStateException("planned");
                case THROWS_ERROR -> throw new AssertionError("planned");
                case RETURNS_NULL -> null;
                case COMPLETES_WITH_NULL -> CompletableFuture.completedFuture(null);
                case FAILS -> CompletableFuture.failedFuture(new IllegalStateException("planned"));
                case NEVER_COMPLETES -> new CompletableFuture<>();
                case BLOCKS -> {
                    block();
                    yield good.get();
                }
                case ANSWERS_LATE -> {
                    CompletableFuture<R> late = new CompletableFuture<>();
                    var unused = threads.schedule(
                            () -> {
                                var unusedToo = good.get().whenComplete((value, failure) -> late.complete(value));
                            },
                            2 * TIMEOUT.toMillis(),
                            TimeUnit.MILLISECONDS);
                    yield late;
                }
            };
        }

        private boolean doesNow(Callback which, boolean victim) {
            if (which == callback && victim && misbehaved.getAndIncrement() < 2) {
                switch (behaviour) {
                    case THROWS -> throw new IllegalStateException("planned");
                    case THROWS_ERROR -> throw new AssertionError("planned");
                    default -> block();
                }
            }
            return true;
        }

        private void block() {
            try {
                assertThat(end.await(2 * LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private CommandLog log(CommandLog good) {
            CommandLog log = delegating(CommandLog.class, good);
            doAnswer(call -> {
                        Command command = call.getArgument(0);
                        boolean victim =
                                command.toString().contains(VICTIM.volumeId().value());
                        return does(Callback.LOG, victim, () -> good.submit(command));
                    })
                    .when(log)
                    .submit(any());
            return log;
        }

        private NodeGateway gateway() {
            NodeGateway gateway = delegating(NodeGateway.class, plugin);
            doAnswer(call -> controller(plugin.controller(call.getArgument(0))))
                    .when(gateway)
                    .controller(any());
            doAnswer(call -> does(
                            Callback.LEDGER,
                            call.getArgument(0).equals(NODE),
                            () -> CompletableFuture.completedFuture(LedgerReport.empty())))
                    .when(gateway)
                    .ledger(any());
            doAnswer(call -> {
                        NodeId nodeId = call.getArgument(0);
                        NodeDetach detach = call.getArgument(1);
                        return does(
                                Callback.DETACH, detach.volume().equals(VICTIM), () -> plugin.detach(nodeId, detach));
                    })
                    .when(gateway)
                    .detach(any(), any());
            return gateway;
        }

        private ControllerService controller(ControllerService good) {
            ControllerService service = delegating(ControllerService.class, good);
            doAnswer(call -> controllerCall(Callback.CREATE, good::createVolume, call))
                    .when(service)
                    .createVolume(any());
            doAnswer(call -> controllerCall(Callback.PUBLISH, good::controllerPublishVolume, call))
                    .when(service)
                    .controllerPublishVolume(any());
            doAnswer(call -> controllerCall(Callback.UNPUBLISH, good::controllerUnpublishVolume, call))
                    .when(service)
                    .controllerUnpublishVolume(any());
            doAnswer(call -> controllerCall(Callback.DELETE, good::deleteVolume, call))
                    .when(service)
                    .deleteVolume(any());
            return service;
        }

        private <Q, R> CompletableFuture<R> controllerCall(
                Callback which, Function<Q, CompletableFuture<R>> good, InvocationOnMock call) {
            Q request = call.getArgument(0);
            return does(which, request.toString().contains(VICTIM.volumeId().value()), () -> good.apply(request));
        }

        private static <T> T delegating(Class<T> type, T good) {
            return mock(type, withSettings().stubOnly().defaultAnswer(delegatesTo(good)));
        }

        /** Creates a volume, uses it once and deletes it; repeats what the engine refuses. */
        CompletableFuture<Void> live(VolumeKey key, AllocationId allocation, NodeId node) {
            VolumeSpec spec = VolumeSpec.builder(StressCluster.PLUGIN)
                    .requestedCapabilities(List.of(RequestedCapability.mount(MODE)))
                    .build();
            cluster.status(allocation, node, AllocationStatus.RUNNING);
            return repeated(() -> lifecycle.volumes().create(key, spec))
                    .thenCompose(created -> repeated(() -> lifecycle
                            .claims()
                            .claim(
                                    allocation,
                                    List.of(ClaimRequest.of(key, ClaimMode.WRITE, RequestedCapability.mount(MODE))))))
                    .thenCompose(granted -> {
                        if (callback == Callback.FENCE && key.equals(VICTIM)) {
                            cluster.apply(new NodeCommand.SetNodeStatus(
                                    node, NodeStatus.DOWN, "", cluster.clock().instant()));
                        }
                        cluster.status(allocation, node, AllocationStatus.ENDED);
                        return free(key);
                    })
                    .thenCompose(freed -> repeated(() -> lifecycle.volumes().delete(key)))
                    .thenAccept(deleted -> {});
        }

        private CompletableFuture<Void> free(VolumeKey key) {
            long index = store.snapshot().index();
            return store.snapshot().volume(key).filter(Volume::inUse).isEmpty()
                    ? CompletableFuture.completedFuture(null)
                    : store.newerThan(StateScope.volume(key), index).thenCompose(newer -> free(key));
        }

        private <R> CompletableFuture<R> repeated(Supplier<CompletableFuture<R>> operation) {
            return first(operation)
                    .exceptionallyCompose(failure -> first(operation))
                    .exceptionallyCompose(failure -> first(operation));
        }

        private static <R> CompletableFuture<R> first(Supplier<CompletableFuture<R>> operation) {
            try {
                return operation.get();
            } catch (RuntimeException e) {
                return CompletableFuture.failedFuture(e);
            }
        }

        @Override
        public void close() {
            lifecycle.stopLeading();
        }
    }
}
