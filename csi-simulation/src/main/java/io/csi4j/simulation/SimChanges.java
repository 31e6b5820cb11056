package io.csi4j.simulation;

import io.csi4j.core.command.ChangeCommand;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.Expansion;
import io.csi4j.core.volume.RemainingWork;
import io.csi4j.core.volume.Volume;
import java.util.Map;
import java.util.Optional;

/** Checks that what is recorded of a wished change is so: at the provider, and on the node (R74, R82, R83). */
final class SimChanges {
    private final SimWorld world;

    SimChanges(SimWorld world) {
        this.world = world;
    }

    /**
     * Looks at a command that was accepted.
     *
     * @param before the state it met
     * @param after the state it left
     */
    void accepted(ChangeCommand command, StateReader before, StateReader after) {
        Optional<Volume> was = before.volume(command.key());
        Optional<Volume> is = after.volume(command.key());
        if (was.isEmpty() || is.isEmpty()) {
            return;
        }
        if (command instanceof ChangeCommand.RecordExpanded || command instanceof ChangeCommand.RecordNodeExpansion) {
            finished(was.get(), is.get());
        }
        if (command instanceof ChangeCommand.RecordExpanded expanded) {
            expanded(expanded, was.get(), is.get());
        } else if (command instanceof ChangeCommand.RecordNodeExpansion expansion
                && expansion.attempt().isEmpty()) {
            expandedOnNode(expansion, is.get());
        } else if (command instanceof ChangeCommand.RecordModified modified) {
            modified(modified, is.get());
        }
    }

    private void expanded(ChangeCommand.RecordExpanded command, Volume was, Volume is) {
        if (command.capacityBytes() == 0) {
            world.coverage().step(RemainingWork.Kind.SKIP_CONTROLLER_EXPANSION);
        }
        ExternalVolumeId id = world.externalId(command.key());
        if (id == null || !world.provider().knows(id) || !SimVolumes.attaches(command.key())) {
            return;
        }
        long there = world.provider().size(id);
        long wished = was.expansion()
                .filter(wish -> wish.stage() == Expansion.Stage.CONTROLLER
                        && !is.expansion().equals(was.expansion()))
                .map(wish -> wish.range().requiredBytes())
                .orElse(0L);
        if (is.facts().capacityBytes() > there || wished > there) {
            world.violated("R82: " + command.key() + " is recorded to have "
                    + is.facts().capacityBytes() + " bytes, the fulfilled wish is " + wished
                    + ", and the provider has " + there);
        }
    }

    /** Each claim's node has done its part before an expansion counts as finished: every plugin here asks for it (R83). */
    private void finished(Volume was, Volume is) {
        if (was.expansion().isEmpty() || is.expansion().isPresent()) {
            return;
        }
        Expansion wish = was.expansion().get();
        for (Claim claim : is.claims()) {
            boolean refused =
                    wish.of(claim).filter(step -> step.retry().refused()).isPresent();
            long there = world.provider().sizeOn(is.key(), claim.nodeId());
            if (claim.state() == ClaimState.TAKEN
                    && !refused
                    && there < wish.range().requiredBytes()) {
                world.violated("R83: the expansion of " + is.key() + " to "
                        + wish.range().requiredBytes() + " bytes counts as finished, and " + claim.nodeId() + " has "
                        + there + " for " + claim.allocationId());
            }
        }
    }

    private void expandedOnNode(ChangeCommand.RecordNodeExpansion command, Volume is) {
        long wished = command.range().requiredBytes();
        is.claims()
                .get(command.allocationId())
                .filter(claim -> claim.createIndex() == command.claimIndex())
                .filter(claim -> world.provider().sizeOn(command.key(), claim.nodeId()) < wished)
                .ifPresent(claim -> world.violated("R83: " + command.key() + " is recorded to have " + wished
                        + " bytes for " + claim.allocationId() + ", and has less on " + claim.nodeId()));
    }

    /** What is declared now is what the plugin has, unless it is wished otherwise since. */
    private void modified(ChangeCommand.RecordModified command, Volume is) {
        VolumeKey key = is.key();
        ExternalVolumeId id = world.externalId(key);
        if (id == null || !world.provider().knows(id)) {
            return;
        }
        Map<String, String> there = world.provider().parameters(id);
        is.spec().mutableParameters().forEach((name, value) -> {
            boolean wished = is.modification()
                    .filter(wish -> wish.changes().containsKey(name))
                    .isPresent();
            boolean told = command.changes().containsKey(name);
            if (told && !wished && !value.equals(there.get(name))) {
                world.violated("R74: " + key + " is recorded to have " + name + "=" + value + ", and the provider has "
                        + there.get(name));
            }
        });
    }
}
