package io.csi4j.admin.internal.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.cluster.LedgerReport;
import io.csi4j.core.cluster.Node;
import io.csi4j.core.cluster.NodeLedger;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.csi.ExternalVolume;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeContentSource;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.NodeView;
import io.csi4j.core.rpc.GetCapacityResponse;
import io.csi4j.core.rpc.ListVolumesResponse;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.Attachments;
import io.csi4j.core.volume.Attempt;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.Claims;
import io.csi4j.core.volume.CreationForecast;
import io.csi4j.core.volume.Leftover;
import io.csi4j.core.volume.OperatorOverride;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Retry;
import io.csi4j.core.volume.Verification;
import io.csi4j.core.volume.VolumeUse;
import io.csi4j.core.volume.WithdrawnCreation;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Fields that an answer has only in rare states, from values of that state. */
class RareFieldsTest {
    private static final PluginId DISK = PluginId.of("disk");
    private static final VolumeKey KEY = VolumeKey.of("default", "v");
    private static final ExternalVolumeId EXTERNAL = ExternalVolumeId.of("vol-1");
    private static final RequestedCapability WRITER = RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER);
    private static final OperatorOverride SEEN = new OperatorOverride("kim", "seen", Instant.EPOCH);
    private static final String SEEN_TEXT =
            "{\"operator\":\"kim\",\"reason\":\"seen\",\"at\":\"1970-01-01T00:00:00Z\"}";

    @Test
    void statementOfAnOperatorIsShown() {
        Attachment attachment = Attachment.builder(NodeId.of("n1"), WRITER)
                .createIndex(1)
                .operatorOverride(SEEN)
                .build();
        assertThat(Shapes.ATTACHMENT.text(attachment)).contains("\"override\":" + SEEN_TEXT);
        Claim claim = Claim.builder(AllocationId.of("a"), NodeId.of("n1"), ClaimMode.WRITE, WRITER)
                .state(ClaimState.UNPUBLISHING)
                .createIndex(1)
                .takenIndex(1)
                .retry(Retry.of(2, "it is busy", Instant.EPOCH))
                .operatorOverride(SEEN)
                .build();
        Leftover leftover = new Leftover(DISK, EXTERNAL, KEY, Claims.of(List.of(claim)), Attachments.empty(), SEEN, 7);
        assertThat(EngineEndpoints.LEFTOVER.text(leftover))
                .contains("\"override\":" + SEEN_TEXT, "\"attempts\":2,\"lastError\":\"it is busy\"");
    }

    @Test
    void volumeOfWithdrawnCreationIsShown() {
        WithdrawnCreation creation = new WithdrawnCreation(
                DISK, "csi-v", KEY, 3, 4, Optional.of(EXTERNAL), CreationForecast.UNCLEAR, 0, Optional.empty(), SEEN);
        assertThat(EngineEndpoints.WITHDRAWN.text(creation)).contains("\"externalVolumeId\":\"vol-1\"");
    }

    @Test
    void verificationOfAVolumeOfARestoredStateIsShown() {
        Verification asked = Verification.asked(7).failed(Attempt.failed("it is busy", Instant.EPOCH));
        assertThat(VolumeShapes.VERIFICATION.text(asked))
                .contains("\"stage\":\"ASKED\",\"notFound\":0", "\"attempts\":1,\"lastError\":\"it is busy\"")
                .doesNotContain("since", "remedy");
        Attempt missing = Attempt.failed("it is missing", Instant.EPOCH);
        Verification lost =
                Verification.asked(7).notFound(1, missing, Instant.EPOCH).notFound(2, missing, Instant.EPOCH);
        assertThat(VolumeShapes.VERIFICATION.text(lost))
                .contains("\"stage\":\"LOST\",\"since\":\"1970-01-01T00:00:00Z\",\"notFound\":2", "\"remedy\":\"delete")
                .doesNotContain("retry");
    }

    @Test
    void limitsAndSourcesOfProviderAreShown() {
        assertThat(PluginShapes.CAPACITY.text(new GetCapacityResponse(9, Optional.of(5L), Optional.of(2L))))
                .isEqualTo("{\"availableCapacity\":9,\"maximumVolumeSize\":5,\"minimumVolumeSize\":2}");
        assertThat(PluginShapes.EXTERNAL.text(new ListVolumesResponse.Entry(
                        ExternalVolume.builder(EXTERNAL)
                                .contentSource(new VolumeContentSource.SnapshotSource(SnapshotId.of("s1")))
                                .build(),
                        Optional.empty())))
                .contains("\"contentSource\":{\"snapshotId\":\"s1\"}")
                .doesNotContain("publishedNodeIds");
    }

    @Test
    void usesWithoutClaimAreShown() {
        LedgerReport report = new LedgerReport(
                List.of(new VolumeUse(KEY, DISK, EXTERNAL, AllocationId.of("a7"), ClaimMode.READ, WRITER, true)),
                List.of());
        Node node = new Node(
                NodeId.of("n1"),
                NodeStatus.READY,
                Instant.EPOCH,
                "",
                5,
                0,
                List.of(),
                new NodeLedger(0, List.of(report)));
        assertThat(NodeShapes.STATUS.text(
                        new NodeView(node, Optional.empty(), Optional.empty(), "", Optional.empty(), Optional.empty())))
                .contains("\"unclaimed\":[{\"namespace\":\"default\",\"volume\":\"v\",\"plugin\":\"disk\","
                        + "\"externalVolumeId\":\"vol-1\",\"allocation\":\"a7\",\"mode\":\"READ\",\"capability\":"
                        + "{\"accessMode\":\"SINGLE_NODE_WRITER\",\"attachmentMode\":\"MOUNT\"},\"leaving\":true}]");
    }

    @Test
    void positionOfShortListIsTheKeyOfItsLastEntry() {
        List<String> found = new ArrayList<>();
        Optional<String> after = Optional.empty();
        do {
            Page<String> page = EngineEndpoints.part(
                            CompletableFuture.completedFuture(List.of("c", "a", "b")), key -> key, after, 1)
                    .join();
            assertThat(page.items()).hasSize(1);
            found.addAll(page.items());
            after = page.next();
        } while (after.isPresent() && found.size() < 9);
        assertThat(found).containsExactly("a", "b", "c");
        assertThat(EngineEndpoints.part(
                                CompletableFuture.completedFuture(List.of("c")), key -> key, Optional.of("b"), 1)
                        .join()
                        .items())
                .containsExactly("c");
    }
}
