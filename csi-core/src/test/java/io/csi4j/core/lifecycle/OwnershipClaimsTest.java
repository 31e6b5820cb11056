package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.command.AdmissionDecision;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.NeverReason;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.csi.MountFlags;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.plugin.OwnershipSettings;
import io.csi4j.core.plugin.PluginProfile;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.RequestedCapability;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How the profile of a plugin reaches the node that gives files to a group. */
class OwnershipClaimsTest {
    private static final RequestedCapability WRITER =
            RequestedCapability.mount(VolumeAccessMode.MULTI_NODE_MULTI_WRITER);
    private static final MountOptions GROUP = new MountOptions("", MountFlags.empty(), "1234");

    private final VolumeRig rig = new VolumeRig();
    private VolumeLifecycle leader;

    OwnershipClaimsTest() {
        rig.nodes("n1", "n2");
        leader = rig.engine();
    }

    private void put(PluginProfile.Builder profile) {
        rig.done(leader.cluster().putPluginProfile(profile.build(), 0));
    }

    private static PluginProfile.Builder profile() {
        return PluginProfile.builder(VolumeRig.PLUGIN);
    }

    private ClaimRequest created(String id, MountOptions common, MountOptions own) {
        VolumeKey key = VolumeKey.of("default", id);
        rig.done(leader.volumes()
                .create(key, VolumeRig.spec().mountOptions(common).build()));
        return new ClaimRequest(key, ClaimMode.WRITE, WRITER, own);
    }

    private VolumeGrant granted(String allocation, ClaimRequest request) {
        rig.allocation(allocation, "n1", AllocationStatus.RUNNING);
        return rig.done(leader.claims().claim(AllocationId.of(allocation), List.of(request)))
                .volumes()
                .get(0);
    }

    private Rejection refused(String allocation, ClaimRequest request) {
        rig.allocation(allocation, "n1", AllocationStatus.RUNNING);
        return rig.failed(
                        leader.claims().claim(AllocationId.of(allocation), List.of(request)), RejectedException.class)
                .reason();
    }

    @Test
    void grantHasTheSettingsOfItsTime() {
        ClaimRequest request = created("v", MountOptions.none(), GROUP);
        assertThat(granted("a", request).ownershipSettings()).isEqualTo(OwnershipSettings.ofDefaults());
        put(profile().ownershipExcludes(List.of(".snapshot", "lost+found")));
        OwnershipSettings excluding = new OwnershipSettings(false, List.of(".snapshot", "lost+found"));
        assertThat(granted("b", request).ownershipSettings()).isEqualTo(excluding);
        leader = rig.engine();
        rig.run();
        assertThat(granted("b", request).ownershipSettings()).isEqualTo(excluding);
    }

    /** The volume is not attached for a mount that cannot be. */
    @Test
    void groupThatNeitherThePluginNorTheNodeMaySetIsRefused() {
        ClaimRequest named = created("v", MountOptions.none(), GROUP);
        ClaimRequest common = created("w", GROUP, MountOptions.none());
        put(profile().ownershipFixed(true));
        for (ClaimRequest request : List.of(named, common)) {
            assertThat(refused("a-" + request.volume().volumeId(), request))
                    .isInstanceOfSatisfying(Rejection.NotAdmitted.class, rejection -> {
                        assertThat(rejection.message())
                                .contains("plugin " + VolumeRig.PLUGIN, "ownershipFixed", "leave the group out");
                        assertThat(rejection.decision())
                                .isInstanceOfSatisfying(
                                        AdmissionDecision.Never.class,
                                        never -> assertThat(never.reason()).isEqualTo(NeverReason.PLUGIN_CANNOT));
                    });
            rig.run();
            assertThat(rig.get(request.volume()).claims().isEmpty()).isTrue();
        }
        assertThat(rig.gateway.requests(Rpc.CONTROLLER_PUBLISH_VOLUME)).isEmpty();
        ClaimRequest plain = created("x", MountOptions.none(), MountOptions.none());
        assertThat(granted("b", plain).ownershipSettings().fixed()).isTrue();
    }

    @Test
    void pluginWithTheCapabilitySetsTheGroupItself() {
        rig.onNodes.add(NodeCapability.VOLUME_MOUNT_GROUP);
        rig.nodes("n1", "n2");
        ClaimRequest request = created("v", MountOptions.none(), GROUP);
        put(profile().ownershipFixed(true));
        assertThat(granted("a", request).mountOptions().volumeMountGroup()).isEqualTo("1234");
    }

    /** The volume may be mounted for it, and only the node knows with which settings. */
    @Test
    void heldClaimIsGrantedAgainAfterTheProfileHasChanged() {
        ClaimRequest request = created("v", MountOptions.none(), GROUP);
        assertThat(granted("a", request).ownershipSettings().fixed()).isFalse();
        put(profile().ownershipFixed(true));
        leader = rig.engine();
        rig.run();
        assertThat(granted("a", request).ownershipSettings().fixed()).isTrue();
        assertThat(refused("b", request)).isInstanceOf(Rejection.NotAdmitted.class);
    }
}
