package io.csi4j.core.command;

import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.Attempt;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.VolumeSpec;
import java.time.Instant;
import java.util.Objects;

/** About a volume itself. */
public sealed interface VolumeCommand extends Command {
    /** The volume it is about. */
    VolumeKey key();

    /**
     * Declares a volume. With origin REGISTERED, one that is known already is merged with the new declaration: what
     * the declaration gives replaces what was, what it leaves out stays, what must not change is refused. With origin
     * CREATED, one that is known already never changes: an equal declaration is a repeat, and another one is refused.
     *
     * @param spec what the host declares
     * @param origin REGISTERED for a volume the provider has; CREATED to write the intent to create it (R56); an
     *     origin never changes
     * @param facts what the provider told; of no account for one that is known already
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record RegisterVolume(VolumeKey key, VolumeSpec spec, VolumeOrigin origin, ProviderFacts facts, Instant at)
            implements VolumeCommand {
        public RegisterVolume {
            Objects.requireNonNull(key, "key");
            Objects.requireNonNull(spec, "spec");
            Objects.requireNonNull(origin, "origin");
            Objects.requireNonNull(facts, "facts");
            Objects.requireNonNull(at, "at");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.registerVolume(this);
        }
    }

    /**
     * Changes what is declared about a known volume, by the same rules of merging.
     *
     * @param spec what the host declares
     * @param ifModifyIndex only if the volume was last changed at this index; 0: in any case
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record UpdateVolume(VolumeKey key, VolumeSpec spec, long ifModifyIndex, Instant at) implements VolumeCommand {
        /** @throws IllegalArgumentException if the index is negative */
        public UpdateVolume {
            Objects.requireNonNull(key, "key");
            Objects.requireNonNull(spec, "spec");
            Objects.requireNonNull(at, "at");
            if (ifModifyIndex < 0) {
                throw new IllegalArgumentException(
                        "UpdateVolume: ifModifyIndex is " + ifModifyIndex + "; use 0 for in any case");
            }
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.updateVolume(this);
        }
    }

    /**
     * Records what the provider told, after CreateVolume, an expansion or a look. A volume that was being created is
     * AVAILABLE then.
     *
     * @param facts all facts; they replace those known, but for an external id, which stays, and a larger size
     * @param ifCreateIndex only the volume that was made at this index, and not one that has its key since: a command
     *     may come through long after it was proposed; 0: whichever has it
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record RecordProviderFacts(VolumeKey key, ProviderFacts facts, long ifCreateIndex, Instant at)
            implements VolumeCommand {
        /**
         * For whichever volume has the key, however it is.
         *
         * @param facts what it told
         * @param at the time when the command was proposed, by the clock of the server that proposed it
         */
        public RecordProviderFacts(VolumeKey key, ProviderFacts facts, Instant at) {
            this(key, facts, 0, at);
        }

        /** @throws IllegalArgumentException if the index is negative */
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
     * Moves a volume along its life: DELETING before DeleteVolume is called, AVAILABLE again when the provider refused
     * to delete it.
     *
     * @param phase where to
     * @param ifModifyIndex only if the volume was last changed at this index: a command may come through long after it
     *     was proposed; 0: in any case
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record SetVolumePhase(VolumeKey key, VolumePhase phase, long ifModifyIndex, Instant at) implements VolumeCommand {
        /**
         * For whichever volume has the key, however it is.
         *
         * @param phase the next phase
         * @param at the time when the command was proposed, by the clock of the server that proposed it
         */
        public SetVolumePhase(VolumeKey key, VolumePhase phase, Instant at) {
            this(key, phase, 0, at);
        }

        /** @throws IllegalArgumentException if the index is negative */
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
     * Forgets a volume. Refused while it is in use.
     *
     * @param force forget its claims and attachments too, provided that each claimant has ended or is unknown
     * @param ifModifyIndex only if the volume was last changed at this index: a command may come through long after it
     *     was proposed; 0: in any case
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record DeregisterVolume(VolumeKey key, boolean force, long ifModifyIndex, Instant at) implements VolumeCommand {
        /**
         * For whichever volume has the key, however it is.
         *
         * @param force also if it has claims and attachments that nobody alive uses
         * @param at the time when the command was proposed, by the clock of the server that proposed it
         */
        public DeregisterVolume(VolumeKey key, boolean force, Instant at) {
            this(key, force, 0, at);
        }

        /** @throws IllegalArgumentException if the index is negative */
        public DeregisterVolume {
            Indexes.check("DeregisterVolume", "ifModifyIndex", ifModifyIndex);
            Objects.requireNonNull(key, "key");
            Objects.requireNonNull(at, "at");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.deregisterVolume(this);
        }
    }

    /**
     * A call to create or delete a volume begins: stored before the call, so that each later leader knows of it.
     *
     * @param ifCreateIndex the index of its creation; another volume of that name is left alone
     * @param phase CREATING or DELETING, as the call is made for
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record BeginCall(VolumeKey key, long ifCreateIndex, VolumePhase phase, Instant at) implements VolumeCommand {
        public BeginCall {
            Objects.requireNonNull(key, "key");
            Objects.requireNonNull(phase, "phase");
            Objects.requireNonNull(at, "at");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.beginCall(this);
        }
    }

    /**
     * A call to create or delete a volume failed, or its outcome is unknown. Changes nothing if the volume is another
     * one or in another phase by now.
     *
     * @param ifCreateIndex the index of its creation
     * @param phase CREATING or DELETING, as the call was made for
     * @param attempt the failure, with the time of the next attempt
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record RecordCallError(VolumeKey key, long ifCreateIndex, VolumePhase phase, Attempt attempt, Instant at)
            implements VolumeCommand {
        public RecordCallError {
            Objects.requireNonNull(key, "key");
            Objects.requireNonNull(phase, "phase");
            Objects.requireNonNull(attempt, "attempt");
            Objects.requireNonNull(at, "at");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.recordCallError(this);
        }
    }

    /**
     * Makes a reaper look at a volume. Changes nothing but the index of its last change (S13).
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
     * Has one method for each type of command; a class that implements it cannot omit a type.
     *
     * @param <R> the result type of the methods
     */
    interface Cases<R> {
        R registerVolume(RegisterVolume command);

        R updateVolume(UpdateVolume command);

        R recordProviderFacts(RecordProviderFacts command);

        R setVolumePhase(SetVolumePhase command);

        R beginCall(BeginCall command);

        R recordCallError(RecordCallError command);

        R deregisterVolume(DeregisterVolume command);

        R markForGc(MarkForGc command);
    }

    /**
     * Calls the method of {@code cases} for the type of this command.
     *
     * @return the value that the method returned
     */
    <R> R accept(Cases<R> cases);
}
