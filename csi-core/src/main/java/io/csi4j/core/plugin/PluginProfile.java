package io.csi4j.core.plugin;

import io.csi4j.core.call.Problem;
import io.csi4j.core.id.PluginId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The row of a plugin's profile: what the plugin needs beyond CSI, because it was made for another orchestrator. Nothing
 * of it is on by default, and a plugin without a profile gets the requests of CSI only. A change of a profile changes
 * no request that was stored or sent before: volumes that exist or are mounted keep theirs; only the {@link #republish()} of
 * a mount is replaced when its allocation claims the volume once more. The settings of calls count for all calls that begin
 * after the change.
 *
 * @param workloadInfo whether NodePublishVolume says in its volume context for which workload it is
 * @param extraMetadata whether CreateVolume says in its parameters for which volume of the host it is
 * @param snapshotMetadata whether CreateSnapshot says in its parameters for which snapshot of the host it is
 * @param securityLabel whether the plugin mounts a volume with the {@linkplain io.csi4j.core.volume.SecurityLabel label} of
 *     a request
 * @param republish how often NodePublishVolume is called again for a mounted volume, and with which tokens
 * @param ownership how nodes give the files of the plugin's volumes to a group, if the plugin cannot
 * @param calls how the controllers of the plugin are called
 * @param createIndex the index of the command that added the profile; 0 if the state does not have it
 * @param modifyIndex the revision: the index of the last command that changed the profile; 0 if the state does not have it
 */
public record PluginProfile(
        PluginId pluginId,
        boolean workloadInfo,
        boolean extraMetadata,
        boolean snapshotMetadata,
        boolean securityLabel,
        RepublishOptions republish,
        OwnershipSettings ownership,
        CallSettings calls,
        long createIndex,
        long modifyIndex) {
    public PluginProfile {
        Objects.requireNonNull(pluginId, "pluginId");
        Objects.requireNonNull(republish, "republish");
        Objects.requireNonNull(ownership, "ownership");
        Objects.requireNonNull(calls, "calls");
    }

    /** Returns a builder of a profile in which everything is off. */
    public static Builder builder(PluginId pluginId) {
        return new Builder(pluginId);
    }

    /** Returns all problems of this profile; empty if it can be stored. */
    public List<Problem> problems() {
        if (sameValues(builder(pluginId).build())) {
            return List.of(new Problem(
                    "profile", "has only default values, so it changes nothing", "set a value, or remove the profile"));
        }
        List<Problem> problems = new ArrayList<>(republish.problems());
        problems.addAll(ownership.problems());
        problems.addAll(calls.problems());
        return problems;
    }

    /** Returns this profile with the indexes of a stored row. */
    public PluginProfile stored(long created, long modified) {
        return new PluginProfile(
                pluginId,
                workloadInfo,
                extraMetadata,
                snapshotMetadata,
                securityLabel,
                republish,
                ownership,
                calls,
                created,
                modified);
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
        private boolean snapshotMetadata;
        private boolean securityLabel;
        private Duration republishInterval = Duration.ZERO;
        private List<String> tokenAudiences = List.of();
        private @Nullable Duration tokenExpiry;
        private RepublishOptions.Delivery tokenDelivery = RepublishOptions.Delivery.SECRETS;
        private boolean tokensOnlyAtMount;
        private boolean ownershipFixed;
        private List<String> ownershipExcludes = List.of();
        private CallSettings calls = CallSettings.ofDefaults();

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

        /** Sets whether CreateSnapshot says in its parameters for which snapshot of the host it is. Default: false. */
        public Builder snapshotMetadata(boolean snapshotMetadata) {
            this.snapshotMetadata = snapshotMetadata;
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

        /**
         * Sets the longest time from one successful NodePublishVolume of a mounted volume to the next. Default: zero, the
         * volume is published once; otherwise at least 30 seconds.
         */
        public Builder republishInterval(Duration republishInterval) {
            this.republishInterval = Objects.requireNonNull(republishInterval, "republishInterval");
            return this;
        }

        /** Sets the audiences of the tokens that NodePublishVolume contains. Default: none. */
        public Builder tokenAudiences(List<String> tokenAudiences) {
            this.tokenAudiences = List.copyOf(tokenAudiences);
            return this;
        }

        /** Sets the life of the tokens that the issuer is asked for. Default: null, the issuer decides. */
        public Builder tokenExpiry(@Nullable Duration tokenExpiry) {
            this.tokenExpiry = tokenExpiry;
            return this;
        }

        /** Sets the field of NodePublishVolume that contains the tokens. Default: the secrets. */
        public Builder tokenDelivery(RepublishOptions.Delivery tokenDelivery) {
            this.tokenDelivery = Objects.requireNonNull(tokenDelivery, "tokenDelivery");
            return this;
        }

        /**
         * Sets whether the plugin needs the tokens for the mount only, so that they may run out afterwards. Without it,
         * audiences need a republish interval. Default: false.
         */
        public Builder tokensOnlyAtMount(boolean tokensOnlyAtMount) {
            this.tokensOnlyAtMount = tokensOnlyAtMount;
            return this;
        }

        /**
         * Sets whether nodes change no owner, group or mode of files in the plugin's volumes. A mount with a volume mount
         * group then fails before the node calls the plugin, unless that has VOLUME_MOUNT_GROUP. Default: false.
         */
        public Builder ownershipFixed(boolean ownershipFixed) {
            this.ownershipFixed = ownershipFixed;
            return this;
        }

        /**
         * Sets the names of the entries of a volume's root directory that nodes neither change nor enter when they give its
         * files to a group. Default: none.
         */
        public Builder ownershipExcludes(List<String> ownershipExcludes) {
            this.ownershipExcludes = List.copyOf(ownershipExcludes);
            return this;
        }

        /** Sets how the controllers of the plugin are called. Default: as CSI and the options of the engine say. */
        public Builder calls(CallSettings calls) {
            this.calls = Objects.requireNonNull(calls, "calls");
            return this;
        }

        /** Builds the profile. {@link PluginProfile#problems} checks it. */
        public PluginProfile build() {
            RepublishOptions republish = new RepublishOptions(
                    republishInterval,
                    tokenAudiences,
                    Optional.ofNullable(tokenExpiry),
                    tokenDelivery,
                    tokensOnlyAtMount);
            return new PluginProfile(
                    pluginId,
                    workloadInfo,
                    extraMetadata,
                    snapshotMetadata,
                    securityLabel,
                    republish,
                    new OwnershipSettings(ownershipFixed, ownershipExcludes),
                    calls,
                    0,
                    0);
        }
    }
}
