package io.csi4j.node;

import java.time.Duration;

/**
 * Limits and policies of {@link NodeVolumes}.
 *
 * @param mountLimit how long a mount may take before it fails and is undone
 * @param unmountLimit how long an unmount may take before its future fails; the work goes on
 * @param firstRetry about how long to wait after the first failure of a step; it doubles with each
 * @param longestRetry the longest such wait
 * @param pluginPoll how often to look for a plugin that is not there
 * @param probeLimit how long a mount may take to answer when it is looked at
 * @param lateWork how long a call with an unknown outcome is expected to take effect after it was undone (R30)
 * @param brokenMounts what is done about a mount that fails
 * @param missingSecrets what is done about a mount that had secrets and gets none when it is made again
 * @param syncedWrites whether records are forced to the disk; without it a power cut may lose the last of them
 * @param directUnmount whether a target is unmounted without the plugin if an unmount is under way and the plugin denies
 *     the mount; see {@link #withDirectUnmount}
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
     * Checks that all durations are positive.
     *
     * @throws IllegalArgumentException if one is not, or the longest retry is shorter than the first
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

    /**
     * The same without {@code directUnmount}, which is off.
     *
     * @param mountLimit how long a mount may take
     * @param unmountLimit how long an unmount may take
     * @param firstRetry the wait after the first failure
     * @param longestRetry the longest wait
     * @param pluginPoll how often to look for a plugin
     * @param probeLimit how long a mount may take to answer
     * @param lateWork how long a call may take effect after it was undone
     * @param brokenMounts what is done about a mount that fails
     * @param missingSecrets what is done about a mount without its secrets
     * @param syncedWrites whether records are forced to the disk
     */
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
     * Ten minutes for a mount, five for an unmount, retries from half a second to a minute, broken mounts are
     * reported, a mount whose secrets are gone is not made without them, records are synced.
     *
     * @return the defaults
     */
    public static NodeVolumeOptions defaults() {
        return DEFAULTS;
    }

    /**
     * The same with other time limits.
     *
     * @param mount for a mount
     * @param unmount for an unmount
     * @return new options
     */
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

    /**
     * The same with other waits between attempts.
     *
     * @param first after the first failure
     * @param longest the longest
     * @return new options
     */
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

    /**
     * The same with another policy for mounts that fail.
     *
     * @param policy what is done about them
     * @return new options
     */
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

    /**
     * The same with another policy for mounts whose secrets are gone.
     *
     * @param policy what is done about them
     * @return new options
     */
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
     * The same with or without forcing records to the disk.
     *
     * @param synced false: quicker, and a power cut may lose the last records
     * @return new options
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
     * The same with or without direct unmounts. If on, a target that the plugin denies is unmounted without the plugin
     * and without an operator: the allocation is being unmounted, the plugin has answered NodeUnpublishVolume with OK or
     * NOT_FOUND in this process, and the mount table still shows the target. What the plugin would still have written
     * to the volume may be lost, so it is off by default. {@link NodeVolumes#unmountDirectly} does the same once.
     *
     * @param direct whether to unmount such targets
     * @return new options
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
