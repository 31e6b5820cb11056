package io.csi4j.core.internal.apply;

import io.csi4j.core.call.Problem;
import io.csi4j.core.command.Effect;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.internal.command.LeftoverCommand;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.Attachments;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.Claims;
import io.csi4j.core.volume.Leftover;
import io.csi4j.core.volume.OperatorOverride;
import io.csi4j.core.volume.Volume;
import java.util.List;
import java.util.Optional;

/** Keeps the rows that say what forgotten volumes may have left on nodes. */
final class LeftoverHandler implements LeftoverCommand.Cases<Outcome> {
    private final Step step;

    LeftoverHandler(Step step) {
        this.step = step;
    }

    /** Stores what a volume leaves on nodes when it is forgotten. */
    static void leave(Step step, Volume volume, OperatorOverride forgotten) {
        Leftover.of(volume, claim -> isLost(step, volume.pluginId(), claim), forgotten, step.index())
                .ifPresent(step.writer()::putLeftover);
    }

    /** Returns whether the machine of a claim is lost. The status of a node says so only of its present machine. */
    private static boolean isLost(Step step, PluginId pluginId, Claim claim) {
        return step.reader()
                .node(claim.nodeId())
                .filter(node -> node.isLost(pluginId, claim.externalNodeId()))
                .isPresent();
    }

    /**
     * Adds the claims and attachments of a forgotten volume to a volume that stands for the same volume of the storage
     * provider, and removes their row. Call this when the external id of the volume becomes known, before the volume is
     * stored.
     */
    static void takeOver(Step step, Volume candidate, Volume.Builder builder) {
        Optional<Leftover> found = candidate
                .externalVolumeId()
                .flatMap(id -> step.reader().leftover(new Leftover.Key(candidate.pluginId(), id)));
        if (found.isEmpty()) {
            return;
        }
        Leftover leftover = found.get();
        Claims claims = candidate.claims();
        for (Claim claim : leftover.claims()) {
            claims = claims.with(claim);
            step.effect(new Effect.ClaimReleasable(candidate.key(), claim.allocationId()));
        }
        Attachments attachments = candidate.attachments();
        for (Attachment attachment : leftover.attachments()) {
            attachments = attachments.with(attachment);
        }
        builder.claims(claims).attachments(attachments);
        step.writer().removeLeftover(leftover.key());
    }

    /** Ends the claims of forgotten volumes on a node that was fenced or removed, except those of former machines. */
    static void endNode(Step step, NodeId nodeId) {
        for (Leftover leftover : Step.collect(step.reader().leftovers())) {
            if (!leftover.claims().on(nodeId).isEmpty()) {
                store(
                        step,
                        leftover,
                        leftover.without(
                                claim -> claim.nodeId().equals(nodeId) && isLost(step, leftover.pluginId(), claim)));
            }
        }
    }

    private static void store(Step step, Leftover before, Optional<Leftover> after) {
        after.ifPresentOrElse(step.writer()::putLeftover, () -> step.writer().removeLeftover(before.key()));
    }

    @Override
    public Outcome recordUnmounted(LeftoverCommand.RecordUnmounted command) {
        step.reader()
                .leftover(command.key())
                .filter(leftover -> leftover.claims()
                        .get(command.allocationId())
                        .filter(claim -> claim.nodeId().equals(command.nodeId()))
                        .isPresent())
                .ifPresent(leftover -> store(step, leftover, leftover.without(command.allocationId())));
        return step.accepted();
    }

    @Override
    public Outcome overrideLeftover(LeftoverCommand.OverrideLeftover command) {
        Optional<Leftover> found = step.reader().leftover(command.key());
        if (found.filter(now -> now.createIndex() != command.ifCreateIndex()).isPresent()) {
            return Step.rejected(new Rejection.InvalidRequest(
                    "override of the leftover of volume "
                            + command.key().externalVolumeId() + " of plugin "
                            + command.key().pluginId(),
                    List.of(new Problem(
                            "leftover",
                            "was left by volume " + found.get().formerVolume() + " since the operator looked",
                            "look again, and override that one if it is gone too"))));
        }
        found.ifPresent(leftover -> step.writer().removeLeftover(leftover.key()));
        return step.accepted();
    }
}
