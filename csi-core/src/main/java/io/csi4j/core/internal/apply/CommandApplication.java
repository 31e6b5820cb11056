package io.csi4j.core.internal.apply;

import io.csi4j.core.command.Command;
import io.csi4j.core.command.Effect;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.internal.command.AccessTokenCommand;
import io.csi4j.core.internal.command.AllocationCommand;
import io.csi4j.core.internal.command.AttachmentCommand;
import io.csi4j.core.internal.command.Batch;
import io.csi4j.core.internal.command.CallCommand;
import io.csi4j.core.internal.command.ChangeCommand;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.internal.command.LeftoverCommand;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.OwnerCommand;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.core.internal.command.PluginProfileCommand;
import io.csi4j.core.internal.command.QuotaCommand;
import io.csi4j.core.internal.command.SnapshotCommand;
import io.csi4j.core.internal.command.VolumeClassCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.internal.command.WithdrawnCreationCommand;
import io.csi4j.core.state.StateReader;
import java.util.ArrayList;
import java.util.List;

/**
 * Applies commands to the state. This class and its handlers decide how a command changes the state; a store only
 * stores rows. The result depends only on the state and the command. So the handlers use no clock and no random
 * numbers, and they read rows in the order of their keys.
 */
public final class CommandApplication {
    private CommandApplication() {}

    /**
     * Applies a command. The same command on the same state has the same result on every server.
     *
     * <p>If the outcome is {@link Outcome.Rejected}, rows may have been written before the reason was found,
     * because a command may have several parts. The caller must discard all writes of the command.
     *
     * @param state the state to which the command is applied
     * @param index the index of the command, not below {@link StateReader#index()}
     * @throws IllegalArgumentException if the index is below that of the state
     */
    public static Outcome apply(WritableState state, long index, Command command) {
        if (index < state.index()) {
            throw new IllegalArgumentException("CommandApplication: index " + index + " is below that of the state, "
                    + state.index() + "; apply commands in the order of the log");
        }
        return command instanceof Batch batch ? applyAll(state, index, batch) : applyOne(state, index, command);
    }

    private static Outcome applyAll(WritableState state, long index, Batch batch) {
        boolean changed = false;
        List<Effect> effects = new ArrayList<>();
        for (int i = 0; i < batch.commands().size(); i++) {
            Outcome outcome = applyOne(state, index, batch.commands().get(i));
            if (outcome instanceof Outcome.Rejected rejected) {
                return new Outcome.Rejected(new Rejection.InBatch(i, rejected.reason()));
            }
            if (outcome instanceof Outcome.Accepted accepted) {
                changed |= accepted.changed();
                effects.addAll(accepted.effects());
            }
        }
        return new Outcome.Accepted(changed, effects);
    }

    private static Outcome applyOne(WritableState state, long index, Command command) {
        Step step = new Step(state, index, command.at());
        if (command instanceof ClaimCommand claim) {
            return claim.accept(new ClaimHandler(step));
        }
        if (command instanceof AttachmentCommand attachment) {
            return attachment.accept(new AttachmentHandler(step));
        }
        if (command instanceof VolumeCommand volume) {
            return volume.accept(new VolumeHandler(step));
        }
        if (command instanceof SnapshotCommand snapshot) {
            return snapshot.accept(new SnapshotHandler(step));
        }
        if (command instanceof CallCommand call) {
            return new CallHandler(step).apply(call);
        }
        if (command instanceof ChangeCommand change) {
            return change.accept(new ChangeHandler(step));
        }
        if (command instanceof AllocationCommand allocation) {
            return allocation.accept(new AllocationHandler(step));
        }
        if (command instanceof NodeCommand node) {
            return node.accept(new NodeHandler(step));
        }
        if (command instanceof PluginCommand plugin) {
            return plugin.accept(new PluginHandler(step));
        }
        if (command instanceof LeftoverCommand leftover) {
            return leftover.accept(new LeftoverHandler(step));
        }
        if (command instanceof WithdrawnCreationCommand withdrawn) {
            return withdrawn.accept(new WithdrawnCreationHandler(step));
        }
        if (command instanceof AccessTokenCommand token) {
            return token.accept(new AccessTokenHandler(step));
        }
        if (command instanceof VolumeClassCommand volumeClass) {
            return volumeClass.accept(new VolumeClassHandler(step));
        }
        if (command instanceof QuotaCommand quota) {
            return quota.accept(new QuotaHandler(step));
        }
        if (command instanceof PluginProfileCommand profile) {
            return profile.accept(new PluginProfileHandler(step));
        }
        if (command instanceof OwnerCommand owner) {
            return owner.accept(new OwnerHandler(step));
        }
        throw new IllegalArgumentException("CommandApplication: a batch inside a batch");
    }
}
