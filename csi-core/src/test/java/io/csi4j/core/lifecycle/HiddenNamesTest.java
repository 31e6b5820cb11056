package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.csi.ExternalVolume;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeContentSource;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.rpc.CreateVolumeResponse;
import io.csi4j.core.spi.Access;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Volume;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Refusals do not name objects that the caller may not see. */
class HiddenNamesTest {
    private static final VolumeKey OWN = VolumeKey.of("eve", "own");
    private static final VolumeKey HIDDEN = VolumeKey.of("hidden", "treasure");

    private final VolumeRig rig = VolumeRig.started();
    private final Set<Access> granted =
            new HashSet<>(Set.of(Access.of(Permission.PLUGIN_READ), access(Permission.VOLUME_WRITE)));
    private final VolumeLifecycle host;
    private final CallerOperations eve;

    HiddenNamesTest() {
        rig.access = (caller, access) -> !caller.getName().equals("eve") || granted.contains(access);
        host = rig.engine();
        eve = host.as(() -> "eve");
    }

    private static Access access(Permission permission) {
        return Access.in(Namespace.of("eve"), permission);
    }

    private Volume made(VolumeKey key) {
        return rig.done(host.volumes().create(key, VolumeRig.spec().build()));
    }

    @Test
    void claimsAreNamedOnlyToCallersWhoMayReadTheVolume() {
        made(OWN);
        AllocationId holder = AllocationId.of("holder-7");
        rig.done(host.cluster().allocationStarted(holder, OWN.namespace(), NodeId.of("n1")));
        rig.done(host.claims()
                .claim(
                        holder,
                        List.of(ClaimRequest.writing(
                                OWN, RequestedCapability.mount(VolumeAccessMode.MULTI_NODE_MULTI_WRITER)))));
        assertThat(rig.failed(eve.volumes().delete(OWN), RejectedException.class))
                .hasMessageContaining("is in use")
                .hasMessageNotContaining("holder-7")
                .satisfies(refused -> assertThat(refused.reason().toString()).doesNotContain("holder-7"));
        granted.add(access(Permission.VOLUME_READ));
        assertThat(rig.failed(eve.volumes().delete(OWN), RejectedException.class))
                .hasMessageContaining("holder-7");
    }

    @Test
    void keyOfAnotherNamespaceThatHasTheVolumeIsNotNamed() {
        Volume hidden = made(HIDDEN);
        rig.gateway.answer(
                Rpc.CREATE_VOLUME,
                sent -> new CreateVolumeResponse(
                        ExternalVolume.builder(hidden.remoteId()).build()));
        assertThat(rig.failed(eve.volumes().create(OWN, VolumeRig.spec().build()), RejectedException.class))
                .hasMessageContaining("registered under another key")
                .hasMessageNotContaining("treasure")
                .satisfies(refused -> assertThat(refused.reason().toString()).doesNotContain("treasure"));
        rig.gateway.answer(
                Rpc.CREATE_VOLUME,
                sent -> new CreateVolumeResponse(
                        ExternalVolume.builder(hidden.remoteId()).build()));
        assertThat(rig.failed(host.volumes().create(OWN, VolumeRig.spec().build()), RejectedException.class))
                .hasMessageContaining(HIDDEN.toString());
    }

    @Test
    void creationInAnotherNamespaceThatHoldsTheDeletionUpIsNotNamed() {
        Volume own = made(OWN);
        for (int i = 0; i < 1000; i++) {
            rig.gateway.fail(Rpc.CREATE_VOLUME, StatusCode.ABORTED);
        }
        var copy = host.volumes()
                .create(
                        HIDDEN,
                        VolumeRig.spec()
                                .contentSource(VolumeContentSource.volume(own.remoteId()))
                                .build());
        rig.clock.run();
        assertThat(copy).isNotDone();
        assertThat(rig.failedLater(eve.volumes().delete(OWN), UnfinishedException.class))
                .hasMessageContaining("is the source of a volume of another namespace")
                .hasMessageNotContaining("treasure");
    }
}
