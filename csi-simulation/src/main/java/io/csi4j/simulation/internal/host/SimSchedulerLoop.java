package io.csi4j.simulation.internal.host;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.state.StateReader;
import io.csi4j.simulation.RunningWorkload;
import io.csi4j.simulation.SchedulerLoop;
import io.csi4j.simulation.SimulatedCluster;
import io.csi4j.simulation.SimulatedWorkload;
import io.csi4j.simulation.internal.world.SimNode;
import io.csi4j.simulation.internal.world.SimWorld;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/** Calls the scheduler's loop under test, and does what it asks for. */
final class SimSchedulerLoop implements SimulatedCluster {
    private static final Duration INTERVAL = Duration.ofSeconds(10);
    private static final int MOST_STARTS = 20;

    private final SimWorld world;
    private final SimWorkloads workloads;
    private final SchedulerLoop underTest;
    private final SplittableRandom random;
    private int started;
    private int startsOfTurn;

    SimSchedulerLoop(SimWorld world, SimWorkloads workloads, SchedulerLoop underTest, SplittableRandom random) {
        this.world = world;
        this.workloads = workloads;
        this.underTest = underTest;
        this.random = random;
    }

    void begin() {
        world.scheduler().after(INTERVAL, this::turn);
    }

    private void turn() {
        if (!world.faults().active()) {
            return;
        }
        startsOfTurn = 0;
        var unused = world.callScheduler("loop", () -> {
            underTest.run(this);
            return true;
        });
        begin();
    }

    @Override
    public StateReader state() {
        return world.store().snapshot();
    }

    @Override
    public RandomGenerator random() {
        return random;
    }

    @Override
    public List<RunningWorkload> running() {
        return workloads.running();
    }

    @Override
    public void end(AllocationId workload) {
        if (!workloads.isRunning(workload)) {
            throw new IllegalArgumentException("no workload " + workload + " runs; end one of running()");
        }
        world.trace().note("loop", "ends " + workload);
        workloads.stop(workload);
    }

    @Override
    public Optional<AllocationId> start(SimulatedWorkload workload, NodeId nodeId) {
        SimNode node = world.node(nodeId);
        if (node == null) {
            throw new IllegalArgumentException("there is no node " + nodeId + "; state() has the nodes");
        }
        if (++startsOfTurn > MOST_STARTS) {
            throw new IllegalStateException("the loop has started " + MOST_STARTS
                    + " workloads in one turn; start the others in its next turn");
        }
        if (!node.answers()) {
            return Optional.empty();
        }
        AllocationId id = AllocationId.of("loop-" + ++started);
        world.trace().note("loop", "starts " + id + " on " + nodeId);
        workloads.begin(id, node, workload);
        return Optional.of(id);
    }
}
