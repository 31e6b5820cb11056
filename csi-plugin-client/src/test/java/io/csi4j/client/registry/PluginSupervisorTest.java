package io.csi4j.client.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.csi4j.client.registry.PluginTaskEvent.Kind;
import io.csi4j.client.registry.instance.MountRoot;
import io.csi4j.client.registry.instance.PluginRole;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.rpc.ProbeResponse;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Supervised tasks with real directories, virtual time and scripted plugins. */
class PluginSupervisorTest {
    private static final InstanceKey KEY = RegistryWorld.key("p", PluginType.MONOLITH, "a");
    private static final PluginTask TASK = PluginTask.isolated(KEY);

    @TempDir
    Path directory;

    private final RegistryWorld world = new RegistryWorld(5);
    private final List<PluginTaskEvent> events = new ArrayList<>();
    private PluginPaths paths;
    private PluginSupervisor supervisor;

    @BeforeEach
    void open() {
        paths = PluginPaths.under(directory.resolve("csi"));
        supervisor = supervisor(RestartPolicy.ofDefaults());
    }

    private PluginSupervisor supervisor(RestartPolicy policy) {
        return PluginSupervisor.over(world.registry, paths, policy, events::add);
    }

    @AfterEach
    void close() {
        supervisor.close();
        world.close();
    }

    private ScriptedPlugin plugin() {
        return world.at(paths.socket(KEY));
    }

    private List<Kind> kinds() {
        return events.stream().map(PluginTaskEvent::kind).toList();
    }

    private void seconds(long seconds) {
        world.time.advance(Duration.ofSeconds(seconds));
    }

    private void started(PluginTask task) {
        var unused = supervisor.taskStarted(task);
        world.time.run();
    }

    /** Starts the task and its plugin. */
    private void run() {
        supervisor.prepare(TASK);
        started(TASK);
        plugin().listen();
        seconds(1);
    }

    @Test
    void socketDirectoryOfAnotherUserIsRefused() throws IOException {
        assumeTrue("root".equals(System.getProperty("user.name")), "needs root");
        supervisor.prepare(TASK);
        Files.setAttribute(paths.socketDirectory(KEY), "unix:uid", 65_534);
        assertThatThrownBy(() -> supervisor.prepare(TASK))
                .isInstanceOf(PluginStoreException.class)
                .hasMessageContaining(paths.socketDirectory(KEY) + " belongs to the user")
                .hasMessageContaining("chown");
    }

    @Test
    void linkInPlaceOfSocketDirectoryIsRefused() throws IOException {
        Path elsewhere = Files.createDirectories(paths.socketDirectories().resolve("elsewhere"));
        Files.setPosixFilePermissions(elsewhere, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.createSymbolicLink(paths.socketDirectory(KEY), elsewhere);
        assertThatThrownBy(() -> supervisor.prepare(TASK))
                .isInstanceOf(PluginStoreException.class)
                .hasMessageContaining(paths.socketDirectory(KEY) + " is a symbolic link");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(elsewhere)))
                .isEqualTo("rwxr-xr-x");
    }

    @Test
    void pluginTaskGetsMountsOfSocketDirectoryMountRootAndDevices() throws IOException {
        TaskSetup setup = supervisor.prepare(TASK);

        assertThat(setup.environment()).containsOnly(Map.entry("CSI_ENDPOINT", "unix:///csi/csi.sock"));
        assertThat(setup.mounts())
                .containsExactly(
                        new TaskMount(paths.socketDirectory(KEY), Path.of("/csi"), true),
                        new TaskMount(paths.mountRoot(PluginId.of("p")), Path.of("/local/csi"), true),
                        new TaskMount(Path.of("/dev"), Path.of("/dev"), false));
        assertThat(setup.registration().socket())
                .isEqualTo(paths.socketDirectory(KEY).resolve("csi.sock"));
        assertThat(setup.registration().mountRoot())
                .contains(new MountRoot(paths.mountRoot(PluginId.of("p")), Path.of("/local/csi")));
        for (Path made : List.of(paths.socketDirectory(KEY), paths.mountRoot(PluginId.of("p")))) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(made)))
                    .isEqualTo("rwx------");
        }
        assertThat(supervisor.prepare(TASK)).isEqualTo(setup);
    }

    @Test
    void onlyNodePluginsNeedMountPrivilege() {
        for (PluginType type : PluginType.values()) {
            InstanceKey key = RegistryWorld.key("p", type, "a");
            Set<String> needed = type == PluginType.CONTROLLER ? Set.of() : Set.of("CAP_SYS_ADMIN");
            for (PluginTask task : List.of(PluginTask.isolated(key), PluginTask.onHost(key))) {
                assertThat(supervisor.prepare(task).linuxCapabilities())
                        .as("%s", task)
                        .isEqualTo(needed);
            }
        }
    }

    @Test
    void taskThatSharesHostFileSystemGetsHostPaths() {
        TaskSetup setup = supervisor.prepare(PluginTask.onHost(KEY));
        assertThat(setup.environment()).containsEntry("CSI_ENDPOINT", "unix://" + paths.socket(KEY));
        assertThat(setup.mounts()).isEmpty();
    }

    @Test
    void instancesOfSamePluginHaveSeparateSocketsAndShareMountRoot() {
        InstanceKey node = RegistryWorld.key("p", PluginType.NODE, "a");
        InstanceKey other = RegistryWorld.key("p", PluginType.MONOLITH, "b");
        assertThat(List.of(paths.socket(KEY), paths.socket(node), paths.socket(other)))
                .doesNotHaveDuplicates();
        assertThat(supervisor.prepare(PluginTask.isolated(other)).registration().mountRoot())
                .isEqualTo(supervisor.prepare(TASK).registration().mountRoot());
    }

    @Test
    void anyPluginIdIsEncodedAsOneDirectoryName() {
        Path mounts = paths.mountRoot(PluginId.of("p")).getParent();
        List<String> ids = List.of(
                "..",
                ".",
                "a/b",
                "a%2Fb",
                "/etc",
                "A b",
                "é",
                "x".repeat(128),
                "/".repeat(128),
                "/".repeat(127) + "a",
                "p");
        List<Path> roots =
                ids.stream().map(id -> paths.mountRoot(PluginId.of(id))).toList();
        assertThat(roots)
                .doesNotHaveDuplicates()
                .allMatch(root -> root.normalize().getParent().equals(mounts));
        assertThat(roots).allMatch(root -> root.getFileName().toString().length() <= 255);
    }

    @Test
    void taskPathsInsideEachOtherAreRejected() {
        List.of(
                        List.of("/csi", "/csi/local"),
                        List.of("/local/csi", "/local"),
                        List.of("/csi", "/csi"),
                        List.of("/csi", "/x/../csi/y"))
                .forEach(pair -> assertThatThrownBy(
                                () -> new PluginTask(KEY, Path.of(pair.get(0)), Path.of(pair.get(1)), false))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("one inside the other"));
        assertThat(new PluginTask(KEY, Path.of("/csi"), Path.of("/csilocal"), false))
                .isNotNull();
        assertThatThrownBy(() -> new PluginTask(KEY, Path.of("csi"), Path.of("/local"), false))
                .hasMessageContaining("absolute");
    }

    @Test
    void tooLongSocketPathIsRejectedBeforeItsDirectoryIsCreated() {
        assertThat(PluginPaths.under(Path.of("/" + "x".repeat(72)))).isNotNull();
        assertThatThrownBy(() -> PluginPaths.under(Path.of("/" + "x".repeat(73))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("108 bytes")
                .hasMessageContaining("107");
        PluginTask deep = new PluginTask(KEY, Path.of("/" + "y".repeat(99)), Path.of("/local"), false);
        assertThatThrownBy(() -> supervisor.prepare(deep)).hasMessageContaining("109 bytes");
        assertThat(paths.socketDirectory(KEY)).doesNotExist();
    }

    @Test
    void healthEventsAreSentOnlyWhenHealthChanges() {
        run();
        assertThat(kinds()).containsExactly(Kind.HEALTHY);
        seconds(600);
        assertThat(events).hasSize(1);
        plugin().fail(Rpc.PROBE, StatusCode.FAILED_PRECONDITION);
        seconds(600);
        assertThat(kinds()).containsExactly(Kind.HEALTHY, Kind.UNHEALTHY);
        assertThat(events.get(1).description()).contains("FAILED_PRECONDITION");
        plugin().recover();
        seconds(10);
        assertThat(kinds()).containsExactly(Kind.HEALTHY, Kind.UNHEALTHY, Kind.HEALTHY);
    }

    @Test
    void restartIsAdvisedOncePerStartIfPluginNeverListens() {
        supervisor.prepare(TASK);
        started(TASK);
        seconds(59);
        assertThat(events).isEmpty();
        seconds(2);
        assertThat(kinds()).containsExactly(Kind.RESTART_ADVISED);
        assertThat(events.get(0).description()).contains("did not become ready in time");
        seconds(600);
        assertThat(events).hasSize(1);

        started(TASK);
        seconds(59);
        assertThat(events).hasSize(1);
        seconds(2);
        assertThat(kinds()).containsExactly(Kind.RESTART_ADVISED, Kind.RESTART_ADVISED);
    }

    @Test
    void policyDecidesWhetherRestartIsAdvisedForPluginThatWasReady() {
        run();
        plugin().kill();
        seconds(300);
        assertThat(kinds()).containsExactly(Kind.HEALTHY, Kind.UNHEALTHY);

        supervisor.close();
        supervisor = supervisor(new RestartPolicy(false, true));
        plugin().listen();
        started(TASK);
        seconds(5);
        events.clear();
        plugin().kill();
        seconds(300);
        assertThat(kinds()).containsExactly(Kind.UNHEALTHY, Kind.RESTART_ADVISED);
    }

    @Test
    void noRestartIsAdvisedDuringStartUpTime() {
        run();
        plugin().fail(Rpc.PROBE, StatusCode.FAILED_PRECONDITION);
        seconds(300);
        plugin().recover();
        plugin().ready = false;
        seconds(50);
        assertThat(kinds()).containsExactly(Kind.HEALTHY, Kind.UNHEALTHY);
        seconds(20);
        assertThat(kinds()).containsExactly(Kind.HEALTHY, Kind.UNHEALTHY, Kind.RESTART_ADVISED);
    }

    @Test
    void restartIsAdvisedIfRestartedTaskNeverListens() {
        run();
        plugin().remove();
        supervisor.prepare(TASK);
        started(TASK);
        seconds(62);
        assertThat(kinds()).containsExactly(Kind.HEALTHY, Kind.UNHEALTHY, Kind.RESTART_ADVISED);
    }

    @Test
    void outdatedSnapshotThatArrivesLateIsIgnored() {
        var known = world.registry.register(supervisor.prepare(TASK).registration());
        plugin().hangs = true;
        plugin().listen();
        seconds(1);
        // A snapshot in which the instance is not ready is being delivered to the supervisor.
        var other = world.registry.register(
                RegistryWorld.registration(RegistryWorld.key("q", PluginType.NODE, "other"), 0));
        plugin().hangs = false;
        plugin().open.get(0).complete(new ProbeResponse(true));
        // The supervisor reads the newer snapshot itself, because the task was started.
        started(TASK);
        assertThat(kinds()).containsExactly(Kind.HEALTHY);
        assertThat(List.of(known, other)).allMatch(CompletableFuture::isDone);
    }

    @Test
    void noRestartIsAdvisedIfSlowPluginStartsWithinLimit() {
        supervisor.prepare(TASK);
        started(TASK);
        plugin().ready = false;
        plugin().listen();
        seconds(50);
        plugin().ready = true;
        seconds(6);
        assertThat(kinds()).containsExactly(Kind.HEALTHY);
    }

    @Test
    void restartedTaskStillCountsAsOneInstance() {
        run();
        for (int i = 0; i < 3; i++) {
            plugin().remove();
            seconds(5);
            run();
        }
        assertThat(world.registry.snapshot().instances()).hasSize(1);
        assertThat(kinds())
                .containsExactly(
                        Kind.HEALTHY,
                        Kind.UNHEALTHY,
                        Kind.HEALTHY,
                        Kind.UNHEALTHY,
                        Kind.HEALTHY,
                        Kind.UNHEALTHY,
                        Kind.HEALTHY);
        int before = plugin().probes.size();
        seconds(150);
        assertThat(plugin().probes.size() - before).isBetween(9, 12);

        List<PluginChange> changes = new ArrayList<>();
        var subscription = world.registry.subscribe((snapshot, news) -> changes.addAll(news));
        world.time.run();
        changes.clear();
        CompletableFuture<Boolean> stopped = supervisor.taskStopped(KEY);
        world.time.run();
        assertThat(stopped).isCompletedWithValue(true);
        CompletableFuture<Boolean> again = supervisor.taskStopped(KEY);
        world.time.run();
        assertThat(again).isCompletedWithValue(false);
        seconds(60);
        assertThat(changes).extracting(PluginChange::kind).containsExactly(PluginChange.Kind.DEREGISTERED);
        subscription.cancel();
    }

    @Test
    void taskThatEndsBeforeListeningIsRemoved() {
        InstanceKey other = RegistryWorld.key("p", PluginType.MONOLITH, "b");
        run();
        supervisor.prepare(PluginTask.isolated(other));
        started(PluginTask.isolated(other));
        var stopped = supervisor.taskStopped(other);
        world.time.run();
        assertThat(stopped).isCompletedWithValue(true);
        assertThat(world.registry
                        .snapshot()
                        .leader(PluginRole.NODE, PluginId.of("p"))
                        .map(each -> each.registration().key()))
                .contains(KEY);
        assertThat(world.registry.snapshot().instances(PluginRole.NODE, PluginId.of("p")))
                .extracting(each -> each.registration().key())
                .containsExactly(KEY);
        assertThat(kinds()).containsExactly(Kind.HEALTHY);
    }

    @Test
    void supervisionResumesAfterHostRestart() {
        run();
        supervisor.close();
        world.restartHost();
        supervisor = supervisor(RestartPolicy.ofDefaults());
        events.clear();
        started(TASK);
        seconds(2);
        assertThat(kinds()).containsExactly(Kind.HEALTHY);
        assertThat(world.registry.snapshot().instances()).hasSize(1);
    }

    @Test
    void stoppingTaskDeletesItsSocketDirectoryAndKeepsItsMounts() throws IOException {
        supervisor.prepare(TASK);
        bind();
        Path mounted = Files.createDirectories(paths.mountRoot(PluginId.of("p")).resolve("staging"));
        started(TASK);
        var stopped = supervisor.taskStopped(KEY);
        world.time.run();
        assertThat(stopped).isCompletedWithValue(true);
        assertThat(paths.socketDirectory(KEY)).doesNotExist();
        assertThat(paths.record(KEY)).doesNotExist();
        assertThat(mounted).exists();
    }

    private void bind() throws IOException {
        ServerSocketChannel.open(StandardProtocolFamily.UNIX)
                .bind(UnixDomainSocketAddress.of(paths.socket(KEY)))
                .close();
    }

    @Test
    void foreignFilesAreNeverDeleted() throws IOException {
        supervisor.prepare(TASK);
        Path data = Files.createDirectories(paths.socketDirectory(KEY).resolve("volume"))
                .resolve("data");
        Files.writeString(data, "precious");
        Files.writeString(paths.socket(KEY), "not a socket");
        started(TASK);
        var stopped = supervisor.taskStopped(KEY);
        world.time.run();
        assertThat(stopped).isCompletedWithValue(true);
        assertThat(data).hasContent("precious");
        assertThat(paths.socket(KEY)).hasContent("not a socket");
    }

    @Test
    void deadSocketIsRemovedAndSocketInUseIsKeptWhenTaskIsPrepared() throws IOException {
        supervisor.prepare(TASK);
        bind();
        assertThat(paths.socket(KEY)).exists();
        supervisor.prepare(TASK);
        assertThat(paths.socket(KEY)).doesNotExist();

        try (ServerSocketChannel listening = ServerSocketChannel.open(StandardProtocolFamily.UNIX)
                .bind(UnixDomainSocketAddress.of(paths.socket(KEY)))) {
            supervisor.prepare(TASK);
            assertThat(listening.isOpen()).isTrue();
            assertThat(paths.socket(KEY)).exists();
        }
    }

    @Test
    void directoriesWithMountsAreNotDeleted() throws Exception {
        supervisor.prepare(TASK);
        Path elsewhere = Files.createDirectory(directory.resolve("elsewhere"));
        assumeTrue(
                command(
                        "mount",
                        "--bind",
                        elsewhere.toString(),
                        paths.socketDirectory(KEY).toString()),
                "needs the right to mount");
        try {
            bind(); // a socket in the mounted directory
            Path mounted = elsewhere.resolve("csi.sock");
            assertThat(mounted).exists();
            started(TASK);
            var stopped = supervisor.taskStopped(KEY);
            world.time.run();
            assertThat(stopped).isCompletedWithValue(true);
            assertThat(mounted).exists();
        } finally {
            assertThat(command("umount", paths.socketDirectory(KEY).toString())).isTrue();
        }
    }

    private static boolean command(String... command) throws Exception {
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        return process.waitFor(20, TimeUnit.SECONDS) && process.exitValue() == 0;
    }
}
