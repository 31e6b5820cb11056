package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.rpc.ValidateVolumeCapabilitiesRequest;
import io.csi4j.core.rpc.ValidateVolumeCapabilitiesResponse;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.VolumeSpec;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** What a plugin has to confirm before a volume is registered. */
class ConfirmationTest {
    private static final RequestedCapability MANY = RequestedCapability.mount(VolumeAccessMode.MULTI_NODE_MULTI_WRITER);

    private final VolumeRig rig = VolumeRig.started();

    private void confirms(UnaryOperator<List<VolumeCapability>> answer) {
        rig.gateway.plan(Rpc.VALIDATE_VOLUME_CAPABILITIES, call -> {
            var asked = (ValidateVolumeCapabilitiesRequest) call.request();
            return CompletableFuture.completedFuture(new ValidateVolumeCapabilitiesResponse(
                    Optional.of(new ValidateVolumeCapabilitiesResponse.Confirmed(
                            VolumeContext.empty(), answer.apply(asked.volumeCapabilities()), Map.of(), Map.of())),
                    ""));
        });
    }

    private VolumeSpec spec(RequestedCapability... capabilities) {
        return VolumeRig.spec().requestedCapabilities(List.of(capabilities)).build();
    }

    private void registered(VolumeSpec spec) {
        rig.done(rig.engine().volumes().register(VolumeRig.VOL, spec));
        assertThat(rig.log.snapshot().volume(VolumeRig.VOL)).isPresent();
    }

    private CsiRequestException refused(VolumeSpec spec) {
        CsiRequestException refusal =
                rig.failed(rig.engine().volumes().register(VolumeRig.VOL, spec), CsiRequestException.class);
        assertThat(refusal).hasMessageContaining("requestedCapabilities");
        assertThat(rig.log.snapshot().volume(VolumeRig.VOL)).isEmpty();
        return refusal;
    }

    @Test
    void confirmationWithReorderedCapabilitiesIsAccepted() {
        confirms(asked -> {
            List<VolumeCapability> reversed = new ArrayList<>(asked);
            Collections.reverse(reversed);
            return reversed;
        });
        registered(spec(MANY, RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER)));
    }

    @Test
    void confirmationOfSeveralBlockCapabilitiesIsAccepted() {
        confirms(asked -> asked);
        registered(spec(
                RequestedCapability.block(VolumeAccessMode.SINGLE_NODE_WRITER),
                RequestedCapability.block(VolumeAccessMode.MULTI_NODE_MULTI_WRITER)));
    }

    @Test
    void confirmationOfOtherParametersIsRejected() {
        VolumeSpec spec = VolumeRig.spec()
                .parameters(Map.of("type", "ssd"))
                .mutableParameters(Map.of("iops", "100"))
                .build();
        confirmsParameters(Map.of("type", "hdd"), Map.of());
        assertThat(rig.failed(rig.engine().volumes().register(VolumeRig.VOL, spec), CsiRequestException.class))
                .hasMessageContaining("parameters are not the volume's");
        confirmsParameters(Map.of(), Map.of("iops", "200"));
        assertThat(rig.failed(rig.engine().volumes().register(VolumeRig.VOL, spec), CsiRequestException.class))
                .hasMessageContaining("mutableParameters are not the volume's");
        confirmsParameters(spec.parameters(), spec.mutableParameters());
        registered(spec);
    }

    private void confirmsParameters(Map<String, String> parameters, Map<String, String> mutableParameters) {
        rig.gateway.answer(
                Rpc.VALIDATE_VOLUME_CAPABILITIES,
                request -> new ValidateVolumeCapabilitiesResponse(
                        Optional.of(new ValidateVolumeCapabilitiesResponse.Confirmed(
                                VolumeContext.empty(),
                                ((ValidateVolumeCapabilitiesRequest) request).volumeCapabilities(),
                                parameters,
                                mutableParameters)),
                        ""));
    }

    @Test
    void emptyConfirmationCountsAsRefusal() {
        confirms(asked -> List.of());
        refused(spec(MANY));
    }

    @Test
    void confirmationOfWrongAccessModeIsRejected() {
        confirms(asked -> List.of(VolumeCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER)));
        refused(spec(MANY));
    }

    @Test
    void errorForConfirmationWithoutMountFlagsHidesRequestedFlags() {
        confirms(asked -> List.of(MANY.toVolumeCapability(MountOptions.of("ext4"))));
        VolumeSpec flagged = VolumeRig.spec()
                .requestedCapabilities(List.of(MANY))
                .mountOptions(MountOptions.of("ext4", "canary-flag"))
                .build();
        assertThat(refused(flagged)).hasMessageNotContaining("canary-flag");
    }

    @Test
    void confirmationWithReorderedMountFlagsIsAccepted() {
        confirms(asked -> List.of(MANY.toVolumeCapability(MountOptions.of("ext4", "noatime", "discard"))));
        registered(VolumeRig.spec()
                .requestedCapabilities(List.of(MANY))
                .mountOptions(MountOptions.of("ext4", "discard", "noatime"))
                .build());
    }

    @Test
    void confirmationOfMountForBlockRequestIsRejected() {
        confirms(asked -> List.of(VolumeCapability.mount(VolumeAccessMode.MULTI_NODE_MULTI_WRITER)));
        refused(spec(RequestedCapability.block(VolumeAccessMode.MULTI_NODE_MULTI_WRITER)));
    }
}
