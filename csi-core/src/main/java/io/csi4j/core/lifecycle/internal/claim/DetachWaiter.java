package io.csi4j.core.lifecycle.internal.claim;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.plan.InFlightSnapshot;
import io.csi4j.core.internal.plan.Plan;
import io.csi4j.core.lifecycle.DetachReport;
import io.csi4j.core.lifecycle.NotLeadingException;
import io.csi4j.core.lifecycle.internal.worker.StateWaiter;
import io.csi4j.core.lifecycle.internal.worker.VolumeSnapshot;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.Claims;
import io.csi4j.core.volume.RemainingWork;
import io.csi4j.core.volume.Volume;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Waits for the steps that can now be made to detach a volume from a node. When all these steps have ended, it
 * completes the {@code DetachReport}.
 */
final class DetachWaiter implements StateWaiter {
    private final VolumeKey key;
    private final NodeId nodeId;
    private final List<AllocationId> before = new ArrayList<>();
    private final Optional<String> notAsked;
    private final CompletableFuture<DetachReport> report = new CompletableFuture<>();

    DetachWaiter(Volume volume, NodeId nodeId, Optional<String> notAsked) {
        this.key = volume.key();
        this.nodeId = nodeId;
        this.notAsked = notAsked;
        volume.claims().on(nodeId).forEach(claim -> before.add(claim.allocationId()));
    }

    CompletableFuture<DetachReport> report() {
        return report;
    }

    @Override
    public boolean check(VolumeSnapshot snapshot, Plan plan, InFlightSnapshot calls) {
        boolean busy = !plan.actions().isEmpty()
                || calls.node().contains(nodeId)
                || calls.controller().contains(nodeId);
        if (busy) {
            return false;
        }
        Optional<Volume> volume = Optional.ofNullable(snapshot.volume()).map(StateViews::withoutSensitive);
        Claims claims = volume.map(known -> known.claims().on(nodeId)).orElse(Claims.empty());
        Optional<Attachment> attachment =
                volume.flatMap(known -> known.attachments().on(nodeId));
        List<RemainingWork.Wait> waits = plan.waits().stream()
                .filter(wait -> wait.nodeId().filter(nodeId::equals).isPresent())
                .toList();
        report.complete(new DetachReport(
                key,
                nodeId,
                before.stream().filter(id -> claims.get(id).isEmpty()).toList(),
                claims(claims, true),
                claims(claims, false),
                attachment,
                waits,
                notAsked));
        return true;
    }

    private static List<Claim> claims(Claims claims, boolean taken) {
        List<Claim> found = new ArrayList<>();
        for (Claim claim : claims) {
            if ((claim.state() == ClaimState.TAKEN) == taken) {
                found.add(claim);
            }
        }
        return found;
    }

    @Override
    public void ended() {
        report.completeExceptionally(new NotLeadingException());
    }
}
