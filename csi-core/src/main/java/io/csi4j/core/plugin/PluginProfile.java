package io.csi4j.core.plugin;

import io.csi4j.core.call.Problem;
import io.csi4j.core.id.PluginId;
import java.util.List;
import java.util.Objects;

/**
 * The row of a plugin's profile: what the plugin needs beyond CSI, because it was made for another orchestrator. Nothing
 * of it is on by default, and a plugin without a profile gets the requests of CSI only. A change of a profile changes
 * nothing of volumes that exist or are mounted.
 *
 * @param workloadInfo whether NodePublishVolume says in its volume context for which workload it is
 * @param extraMetadata whether CreateVolume says in its parameters for which volume of the host it is
 * @param createIndex the index of the command that added the profile; 0 if the state does not have it
 * @param modifyIndex the revision: the index of the last command that changed the profile; 0 if the state does not have it
 */
public record PluginProfile(
        PluginId pluginId, boolean workloadInfo, boolean extraMetadata, long createIndex, long modifyIndex) {
    public PluginProfile {
        Objects.requireNonNull(pluginId, "pluginId");
    }

    /** Returns a builder of a profile in which everything is off. */
    public static Builder builder(PluginId pluginId) {
        return new Builder(pluginId);
    }

    /** Returns all problems of this profile; empty if it can be stored. */
    public List<Problem> problems() {
        return workloadInfo || extraMetadata
                ? List.of()
                : List.of(new Problem(
                        "workloadInfo",
                        "and extraMetadata are both off, so the profile changes nothing",
                        "set one, or remove the profile"));
    }

    /** Returns this profile with the indexes of a stored row. */
    public PluginProfile stored(long created, long modified) {
        return new PluginProfile(pluginId, workloadInfo, extraMetadata, created, modified);
    }

    /** Returns whether the other profile has the same values, whatever its indexes. */
    public boolean sameValues(PluginProfile other) {
        return stored(0, 0).equals(other.stored(0, 0));
    }

    /** Builds {@link PluginProfile}s. Not thread-safe. */
    public static final class Builder {
        private final PluginId pluginId;
        private boolean workloadInfo;
        private boolean extraMetadata;

        private Builder(PluginId pluginId) {
            this.pluginId = Objects.requireNonNull(pluginId, "pluginId");
        }

        /** Sets whether NodePublishVolume says in its volume context for which workload it is. Default: false. */
        public Builder workloadInfo(boolean workloadInfo) {
            this.workloadInfo = workloadInfo;
            return this;
        }

        /** Sets whether CreateVolume says in its parameters for which volume of the host it is. Default: false. */
        public Builder extraMetadata(boolean extraMetadata) {
            this.extraMetadata = extraMetadata;
            return this;
        }

        public PluginProfile build() {
            return new PluginProfile(pluginId, workloadInfo, extraMetadata, 0, 0);
        }
    }
}
