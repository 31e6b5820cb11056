package io.csi4j.node;

import java.time.Duration;

/**
 * Limits and policies of {@link NodeVolumes}.
 *
 * @param mountLimit the time limit of a mount; a mount that is not finished in time fails and is undone
 * @param unmountLimit the time after which the future of an unfinished unmount fails; the unmount itself continues
 * @param firstRetry the backoff after the first failure of a step, with jitter; the backoff doubles with each further failure
 * @param longestRetry the longest backoff
 * @param pluginPoll the interval at which a missing plugin is looked up
 * @param probeLimit the time limit for a mount to answer a check
 * @param lateWork the time for which a call with an unknown outcome may still take effect after it was undone (R30)
 * @param brokenMounts the policy for mounts that fail
 * @param missingSecrets the policy for mounts that have to be made again without their secrets
 * @param syncedWrites whether records are synced to disk; otherwise a power failure may lose the last records
 * @param directUnmount whether to unmount a target without the plugin if the plugin answers that it has no such mount; see {@link
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
     * @throws IllegalArgumentException if a duration is not positive, or {@code longestRetry} is shorter than {@code
     *     firstRetry}
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
     * Returns the defaults: ten minutes for a mount, five for an unmount, retries from half a second to a minute, broken mounts are
     * reported, a mount is not made again without its secrets, and records are synced.
     */
    public static NodeVolumeOptions defaults() {
        return DEFAULTS;
    }

    /** Returns a copy with other time limits. */
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

    /** Returns a copy with other backoffs. */
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

    /** Returns a copy with another policy for mounts that fail. */
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

    /** Returns a copy with another policy for mounts that have to be made again without their secrets. */
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
     * Returns a copy with or without synced records.
     *
     * @param synced whether records are synced to disk; without syncs, writing is faster, but a power failure may lose the last records
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
     * Returns a copy with or without automatic direct unmounts. With them, a target is unmounted without the plugin if its unmount was
     * requested, the plugin has answered NodeUnpublishVolume with OK or NOT_FOUND since this process started, and the mount table still has
     * the target. Data that the plugin has not written to the volume yet may be lost, so this option is off by default. {@link
     * NodeVolumes#unmountDirectly} permits one such unmount.
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
