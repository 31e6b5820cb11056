package io.csi4j.client.registry;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.CsiClient;
import io.csi4j.client.registry.instance.ConnectionOptions;
import io.csi4j.client.registry.instance.InstanceFacts;
import io.csi4j.client.registry.instance.PluginRegistration;
import io.csi4j.client.registry.instance.PluginRole;
import io.csi4j.client.registry.instance.PluginState;
import io.csi4j.client.registry.instance.StoredPlugin;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.NodeFingerprint;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.spi.Environment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The registry with real sockets, real processes, real files and real threads. */
@Tag("versions")
class RealPluginsTest {
    private static final InstanceKey KEY = RegistryWorld.key("wire", PluginType.MONOLITH, "a");
    private static final PluginId WIRE = PluginId.of("wire");
    /** Healthy plugins are not probed again during a test, so a change has to be noticed in another way. */
    private static final ConnectionOptions NO_PROBES =
            ConnectionOptions.builder().probeInterval(Duration.ofHours(1)).build();

    @TempDir
    Path directory;

    private final List<AutoCloseable> closing = new ArrayList<>();

    private PluginRegistry open() {
        PluginRegistry registry = PluginRegistry.builder(RegistryWorld.NODE)
                .store(FilePluginStateStore.at(directory.resolve("plugins")))
                .options(NO_PROBES)
                .open();
        closing.add(0, registry);
        return registry;
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : closing) {
            each.close();
        }
    }

    private Path socket() {
        return directory.resolve("x.sock");
    }

    private RegisteredPlugin ready(PluginRegistry registry) {
        return Wait.get(registry.waitForHealthy(PluginRole.NODE, WIRE, Wait.PATIENCE));
    }

    private static String version(RegistrySnapshot snapshot) {
        return snapshot.instance(KEY)
                .filter(each -> each.snapshot().ready())
                .flatMap(each -> each.snapshot().facts())
                .map(InstanceFacts::vendorVersion)
                .orElse("");
    }

    /** Starts a process at another path, calls it until its responses are fast, and then moves its socket to the path. */
    private WireProcess takeOver(String version) throws IOException {
        Path elsewhere = directory.resolve(version + ".sock");
        WireProcess process = WireProcess.start(elsewhere, version);
        closing.add(process);
        try (CsiClient warming = CsiClient.connect(elsewhere.toString())) {
            for (int i = 0; i < 3; i++) {
                Wait.get(warming.identity().getPluginInfo());
            }
        }
        Files.move(elsewhere, socket(), StandardCopyOption.ATOMIC_MOVE);
        return process;
    }

    @Test
    void killedProcessIsDetectedAndNextProcessIsConnected() throws Exception {
        PluginRegistry registry = open();
        assertThat(Wait.get(registry.register(PluginRegistration.of(KEY, socket()))))
                .isEqualTo(Registered.ADDED);
        WireProcess first = takeOver("1");
        PluginConnection connection = ready(registry).connection();
        assertThat(version(registry.snapshot())).isEqualTo("1");

        first.kill();
        assertThat(socket()).exists();
        // The failed call detects the end of the process, because the next probe would be an hour later.
        assertThat(Wait.failure(connection.node().nodeGetInfo())).hasMessageContaining("UNAVAILABLE");
        RegistrySnapshot dead = Wait.until(
                registry,
                snapshot -> snapshot.instance(KEY).orElseThrow().snapshot().state() == PluginState.DEGRADED);
        assertThat(dead.leader(PluginRole.NODE, WIRE)).isEmpty();
        assertThat(dead.instance(KEY).orElseThrow().snapshot().facts()).isPresent();

        takeOver("2");
        RegistrySnapshot back =
                Wait.until(registry, snapshot -> version(snapshot).equals("2"));
        RegisteredPlugin plugin = back.leader(PluginRole.NODE, WIRE).orElseThrow();
        assertThat(plugin.connection()).isSameAs(connection);
        assertThat(plugin.snapshot()
                        .facts()
                        .orElseThrow()
                        .nodeInfo()
                        .orElseThrow()
                        .externalNodeId()
                        .value())
                .isEqualTo("n-2");
        assertThat(Wait.get(connection.client().identity().getPluginInfo()).vendorVersion())
                .isEqualTo("2");
    }

    @Test
    void replacedSocketIsDetectedWhileOldProcessRuns() throws Exception {
        PluginRegistry registry = open();
        Wait.get(registry.register(PluginRegistration.of(KEY, socket())));
        try (WirePlugin old = WirePlugin.start(socket(), "1")) {
            ready(registry);
            Path other = directory.resolve("new.sock");
            try (WirePlugin young = WirePlugin.start(other, "2")) {
                Files.move(other, socket(), StandardCopyOption.ATOMIC_MOVE);
                Wait.until(registry, snapshot -> version(snapshot).equals("2"));
                assertThat(old).isNotSameAs(young);
            }
        }
    }

    @Test
    void storedInstancesAreConnectedAfterHostRestart() throws Exception {
        PluginRegistry before = open();
        InstanceKey silent = RegistryWorld.key("wire", PluginType.NODE, "silent");
        Wait.get(before.register(PluginRegistration.of(KEY, socket())));
        Wait.get(before.register(PluginRegistration.of(silent, directory.resolve("silent.sock"))));
        try (WirePlugin plugin = WirePlugin.start(socket(), "1")) {
            ready(before);
            before.close();
            PluginRegistry after = open();
            assertThat(after.snapshot().instances())
                    .extracting(each -> each.registration().key())
                    .containsExactly(silent, KEY);
            assertThat(ready(after).registration().key()).isEqualTo(KEY);
            assertThat(plugin).isNotNull();
        }
    }

    @Test
    void blockedSubscriberGetsLatestSnapshotAndDelaysNoOtherSubscriber() throws Exception {
        PluginRegistry registry = open();
        CountDownLatch stuck = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        InstanceKey end = RegistryWorld.key("end", PluginType.NODE, "z");
        List<RegistrySnapshot> late = new CopyOnWriteArrayList<>();
        List<PluginChange> lateChanges = new CopyOnWriteArrayList<>();
        CompletableFuture<Void> caughtUp = new CompletableFuture<>();
        var subscription = registry.subscribe((snapshot, changes) -> {
            late.add(snapshot);
            lateChanges.addAll(changes);
            stuck.countDown();
            await(release);
            if (snapshot.instance(end).isPresent()) {
                caughtUp.complete(null);
            }
        });
        assertThat(stuck.await(60, TimeUnit.SECONDS)).isTrue();

        for (int i = 0; i < 50; i++) {
            InstanceKey key = RegistryWorld.key("p" + i % 5, PluginType.NODE, "a" + i);
            Wait.get(registry.register(PluginRegistration.of(key, directory.resolve("s" + i))));
            if (i % 2 == 1) {
                assertThat(Wait.get(registry.deregister(key))).isTrue();
            }
        }
        Wait.get(registry.register(PluginRegistration.of(end, directory.resolve("end"))));
        // Another subscriber gets all changes while the first one is blocked.
        Wait.until(registry, snapshot -> snapshot.instance(end).isPresent());
        assertThat(late).hasSize(1);

        release.countDown();
        Wait.get(caughtUp);
        assertThat(late).hasSize(2);
        assertThat(late.get(1).instances()).hasSize(26);
        Set<InstanceKey> reported = lateChanges.stream()
                .filter(each -> each.kind() == PluginChange.Kind.REGISTERED)
                .map(each -> each.plugin().registration().key())
                .collect(Collectors.toSet());
        // The blocked subscriber did not get changes that were undone in the meantime.
        assertThat(reported).hasSize(26);
        subscription.cancel();
    }

    private static void await(CountDownLatch latch) {
        try {
            if (!latch.await(60, TimeUnit.SECONDS)) {
                throw new AssertionError("the latch is not released in time");
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void waitWithZeroTimeoutReturnsReadyInstance() throws Exception {
        PluginRegistry registry = open();
        Wait.get(registry.register(PluginRegistration.of(KEY, socket())));
        try (WirePlugin plugin = WirePlugin.start(socket(), "1")) {
            ready(registry);
            for (int i = 0; i < 200; i++) {
                assertThat(Wait.get(registry.waitForHealthy(PluginRole.NODE, WIRE, Duration.ZERO)))
                        .isNotNull();
            }
            assertThat(plugin).isNotNull();
        }
    }

    @Test
    void closedRegistryLeavesNoThreadsAndRejectsCalls() throws Exception {
        Set<Thread> before = environmentThreads();
        PluginRegistry registry = open();
        Wait.get(registry.register(PluginRegistration.of(KEY, socket())));
        Set<Thread> own = environmentThreads();
        own.removeAll(before);
        assertThat(own).isNotEmpty();
        registry.close();
        registry.close();
        for (Thread each : own) {
            each.join(Wait.PATIENCE.toMillis());
            assertThat(each.isAlive()).as(each.getName()).isFalse();
        }
        assertThat(Wait.failure(registry.waitForHealthy(PluginRole.NODE, WIRE, Duration.ofHours(1))))
                .isInstanceOf(PluginNotReadyException.class)
                .hasMessageContaining("was closed");
    }

    private static Set<Thread> environmentThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(each -> each.getName().startsWith("csi4j-worker-")
                        || each.getName().startsWith("csi4j-timer-"))
                .collect(Collectors.toSet());
    }

    @Test
    void closingRegistryLeavesHostEnvironmentOpen() {
        try (Environment host = Environment.system()) {
            PluginRegistry registry = PluginRegistry.builder(RegistryWorld.NODE)
                    .store(PluginStateStore.none())
                    .environment(host)
                    .open();
            Wait.get(registry.register(PluginRegistration.of(KEY, socket())));
            registry.close();
            CountDownLatch ran = new CountDownLatch(1);
            var unused =
                    host.timer().schedule(Duration.ZERO, () -> host.executor().execute(ran::countDown));
            await(ran);
        }
    }

    @Test
    void listenerCanRegisterPluginAndWaitUntilItIsStored() {
        PluginRegistry registry = open();
        AtomicReference<Object> done = new AtomicReference<>();
        var subscription = registry.subscribe((snapshot, changes) -> {
            if (snapshot.instances().isEmpty()) {
                done.set(Wait.get(registry.register(PluginRegistration.of(KEY, socket()))));
            }
        });
        Wait.until(registry, snapshot -> !snapshot.instances().isEmpty());
        Wait.get(registry.register(PluginRegistration.of(KEY, socket())));
        assertThat(registry.snapshot().instances()).hasSize(1);
        subscription.cancel();
    }

    @Test
    void concurrentChangesAreStoredCompletely() throws Exception {
        PluginRegistry registry = open();
        ConcurrentLinkedQueue<CompletableFuture<?>> pending = new ConcurrentLinkedQueue<>();
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            List<Future<?>> running = new ArrayList<>();
            for (int t = 0; t < 8; t++) {
                SplittableRandom random = new SplittableRandom(t);
                int thread = t;
                running.add(threads.submit(() -> {
                    for (int i = 0; i < 40; i++) {
                        InstanceKey key = RegistryWorld.key("p", PluginType.NODE, thread + "-" + random.nextInt(4));
                        pending.add(
                                random.nextInt(3) == 0
                                        ? registry.deregister(key)
                                        : registry.register(PluginRegistration.of(
                                                key,
                                                directory.resolve(
                                                        key.allocationId().orElseThrow() + "-" + random.nextInt(2)))));
                    }
                }));
            }
            for (Future<?> each : running) {
                each.get(60, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdown();
        }
        pending.forEach(Wait::get);
        List<PluginRegistration> registered = registry.snapshot().instances().stream()
                .map(RegisteredPlugin::registration)
                .toList();
        assertThat(registered).doesNotHaveDuplicates().isNotEmpty();
        assertThat(FilePluginStateStore.at(directory.resolve("plugins")).load().plugins())
                .extracting(StoredPlugin::registration)
                .isEqualTo(registered);
    }

    @Test
    void pluginTaskIsReportedToServersFromItsStartUntilItsEnd() throws Exception {
        PluginRegistry registry = open();
        PluginPaths paths = PluginPaths.under(directory.resolve("c"));
        ConcurrentLinkedQueue<PluginTaskEvent> events = new ConcurrentLinkedQueue<>();
        ConcurrentLinkedQueue<NodeFingerprint> reported = new ConcurrentLinkedQueue<>();
        CompletableFuture<NodeFingerprint> healthy = new CompletableFuture<>();
        PluginSupervisor supervisor = PluginSupervisor.over(registry, paths, RestartPolicy.ofDefaults(), events::add);
        closing.add(0, supervisor);
        Fingerprinter fingerprinter = Fingerprinter.start(
                registry,
                command -> {
                    reported.add(command);
                    if (command.instances().stream().anyMatch(PluginInstance::healthy)) {
                        healthy.complete(command);
                    }
                    return CompletableFuture.completedFuture(null);
                },
                Duration.ofMinutes(5));
        closing.add(0, fingerprinter);

        PluginTask task = PluginTask.onHost(KEY);
        TaskSetup setup = supervisor.prepare(task);
        Path socket = Path.of(setup.endpoint().substring("unix://".length()));
        Wait.get(supervisor.taskStarted(task));
        try (WireProcess process = WireProcess.start(socket, "1")) {
            PluginInstance instance = Wait.get(healthy).instances().get(0);
            assertThat(instance.vendorVersion()).contains("1");
            assertThat(process).isNotNull();
        }
        Wait.get(supervisor.taskStopped(KEY));
        assertThat(socket.getParent()).doesNotExist();
        assertThat(registry.snapshot().instances()).isEmpty();
        Wait.get(fingerprinter.reportShutdown("the host is stopping"));
        assertThat(events).extracting(PluginTaskEvent::kind).startsWith(PluginTaskEvent.Kind.HEALTHY);
        NodeFingerprint lastReport = reported.stream().reduce((a, b) -> b).orElseThrow();
        assertThat(lastReport.instances()).isEmpty();
    }
}
