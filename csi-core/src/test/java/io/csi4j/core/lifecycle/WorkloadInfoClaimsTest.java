package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.command.VolumeRequest;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AccountName;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.plugin.PluginProfile;
import io.csi4j.core.rpc.ControllerPublishVolumeRequest;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.SecurityLabel;
import io.csi4j.core.volume.VolumeClass;
import io.csi4j.core.volume.VolumeKind;
import io.csi4j.core.volume.VolumeTemplate;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The information about the workload in the grants of claims. */
class WorkloadInfoClaimsTest {
    private static final RequestedCapability MOUNT = RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER);
    private static final VolumeClassName CERTIFICATES = VolumeClassName.of("certificates");

    private static final String UID = "csi.storage.k8s.io/pod.uid";
    private static final String ACCOUNT = "csi.storage.k8s.io/serviceAccount.name";
    private final VolumeRig rig = new VolumeRig();
    private VolumeLifecycle leader;

    WorkloadInfoClaimsTest() {
        rig.nodes("n1", "n2");
        leader = rig.engine();
    }

    private void put(PluginId plugin, boolean workloadInfo) {
        rig.done(leader.cluster()
                .putPluginProfile(
                        PluginProfile.builder(plugin)
                                .workloadInfo(workloadInfo)
                                .extraMetadata(!workloadInfo)
                                .build(),
                        0));
    }

    private VolumeGrant granted(String allocation, ClaimRequest request) {
        rig.allocation(allocation, "n1", AllocationStatus.RUNNING);
        return rig.done(leader.claims().claim(AllocationId.of(allocation), List.of(request)))
                .volumes()
                .get(0);
    }

    private ClaimRequest created(String id) {
        VolumeKey key = VolumeKey.of("default", id);
        rig.done(leader.volumes().create(key, VolumeRig.spec().build()));
        return ClaimRequest.writing(
                key, VolumeRig.spec().build().requestedCapabilities().get(0));
    }

    private Map<String, String> info(String allocation, boolean ephemeral) {
        return Map.of(
                "csi.storage.k8s.io/pod.name",
                allocation,
                "csi.storage.k8s.io/pod.namespace",
                "default",
                "csi.storage.k8s.io/pod.uid",
                uid(allocation),
                "csi.storage.k8s.io/ephemeral",
                Boolean.toString(ephemeral));
    }

    /** Returns the uid that the documentation of the keys defines: a name-based UUID of the index and the id. */
    private String uid(String allocation) {
        long index = rig.log
                .snapshot()
                .allocation(AllocationId.of(allocation))
                .orElseThrow()
                .createIndex();
        byte[] digest = md5(index + "/" + allocation);
        digest[6] = (byte) ((digest[6] & 0x0f) | 0x30);
        digest[8] = (byte) ((digest[8] & 0x3f) | 0x80);
        String hex = HexFormat.of().formatHex(digest);
        return String.join(
                "-",
                hex.substring(0, 8),
                hex.substring(8, 12),
                hex.substring(12, 16),
                hex.substring(16, 20),
                hex.substring(20));
    }

    private static byte[] md5(String text) {
        try {
            return MessageDigest.getInstance("MD5").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void grantSaysForWhichWorkloadItIsIfTheProfileOfThePluginAsksForIt() {
        ClaimRequest request = created("v");
        assertThat(granted("web-1", request).workloadInfo().isEmpty())
                .as("no profile")
                .isTrue();
        put(PluginId.of("another"), true);
        assertThat(granted("web-1", request).workloadInfo().isEmpty())
                .as("the profile of another plugin")
                .isTrue();
        put(VolumeRig.PLUGIN, false);
        assertThat(granted("web-1", request).workloadInfo().isEmpty())
                .as("a profile without it")
                .isTrue();
        put(VolumeRig.PLUGIN, true);
        assertThat(granted("web-1", request).workloadInfo().asMap()).isEqualTo(info("web-1", false));
        assertThat(granted("web-1", request).toString()).doesNotContain("pod.name");
        assertThat(granted("web-1", request).view().volume().volumeContext().asMap())
                .noneSatisfy((key, value) -> assertThat(key).startsWith("csi.storage.k8s.io/"));
    }

    /** The node keeps the decision with the mount, so a later profile changes nothing of it. */
    @Test
    void grantSaysWhetherThePluginGetsTheLabelOfTheRequest() {
        SecurityLabel label = new SecurityLabel("system_u:object_r:container_file_t:s0:c1,c2");
        ClaimRequest plain = created("v");
        ClaimRequest request = new ClaimRequest(
                plain.volume(),
                plain.mode(),
                plain.capability(),
                plain.mountOptions().withLabel(label));
        put(VolumeRig.PLUGIN, true);
        assertThat(granted("web-1", request).labelByMount())
                .as("by the profile")
                .isFalse();
        rig.done(leader.cluster()
                .putPluginProfile(
                        PluginProfile.builder(VolumeRig.PLUGIN)
                                .securityLabel(true)
                                .build(),
                        0));
        VolumeGrant grant = granted("web-1", request);
        assertThat(grant.labelByMount()).isTrue();
        assertThat(grant.mountOptions().securityLabel()).contains(label);
        assertThat(grant.claim().mountOptions().securityLabel()).contains(label);
        leader = rig.engine();
        rig.run();
        VolumeGrant next = granted("web-1", request);
        assertThat(next.labelByMount()).isTrue();
        assertThat(next.mountOptions()).isEqualTo(grant.mountOptions());
        assertThat(rig.gateway.requests(Rpc.CONTROLLER_PUBLISH_VOLUME))
                .isNotEmpty()
                .allSatisfy(call -> assertThat(((ControllerPublishVolumeRequest) call)
                                .volumeCapability()
                                .mountVolume()
                                .orElseThrow()
                                .mountFlags()
                                .asList())
                        .isEmpty());
    }

    @Test
    void nextLeaderGrantsTheSameInformation() {
        ClaimRequest request = created("v");
        put(VolumeRig.PLUGIN, true);
        Map<String, String> first = granted("web-1", request).workloadInfo().asMap();
        leader = rig.engine();
        rig.run();
        assertThat(granted("web-1", request).workloadInfo().asMap()).isEqualTo(first);
    }

    @Test
    void controllerCallsHaveNothingOfTheWorkload() {
        ClaimRequest request = created("v");
        put(VolumeRig.PLUGIN, true);
        granted("web-1", request);
        assertThat(rig.gateway.requests(Rpc.CONTROLLER_PUBLISH_VOLUME))
                .isNotEmpty()
                .allSatisfy(call -> assertThat(((ControllerPublishVolumeRequest) call)
                                .volumeContext()
                                .asMap())
                        .noneSatisfy((key, value) -> assertThat(key).startsWith("csi.storage.k8s.io/")));
    }

    @Test
    void inlineVolumeIsEphemeral() {
        rig.services.clear();
        rig.onNodes.clear();
        rig.nodes("n1");
        put(VolumeRig.PLUGIN, true);
        rig.done(leader.classes()
                .put(VolumeClass.builder(CERTIFICATES, VolumeRig.PLUGIN)
                        .kind(VolumeKind.INLINE)
                        .requestedCapabilities(List.of(MOUNT))
                        .ephemeral(true)
                        .build()));
        ClaimRequest request = new VolumeRequest("cert", false, MOUNT, MountOptions.none(), false)
                .madeFrom(VolumeTemplate.builder(CERTIFICATES).ofAllocation().build())
                .claimOf(Namespace.of("default"), AllocationId.of("web-1"), 0);
        assertThat(granted("web-1", request).workloadInfo().asMap()).isEqualTo(info("web-1", true));
    }

    @Test
    void allocationWithTheIdOfAForgottenOneHasAnotherUid() {
        ClaimRequest request = created("v");
        put(VolumeRig.PLUGIN, true);
        Map<String, String> first = granted("web-1", request).workloadInfo().asMap();
        assertThat(granted("web-1", request).workloadInfo().asMap())
                .as("a later report is about the same allocation")
                .isEqualTo(first);
        rig.done(leader.cluster().allocationEnded(AllocationId.of("web-1")));
        assertThat(rig.failed(
                                leader.cluster()
                                        .allocationStarted(
                                                AllocationId.of("web-1"), Namespace.of("default"), NodeId.of("n1")),
                                RejectedException.class)
                        .reason())
                .isInstanceOf(Rejection.AllocationEnded.class);
        rig.clock.advance(Duration.ofHours(1));
        rig.done(leader.cluster().allocationForgotten(AllocationId.of("web-1")));
        rig.clock.advance(Duration.ofHours(1));
        Map<String, String> second = granted("web-1", request).workloadInfo().asMap();
        assertThat(second.get(UID)).isNotEqualTo(first.get(UID));
        assertThat(second.get("csi.storage.k8s.io/pod.name")).isEqualTo("web-1");
    }

    @Test
    void accountOfTheAllocationIsGrantedByEachLeader() {
        ClaimRequest request = created("v");
        put(VolumeRig.PLUGIN, true);
        AllocationId id = AllocationId.of("web-1");
        rig.done(leader.cluster()
                .allocationPlaced(id, Namespace.of("default"), NodeId.of("n1"), AccountName.of("builder")));
        Map<String, String> first = granted("web-1", request).workloadInfo().asMap();
        assertThat(first).containsEntry(ACCOUNT, "builder");
        leader = rig.engine();
        rig.run();
        assertThat(granted("web-1", request).workloadInfo().asMap())
                .as("a report without an account changes nothing")
                .isEqualTo(first);
        assertThat(granted("web-2", request).workloadInfo().asMap()).doesNotContainKey(ACCOUNT);
    }

    @Test
    void accountOfAnAllocationNeverChanges() {
        AllocationId id = AllocationId.of("web-1");
        Namespace namespace = Namespace.of("default");
        NodeId node = NodeId.of("n1");
        rig.done(leader.cluster().allocationPlaced(id, namespace, node));
        rig.done(leader.cluster().allocationStarted(id, namespace, node, AccountName.of("builder")));
        assertThat(rig.failed(
                                leader.cluster().allocationStarted(id, namespace, node, AccountName.of("admin")),
                                RejectedException.class)
                        .reason()
                        .message())
                .contains("web-1", "admin", "runs as builder", "report the same account");
        rig.done(leader.cluster().allocationEnded(id));
        assertThat(rig.log.snapshot().allocation(id).orElseThrow().account()).contains(AccountName.of("builder"));
    }
}
