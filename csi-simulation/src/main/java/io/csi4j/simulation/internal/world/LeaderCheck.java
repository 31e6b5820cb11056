package io.csi4j.simulation.internal.world;

import io.csi4j.core.call.Rpc;
import io.csi4j.simulation.internal.time.SimProcess;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Checks that one engine at a time acts, if the log promises that: the engine of a leader has stopped before another one
 * starts, and sends no call after that. The engine of a process that stands still cannot stop; it sends no call after the
 * process has continued.
 */
public final class LeaderCheck {
    /** The calls that every server makes for a caller: queries, and those for snapshots, which have no row in the state. */
    private static final Set<Rpc> NOT_OF_LEADER = EnumSet.of(
            Rpc.GET_PLUGIN_INFO,
            Rpc.VALIDATE_VOLUME_CAPABILITIES,
            Rpc.LIST_VOLUMES,
            Rpc.GET_CAPACITY,
            Rpc.NODE_GET_INFO,
            Rpc.CREATE_SNAPSHOT,
            Rpc.GET_SNAPSHOT,
            Rpc.DELETE_SNAPSHOT,
            Rpc.CREATE_VOLUME_GROUP_SNAPSHOT,
            Rpc.GET_VOLUME_GROUP_SNAPSHOT,
            Rpc.DELETE_VOLUME_GROUP_SNAPSHOT);

    private final SimWorld world;
    /** The processes whose engines act, with the names of their servers. */
    private final Map<SimProcess, String> acting = new LinkedHashMap<>();

    private final Map<SimProcess, Integer> callsInFlight = new LinkedHashMap<>();
    private final Map<SimProcess, String> names = new LinkedHashMap<>();
    /** The process that has begun to lead last; null: none, or the log makes no promise. */
    private @Nullable SimProcess latest;

    LeaderCheck(SimWorld world) {
        this.world = world;
    }

    /** The engine of a server begins to act. */
    public void starts(SimProcess process, String name) {
        acting.forEach((other, otherName) -> {
            if (other.alive() && !other.isBehind()) {
                world.reportViolation(
                        "I22: the engine of server " + name + " starts while that of " + otherName + " acts");
            }
        });
        acting.put(process, name);
        names.put(process, name);
        latest = process;
    }

    /** The engine of a server has stopped. */
    public void stops(SimProcess process) {
        acting.remove(process);
        if (callsInFlight.getOrDefault(process, 0) > 0) {
            world.coverage().fault("lease lost while calls are in flight");
        }
    }

    /** A server sends a call. */
    public void calls(SimProcess process, Rpc rpc, CompletableFuture<?> answer) {
        SimProcess leader = latest;
        if (leader == null || NOT_OF_LEADER.contains(rpc)) {
            return;
        }
        callsInFlight.merge(process, 1, Integer::sum);
        var unused = answer.whenComplete((result, failure) -> callsInFlight.merge(process, -1, Integer::sum));
        if (!leader.equals(process) && leader.alive() && acting.containsKey(leader)) {
            world.reportViolation("I22: server " + names.get(process) + " sends " + rpc.csiName() + " while server "
                    + names.get(leader) + " leads");
        }
    }
}
