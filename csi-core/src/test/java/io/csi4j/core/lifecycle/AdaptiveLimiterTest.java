package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.StatusCode;
import io.csi4j.core.lifecycle.internal.call.AdaptiveLimiter;
import io.csi4j.core.lifecycle.internal.call.CallKind;
import io.csi4j.core.lifecycle.internal.call.CallPermit;
import io.csi4j.core.spi.VirtualTime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AdaptiveLimiterTest {
    private static final List<CallKind> KINDS = List.of(CallKind.values());
    private static final List<StatusCode> CODES = List.of(StatusCode.values());

    private final VirtualTime time = VirtualTime.inOrder();

    private AdaptiveLimiter share(int max) {
        return new AdaptiveLimiter(max, time);
    }

    private static void finish(CallPermit permit, StatusCode code) {
        permit.outcome(code);
        permit.close();
    }

    private List<CompletableFuture<CallPermit>> ask(AdaptiveLimiter share, CallKind kind, int count) {
        List<CompletableFuture<CallPermit>> asked = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            asked.add(share.acquire(kind));
        }
        return asked;
    }

    private static long granted(List<CompletableFuture<CallPermit>> asked) {
        return asked.stream().filter(CompletableFuture::isDone).count();
    }

    @Test
    void hungPublishCallsLeavePermitsForOtherTypesOfCalls() {
        AdaptiveLimiter share = share(10);
        assertThat(granted(ask(share, CallKind.PUBLISH, 20))).isEqualTo(8);
        assertThat(granted(ask(share, CallKind.UNPUBLISH, 20))).isEqualTo(2);
        share = share(10);
        ask(share, CallKind.PUBLISH, 20);
        assertThat(granted(ask(share, CallKind.UNPUBLISH, 1))).isEqualTo(1);
        assertThat(granted(ask(share, CallKind.OTHER, 1))).isEqualTo(1);
        assertThat(share.inFlight()).isEqualTo(10);
    }

    @Test
    void differentTypesOfCallsTakeTurnsWhenLimitIsOne() {
        AdaptiveLimiter share = share(1);
        List<CallKind> order = new ArrayList<>();
        Deque<CallPermit> held = new ArrayDeque<>();
        for (int i = 0; i < 3; i++) {
            for (CallKind kind : CallKind.values()) {
                var unused = share.acquire(kind).thenAccept(permit -> {
                    order.add(kind);
                    held.add(permit);
                });
            }
        }
        while (!held.isEmpty()) {
            assertThat(held).hasSize(1);
            held.poll().close();
            time.run();
        }
        assertThat(order.subList(1, 7))
                .containsExactly(
                        CallKind.PUBLISH,
                        CallKind.UNPUBLISH,
                        CallKind.OTHER,
                        CallKind.PUBLISH,
                        CallKind.UNPUBLISH,
                        CallKind.OTHER);
        assertThat(order).hasSize(9);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void randomRunsKeepOrderAndLimitAndLeaveNoFreePermitUnused(long seed) {
        Random random = new Random(seed);
        int max = 1 + random.nextInt(12);
        AdaptiveLimiter share = share(max);
        Map<CallKind, List<Integer>> grantedOrder = new EnumMap<>(CallKind.class);
        List<CallPermit> held = new ArrayList<>();
        int asked = 0;
        for (int step = 0; step < 3_000; step++) {
            if (random.nextInt(5) < 2 || held.isEmpty()) {
                CallKind kind = KINDS.get(random.nextInt(KINDS.size()));
                int number = asked++;
                CompletableFuture<CallPermit> future = share.acquire(kind);
                if (random.nextInt(20) == 0 && !future.isDone()) {
                    future.cancel(false);
                } else {
                    var unused = future.thenAccept(permit -> {
                        grantedOrder
                                .computeIfAbsent(kind, key -> new ArrayList<>())
                                .add(number);
                        held.add(permit);
                    });
                }
            } else {
                StatusCode code = CODES.get(random.nextInt(CODES.size()));
                finish(held.remove(random.nextInt(held.size())), code);
            }
            time.run();
            assertThat(share.limit()).as("seed %s", seed).isBetween(1, max);
            assertThat(held).as("seed %s", seed).hasSizeLessThanOrEqualTo(max).hasSize(share.inFlight());
            assertThat(share.waiting() == 0 || !held.isEmpty())
                    .as("seed %s", seed)
                    .isTrue();
        }
        while (!held.isEmpty()) {
            finish(held.remove(0), StatusCode.OK);
            time.run();
        }
        assertThat(share.waiting()).as("seed %s", seed).isZero();
        grantedOrder
                .values()
                .forEach(order -> assertThat(order).as("seed %s", seed).isSorted());
    }

    @Test
    void limitIsHalvedOncePerRoundOfOverloadFailuresAndRestoredBySuccesses() {
        AdaptiveLimiter share = share(10);
        List<CompletableFuture<CallPermit>> round = ask(share, CallKind.OTHER, 8);
        round.forEach(permit -> finish(permit.join(), StatusCode.RESOURCE_EXHAUSTED));
        assertThat(share.limit())
                .as("failures of one round halve the limit once")
                .isEqualTo(5);
        finish(share.acquire(CallKind.OTHER).join(), StatusCode.UNAVAILABLE);
        assertThat(share.limit()).isEqualTo(2);
        finish(share.acquire(CallKind.OTHER).join(), StatusCode.UNAVAILABLE);
        finish(share.acquire(CallKind.OTHER).join(), StatusCode.UNAVAILABLE);
        assertThat(share.limit()).as("the limit stays at least 1").isEqualTo(1);
        int calls = 0;
        while (share.limit() < 10) {
            finish(share.acquire(CallKind.OTHER).join(), StatusCode.OK);
            calls++;
        }
        assertThat(calls).as("the limit grows by about one per round of calls").isBetween(40, 80);
        finish(share.acquire(CallKind.OTHER).join(), StatusCode.OK);
        assertThat(share.limit()).isEqualTo(10);
    }

    @Test
    void failuresOtherThanOverloadDoNotChangeLimit() {
        AdaptiveLimiter share = share(10);
        for (StatusCode code : List.of(StatusCode.NOT_FOUND, StatusCode.DEADLINE_EXCEEDED, StatusCode.UNKNOWN)) {
            finish(share.acquire(CallKind.OTHER).join(), code);
        }
        assertThat(share.limit()).isEqualTo(10);
    }

    @Test
    void closingPermitTwiceFreesOnlyOnePermit() {
        AdaptiveLimiter share = share(1);
        CallPermit permit = share.acquire(CallKind.OTHER).join();
        CompletableFuture<CallPermit> second = share.acquire(CallKind.OTHER);
        permit.close();
        permit.close();
        time.run();
        assertThat(second).isDone();
        assertThat(share.inFlight()).isEqualTo(1);
    }

    @Test
    void cancelledWaiterIsRemovedFromQueue() {
        AdaptiveLimiter share = share(1);
        CallPermit permit = share.acquire(CallKind.PUBLISH).join();
        CompletableFuture<CallPermit> leaver = share.acquire(CallKind.PUBLISH);
        CompletableFuture<CallPermit> next = share.acquire(CallKind.PUBLISH);
        leaver.cancel(false);
        assertThat(share.waiting()).isEqualTo(1);
        permit.close();
        time.run();
        assertThat(next).isDone();
        // One that leaves after its place was given away, and before it was handed over.
        CompletableFuture<CallPermit> late = share.acquire(CallKind.PUBLISH);
        next.join().close();
        late.cancel(false);
        time.run();
        assertThat(share.inFlight()).isZero();
    }

    @Test
    void hundredThousandWaitingCallsNeedNoThreadsAndAllGetPermits() {
        AdaptiveLimiter share = share(1_000);
        int threads = Thread.activeCount();
        List<CallPermit> held = new ArrayList<>();
        int[] turns = {0};
        Runtime runtime = Runtime.getRuntime();
        System.gc();
        long before = runtime.totalMemory() - runtime.freeMemory();
        for (int i = 0; i < 100_000; i++) {
            var unused = share.acquire(CallKind.UNPUBLISH).thenAccept(permit -> {
                turns[0]++;
                held.add(permit);
            });
        }
        System.gc();
        long perWaiter = (runtime.totalMemory() - runtime.freeMemory() - before) / 100_000;
        assertThat(share.inFlight()).isEqualTo(998);
        assertThat(perWaiter).as("bytes per waiting call").isLessThan(1_000);
        int rounds = 0;
        while (!held.isEmpty()) {
            List<CallPermit> round = List.copyOf(held);
            held.clear();
            round.forEach(permit -> finish(permit, StatusCode.OK));
            time.run();
            rounds++;
        }
        assertThat(turns[0]).isEqualTo(100_000);
        assertThat(rounds).as("number of rounds, ideally 100").isLessThanOrEqualTo(102);
        assertThat(Thread.activeCount()).isEqualTo(threads);
    }
}
