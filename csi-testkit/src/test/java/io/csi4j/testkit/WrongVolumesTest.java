package io.csi4j.testkit;

import static io.csi4j.testkit.PluginClient.refused;
import static io.grpc.Status.Code.INTERNAL;
import static io.grpc.Status.Code.INVALID_ARGUMENT;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Rpc;
import io.csi4j.proto.csi.v1.CapacityRange;
import io.csi4j.proto.csi.v1.ControllerExpandVolumeRequest;
import io.csi4j.proto.csi.v1.CreateVolumeRequest;
import io.csi4j.proto.csi.v1.ListVolumesRequest;
import io.csi4j.proto.csi.v1.Topology;
import io.csi4j.proto.csi.v1.Volume;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.WrongAnswer;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Volumes in another place, or of another size, than the caller asked for. */
class WrongVolumesTest {
    private static final Map<String, String> A = Map.of("zone", "a");
    private static final Map<String, String> B = Map.of("zone", "b");

    private final FakeCsiPlugin plugin = FakeCsiPlugin.builder()
            .topology(A)
            .knownNode("node-b", B)
            .capacity(B, 100)
            .build()
            .startInProcess();
    private final PluginClient client = PluginClient.inProcess(plugin);
    private final Walk walk = new Walk(client, plugin.nodeId());

    @AfterEach
    void close() {
        client.close();
        plugin.close();
    }

    private static Topology place(Map<String, String> segments) {
        return Topology.newBuilder().putAllSegments(segments).build();
    }

    private CreateVolumeRequest.Builder request(String name) {
        walk.bytes = 40;
        CreateVolumeRequest.Builder request = walk.createRequest(name);
        request.getAccessibilityRequirementsBuilder().addRequisite(place(A)).addPreferred(place(A));
        return request;
    }

    private Volume create(CreateVolumeRequest.Builder request) {
        return client.controller().createVolume(request.build()).getVolume();
    }

    @Test
    void volumeIsReallyInOtherPlace() {
        Fault fault = plugin.onCall(Rpc.CREATE_VOLUME).forVolume("wrong").once().answerWrong(WrongAnswer.OTHER_PLACE);
        Volume volume = create(request("wrong"));
        assertThat(volume.getAccessibleTopologyList()).containsExactly(place(B));
        assertThat(fault.used()).isEqualTo(1);
        assertThat(refused(INVALID_ARGUMENT, () -> walk.attach(volume, false)))
                .contains("not accessible from node 'node-1'");
        assertThat(new Walk(client, "node-b").attach(volume, false)).isNotEmpty();
        // The repeated call, without the fault, finds the same volume.
        assertThat(create(request("wrong"))).isEqualTo(volume);
        assertThat(create(request("right")).getAccessibleTopologyList()).containsExactly(place(A));
    }

    @Test
    void otherPlaceNeedsKnownPlaceOutsideOfRequestWithRoom() {
        plugin.addFaults("on CreateVolume answer-wrong other-place");
        CreateVolumeRequest.Builder everywhere = request("everywhere");
        everywhere.getAccessibilityRequirementsBuilder().addRequisite(place(B));
        assertThat(refused(INTERNAL, () -> create(everywhere))).contains("add a node elsewhere");
        assertThat(create(walk.createRequest("anywhere")).getAccessibleTopologyList())
                .containsExactly(place(B));
        CreateVolumeRequest.Builder preferring = request("preferring");
        preferring.getAccessibilityRequirementsBuilder().clearRequisite();
        assertThat(create(preferring).getAccessibleTopologyList()).containsExactly(place(B));
        assertThat(refused(io.grpc.Status.Code.RESOURCE_EXHAUSTED, () -> create(request("third"))))
                .contains("{zone=b} has 20");
    }

    @ParameterizedTest
    @CsvSource({
        "one-byte-more, 41, 51",
        "one-byte-less, 39, 49",
        "unknown-size, 0, 0",
        "largest-size, 9223372036854775807, 9223372036854775807",
        "tiny-sizes, 1, 1"
    })
    void answeredSizeDiffersFromVolume(String word, long created, long expanded) {
        plugin.addFaults("on any answer-wrong " + word);
        Volume volume = create(request("v"));
        assertThat(volume.getCapacityBytes()).isEqualTo(created);
        assertThat(client.controller()
                        .controllerExpandVolume(ControllerExpandVolumeRequest.newBuilder()
                                .setVolumeId(volume.getVolumeId())
                                .setCapacityRange(CapacityRange.newBuilder().setRequiredBytes(50))
                                .build())
                        .getCapacityBytes())
                .isEqualTo(expanded);
        plugin.removeFaults();
        assertThat(client.controller()
                        .listVolumes(ListVolumesRequest.getDefaultInstance())
                        .getEntries(0)
                        .getVolume()
                        .getCapacityBytes())
                .isEqualTo(50);
    }
}
