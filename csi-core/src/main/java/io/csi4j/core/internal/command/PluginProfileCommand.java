package io.csi4j.core.internal.command;

import io.csi4j.core.command.Command;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.plugin.PluginProfile;
import java.time.Instant;
import java.util.Objects;

/** Commands about the profiles of plugins ({@link PluginProfile}). No volume changes with a profile. */
public sealed interface PluginProfileCommand extends Command {
    PluginId pluginId();

    /**
     * Adds a profile, or replaces all values of the profile of its plugin. Has no effect if the state has the same profile.
     *
     * @param profile the profile; its indexes are ignored
     * @param ifModifyIndex the command is rejected unless the profile was last changed at this index; 0 for no such check
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record PutPluginProfile(PluginProfile profile, long ifModifyIndex, Instant at) implements PluginProfileCommand {
        /** @throws IllegalArgumentException if {@code ifModifyIndex} is negative */
        public PutPluginProfile {
            Indexes.check("PutPluginProfile", "ifModifyIndex", ifModifyIndex);
            profile = profile.stored(0, 0);
            Objects.requireNonNull(at, "at");
        }

        @Override
        public PluginId pluginId() {
            return profile.pluginId();
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.putPluginProfile(this);
        }
    }

    /**
     * Removes a profile. Has no effect if the state does not have it.
     *
     * @param ifCreateIndex the command applies only to the profile that was added at this index, so that a delayed command
     *     does not remove a newer profile of the plugin; with 0 it applies to any profile of the plugin
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record RemovePluginProfile(PluginId pluginId, long ifCreateIndex, Instant at) implements PluginProfileCommand {
        /** @throws IllegalArgumentException if {@code ifCreateIndex} is negative */
        public RemovePluginProfile {
            Indexes.check("RemovePluginProfile", "ifCreateIndex", ifCreateIndex);
            Objects.requireNonNull(pluginId, "pluginId");
            Objects.requireNonNull(at, "at");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.removePluginProfile(this);
        }
    }

    /**
     * Has one method for each type of command, so that the compiler rejects code that omits a type.
     *
     * @param <R> the result type of the methods
     */
    interface Cases<R> {
        R putPluginProfile(PutPluginProfile command);

        R removePluginProfile(RemovePluginProfile command);
    }

    /**
     * Calls the method of {@code cases} for the type of this command.
     *
     * @return the value that the method returned
     */
    <R> R accept(Cases<R> cases);
}
