package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.cluster.LedgerReport;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.VolumeRequest;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.placement.FeasibleNodes;
import io.csi4j.core.placement.NodeAnswer;
import io.csi4j.core.state.VolumeQuery;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeClass;
import io.csi4j.core.volume.VolumeKind;
import io.csi4j.core.volume.VolumeTemplate;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Claims of inline volumes, from the request to the grant and to the end of the volume, on one and on two leaders. */
class InlineClaimsTest {
    private static final VolumeClassName CERTIFICATES = VolumeClassName.of("certificates");
    private static final RequestedCapability MOUNT = RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER);
    private static final Namespace NAMESPACE = Namespace.of("default");
    private static final List<Rpc> CONTROLLER = List.of(
            Rpc.CREATE_VOLUME,
            Rpc.DELETE_VOLUME,
            Rpc.CONTROLLER_PUBLISH_VOLUME,
            Rpc.CONTROLLER_UNPUBLISH_VOLUME,
            Rpc.VALIDATE_VOLUME_CAPABILITIES);

    private final VolumeRig rig = new VolumeRig();
    private VolumeLifecycle leader;

    InlineClaimsTest() {
        rig.services.clear();
        rig.onNodes.clear();
    }

    private void start() {
        rig.nodes("n1", "n2");
        leader = rig.engine();
        rig.done(leader.classes()
                .put(VolumeClass.builder(CERTIFICATES, VolumeRig.PLUGIN)
                        .kind(VolumeKind.INLINE)
                        .requestedCapabilities(List.of(MOUNT))
                        .attributeKeys(List.of("subject"))
                        .ephemeral(true)
                        .build()));
    }

    private static ClaimRequest request(String allocation) {
        return new VolumeRequest("cert", false, MOUNT, MountOptions.none(), false)
                .madeFrom(VolumeTemplate.builder(CERTIFICATES)
                        .ofAllocation()
                        .attributes(Map.of("subject", allocation))
                        .build())
                .claimOf(NAMESPACE, AllocationId.of(allocation), 0);
    }

    private CompletableFuture<ClaimGrant> claim(String allocation, ClaimRequest... requests) {
        rig.allocation(allocation, "n1", AllocationStatus.RUNNING);
        CompletableFuture<ClaimGrant> grant = leader.claims().claim(AllocationId.of(allocation), List.of(requests));
        rig.run();
        return grant;
    }

    private void ended(String allocation) {
        rig.allocation(allocation, "n1", AllocationStatus.ENDED);
        rig.run();
    }

    private List<Volume> volumes() {
        return rig.log.snapshot().volumes(VolumeQuery.all()).items();
    }

    private void noCallOfAController() {
        CONTROLLER.forEach(
                rpc -> assertThat(rig.gateway.requests(rpc)).as("%s", rpc).isEmpty());
    }

    @Test
    void claimIsGrantedAtOnceAndTheVolumeEndsWithItsAllocation() {
        start();
        CompletableFuture<ClaimGrant> grant = claim("web-1", request("web-1"));
        assertThat(grant).isCompleted();
        Volume granted = grant.join().volumes().get(0).view().volume();
        assertThat(granted.isInline()).isTrue();
        assertThat(granted.volumeContext().asMap())
                .isEqualTo(Map.of("subject", "web-1", "csi.storage.k8s.io/ephemeral", "true"));
        ended("web-1");
        assertThat(volumes()).isEmpty();
        assertThat(rig.gateway.requests(Rpc.NODE_UNPUBLISH_VOLUME)).hasSize(1);
        noCallOfAController();
    }

    @Test
    void pluginWithAControllerAttachesNoInlineVolume() {
        rig.services.addAll(EnumSet.of(PluginService.CONTROLLER_SERVICE));
        rig.onNodes.add(NodeCapability.STAGE_UNSTAGE_VOLUME);
        start();
        assertThat(claim("web-1", request("web-1"))).isCompleted();
        ended("web-1");
        assertThat(volumes()).isEmpty();
        noCallOfAController();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void volumeStaysUntilItsNodeHasUnpublishedIt(boolean otherLeader) {
        start();
        assertThat(claim("web-1", request("web-1"))).isCompleted();
        rig.gateway.fail(Rpc.NODE_UNPUBLISH_VOLUME, StatusCode.UNAVAILABLE);
        ended("web-1");
        assertThat(volumes()).as("silence is no end").hasSize(1);
        if (otherLeader) {
            leader = rig.engine();
        }
        rig.clock.advance(Duration.ofMinutes(10));
        assertThat(volumes()).isEmpty();
        noCallOfAController();
    }

    @Test
    void nextLeaderGrantsTheSameVolume() {
        start();
        Volume first =
                claim("web-1", request("web-1")).join().volumes().get(0).view().volume();
        leader = rig.engine();
        Volume second =
                claim("web-1", request("web-1")).join().volumes().get(0).view().volume();
        assertThat(second.remoteId()).isEqualTo(first.remoteId());
        assertThat(volumes()).hasSize(1);
    }

    @Test
    void storedRequestIsTakenByTheNextLeader() {
        start();
        rig.allocation("web-1", "n1", AllocationStatus.RUNNING);
        rig.done(rig.follower().claims().request(AllocationId.of("web-1"), List.of(request("web-1"))));
        leader = rig.engine();
        rig.run();
        assertThat(volumes())
                .singleElement()
                .satisfies(volume -> assertThat(volume.claims()).hasSize(1));
    }

    @Test
    void refusedTemplateLeavesNothing() {
        start();
        ClaimRequest wrong =
                ClaimRequest.writing(VolumeKey.of("default", "cert"), MOUNT).madeFrom(VolumeTemplate.of(CERTIFICATES));
        assertThat(rig.failed(claim("web-1", wrong), RejectedException.class))
                .hasMessageContaining("lifetime is PERSISTENT");
        assertThat(volumes()).isEmpty();
    }

    @Test
    void heldClaimWithOtherAttributesIsADifference() {
        start();
        assertThat(claim("web-1", request("web-1"))).isCompleted();
        ClaimRequest other = request("web-1")
                .madeFrom(VolumeTemplate.builder(CERTIFICATES)
                        .ofAllocation()
                        .attributes(Map.of("subject", "db"))
                        .build());
        assertThat(rig.failed(claim("web-1", other), RejectedException.class))
                .hasMessageContaining("with other attributes; release that one first");
    }

    @Test
    void nodesWithThePluginAreFeasible() {
        start();
        rig.node("bare");
        List<NodeAnswer> answers = FeasibleNodes.in(rig.log.snapshot()).onAll(NAMESPACE, List.of(request("new")));
        assertThat(answers.stream().filter(NodeAnswer::admitted).map(NodeAnswer::nodeId))
                .containsExactlyInAnyOrder(NodeId.of("n1"), NodeId.of("n2"));
    }

    @Test
    void inlineVolumeOfARestoredStateNeedsNoVerification() {
        rig.services.addAll(EnumSet.of(PluginService.CONTROLLER_SERVICE));
        start();
        assertThat(claim("web-1", request("web-1"))).isCompleted();
        leader.stopLeading();
        List.of("n1", "n2").forEach(node -> rig.gateway.ledgers.put(NodeId.of(node), LedgerReport.empty()));
        rig.ok(new NodeCommand.RequireLedgers("restored", rig.now()));
        leader = rig.engine();
        rig.clock.advance(Duration.ofMinutes(30));
        rig.gateway.calls().clear();
        assertThat(claim("web-1", request("web-1"))).isCompleted();
        rig.done(leader.operator().recheck(volumes().get(0).key()));
        noCallOfAController();
        assertThat(volumes().get(0).verification()).isEmpty();
    }
}
