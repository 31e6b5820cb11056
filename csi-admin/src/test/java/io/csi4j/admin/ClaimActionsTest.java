package io.csi4j.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimState;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Claims that an operator takes from allocations, by the host's word on these. */
class ClaimActionsTest {
    @Test
    void claimOfRunningAllocationIsReleasedOnlyIfTheRequestSaysSo() throws Exception {
        try (AdminRig rig = new AdminRig()) {
            rig.node("n1", AdminRig.DISK).volume(AdminRig.key("db"));
            long taken = rig.done(rig.claim("web-1", "n1", AdminRig.key("db")))
                    .volumes()
                    .get(0)
                    .claim()
                    .takenIndex();
            String claim = "/v1/volumes/default/db/claims/web-1";
            String effect = "\"claims\":[{\"namespace\":\"default\",\"volume\":\"db\",\"allocation\":\"web-1\","
                    + "\"node\":\"n1\",\"state\":\"TAKEN\",\"allocationStatus\":\"RUNNING\",\"takenIndex\":" + taken
                    + "}]";
            assertThat(delete(rig, claim + "?dryRun", 200)).contains("\"stored\":false", effect);
            String refused = "allocation web-1 on node n1 is RUNNING by the host's word: a release unmounts volume"
                    + " default/db below it, and its data may be lost. End the allocation, which releases the claim;";
            assertThat(delete(rig, claim, 409)).contains("urn:csi4j:problem:rejected", refused);
            assertThat(delete(rig, claim + "?takenIndex=" + taken, 409)).contains(refused);
            assertThat(delete(rig, "/v1/allocations/web-1/claims", 409)).contains(refused);
            rig.done(rig.lifecycle
                    .cluster()
                    .allocationStopping(AllocationId.of("web-1"), Namespace.of("default"), NodeId.of("n1")));
            assertThat(delete(rig, claim, 409)).contains("is STOPPING by the host's word");
            assertThat(delete(rig, "/v1/allocations/web-1/claims", 409)).contains("is STOPPING by");
            assertThat(state(rig)).contains(ClaimState.TAKEN);
            assertThat(delete(rig, claim + "?running&takenIndex=" + (taken - 1), 200))
                    .as("another claim")
                    .contains("\"claims\":[]", "\"stored\":false", "has no such claim of allocation web-1");
            assertThat(state(rig)).contains(ClaimState.TAKEN);
            assertThat(delete(rig, claim + "?running", 200)).contains("\"stored\":true");
            assertThat(state(rig)).isNotEqualTo(Optional.of(ClaimState.TAKEN));
            assertThat(delete(rig, claim, 200)).as("it is released already").contains("\"stored\":");
        }
    }

    @Test
    void releaseOfUnknownClaimSaysThatNothingWasThere() throws Exception {
        try (AdminRig rig = new AdminRig()) {
            rig.node("n1", AdminRig.DISK).volume(AdminRig.key("db"));
            String nothing = "{\"stored\":false,\"note\":\"volume default/db has no such claim of allocation web-0:"
                    + " nothing was released\",\"claims\":[]}";
            assertThat(delete(rig, "/v1/volumes/default/db/claims/web-0", 200)).contains(nothing);
            assertThat(delete(rig, "/v1/volumes/default/db/claims/web-0?dryRun", 200))
                    .contains(nothing);
            assertThat(delete(rig, "/v1/volumes/default/none/claims/web-0", 404))
                    .contains("volume default/none is not registered");
            assertThat(delete(rig, "/v1/allocations/web-0/claims", 200))
                    .contains(
                            "\"stored\":false",
                            "allocation web-0 has neither claims nor requests: nothing was released");
            rig.done(rig.claim("web-1", "n1", AdminRig.key("db")));
            AllocationId waits = AllocationId.of("web-2");
            rig.done(rig.lifecycle.cluster().allocationPlaced(waits, Namespace.of("default"), NodeId.of("n1")));
            rig.done(rig.lifecycle
                    .claims()
                    .request(waits, List.of(ClaimRequest.writing(AdminRig.key("db"), AdminRig.WRITER))));
            // The leader reads a stored request a moment after it was stored.
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
            while (rig.done(rig.lifecycle.claims().status(waits)).waiting().isEmpty()) {
                assertThat(System.nanoTime()).isLessThan(end);
                Thread.onSpinWait();
            }
            assertThat(delete(rig, "/v1/allocations/web-2/claims", 200))
                    .as("a request without a claim")
                    .contains("\"stored\":true");
        }
    }

    @Test
    void claimOfAllocationThatHasNotStartedIsWithdrawn() throws Exception {
        try (AdminRig rig = new AdminRig()) {
            rig.node("n1", AdminRig.DISK).volume(AdminRig.key("db"));
            AllocationId web = AllocationId.of("web-1");
            rig.done(rig.lifecycle.cluster().allocationPlaced(web, Namespace.of("default"), NodeId.of("n1")));
            rig.done(rig.lifecycle
                    .claims()
                    .claim(web, List.of(ClaimRequest.writing(AdminRig.key("db"), AdminRig.WRITER))));
            assertThat(delete(rig, "/v1/volumes/default/db/claims/web-1", 409)).contains("is PENDING by");
            assertThat(delete(rig, "/v1/allocations/web-1/claims?dryRun", 200))
                    .contains("\"stored\":false", "\"allocationStatus\":\"PENDING\"");
            assertThat(state(rig)).contains(ClaimState.TAKEN);
            assertThat(delete(rig, "/v1/allocations/web-1/claims", 200)).contains("\"stored\":true");
            assertThat(state(rig)).isNotEqualTo(Optional.of(ClaimState.TAKEN));
        }
    }

    @Test
    void releaseAfterTheEndOfTheAllocationNeedsNoStatement() throws Exception {
        try (AdminRig rig = new AdminRig()) {
            rig.node("n1", AdminRig.DISK).volume(AdminRig.key("db"));
            rig.done(rig.claim("web-1", "n1", AdminRig.key("db")));
            rig.lifecycle.stopLeading(); // So the claim stays.
            rig.end("web-1");
            assertThat(delete(rig, "/v1/volumes/default/db/claims/web-1", 200))
                    .contains("\"stored\":true", "\"allocationStatus\":\"ENDED\"");
            assertThat(delete(rig, "/v1/allocations/web-1/claims", 200)).contains("\"stored\":true");
            assertThat(state(rig)).contains(ClaimState.UNPUBLISHING);
        }
    }

    private static Optional<ClaimState> state(AdminRig rig) {
        return rig.store
                .snapshot()
                .volume(AdminRig.key("db"))
                .orElseThrow()
                .claims()
                .get(AllocationId.of("web-1"))
                .map(Claim::state);
    }

    private static String delete(AdminRig rig, String path, int status) throws Exception {
        HttpResponse<String> answer = rig.http.send(
                HttpRequest.newBuilder(rig.at(path)).DELETE().build(), HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        return answer.body();
    }
}
