package io.csi4j.simulation.internal.check;

import static io.csi4j.simulation.internal.world.PlacedWorld.MOUNT;
import static io.csi4j.simulation.internal.world.PlacedWorld.key;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.csi.VolumeExpansion;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.simulation.internal.host.SimHost;
import io.csi4j.simulation.internal.host.SimWorkload;
import io.csi4j.simulation.internal.node.ModelNodeSide;
import io.csi4j.simulation.internal.server.SimServer;
import io.csi4j.simulation.internal.world.PlacedWorld;
import io.csi4j.simulation.internal.world.PortDecorator;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A planted defect shows the other check of this round. */
class FinalTemplateRoundTest {
    private final PlacedWorld placed = new PlacedWorld(VolumeExpansion.ONLINE);

    @AfterEach
    void close() {
        placed.close();
    }

    @Test
    void findsRefusalThatIsNotAboutCapacity() {
        SplittableRandom random = new SplittableRandom(1);
        ModelNodeSide side = new ModelNodeSide(placed.world);
        new FinalTemplateRound(
                        placed.world,
                        side,
                        new SimHost(placed.world, side, random.split(), PortDecorator.NONE),
                        new SimServer(placed.world, side, random.split(), PortDecorator.NONE))
                .refused(
                        new SimWorkload(
                                AllocationId.of("a"),
                                placed.node,
                                List.of(ClaimRequest.of(key("v"), ClaimMode.WRITE, MOUNT))),
                        new CsiException("why"));
        placed.found("I7: the claim of made volumes fails without any fault: a: io.csi4j.core.call.CsiException: why");
    }
}
