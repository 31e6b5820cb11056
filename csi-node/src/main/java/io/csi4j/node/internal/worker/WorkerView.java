package io.csi4j.node.internal.worker;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.internal.text.Durations;
import io.csi4j.core.internal.text.Text;
import io.csi4j.node.NodeVolumeStatus;
import io.csi4j.node.OwnershipProgress;
import io.csi4j.node.internal.ledger.MountTerms;
import io.csi4j.node.internal.ledger.StagingEntry;
import io.csi4j.node.internal.ledger.StagingPhase;
import io.csi4j.node.internal.ledger.UnmountOrder;
import io.csi4j.node.internal.ledger.UseEntry;
import io.csi4j.node.internal.ledger.UseId;
import io.csi4j.node.internal.ledger.UsePhase;
import io.csi4j.node.internal.ledger.VolumeEntry;
import io.csi4j.node.internal.mount.MountAction;
import io.csi4j.node.internal.mount.MountAction.Reason;
import io.csi4j.node.internal.mount.MountFacts;
import io.csi4j.node.internal.mount.MountFacts.PluginFact;
import io.csi4j.node.internal.mount.MountFacts.Presence;
import io.csi4j.node.internal.mount.NodePaths;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The state of a worker after its last step.
 *
 * @param lost the uses whose recorded mounts are missing
 * @param staged whether the recorded staging is present
 * @param waitingFor the reason why the worker waits; empty if it does not wait
 * @param call the call to the plugin in flight
 * @param ownership the change of ownership that is running
 * @param unfinishedSince the elapsed time at which the unfinished work began, in nanoseconds; null: there is none
 */
public record WorkerView(
        VolumeEntry entry,
        Set<UseId> lost,
        boolean staged,
        MountAction action,
        String lastError,
        String waitingFor,
        @Nullable InFlight call,
        @Nullable OwnershipWatch ownership,
        @Nullable Long unfinishedSince) {
    private static final String WAY_OUT = "; restart the plugin if it does not answer; only if it cannot do it any"
            + " more, unmount the volume by hand if it is still mounted, and then order that the unmount is forgotten"
            + " (csi node forget-unmount, forgetUnmount in Java)";

    static final String STALLED_REMEDY = "look whether the storage answers this node. An unmount of the volume waits"
            + " until the change has ended; if the storage does not come back, restart the agent";

    public WorkerView {
        lost = Set.copyOf(lost);
    }

    /** A call in flight, with the elapsed time at which it was sent, in nanoseconds. */
    public record InFlight(Rpc rpc, long since) {}

    static WorkerView of(
            VolumeEntry entry, MountFacts facts, MountAction action, String lastError, @Nullable Long unfinishedSince) {
        Set<UseId> lost = new HashSet<>();
        for (UseEntry use : entry.uses()) {
            if (facts.lost(use)) {
                lost.add(use.id());
            }
        }
        StagingEntry staging = entry.staging();
        boolean staged = staging != null && staging.phase() != StagingPhase.STAGING && !facts.lost(staging);
        return new WorkerView(
                entry, lost, staged, action, lastError, waitingFor(entry, facts, action), null, null, unfinishedSince);
    }

    /** Returns whether the work on a volume is not finished: a mount, an unmount, a staging or its removal. */
    static boolean isUnfinished(VolumeEntry entry, MountAction action) {
        boolean changing = (action.isCall() && !(action instanceof MountAction.Republish))
                || (action instanceof MountAction.Await await
                        && (await.reason() == Reason.PLUGIN || await.reason() == Reason.RETRY));
        return changing
                || entry.isUnmounting()
                || entry.uses().stream().anyMatch(use -> use.phase() != UsePhase.PUBLISHED);
    }

    /** Returns this view with a call in flight. */
    WorkerView calling(InFlight made) {
        return new WorkerView(entry, lost, staged, action, lastError, waitingFor, made, ownership, unfinishedSince);
    }

    /** Returns this view while the ownership of the files changes, if it does. */
    WorkerView changing(@Nullable OwnershipWatch running) {
        return new WorkerView(entry, lost, staged, action, lastError, waitingFor, call, running, unfinishedSince);
    }

    /** Returns this view after the call has ended. */
    WorkerView called() {
        return new WorkerView(entry, lost, staged, action, lastError, waitingFor, null, null, unfinishedSince);
    }

    /** Returns this view while the worker cannot take a step, because the ledger cannot be written or read. */
    WorkerView stalled(String error, long now) {
        return new WorkerView(
                entry,
                lost,
                staged,
                action,
                error,
                error + "; the work waits until that is mended",
                call,
                ownership,
                unfinishedSince == null ? Long.valueOf(now) : unfinishedSince);
    }

    /** Returns whether the volume has no uses, mounts or work left, so that callers no longer see it. */
    public boolean isGone() {
        return action instanceof MountAction.Forget && lastError.isEmpty();
    }

    private static String waitingFor(VolumeEntry entry, MountFacts facts, MountAction action) {
        if (action instanceof MountAction.DirectUnmount) {
            return "its target is being unmounted without the plugin";
        }
        Optional<UseEntry> ordered = entry.uses().stream()
                .filter(use -> use.phase() == UsePhase.LEAVING && use.order() != null)
                .findFirst();
        if (ordered.isPresent()) {
            return directUnmount(ordered.get(), facts);
        }
        UnmountOrder forget = entry.forgetOrder();
        if (forget != null) {
            return "its unmount is to be finished without the plugin (" + forget.printable()
                    + "), and something of it is mounted; unmount it by hand";
        }
        if (action instanceof MountAction.Await await) {
            boolean unmounting =
                    entry.isUnmounting() && (await.reason() == Reason.PLUGIN || await.reason() == Reason.RETRY);
            return await.reason().text + (unmounting ? WAY_OUT : "");
        }
        if (action instanceof MountAction.ChangeOwnership) {
            return "its files are being given to the group of the mount";
        }
        if (action instanceof MountAction.CheckOwnership) {
            return "its root directory is being looked at";
        }
        return action.isCall() ? "a call to its plugin is under way" : "";
    }

    /** Returns what an ordered direct unmount still waits for. */
    private static String directUnmount(UseEntry use, MountFacts facts) {
        UnmountOrder order = use.order();
        String subject = "its direct unmount for allocation " + use.allocationId() + " ("
                + (order == null ? "" : order.printable()) + ") waits for ";
        Presence target = facts.target(use.id());
        if (target == Presence.UNKNOWN) {
            return subject + "the mount table, which cannot be read";
        }
        if (target == Presence.ABSENT) {
            return subject + "its plugin, since nothing is mounted at its target: NodeUnpublishVolume has to succeed"
                    + WAY_OUT;
        }
        if (facts.plugin() == PluginFact.ABSENT) {
            return subject + "its plugin, which is not there, or not healthy: it has to answer NodeUnpublishVolume"
                    + " first" + WAY_OUT;
        }
        return subject + "its plugin to answer NodeUnpublishVolume with OK or NOT_FOUND while its target itself is a"
                + " mount point; it has not done so yet";
    }

    /** Returns the reason why the worker waits; empty if it does not wait. */
    String reason() {
        String waiting = waitingFor().isEmpty() ? "it had no turn yet" : waitingFor();
        return lastError.isEmpty() ? waiting : waiting + "; last error: " + lastError;
    }

    /**
     * Converts this view to the status that the public API returns.
     *
     * @param problem returns the problem that was found at a mount; empty if none was found
     * @param now the elapsed time, in nanoseconds
     */
    public NodeVolumeStatus status(NodePaths paths, Function<Path, String> problem, long now) {
        InFlight made = call;
        OwnershipWatch running = ownership;
        StagingEntry staging = entry.staging();
        return new NodeVolumeStatus(
                entry.key(),
                Optional.ofNullable(entry.id()),
                entry.rebuilt(),
                staged,
                staging == null || !staged ? "" : problem.apply(paths.staging(entry.key(), staging.terms())),
                entry.uses().stream().map(use -> status(paths, problem, use)).toList(),
                made == null
                        ? Optional.empty()
                        : Optional.of(new NodeVolumeStatus.Call(made.rpc(), age(made.since(), now))),
                running == null ? waitingFor : waitingFor + ": " + progress(running, now),
                Text.printable(lastError),
                unfinishedSince == null
                        ? Duration.ZERO
                        : age(unfinishedSince, now).plusMillis(1));
    }

    private static String progress(OwnershipWatch running, long now) {
        OwnershipProgress progress = running.progress();
        Duration still = running.stillFor(now);
        return OwnershipWatch.text(progress)
                + (still.compareTo(OwnershipWatch.STALLED_AFTER) < 0
                        ? ""
                        : "; no file was reached for " + Durations.text(still) + "; " + STALLED_REMEDY);
    }

    private static Duration age(long since, long now) {
        return Duration.ofNanos(Math.max(0, now - since));
    }

    private NodeVolumeStatus.Use status(NodePaths paths, Function<Path, String> problem, UseEntry use) {
        Path target = paths.target(entry.key(), use.id());
        NodeVolumeStatus.State state = state(use);
        return new NodeVolumeStatus.Use(
                use.allocationId(),
                target,
                state,
                use.phase() == UsePhase.LEAVING && use.terms().equals(MountTerms.UNKNOWN)
                        ? Optional.empty()
                        : Optional.of(use.terms().capability()),
                use.terms().readonly(),
                state == NodeVolumeStatus.State.MOUNTED ? problem.apply(target) : "");
    }

    private NodeVolumeStatus.State state(UseEntry use) {
        return switch (use.phase()) {
            case WANTED, PUBLISHING, OWNERSHIP, RESETTING -> NodeVolumeStatus.State.MOUNTING;
            case PUBLISHED ->
                lost.contains(use.id()) ? NodeVolumeStatus.State.MOUNTING : NodeVolumeStatus.State.MOUNTED;
            case LEAVING -> NodeVolumeStatus.State.UNMOUNTING;
        };
    }
}
