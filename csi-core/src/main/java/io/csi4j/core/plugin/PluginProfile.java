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
 * @param securityLabel whether the plugin mounts a volume with the {@linkplain io.csi4j.core.volume.SecurityLabel label} of
 *     a request
 * @param createIndex the index of the command that added the profile; 0 if the state does not have it
 * @param modifyIndex the revision: the index of the last command that changed the profile; 0 if the state does not have it
 */
public record PluginProfile(
        PluginId pluginId,
        boolean workloadInfo,
        boolean extraMetadata,
        boolean securityLabel,
        long createIndex,
        long modifyIndex) {
    public PluginProfile {
        Objects.requireNonNull(pluginId, "pluginId");
    }

    /** Returns a builder of a profile in which everything is off. */
    public static Builder builder(PluginId pluginId) {
        return new Builder(pluginId);
    }

    /** Returns all problems of this profile; empty if it can be stored. */
    public List<Problem> problems() {
        return workloadInfo || extraMetadata || securityLabel
                ? List.of()
                : List.of(new Problem(
                        "workloadInfo",
                        "and all other values are off, so the profile changes nothing",
                        "set one, or remove the profile"));
    }

    /** Returns this profile with the indexes of a stored row. */
    public PluginProfile stored(long created, long modified) {
        return new PluginProfile(pluginId, workloadInfo, extraMetadata, securityLabel, created, modified);
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
        private boolean securityLabel;

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

        /**
         * Sets whether the plugin mounts a volume with the security label of a request, which it then gets as the mount flag
         * {@code context="..."}. Default: false.
         */
        public Builder securityLabel(boolean securityLabel) {
            this.securityLabel = securityLabel;
            return this;
        }

        public PluginProfile build() {
            return new PluginProfile(pluginId, workloadInfo, extraMetadata, securityLabel, 0, 0);
        }
    }
}
