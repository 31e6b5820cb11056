package io.csi4j.examples.lifecycle;

import static io.csi4j.testkit.capability.FakeCapability.*;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.examples.steps.ProcessMounts;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.FakeCsiPluginBuilder;
import io.csi4j.testkit.capability.FakeCapability;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
class LifecycleTest {
    @TempDir
    Path directory;

    private LifecycleTestBed testBed;

    @BeforeEach
    void prepare() throws IOException {
        testBed = new LifecycleTestBed(directory);
    }

    @AfterEach
    void close() {
        if (testBed != null) {
            testBed.close();
        }
    }

    /** A plugin with all capabilities except snapshot metadata, which the fake plugin does not have. */
    private static FakeCsiPluginBuilder all() {
        return FakeCsiPlugin.builder()
                .capabilities(FakeCapability.without(FakeCapability.csi113(), SNAPSHOT_METADATA_SERVICE));
    }

    private static FakeCsiPluginBuilder without(FakeCapability... missing) {
        return all().without(missing);
    }

    private void assertSucceeded(LifecycleRun run) throws IOException {
        assertThat(run.failed()).as(run.out()).isEmpty();
        assertThat(run.err()).isEmpty();
        assertThat(run.out()).contains("0 failed.").contains("Nothing is left behind.");
        assertThat(run.code()).isZero();
        testBed.assertNothingLeft();
    }

    @Test
    void allStepsOfCsi113RunWithFileSystem() throws IOException {
        testBed.plugin(all());

        LifecycleRun run = testBed.run("--size=1Mi", "--mutable-parameters=tier=gold");

        assertSucceeded(run);
        assertThat(run.skipped()).containsExactly("second target", "GetMetadataAllocated");
        assertThat(run.done())
                .containsSubsequence(
                        "Probe",
                        "GetPluginInfo",
                        "GetPluginCapabilities",
                        "ControllerGetCapabilities",
                        "GroupControllerGetCapabilities",
                        "NodeGetCapabilities",
                        "NodeGetInfo",
                        "GetCapacity",
                        "CreateVolume",
                        "ValidateVolumeCapabilities",
                        "compare what was confirmed",
                        "ControllerPublishVolume",
                        "ListVolumes",
                        "ControllerGetVolume",
                        "NodeStageVolume",
                        "NodePublishVolume",
                        "check the mount",
                        "write and read back",
                        "NodeGetVolumeStats",
                        "NodeGetVolumeHealth",
                        "NodeGetStorageHealth",
                        "ControllerGetVolumeHealth",
                        "ControllerListVolumeHealth",
                        "ControllerExpandVolume",
                        "NodeExpandVolume",
                        "check the data after expansion",
                        "ControllerModifyVolume",
                        "CreateSnapshot",
                        "ListSnapshots",
                        "GetSnapshot",
                        "CreateVolume",
                        "check the restored data",
                        "DeleteVolume",
                        "DeleteSnapshot",
                        "CreateVolume",
                        "check the clone data",
                        "DeleteVolume",
                        "CreateVolumeGroupSnapshot",
                        "GetVolumeGroupSnapshot",
                        "DeleteVolumeGroupSnapshot",
                        "NodeUnpublishVolume",
                        "NodePublishVolume",
                        "try to write",
                        "NodeUnpublishVolume",
                        "NodeUnstageVolume",
                        "ControllerUnpublishVolume",
                        "DeleteVolume");
    }

    @Test
    void allStepsOfCsi112RunWithBlockDevice() throws IOException {
        testBed.plugin(FakeCsiPlugin.builder()
                .capabilities(FakeCapability.without(FakeCapability.csi112(), SNAPSHOT_METADATA_SERVICE)));

        LifecycleRun run = testBed.run("--block", "--size=1Mi");

        assertSucceeded(run);
        assertThat(run.done()).contains("size of the device", "check the restored data", "check the clone data");
        assertThat(run.out()).contains("65536 bytes at the start of the device").contains("normal: ");
    }

    static Stream<Arguments> plugins() {
        return Stream.of(
                Arguments.of(EnumSet.of(PUBLISH_UNPUBLISH_VOLUME), List.of("ControllerPublishVolume")),
                Arguments.of(EnumSet.of(STAGE_UNSTAGE_VOLUME), List.of("NodeStageVolume")),
                Arguments.of(
                        EnumSet.of(PUBLISH_UNPUBLISH_VOLUME, STAGE_UNSTAGE_VOLUME, VOLUME_ACCESSIBILITY_CONSTRAINTS),
                        List.of("ControllerPublishVolume", "NodeStageVolume")),
                Arguments.of(
                        EnumSet.of(GET_CAPACITY, LIST_VOLUMES, GET_VOLUME, LIST_SNAPSHOTS, GET_SNAPSHOT),
                        List.of("GetCapacity", "ListVolumes", "ControllerGetVolume", "ListSnapshots", "GetSnapshot")),
                Arguments.of(
                        EnumSet.of(
                                GET_VOLUME_STATS,
                                NODE_GET_VOLUME_HEALTH,
                                GET_STORAGE_HEALTH,
                                CONTROLLER_GET_VOLUME_HEALTH,
                                LIST_VOLUMES_PUBLISHED_NODES,
                                PUBLISH_READONLY,
                                VOLUME_MOUNT_GROUP),
                        List.of(
                                "NodeGetVolumeStats",
                                "NodeGetVolumeHealth",
                                "NodeGetStorageHealth",
                                "ControllerGetVolumeHealth",
                                "ControllerListVolumeHealth")),
                Arguments.of(
                        EnumSet.of(CREATE_DELETE_SNAPSHOT, CLONE_VOLUME, GROUP_CONTROLLER_SERVICE),
                        List.of(
                                "GroupControllerGetCapabilities",
                                "CreateSnapshot",
                                "clone the volume",
                                "CreateVolumeGroupSnapshot")),
                Arguments.of(
                        EnumSet.of(CONTROLLER_EXPAND_VOLUME, NODE_EXPAND_VOLUME, MODIFY_VOLUME),
                        List.of("expand", "ControllerModifyVolume")),
                Arguments.of(EnumSet.of(NODE_EXPAND_VOLUME, LIST_VOLUME_HEALTH), List.of("ControllerListVolumeHealth")),
                Arguments.of(EnumSet.of(CONTROLLER_EXPAND_VOLUME), List.of("second target")),
                Arguments.of(
                        EnumSet.of(CONTROLLER_SINGLE_NODE_MULTI_WRITER, CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT),
                        List.of("CreateVolumeGroupSnapshot")));
    }

    @ParameterizedTest
    @MethodSource("plugins")
    void stepsWithoutCapabilityAreSkipped(Set<FakeCapability> missing, List<String> skipped) throws IOException {
        testBed.plugin(without(missing.toArray(FakeCapability[]::new)));

        LifecycleRun run = testBed.run("--size=1Mi", "--mutable-parameters=tier=gold");

        assertSucceeded(run);
        assertThat(run.skipped()).containsAll(skipped).doesNotHaveDuplicates();
        assertThat(run.done()).doesNotContainAnyElementsOf(skipped).contains("write and read back", "try to write");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--block", "--fs-type=ext4"})
    void offlineExpansionRunsAfterVolumeLeftNode(String kind) throws IOException {
        testBed.plugin(without(ONLINE_EXPANSION).with(OFFLINE_EXPANSION));

        LifecycleRun run = testBed.run("--size=1Mi", kind);

        assertSucceeded(run);
        assertThat(run.skipped()).contains("expand online");
        assertThat(run.done())
                .containsSubsequence(
                        "NodeUnstageVolume",
                        "ControllerUnpublishVolume",
                        "ControllerExpandVolume",
                        "ControllerPublishVolume",
                        "NodeStageVolume",
                        "NodePublishVolume",
                        "NodeExpandVolume",
                        "check the data after expansion",
                        "DeleteVolume");
    }

    @Test
    void splitPluginIsCalledAtBothEndpoints() throws IOException {
        testBed.plugin(all().nodeOnly()).plugin(all().controllerOnly());

        LifecycleRun run = testBed.run("--size=1Mi");

        assertSucceeded(run);
        assertThat(run.done()).startsWith("make a directory", "Probe", "GetPluginInfo", "Probe", "GetPluginInfo");
    }

    @Test
    void secondTargetIsPublishedIfAccessModeAllowsIt() throws IOException {
        testBed.plugin(all());
        LifecycleRun run = testBed.run("--size=1Mi", "--access-mode=SINGLE_NODE_MULTI_WRITER");
        assertSucceeded(run);
        assertThat(run.skipped()).doesNotContain("second target");
        assertThat(run.out()).contains("/volume/second/target");
    }

    @Test
    void readerOnlyModeWritesNothing() throws IOException {
        testBed.plugin(all());
        LifecycleRun run = testBed.run("--size=1Mi", "--access-mode=MULTI_NODE_READER_ONLY");
        assertSucceeded(run);
        assertThat(run.skipped()).contains("write and read back", "read-only target");
    }

    @Test
    void unsupportedAccessModeFailsBeforeCreate() throws IOException {
        testBed.plugin(without(CONTROLLER_SINGLE_NODE_MULTI_WRITER));
        LifecycleRun run = testBed.run("--access-mode=SINGLE_NODE_SINGLE_WRITER");
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.failed()).containsExactly("check the options");
        assertThat(run.err()).contains("SINGLE_NODE_MULTI_WRITER").contains("--access-mode");
        testBed.assertNothingLeft();
    }

    @Test
    void pluginWithoutCreateNeedsExistingVolume() throws IOException {
        testBed.plugin(FakeCsiPlugin.builder()
                .capabilities(FakeCapability.without(FakeCapability.csi113(), CONTROLLER_SERVICE)));
        LifecycleRun run = testBed.run();
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.err()).contains("--volume-id");

        testBed.storage().provision("old-volume", 1 << 20);
        run = testBed.run("--volume-id=old-volume");

        assertThat(run.failed()).as(run.out()).isEmpty();
        assertThat(run.code()).isZero();
        assertThat(run.skipped()).contains("ControllerGetCapabilities", "ValidateVolumeCapabilities", "CreateVolume");
        assertThat(run.done())
                .contains("NodePublishVolume", "write and read back")
                .doesNotContain("DeleteVolume");
        assertThat(testBed.storage().volumeIds()).containsExactly("old-volume");
        testBed.assertNothingLeftHere();
        assertThat(filesUnder(testBed.state().resolve("data"))).isEmpty();
    }

    @Test
    void existingVolumeIsValidatedAndNotDeleted() throws IOException {
        testBed.plugin(all());
        testBed.storage().provision("old-volume", 1 << 20);

        LifecycleRun run = testBed.run("--volume-id=old-volume");

        assertThat(run.failed()).as(run.out()).isEmpty();
        assertThat(run.done())
                .containsSubsequence(
                        "ValidateVolumeCapabilities", "ControllerPublishVolume", "ControllerUnpublishVolume");
        assertThat(testBed.storage().volumeIds()).containsExactly("old-volume");
        assertThat(testBed.storage().snapshotIds()).isEmpty();
        testBed.assertNothingLeftHere();
    }

    @Test
    void keptVolumeIsFoundByNameAndDeletedByNextRun() throws IOException {
        testBed.plugin(all());

        LifecycleRun kept = testBed.run("--size=1Mi", "--volume-name=mine", "--keep");

        assertThat(kept.failed()).as(kept.out()).isEmpty();
        assertThat(testBed.storage().volumeIds()).hasSize(1);
        String id = testBed.storage().volumeIds().iterator().next();
        assertThat(kept.out()).contains("Kept: volume " + id + " (name mine)").contains("--volume-id " + id);
        testBed.assertNothingLeftHere();

        assertSucceeded(testBed.run("--size=1Mi", "--volume-name=mine"));
    }

    @Test
    void failedOptionalStepsAreUndoneAndRunContinues() throws IOException {
        testBed.plugin(all().attachLimit(1));

        LifecycleRun run = testBed.run("--size=1Mi");

        assertThat(run.code()).isEqualTo(1);
        assertThat(run.failed()).containsExactly("ControllerPublishVolume", "ControllerPublishVolume");
        assertThat(run.out())
                .contains("RESOURCE_EXHAUSTED")
                .contains("2 failed.")
                .contains("Nothing is left behind.");
        assertThat(run.done())
                .containsSubsequence("CreateVolumeGroupSnapshot", "NodeUnstageVolume", "ControllerUnpublishVolume");
        testBed.assertNothingLeft();
    }

    /** A volume that may still be mounted must not be detached or deleted, because that loses data (R48). */
    @Test
    void volumeIsNotDetachedOrDeletedAfterFailedUnpublish() throws IOException {
        testBed.plugin(without(CREATE_DELETE_SNAPSHOT, CLONE_VOLUME, GROUP_CONTROLLER_SERVICE));
        AtomicReference<FileChannel> busy = new AtomicReference<>();
        testBed.onLine(line -> {
            if (line.contains("NodeGetVolumeStats")) {
                busy.set(openUnder(testBed.work()));
            }
        });
        try {
            LifecycleRun run = testBed.run("--size=1Mi", "--timeout=2s");

            assertThat(run.failed()).as(run.out()).contains("NodeUnpublishVolume");
            assertThat(run.code()).isEqualTo(1);
            assertThat(run.done()).doesNotContain("ControllerUnpublishVolume", "DeleteVolume");
            assertThat(run.out()).contains("Left behind: volume ").contains("call NodeUnpublishVolume, or umount it");
            String id = testBed.storage().volumeIds().iterator().next();
            assertThat(testBed.storage().attachedNodes(id)).isNotEmpty();
            assertThat(ProcessMounts.read().under(testBed.work())).isNotEmpty();
        } finally {
            if (busy.get() != null) {
                busy.get().close();
            }
            io.csi4j.examples.steps.CallerDirectories.unmountAll(testBed.work());
        }
    }

    private static FileChannel openUnder(Path directory) {
        try (Stream<Path> files = Files.walk(directory)) {
            Path file = files.filter(path -> path.toString().endsWith(".bin"))
                    .findFirst()
                    .orElseThrow();
            return FileChannel.open(file, StandardOpenOption.READ);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static List<Path> filesUnder(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(path -> path.toString().endsWith(".bin")).toList();
        }
    }

    @Test
    void secretsAndParametersAreNotPrinted() throws IOException {
        testBed.plugin(all());
        Path secrets = Files.writeString(directory.resolve("secrets"), "password=hunter2\n");
        LifecycleRun run = testBed.run(
                "--size=1Mi",
                "--secrets-file=" + secrets,
                "--parameters=color=canary-p",
                "--mount-flags=noatime,canary-f");
        assertThat(run.done()).contains("CreateVolume", "ControllerPublishVolume", "DeleteVolume");
        assertThat(run.out() + run.err()).doesNotContain("hunter2").doesNotContain("canary");
    }

    @Test
    void endpointWithoutPluginIsReported() throws IOException {
        Path nothing = directory.resolve("nothing.sock");
        testBed.endpoint("unix://" + nothing);
        LifecycleRun run = testBed.run("--timeout=700ms");
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.failed()).containsExactly("Probe");
        assertThat(run.err()).contains(nothing.toString()).contains("start it, or correct the endpoint");
        testBed.assertNothingLeftHere();
    }
}
