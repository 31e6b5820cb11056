package io.csi4j.client;

import io.csi4j.core.call.Rpc;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;

/**
 * The time that a client waits for a response, for each RPC. Immutable.
 *
 * <p>CSI leaves time-outs to the caller (R28). A deadline ends the waiting and not the work: the plugin may continue
 * (R30), so the outcome is then unknown. If a deadline is too short, the call has to be repeated; if it is too long, a
 * hung plugin is detected late.
 *
 * <table>
 *   <caption>Defaults</caption>
 *   <tr><th>RPCs</th><th>Deadline</th><th>Reason</th></tr>
 *   <tr><td>Probe</td><td>5 s</td><td>a plugin that needs longer is not healthy</td></tr>
 *   <tr><td>GetPluginInfo, the four Get...Capabilities, NodeGetInfo</td><td>10 s</td>
 *       <td>answered from memory, but perhaps by a plugin that has just started</td></tr>
 *   <tr><td>NodeGetVolumeStats, the Health RPCs of one volume or node</td><td>30 s</td>
 *       <td>reads a file system, which may be remote</td></tr>
 *   <tr><td>lists, GetCapacity, GetSnapshot, ControllerGetVolume, GetVolumeGroupSnapshot,
 *       ValidateVolumeCapabilities</td><td>1 min</td><td>queries the storage provider</td></tr>
 *   <tr><td>ControllerPublishVolume, ControllerUnpublishVolume, NodePublishVolume, NodeUnpublishVolume,
 *       NodeUnstageVolume</td><td>2 min</td><td>attaches, detaches, mounts, flushes</td></tr>
 *   <tr><td>NodeStageVolume, NodeExpandVolume</td><td>5 min</td><td>may check, create or grow a file system</td></tr>
 *   <tr><td>all RPCs that create, delete, expand or modify</td><td>5 min</td>
 *       <td>the provider allocates, copies or frees (R76: blocks until the snapshot is created)</td></tr>
 *   <tr><td>GetMetadataAllocated, GetMetadataDelta</td><td>1 min without a message</td>
 *       <td>a stream may run for hours; the deadline limits the time that the subscriber waits for the next
 *       message</td></tr>
 * </table>
 */
public final class CallDeadlines {
    private static final CallDeadlines DEFAULTS = new CallDeadlines(defaults());

    /** The deadline of each RPC; the map has an entry for every RPC. */
    private final Map<Rpc, Duration> byRpc;

    private CallDeadlines(Map<Rpc, Duration> byRpc) {
        this.byRpc = byRpc;
    }

    /** Returns the default deadlines. */
    public static CallDeadlines ofDefaults() {
        return DEFAULTS;
    }

    private static Map<Rpc, Duration> defaults() {
        Map<Rpc, Duration> table = new EnumMap<>(Rpc.class);
        for (Rpc rpc : Rpc.values()) {
            table.put(rpc, rpc.defaultDeadline());
        }
        return table;
    }

    /**
     * Returns a copy of these deadlines in which one RPC has another deadline.
     *
     * @param deadline longer than zero
     * @throws IllegalArgumentException if the deadline is zero, negative, or over 292 years
     */
    public CallDeadlines with(Rpc rpc, Duration deadline) {
        Map<Rpc, Duration> changed = new EnumMap<>(byRpc);
        changed.put(rpc, checked(deadline));
        return new CallDeadlines(changed);
    }

    /**
     * Returns deadlines that are the same for every RPC.
     *
     * @param deadline longer than zero
     * @throws IllegalArgumentException if the deadline is zero, negative, or over 292 years
     */
    public CallDeadlines withAll(Duration deadline) {
        Map<Rpc, Duration> changed = new EnumMap<>(byRpc);
        Duration same = checked(deadline);
        changed.replaceAll((rpc, before) -> same);
        return new CallDeadlines(changed);
    }

    private static Duration checked(Duration deadline) {
        Objects.requireNonNull(deadline, "deadline");
        if (deadline.isZero() || deadline.isNegative()) {
            throw new IllegalArgumentException(
                    "deadline: " + deadline + " is not longer than zero; every call needs time to be answered");
        }
        if (deadline.compareTo(Duration.ofNanos(Long.MAX_VALUE)) > 0) {
            throw new IllegalArgumentException("deadline: " + deadline + " is over 292 years; use a shorter one");
        }
        return deadline;
    }

    /** Returns the deadline of an RPC. */
    public Duration of(Rpc rpc) {
        return Objects.requireNonNull(byRpc.get(rpc), "rpc");
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof CallDeadlines that && that.byRpc.equals(byRpc);
    }

    @Override
    public int hashCode() {
        return byRpc.hashCode();
    }

    /** Returns a text that lists the deadlines which differ from the defaults. */
    @Override
    public String toString() {
        StringBuilder out = new StringBuilder("CallDeadlines[");
        String separator = "";
        for (Rpc rpc : Rpc.values()) {
            if (!of(rpc).equals(DEFAULTS.of(rpc))) {
                out.append(separator).append(rpc.csiName()).append('=').append(of(rpc));
                separator = ", ";
            }
        }
        return out.append(separator.isEmpty() ? "defaults]" : "]").toString();
    }
}
