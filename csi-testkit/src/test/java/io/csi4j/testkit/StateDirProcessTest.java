package io.csi4j.testkit;

import static io.csi4j.testkit.PluginClient.refused;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.proto.csi.v1.ListVolumesRequest;
import io.csi4j.proto.csi.v1.NodeGetInfoRequest;
import io.csi4j.proto.csi.v1.Volume;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Processes with a state directory: killed in the middle of a change, split, and without the right to mount. */
class StateDirProcessTest {
    @TempDir
    Path directory;

    private final List<AutoCloseable> open = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable one : open) {
            one.close();
        }
        Machine.cleanUp(directory);
    }

    private FakePluginProcessBuilder plugin(String name) {
        return FakePluginProcess.builder("unix://" + directory.resolve(name + ".sock"))
                .jvmArguments(ClassArchive.option())
                .stateDir(directory.resolve("state"));
    }

    private FakePluginProcess start(FakePluginProcessBuilder builder) {
        FakePluginProcess process = builder.start();
        open.add(process);
        return process;
    }

    private Walk walk(FakePluginProcess process, String nodeId) {
        PluginClient client = PluginClient.on(process.endpoint());
        open.add(0, client);
        return new Walk(client, nodeId);
    }

    private static void upAndDown(Walk walk, Path directory) throws Exception {
        String staging = Files.createDirectories(directory.resolve("staging")).toString();
        String target = directory.resolve("target").toString();
        Volume volume = walk.create("v");
        Map<String, String> context = walk.attach(volume, false);
        walk.stage(volume, context, staging);
        walk.publish(volume, context, staging, target, false);
        Files.writeString(Path.of(target, "file"), "hello");
        walk.unpublish(volume.getVolumeId(), target);
        walk.unstage(volume.getVolumeId(), staging);
        walk.detach(volume.getVolumeId());
        walk.delete(volume.getVolumeId());
    }

    /** Every checkpoint is tried in one process by another test; here some of them kill a real one. */
    @ParameterizedTest
    @ValueSource(ints = {8, 24})
    void killedPluginResumesChangeAfterRestart(int checkpoint) throws Exception {
        Machine.assumeRoot();
        FakePluginProcess process = plugin("p")
                .jvmArguments("-Dcsi4j.fake.haltAtCheckpoint=" + checkpoint)
                .start();
        try (process;
                PluginClient client = PluginClient.on(process.endpoint())) {
            assertThat(refused(Status.Code.UNAVAILABLE, () -> {
                        try {
                            upAndDown(new Walk(client, "node-1"), directory);
                        } catch (StatusRuntimeException e) {
                            throw e;
                        } catch (Exception e) {
                            throw new AssertionError(e);
                        }
                    }))
                    .isNotEmpty();
            // Fails if the process has not ended after 30 s.
            ProcessHandle.of(process.pid())
                    .ifPresent(handle ->
                            handle.onExit().orTimeout(30, TimeUnit.SECONDS).join());
        }
        FakePluginProcess again = start(plugin("p"));
        Walk walk = walk(again, "node-1");
        upAndDown(walk, directory);
        assertThat(walk.client
                        .controller()
                        .listVolumes(ListVolumesRequest.getDefaultInstance())
                        .getEntriesList())
                .isEmpty();
        assertThat(Machine.mountsBelow(directory)).isZero();
        try (var left = Files.list(directory.resolve("state/data/volumes"))) {
            assertThat(left).isEmpty();
        }
    }

    @Test
    void controllerAndNodeProcessesShareStateDirectory() throws Exception {
        Machine.assumeRoot();
        Walk controller = walk(start(plugin("c").controllerOnly()), "node-b");
        Walk a = walk(start(plugin("a").nodeOnly().nodeId("node-a")), "node-a");
        Walk b = walk(start(plugin("b").nodeOnly().nodeId("node-b")), "node-b");
        refused(
                Status.Code.UNIMPLEMENTED,
                () -> controller.client.node().nodeGetInfo(NodeGetInfoRequest.getDefaultInstance()));
        refused(Status.Code.UNIMPLEMENTED, () -> a.create("v"));
        Volume volume = controller.create("v");
        Map<String, String> context = controller.attach(volume, false);
        String staging = Files.createDirectory(directory.resolve("staging")).toString();
        String target = directory.resolve("target").toString();
        assertThat(refused(Status.Code.FAILED_PRECONDITION, () -> a.stage(volume, context, staging)))
                .contains("node-a");
        b.stage(volume, context, staging);
        b.publish(volume, context, staging, target, false);
        Files.writeString(Path.of(target, "file"), "hello");
        assertThat(refused(Status.Code.FAILED_PRECONDITION, () -> controller.detach(volume.getVolumeId())))
                .contains(target);
        b.unpublish(volume.getVolumeId(), target);
        b.unstage(volume.getVolumeId(), staging);
        controller.detach(volume.getVolumeId());
        controller.delete(volume.getVolumeId());
    }

    @Test
    void missingMountPermissionIsReportedWithRemedy() throws Exception {
        Machine.assumeRoot();
        String endpoint = "unix://" + directory.resolve("p.sock");
        Process process = new ProcessBuilder(
                        "setpriv",
                        "--bounding-set=-sys_admin",
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        "io.csi4j.testkit.cli.FakePluginMain",
                        "--endpoint=" + endpoint,
                        "--state-dir=" + directory.resolve("state"),
                        "--exit-on-stdin-eof")
                .redirectErrorStream(true)
                .start();
        try (var output = process.inputReader();
                PluginClient client = PluginClient.on(endpoint)) {
            // Before it, newer JVMs may warn of libraries on the class path.
            String listening = output.readLine();
            while (listening != null && !listening.startsWith("listening")) {
                listening = output.readLine();
            }
            assertThat(listening).isEqualTo("listening on " + endpoint);
            Walk walk = new Walk(client, "node-1");
            Volume volume = walk.create("v");
            Map<String, String> context = walk.attach(volume, false);
            String staging = Files.createDirectory(directory.resolve("staging")).toString();
            assertThat(refused(Status.Code.PERMISSION_DENIED, () -> walk.stage(volume, context, staging)))
                    .contains("run it as root")
                    .contains("CAP_SYS_ADMIN");
            // Nothing is left of the attempt, so the way back is free.
            walk.detach(volume.getVolumeId());
            walk.delete(volume.getVolumeId());
        } finally {
            process.getOutputStream().close();
            assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(process.exitValue()).isZero();
    }
}
