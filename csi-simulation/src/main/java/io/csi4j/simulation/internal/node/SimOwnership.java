package io.csi4j.simulation.internal.node;

import io.csi4j.core.rpc.NodePublishVolumeRequest;
import io.csi4j.core.volume.GroupChangePolicy;
import io.csi4j.node.FileOwnership;
import io.csi4j.node.OwnershipProgress;
import io.csi4j.node.VolumeOwnership;
import io.csi4j.simulation.internal.time.SimProcess;
import io.csi4j.simulation.internal.world.PortDecorator;
import io.csi4j.simulation.internal.world.SimFiles;
import io.csi4j.simulation.internal.world.SimWorld;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Gives the files of simulated mounts to groups, one after the other. A change takes its time, may fail at each file, and
 * ends with the agent; then the files belong to several groups.
 */
final class SimOwnership implements VolumeOwnership {
    private static final Duration LONGEST_STEP = Duration.ofSeconds(4);

    private final SimWorld world;
    private final SimKernel kernel;
    private final SimProcess agent;
    private final PortDecorator.NodePorts ports;

    SimOwnership(SimWorld world, SimKernel kernel, SimProcess agent, PortDecorator.NodePorts ports) {
        this.world = world;
        this.kernel = kernel;
        this.agent = agent;
        this.ports = ports;
    }

    @Override
    public CompletableFuture<@Nullable Void> change(Path target, FileOwnership wanted, OwnershipProgress progress) {
        world.coverage().operation("give the files of a mount to a group");
        CompletableFuture<@Nullable Void> result = new CompletableFuture<>();
        if (agent.begins()) {
            Change change = new Change(target.toString(), wanted, progress, result);
            kernel.beginChange(change.path, agent);
            change.later(change::begin);
        }
        return result;
    }

    /** A change of one target. */
    private final class Change {
        private final String path;
        private final FileOwnership wanted;
        private final OwnershipProgress progress;
        private final CompletableFuture<@Nullable Void> result;
        private final Deque<Runnable> steps = new ArrayDeque<>();
        private final long begun = world.files().written();
        private SimFiles.@Nullable Tree tree;

        Change(
                String path,
                FileOwnership wanted,
                OwnershipProgress progress,
                CompletableFuture<@Nullable Void> result) {
            this.path = path;
            this.wanted = wanted;
            this.progress = progress;
            this.result = result;
        }

        private void later(Runnable step) {
            world.scheduler().within(LONGEST_STEP, () -> agent.run(step));
        }

        private void begin() {
            NodePublishVolumeRequest mounted = kernel.published(path);
            if (mounted == null) {
                fail("nothing is mounted at " + path);
                return;
            }
            SimFiles.Tree files = world.files().of(mounted.volumeId());
            if (wanted.policy() == GroupChangePolicy.ROOT_ONLY) {
                files.rootAlone();
            }
            tree = files;
            plan(files);
            // All steps after the chosen one are missing, as if a file could not be changed.
            if (world.faults().active() && world.faults().coin()) {
                int left = world.scheduler().choose(steps.size() + 1);
                while (steps.size() > left) {
                    steps.removeLast();
                }
                steps.addLast(() -> {
                    world.coverage().fault("change of ownership failed");
                    fail("a file could not be changed");
                });
            }
            next();
        }

        /** Decides from the root directory what to do. */
        private void plan(SimFiles.Tree files) {
            if (wanted.policy() == GroupChangePolicy.ROOT_IF_EMPTY) {
                // A simulated volume always has files.
                return;
            }
            boolean finished = files.isFinished(wanted.group());
            Runnable root = () -> files.giveRoot(wanted.group(), wanted.owner());
            if (wanted.policy() == GroupChangePolicy.ALWAYS
                    || (wanted.policy() == GroupChangePolicy.ON_ROOT_MISMATCH && !finished)) {
                if (ports.takesSignFirst()) {
                    steps.add(files::takeSign);
                }
                for (int i = 0; i < SimFiles.FILES; i++) {
                    int file = i;
                    steps.add(() -> files.giveFile(file, wanted.group()));
                }
                if (ports.givesSignLast()) {
                    steps.addLast(root);
                } else {
                    steps.addFirst(root);
                }
            } else if (!finished || !files.isOwned(wanted.owner())) {
                steps.add(root);
            }
        }

        private void next() {
            if (progress.isCancelled()) {
                world.coverage().fault("change of ownership cancelled");
                fail("the change was cancelled");
            } else if (!kernel.isMounted(path)) {
                fail("nothing is mounted at " + path);
            } else if (steps.isEmpty()) {
                kernel.endChange(path);
                kernel.changed(path, begun);
                result.complete(null);
            } else {
                steps.remove().run();
                if (tree != null && tree.isFinishedTooEarly()) {
                    world.reportViolation("I16: the files of a volume look finished too early: " + path + ", " + tree);
                }
                if (!result.isDone()) {
                    later(this::next);
                }
            }
        }

        private void fail(String text) {
            kernel.endChange(path);
            result.completeExceptionally(new IOException(text));
        }
    }
}
