package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolume;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.VolumeStatus;
import io.csi4j.core.rpc.ListVolumesResponse;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class HousekeepingTest {
    private static final Duration HOUR = Duration.ofHours(1);

    private static FacadeRig rig(LifecycleOptions.Builder options) {
        return FacadeRig.leading(options.build()).volume(FacadeRig.VOL);
    }

    private static int listings(FacadeRig rig) {
        return rig.gateway.requests(Rpc.LIST_VOLUMES).size();
    }

    @Test
    void theProviderIsNotAskedUnlessTheHostWantsIt() {
        FacadeRig rig = rig(LifecycleOptions.builder());
        rig.clock.advance(Duration.ofDays(1));
        assertThat(listings(rig)).isZero();
    }

    @Test
    void theLeaderAsksFromTimeToTimeAndNobodyElse() {
        FacadeRig rig = rig(LifecycleOptions.builder().reconciliation(HOUR, false));
        rig.clock.advance(Duration.ofMinutes(53));
        assertThat(listings(rig)).isZero();
        rig.clock.advance(Duration.ofMinutes(14));
        assertThat(listings(rig)).as("within a tenth of the hour").isEqualTo(1);
        rig.clock.advance(Duration.ofHours(10));
        assertThat(listings(rig)).isBetween(10, 13);
        int before = listings(rig);
        rig.host.stopLeading();
        rig.clock.advance(Duration.ofDays(1));
        assertThat(listings(rig)).isEqualTo(before);
        rig.host.startLeading();
        rig.host.startLeading();
        rig.clock.advance(HOUR.plus(HOUR.dividedBy(9)));
        assertThat(listings(rig)).isEqualTo(before + 1);
    }

    @Test
    void oneThatFailsIsFollowedByTheNextAndRepairsIfItMay() {
        FacadeRig rig = rig(LifecycleOptions.builder().reconciliation(HOUR, true));
        rig.gateway.fail(Rpc.LIST_VOLUMES, StatusCode.INTERNAL);
        rig.gateway.answer(
                Rpc.LIST_VOLUMES,
                request -> ListVolumesResponse.builder()
                        .entries(List.of(new ListVolumesResponse.Entry(
                                ExternalVolume.builder(ExternalVolumeId.of("ext-" + FacadeRig.VOL))
                                        .build(),
                                Optional.of(new VolumeStatus(List.of(ExternalNodeId.of("ext-n2")), Optional.empty())))))
                        .build());
        rig.clock.advance(HOUR.multipliedBy(3));
        assertThat(listings(rig)).isGreaterThan(1);
        assertThat(rig.gateway.requests(Rpc.CONTROLLER_UNPUBLISH_VOLUME)).hasSize(1);
        assertThat(rig.get(FacadeRig.VOL).inUse()).isFalse();
    }
}
