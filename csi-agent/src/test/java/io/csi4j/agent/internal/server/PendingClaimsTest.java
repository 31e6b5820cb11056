package io.csi4j.agent.internal.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.agent.internal.wire.PeerLimitException;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.ClaimGrant;
import io.csi4j.core.lifecycle.VolumeGrant;
import io.csi4j.core.plugin.PluginView;
import io.csi4j.core.spi.VirtualTime;
import io.csi4j.core.state.VolumeView;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The states of a claim that an agent asks for: it waits, it is granted, its attempts are cancelled, its agent is silent. */
class PendingClaimsTest {
    private static final NodeId NODE = NodeId.of("node-1");
    private static final AllocationId WEB = AllocationId.of("web");
    private static final RequestedCapability WRITER = RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER);
    private static final Duration WAIT = Duration.ofSeconds(20);

    private final VirtualTime time = VirtualTime.inOrder();
    private final FakeEngine engine = new FakeEngine();
    private final PendingClaims claims = new PendingClaims(engine, time, time);

    /** An engine whose answers the test gives. */
    private static final class FakeEngine implements PendingClaims.Engine {
        private final List<CompletableFuture<ClaimGrant>> started = new ArrayList<>();
        private final List<String> released = new ArrayList<>();
        private final CompletableFuture<Void> releasing = new CompletableFuture<>();
        private Runnable duringClaim = () -> {};

        @Override
        public CompletableFuture<ClaimGrant> claim(AllocationId allocation, List<ClaimRequest> requests) {
            CompletableFuture<ClaimGrant> claim = new CompletableFuture<>();
            started.add(claim);
            duringClaim.run();
            return claim;
        }

        @Override
        public CompletableFuture<Void> release(VolumeKey volume, AllocationId allocation, long takenIndex) {
            released.add(volume.volumeId() + "@" + takenIndex);
            return releasing;
        }

        /** Grants the n-th claim of the engine, counted from 0. */
        void grant(int number, VolumeGrant... volumes) {
            assertThat(started.get(number).complete(new ClaimGrant(WEB, List.of(volumes))))
                    .as("claim %s still waits", number)
                    .isTrue();
        }
    }

    private static List<ClaimRequest> requests(String... volumes) {
        return Stream.of(volumes)
                .map(volume -> ClaimRequest.of(VolumeKey.of("ns", volume), ClaimMode.WRITE, WRITER))
                .toList();
    }

    private CompletableFuture<Optional<ClaimGrant>> ask(String attempt, String... volumes) {
        CompletableFuture<Optional<ClaimGrant>> answer = claims.ask(NODE, WEB, attempt, requests(volumes), WAIT);
        time.run();
        return answer;
    }

    private CompletableFuture<?> cancel(String attempt) {
        CompletableFuture<?> done = claims.cancel(NODE, WEB, attempt);
        time.run();
        return done;
    }

    private void asks(String attempt, String... volumes) {
        var unused = ask(attempt, volumes);
    }

    private void cancels(String attempt) {
        var unused = cancel(attempt);
    }

    /** A claim that the request has taken. */
    private static VolumeGrant taken(String volume, long index) {
        return granted(volume, index, index);
    }

    /** A claim that existed since the first index and was requested again at the second. */
    private static VolumeGrant granted(String volume, long createIndex, long takenIndex) {
        VolumeSpec spec = VolumeSpec.builder(PluginId.of("ebs"))
                .externalVolumeId(ExternalVolumeId.of("ext-" + volume))
                .requestedCapabilities(List.of(WRITER))
                .build();
        Volume row = Volume.builder(VolumeKey.of("ns", volume), spec, 1, Instant.EPOCH)
                .build();
        Claim claim = Claim.builder(WEB, NodeId.of("node-1"), ClaimMode.WRITE, WRITER)
                .createIndex(createIndex)
                .takenIndex(takenIndex)
                .build();
        return new VolumeGrant(
                new VolumeView(row, PluginView.of(row.pluginId(), List.of(), List.of(), Optional.empty()), List.of()),
                claim,
                PublishContext.empty(),
                MountOptions.none(),
                Secrets.empty(),
                Secrets.empty());
    }

    private static void isGranted(CompletableFuture<Optional<ClaimGrant>> answer) {
        assertThat(answer).isCompletedWithValueMatching(Optional::isPresent);
    }

    private static void waitsLonger(CompletableFuture<Optional<ClaimGrant>> answer) {
        assertThat(answer).isCompletedWithValue(Optional.empty());
    }

    private static void isCancelled(CompletableFuture<Optional<ClaimGrant>> answer) {
        assertThat(answer).isCompletedExceptionally();
        assertThatThrownBy(answer::join).isInstanceOf(CancellationException.class);
    }

    private static void failed(CompletableFuture<Optional<ClaimGrant>> answer, String message) {
        assertThat(answer).isCompletedExceptionally();
        assertThatThrownBy(answer::join).hasRootCauseMessage(message);
    }

    // Asked, waiting

    @Test
    void requestGetsGrantOfEngine() {
        CompletableFuture<Optional<ClaimGrant>> answer = ask("a", "db");
        assertThat(answer).isNotDone();
        engine.grant(0, taken("db", 5));
        isGranted(answer);
        assertThat(engine.released).isEmpty();
    }

    @Test
    void requestFailsWithFailureOfEngine() {
        CompletableFuture<Optional<ClaimGrant>> answer = ask("a", "db");
        engine.started.get(0).completeExceptionally(new IllegalStateException("no such volume"));
        failed(answer, "no such volume");
        assertThat(time.timers()).isZero();
    }

    @Test
    void engineThatThrowsFailsRequestAndForgetsClaim() {
        engine.duringClaim = () -> {
            throw new IllegalStateException("closed");
        };
        failed(ask("a", "db"), "closed");
        engine.duringClaim = () -> {};
        assertThat(ask("a", "db")).isNotDone();
        assertThat(engine.started).hasSize(2);
    }

    @Test
    void requestWhoseTimeEndsIsAnsweredWithoutGrantAndClaimKeepsItsPosition() {
        CompletableFuture<Optional<ClaimGrant>> first = ask("a", "db");
        time.advance(WAIT);
        waitsLonger(first);

        CompletableFuture<Optional<ClaimGrant>> second = ask("a", "db");
        assertThat(engine.started).hasSize(1);
        engine.grant(0, taken("db", 5));
        isGranted(second);
    }

    @Test
    void attemptsWithEqualRequestsShareOneClaim() {
        CompletableFuture<Optional<ClaimGrant>> one = ask("a", "db");
        CompletableFuture<Optional<ClaimGrant>> two = ask("b", "db");
        assertThat(engine.started).hasSize(1);
        engine.grant(0, taken("db", 5));
        isGranted(one);
        isGranted(two);
    }

    @Test
    void requestWithOtherVolumesReplacesWaitingClaim() {
        CompletableFuture<Optional<ClaimGrant>> old = ask("a", "db");
        CompletableFuture<Optional<ClaimGrant>> next = ask("b", "db", "logs");
        isCancelled(old);
        assertThat(engine.started.get(0)).isCancelled();
        engine.grant(1, taken("db", 5), taken("logs", 5));
        isGranted(next);
    }

    // Reconnected, silent

    @Test
    void requestThatIsNotRepeatedIsWithdrawnWhenItsLeaseEnds() {
        asks("a", "db");
        time.advance(WAIT.plus(PendingClaims.LEASE).minusMillis(1));
        assertThat(engine.started.get(0)).isNotDone();
        time.advance(Duration.ofMillis(1));
        assertThat(engine.started.get(0)).isCancelled();
        assertThat(time.timers()).isZero();
    }

    @Test
    void repeatedRequestExtendsLease() {
        asks("a", "db");
        for (int repeat = 0; repeat < 10; repeat++) {
            time.advance(Duration.ofSeconds(50));
            asks("a", "db");
        }
        assertThat(engine.started).hasSize(1);
        assertThat(engine.started.get(0)).isNotDone();
    }

    @Test
    void cancelledFutureOfBrokenConnectionKeepsClaim() {
        ask("a", "db").cancel(false);
        time.run();
        assertThat(engine.started.get(0)).isNotDone();
        CompletableFuture<Optional<ClaimGrant>> again = ask("a", "db");
        engine.grant(0, taken("db", 5));
        isGranted(again);
    }

    @Test
    void repeatedRequestForGrantedClaimGetsGrantFromEngine() {
        asks("a", "db");
        engine.grant(0, taken("db", 5));
        CompletableFuture<Optional<ClaimGrant>> again = ask("a", "db");
        assertThat(engine.started).hasSize(2);
        engine.grant(1, granted("db", 5, 6));
        isGranted(again);
    }

    // Cancelled

    @Test
    void cancellationOfLastAttemptWithdrawsWaitingClaim() {
        CompletableFuture<Optional<ClaimGrant>> answer = ask("a", "db");
        CompletableFuture<?> done = cancel("a");
        isCancelled(answer);
        assertThat(engine.started.get(0)).isCancelled();
        assertThat(done).isCompleted();
        assertThat(engine.released).isEmpty();
    }

    @Test
    void cancellationOfOneAttemptKeepsClaimOfOther() {
        CompletableFuture<Optional<ClaimGrant>> one = ask("a", "db");
        CompletableFuture<Optional<ClaimGrant>> two = ask("b", "db");
        cancels("a");
        isCancelled(one);
        engine.grant(0, taken("db", 5));
        isGranted(two);
        assertThat(engine.released).isEmpty();
        cancels("b");
        assertThat(engine.released).containsExactly("db@5");
    }

    @Test
    void cancellationAfterGrantReleasesClaimsOfThisGrant() {
        asks("a", "db", "logs");
        engine.grant(0, taken("db", 5), taken("logs", 6));
        CompletableFuture<?> done = cancel("a");
        assertThat(engine.released).containsExactlyInAnyOrder("db@5", "logs@6");
        assertThat(done).isNotDone();
        engine.releasing.complete(null);
        assertThat(done).isCompleted();
    }

    @Test
    void cancellationKeepsClaimThatIsOlderThanAttempt() {
        asks("a", "db", "logs");
        engine.grant(0, granted("db", 3, 5), taken("logs", 5));
        cancels("a");
        assertThat(engine.released).containsExactly("logs@5");
    }

    @Test
    void cancellationOfUnknownAttemptKeepsClaim() {
        CompletableFuture<Optional<ClaimGrant>> answer = ask("a", "db");
        assertThat(cancel("other")).isCompleted();
        assertThat(answer).isNotDone();
        engine.grant(0, taken("db", 5));
        assertThat(cancel("older")).isCompleted();
        assertThat(engine.released).isEmpty();
    }

    @Test
    void cancellationBeforeItsRequestRefusesRequest() {
        cancels("a");
        isCancelled(ask("a", "db"));
        assertThat(engine.started).isEmpty();
        assertThat(ask("b", "db")).isNotDone();
    }

    @Test
    void cancellationDuringCallToEngineWithdrawsClaim() {
        List<CompletableFuture<?>> done = new ArrayList<>();
        engine.duringClaim = () -> done.add(claims.cancel(NODE, WEB, "a"));
        CompletableFuture<Optional<ClaimGrant>> answer = ask("a", "db");
        isCancelled(answer);
        assertThat(engine.started.get(0)).isCancelled();
        assertThat(done).singleElement().satisfies(each -> assertThat(each).isCompleted());
    }

    @Test
    void cancellationOfRenewalReleasesWithIndexOfRenewal() {
        asks("a", "db");
        engine.grant(0, taken("db", 5));
        asks("b", "db");
        cancels("a");
        CompletableFuture<?> done = cancel("b");
        assertThat(engine.started.get(1)).isNotDone();
        assertThat(engine.released).isEmpty();
        engine.grant(1, granted("db", 5, 6));
        assertThat(engine.released).containsExactly("db@6");
        assertThat(done).isNotDone();
        engine.releasing.complete(null);
        assertThat(done).isCompleted();
    }

    @Test
    void cancellationOfOldAttemptKeepsGrantWhileNextAttemptRenewsIt() {
        asks("a", "db");
        engine.grant(0, taken("db", 5));
        CompletableFuture<Optional<ClaimGrant>> two = ask("b", "db");
        cancels("a");
        engine.grant(1, granted("db", 5, 6));
        isGranted(two);
        assertThat(engine.released).isEmpty();
    }

    @Test
    void cancellationOfNextAttemptKeepsGrantForFirstAttempt() {
        asks("a", "db");
        engine.grant(0, taken("db", 5));
        asks("b", "db");
        engine.grant(1, granted("db", 5, 6));
        cancels("b");
        assertThat(engine.released).isEmpty();
        cancels("a");
        assertThat(engine.released).containsExactly("db@6");
    }

    @Test
    void attemptOfReplacedClaimDoesNotKeepNextClaim() {
        asks("a", "db");
        asks("b", "db", "logs");
        cancels("b");
        assertThat(engine.started.get(1)).isCancelled();
    }

    // Late answers

    @Test
    void grantThatOvertakesCancellationIsReleased() {
        engine.duringClaim = () -> {
            var unused = claims.cancel(NODE, WEB, "a");
            engine.grant(0, taken("db", 5));
        };
        asks("a", "db");
        assertThat(engine.released).containsExactly("db@5");
    }

    @Test
    void lateGrantOfCancelledAttemptIsKeptForNextAttempt() {
        engine.duringClaim = () -> {
            engine.duringClaim = () -> {};
            var unused = claims.cancel(NODE, WEB, "a");
            asks("b", "db");
            engine.grant(0, taken("db", 5));
        };
        asks("a", "db");
        assertThat(engine.released).isEmpty();
        assertThat(engine.started).hasSize(2);
    }

    @Test
    void failedRenewalKeepsClaimsOfEarlierGrant() {
        asks("a", "db");
        engine.grant(0, taken("db", 5));
        asks("a", "db");
        engine.started.get(1).completeExceptionally(new IllegalStateException("not the leader"));
        cancels("a");
        assertThat(engine.released).containsExactly("db@5");
    }

    @Test
    void largerRequestThatEndsKeepsClaimsOfEarlierGrant() {
        asks("a", "db");
        engine.grant(0, taken("db", 5));
        asks("a", "db", "logs");
        time.advance(WAIT.plus(PendingClaims.LEASE));
        assertThat(engine.started.get(1)).isCancelled();
        cancels("a");
        assertThat(engine.released).containsExactly("db@5");
    }

    // Limits

    @Test
    void grantIsForgottenAfterLease() {
        asks("a", "db");
        engine.grant(0, taken("db", 5));
        time.advance(PendingClaims.LEASE);
        cancels("a");
        assertThat(engine.released).isEmpty();
    }

    @Test
    void timerOfEarlierGrantDoesNotForgetLaterGrant() {
        asks("a", "db");
        engine.grant(0, taken("db", 5));
        time.advance(Duration.ofSeconds(40));
        asks("a", "db");
        engine.grant(1, granted("db", 5, 6));
        time.advance(Duration.ofSeconds(40));
        cancels("a");
        assertThat(engine.released).containsExactly("db@6");
    }

    @Test
    void cancelledAttemptIsForgottenAfterLease() {
        cancels("a");
        time.advance(PendingClaims.LEASE);
        assertThat(ask("a", "db")).isNotDone();
        assertThat(engine.started).hasSize(1);
    }

    @Test
    void longNameOfAttemptIsRefused() {
        String name = "x".repeat(65);
        assertThatThrownBy(() -> claims.ask(NODE, WEB, name, requests("db"), WAIT))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("attempt: has 65 characters; use at most 64");
        assertThatThrownBy(() -> claims.cancel(NODE, WEB, name)).isInstanceOf(IllegalArgumentException.class);
        assertThat(engine.started).isEmpty();
        assertThat(time.timers()).isZero();
    }

    // Another server

    @Test
    void closedServerWithdrawsClaimsAndLeavesNoTimer() {
        CompletableFuture<Optional<ClaimGrant>> waiting = ask("a", "db");
        var unused = claims.ask(NODE, AllocationId.of("other"), "a", requests("logs"), WAIT);
        engine.grant(1, taken("logs", 4));
        cancels("b");
        claims.close();
        time.run();
        assertThat(engine.started.get(0)).isCancelled();
        assertThat(waiting).isDone();
        assertThat(claims.cancel(NODE, AllocationId.of("other"), "a")).isCompleted();
        assertThat(engine.released).isEmpty();
        assertThat(time.timers()).isZero();
    }

    @Test
    void closedServerAnswersWithoutGrantSoThatAgentAsksAnother() {
        claims.close();
        waitsLonger(ask("a", "db"));
        assertThat(cancel("a")).isCompleted();
        assertThat(engine.started).isEmpty();
        assertThat(time.timers()).isZero();
    }

    @Test
    void nextServerRenewsGrantOfFormerServerAndDoesNotReleaseIt() {
        CompletableFuture<Optional<ClaimGrant>> answer = ask("a", "db");
        engine.grant(0, granted("db", 5, 9));
        isGranted(answer);
        cancels("a");
        assertThat(engine.released).isEmpty();
    }

    @Test
    void claimsOfNodeThatServerHoldsHaveLimitAndOtherNodesStillClaim() {
        NodeId greedy = NodeId.of("greedy");
        String[] many = IntStream.range(0, 999).mapToObj(i -> "v" + i).toArray(String[]::new);
        for (int i = 0; i < 20; i++) {
            var unused = claims.ask(greedy, AllocationId.of("a" + i), "a", requests(many), WAIT);
        }
        assertThatThrownBy(() -> claims.ask(greedy, AllocationId.of("more"), "a", requests("db"), WAIT))
                .isInstanceOfSatisfying(
                        PeerLimitException.class,
                        refused -> assertThat(refused.retryable()).isTrue())
                .hasMessage("the sum of the volumes in claims of node greedy has 20002 volumes, and at most 20000 are"
                        + " accepted (of csi4j); this one is refused, repeat it later");
        int started = engine.started.size();

        asks("a", "db");

        assertThat(engine.started).hasSize(started + 1);
        // The claims are forgotten after their lease.
        time.advance(WAIT.plus(PendingClaims.LEASE));
        engine.started.forEach(claim -> claim.cancel(false));
        time.run();
        var unused = claims.ask(greedy, AllocationId.of("more"), "a", requests("db"), WAIT);
    }

    @Test
    void cancelledClaimsOfNodeThatServerRemembersHaveLimit() {
        for (int i = 0; i < 10_000; i++) {
            var unused = claims.cancel(NODE, AllocationId.of("a" + i), "a");
        }
        assertThatThrownBy(() -> claims.cancel(NODE, AllocationId.of("more"), "a"))
                .isInstanceOf(PeerLimitException.class)
                .hasMessageContaining("cancelled claims of node node-1 has 10001 claims, and at most 10000");
        var unused = claims.cancel(NodeId.of("other"), AllocationId.of("more"), "a");

        time.advance(PendingClaims.LEASE);

        var unusedToo = claims.cancel(NODE, AllocationId.of("more"), "a");
    }
}
