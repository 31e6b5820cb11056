package io.csi4j.simulation.internal.check;

import static io.csi4j.simulation.internal.world.PlacedWorld.MOUNT;
import static io.csi4j.simulation.internal.world.PlacedWorld.key;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.TopologyRequirement;
import io.csi4j.core.csi.VolumeExpansion;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.lifecycle.ClaimGrant;
import io.csi4j.core.lifecycle.VolumeGrant;
import io.csi4j.core.state.VolumeView;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.simulation.internal.host.SimHost;
import io.csi4j.simulation.internal.host.SimWorkload;
import io.csi4j.simulation.internal.node.ModelNodeSide;
import io.csi4j.simulation.internal.server.SimServer;
import io.csi4j.simulation.internal.world.PlacedWorld;
import io.csi4j.simulation.internal.world.PortDecorator;
import io.csi4j.simulation.internal.world.SimVolumes;
import io.csi4j.simulation.internal.world.SimWorld;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Each check of the last round finds the wrong end of a claim that is made for it, and no other check reports it. */
class FinalLivenessRoundTest {
    private static final AllocationId A = AllocationId.of("a");

    private final PlacedWorld placed = new PlacedWorld(VolumeExpansion.ONLINE);
    private final SimWorld world = placed.world;
    private final SplittableRandom random = new SplittableRandom(1);
    private final ModelNodeSide side = new ModelNodeSide(world);
    private final FinalLivenessRound round = new FinalLivenessRound(
            world,
            side,
            new SimHost(world, side, random.split(), PortDecorator.NONE),
            new SimServer(world, side, random.split(), PortDecorator.NONE),
            new SimVolumes(world, random.split()),
            random.split());
    private final SimWorkload workload =
            new SimWorkload(A, placed.node, List.of(ClaimRequest.of(key("v"), ClaimMode.WRITE, MOUNT)));

    @BeforeEach
    void claim() {
        placed.claimed("v", "a");
    }

    @AfterEach
    void close() {
        placed.close();
    }

    private ClaimGrant grant(ExternalNodeId machine) {
        Claim claim = placed.row("v").claims().get(A).orElseThrow();
        return new ClaimGrant(
                A,
                List.of(new VolumeGrant(
                        VolumeView.of(world.store().snapshot(), key("v")).orElseThrow(),
                        claim.toBuilder().externalNodeId(machine).build(),
                        PublishContext.empty(),
                        MountOptions.none(),
                        Secrets.empty(),
                        Secrets.empty())));
    }

    private void moveVolumeOutOfReach() {
        world.topology()
                .put(
                        placed.row("v").remoteId(),
                        Optional.of(TopologyRequirement.requisite(Topology.of("zone", "elsewhere"))));
    }

    @Test
    void findsNothingInGrantAndInRightRefusals() {
        round.granted(workload, grant(placed.node.externalId));
        moveVolumeOutOfReach();
        round.refused(workload, new CsiException("out of reach"));
        placed.found();
    }

    @Test
    void findsGrantOutOfReach() {
        moveVolumeOutOfReach();
        round.granted(workload, grant(placed.node.externalId));
        placed.found("R24: a is granted what n1 cannot reach");
    }

    @Test
    void findsRefusalWithoutReason() {
        round.refused(workload, new CsiException("why"));
        placed.found("I7: without any fault a is refused: why");
    }

    @Test
    void findsMountThatFails() {
        round.granted(workload, grant(ExternalNodeId.of("ext-n1.2")));
        placed.found("I7: without any fault a cannot mount: java.util.concurrent.CompletionException:"
                + " io.csi4j.core.call.CsiException: the claim is of another machine");
    }
}
