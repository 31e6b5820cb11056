package io.csi4j.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.cluster.LedgerReport;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.VolumeUse;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The methods that a host's own mounter need not have. */
class VolumeMounterTest {
    private static final AllocationId A = AllocationId.of("a");

    /** Returns a mounter that has a ledger and nothing else. */
    private static VolumeMounter mounter(LedgerReport report) {
        return (VolumeMounter) Proxy.newProxyInstance(
                VolumeMounter.class.getClassLoader(),
                new Class<?>[] {VolumeMounter.class},
                (proxy, method, arguments) -> method.getName().equals("ledger")
                        ? CompletableFuture.completedFuture(report)
                        : InvocationHandler.invokeDefault(proxy, method, arguments));
    }

    private static VolumeUse use(NodeVolumeId id) {
        return new VolumeUse(id.volume(), id.pluginId(), id.externalVolumeId(), A, ClaimMode.WRITE, Bench.MANY, false);
    }

    @Test
    void usesAreThoseOfTheReportWithTheKeyOrTheExternalId() {
        NodeVolumeId v = Bench.id("v");
        VolumeUse renamed = use(new NodeVolumeId(VolumeKey.of("ns", "w"), v.pluginId(), v.externalVolumeId()));
        VolumeUse sameKey = use(new NodeVolumeId(v.volume(), v.pluginId(), ExternalVolumeId.of("other")));
        VolumeUse otherPlugin = use(new NodeVolumeId(VolumeKey.of("ns", "x"), PluginId.of("q"), v.externalVolumeId()));
        VolumeUse otherVolume = use(Bench.id("y"));
        LedgerReport report = new LedgerReport(
                List.of(renamed, sameKey, otherPlugin, otherVolume), List.of(VolumeKey.of("ns", "lost")));
        assertThat(mounter(report).uses(v).join()).containsExactly(renamed, sameKey);
        assertThat(mounter(report).uses(Bench.id("lost")))
                .isCompletedExceptionally()
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .withMessageContaining("Volume ns/lost may be mounted for an allocation that the ledger does not name");
    }

    @Test
    void ordersOfOperatorsAreRefusedWithTheirRemedy() {
        VolumeMounter mounter = mounter(LedgerReport.empty());
        assertThatThrownBy(() -> mounter.unmountDirectly(new NodeUnmount(Bench.id("v"), A), "alice", "killed")
                        .join())
                .hasCauseInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("unmount the target of ns/v by hand");
        assertThatThrownBy(() -> mounter.forgetUnmount(VolumeKey.of("ns", "v"), A, "alice", "killed")
                        .join())
                .hasCauseInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("drop its record of ns/v by hand");
    }
}
