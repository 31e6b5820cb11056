package io.csi4j.simulation.internal.world;

import static io.csi4j.simulation.internal.world.PlacedWorld.AT;
import static io.csi4j.simulation.internal.world.PlacedWorld.N1;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.VolumeExpansion;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Each check of instances without an answer finds the wrong state or call that is made for it, and no other check reports it. */
class ProvedInstancesTest {
    private static final InstanceKey SILENT = new InstanceKey(N1, SimVolumes.LOCAL, PluginType.NODE, Optional.empty());

    private final PlacedWorld placed = new PlacedWorld(VolumeExpansion.ONLINE);
    private final ProvedInstances checks = placed.world.provedInstances();

    @AfterEach
    void close() {
        placed.close();
    }

    private static PluginCommand.FingerprintNode report(boolean healthy) {
        PluginInstance silent = PluginInstance.builder(SILENT, AT)
                .health(healthy, "")
                .proved(false)
                .build();
        return new PluginCommand.FingerprintNode(N1, List.of(silent), AT);
    }

    @Test
    void findsNothingInListedInstanceAndInCallAfterItsAnswer() {
        placed.world.applyFromHost(report(false));
        checks.answered(SILENT);
        placed.world.applyFromHost(report(true));
        checks.called(Rpc.CREATE_VOLUME, SILENT);
        checks.called(Rpc.CREATE_VOLUME, PlacedWorld.INSTANCE);
        placed.found();
    }

    @Test
    void findsUnprovedInstanceThatCounts() {
        placed.world.applyFromHost(report(true));
        placed.found("S37: " + SILENT + " has never answered, and counts as an instance");
    }

    @Test
    void findsUnprovedInstanceThatIsNotListed() {
        checks.reported(report(false), placed.world.store().snapshot());
        placed.found("S37: " + SILENT + " is registered, and not listed as unproved");
    }

    @Test
    void findsCallToUnprovedInstance() {
        placed.world.applyFromHost(report(false));
        checks.called(Rpc.CREATE_VOLUME, SILENT);
        placed.found("S37: CreateVolume is sent to " + SILENT + ", which has never answered");
    }
}
