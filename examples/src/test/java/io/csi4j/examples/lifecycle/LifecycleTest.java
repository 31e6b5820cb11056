package io.csi4j.examples.lifecycle;

import static io.csi4j.testkit.capability.FakeCapability.*;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.examples.walk.ProcessMounts;
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

    private LifecycleGround ground;

    @BeforeEach
    void prepare() throws IOException {
        ground = new LifecycleGround(directory);
    }

    @AfterEach
    void close() {
        if (ground != null) {
            ground.close();
        }
    }

    /** The fake plugin streams no snapshot metadata. */
    private static FakeCsiPluginBuilder all() {
        return FakeCsiPlugin.builder()
                .capabilities(FakeCapability.without(FakeCapability.csi113(), SNAPSHOT_METADATA_SERVICE));
    }

    private static FakeCsiPluginBuilder without(FakeCapability... gone) {
        return all().without(gone);
    }

    private void assertAllWell(LifecycleRun run) throws IOException {
        assertThat(run.failed()).as(run.out()).isEmpty();
        assertThat(run.err()).isEmpty();
        assertThat(run.out()).contains("0 failed.").contains("Nothing is left behind.");
        assertThat(run.code()).isZero();
        ground.assertNothingLeft();
    }

    @Test
    void walksEverythingThatCsi113HasWithAFileSystem() throws IOException {
        ground.plugin(all());

        LifecycleRun run = ground.run("--size=1Mi", "--mutable-parameters=tier=gold");

        assertAllWell(run);
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
    void walksEverythingThatCsi112HasWithABlockDevice() throws IOException {
        ground.plugin(FakeCsiPlugin.builder()
                .capabilities(FakeCapability.without(FakeCapability.csi112(), SNAPSHOT_METADATA_SERVICE)));

        LifecycleRun run = ground.run("--block", "--size=1Mi");

        assertAllWell(run);
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
    void skipsExactlyWhatThePluginDoesNotHave(Set<FakeCapability> gone, List<String> skipped) throws IOException {
        ground.plugin(without(gone.toArray(FakeCapability[]::new)));

        LifecycleRun run = ground.run("--size=1Mi", "--mutable-parameters=tier=gold");

        assertAllWell(run);
        assertThat(run.skipped()).containsAll(skipped).doesNotHaveDuplicates();
        assertThat(run.done()).doesNotContainAnyElementsOf(skipped).contains("write and read back", "try to write");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--block", "--fs-type=ext4"})
    void expandsOffTheNodeIfThePluginCanDoItOnlyThere(String kind) throws IOException {
        ground.plugin(without(ONLINE_EXPANSION).with(OFFLINE_EXPANSION));

        LifecycleRun run = ground.run("--size=1Mi", kind);

        assertAllWell(run);
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
    void controllerAndNodeMayBeAtDifferentEndpoints() throws IOException {
        ground.plugin(all().nodeOnly()).plugin(all().controllerOnly());

        LifecycleRun run = ground.run("--size=1Mi");

        assertAllWell(run);
        assertThat(run.done()).startsWith("make a directory", "Probe", "GetPluginInfo", "Probe", "GetPluginInfo");
    }

    @Test
    void aSecondTargetIsPublishedWhereTheAccessModeAllowsIt() throws IOException {
        ground.plugin(all());
        LifecycleRun run = ground.run("--size=1Mi", "--access-mode=SINGLE_NODE_MULTI_WRITER");
        assertAllWell(run);
        assertThat(run.skipped()).doesNotContain("second target");
        assertThat(run.out()).contains("/volume/second/target");
    }

    @Test
    void aReaderOnlyModeWritesNothing() throws IOException {
        ground.plugin(all());
        LifecycleRun run = ground.run("--size=1Mi", "--access-mode=MULTI_NODE_READER_ONLY");
        assertAllWell(run);
        assertThat(run.skipped()).contains("write and read back", "read-only target");
    }

    @Test
    void anAccessModeThatIsNotOfferedIsNotTried() throws IOException {
        ground.plugin(without(CONTROLLER_SINGLE_NODE_MULTI_WRITER));
        LifecycleRun run = ground.run("--access-mode=SINGLE_NODE_SINGLE_WRITER");
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.failed()).containsExactly("check the options");
        assertThat(run.err()).contains("SINGLE_NODE_MULTI_WRITER").contains("--access-mode");
        ground.assertNothingLeft();
    }

    @Test
    void aPluginThatCannotCreateAsksForAVolumeThatIsThere() throws IOException {
        ground.plugin(FakeCsiPlugin.builder()
                .capabilities(FakeCapability.without(FakeCapability.csi113(), CONTROLLER_SERVICE)));
        LifecycleRun run = ground.run();
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.err()).contains("--volume-id");

        ground.storage().provision("old-volume", 1 << 20);
        run = ground.run("--volume-id=old-volume");

        assertThat(run.failed()).as(run.out()).isEmpty();
        assertThat(run.code()).isZero();
        assertThat(run.skipped()).contains("ControllerGetCapabilities", "ValidateVolumeCapabilities", "CreateVolume");
        assertThat(run.done())
                .contains("NodePublishVolume", "write and read back")
                .doesNotContain("DeleteVolume");
        assertThat(ground.storage().volumeIds()).containsExactly("old-volume");
        ground.assertNothingLeftHere();
        assertThat(filesUnder(ground.state().resolve("data"))).isEmpty();
    }

    @Test
    void aVolumeThatIsThereIsValidatedAndNotDeleted() throws IOException {
        ground.plugin(all());
        ground.storage().provision("old-volume", 1 << 20);

        LifecycleRun run = ground.run("--volume-id=old-volume");

        assertThat(run.failed()).as(run.out()).isEmpty();
        assertThat(run.done())
                .containsSubsequence(
                        "ValidateVolumeCapabilities", "ControllerPublishVolume", "ControllerUnpublishVolume");
        assertThat(ground.storage().volumeIds()).containsExactly("old-volume");
        assertThat(ground.storage().snapshotIds()).isEmpty();
        ground.assertNothingLeftHere();
    }

    @Test
    void aKeptVolumeIsFoundByItsNameAndDeletedTheNextTime() throws IOException {
        ground.plugin(all());

        LifecycleRun kept = ground.run("--size=1Mi", "--volume-name=mine", "--keep");

        assertThat(kept.failed()).as(kept.out()).isEmpty();
        assertThat(ground.storage().volumeIds()).hasSize(1);
        String id = ground.storage().volumeIds().iterator().next();
        assertThat(kept.out()).contains("Kept: volume " + id + " (name mine)").contains("--volume-id " + id);
        ground.assertNothingLeftHere();

        assertAllWell(ground.run("--size=1Mi", "--volume-name=mine"));
    }

    @Test
    void anExtraThatFailsIsTakenBackAndTheWalkGoesOn() throws IOException {
        ground.plugin(all().attachLimit(1));

        LifecycleRun run = ground.run("--size=1Mi");

        assertThat(run.code()).isEqualTo(1);
        assertThat(run.failed()).containsExactly("ControllerPublishVolume", "ControllerPublishVolume");
        assertThat(run.out())
                .contains("RESOURCE_EXHAUSTED")
                .contains("2 failed.")
                .contains("Nothing is left behind.");
        assertThat(run.done())
                .containsSubsequence("CreateVolumeGroupSnapshot", "NodeUnstageVolume", "ControllerUnpublishVolume");
        ground.assertNothingLeft();
    }

    /** R48: detaching or deleting what may still be mounted loses data. */
    @Test
    void whatCannotBeUnpublishedIsNeitherDetachedNorDeleted() throws IOException {
        ground.plugin(without(CREATE_DELETE_SNAPSHOT, CLONE_VOLUME, GROUP_CONTROLLER_SERVICE));
        AtomicReference<FileChannel> busy = new AtomicReference<>();
        ground.onLine(line -> {
            if (line.contains("NodeGetVolumeStats")) {
                busy.set(openUnder(ground.work()));
            }
        });
        try {
            LifecycleRun run = ground.run("--size=1Mi", "--timeout=2s");

            assertThat(run.failed()).as(run.out()).contains("NodeUnpublishVolume");
            assertThat(run.code()).isEqualTo(1);
            assertThat(run.done()).doesNotContain("ControllerUnpublishVolume", "DeleteVolume");
            assertThat(run.out()).contains("Left behind: volume ").contains("call NodeUnpublishVolume, or umount it");
            String id = ground.storage().volumeIds().iterator().next();
            assertThat(ground.storage().attachedNodes(id)).isNotEmpty();
            assertThat(ProcessMounts.read().under(ground.work())).isNotEmpty();
        } finally {
            if (busy.get() != null) {
                busy.get().close();
            }
            io.csi4j.examples.walk.CallerDirectories.unmountAll(ground.work());
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
    void noSecretIsEverPrinted() throws IOException {
        ground.plugin(all());
        Path secrets = Files.writeString(directory.resolve("secrets"), "password=hunter2\n");
        LifecycleRun run = ground.run(
                "--size=1Mi",
                "--secrets-file=" + secrets,
                "--parameters=color=canary-p",
                "--mount-flags=noatime,canary-f");
        assertThat(run.done()).contains("CreateVolume", "ControllerPublishVolume", "DeleteVolume");
        assertThat(run.out() + run.err()).doesNotContain("hunter2").doesNotContain("canary");
    }

    @Test
    void anEndpointWithoutAPluginIsSaidPlainly() throws IOException {
        Path nothing = directory.resolve("nothing.sock");
        ground.endpoint("unix://" + nothing);
        LifecycleRun run = ground.run("--timeout=700ms");
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.failed()).containsExactly("Probe");
        assertThat(run.err()).contains(nothing.toString()).contains("start it, or correct the endpoint");
        ground.assertNothingLeftHere();
    }
}
