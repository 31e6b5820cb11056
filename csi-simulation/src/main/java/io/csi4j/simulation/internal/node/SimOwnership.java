package io.csi4j.simulation.internal.node;

import io.csi4j.node.FileOwnership;
import io.csi4j.node.OwnershipProgress;
import io.csi4j.node.VolumeOwnership;
import io.csi4j.simulation.internal.time.SimProcess;
import io.csi4j.simulation.internal.world.SimWorld;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Gives the files of simulated mounts to groups. A change takes its time, may fail, and ends with the agent; a change
 * that did not end leaves files of several groups.
 */
final class SimOwnership implements VolumeOwnership {
    private static final Duration LONGEST = Duration.ofSeconds(20);

    private final SimWorld world;
    private final SimKernel kernel;
    private final SimProcess agent;

    SimOwnership(SimWorld world, SimKernel kernel, SimProcess agent) {
        this.world = world;
        this.kernel = kernel;
        this.agent = agent;
    }

    @Override
    public CompletableFuture<@Nullable Void> change(Path target, FileOwnership wanted, OwnershipProgress progress) {
        world.coverage().operation("give the files of a mount to a group");
        String path = target.toString();
        CompletableFuture<@Nullable Void> result = new CompletableFuture<>();
        if (!agent.begins()) {
            return result;
        }
        kernel.beginChange(path, agent);
        world.scheduler().within(LONGEST, () -> agent.run(() -> end(path, wanted.group(), progress, result)));
        return result;
    }

    private void end(String path, long group, OwnershipProgress progress, CompletableFuture<@Nullable Void> result) {
        kernel.endChange(path);
        if (progress.isCancelled()) {
            world.coverage().fault("change of ownership cancelled");
            result.completeExceptionally(new IOException("the change was cancelled"));
        } else if (!kernel.isMounted(path)) {
            result.completeExceptionally(new IOException("nothing is mounted at " + path));
        } else if (world.faults().active() && world.faults().coin()) {
            world.coverage().fault("change of ownership failed");
            result.completeExceptionally(new IOException("a file could not be changed"));
        } else {
            kernel.give(path, group);
            result.complete(null);
        }
    }
}
