package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.VolumeRequest;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.plugin.PluginProfile;
import io.csi4j.core.rpc.ControllerPublishVolumeRequest;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.VolumeClass;
import io.csi4j.core.volume.VolumeKind;
import io.csi4j.core.volume.VolumeTemplate;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The information about the workload in the grants of claims. */
class WorkloadInfoClaimsTest {
    private static final RequestedCapability MOUNT = RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER);
    private static final VolumeClassName CERTIFICATES = VolumeClassName.of("certificates");

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

    private static Map<String, String> info(String allocation, boolean ephemeral) {
        return Map.of(
                "csi.storage.k8s.io/pod.name",
                allocation,
                "csi.storage.k8s.io/pod.namespace",
                "default",
                "csi.storage.k8s.io/pod.uid",
                allocation,
                "csi.storage.k8s.io/ephemeral",
                Boolean.toString(ephemeral));
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
}
