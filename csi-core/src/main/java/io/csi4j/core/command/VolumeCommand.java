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
    /**
     * The volume it is about.
     *
     * @return its key
     */
    VolumeKey key();

    /**
     * Declares a volume. With origin REGISTERED, one that is known already is merged with the new declaration: what the
     * declaration gives replaces what was, what it leaves out stays, what must not change is refused. With origin
     * CREATED, one that is known already never changes: an equal declaration is a repeat, and another one is refused.
     *
     * @param key its key
     * @param spec what the host declares
     * @param origin REGISTERED for a volume the provider has; CREATED to write the intent to create it (R56); an origin
     *     never changes
     * @param facts what the provider told; of no account for one that is known already
     * @param at when, by the clock of whoever proposes it
     */
    record RegisterVolume(VolumeKey key, VolumeSpec spec, VolumeOrigin origin, ProviderFacts facts, Instant at)
            implements VolumeCommand {
        /** Checks that all parts are there. */
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
     * @param key the volume
     * @param spec what the host declares
     * @param ifModifyIndex only if the volume was last changed at this index; 0: in any case
     * @param at when, by the clock of whoever proposes it
     */
    record UpdateVolume(VolumeKey key, VolumeSpec spec, long ifModifyIndex, Instant at) implements VolumeCommand {
        /**
         * Checks the parts.
         *
         * @throws IllegalArgumentException if the index is negative
         */
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
     * Records what the provider told, after CreateVolume, an expansion or a look. A volume that was being
     * created is AVAILABLE then.
     *
     * @param key the volume
     * @param facts all facts; they replace those known, but for an external id, which stays, and a larger size
     * @param ifCreateIndex only the volume that was made at this index, and not one that has its key since: a command may
     *     come through long after it was proposed; 0: whichever has it
     * @param at when, by the clock of whoever proposes it
     */
    record RecordProviderFacts(VolumeKey key, ProviderFacts facts, long ifCreateIndex, Instant at)
            implements VolumeCommand {
        /**
         * For whichever volume has the key, however it is.
         *
         * @param key the volume
         * @param facts what it told
         * @param at when, by the clock of whoever proposes it
         */
        public RecordProviderFacts(VolumeKey key, ProviderFacts facts, Instant at) {
            this(key, facts, 0, at);
        }

        /**
         * Checks that all parts are there.
         *
         * @throws IllegalArgumentException if the index is negative
         */
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
     * Moves a volume along its life: DELETING before DeleteVolume is called, AVAILABLE again when the
     * provider refused to delete it.
     *
     * @param key the volume
     * @param phase where to
     * @param ifModifyIndex only if the volume was last changed at this index: a command may come through long after it was
     *     proposed; 0: in any case
     * @param at when, by the clock of whoever proposes it
     */
    record SetVolumePhase(VolumeKey key, VolumePhase phase, long ifModifyIndex, Instant at) implements VolumeCommand {
        /**
         * For whichever volume has the key, however it is.
         *
         * @param key the volume
         * @param phase the next phase
         * @param at when, by the clock of whoever proposes it
         */
        public SetVolumePhase(VolumeKey key, VolumePhase phase, Instant at) {
            this(key, phase, 0, at);
        }

        /**
         * Checks that all parts are there.
         *
         * @throws IllegalArgumentException if the index is negative
         */
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
     * @param key the volume
     * @param force forget its claims and attachments too, provided that each claimant has ended or is unknown
     * @param ifModifyIndex only if the volume was last changed at this index: a command may come through long after it was
     *     proposed; 0: in any case
     * @param at when, by the clock of whoever proposes it
     */
    record DeregisterVolume(VolumeKey key, boolean force, long ifModifyIndex, Instant at) implements VolumeCommand {
        /**
         * For whichever volume has the key, however it is.
         *
         * @param key the volume
         * @param force also if it has claims and attachments that nobody alive uses
         * @param at when, by the clock of whoever proposes it
         */
        public DeregisterVolume(VolumeKey key, boolean force, Instant at) {
            this(key, force, 0, at);
        }

        /**
         * Checks that all parts are there.
         *
         * @throws IllegalArgumentException if the index is negative
         */
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
     * @param key the volume
     * @param ifCreateIndex the index of its creation; another volume of that name is left alone
     * @param phase CREATING or DELETING, as the call is made for
     * @param at when, by the clock of the server that proposes it
     */
    record BeginCall(VolumeKey key, long ifCreateIndex, VolumePhase phase, Instant at) implements VolumeCommand {
        /** Checks that all parts are there. */
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
     * A call to create or delete a volume failed, or its outcome is unknown. Changes nothing if the volume is another one
     * or in another phase by now.
     *
     * @param key the volume
     * @param ifCreateIndex the index of its creation
     * @param phase CREATING or DELETING, as the call was made for
     * @param attempt the failure, with the time of the next attempt
     * @param at when, by the clock of the server that proposes it
     */
    record RecordCallError(VolumeKey key, long ifCreateIndex, VolumePhase phase, Attempt attempt, Instant at)
            implements VolumeCommand {
        /** Checks that all parts are there. */
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
     * @param key the volume
     * @param at when, by the clock of whoever proposes it
     */
    record MarkForGc(VolumeKey key, Instant at) implements VolumeCommand {
        /** Checks that all parts are there. */
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
     * One method for each of these commands, so that none can be forgotten.
     *
     * @param <R> what a handler makes of a command
     */
    interface Cases<R> {
        /**
         * The case of a {@link RegisterVolume}.
         *
         * @param command the command
         * @return whatever the handler makes of it
         */
        R registerVolume(RegisterVolume command);

        /**
         * The case of an {@link UpdateVolume}.
         *
         * @param command the command
         * @return whatever the handler makes of it
         */
        R updateVolume(UpdateVolume command);

        /**
         * The case of a {@link RecordProviderFacts}.
         *
         * @param command the command
         * @return whatever the handler makes of it
         */
        R recordProviderFacts(RecordProviderFacts command);

        /**
         * The case of a {@link SetVolumePhase}.
         *
         * @param command the command
         * @return whatever the handler makes of it
         */
        R setVolumePhase(SetVolumePhase command);

        /**
         * The case of a {@link BeginCall}.
         *
         * @param command the command
         * @return whatever the handler makes of it
         */
        R beginCall(BeginCall command);

        /**
         * The case of a {@link RecordCallError}.
         *
         * @param command the command
         * @return whatever the handler makes of it
         */
        R recordCallError(RecordCallError command);

        /**
         * The case of a {@link DeregisterVolume}.
         *
         * @param command the command
         * @return whatever the handler makes of it
         */
        R deregisterVolume(DeregisterVolume command);

        /**
         * The case of a {@link MarkForGc}.
         *
         * @param command the command
         * @return whatever the handler makes of it
         */
        R markForGc(MarkForGc command);
    }

    /**
     * Hands the command to its case.
     *
     * @param cases the handler
     * @param <R> what the handler makes of it
     * @return what the handler made of it
     */
    <R> R accept(Cases<R> cases);
}
