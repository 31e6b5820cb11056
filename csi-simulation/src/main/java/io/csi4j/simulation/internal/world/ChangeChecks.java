package io.csi4j.simulation.internal.world;

import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.ChangeCommand;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.Expansion;
import io.csi4j.core.volume.RemainingWork;
import io.csi4j.core.volume.Volume;
import java.util.Map;
import java.util.Optional;

/** Checks that a recorded expansion or modification is true at the provider and on the nodes (R74, R82, R83). */
public final class ChangeChecks {
    private final SimWorld world;

    public ChangeChecks(SimWorld world) {
        this.world = world;
    }

    /**
     * Checks an accepted command.
     *
     * @param before the state before the command
     * @param after the state after the command
     */
    public void accepted(ChangeCommand command, StateReader before, StateReader after) {
        Optional<Volume> oldVolume = before.volume(command.key());
        Optional<Volume> newVolume = after.volume(command.key());
        if (oldVolume.isEmpty() || newVolume.isEmpty()) {
            return;
        }
        if (command instanceof ChangeCommand.RecordExpanded || command instanceof ChangeCommand.RecordNodeExpansion) {
            checkFinished(oldVolume.get(), newVolume.get());
        }
        if (command instanceof ChangeCommand.RecordExpanded expanded) {
            checkExpanded(expanded, oldVolume.get(), newVolume.get());
        } else if (command instanceof ChangeCommand.RecordNodeExpansion expansion) {
            checkNodeExpanded(expansion, newVolume.get());
        } else if (command instanceof ChangeCommand.RecordModified modified) {
            checkModified(modified, newVolume.get());
        }
    }

    private void checkExpanded(ChangeCommand.RecordExpanded command, Volume oldVolume, Volume newVolume) {
        if (command.capacityBytes() == 0) {
            world.coverage().step(RemainingWork.Kind.SKIP_CONTROLLER_EXPANSION);
        }
        ExternalVolumeId id = world.externalId(command.key());
        if (id == null || !world.provider().knows(id) || !SimVolumes.attaches(command.key())) {
            return;
        }
        long actual = world.provider().size(id);
        long requested = oldVolume
                .expansion()
                .filter(change -> change.stage() == Expansion.Stage.CONTROLLER
                        && !newVolume.expansion().equals(oldVolume.expansion()))
                .map(change -> change.range().requiredBytes())
                .orElse(0L);
        if (newVolume.facts().capacityBytes() > actual || requested > actual) {
            world.reportViolation("R82: " + command.key() + " is recorded to have "
                    + newVolume.facts().capacityBytes() + " bytes, the completed expansion is " + requested
                    + ", and the provider has " + actual);
        }
    }

    /**
     * Each node with a claim must have expanded the volume before the expansion is complete (R83). All plugins of the simulation need this step.
     */
    private void checkFinished(Volume oldVolume, Volume newVolume) {
        if (oldVolume.expansion().isEmpty() || newVolume.expansion().isPresent()) {
            return;
        }
        Expansion change = oldVolume.expansion().get();
        for (Claim claim : newVolume.claims()) {
            boolean refused =
                    change.of(claim).filter(step -> step.retry().refused()).isPresent();
            long actual = world.provider().sizeOnNode(newVolume.key(), claim.nodeId());
            if (claim.state() == ClaimState.TAKEN
                    && !refused
                    && actual < change.range().requiredBytes()) {
                world.reportViolation("R83: the expansion of " + newVolume.key() + " to "
                        + change.range().requiredBytes() + " bytes counts as finished, and " + claim.nodeId() + " has "
                        + actual + " for " + claim.allocationId());
            }
        }
    }

    private void checkNodeExpanded(ChangeCommand.RecordNodeExpansion command, Volume newVolume) {
        long requested = command.range().requiredBytes();
        newVolume
                .claims()
                .get(command.allocationId())
                .filter(claim -> claim.createIndex() == command.claimIndex())
                .filter(claim -> world.provider().sizeOnNode(command.key(), claim.nodeId()) < requested)
                .ifPresent(claim -> world.reportViolation("R83: " + command.key() + " is recorded to have " + requested
                        + " bytes for " + claim.allocationId() + ", but fewer on " + claim.nodeId()));
    }

    /**
     * Checks that the provider has the parameter values that this modification recorded. A parameter for which a newer
     * change was requested is left out.
     */
    private void checkModified(ChangeCommand.RecordModified command, Volume newVolume) {
        VolumeKey key = newVolume.key();
        ExternalVolumeId id = world.externalId(key);
        if (id == null || !world.provider().knows(id)) {
            return;
        }
        Map<String, String> actual = world.provider().parameters(id);
        newVolume.spec().mutableParameters().forEach((name, value) -> {
            boolean requested = newVolume
                    .modification()
                    .filter(change -> change.changes().containsKey(name))
                    .isPresent();
            boolean changed = command.changes().containsKey(name);
            if (changed && !requested && !value.equals(actual.get(name))) {
                world.reportViolation("R74: " + key + " is recorded to have " + name + "=" + value
                        + ", and the provider has " + actual.get(name));
            }
        });
    }
}
