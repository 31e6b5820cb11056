package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.Batch;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.state.ObservableState;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** An allocation that asks for its volumes more than once, as a host does that has heard no answer. */
class RepeatedClaimTest {
    private static final VolumeKey OTHER = VolumeKey.of("default", "other");
    private static final AllocationId ALLOCATION = AllocationId.of("a");

    private final LateLog late = new LateLog();
    private final LifecycleRig rig = LifecycleRig.leading(late::before).volume(LifecycleRig.VOL);

    /** Keeps what gives a claim back when told to, and lets it through later, as a log may that gave no answer. */
    private static final class LateLog {
        private final List<Command> kept = new ArrayList<>();
        private boolean keeps;

        CommandLog before(CommandLog log) {
            return new CommandLog() {
                @Override
                public CompletableFuture<Outcome> submit(Command command) {
                    if (keeps && givesBack(command)) {
                        kept.add(command);
                        return CompletableFuture.failedFuture(new IllegalStateException("no answer"));
                    }
                    return log.submit(command);
                }

                @Override
                public ObservableState state() {
                    return log.state();
                }
            };
        }

        private static boolean givesBack(Command command) {
            return command instanceof Batch batch
                    ? batch.commands().stream().anyMatch(LateLog::givesBack)
                    : command instanceof ClaimCommand.CheckpointClaim checkpoint
                            && checkpoint.state() == ClaimState.UNPUBLISHING;
        }
    }

    private CompletableFuture<ClaimGrant> ask(VolumeKey... volumes) {
        rig.allocation("a", "n1");
        List<ClaimRequest> requests = new ArrayList<>();
        for (VolumeKey key : volumes) {
            requests.add(LifecycleRig.write(key, LifecycleRig.SHARED));
        }
        CompletableFuture<ClaimGrant> asked = rig.host.claims().claim(ALLOCATION, requests);
        rig.clock.run();
        return asked;
    }

    private Optional<ClaimState> claim() {
        return rig.get(LifecycleRig.VOL).claims().get(ALLOCATION).map(Claim::state);
    }

    @Test
    void laterClaimRequestKeepsItsGrantIfEarlierRequestFails() {
        rig.volume(OTHER);
        rig.gateway.hang(Rpc.CONTROLLER_PUBLISH_VOLUME);
        CompletableFuture<ClaimGrant> both = ask(OTHER, LifecycleRig.VOL);
        assertThat(both).isNotDone();
        CompletableFuture<ClaimGrant> one = ask(LifecycleRig.VOL);
        VolumeKey lost = one.isDone() ? OTHER : LifecycleRig.VOL;
        assertThat(lost)
                .as("the volume that is claimed first is the one whose call hangs")
                .isEqualTo(OTHER);
        rig.done(rig.host.operator().overrideClaim(OTHER, ALLOCATION, "it never got there"));
        rig.failed(both, ClaimLostException.class);
        rig.clock.advance(Duration.ofHours(1));
        assertThat(claim()).contains(ClaimState.TAKEN);
        assertThat(rig.calls()).doesNotContain("NODE_UNPUBLISH_VOLUME@n1");
    }

    @Test
    void cancellingLastRequestReleasesUngrantedClaim() {
        rig.gateway.hang(Rpc.CONTROLLER_PUBLISH_VOLUME);
        CompletableFuture<ClaimGrant> first = ask(LifecycleRig.VOL);
        CompletableFuture<ClaimGrant> second = ask(LifecycleRig.VOL);
        CompletableFuture<ClaimGrant> third = ask(LifecycleRig.VOL);
        third.cancel(true);
        first.cancel(true);
        rig.clock.run();
        assertThat(claim()).as("one request still waits for the claim").contains(ClaimState.TAKEN);
        second.cancel(true);
        rig.clock.run();
        assertThat(claim()).contains(ClaimState.UNPUBLISHING);
        rig.clock.advance(Duration.ofHours(1));
        assertThat(claim()).isEmpty();
    }

    @Test
    void earlierClaimRequestKeepsItsGrantIfLaterRequestFails() {
        assertThat(ask(LifecycleRig.VOL)).isCompleted();
        rig.volume(OTHER);
        rig.gateway.fail(Rpc.CONTROLLER_PUBLISH_VOLUME, StatusCode.INVALID_ARGUMENT);
        assertThat(ask(LifecycleRig.VOL, OTHER)).isCompletedExceptionally();
        rig.clock.advance(Duration.ofHours(1));
        assertThat(claim()).contains(ClaimState.TAKEN);
        assertThat(rig.get(OTHER).claims().isEmpty()).isTrue();
    }

    @Test
    void delayedReleaseCommandOfCancelledRequestDoesNotReleaseClaimRequestedLater() {
        rig.gateway.hang(Rpc.CONTROLLER_PUBLISH_VOLUME);
        CompletableFuture<ClaimGrant> first = ask(LifecycleRig.VOL);
        late.keeps = true;
        first.cancel(true);
        rig.clock.run();
        assertThat(late.kept).hasSize(1);
        CompletableFuture<ClaimGrant> second = ask(LifecycleRig.VOL);
        rig.ok(late.kept.get(0));
        assertThat(claim()).contains(ClaimState.TAKEN);
        rig.clock.advance(Duration.ofHours(1));
        assertThat(second).isCompleted();
        assertThat(claim()).contains(ClaimState.TAKEN);
    }

    @Test
    void delayedReleaseCommandDoesNotReleaseClaimRequestedLater() {
        assertThat(ask(LifecycleRig.VOL)).isCompleted();
        late.keeps = true;
        rig.failed(rig.host.claims().release(LifecycleRig.VOL, ALLOCATION), UncertainCommandException.class);
        assertThat(ask(LifecycleRig.VOL)).isCompleted();
        rig.ok(late.kept.get(0));
        rig.clock.advance(Duration.ofHours(1));
        assertThat(claim()).contains(ClaimState.TAKEN);
        late.keeps = false;
        rig.done(rig.host.claims().release(LifecycleRig.VOL, ALLOCATION));
        rig.clock.advance(Duration.ofHours(1));
        assertThat(claim()).isEmpty();
    }

    /** Otherwise the repeated request waits until its own allocation gives the claim back. */
    @Test
    void repeatedRequestIsGrantedWithTheFirstAlthoughAnotherAllocationWaitsBetweenThem() {
        rig.volume(OTHER);
        CompletableFuture<ClaimGrant> holder = ask("holder", "n2");
        assertThat(holder).isCompleted();
        CompletableFuture<ClaimGrant> first = ask("a", "n1");
        CompletableFuture<ClaimGrant> between = ask("b", "n1");
        CompletableFuture<ClaimGrant> repeated = ask("a", "n1");
        assertThat(repeated).isNotDone();

        rig.done(rig.host.claims().release(OTHER, AllocationId.of("holder")));
        rig.clock.run();

        assertThat(first).isCompleted();
        assertThat(repeated).isCompleted();
        assertThat(between).isNotDone();
    }

    private CompletableFuture<ClaimGrant> ask(String allocation, String node) {
        rig.allocation(allocation, node);
        CompletableFuture<ClaimGrant> asked = rig.host
                .claims()
                .claim(AllocationId.of(allocation), List.of(LifecycleRig.write(OTHER, LifecycleRig.SINGLE)));
        rig.clock.run();
        return asked;
    }
}
