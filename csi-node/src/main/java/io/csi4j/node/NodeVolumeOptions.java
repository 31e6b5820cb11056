package io.csi4j.node;

import java.time.Duration;

/**
 * Limits and policies of {@link NodeVolumes}.
 *
 * @param mountLimit the time limit of a mount; afterwards it fails and is undone
 * @param unmountLimit the time limit of an unmount's future; the work continues
 * @param firstRetry the backoff after the first failure of a step, with jitter; it doubles with each failure
 * @param longestRetry the longest backoff
 * @param pluginPoll the interval at which a missing plugin is looked up
 * @param probeLimit the time limit for a mount to answer a check
 * @param lateWork the time for which an undone call with an unknown outcome may still take effect (R30)
 * @param brokenMounts the policy for mounts that fail
 * @param missingSecrets the policy for repeated mounts without their secrets
 * @param syncedWrites whether records are synced to disk; otherwise a power failure may lose the last records
 * @param directUnmount whether to unmount a target without the plugin if the plugin denies the mount; see {@link
 *     #withDirectUnmount}
 */
public record NodeVolumeOptions(
        Duration mountLimit,
        Duration unmountLimit,
        Duration firstRetry,
        Duration longestRetry,
        Duration pluginPoll,
        Duration probeLimit,
        Duration lateWork,
        BrokenMounts brokenMounts,
        MissingSecrets missingSecrets,
        boolean syncedWrites,
        boolean directUnmount) {
    private static final NodeVolumeOptions DEFAULTS = new NodeVolumeOptions(
            Duration.ofMinutes(10),
            Duration.ofMinutes(5),
            Duration.ofMillis(500),
            Duration.ofMinutes(1),
            Duration.ofSeconds(1),
            Duration.ofSeconds(10),
            Duration.ofHours(1),
            BrokenMounts.REPORT,
            MissingSecrets.REFUSE,
            true,
            false);

    /**
     * Checks the durations.
     *
     * @throws IllegalArgumentException if a duration is not positive, or the longest retry is shorter than the first
     */
    public NodeVolumeOptions {
        positive("mountLimit", mountLimit);
        positive("unmountLimit", unmountLimit);
        positive("firstRetry", firstRetry);
        positive("longestRetry", longestRetry);
        positive("pluginPoll", pluginPoll);
        positive("probeLimit", probeLimit);
        positive("lateWork", lateWork);
        if (longestRetry.compareTo(firstRetry) < 0) {
            throw new IllegalArgumentException("NodeVolumeOptions: longestRetry " + longestRetry
                    + " is shorter than firstRetry " + firstRetry + "; make it longer");
        }
    }

    /** Creates options with {@code directUnmount} off; the parameters are those of the record. */
    public NodeVolumeOptions(
            Duration mountLimit,
            Duration unmountLimit,
            Duration firstRetry,
            Duration longestRetry,
            Duration pluginPoll,
            Duration probeLimit,
            Duration lateWork,
            BrokenMounts brokenMounts,
            MissingSecrets missingSecrets,
            boolean syncedWrites) {
        this(
                mountLimit,
                unmountLimit,
                firstRetry,
                longestRetry,
                pluginPoll,
                probeLimit,
                lateWork,
                brokenMounts,
                missingSecrets,
                syncedWrites,
                false);
    }

    private static void positive(String name, Duration duration) {
        if (duration.isNegative() || duration.isZero()) {
            throw new IllegalArgumentException(
                    "NodeVolumeOptions: " + name + " is " + duration + "; give a duration above zero");
        }
    }

    /**
     * Returns the defaults: ten minutes for a mount, five for an unmount, retries from half a second to a minute, broken mounts are reported, a
     * mount without its secrets is not repeated, and records are synced.
     */
    public static NodeVolumeOptions defaults() {
        return DEFAULTS;
    }

    /** Returns the same options with other time limits. */
    public NodeVolumeOptions withLimits(Duration mount, Duration unmount) {
        return new NodeVolumeOptions(
                mount,
                unmount,
                firstRetry,
                longestRetry,
                pluginPoll,
                probeLimit,
                lateWork,
                brokenMounts,
                missingSecrets,
                syncedWrites,
                directUnmount);
    }

    /** Returns the same options with other backoffs. */
    public NodeVolumeOptions withRetries(Duration first, Duration longest) {
        return new NodeVolumeOptions(
                mountLimit,
                unmountLimit,
                first,
                longest,
                pluginPoll,
                probeLimit,
                lateWork,
                brokenMounts,
                missingSecrets,
                syncedWrites,
                directUnmount);
    }

    /** Returns the same options with another policy for mounts that fail. */
    public NodeVolumeOptions withBrokenMounts(BrokenMounts policy) {
        return new NodeVolumeOptions(
                mountLimit,
                unmountLimit,
                firstRetry,
                longestRetry,
                pluginPoll,
                probeLimit,
                lateWork,
                policy,
                missingSecrets,
                syncedWrites,
                directUnmount);
    }

    /** Returns the same options with another policy for mounts without their secrets. */
    public NodeVolumeOptions withMissingSecrets(MissingSecrets policy) {
        return new NodeVolumeOptions(
                mountLimit,
                unmountLimit,
                firstRetry,
                longestRetry,
                pluginPoll,
                probeLimit,
                lateWork,
                brokenMounts,
                policy,
                syncedWrites,
                directUnmount);
    }

    /**
     * Returns the same options with or without synced records.
     *
     * @param synced false: faster, but a power failure may lose the last records
     */
    public NodeVolumeOptions withSyncedWrites(boolean synced) {
        return new NodeVolumeOptions(
                mountLimit,
                unmountLimit,
                firstRetry,
                longestRetry,
                pluginPoll,
                probeLimit,
                lateWork,
                brokenMounts,
                missingSecrets,
                synced,
                directUnmount);
    }

    /**
     * Returns the same options with or without direct unmounts. If on, a target that the plugin denies is unmounted without the plugin and without
     * an operator's order: an unmount was requested, the plugin has answered NodeUnpublishVolume with OK or NOT_FOUND in this process, and the
     * mount table still has the target. Data that the plugin has not written to the volume yet may be lost, so this is off by default. {@link
     * NodeVolumes#unmountDirectly} does it once.
     */
    public NodeVolumeOptions withDirectUnmount(boolean direct) {
        return new NodeVolumeOptions(
                mountLimit,
                unmountLimit,
                firstRetry,
                longestRetry,
                pluginPoll,
                probeLimit,
                lateWork,
                brokenMounts,
                missingSecrets,
                syncedWrites,
                direct);
    }
}
