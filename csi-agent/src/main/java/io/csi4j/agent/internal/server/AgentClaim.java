package io.csi4j.agent.internal.server;

import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.ClaimGrant;
import io.csi4j.core.lifecycle.VolumeGrant;
import io.csi4j.core.volume.Claim;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The attempts of an agent that share one claim of an allocation. Immutable.
 *
 * @param engine the claim at the engine
 * @param waiting whether the engine has not answered yet; otherwise the claim was granted a short time ago
 * @param attempts the attempts that were not cancelled
 * @param owned the claims that were taken for these attempts, by volume; they are released when the last attempt is cancelled. Claims that
 *     existed before the attempts are not among them: they end with their allocation
 */
record AgentClaim(EngineClaim engine, boolean waiting, Set<String> attempts, Map<VolumeKey, Claim> owned) {
    AgentClaim {
        attempts = Set.copyOf(attempts);
        owned = Map.copyOf(owned);
    }

    /** Returns a waiting claim, which takes over the attempts and the claims of an earlier grant. */
    static AgentClaim waiting(List<ClaimRequest> requests, String attempt, @Nullable AgentClaim earlier) {
        Map<VolumeKey, Claim> owned = earlier == null ? Map.of() : earlier.owned;
        Set<String> attempts = earlier == null || owned.isEmpty() ? Set.of() : earlier.attempts;
        boolean renewal = requests.stream().map(ClaimRequest::volume).allMatch(owned::containsKey);
        return new AgentClaim(new EngineClaim(requests, renewal), true, attempts, owned).with(attempt);
    }

    /** Returns whether a request with these volumes waits for this claim. */
    boolean serves(List<ClaimRequest> requests) {
        return waiting && engine.requests().equals(requests);
    }

    AgentClaim with(String attempt) {
        Set<String> more = new HashSet<>(attempts);
        more.add(attempt);
        return new AgentClaim(engine, waiting, more, owned);
    }

    AgentClaim without(String attempt) {
        Set<String> rest = new HashSet<>(attempts);
        rest.remove(attempt);
        return new AgentClaim(engine, waiting, rest, owned);
    }

    /**
     * Returns what is remembered after the claim has waited: the attempts with the claims that were taken for them. Empty if there are no
     * claims that a cancellation would release.
     *
     * @param grant the engine's answer, or null if the claim ended without a grant; the claims of an earlier grant are then kept
     */
    Optional<AgentClaim> answered(@Nullable ClaimGrant grant) {
        Map<VolumeKey, Claim> owned = ownedAfter(grant);
        return owned.isEmpty() ? Optional.empty() : Optional.of(new AgentClaim(engine, false, attempts, owned));
    }

    /** Returns the claims that are released if the last attempt is cancelled after the given answer of the engine. */
    Map<VolumeKey, Claim> ownedAfter(@Nullable ClaimGrant grant) {
        if (grant == null) {
            return owned;
        }
        Map<VolumeKey, Claim> after = new LinkedHashMap<>(owned);
        for (VolumeGrant volume : grant.volumes()) {
            VolumeKey key = volume.view().volume().key();
            Claim claim = volume.claim();
            if (isTakenForAttempts(claim, owned.get(key))) {
                after.put(key, claim);
            } else {
                after.remove(key);
            }
        }
        return after;
    }

    /** A claim that was requested again keeps its first index, so another claim's index shows that it is older. */
    private static boolean isTakenForAttempts(Claim claim, @Nullable Claim before) {
        return claim.takenIndex() == claim.createIndex()
                || (before != null && before.createIndex() == claim.createIndex());
    }
}
