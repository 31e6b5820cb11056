package io.csi4j.client.internal.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.rpc.CsiRequest;
import io.csi4j.core.rpc.NodeGetVolumeStatsRequest;
import io.csi4j.proto.csi.v1.CreateVolumeRequest;
import io.csi4j.proto.csi.v1.GetMetadataDeltaRequest;
import io.csi4j.proto.csi.v1.ListSnapshotsRequest;
import io.csi4j.proto.csi.v1.ListVolumesRequest;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The advice in the messages of failed calls, and the parts of requests that relays and messages need. */
class NextStepTest {
    private static final String AGAIN = ", then call again with the same fields.";

    private static String after(Rpc rpc, StatusCode code, CallOutcome outcome) {
        return NextStep.after(rpc, code, outcome);
    }

    @Test
    void unknownOutcomeIsResolvedBySameOrOppositeCall() {
        CallOutcome unknown = CallOutcome.OUTCOME_UNKNOWN;
        assertThat(after(Rpc.NODE_STAGE_VOLUME, StatusCode.UNAVAILABLE, unknown))
                .isEqualTo("Whether it took effect is unknown, and may change yet: call again with the same fields, or"
                        + " undo it with NodeUnstageVolume.");
        assertThat(after(Rpc.DELETE_VOLUME, StatusCode.ABORTED, unknown))
                .isEqualTo("Another operation is pending for it. Whether it took effect is unknown, and may change yet:"
                        + " call again with the same fields.");
        assertThat(after(Rpc.CREATE_VOLUME, StatusCode.ABORTED, unknown))
                .isEqualTo("Another operation is pending for it. Whether the volume was made is unknown, and may change"
                        + " yet: call again with the same name and fields.");
        assertThat(after(Rpc.PROBE, StatusCode.ABORTED, unknown))
                .isEqualTo("Another operation is pending for it. Nothing was changed by it; ask again.");
        assertThat(after(Rpc.PROBE, StatusCode.UNAVAILABLE, unknown))
                .isEqualTo("Nothing was changed by it; ask again.");
    }

    @Test
    void causeOfFailureIsToBeCured() {
        Map<StatusCode, String> cures = Map.of(
                StatusCode.PERMISSION_DENIED, "Have the rights granted at the storage provider",
                StatusCode.RESOURCE_EXHAUSTED, "Make room: a limit, a quota or the capacity is used up",
                StatusCode.UNAUTHENTICATED, "Refresh the secrets",
                StatusCode.FAILED_PRECONDITION,
                        "Bring the volume into the state that the call needs (see the plugin's words, in the volume's"
                                + " status or in the log)",
                StatusCode.DATA_LOSS, "Cure the cause");
        cures.forEach((code, cure) -> assertThat(after(Rpc.NODE_STAGE_VOLUME, code, CallOutcome.RETRY_AFTER_CAUSE))
                .isEqualTo(cure + AGAIN));
    }

    @Test
    void missingObjectIsNamed() {
        Map<Rpc, String> missing = new LinkedHashMap<>();
        missing.put(Rpc.CONTROLLER_PUBLISH_VOLUME, "volume, or no such node");
        missing.put(Rpc.CREATE_VOLUME, "source (snapshot or volume) of the new volume");
        missing.put(Rpc.CREATE_SNAPSHOT, "volume to make a snapshot of");
        missing.put(Rpc.CREATE_VOLUME_GROUP_SNAPSHOT, "volume, of those to make a snapshot of");
        missing.put(Rpc.GET_SNAPSHOT, "snapshot");
        missing.put(Rpc.GET_METADATA_DELTA, "snapshot, of the two that are compared");
        missing.put(Rpc.GET_VOLUME_GROUP_SNAPSHOT, "group snapshot");
        missing.put(Rpc.NODE_EXPAND_VOLUME, "volume, or nothing of it at the path");
        missing.put(Rpc.DELETE_VOLUME, "volume");
        missing.forEach((rpc, text) -> assertThat(after(rpc, StatusCode.NOT_FOUND, CallOutcome.RETRY_AFTER_CAUSE))
                .isEqualTo("The plugin knows no such " + text + "; verify at the storage provider that it exists"
                        + AGAIN));
    }

    @Test
    void requestThatNeverSucceedsIsToBeChangedOrDropped() {
        String never = ": the same request will never succeed.";
        Rpc rpc = Rpc.CREATE_VOLUME;
        assertThat(after(rpc, StatusCode.ALREADY_EXISTS, CallOutcome.CHANGE_REQUEST))
                .isEqualTo("It exists with other properties; change the arguments or the name" + never);
        assertThat(after(rpc, StatusCode.OUT_OF_RANGE, CallOutcome.CHANGE_REQUEST))
                .isEqualTo("Change the size or the offset" + never);
        assertThat(after(rpc, StatusCode.INVALID_ARGUMENT, CallOutcome.CHANGE_REQUEST))
                .isEqualTo("Change the request" + never);
        assertThat(after(rpc, StatusCode.UNIMPLEMENTED, CallOutcome.NEVER))
                .isEqualTo("Do not repeat it: the plugin has no such RPC in this mode; read its capabilities again.");
        assertThat(after(rpc, StatusCode.FAILED_PRECONDITION, CallOutcome.NEVER))
                .isEqualTo("Do not repeat it while the volume is in use.");
        assertThat(after(rpc, StatusCode.ABORTED, CallOutcome.PAGE_RESTART))
                .isEqualTo("Begin the listing again with an empty token.");
        assertThat(after(rpc, StatusCode.OK, CallOutcome.DONE)).isEqualTo("Nothing more is to be done.");
    }

    @Test
    void subjectAndPageOfRelayedRequestAreRead() {
        assertThat(RelayedRequests.call(
                        Rpc.CREATE_VOLUME,
                        CreateVolumeRequest.newBuilder()
                                .setName("pvc-1")
                                .putSecrets("password", "hunter2-hunter2")
                                .build()
                                .toByteArray()))
                .satisfies(call -> {
                    assertThat(call.subject()).isEqualTo("pvc-1");
                    assertThat(call.continuesPage()).isFalse();
                    assertThat(call.sensitive().get().scrub("hunter2-hunter2")).isEqualTo("[hidden]");
                });
        ListSnapshotsRequest.Builder snapshots =
                ListSnapshotsRequest.newBuilder().setSourceVolumeId("vol-1");
        assertThat(RelayedRequests.call(Rpc.LIST_SNAPSHOTS, snapshots.build().toByteArray())
                        .subject())
                .isEqualTo("vol-1");
        assertThat(RelayedRequests.call(
                                Rpc.LIST_SNAPSHOTS,
                                snapshots.setSnapshotId("snap-1").build().toByteArray())
                        .subject())
                .isEqualTo("snap-1");
        assertThat(RelayedRequests.call(
                                Rpc.GET_METADATA_DELTA,
                                GetMetadataDeltaRequest.newBuilder()
                                        .setTargetSnapshotId("snap-2")
                                        .build()
                                        .toByteArray())
                        .subject())
                .isEqualTo("snap-2");
        assertThat(RelayedRequests.call(Rpc.LIST_VOLUMES, new byte[0])).satisfies(call -> {
            assertThat(call.subject()).isNull();
            assertThat(call.continuesPage()).isFalse();
        });
        assertThat(RelayedRequests.call(
                                Rpc.LIST_VOLUMES,
                                ListVolumesRequest.newBuilder()
                                        .setStartingToken("next")
                                        .build()
                                        .toByteArray())
                        .continuesPage())
                .isTrue();
    }

    @Test
    void requestOfOtherServiceOrWithBrokenMessageIsNotRelayed() {
        assertThatThrownBy(() -> RelayedRequests.call(Rpc.NODE_STAGE_VOLUME, new byte[0]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("rpc: NodeStageVolume is of the service ");
        assertThatThrownBy(() -> RelayedRequests.call(Rpc.LIST_VOLUMES, new byte[] {1}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("message: 1 bytes are no request of ListVolumes")
                .hasNoCause();
    }

    @Test
    void callThatNeedsMissingCapabilityIsRefused() {
        Capabilities none = Capabilities.unknown().withNode(CapabilitySet.of(NodeCapability.class, List.of()));
        CapabilityGuard guard = new CapabilityGuard("ebs", () -> none);
        assertThat(guard.refusal(Rpc.NODE_GET_VOLUME_STATS))
                .isInstanceOf(CsiRequestException.class)
                .hasMessageContaining("NodeGetVolumeStatsRequest");
        assertThat(guard.refusal(
                        Rpc.NODE_GET_VOLUME_STATS,
                        NodeGetVolumeStatsRequest.builder(ExternalVolumeId.of("vol-1"), "/t")
                                .build()))
                .isInstanceOf(CsiRequestException.class);
        assertThat(guard.refusal(Rpc.NODE_GET_INFO)).isNull();
        assertThat(guard.refusal(Rpc.NODE_GET_INFO, CsiRequest.empty())).isNull();
        CapabilityGuard unknown = new CapabilityGuard("ebs", Capabilities::unknown);
        assertThat(unknown.refusal(Rpc.NODE_GET_VOLUME_STATS)).isNull();
        IllegalStateException unreadable = new IllegalStateException("unreadable");
        CapabilityGuard broken = new CapabilityGuard("ebs", () -> {
            throw unreadable;
        });
        assertThat(broken.refusal(Rpc.PROBE)).isSameAs(unreadable);
    }
}
