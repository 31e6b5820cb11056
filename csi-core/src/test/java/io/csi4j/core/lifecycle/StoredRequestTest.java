package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.RequestedClaims;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.spi.AccessDeniedException;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.state.ObservableState;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.VolumePhase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Stored requests for claims: the leader takes the claims, also if the server that stored the request has failed. */
class StoredRequestTest {
    private static final VolumeKey VOL = LifecycleRig.VOL;
    private static final AllocationId A = AllocationId.of("a");
    private static final AllocationId B = AllocationId.of("b");

    private final LifecycleRig rig = LifecycleRig.leading().volume(VOL);
    private final List<String> lines = new ArrayList<>();
    private final Logger log = Logger.getLogger("io.csi4j.core.lifecycle.internal.claim.StoredRequests");
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord line) {
            lines.add(line.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    @BeforeEach
    void startAllocations() {
        log.addHandler(handler);
        rig.allocation("a", "n1");
        rig.allocation("b", "n2");
    }

    @AfterEach
    void removeHandler() {
        log.removeHandler(handler);
    }

    private static ClaimRequest request(VolumeKey key) {
        return LifecycleRig.write(key, LifecycleRig.SINGLE);
    }

    private void store(AllocationId id, VolumeKey... keys) {
        List<ClaimRequest> requests = new ArrayList<>();
        for (VolumeKey key : keys) {
            requests.add(request(key));
        }
        rig.done(rig.host.claims().request(id, requests));
        rig.run();
    }

    private CompletableFuture<ClaimGrant> claim(AllocationId id) {
        CompletableFuture<ClaimGrant> grant = rig.host.claims().claim(id, List.of(request(VOL)));
        rig.run();
        return grant;
    }

    private Optional<ClaimState> state(AllocationId id) {
        return rig.get(VOL).claims().get(id).map(Claim::state);
    }

    private int stored() {
        int rows = 0;
        for (RequestedClaims row : rig.log.snapshot().requestedClaims()) {
            assertThat(row.requests()).isNotEmpty();
            rows++;
        }
        return rows;
    }

    @Test
    void leaderTakesStoredRequestAndPublishesItsVolume() {
        store(A, VOL);
        assertThat(state(A)).contains(ClaimState.TAKEN);
        assertThat(rig.calls()).contains("" + Rpc.CONTROLLER_PUBLISH_VOLUME);
        assertThat(stored()).isZero();
        assertThat(claim(A)).as("the grant of the claim that is taken already").isCompleted();
    }

    @Test
    void storedRequestsAreTakenInTheirOrderAmongOthers() {
        assertThat(claim(A)).isCompleted();
        rig.allocation("c", "n1");
        store(B, VOL);
        CompletableFuture<ClaimGrant> later = claim(AllocationId.of("c"));
        List<WaitingClaim> waiting =
                rig.done(rig.host.claims().status(VOL)).orElseThrow().waiting();
        assertThat(waiting).extracting(WaitingClaim::allocationId).containsExactly(B, AllocationId.of("c"));
        rig.done(rig.host.claims().release(VOL, A));
        rig.clock.advance(Duration.ofMinutes(1));
        assertThat(state(B)).contains(ClaimState.TAKEN);
        assertThat(later).isNotDone();
    }

    @Test
    void callerGetsTheGrantOfStoredRequestAlthoughAnotherAllocationWaitsBetween() {
        rig.allocation("c", "n1");
        assertThat(claim(AllocationId.of("c"))).isCompleted();
        store(A, VOL);
        CompletableFuture<ClaimGrant> between = claim(B);
        CompletableFuture<ClaimGrant> grant = claim(A);
        assertThat(grant).isNotDone();
        rig.done(rig.host.claims().release(VOL, AllocationId.of("c")));
        rig.clock.advance(Duration.ofMinutes(1));
        assertThat(grant).isCompleted();
        assertThat(between).isNotDone();
        assertThat(claim(A)).as("a caller that asks after the grant").isCompleted();
    }

    @Test
    void nextLeaderTakesRequestsInTheOrderInWhichTheyWereStored() {
        LifecycleRig follower = LifecycleRig.following();
        follower.host.startLeading();
        follower.clock.run();
        follower.volume(VOL);
        follower.host.stopLeading();
        follower.clock.run();
        // Stored while no server leads, as by another program. The names sort against the order of the requests.
        for (String id : List.of("z", "y", "x")) {
            follower.allocation(id, "n1");
            follower.ok(new ClaimCommand.RequestClaims(AllocationId.of(id), List.of(request(VOL)), follower.now()));
        }
        assertThat(follower.get(VOL).claims().isEmpty()).isTrue();
        follower.host.startLeading();
        follower.clock.run();
        assertThat(follower.get(VOL).claims().get(AllocationId.of("z")).map(Claim::state))
                .contains(ClaimState.TAKEN);
        assertThat(follower.done(follower.host.claims().status(VOL))
                        .orElseThrow()
                        .waiting())
                .extracting(WaitingClaim::allocationId)
                .containsExactly(AllocationId.of("y"), AllocationId.of("x"));
    }

    @Test
    void requestThatCanNeverBeGrantedIsRemovedWithWarning() {
        store(A, VOL, VolumeKey.of("default", "unknown"));
        assertThat(stored()).isZero();
        assertThat(state(A)).isEmpty();
        assertThat(lines)
                .singleElement()
                .satisfies(line -> assertThat(line)
                        .startsWith(
                                "The stored request of allocation a for default/vol, default/unknown is refused and removed: ")
                        .contains("default/unknown")
                        .endsWith("; remove the cause and request the claims again, or end the allocation"));
        store(A, VOL);
        assertThat(state(A)).contains(ClaimState.TAKEN);
    }

    @Test
    void refusalThatTheLogLosesIsRepeated() {
        storeBeforeTheLeaderReads(VolumeKey.of("default", "unknown"));
        // The command that takes the claims is rejected, and the one that removes the request is lost.
        rig.log.keep(1);
        rig.log.lose(1, false);
        rig.run();
        assertThat(stored()).isEqualTo(1);
        rig.clock.advance(Duration.ofMinutes(5));
        assertThat(stored()).isZero();
        assertThat(lines).hasSize(2);
    }

    @Test
    void refusedRequestIsNotDecidedAgainWhileItsRemovalIsOnItsWay() {
        List<Command> removals = new ArrayList<>();
        LifecycleRig slow = LifecycleRig.leading(log -> new CommandLog() {
            @Override
            public CompletableFuture<Outcome> submit(Command command) {
                if (command instanceof ClaimCommand.RefuseClaims) {
                    removals.add(command);
                    return new CompletableFuture<>();
                }
                return log.submit(command);
            }

            @Override
            public ObservableState state() {
                return log.state();
            }
        });
        slow.allocation("a", "n1");
        for (String unknown : List.of("first", "second")) {
            slow.done(slow.host.claims().request(A, List.of(request(VolumeKey.of("default", unknown)))));
            slow.run();
        }
        assertThat(removals).hasSize(2).doesNotHaveDuplicates();
        assertThat(lines).hasSize(2);
    }

    private void storeBeforeTheLeaderReads(VolumeKey key) {
        assertThat(rig.log
                        .submit(new ClaimCommand.RequestClaims(A, List.of(request(key)), rig.now()))
                        .join()
                        .accepted())
                .isTrue();
    }

    @Test
    void withdrawnRequestIsNotTakenAndItsClaimsAreReleased() {
        assertThat(claim(B)).isCompleted();
        store(A, VOL);
        rig.done(rig.host.claims().withdraw(A));
        rig.run();
        assertThat(stored()).isZero();
        assertThat(rig.done(rig.host.claims().status(VOL)).orElseThrow().waiting())
                .isEmpty();
        rig.done(rig.host.claims().release(VOL, B));
        rig.clock.advance(Duration.ofMinutes(1));
        assertThat(rig.get(VOL).claims().isEmpty()).isTrue();
        store(A, VOL);
        assertThat(state(A)).contains(ClaimState.TAKEN);
        rig.done(rig.host.claims().withdraw(A));
        rig.clock.advance(Duration.ofMinutes(1));
        assertThat(rig.get(VOL).claims().isEmpty()).isTrue();
        assertThat(lines).isEmpty();
    }

    @Test
    void endOfAllocationEndsItsWaitingRequest() {
        assertThat(claim(B)).isCompleted();
        store(A, VOL);
        rig.allocation("a", "n1", AllocationStatus.ENDED);
        rig.run();
        assertThat(stored()).isZero();
        assertThat(rig.done(rig.host.claims().status(VOL)).orElseThrow().waiting())
                .isEmpty();
    }

    @Test
    void requestIsTakenAfterFailureOfTheLog() {
        storeBeforeTheLeaderReads(VOL);
        rig.log.lose(1, false);
        rig.run();
        assertThat(state(A)).as("the command that takes the claims was lost").isEmpty();
        assertThat(stored()).isEqualTo(1);
        rig.clock.advance(Duration.ofMinutes(5));
        assertThat(state(A)).contains(ClaimState.TAKEN);
        assertThat(stored()).isZero();
    }

    @Test
    void requestIsTakenOnceIfTheAnswerOfTheLogIsLost() {
        storeBeforeTheLeaderReads(VOL);
        rig.log.lose(1, true);
        rig.clock.advance(Duration.ofMinutes(5));
        assertThat(state(A)).contains(ClaimState.TAKEN);
        assertThat(stored()).isZero();
        long takes = rig.log.commands.stream()
                .filter(ClaimCommand.TakeClaims.class::isInstance)
                .count();
        assertThat(takes).isEqualTo(1);
    }

    @Test
    void claimThatPluginRefusesIsReleasedWithWarning() {
        rig.gateway.fail(Rpc.CONTROLLER_PUBLISH_VOLUME, StatusCode.INVALID_ARGUMENT);
        store(A, VOL);
        rig.clock.advance(Duration.ofMinutes(1));
        assertThat(stored()).isZero();
        assertThat(state(A)).isNotEqualTo(Optional.of(ClaimState.TAKEN));
        assertThat(lines)
                .anySatisfy(line -> assertThat(line)
                        .startsWith("The stored request of allocation a for default/vol failed after its claims had"
                                + " been taken: ")
                        .endsWith("; request the claims again, or end the allocation"));
    }

    @Test
    void callerNeedsPermissionToMountInTheNamespacesOfVolumesAndAllocation() {
        LifecycleRig guarded = LifecycleRig.guarded();
        guarded.allocation("a", "n1");
        guarded.failed(guarded.as("other").claims().request(A, List.of(request(VOL))), AccessDeniedException.class);
        guarded.failed(guarded.as("other").claims().withdraw(A), AccessDeniedException.class);
        guarded.grant(Permission.PLUGIN_READ);
        guarded.failed(guarded.as("other").claims().request(A, List.of(request(VOL))), AccessDeniedException.class);
        guarded.failed(guarded.as("other").claims().withdraw(A), AccessDeniedException.class);
        guarded.grant("default", Permission.VOLUME_MOUNT);
        guarded.done(guarded.as("other").claims().request(A, List.of(request(VOL))));
        guarded.done(guarded.as("other").claims().withdraw(A));
        assertThat(guarded.log.snapshot().requestedClaims()).isEmpty();
    }

    @Test
    void requestOfVolumeThatIsBeingCreatedWaitsForIt() {
        VolumeKey created = VolumeKey.of("default", "created");
        rig.gateway.hang(Rpc.CREATE_VOLUME);
        var unused = rig.host.volumes().create(created, LifecycleRig.newSpec().build());
        rig.run();
        assertThat(rig.get(created).phase()).isEqualTo(VolumePhase.CREATING);
        store(A, created);
        assertThat(stored()).isEqualTo(1);
        assertThat(rig.done(rig.host.claims().status(created)).orElseThrow().waiting())
                .hasSize(1);
    }
}
