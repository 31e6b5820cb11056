package io.csi4j.core.lifecycle.internal.event;

import io.csi4j.core.access.AccessToken;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Effect;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.AccessTokenCommand;
import io.csi4j.core.internal.command.AttachmentCommand;
import io.csi4j.core.internal.command.Batch;
import io.csi4j.core.internal.command.CallCommand;
import io.csi4j.core.internal.command.CallTarget;
import io.csi4j.core.internal.command.ChangeCommand;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.internal.command.LeftoverCommand;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.OwnerCommand;
import io.csi4j.core.internal.command.PluginProfileCommand;
import io.csi4j.core.internal.command.QuotaCommand;
import io.csi4j.core.internal.command.VolumeClassCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.internal.command.WithdrawnCreationCommand;
import io.csi4j.core.spi.AccessTokenEvent;
import io.csi4j.core.spi.AttachmentEvent;
import io.csi4j.core.spi.ClaimEvent;
import io.csi4j.core.spi.ControllerTrust;
import io.csi4j.core.spi.EventListener;
import io.csi4j.core.spi.PluginProfileEvent;
import io.csi4j.core.spi.QuotaEvent;
import io.csi4j.core.spi.VolumeClassEvent;
import io.csi4j.core.spi.VolumeEvent;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.AttachmentState;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reports an event for each change that a command of this engine makes. A command that changes nothing is not reported.
 * If one command of a batch changes something, all commands of the batch are reported.
 */
public final class CommandEvents {
    private static final System.Logger LOG = System.getLogger(CommandEvents.class.getName());

    private final EventListener listener;
    private final ClusterEvents cluster;

    public CommandEvents(EventListener listener, ControllerTrust trust) {
        this.listener = listener;
        this.cluster = new ClusterEvents(listener, trust);
    }

    /**
     * Reports an accepted command.
     *
     * @param before the state before the command
     * @param after the state with the command
     */
    public void accepted(StateReader before, StateReader after, Command command, Outcome.Accepted accepted) {
        if (!accepted.changed()) {
            return;
        }
        cluster.publish(before, after, command);
        if (command instanceof NodeCommand.LoseStorage lost) {
            LOG.log(
                    Level.INFO,
                    () -> "The storage of node " + lost.loss().nodeId() + " for plugin "
                            + lost.loss().pluginId() + " in " + lost.loss().place() + " is gone: " + lost.reason()
                            + ". Volumes that were only there: "
                            + accepted.effects().stream()
                                    .filter(Effect.VolumeRemoved.class::isInstance)
                                    .count());
        }
        EventPublisher reported = new EventPublisher(before, after, command);
        accepted.effects().forEach(reported::effect);
        reported.command(command);
    }

    /** Reports the events of one accepted command. */
    private final class EventPublisher {
        private final StateReader before;
        private final StateReader after;
        private final Command command;
        private final long index;
        private final List<Effect.ClaimFreed> freed = new ArrayList<>(1);

        EventPublisher(StateReader before, StateReader after, Command command) {
            this.before = before;
            this.after = after;
            this.command = command;
            this.index = after.index();
        }

        private void effect(Effect effect) {
            if (effect instanceof Effect.VolumeRemoved removed && command instanceof NodeCommand.LoseStorage lost) {
                volume(removed.key(), VolumeEvent.Change.STORAGE_LOST, lost.reason());
            } else if (effect instanceof Effect.VolumeRemoved removed) {
                volume(removed.key(), VolumeEvent.Change.REMOVED);
            } else if (effect instanceof Effect.DeletionBegun begun) {
                volume(begun.key(), VolumeEvent.Change.DELETING);
            } else if (effect instanceof Effect.VolumeStored stored
                    && stored.created()
                    && stored.volume().firstClaim().isPresent()) {
                volume(
                        stored.volume().key(),
                        stored.volume().isInline() ? VolumeEvent.Change.AVAILABLE : VolumeEvent.Change.CREATING);
            } else if (effect instanceof Effect.ClaimTaken taken && !taken.alreadyHeld()) {
                claim(taken);
            } else if (effect instanceof Effect.ClaimReleasable releasable) {
                listener.claimChanged(new ClaimEvent(
                        releasable.key(),
                        releasable.allocationId(),
                        ClaimEvent.Change.UNPUBLISHING,
                        index,
                        command.at()));
            } else if (effect instanceof Effect.ClaimFreed one) {
                // A freed claim is only collected here. Later, command() reports it together with the command that
                // freed it, so that the events are in the order of the commands.
                freed.add(one);
            } else if (effect instanceof Effect.QuotaOverrun over) {
                listener.quotaChanged(new QuotaEvent(
                        over.excess().quota(),
                        QuotaEvent.Change.OVER_BY_PROVIDER,
                        Optional.of(over.key()),
                        index,
                        command.at()));
            }
        }

        private void claim(Effect.ClaimTaken taken) {
            listener.claimChanged(new ClaimEvent(
                    taken.volume().key(), taken.claim().allocationId(), ClaimEvent.Change.TAKEN, index, command.at()));
            taken.attachment()
                    .filter(attachment -> attachment.state() == AttachmentState.PUBLISHING
                            && attachment.createIndex() == taken.claim().createIndex())
                    .ifPresent(attachment -> listener.attachmentChanged(new AttachmentEvent(
                            taken.volume().key(),
                            attachment.nodeId(),
                            AttachmentEvent.Change.PUBLISHING,
                            index,
                            command.at())));
        }

        private void command(Command reported) {
            if (reported instanceof Batch batch) {
                batch.commands().forEach(this::command);
            } else if (reported instanceof VolumeCommand volume) {
                volume(volume);
            } else if (reported instanceof CallCommand.RecordCallError call) {
                failed(call.key(), call.target());
            } else if (reported instanceof ChangeCommand change) {
                volume(change.key(), change.accept(new ChangeEvents()));
            } else if (reported instanceof ClaimCommand claim) {
                claim(claim);
            } else if (reported instanceof AttachmentCommand attachment) {
                attachment(attachment);
            } else if (reported instanceof AccessTokenCommand.CreateAccessToken create) {
                after.accessToken(create.id()).ifPresent(token -> token(token, AccessTokenEvent.Change.CREATED));
            } else if (reported instanceof AccessTokenCommand.RevokeAccessToken revoke) {
                before.accessToken(revoke.id()).ifPresent(token -> token(token, AccessTokenEvent.Change.REVOKED));
            } else if (reported instanceof LeftoverCommand.OverrideLeftover override) {
                before.leftover(override.key())
                        .ifPresent(leftover -> volume(
                                leftover.formerVolume(), VolumeEvent.Change.LEFTOVER_OVERRIDDEN, override.reason()));
            } else if (reported instanceof WithdrawnCreationCommand.ForgetWithdrawnCreation forget) {
                before.withdrawnCreation(forget.key())
                        .ifPresent(row ->
                                volume(row.volume(), VolumeEvent.Change.WITHDRAWN_CREATION_FORGOTTEN, forget.reason()));
            } else if (reported instanceof VolumeClassCommand volumeClass) {
                volumeClass(volumeClass);
            } else if (reported instanceof QuotaCommand quota) {
                quota(quota);
            } else if (reported instanceof PluginProfileCommand profile) {
                pluginProfile(profile);
            } else if (reported instanceof OwnerCommand owner) {
                owner(owner);
            }
        }

        private void owner(OwnerCommand reported) {
            if (reported instanceof OwnerCommand.SetReclaim set) {
                volume(set.key(), VolumeEvent.Change.UPDATED);
            } else if (reported instanceof OwnerCommand.SetOwner set) {
                volume(set.key(), VolumeEvent.Change.UPDATED);
            } else if (reported instanceof OwnerCommand.EndOwner end) {
                for (VolumeKey key :
                        after.volumesOwnedBy(end.namespace(), end.workload().name())) {
                    after.volume(key)
                            .filter(volume -> volume.retainedSince().isPresent() && volume.modifyIndex() == index)
                            .ifPresent(volume -> volume(key, VolumeEvent.Change.RETAINED));
                }
            }
        }

        private void quota(QuotaCommand reported) {
            boolean known = before.quota(reported.key()).isPresent();
            QuotaEvent.Change change = QuotaEvent.Change.REMOVED;
            if (reported instanceof QuotaCommand.PutQuota) {
                change = known ? QuotaEvent.Change.REPLACED : QuotaEvent.Change.ADDED;
            }
            listener.quotaChanged(new QuotaEvent(reported.key(), change, Optional.empty(), index, command.at()));
        }

        private void pluginProfile(PluginProfileCommand reported) {
            boolean known = before.pluginProfile(reported.pluginId()).isPresent();
            PluginProfileEvent.Change change = PluginProfileEvent.Change.REMOVED;
            if (reported instanceof PluginProfileCommand.PutPluginProfile) {
                change = known ? PluginProfileEvent.Change.REPLACED : PluginProfileEvent.Change.ADDED;
            }
            listener.pluginProfileChanged(new PluginProfileEvent(reported.pluginId(), change, index, command.at()));
        }

        private void token(AccessToken token, AccessTokenEvent.Change change) {
            listener.accessTokenChanged(new AccessTokenEvent(token.id(), token.request(), change, index, command.at()));
        }

        private void volumeClass(VolumeClassCommand reported) {
            boolean known = before.volumeClass(reported.name()).isPresent();
            VolumeClassEvent.Change change = VolumeClassEvent.Change.REMOVED;
            if (reported instanceof VolumeClassCommand.PutVolumeClass) {
                change = known ? VolumeClassEvent.Change.REPLACED : VolumeClassEvent.Change.ADDED;
            }
            listener.volumeClassChanged(new VolumeClassEvent(reported.name(), change, index, command.at()));
        }

        private void volume(VolumeCommand reported) {
            if (reported instanceof VolumeCommand.CreateFromClass create) {
                volume(create.key(), made(create.key()) ? VolumeEvent.Change.CREATING : VolumeEvent.Change.UPDATED);
            } else if (reported instanceof VolumeCommand.RegisterVolume register) {
                boolean made = made(register.key());
                VolumeEvent.Change first = switch (register.origin()) {
                    case REGISTERED -> VolumeEvent.Change.REGISTERED;
                    case CREATED -> VolumeEvent.Change.CREATING;
                    case INLINE -> VolumeEvent.Change.AVAILABLE;
                };
                volume(register.key(), made ? first : VolumeEvent.Change.UPDATED);
            } else if (reported instanceof VolumeCommand.UpdateVolume update) {
                volume(update.key(), VolumeEvent.Change.UPDATED);
            } else if (reported instanceof VolumeCommand.RecordProviderFacts facts) {
                volume(facts.key(), VolumeEvent.Change.FACTS_RECORDED);
            } else if (reported instanceof VolumeCommand.MarkForGc mark) {
                volume(mark.key(), VolumeEvent.Change.MARKED);
            } else if (reported instanceof VolumeCommand.ForgetVolume forget) {
                volume(forget.key(), VolumeEvent.Change.FORGOTTEN, forget.reason());
            } else if (reported instanceof VolumeCommand.WithdrawCreation withdraw) {
                volume(withdraw.key(), VolumeEvent.Change.CREATION_WITHDRAWN, withdraw.reason());
            } else if (reported instanceof VolumeCommand.SetVolumePhase set) {
                volume(
                        set.key(),
                        switch (set.phase()) {
                            case CREATING -> VolumeEvent.Change.CREATING;
                            case AVAILABLE -> VolumeEvent.Change.AVAILABLE;
                            case DELETING -> VolumeEvent.Change.DELETING;
                        });
            }
        }

        private boolean made(VolumeKey key) {
            return after.volume(key)
                    .filter(volume -> volume.createIndex() == volume.modifyIndex())
                    .isPresent();
        }

        private void volume(VolumeKey key, VolumeEvent.Change change) {
            volume(key, change, "");
        }

        private void volume(VolumeKey key, VolumeEvent.Change change, String reason) {
            listener.volumeChanged(new VolumeEvent(key, change, reason, index, command.at()));
        }

        private void claim(ClaimCommand reported) {
            if (reported instanceof ClaimCommand.FreeClaim free) {
                boolean gone = freed.stream()
                        .anyMatch(one -> one.key().equals(free.key())
                                && one.allocationId().equals(free.allocationId()));
                if (gone) {
                    claim(free.key(), free.allocationId(), ClaimEvent.Change.FREED);
                }
            } else if (reported instanceof ClaimCommand.OverrideClaim override) {
                claim(override.key(), override.allocationId(), ClaimEvent.Change.OVERRIDDEN);
            } else if (reported instanceof ClaimCommand.CheckpointClaim checkpoint) {
                switch (checkpoint.state()) {
                    case TAKEN, UNPUBLISHING -> {
                        // effect() reports the begin of a release, for the effect ClaimReleasable.
                    }
                    case NODE_DETACHED ->
                        claim(checkpoint.key(), checkpoint.allocationId(), ClaimEvent.Change.NODE_DETACHED);
                    case READY_TO_FREE ->
                        claim(checkpoint.key(), checkpoint.allocationId(), ClaimEvent.Change.READY_TO_FREE);
                }
            }
        }

        private void claim(VolumeKey key, AllocationId allocationId, ClaimEvent.Change change) {
            listener.claimChanged(new ClaimEvent(key, allocationId, change, index, command.at()));
        }

        /** Reports a failed call as a failed step of the volume, the attachment or the claim that it was for. */
        private void failed(VolumeKey key, CallTarget target) {
            if (target instanceof CallTarget.OfAttachment attachment) {
                listener.attachmentChanged(new AttachmentEvent(
                        key, attachment.nodeId(), AttachmentEvent.Change.STEP_FAILED, index, command.at()));
            } else if (target instanceof CallTarget.OfClaim claim) {
                claim(key, claim.allocationId(), ClaimEvent.Change.STEP_FAILED);
            } else {
                boolean lost = target instanceof CallTarget.OfVerification
                        && after.volume(key)
                                .filter(volume -> volume.isLost() && volume.modifyIndex() == index)
                                .isPresent();
                volume(key, lost ? VolumeEvent.Change.LOST : VolumeEvent.Change.STEP_FAILED);
            }
        }

        private void attachment(AttachmentCommand reported) {
            AttachmentEvent event = reported.accept(new AttachmentEvents(index));
            listener.attachmentChanged(event);
        }
    }
}
