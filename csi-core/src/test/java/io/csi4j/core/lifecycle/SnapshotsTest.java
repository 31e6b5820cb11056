package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.CsiException;
import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.GroupSnapshotId;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.Snapshot;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.TopologyRequirement;
import io.csi4j.core.csi.VolumeGroupSnapshot;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.rpc.CreateSnapshotRequest;
import io.csi4j.core.rpc.CreateSnapshotResponse;
import io.csi4j.core.rpc.CreateVolumeGroupSnapshotRequest;
import io.csi4j.core.rpc.CreateVolumeGroupSnapshotResponse;
import io.csi4j.core.rpc.DeleteSnapshotRequest;
import io.csi4j.core.rpc.DeleteVolumeGroupSnapshotRequest;
import io.csi4j.core.rpc.ListSnapshotsResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SnapshotsTest {
    private static final SnapshotRequest REQUEST = SnapshotRequest.of(VolumeRig.VOL, "nightly");
    private static final Secrets OTHER = Secrets.of(Map.of("token", "t"));

    private final VolumeRig rig = VolumeRig.started();

    @BeforeEach
    void aVolume() {
        rig.made();
    }

    private static CreateSnapshotResponse cut(boolean ready) {
        return new CreateSnapshotResponse(Snapshot.builder(SnapshotId.of("s1"), ExternalVolumeId.of("ext-1"))
                .readyToUse(ready)
                .build());
    }

    @Test
    void createSnapshotCallIsRepeatedUntilSnapshotIsReady() {
        rig.gateway
                .answer(Rpc.CREATE_SNAPSHOT, request -> cut(false))
                .lose(Rpc.CREATE_SNAPSHOT, StatusCode.UNKNOWN)
                .answer(Rpc.CREATE_SNAPSHOT, request -> cut(false))
                .answer(Rpc.CREATE_SNAPSHOT, request -> cut(true));
        CompletableFuture<Snapshot> creation = rig.engine().snapshots().create(REQUEST);
        rig.clock.run();
        assertThat(creation).isNotDone();
        assertThat(rig.later(creation).snapshotId()).isEqualTo(SnapshotId.of("s1"));
        assertThat(rig.gateway.requests(Rpc.CREATE_SNAPSHOT)).hasSize(4);
        assertThat(rig.gateway.requests(Rpc.CREATE_SNAPSHOT).stream().distinct())
                .hasSize(1);
        var sent = rig.gateway.request(Rpc.CREATE_SNAPSHOT, CreateSnapshotRequest.class);
        assertThat(sent.sourceVolumeId()).isEqualTo(ExternalVolumeId.of("ext-1"));
        assertThat(sent.secrets()).isEqualTo(VolumeRig.SECRETS);
    }

    @Test
    void callHasParametersAndTopologyOfRequest() {
        rig.services.add(PluginService.SNAPSHOT_ACCESSIBILITY_CONSTRAINTS);
        rig.fingerprint("n1", true);
        rig.fingerprint("n2", true);
        TopologyRequirement zone = TopologyRequirement.requisite(Topology.of(Map.of("zone", "z1")));
        rig.done(rig.engine()
                .snapshots()
                .create(new SnapshotRequest(VolumeRig.VOL, "placed", Map.of("tier", "cold"), Optional.of(zone))));
        var sent = rig.gateway.request(Rpc.CREATE_SNAPSHOT, CreateSnapshotRequest.class);
        assertThat(sent.parameters()).isEqualTo(Map.of("tier", "cold"));
        assertThat(sent.accessibilityRequirements()).contains(zone);
    }

    @Test
    void retriedSnapshotAfterLostResponseOrCrashCreatesOneSnapshot() {
        rig.gateway.lose(Rpc.CREATE_SNAPSHOT, StatusCode.UNAVAILABLE);
        Snapshot found = rig.later(rig.engine().snapshots().create(REQUEST));
        assertThat(rig.provider.snapshots).hasSize(1);

        rig.gateway.plan(Rpc.CREATE_SNAPSHOT, call -> {
            var unused = rig.provider.answer(call);
            return new CompletableFuture<>();
        });
        SnapshotRequest another = SnapshotRequest.of(VolumeRig.VOL, "another");
        CompletableFuture<Snapshot> lost = rig.engine().snapshots().create(another);
        rig.clock.run();
        assertThat(lost).as("the server stops before the response").isNotDone();
        Snapshot again = rig.done(rig.engine().snapshots().create(another));
        assertThat(rig.provider.snapshots.values())
                .as("the same name creates no second snapshot")
                .containsExactlyInAnyOrder(found, again);
        assertThat(rig.done(rig.engine().snapshots().create(REQUEST))).isEqualTo(found);
        rig.done(rig.engine().snapshots().delete(VolumeRig.PLUGIN, again.snapshotId()));
        assertThat(rig.provider.snapshots).hasSize(1);
    }

    @Test
    void snapshotThatIsNeverReadyIsReportedAndKept() {
        rig.options = LifecycleOptions.builder()
                .operationTimeout(Duration.ofSeconds(12))
                .build();
        for (int i = 0; i < 5; i++) {
            rig.gateway.answer(Rpc.CREATE_SNAPSHOT, request -> cut(false));
        }
        assertThat(rig.failedLater(rig.engine().snapshots().create(REQUEST), UnfinishedException.class))
                .hasMessageContainingAll(
                        "not ready", "the plugin has it with the id s1", "Nothing continues", "delete it");
        assertThat(rig.gateway.requests(Rpc.CREATE_SNAPSHOT)).hasSize(3);
        assertThat(rig.gateway.requests(Rpc.DELETE_SNAPSHOT)).isEmpty();
    }

    @Test
    void snapshotThatIsNotReadyWhenPluginStopsAnsweringIsReportedWithItsId() {
        rig.options = LifecycleOptions.builder()
                .operationTimeout(Duration.ofSeconds(12))
                .build();
        rig.gateway.answer(Rpc.CREATE_SNAPSHOT, request -> cut(false)).hang(Rpc.CREATE_SNAPSHOT);
        assertThat(rig.failedLater(rig.engine().snapshots().create(REQUEST), UnfinishedException.class))
                .hasMessageContainingAll("12 s", "the plugin has it with the id s1", "Nothing continues");
    }

    @Test
    void snapshotThatFailsAfterCreationIsDeleted() {
        rig.gateway
                .answer(Rpc.CREATE_SNAPSHOT, request -> cut(false))
                .fail(Rpc.CREATE_SNAPSHOT, StatusCode.INVALID_ARGUMENT);
        CsiCallException failure = rig.failedLater(rig.engine().snapshots().create(REQUEST), CsiCallException.class);
        assertThat(failure.code()).isEqualTo(StatusCode.INVALID_ARGUMENT);
        assertThat(rig.gateway
                        .request(Rpc.DELETE_SNAPSHOT, DeleteSnapshotRequest.class)
                        .snapshotId())
                .isEqualTo(SnapshotId.of("s1"));
        assertThat(rig.gateway
                        .request(Rpc.DELETE_SNAPSHOT, DeleteSnapshotRequest.class)
                        .secrets())
                .isEqualTo(VolumeRig.SECRETS);
    }

    @Test
    void snapshotThatFailsAfterCreationAndCannotBeDeletedReportsBothFailures() {
        rig.gateway
                .answer(Rpc.CREATE_SNAPSHOT, request -> cut(false))
                .fail(Rpc.CREATE_SNAPSHOT, StatusCode.INVALID_ARGUMENT)
                .fail(Rpc.DELETE_SNAPSHOT, StatusCode.INVALID_ARGUMENT);
        CsiCallException failure = rig.failedLater(rig.engine().snapshots().create(REQUEST), CsiCallException.class);
        assertThat(failure.code()).isEqualTo(StatusCode.INVALID_ARGUMENT);
        assertThat(failure.getSuppressed()).singleElement().asString().contains("DeleteSnapshot", "INVALID_ARGUMENT");
    }

    @Test
    void createSnapshotFailsWithoutRetryIfStorageIsFull() {
        rig.gateway.fail(Rpc.CREATE_SNAPSHOT, StatusCode.RESOURCE_EXHAUSTED);
        CsiException failure = rig.failed(rig.engine().snapshots().create(REQUEST), CsiException.class);
        assertThat(failure)
                .isNotInstanceOf(RefusedException.class)
                .hasMessageContainingAll("RESOURCE_EXHAUSTED", "may have created it", "repeat the request");
        assertThat(rig.gateway.requests(Rpc.CREATE_SNAPSHOT)).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource(
            value = StatusCode.class,
            names = {"UNAVAILABLE", "DEADLINE_EXCEEDED"})
    void createSnapshotFailsWithWarningIfStorageIsFullAfterLostResponse(StatusCode code) {
        rig.gateway.lose(Rpc.CREATE_SNAPSHOT, code).fail(Rpc.CREATE_SNAPSHOT, StatusCode.RESOURCE_EXHAUSTED);
        CsiException failure = rig.failedLater(rig.engine().snapshots().create(REQUEST), CsiException.class);
        assertThat(failure)
                .isNotInstanceOf(RefusedException.class)
                .hasMessageContaining("the storage provider may have created it")
                .hasMessageContaining("RESOURCE_EXHAUSTED");
        assertThat(rig.gateway.requests(Rpc.CREATE_SNAPSHOT)).hasSize(2);
    }

    @Test
    void createGroupSnapshotFailsWithWarningIfStorageIsFullAfterLostResponse() {
        rig.gateway
                .lose(Rpc.CREATE_VOLUME_GROUP_SNAPSHOT, StatusCode.UNAVAILABLE)
                .fail(Rpc.CREATE_VOLUME_GROUP_SNAPSHOT, StatusCode.RESOURCE_EXHAUSTED);
        GroupSnapshotRequest request = new GroupSnapshotRequest("g", List.of(VolumeRig.VOL), Map.of());
        CsiException failure = rig.failedLater(rig.engine().snapshots().createGroup(request), CsiException.class);
        assertThat(failure)
                .isNotInstanceOf(RefusedException.class)
                .hasMessageContaining("the storage provider may have created it");
    }

    @Test
    void responseWithSnapshotOfOtherVolumeIsRejected() {
        rig.gateway.answer(
                Rpc.CREATE_SNAPSHOT,
                request ->
                        new CreateSnapshotResponse(Snapshot.builder(SnapshotId.of("s1"), ExternalVolumeId.of("other"))
                                .readyToUse(true)
                                .build()));
        rig.failed(rig.engine().snapshots().create(REQUEST), WrongAnswerException.class);
        assertThat(rig.gateway.requests(Rpc.DELETE_SNAPSHOT))
                .as("a snapshot of another volume is not deleted")
                .isEmpty();
    }

    @Test
    void createSnapshotUsesSecretsGivenByCaller() {
        Snapshot snapshot = rig.done(rig.engine().snapshots().create(REQUEST));
        rig.done(rig.engine().withSecrets(OTHER).snapshots().delete(VolumeRig.PLUGIN, snapshot.snapshotId()));
        assertThat(rig.gateway
                        .request(Rpc.DELETE_SNAPSHOT, DeleteSnapshotRequest.class)
                        .secrets())
                .isEqualTo(OTHER);
        assertThat(rig.provider.snapshots).isEmpty();
        rig.done(rig.engine().snapshots().delete(VolumeRig.PLUGIN, snapshot.snapshotId()));
    }

    @Test
    void deleteSnapshotUsesSecretsOfSourceVolume() {
        Snapshot snapshot = rig.done(rig.engine().snapshots().create(REQUEST));
        rig.done(rig.engine().snapshots().delete(VolumeRig.PLUGIN, snapshot.snapshotId()));
        assertThat(rig.gateway
                        .request(Rpc.DELETE_SNAPSHOT, DeleteSnapshotRequest.class)
                        .secrets())
                .isEqualTo(VolumeRig.SECRETS);
    }

    @Test
    void deletingSingleSnapshotOfGroupSnapshotIsRejected() {
        rig.provider.snapshots.put(
                "x",
                Snapshot.builder(SnapshotId.of("s9"), ExternalVolumeId.of("ext-1"))
                        .groupSnapshotId(GroupSnapshotId.of("g"))
                        .build());
        assertThat(rig.failed(
                        rig.engine().snapshots().delete(VolumeRig.PLUGIN, SnapshotId.of("s9")),
                        CsiRequestException.class))
                .hasMessageContaining("group snapshot g");
        assertThat(rig.gateway.requests(Rpc.DELETE_SNAPSHOT)).isEmpty();
    }

    @Test
    void snapshotIsFoundByListingIfPluginDoesNotSupportGetSnapshot() {
        Snapshot snapshot = rig.done(rig.engine().snapshots().create(REQUEST));
        rig.controller.remove(ControllerCapability.GET_SNAPSHOT);
        rig.fingerprint("n1", true);
        rig.fingerprint("n2", true);
        assertThat(rig.done(rig.engine().snapshots().get(VolumeRig.PLUGIN, snapshot.snapshotId())))
                .contains(snapshot);
        assertThat(rig.done(rig.engine().snapshots().get(VolumeRig.PLUGIN, SnapshotId.of("none"))))
                .isEmpty();
        rig.controller.remove(ControllerCapability.LIST_SNAPSHOTS);
        rig.fingerprint("n1", true);
        rig.fingerprint("n2", true);
        rig.failed(rig.engine().snapshots().get(VolumeRig.PLUGIN, snapshot.snapshotId()), CsiRequestException.class);
    }

    @Test
    void listSnapshotsReturnsPagesOfPlugin() {
        Snapshot snapshot = rig.done(rig.engine().snapshots().create(REQUEST));
        rig.gateway.answer(Rpc.LIST_SNAPSHOTS, request -> new ListSnapshotsResponse(List.of(snapshot), "more"));
        ExternalPage<Snapshot> page =
                rig.done(rig.engine().snapshots().list(VolumeRig.PLUGIN, Optional.empty(), 1, ""));
        assertThat(page.entries()).containsExactly(snapshot);
        assertThat(page.nextToken()).isEqualTo("more");
    }

    @Test
    void groupSnapshotBecomesReadyAndIsDeletedWithMembers() {
        VolumeKey second = VolumeKey.of("default", "second");
        rig.done(rig.engine().volumes().create(second, VolumeRig.spec().build()));
        GroupSnapshotRequest request =
                new GroupSnapshotRequest("g", List.of(VolumeRig.VOL, second), Map.of("tier", "cold"));
        rig.gateway.plan(Rpc.CREATE_VOLUME_GROUP_SNAPSHOT, call -> {
            rig.provider.answer(call).join();
            return CompletableFuture.completedFuture(new CreateVolumeGroupSnapshotResponse(
                    rig.provider.groups.get("g").toBuilder().readyToUse(false).build()));
        });
        VolumeGroupSnapshot group =
                rig.later(rig.engine().withSecrets(OTHER).snapshots().createGroup(request));
        assertThat(group.snapshots()).hasSize(2);
        assertThat(rig.gateway.requests(Rpc.CREATE_VOLUME_GROUP_SNAPSHOT)).hasSize(2);
        var sent = rig.gateway.request(Rpc.CREATE_VOLUME_GROUP_SNAPSHOT, CreateVolumeGroupSnapshotRequest.class);
        assertThat(sent.sourceVolumeIds()).containsExactly(ExternalVolumeId.of("ext-1"), ExternalVolumeId.of("ext-2"));
        assertThat(sent.parameters()).isEqualTo(Map.of("tier", "cold"));
        assertThat(sent.secrets()).isEqualTo(OTHER);
        List<SnapshotId> members =
                group.snapshots().stream().map(Snapshot::snapshotId).toList();
        assertThat(rig.done(rig.engine().snapshots().getGroup(VolumeRig.PLUGIN, group.groupSnapshotId(), members)))
                .contains(group);
        rig.gateway.lose(Rpc.DELETE_VOLUME_GROUP_SNAPSHOT, StatusCode.UNAVAILABLE);
        rig.later(rig.engine().snapshots().deleteGroup(VolumeRig.PLUGIN, group.groupSnapshotId(), members));
        assertThat(rig.gateway
                        .request(Rpc.DELETE_VOLUME_GROUP_SNAPSHOT, DeleteVolumeGroupSnapshotRequest.class)
                        .snapshotIds())
                .isEqualTo(members);
        assertThat(rig.provider.groups).isEmpty();
        rig.done(rig.engine().snapshots().deleteGroup(VolumeRig.PLUGIN, group.groupSnapshotId(), members));
    }

    @Test
    void groupSnapshotDeletionIsNotSentToPluginWithoutGroupControllerService() {
        rig.services.remove(PluginService.GROUP_CONTROLLER_SERVICE);
        rig.fingerprint("n1", true);
        rig.fingerprint("n2", true);
        rig.gateway.calls().clear();
        assertThat(rig.failed(
                        rig.engine()
                                .snapshots()
                                .deleteGroup(VolumeRig.PLUGIN, GroupSnapshotId.of("g"), List.of(SnapshotId.of("s1"))),
                        CsiRequestException.class))
                .hasMessageContaining("deletion of group snapshot g")
                .hasMessageContaining("GROUP_CONTROLLER_SERVICE");
        assertThat(rig.gateway.calls()).isEmpty();
    }

    @Test
    void responseWithIncompleteGroupSnapshotIsRejected() {
        rig.gateway.answer(
                Rpc.CREATE_VOLUME_GROUP_SNAPSHOT,
                request -> new CreateVolumeGroupSnapshotResponse(VolumeGroupSnapshot.builder(GroupSnapshotId.of("g"))
                        .readyToUse(true)
                        .build()));
        rig.failed(
                rig.engine().snapshots().createGroup(new GroupSnapshotRequest("g", List.of(VolumeRig.VOL), Map.of())),
                WrongAnswerException.class);
    }
}
