package io.csi4j.core.lifecycle.internal.claim;

import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.AllocationClaims;
import io.csi4j.core.lifecycle.WaitingClaim;
import io.csi4j.core.lifecycle.WaitingQuery;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.call.Paging;
import io.csi4j.core.state.ListPage;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.Volume;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/** Returns held and waiting claims, without those on volumes that the caller may not read. */
public final class ClaimViews {
    private final Operations operations;
    private final ClaimEngine claims;

    public ClaimViews(Operations operations, ClaimEngine claims) {
        this.operations = operations;
        this.claims = claims;
    }

    /** Returns a page of the waiting claims, oldest first. The query sees what the caller may see. */
    public ListPage<WaitingClaim, Long> waiting(Caller caller, WaitingQuery query) {
        StateReader state = operations.state();
        return waiting(caller, query, claim -> query.matches(state, claim));
    }

    private ListPage<WaitingClaim, Long> waiting(Caller caller, WaitingQuery page, Predicate<WaitingClaim> matches) {
        return Paging.page(
                claims.waitingClaims(page.after().orElse(0L)).entrySet(),
                page.limit(),
                Map.Entry::getKey,
                claim -> Optional.of(visible(caller, claim.getValue()))
                        .filter(visible -> !visible.requests().isEmpty() && matches.test(visible))
                        .map(claims::explained));
    }

    public AllocationClaims of(Caller caller, AllocationId allocationId) {
        StateReader state = operations.state();
        List<AllocationClaims.Held> held = new ArrayList<>();
        for (VolumeKey key : state.volumesClaimedBy(allocationId)) {
            Optional<Volume> volume =
                    state.volume(key).filter(known -> operations.permissions().mayRead(caller, key));
            Optional<Claim> claim = volume.flatMap(known -> known.claims().get(allocationId));
            claim.ifPresent(one -> held.add(new AllocationClaims.Held(
                    key, StateViews.withoutFlags(one), PublishedClaim.ready(state, volume.orElseThrow(), one))));
        }
        return new AllocationClaims(
                allocationId,
                held,
                waiting(
                                caller,
                                WaitingQuery.all(),
                                claim -> claim.allocationId().equals(allocationId))
                        .items());
    }

    /**
     * Returns a waiting claim without the volumes that the caller may not read, and without wait reasons that name
     * them.
     */
    private WaitingClaim visible(Caller caller, WaitingClaim claim) {
        List<ClaimRequest> requests = claim.requests().stream()
                .filter(request -> operations.permissions().mayRead(caller, request.volume()))
                .toList();
        boolean all = claim.volume()
                .filter(key -> !operations.permissions().mayRead(caller, key))
                .isEmpty();
        return StateViews.withoutFlags(new WaitingClaim(
                claim.allocationId(),
                requests,
                claim.since(),
                all ? claim.volume() : Optional.empty(),
                all ? claim.reason() : Optional.empty(),
                all ? claim.behind() : Optional.empty(),
                claim.cause()));
    }
}
