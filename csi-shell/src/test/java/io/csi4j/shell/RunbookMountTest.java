package io.csi4j.shell;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.csi4j.admin.AdminServer;
import io.csi4j.agent.LocalNode;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.LifecycleOptions;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.node.MountTable;
import io.csi4j.node.NodeVolumes;
import io.csi4j.state.LocalCommandLog;
import io.csi4j.state.StateStore;
import io.csi4j.testkit.FakePluginProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Broken mounts of the kernel on a node, found and cured with the commands that the runbook names. Needs root and FUSE. */
class RunbookMountTest {
    private static final String SECTION = "A mount is broken";
    private static final String RUNBOOK = DocumentedCommands.page("guide/runbook.md");
    private static final VolumeKey DB = VolumeKey.of("default", "db");
    private static final RequestedCapability WRITER = RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER);
    private static final String FUSE =
            "exec 3<>/dev/fuse; mount -i -t fuse -o fd=3,rootmode=40000,user_id=0,group_id=0 x \"$1\" && echo mounted";

    private final Map<String, String> values =
            new HashMap<>(Map.of("NAMESPACE", "default", "VOLUME", "db", "NODE", "n1"));
    private final StateStore store = StateStore.inMemory();
    private Path directory;
    private LocalNode node;
    private FakePluginProcess plugin;
    private AdminServer admin;

    @BeforeEach
    void start() throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")), "needs root");
        assumeTrue(Files.exists(Path.of("/dev/fuse")), "needs FUSE");
        directory = Files.createTempDirectory("csi").toRealPath();
        Path probe = Files.createDirectory(directory.resolve("probe"));
        assumeTrue(mountWithoutProcess(probe), "needs FUSE");
        umount(probe);
        node = LocalNode.builder(new LocalCommandLog(store), NodeId.of("n1"), directory.resolve("node"))
                .lifecycle(engine -> engine.options(LifecycleOptions.builder()
                        .nodeReportInterval(Duration.ofSeconds(1))
                        .build()))
                .start();
        PluginId id = PluginId.of("hostpath");
        plugin = FakePluginProcess.builder(node.preparePlugin(id).endpoint())
                .stateDir(directory.resolve("storage"))
                .start();
        done(node.pluginStarted(id));
        done(node.lifecycle()
                .volumes()
                .create(
                        DB,
                        VolumeSpec.builder(id)
                                .requestedCapabilities(List.of(WRITER))
                                .build()));
        admin = AdminServer.builder(node.lifecycle()).start();
    }

    @AfterEach
    void close() throws Exception {
        if (admin != null) {
            admin.close();
            node.close();
            done(node.closed());
            plugin.close();
        }
        store.close();
        if (directory != null) {
            for (Path left : MountTable.ofLinux().read().within(directory)) {
                umount(left);
            }
            try (Stream<Path> all = Files.walk(directory)) {
                for (Path file : all.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
    }

    private static <T> T done(CompletableFuture<T> future) throws Exception {
        return future.get(60, TimeUnit.SECONDS);
    }

    /** Mounts a FUSE file system whose process ends at once; returns false if the machine has no FUSE. */
    private static boolean mountWithoutProcess(Path target) throws Exception {
        Process process = new ProcessBuilder("bash", "-c", FUSE, "bash", target.toString()).start();
        try (BufferedReader output =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            return "mounted".equals(output.readLine()) && process.waitFor(60, TimeUnit.SECONDS);
        }
    }

    private static void umount(Path path) throws Exception {
        Process process = new ProcessBuilder("umount", "-l", path.toString()).start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    }

    private Path startAllocation(String allocation) throws Exception {
        AllocationId id = AllocationId.of(allocation);
        done(node.lifecycle().cluster().allocationStarted(id, DB.namespace(), node.nodeId()));
        return done(node.prepare(id, List.of(ClaimRequest.writing(DB, WRITER))))
                .get(0)
                .targetPath();
    }

    private String run(String command) {
        assertThat(DocumentedCommands.in(DocumentedCommands.section(RUNBOOK, SECTION)))
                .contains(command);
        Shell shell = new Shell();
        shell.environment.put("CSI_ADDRESS", admin.uri().toString());
        assertThat(shell.run(DocumentedCommands.arguments(command, values)))
                .as("%s: %s", command, shell.errors())
                .isZero();
        return shell.output();
    }

    /** Makes the check that a node makes every minute. */
    private void check() throws Exception {
        done(((NodeVolumes) node.volumes()).check());
    }

    /** Runs a command until its output has a text, or has it no more. */
    private void awaitOutput(String command, String text, boolean there) throws Exception {
        long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        String output = run(command);
        while (output.contains(text) != there) {
            assertThat(System.nanoTime()).as("%s: %s", command, output).isLessThan(end);
            check();
            output = run(command);
        }
    }

    private static String errorAt(Path path) {
        try (Stream<Path> files = Files.list(path)) {
            return "none, with " + files.count() + " files";
        } catch (FileSystemException e) {
            return String.valueOf(e.getReason());
        } catch (IOException e) {
            return e.toString();
        }
    }

    @Test
    void mountWhoseProcessDiedIsFoundAndMountedForTheNextAllocation() throws Exception {
        Path target = startAllocation("web-1");
        Files.writeString(target.resolve("file"), "kept");
        awaitOutput("csi node status NODE", "BROKEN", true);
        assertThat(run("csi node status NODE")).doesNotContain("web-1");
        umount(target);
        assertThat(mountWithoutProcess(target)).isTrue();
        assertThat(errorAt(target)).contains("endpoint is not connected");
        awaitOutput("csi node status NODE", "the mount of allocation web-1", true);
        awaitOutput("csi server health", "node_mount_broken", true);
        assertThat(run("csi server health")).contains("volume default/db of allocation web-1 on node n1");
        done(node.lifecycle().cluster().allocationEnded(AllocationId.of("web-1")));
        awaitOutput("csi volume status NAMESPACE VOLUME", "web-1", false);
        assertThat(startAllocation("web-2").resolve("file")).hasContent("kept");
        awaitOutput("csi node status NODE", "the mount of allocation", false);
        awaitOutput("csi server health", "node_mount_broken", false);
    }

    @Test
    void mountThatIsGoneIsMountedAgainByTheNextCheck() throws Exception {
        Path target = startAllocation("web-1");
        Files.writeString(target.resolve("file"), "kept");
        umount(target);
        assertThat(target.resolve("file")).doesNotExist();
        long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (!Files.exists(target.resolve("file"))) {
            assertThat(System.nanoTime()).isLessThan(end);
            check();
        }
        awaitOutput("csi node status NODE", "the mount of allocation", false);
    }
}
