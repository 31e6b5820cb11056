package io.csi4j.core.internal.command;

import io.csi4j.core.command.Command;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.text.Text;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.RefusedCreation;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.core.volume.VolumeTemplate;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/** Commands that create, change or remove the row of a volume. */
public sealed interface VolumeCommand extends Command {
    VolumeKey key();

    /**
     * Declares a volume. A volume with origin REGISTERED may be registered already: then the new declaration is merged
     * into its row. A given field replaces the old value, a missing field keeps the old value, and a change of an
     * immutable field is rejected. A volume with origin CREATED that exists already never changes: an equal declaration
     * is accepted as a repeat, and a different one is rejected.
     *
     * @param spec the fields that the user declares
     * @param origin REGISTERED for a volume that the storage provider has already; CREATED to record the intent to
     *     create it (R56). The origin of a volume never changes
     * @param facts the facts that the provider reported; ignored for a volume that is registered already
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     * @param driver the name of the driver that has confirmed the declaration: the command is rejected if the plugin's
     *     volumes belong to another one when it is applied, or if the plugin is not known then; empty for no such check
     */
    record RegisterVolume(
            VolumeKey key,
            VolumeSpec spec,
            VolumeOrigin origin,
            ProviderFacts facts,
            Instant at,
            Optional<String> driver)
            implements VolumeCommand {
        public RegisterVolume {
            Objects.requireNonNull(key, "key");
            Objects.requireNonNull(spec, "spec");
            Objects.requireNonNull(origin, "origin");
            Objects.requireNonNull(facts, "facts");
            Objects.requireNonNull(at, "at");
            Objects.requireNonNull(driver, "driver").ifPresent(text -> Text.checked("RegisterVolume: driver", text));
        }

        /** Creates a command that no driver has to confirm. */
        public RegisterVolume(VolumeKey key, VolumeSpec spec, VolumeOrigin origin, ProviderFacts facts, Instant at) {
            this(key, spec, origin, facts, at, Optional.empty());
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.registerVolume(this);
        }
    }

    /**
     * Records the intent to create a volume from a class (R56). The values of the class are read when the command is
     * applied, and copied into the row. A volume that exists already never changes: the same template is accepted as a
     * repeat, whether the class has changed or not, and another one is rejected.
     *
     * @param template a template without attributes, which only claims use
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record CreateFromClass(VolumeKey key, VolumeTemplate template, Instant at) implements VolumeCommand {
        public CreateFromClass {
            Objects.requireNonNull(key, "key");
            if (!template.attributes().isEmpty()) {
                throw new IllegalArgumentException("CreateFromClass: the template has attributes; use it in a claim");
            }
            Objects.requireNonNull(at, "at");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.createFromClass(this);
        }
    }

    /**
     * Changes the declared fields of a registered volume, by the merge rules of {@link RegisterVolume}.
     *
     * @param spec the fields that the user declares
     * @param ifModifyIndex the command is rejected unless the volume was last changed at this index; 0 for no such
     *     check
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record UpdateVolume(VolumeKey key, VolumeSpec spec, long ifModifyIndex, Instant at) implements VolumeCommand {
        /** @throws IllegalArgumentException if {@code ifModifyIndex} is negative */
        public UpdateVolume {
            Objects.requireNonNull(key, "key");
            Objects.requireNonNull(spec, "spec");
            Objects.requireNonNull(at, "at");
            if (ifModifyIndex < 0) {
                throw new IllegalArgumentException(
                        "UpdateVolume: ifModifyIndex is " + ifModifyIndex + "; use 0 to skip the check");
            }
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.updateVolume(this);
        }
    }

    /**
     * Records the facts that the storage provider reported after CreateVolume, an expansion or a query. A volume in
     * phase CREATING becomes AVAILABLE.
     *
     * @param facts the facts that replace the known ones; a known external id does not change, and the capacity does
     *     not decrease
     * @param ifCreateIndex the command applies only to the volume with this create index, so that a delayed command
     *     does not change a newer volume with the same key; with 0 it applies to any volume with the key
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record RecordProviderFacts(VolumeKey key, ProviderFacts facts, long ifCreateIndex, Instant at)
            implements VolumeCommand {
        /**
         * Creates a command that does not check the create index, so it applies to any volume with this key.
         *
         * @param facts the facts that the storage provider reported
         * @param at the time when the command was proposed, by the clock of the server that proposed it
         */
        public RecordProviderFacts(VolumeKey key, ProviderFacts facts, Instant at) {
            this(key, facts, 0, at);
        }

        /** @throws IllegalArgumentException if {@code ifCreateIndex} is negative */
        public RecordProviderFacts {
            Indexes.check("RecordProviderFacts", "ifCreateIndex", ifCreateIndex);
            Objects.requireNonNull(key, "key");
            Objects.requireNonNull(facts, "facts");
            Objects.requireNonNull(at, "at");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.recordProviderFacts(this);
        }
    }

    /**
     * Moves a volume to another phase: to DELETING before DeleteVolume is called, or back to AVAILABLE when the storage
     * provider refused to delete the volume.
     *
     * @param phase the new phase
     * @param ifModifyIndex the command is rejected unless the volume was last changed at this index; 0 for no such
     *     check
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record SetVolumePhase(VolumeKey key, VolumePhase phase, long ifModifyIndex, Instant at) implements VolumeCommand {
        /**
         * Creates a command that does not check the modify index: the volume may have changed since it was read.
         *
         * @param phase the new phase
         * @param at the time when the command was proposed, by the clock of the server that proposed it
         */
        public SetVolumePhase(VolumeKey key, VolumePhase phase, Instant at) {
            this(key, phase, 0, at);
        }

        /** @throws IllegalArgumentException if {@code ifModifyIndex} is negative */
        public SetVolumePhase {
            Indexes.check("SetVolumePhase", "ifModifyIndex", ifModifyIndex);
            Objects.requireNonNull(key, "key");
            Objects.requireNonNull(phase, "phase");
            Objects.requireNonNull(at, "at");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.setVolumePhase(this);
        }
    }

    /**
     * Removes a volume from the state. The volume at the storage provider stays. Rejected while the volume is in use.
     *
     * @param force true to remove the volume also while it is being created
     * @param ifModifyIndex the command is rejected unless the volume was last changed at this index; 0 for no such
     *     check
     * @param refusal why the creation of the volume was refused, so that callers at other servers learn it; empty for
     *     other removals
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record DeregisterVolume(
            VolumeKey key, boolean force, long ifModifyIndex, Optional<RefusedCreation.Reason> refusal, Instant at)
            implements VolumeCommand {
        /**
         * Creates a command that does not check the modify index: the volume may have changed since it was read.
         *
         * @param force true to remove the volume also while it is being created
         * @param at the time when the command was proposed, by the clock of the server that proposed it
         */
        public DeregisterVolume(VolumeKey key, boolean force, Instant at) {
            this(key, force, 0, at);
        }

        /** Creates a command that removes the volume for another reason than the refusal of its creation. */
        public DeregisterVolume(VolumeKey key, boolean force, long ifModifyIndex, Instant at) {
            this(key, force, ifModifyIndex, Optional.empty(), at);
        }

        /** @throws IllegalArgumentException if {@code ifModifyIndex} is negative */
        public DeregisterVolume {
            Indexes.check("DeregisterVolume", "ifModifyIndex", ifModifyIndex);
            Objects.requireNonNull(key, "key");
            Objects.requireNonNull(refusal, "refusal");
            Objects.requireNonNull(at, "at");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.deregisterVolume(this);
        }
    }

    /**
     * Removes a volume from the state at the word of an operator, also if it has claims or attachments, and in every
     * phase. What the volume may have left on nodes is kept as a {@link io.csi4j.core.volume.Leftover}. Rejected while
     * an allocation that claims the volume has not ended.
     *
     * @param ifModifyIndex the command is rejected unless the volume was last changed at this index; 0 for no such
     *     check
     * @param operator the operator, not empty
     * @param reason the operator's reason, not empty
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record ForgetVolume(VolumeKey key, long ifModifyIndex, String operator, String reason, Instant at)
            implements VolumeCommand {
        /** @throws IllegalArgumentException if {@code operator} or {@code reason} is empty, or the index is negative */
        public ForgetVolume {
            Indexes.check("ForgetVolume", "ifModifyIndex", ifModifyIndex);
            Objects.requireNonNull(key, "key");
            Text.checked("ForgetVolume: who", operator);
            Text.checked("ForgetVolume: why", reason);
            Objects.requireNonNull(at, "at");
            if (operator.isEmpty() || reason.isEmpty()) {
                throw new IllegalArgumentException("ForgetVolume: give the operator (who) and the reason (why)");
            }
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.forgetVolume(this);
        }
    }

    /**
     * Gives up a creation that is not finished, also if its volume is to be deleted already: removes the volume from the
     * state. Unless it is certain that nothing was made, the creation stays stored as a {@link
     * io.csi4j.core.volume.WithdrawnCreation}. Rejected if the storage provider has returned the volume.
     *
     * @param ifCreateIndex the command is rejected unless the volume was added to the state at this index
     * @param operator who withdraws the creation, not empty
     * @param reason the reason, not empty
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record WithdrawCreation(VolumeKey key, long ifCreateIndex, String operator, String reason, Instant at)
            implements VolumeCommand {
        /** @throws IllegalArgumentException if {@code operator} or {@code reason} is empty */
        public WithdrawCreation {
            Objects.requireNonNull(key, "key");
            Text.checked("WithdrawCreation: who", operator);
            Text.checked("WithdrawCreation: why", reason);
            Objects.requireNonNull(at, "at");
            if (operator.isEmpty() || reason.isEmpty()) {
                throw new IllegalArgumentException("WithdrawCreation: give the operator (who) and the reason (why)");
            }
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.withdrawCreation(this);
        }
    }

    /**
     * Gives up a volume that was made for a claim and never used, together with the unused volumes that were made with it.
     * Their keys are free; what the storage provider has or may have is deleted. Rejected if the volume was claimed in the
     * meantime.
     *
     * @param ifCreateIndex the {@link io.csi4j.core.volume.Volume#createIndex()} of the volume
     * @param refusal the reason for callers that wait for the volume; empty if no caller waits
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record DiscardUnused(VolumeKey key, long ifCreateIndex, Optional<RefusedCreation.Reason> refusal, Instant at)
            implements VolumeCommand {
        public DiscardUnused {
            Objects.requireNonNull(key, "key");
            Indexes.check("DiscardUnused", "ifCreateIndex", ifCreateIndex);
            Objects.requireNonNull(refusal, "refusal");
            Objects.requireNonNull(at, "at");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.discardUnused(this);
        }
    }

    /**
     * Records that a volume of a restored state can be used: the storage provider has it, or its plugin cannot tell. Has no
     * effect if the volume was not to be verified for this restore any more.
     *
     * @param ifCreateIndex the {@link io.csi4j.core.volume.Volume#createIndex()} of the volume
     * @param restoredIndex the {@link io.csi4j.core.cluster.StateRestore#index()} for which the provider was asked
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record RecordVerified(VolumeKey key, long ifCreateIndex, long restoredIndex, Instant at) implements VolumeCommand {
        public RecordVerified {
            Objects.requireNonNull(key, "key");
            Indexes.check("RecordVerified", "ifCreateIndex", ifCreateIndex);
            Indexes.check("RecordVerified", "restoredIndex", restoredIndex);
            Objects.requireNonNull(at, "at");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.recordVerified(this);
        }
    }

    /**
     * Makes the leader check a volume for remaining work. The command changes nothing but the modify index of the
     * volume; of a restored state, the volume that is lost or not verified is asked about, now or once more.
     *
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record MarkForGc(VolumeKey key, Instant at) implements VolumeCommand {
        public MarkForGc {
            Objects.requireNonNull(key, "key");
            Objects.requireNonNull(at, "at");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.markForGc(this);
        }
    }

    /**
     * Has one method for each type of command, so that the compiler rejects code that omits a type.
     *
     * @param <R> the result type of the methods
     */
    interface Cases<R> {
        R registerVolume(RegisterVolume command);

        R createFromClass(CreateFromClass command);

        R updateVolume(UpdateVolume command);

        R recordProviderFacts(RecordProviderFacts command);

        R setVolumePhase(SetVolumePhase command);

        R deregisterVolume(DeregisterVolume command);

        R forgetVolume(ForgetVolume command);

        R withdrawCreation(WithdrawCreation command);

        R discardUnused(DiscardUnused command);

        R recordVerified(RecordVerified command);

        R markForGc(MarkForGc command);
    }

    /**
     * Calls the method of {@code cases} for the type of this command.
     *
     * @return the value that the method returned
     */
    <R> R accept(Cases<R> cases);
}
