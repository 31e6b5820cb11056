package io.csi4j.core.internal.command;

import io.csi4j.core.command.Command;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.volume.VolumeClass;
import java.time.Instant;
import java.util.Objects;

/** Commands about volume classes ({@link VolumeClass}). No volume changes with its class. */
public sealed interface VolumeClassCommand extends Command {
    VolumeClassName name();

    /**
     * Adds a class, or replaces all values of the class that has its name. Has no effect if the state has the same class.
     *
     * @param volumeClass the class; its indexes are ignored
     * @param ifModifyIndex the command is rejected unless the class was last changed at this index; 0 for no such check
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record PutVolumeClass(VolumeClass volumeClass, long ifModifyIndex, Instant at) implements VolumeClassCommand {
        /** @throws IllegalArgumentException if {@code ifModifyIndex} is negative */
        public PutVolumeClass {
            Indexes.check("PutVolumeClass", "ifModifyIndex", ifModifyIndex);
            volumeClass = volumeClass.stored(0, 0);
            Objects.requireNonNull(at, "at");
        }

        @Override
        public VolumeClassName name() {
            return volumeClass.name();
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.putVolumeClass(this);
        }
    }

    /**
     * Removes a class, also if the state has volumes of it. Has no effect if the state does not have it.
     *
     * @param ifCreateIndex the command applies only to the class that was added at this index, so that a delayed command
     *     does not remove a newer class with the same name; with 0 it applies to any class with the name
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record RemoveVolumeClass(VolumeClassName name, long ifCreateIndex, Instant at) implements VolumeClassCommand {
        /** @throws IllegalArgumentException if {@code ifCreateIndex} is negative */
        public RemoveVolumeClass {
            Indexes.check("RemoveVolumeClass", "ifCreateIndex", ifCreateIndex);
            Objects.requireNonNull(name, "name");
            Objects.requireNonNull(at, "at");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.removeVolumeClass(this);
        }
    }

    /**
     * Has one method for each type of command, so that the compiler rejects code that omits a type.
     *
     * @param <R> the result type of the methods
     */
    interface Cases<R> {
        R putVolumeClass(PutVolumeClass command);

        R removeVolumeClass(RemoveVolumeClass command);
    }

    /**
     * Calls the method of {@code cases} for the type of this command.
     *
     * @return the value that the method returned
     */
    <R> R accept(Cases<R> cases);
}
