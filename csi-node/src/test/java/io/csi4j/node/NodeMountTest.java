package io.csi4j.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.MountFlags;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.RequestedCapability;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class NodeMountTest {
    private static final NodeVolumeId ID = Bench.id("v");
    private static final MountOptions OPTIONS = MountOptions.of("ext4", "noatime");
    private static final Secrets STAGE = Secrets.of(Map.of("k", "stage-canary"));
    private static final Secrets PUBLISH = Secrets.of(Map.of("k", "publish-canary"));

    private static NodeMount.Builder builder() {
        return NodeMount.builder(ID, AllocationId.of("a"), Bench.MANY).mountOptions(OPTIONS);
    }

    private static NodeMount whole() {
        return builder()
                .targetFlags(MountFlags.of("nosuid"))
                .number(3)
                .readonly(true)
                .publishContext(PublishContext.of(Map.of("device", "sda")))
                .volumeContext(VolumeContext.of(Map.of("share", "s")))
                .externalNodeId(ExternalNodeId.of("machine"))
                .stageSecrets(STAGE)
                .publishSecrets(PUBLISH)
                .build();
    }

    @Test
    void mountHasEachValueOfItsBuilder() {
        NodeMount mount = whole();
        assertThat(mount.id()).isEqualTo(ID);
        assertThat(mount.volume()).isEqualTo(ID.volume());
        assertThat(mount.pluginId()).isEqualTo(ID.pluginId());
        assertThat(mount.externalVolumeId()).isEqualTo(ID.externalVolumeId());
        assertThat(mount.allocationId()).isEqualTo(AllocationId.of("a"));
        assertThat(mount.number()).isEqualTo(3);
        assertThat(mount.numberProposed()).isFalse();
        assertThat(mount.capability()).isEqualTo(Bench.MANY);
        assertThat(mount.mountOptions()).isEqualTo(OPTIONS);
        assertThat(mount.targetFlags()).isEqualTo(MountFlags.of("nosuid"));
        assertThat(mount.readonly()).isTrue();
        assertThat(mount.publishContext()).isEqualTo(PublishContext.of(Map.of("device", "sda")));
        assertThat(mount.volumeContext()).isEqualTo(VolumeContext.of(Map.of("share", "s")));
        assertThat(mount.externalNodeId()).contains(ExternalNodeId.of("machine"));
        assertThat(mount.secrets()).isEqualTo(new MountSecrets(STAGE, PUBLISH));
        assertThat(mount.toString())
                .startsWith("NodeMount[")
                .contains("allocation a")
                .doesNotContain("canary");
    }

    @Test
    void mountWithoutOtherValuesIsWritableAndHasTheFlagsOfItsOptions() {
        NodeMount mount = builder().build();
        assertThat(mount.readonly()).isFalse();
        assertThat(mount.number()).isZero();
        assertThat(mount.targetFlags()).isEqualTo(OPTIONS.mountFlags());
        assertThat(mount.externalNodeId()).isEmpty();
        assertThat(mount.secrets()).isEqualTo(MountSecrets.none());
    }

    @Test
    void accessModeThatOnlyReadsMakesMountReadonly() {
        assertThat(NodeMount.builder(
                                ID,
                                AllocationId.of("a"),
                                RequestedCapability.mount(VolumeAccessMode.MULTI_NODE_READER_ONLY))
                        .build()
                        .readonly())
                .isTrue();
    }

    @Test
    void negativeNumberIsRejected() {
        assertThatThrownBy(() -> builder().number(-1)).isInstanceOf(IllegalArgumentException.class);
    }

    private static ClaimRequest request(String volume, ClaimMode mode, String... flags) {
        return new ClaimRequest(
                Bench.id(volume).volume(),
                mode,
                Bench.MANY,
                flags.length == 0 ? MountOptions.none() : MountOptions.of("", flags));
    }

    @Test
    void severalRequestsOfVolumeAreNumberedFromTheWritingOne() {
        ClaimRequest reading = request("v", ClaimMode.READ, "nodev");
        ClaimRequest writing = request("v", ClaimMode.WRITE);
        NodeMount granted = builder().build();
        Map<ClaimRequest, NodeMount> mounts =
                granted.forRequests(List.of(request("w", ClaimMode.WRITE), reading, writing, reading));
        assertThat(mounts).containsOnlyKeys(reading, writing);
        NodeMount reader = mounts.get(reading);
        assertThat(reader.number()).isEqualTo(1);
        assertThat(reader.readonly()).isTrue();
        assertThat(reader.targetFlags()).isEqualTo(MountFlags.of("nodev"));
        assertThat(reader.mountOptions()).isEqualTo(OPTIONS);
        NodeMount writer = mounts.get(writing);
        assertThat(writer.number()).isZero();
        assertThat(writer.readonly()).isFalse();
        assertThat(writer.targetFlags()).isEqualTo(OPTIONS.mountFlags());
        assertThat(mounts.values()).allMatch(NodeMount::numberProposed);
    }

    @Test
    void onlyRequestOfVolumeHasTheTermsOfTheGrant() {
        ClaimRequest only = request("v", ClaimMode.READ, "nodev");
        NodeMount granted = whole();
        Map<ClaimRequest, NodeMount> mounts = granted.forRequests(List.of(request("w", ClaimMode.WRITE), only));
        assertThat(mounts).containsOnlyKeys(only);
        NodeMount mount = mounts.get(only);
        assertThat(mount.numberProposed()).isTrue();
        assertThat(mount.number()).isEqualTo(3);
        assertThat(mount.targetFlags()).isEqualTo(granted.targetFlags());
        assertThat(mount.secrets()).isEqualTo(granted.secrets());
    }
}
