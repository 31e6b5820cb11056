package io.csi4j.agent.internal.server;

import io.csi4j.core.command.AdmissionDecision;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.NeverReason;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.RejectedException;
import io.csi4j.core.volume.ClaimMode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The claims that an agent requests. */
final class AgentRequests {
    private AgentRequests() {}

    /**
     * Returns one claim for each volume. An agent of this version sends no other requests. An earlier one sends a
     * request for each mount that its host wants, but makes only one mount from the grant. It gets a claim for requests
     * that differ only in the mode, as it always did. Other requests are refused, because its mount would not have
     * their options.
     *
     * @throws RejectedException if requests for one volume differ in more than the mode
     */
    static List<ClaimRequest> claims(AllocationId allocation, List<ClaimRequest> sent) {
        Map<VolumeKey, ClaimRequest> claims = new LinkedHashMap<>();
        for (ClaimRequest request : sent) {
            ClaimRequest known = claims.putIfAbsent(request.volume(), request);
            if (known == null) {
                continue;
            }
            if (!known.capability().equals(request.capability())
                    || !known.mountOptions().equals(request.mountOptions())
                    || !known.template().equals(request.template())) {
                throw new RejectedException(new Rejection.NotAdmitted(
                        request.volume(),
                        allocation,
                        new AdmissionDecision.Never(
                                NeverReason.REQUESTED_DIFFERENTLY,
                                "the allocation requests the volume more than once, with different capabilities, mount"
                                        + " options or templates, and the agent is of a version that makes one mount of a volume;"
                                        + " update the agent, or request the volume once")));
            }
            if (request.mode() == ClaimMode.WRITE) {
                claims.put(request.volume(), request);
            }
        }
        return List.copyOf(claims.values());
    }
}
