package io.csi4j.core.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ExternalVolume;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.TopologyRequirement;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.csi.VolumeContentSource;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.rpc.ControllerService;
import io.csi4j.core.rpc.CreateVolumeRequest;
import io.csi4j.core.rpc.DeleteVolumeRequest;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class InstantGatewayTest {
    private static final Topology NEAR = Topology.of("zone", "near");
    private static final Topology FAR = Topology.of("zone", "far");

    private static final InstanceKey INSTANCE =
            new InstanceKey(NodeId.of("n"), PluginId.of("disk"), PluginType.MONOLITH, Optional.empty());
    private static final InstantGateway CREATING = new InstantGateway() {
        @Override
        protected boolean createsVolumes() {
            return true;
        }
    };

    private final ControllerService controller = CREATING.controller(INSTANCE);

    private static CreateVolumeRequest.Builder request() {
        return CreateVolumeRequest.builder(
                "vol-1", List.of(VolumeCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER)));
    }

    private ExternalVolume made(CreateVolumeRequest.Builder request) {
        return controller.createVolume(request.build()).join().volume();
    }

    @Test
    void createdVolumeHasTheNameTheSizeAndThePlaceOfItsRequest() {
        VolumeContentSource source = new VolumeContentSource.VolumeSource(ExternalVolumeId.of("vol-0"));
        ExternalVolume volume = made(request()
                .capacityRange(CapacityRange.atLeast(300))
                .volumeContentSource(source)
                .accessibilityRequirements(new TopologyRequirement(List.of(FAR, NEAR), List.of(NEAR))));
        assertThat(volume.volumeId()).isEqualTo(ExternalVolumeId.of("vol-1"));
        assertThat(volume.capacityBytes()).isEqualTo(300);
        assertThat(volume.contentSource()).contains(source);
        assertThat(volume.accessibleTopology()).containsExactly(NEAR);
        assertThat(made(request().accessibilityRequirements(TopologyRequirement.requisite(FAR, NEAR)))
                        .accessibleTopology())
                .containsExactly(FAR, NEAR);
        assertThat(made(request()).accessibleTopology()).isEmpty();
    }

    @Test
    void creationFailsUnlessASubclassWantsIt() {
        ControllerService other = new InstantGateway().controller(INSTANCE);
        assertThatThrownBy(() -> other.createVolume(request().build()))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("createVolume");
        assertThatThrownBy(() -> other.deleteVolume(DeleteVolumeRequest.builder(ExternalVolumeId.of("vol-1"))
                        .build()))
                .isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void deletionSucceedsAtOnce() {
        assertThat(controller.deleteVolume(DeleteVolumeRequest.builder(ExternalVolumeId.of("vol-1"))
                        .build()))
                .isCompleted();
    }
}
