package io.csi4j.testkit;

import static io.csi4j.testkit.PluginClient.refused;
import static io.csi4j.testkit.assertion.CsiAssertions.assertThat;
import static io.grpc.Status.Code.ALREADY_EXISTS;
import static io.grpc.Status.Code.INVALID_ARGUMENT;
import static io.grpc.Status.Code.RESOURCE_EXHAUSTED;
import static io.grpc.Status.Code.UNAVAILABLE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.proto.csi.v1.CreateSnapshotRequest;
import io.csi4j.proto.csi.v1.CreateVolumeGroupSnapshotRequest;
import io.csi4j.proto.csi.v1.CreateVolumeRequest;
import io.csi4j.proto.csi.v1.DeleteVolumeGroupSnapshotRequest;
import io.csi4j.proto.csi.v1.Topology;
import io.csi4j.proto.csi.v1.Volume;
import io.csi4j.testkit.history.ChangedRequest;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Calls that create an object with the same name and other fields (R29). */
class ChangedRequestsTest {
    @TempDir
    Path directory;

    private final FakeStorage storage = FakeStorage.inMemory();
    private final FakeCsiPlugin plugin = FakeCsiPlugin.builder()
            .storage(storage)
            .knownNode("node-2", Map.of("topology.csi4j.io/zone", "zone-2"))
            .build()
            .startInProcess();
    private final PluginClient client = PluginClient.inProcess(plugin);
    private final Walk walk = new Walk(client, plugin.nodeId());

    @AfterEach
    void close() {
        client.close();
        plugin.close();
    }

    private Volume create(CreateVolumeRequest.Builder request) {
        return client.controller().createVolume(request.build()).getVolume();
    }

    private static ChangedRequest changed(String rpc, String name, String... fields) {
        return new ChangedRequest(rpc, name, List.of(fields));
    }

    @Test
    void sameFieldsWithOtherSecretsAreNoChange() {
        CreateVolumeRequest.Builder request =
                walk.createRequest("v").putParameters("a", "1").putParameters("b", "2");
        Volume volume = create(request);
        // The order of the entries in a map is no field.
        assertThat(create(walk.createRequest("v")
                        .putParameters("b", "2")
                        .putParameters("a", "1")
                        .putSecrets("password", "rotated")))
                .isEqualTo(volume);
        assertThat(plugin.changedRequests()).isEmpty();
        assertThat(plugin).sawNoChangedRequests();
    }

    @Test
    void compatibleRequestWithOtherFieldsIsAnsweredAndReported() {
        CreateVolumeRequest.Builder request = walk.createRequest("v");
        Volume volume = create(request);
        request.getCapacityRangeBuilder().setRequiredBytes(1);
        assertThat(create(request)).isEqualTo(volume);
        request.getCapacityRangeBuilder().setLimitBytes(1L << 40);
        request.getAccessibilityRequirementsBuilder().addRequisite(plugin1());
        assertThat(create(request)).isEqualTo(volume);
        assertThat(plugin.changedRequests())
                .containsExactly(changed("CreateVolume", "v", "accessibility_requirements", "capacity_range"));
        assertThatThrownBy(() -> assertThat(plugin).sawNoChangedRequests())
                .hasMessageContaining(
                        "CreateVolume of 'v' was repeated with other values of accessibility_requirements,"
                                + " capacity_range; repeat it with the same fields, or use another name (R29)");
    }

    private Topology plugin1() {
        return Topology.newBuilder().putAllSegments(plugin.topology()).build();
    }

    @Test
    void orderOfPlacesIsPartOfRequest() {
        Topology other = Topology.newBuilder()
                .putSegments("topology.csi4j.io/zone", "zone-2")
                .build();
        CreateVolumeRequest.Builder request = walk.createRequest("v");
        request.getAccessibilityRequirementsBuilder().addRequisite(plugin1()).addRequisite(other);
        var unused = create(request);
        request.getAccessibilityRequirementsBuilder()
                .clearRequisite()
                .addRequisite(other)
                .addRequisite(plugin1());
        unused = create(request);
        assertThat(plugin.changedRequests())
                .containsExactly(changed("CreateVolume", "v", "accessibility_requirements"));
    }

    @Test
    void refusalThatDemandsAnotherRequestFreesName() {
        CreateVolumeRequest.Builder request = walk.createRequest("v");
        request.getVolumeCapabilitiesBuilder(0).clearAccessMode();
        refused(INVALID_ARGUMENT, () -> create(request));
        var unused = create(walk.createRequest("v"));
        assertThat(plugin.changedRequests()).isEmpty();
        // The refused request is itself a change: its name has been bound by the one before.
        walk.block = true;
        refused(ALREADY_EXISTS, () -> create(walk.createRequest("v")));
        assertThat(plugin.changedRequests()).containsExactly(changed("CreateVolume", "v", "volume_capabilities"));
    }

    @ParameterizedTest
    @EnumSource(
            value = StatusCode.class,
            names = {"OK", "INVALID_ARGUMENT", "ALREADY_EXISTS", "OUT_OF_RANGE"},
            mode = EnumSource.Mode.EXCLUDE)
    void anyOtherFailureBindsName(StatusCode code) {
        plugin.onCall(Rpc.CREATE_VOLUME).once().failWith(code);
        assertThatThrownBy(() -> create(walk.createRequest("v"))).isNotNull();
        var unused = create(walk.createRequest("v").putParameters("a", "1"));
        assertThat(plugin.changedRequests()).containsExactly(changed("CreateVolume", "v", "parameters"));
    }

    @Test
    void refusalWithLostAnswerBindsName() {
        CreateVolumeRequest.Builder wrong = walk.createRequest("v");
        wrong.getVolumeCapabilitiesBuilder(0).clearAccessMode();
        plugin.onCall(Rpc.CREATE_VOLUME).once().dropConnectionAfterEffect();
        refused(UNAVAILABLE, () -> create(wrong));
        var unused = create(walk.createRequest("v"));
        assertThat(plugin.changedRequests()).containsExactly(changed("CreateVolume", "v", "volume_capabilities"));
    }

    @Test
    void missingRoomBindsNameToItsPlace() {
        storage.setCapacity(plugin.topology(), 0);
        CreateVolumeRequest.Builder request = walk.createRequest("v");
        request.getAccessibilityRequirementsBuilder().addRequisite(plugin1());
        refused(RESOURCE_EXHAUSTED, () -> create(request));
        request.getAccessibilityRequirementsBuilder()
                .setRequisite(0, Topology.newBuilder().putSegments("topology.csi4j.io/zone", "zone-2"));
        var unused = create(request);
        assertThat(plugin.changedRequests())
                .containsExactly(changed("CreateVolume", "v", "accessibility_requirements"));
    }

    @Test
    void nameIsFreeAfterDeletionAndChangesBeforeItStayReported() {
        Volume volume = create(walk.createRequest("v"));
        walk.delete(volume.getVolumeId());
        walk.bytes = 5;
        volume = create(walk.createRequest("v"));
        assertThat(plugin.changedRequests()).isEmpty();
        var unused = create(walk.createRequest("v").putAllParameters(Map.of()).clearCapacityRange());
        walk.delete(volume.getVolumeId());
        unused = create(walk.createRequest("v").putParameters("a", "1"));
        assertThat(plugin.changedRequests()).containsExactly(changed("CreateVolume", "v", "capacity_range"));
    }

    @Test
    void snapshotsAndGroupsAreComparedToo() {
        Volume one = create(walk.createRequest("one"));
        Volume two = create(walk.createRequest("two"));
        String snapshot = walk.snapshot("one", one).getSnapshotId();
        assertThat(plugin.changedRequests()).isEmpty();
        refused(ALREADY_EXISTS, () -> walk.snapshot("one", two));
        CreateVolumeGroupSnapshotRequest.Builder group = CreateVolumeGroupSnapshotRequest.newBuilder()
                .setName("one")
                .addSourceVolumeIds(one.getVolumeId())
                .addSourceVolumeIds(two.getVolumeId());
        var made = client.groups().createVolumeGroupSnapshot(group.build()).getGroupSnapshot();
        var unused = client.groups()
                .createVolumeGroupSnapshot(group.clearSourceVolumeIds()
                        .addSourceVolumeIds(two.getVolumeId())
                        .addSourceVolumeIds(one.getVolumeId())
                        .build());
        assertThat(plugin.changedRequests())
                .containsExactlyInAnyOrder(
                        changed("CreateSnapshot", "one", "source_volume_id"),
                        changed("CreateVolumeGroupSnapshot", "one", "source_volume_ids"));
        var deletion = DeleteVolumeGroupSnapshotRequest.newBuilder().setGroupSnapshotId(made.getGroupSnapshotId());
        made.getSnapshotsList().forEach(member -> deletion.addSnapshotIds(member.getSnapshotId()));
        var unusedDeletion = client.groups().deleteVolumeGroupSnapshot(deletion.build());
        var unusedSnapshot = client.controller()
                .deleteSnapshot(io.csi4j.proto.csi.v1.DeleteSnapshotRequest.newBuilder()
                        .setSnapshotId(snapshot)
                        .build());
        var unusedAgain = client.controller()
                .createSnapshot(CreateSnapshotRequest.newBuilder()
                        .setName("one")
                        .setSourceVolumeId(two.getVolumeId())
                        .putParameters("free", "now")
                        .build());
        assertThat(plugin.changedRequests())
                .contains(changed("CreateSnapshot", "one", "source_volume_id"))
                .hasSize(2);
    }

    @Test
    void instancesOfOneStorageShareNames() {
        try (FakeCsiPlugin second = FakeCsiPlugin.builder()
                        .storage(storage)
                        .controllerOnly()
                        .build()
                        .startInProcess();
                PluginClient other = PluginClient.inProcess(second)) {
            var unused = create(walk.createRequest("v"));
            var unusedToo = other.controller()
                    .createVolume(walk.createRequest("v").clearCapacityRange().build());
            assertThat(second.changedRequests()).hasSize(1).isEqualTo(plugin.changedRequests());
        }
    }

    @Test
    void processComparesWithRequestsBeforeItsDeath() {
        String endpoint = "unix://" + directory.resolve("p.sock");
        try (FakePluginProcess process = FakePluginProcess.builder(endpoint)
                .stateDir(directory.resolve("state"))
                .start()) {
            process.onCall(Rpc.CREATE_VOLUME).once().crashBeforeEffect();
            try (PluginClient other = PluginClient.on(endpoint)) {
                refused(
                        UNAVAILABLE,
                        () -> other.controller()
                                .createVolume(walk.createRequest("a\tb").build()));
            }
            process.restart();
            try (PluginClient other = PluginClient.on(endpoint)) {
                var unused = other.controller()
                        .createVolume(walk.createRequest("a\tb")
                                .clearCapacityRange()
                                .putParameters("a", "1")
                                .build());
            }
            ChangedRequest expected = changed("CreateVolume", "a\tb", "capacity_range", "parameters");
            assertThat(process.changedRequests()).containsExactly(expected);
            process.restart();
            assertThat(process.changedRequests()).containsExactly(expected);
        }
    }
}
