package io.csi4j.simulation.internal.node;

import static io.csi4j.simulation.internal.world.PlacedWorld.AT;
import static io.csi4j.simulation.internal.world.PlacedWorld.N1;
import static io.csi4j.simulation.internal.world.PlacedWorld.key;

import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeExpansion;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.internal.command.ChangeCommand;
import io.csi4j.core.spi.NodeDetach;
import io.csi4j.core.spi.NodeExpand;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.simulation.internal.plugin.CallsInFlight;
import io.csi4j.simulation.internal.time.SimProcess;
import io.csi4j.simulation.internal.world.PlacedWorld;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Each check of the simulated agent finds the wrong call that is made for it, and no other check reports it. */
class SimAgentTest {
    private static final AllocationId A = AllocationId.of("a");
    private static final CapacityRange MORE = CapacityRange.atLeast(1);

    private final PlacedWorld placed = new PlacedWorld(VolumeExpansion.ONLINE);
    private final SimAgent agent = new SimAgent(
            placed.world,
            new SimProcess(placed.world.scheduler()),
            new CallsInFlight(placed.world),
            N1,
            new ModelNodeSide(placed.world));

    @AfterEach
    void close() {
        placed.close();
    }

    private static void start(CompletableFuture<?> call) {
        var unused = call.exceptionally(failure -> null);
    }

    private Claim claim() {
        return placed.row("v").claims().get(A).orElseThrow();
    }

    @Test
    void findsUnmountForClaimThatIsNotReleased() {
        placed.claimed("v", "a");
        start(agent.detach(NodeDetach.of(placed.row("v"), claim())));
        placed.found("I5: a node step for a on n1 while its claim is TAKEN");
    }

    @Test
    void findsExpansionWithoutRequest() {
        placed.claimed("v", "a");
        start(agent.expand(NodeExpand.of(placed.row("v"), claim(), MORE, Secrets.empty())));
        placed.found("I5: NodeExpandVolume of default/v on n1 without a requested change");
    }

    @Test
    void findsExpansionForAnotherCapability() {
        placed.claimed("v", "a");
        placed.ok(new ChangeCommand.BeginExpansion(key("v"), MORE, AT));
        placed.ok(new ChangeCommand.RecordExpanded(key("v"), placed.row("v").createIndex(), MORE, 1, true, AT));
        RequestedCapability other = RequestedCapability.mount(VolumeAccessMode.MULTI_NODE_MULTI_WRITER);
        Claim changed = Claim.builder(A, N1, ClaimMode.WRITE, other).build();
        start(agent.expand(NodeExpand.of(placed.row("v"), changed, MORE, Secrets.empty())));
        placed.found("R83: NodeExpandVolume of default/v on n1 for " + other + ", which is not the claimed capability");
    }
}
