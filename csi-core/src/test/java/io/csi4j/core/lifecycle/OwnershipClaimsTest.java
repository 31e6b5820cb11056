package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.csi.MountFlags;
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

    /** Only the node knows whether its plugin has VOLUME_MOUNT_GROUP, so the node refuses the group, and the claim does not. */
    @Test
    void claimWithAGroupIsGrantedAlsoIfNodesMayNotSetIt() {
        ClaimRequest request = created("v", MountOptions.none(), GROUP);
        put(profile().ownershipFixed(true));
        VolumeGrant grant = granted("a", request);
        assertThat(grant.ownershipSettings().fixed()).isTrue();
        assertThat(grant.mountOptions().volumeMountGroup()).isEqualTo("1234");
    }
}
