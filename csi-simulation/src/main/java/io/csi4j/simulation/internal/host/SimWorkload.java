package io.csi4j.simulation.internal.host;

import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.ClaimGrant;
import io.csi4j.simulation.internal.time.SimProcess;
import io.csi4j.simulation.internal.world.SimNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** An allocation as its host knows it. */
public final class SimWorkload {
    public final AllocationId id;
    public final SimNode node;
    /** The mounts that the allocation needs; it may mount a volume several times. */
    public final List<ClaimRequest> mounts;
    /** The claims for the mounts: one for each volume. */
    public final List<ClaimRequest> requests;

    public @Nullable CompletableFuture<ClaimGrant> claim;
    /** The server process that received the claim. */
    public @Nullable SimProcess server;

    /** Counts claims and releases; an answer to an earlier request is ignored. */
    public int requestNumber;

    /** Whether the workload stored its request. Its position among the waiting claims is then that of the request. */
    public boolean stored;

    public boolean granted;
    /** Whether the workload released or cancelled all its claims; it may claim again. */
    public boolean paused;
    /** The volumes whose release the workload has requested but the server has not answered yet. */
    public final List<VolumeKey> unansweredReleases = new ArrayList<>();

    /** The volumes that the workload has asked the agent to mount. */
    public final Set<VolumeKey> sentMounts = new TreeSet<>();

    public boolean ended;
    public boolean reported;

    public SimWorkload(AllocationId id, SimNode node, List<ClaimRequest> mounts) {
        this.id = id;
        this.node = node;
        this.mounts = mounts;
        this.requests = ClaimRequest.merged(mounts);
    }

    /** Whether the claim was answered, or its server has crashed and never answers. */
    public boolean answered() {
        return claim == null || claim.isDone() || (server != null && !server.alive());
    }

    public Optional<ClaimRequest> request(VolumeKey key) {
        return requests.stream().filter(request -> request.volume().equals(key)).findFirst();
    }

    /** Returns the volumes, for a person who reads the trace. */
    public String volumes() {
        return requests.stream()
                .map(request -> request.volume().volumeId().value())
                .collect(Collectors.joining(", "));
    }

    /** Whether the node has a target for each different mount of the volume. */
    public boolean isMounted(VolumeKey key) {
        long different = mounts.stream()
                .filter(mount -> mount.volume().equals(key))
                .distinct()
                .count();
        return node.hasTargets(new SimNode.Mount(key, id), different);
    }

    /** Cancels the claim; the workload may claim again later. */
    public void cancelClaim() {
        requestNumber++;
        granted = false;
        if (claim != null) {
            claim.cancel(false);
        }
    }
}
