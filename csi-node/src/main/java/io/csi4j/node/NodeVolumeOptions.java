package io.csi4j.node;

import io.csi4j.core.id.PluginId;
import java.time.Duration;
import java.util.Collection;
import java.util.Objects;
import java.util.Set;

/** Limits and policies of {@link NodeVolumes}. Immutable. */
public final class NodeVolumeOptions {
    private static final NodeVolumeOptions DEFAULTS = builder().build();

    private final Duration mountLimit;
    private final Duration unmountLimit;
    private final Duration firstRetry;
    private final Duration longestRetry;
    private final Duration pluginPoll;
    private final Duration probeLimit;
    private final Duration lateWork;
    private final BrokenMounts brokenMounts;
    private final MissingSecrets missingSecrets;
    private final boolean syncedWrites;
    private final boolean directUnmount;
    private final Duration withoutPluginAfter;
    private final Set<PluginId> publishesWithoutMount;

    private NodeVolumeOptions(Builder builder) {
        this.mountLimit = builder.mountLimit;
        this.unmountLimit = builder.unmountLimit;
        this.firstRetry = builder.firstRetry;
        this.longestRetry = builder.longestRetry;
        this.pluginPoll = builder.pluginPoll;
        this.probeLimit = builder.probeLimit;
        this.lateWork = builder.lateWork;
        this.brokenMounts = builder.brokenMounts;
        this.missingSecrets = builder.missingSecrets;
        this.syncedWrites = builder.syncedWrites;
        this.directUnmount = builder.directUnmount;
        this.withoutPluginAfter = builder.withoutPluginAfter;
        this.publishesWithoutMount = builder.publishesWithoutMount;
    }

    /**
     * Returns the defaults: ten minutes for a mount, five for an unmount, retries from half a second to a minute, broken mounts are
     * reported, a mount is not made again without its secrets, records are synced, and every plugin has to mount what it publishes.
     */
    public static NodeVolumeOptions defaults() {
        return DEFAULTS;
    }

    /** Returns a builder with the defaults. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns the time limit of a mount; a mount that is not finished in time fails and is undone. */
    public Duration mountLimit() {
        return mountLimit;
    }

    /** Returns the time after which the future of an unfinished unmount fails; the unmount itself continues. */
    public Duration unmountLimit() {
        return unmountLimit;
    }

    /** Returns the backoff after the first failure of a step, with jitter; the backoff doubles with each further failure. */
    public Duration firstRetry() {
        return firstRetry;
    }

    /** Returns the longest backoff. */
    public Duration longestRetry() {
        return longestRetry;
    }

    /** Returns the interval at which a missing plugin is looked up. */
    public Duration pluginPoll() {
        return pluginPoll;
    }

    /** Returns the time limit for a mount to answer a check. */
    public Duration probeLimit() {
        return probeLimit;
    }

    /** Returns the time for which a call with an unknown outcome may still take effect after it was undone (R30). */
    public Duration lateWork() {
        return lateWork;
    }

    /** Returns the policy for mounts that fail. */
    public BrokenMounts brokenMounts() {
        return brokenMounts;
    }

    /** Returns the policy for mounts that have to be made again without their secrets. */
    public MissingSecrets missingSecrets() {
        return missingSecrets;
    }

    /** Returns whether records are synced to disk; otherwise a power failure may lose the last records. */
    public boolean syncedWrites() {
        return syncedWrites;
    }

    /**
     * Returns whether to unmount a target without the plugin if the plugin answers that it has no such mount; see
     * {@link Builder#directUnmount}.
     */
    public boolean directUnmount() {
        return directUnmount;
    }

    /**
     * Returns the time after which the unmount of something that is certainly not mounted is finished without the
     * plugin; see {@link Builder#withoutPluginAfter}.
     */
    public Duration withoutPluginAfter() {
        return withoutPluginAfter;
    }

    /** Returns the plugins that publish without a mount; see {@link Builder#publishesWithoutMount}. */
    public Set<PluginId> publishesWithoutMount() {
        return publishesWithoutMount;
    }

    @Override
    public String toString() {
        return "NodeVolumeOptions[mountLimit=" + mountLimit + ", unmountLimit=" + unmountLimit + ", firstRetry="
                + firstRetry + ", longestRetry=" + longestRetry + ", pluginPoll=" + pluginPoll + ", probeLimit="
                + probeLimit + ", lateWork=" + lateWork + ", brokenMounts=" + brokenMounts + ", missingSecrets="
                + missingSecrets + ", syncedWrites=" + syncedWrites + ", directUnmount=" + directUnmount
                + ", withoutPluginAfter=" + withoutPluginAfter + ", publishesWithoutMount=" + publishesWithoutMount
                + "]";
    }

    /** Builds {@link NodeVolumeOptions}. Not thread-safe. */
    public static final class Builder {
        private Duration mountLimit = Duration.ofMinutes(10);
        private Duration unmountLimit = Duration.ofMinutes(5);
        private Duration firstRetry = Duration.ofMillis(500);
        private Duration longestRetry = Duration.ofMinutes(1);
        private Duration pluginPoll = Duration.ofSeconds(1);
        private Duration probeLimit = Duration.ofSeconds(10);
        private Duration lateWork = Duration.ofHours(1);
        private BrokenMounts brokenMounts = BrokenMounts.REPORT;
        private MissingSecrets missingSecrets = MissingSecrets.REFUSE;
        private boolean syncedWrites = true;
        private boolean directUnmount;
        private Duration withoutPluginAfter = Duration.ofMinutes(10);
        private Set<PluginId> publishesWithoutMount = Set.of();

        private Builder() {}

        /**
         * Sets the time limit of a mount; a mount that is not finished in time fails and is undone. While the node gives
         * the files to the volume mount group without a failure, which may take hours, there is no limit. Default: 10 min.
         *
         * @throws IllegalArgumentException if not above zero
         */
        public Builder mountLimit(Duration mountLimit) {
            this.mountLimit = positive("mountLimit", mountLimit);
            return this;
        }

        /**
         * Sets the time after which the future of an unfinished unmount fails; the unmount itself continues. Default: 5
         * min.
         *
         * @throws IllegalArgumentException if not above zero
         */
        public Builder unmountLimit(Duration unmountLimit) {
            this.unmountLimit = positive("unmountLimit", unmountLimit);
            return this;
        }

        /**
         * Sets the backoff after the first failure of a step, with jitter; the backoff doubles with each further
         * failure. Default: 0.5 s.
         *
         * @throws IllegalArgumentException if not above zero
         */
        public Builder firstRetry(Duration firstRetry) {
            this.firstRetry = positive("firstRetry", firstRetry);
            return this;
        }

        /**
         * Sets the longest backoff. Default: 1 min.
         *
         * @throws IllegalArgumentException if not above zero
         */
        public Builder longestRetry(Duration longestRetry) {
            this.longestRetry = positive("longestRetry", longestRetry);
            return this;
        }

        /**
         * Sets the interval at which a missing plugin is looked up. Default: 1 s.
         *
         * @throws IllegalArgumentException if not above zero
         */
        public Builder pluginPoll(Duration pluginPoll) {
            this.pluginPoll = positive("pluginPoll", pluginPoll);
            return this;
        }

        /**
         * Sets the time limit for a mount to answer a check. Default: 10 s.
         *
         * @throws IllegalArgumentException if not above zero
         */
        public Builder probeLimit(Duration probeLimit) {
            this.probeLimit = positive("probeLimit", probeLimit);
            return this;
        }

        /**
         * Sets the time for which a call with an unknown outcome may still take effect after it was undone (R30).
         * Default: 1 h.
         *
         * @throws IllegalArgumentException if not above zero
         */
        public Builder lateWork(Duration lateWork) {
            this.lateWork = positive("lateWork", lateWork);
            return this;
        }

        /** Sets the policy for mounts that fail. Default: {@link BrokenMounts#REPORT}. */
        public Builder brokenMounts(BrokenMounts policy) {
            this.brokenMounts = Objects.requireNonNull(policy, "policy");
            return this;
        }

        /**
         * Sets the policy for mounts that have to be made again without their secrets. Default:
         * {@link MissingSecrets#REFUSE}.
         */
        public Builder missingSecrets(MissingSecrets policy) {
            this.missingSecrets = Objects.requireNonNull(policy, "policy");
            return this;
        }

        /**
         * Sets whether records are synced to disk. Default: true. Without syncs, writing is faster, but a power failure
         * may lose the last records.
         */
        public Builder syncedWrites(boolean synced) {
            this.syncedWrites = synced;
            return this;
        }

        /**
         * Sets whether targets are unmounted without the plugin automatically. Default: false, because data that the
         * plugin has not written to the volume yet may be lost. If true, a target is unmounted without the plugin if
         * its unmount was requested, the plugin has answered NodeUnpublishVolume with OK or NOT_FOUND since this
         * process started, and the mount table still has the target. {@link NodeVolumes#unmountDirectly} permits one
         * such unmount.
         */
        public Builder directUnmount(boolean direct) {
            this.directUnmount = direct;
            return this;
        }

        /**
         * Sets the time for which the plugin of an unmount may be missing, or may refuse to unmount, if it is certain
         * that nothing is mounted: the machine was booted since the mount, or the mount was in the mount table and has
         * disappeared. After that time the unmount is finished without the plugin, which may keep resources of its own.
         * Default: 10 min.
         *
         * @throws IllegalArgumentException if not above zero
         */
        public Builder withoutPluginAfter(Duration limit) {
            this.withoutPluginAfter = positive("withoutPluginAfter", limit);
            return this;
        }

        /**
         * Names the plugins that publish volumes without a mount, for example fakes, or drivers that only write files.
         * Default: none. NodePublishVolume of any other plugin counts as done only if the mount table has the target
         * after it, or a block device is there; otherwise the target is unpublished, and the step is retried. For a
         * named plugin its answer counts, and a mount that is missing from the beginning is not noticed. A target that
         * is a symbolic link never counts as published.
         */
        public Builder publishesWithoutMount(Collection<PluginId> plugins) {
            this.publishesWithoutMount = Set.copyOf(plugins);
            return this;
        }

        private static Duration positive(String name, Duration duration) {
            Objects.requireNonNull(duration, name);
            if (duration.isNegative() || duration.isZero()) {
                throw new IllegalArgumentException(
                        "NodeVolumeOptions: " + name + " is " + duration + "; give a duration above zero");
            }
            return duration;
        }

        /**
         * Builds the options.
         *
         * @throws IllegalArgumentException if {@code longestRetry} is shorter than {@code firstRetry}
         */
        public NodeVolumeOptions build() {
            if (longestRetry.compareTo(firstRetry) < 0) {
                throw new IllegalArgumentException("NodeVolumeOptions: longestRetry " + longestRetry
                        + " is shorter than firstRetry " + firstRetry + "; make it longer");
            }
            return new NodeVolumeOptions(this);
        }
    }
}
