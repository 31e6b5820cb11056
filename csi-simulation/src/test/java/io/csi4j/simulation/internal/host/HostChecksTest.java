package io.csi4j.simulation.internal.host;

import static io.csi4j.simulation.internal.world.PlacedWorld.AT;
import static io.csi4j.simulation.internal.world.PlacedWorld.MOUNT;
import static io.csi4j.simulation.internal.world.PlacedWorld.N1;
import static io.csi4j.simulation.internal.world.PlacedWorld.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeExpansion;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.lifecycle.ClaimGrant;
import io.csi4j.core.lifecycle.VolumeGrant;
import io.csi4j.core.placement.FeasibleNodes;
import io.csi4j.core.placement.NodeAnswer;
import io.csi4j.core.state.ObservableState;
import io.csi4j.core.state.VolumeView;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.simulation.LogUnderTest;
import io.csi4j.simulation.PlacementPolicy;
import io.csi4j.simulation.internal.node.ModelNodeSide;
import io.csi4j.simulation.internal.server.SimServer;
import io.csi4j.simulation.internal.world.PlacedWorld;
import io.csi4j.simulation.internal.world.PortDecorator;
import io.csi4j.simulation.internal.world.SimConfig;
import io.csi4j.simulation.internal.world.SimNode;
import io.csi4j.simulation.internal.world.SimVolumes;
import io.csi4j.simulation.internal.world.SimWorld;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Each check of grants and placements finds the wrong one that is made for it, and no other check reports it. */
class HostChecksTest {
    private static final AllocationId A = AllocationId.of("a");
    private static final List<ClaimRequest> REQUESTS = List.of(ClaimRequest.of(key("v"), ClaimMode.WRITE, MOUNT));

    private final PlacedWorld placed = new PlacedWorld(VolumeExpansion.ONLINE);
    private final SimWorld world = placed.world;
    private final SplittableRandom random = new SplittableRandom(1);
    private final ModelNodeSide side = new ModelNodeSide(world);
    private final SimHost host = new SimHost(world, side, random.split(), PortDecorator.NONE);
    private final SimVolumes volumes = new SimVolumes(world, random.split());
    private final SimWorkloads workloads = new SimWorkloads(
            world,
            side,
            host,
            new SimServer(world, side, random.split(), PortDecorator.NONE),
            volumes,
            SimConfig.ofDefaults(),
            random.split());
    private final SimWorkload workload = new SimWorkload(A, placed.node, REQUESTS);

    @BeforeEach
    void volume() {
        placed.volume("v");
    }

    @AfterEach
    void close() {
        placed.close();
    }

    private Claim claim() {
        placed.allocation("a");
        placed.ok(PlacedWorld.take("v", "a"));
        return placed.row("v").claims().get(A).orElseThrow();
    }

    private ClaimGrant grant(Claim claim) {
        return new ClaimGrant(
                A,
                List.of(new VolumeGrant(
                        VolumeView.of(world.store().snapshot(), key("v")).orElseThrow(),
                        claim,
                        PublishContext.empty(),
                        MountOptions.none(),
                        Secrets.empty(),
                        Secrets.empty())));
    }

    @Test
    void findsNothingInRightGrant() {
        ClaimGrant grant = grant(claim());
        placed.node.start(A);
        workloads.complete(workload, grant);
        workloads.mount(workload, 0, grant.volumes().get(0));
        placed.found();
        assertThat(placed.node.mounts()).hasSize(1);
    }

    @Test
    void findsGrantWithoutRequestedVolume() {
        workloads.complete(workload, new ClaimGrant(A, List.of()));
        placed.found("I2: a is granted its volumes without default/v");
    }

    @Test
    void findsGrantOfAnotherCapability() {
        RequestedCapability other = RequestedCapability.mount(VolumeAccessMode.MULTI_NODE_MULTI_WRITER);
        workloads.complete(
                workload, grant(Claim.builder(A, N1, ClaimMode.WRITE, other).build()));
        placed.found("I2: a is granted default/v as " + other + " but requested " + MOUNT);
    }

    @Test
    void findsClaimThatReadsAlthoughMountWrites() {
        workloads.complete(
                workload, grant(Claim.builder(A, N1, ClaimMode.READ, MOUNT).build()));
        placed.found("S23: a is granted default/v to READ, and a mount writes");
    }

    @Test
    void findsMountForClaimThatIsReleased() {
        ClaimGrant grant = grant(claim());
        placed.ok(new ClaimCommand.CheckpointClaim(key("v"), A, ClaimState.UNPUBLISHING, AT));
        placed.node.start(A);
        workloads.mount(workload, 0, grant.volumes().get(0));
        placed.found("I2: default/v is mounted for a while its claim is UNPUBLISHING");
    }

    private SimPlacement placement(String chosen) {
        PlacementPolicy policy = (request, state) -> Optional.of(NodeId.of(chosen));
        // The first choice of this random number is to reserve the claims.
        long reserving = LongStream.range(0, 1000)
                .filter(seed -> new SplittableRandom(seed).nextInt(6) == 0)
                .findFirst()
                .orElseThrow();
        return new SimPlacement(world, host, volumes, policy, new SplittableRandom(reserving));
    }

    private NodeAnswer answer(String node) {
        return FeasibleNodes.in(world.store().snapshot())
                .on(Namespace.of(SimVolumes.NAMESPACE), NodeId.of(node), REQUESTS);
    }

    @Test
    void findsNothingInRightPlacementAndReservation() {
        assertThat(placement("n1").choose(A, REQUESTS)).contains(placed.node);
        placement("n1").begin(A, placed.node, REQUESTS);
        placed.found();
        assertThat(placed.row("v").claims().get(A)).isPresent();
    }

    @Test
    void findsPlacementOnMissingNode() {
        assertThat(placement("nowhere").choose(A, REQUESTS)).isEmpty();
        placed.found("placement: a is placed on nowhere, which is no node");
    }

    @Test
    void findsPlacementOnNodeThatCanNeverTakeTheClaims() {
        NodeId fenced = NodeId.of("n2");
        world.add(new SimNode(fenced));
        placed.ok(new NodeCommand.UpsertNode(fenced, AT));
        placed.ok(new NodeCommand.FenceNode(fenced, "fenced", AT));
        placement("n2").choose(A, REQUESTS);
        placed.found("placement: a is placed on n2, which can never take its claims; n1 can: " + answer("n2"));
    }

    @Test
    void findsPlacementOnNodeWhereTheClaimsWait() {
        NodeId bare = NodeId.of("n2");
        world.add(new SimNode(bare));
        placed.ok(new NodeCommand.UpsertNode(bare, AT));
        placement("n2").choose(A, REQUESTS);
        placed.found("placement: a is placed on n2, which cannot take its claims now; n1 can: " + answer("n2"));
    }

    @Test
    void findsPlacementThatStarvesWorkload() {
        SimPlacement never =
                new SimPlacement(world, host, volumes, (request, state) -> Optional.empty(), new SplittableRandom(1));
        for (int asked = 1; asked < 12; asked++) {
            never.choose(A, REQUESTS);
        }
        placed.found();
        never.choose(A, REQUESTS);
        placed.found(
                "placement: a starves: it was placed on no node 12 times, although a node could take its claims, the"
                        + " last time n1");
    }

    @Test
    void findsExceptionOfPlacement() {
        SimPlacement failing = new SimPlacement(
                world,
                host,
                volumes,
                (request, state) -> {
                    throw new IllegalStateException("no score");
                },
                new SplittableRandom(1));
        assertThat(failing.choose(A, REQUESTS)).isEmpty();
        assertThat(world.violations())
                .singleElement()
                .asString()
                .startsWith("placement: it threw java.lang.IllegalStateException: no score, at ");
    }

    @Test
    void findsReservationThatEndsAgainstThePlacement() {
        NodeAnswer answer = answer("n1");
        Outcome refused = new Outcome.Rejected(new Rejection.VolumeNotFound(key("v")));
        world.useLog(new LogUnderTest.RunningLog() {
            @Override
            public Outcome submit(Command command) {
                Outcome actual = world.apply(null, command);
                assertThat(actual.accepted()).isTrue();
                return refused;
            }

            @Override
            public void settle() {}

            @Override
            public void compare(ObservableState state) {}

            @Override
            public void close() {}
        });
        placement("n1").begin(A, placed.node, REQUESTS);
        placed.found("I12: " + answer + " and the reservation for a ended with " + refused);
    }
}
