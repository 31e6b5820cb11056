package io.csi4j.replication.ratis;

import static io.csi4j.agent.Conditions.await;
import static io.csi4j.replication.ratis.TestCluster.has;
import static io.csi4j.replication.ratis.TestCluster.newPeer;
import static io.csi4j.replication.ratis.TestCluster.node;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.command.Outcome;
import io.csi4j.core.id.AllocationId;
import io.csi4j.replication.ratis.kill.Linearizability;
import io.csi4j.replication.ratis.kill.Operation;
import io.csi4j.replication.ratis.kill.Operation.Kind;
import io.csi4j.replication.ratis.kill.VolumeCommands;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Proxies between the peers cut one direction between two peers alone. Meanwhile callers take and release volumes, and their
 * results are checked for linearizability.
 */
@Timeout(120)
final class OneSidedPartitionTest {
    private static final int PEERS = 3;
    private static final int CALLERS = 3;
    private static final int VOLUMES = 12;
    private static final int ROUNDS = Integer.getInteger("csi4j.partition.rounds", 1);
    private static final long SEED = Long.getLong("csi4j.seed", 1);

    @TempDir
    Path root;

    private final List<Proxy> proxies = new ArrayList<>();
    /** Whether what one peer sends does not reach another one. */
    private final AtomicReferenceArray<Boolean> blocked = new AtomicReferenceArray<>(PEERS * PEERS);

    private volatile int cutOff = -1;
    private final List<RatisCommandLog> logs = new ArrayList<>();
    private final ActingTimes actingTimes = new ActingTimes();
    private final Map<String, List<Operation>> histories = new ConcurrentHashMap<>();
    private final AtomicInteger results = new AtomicInteger();
    private final AtomicBoolean ended = new AtomicBoolean();
    private final List<Thread> callers = new ArrayList<>();

    @BeforeEach
    void startPeers() throws IOException {
        System.out.println("one-sided partitions: seed " + SEED);
        RatisLogOptions options = RatisLogOptions.builder()
                .electionTimeout(Duration.ofMillis(600))
                .submitTimeout(Duration.ofSeconds(1))
                .build();
        List<Peer> real = new ArrayList<>();
        List<Peer> known = new ArrayList<>();
        for (int peer = 0; peer < PEERS; peer++) {
            real.add(newPeer("peer-" + peer));
            proxies.add(new Proxy(real.get(peer).port()));
            known.add(
                    new Peer(real.get(peer).id(), "127.0.0.1", proxies.get(peer).port()));
        }
        for (int peer = 0; peer < PEERS; peer++) {
            RatisCommandLog log = RatisCommandLog.builder(root.resolve("peer-" + peer))
                    .options(options)
                    .state(TestCluster.READABLE)
                    .listen("127.0.0.1", real.get(peer).port())
                    .peer(known.get(peer))
                    .everyLocalUserIsTrusted()
                    .newCluster(known)
                    .start();
            logs.add(log);
            log.onLeadership(actingTimes.listener());
        }
        assertThat(logs.get(leader())
                        .submit(VolumeCommands.cluster(VOLUMES))
                        .join()
                        .accepted())
                .isTrue();
        SplittableRandom random = new SplittableRandom(SEED);
        for (int caller = 0; caller < CALLERS; caller++) {
            callers.add(caller(caller, random.split()));
        }
    }

    @AfterEach
    void stopPeers() throws IOException {
        ended.set(true);
        heal();
        logs.parallelStream().forEach(RatisCommandLog::close);
        for (Proxy proxy : proxies) {
            proxy.close();
        }
    }

    /** Blocks what one peer sends to another: its requests, and its answers. */
    private void block(int from, int to) {
        blocked.set(from * PEERS + to, true);
        apply();
    }

    private void heal() {
        cutOff = -1;
        for (int pair = 0; pair < PEERS * PEERS; pair++) {
            blocked.set(pair, false);
        }
        apply();
    }

    private boolean blocked(int from, int to) {
        return Boolean.TRUE.equals(blocked.get(from * PEERS + to));
    }

    private void apply() {
        for (int peer = 0; peer < PEERS; peer++) {
            int self = peer;
            proxies.get(self).cut((origin, toPeer) -> waits(self, origin, toPeer));
        }
    }

    private boolean waits(int self, int origin, boolean toPeer) {
        if (origin >= 0 && origin != self) {
            return toPeer ? blocked(origin, self) : blocked(self, origin);
        }
        // Commands of any peer wait if no peer reaches this one, or is reached.
        return IntStream.range(0, PEERS)
                .filter(other -> other != self)
                .allMatch(other -> toPeer ? blocked(other, self) : blocked(self, other));
    }

    private int leader() {
        await("a leader", () -> logs.stream().anyMatch(log -> log.status().leading()));
        for (int peer = 0; peer < PEERS; peer++) {
            if (logs.get(peer).status().leading()) {
                return peer;
            }
        }
        return leader();
    }

    private Thread caller(int number, SplittableRandom random) {
        Thread thread = new Thread(
                () -> {
                    for (int i = 0; !ended.get(); i++) {
                        String volume = "v" + random.nextInt(VOLUMES);
                        String allocation = "a-" + number + "-" + i;
                        operation(Kind.TAKE, volume, allocation, random);
                        operation(Kind.READ, volume, "", random);
                        operation(Kind.RELEASE, volume, allocation, random);
                    }
                },
                "caller-" + number);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /** Seldom chooses the peer whose messages are cut, because each operation there lasts until its timeout. */
    private int peer(SplittableRandom random) {
        int peer = random.nextInt(PEERS);
        return peer == cutOff && random.nextInt(8) > 0 ? (peer + 1) % PEERS : peer;
    }

    private void operation(Kind kind, String volume, String allocation, SplittableRandom random) {
        RatisCommandLog log = logs.get(peer(random));
        var key = VolumeCommands.volume(volume);
        long begun = System.nanoTime();
        Optional<String> result;
        try {
            CompletableFuture<String> answer = switch (kind) {
                case TAKE ->
                    log.submit(VolumeCommands.take(key, AllocationId.of(allocation)))
                            .thenApply(OneSidedPartitionTest::text);
                case RELEASE ->
                    log.submit(VolumeCommands.release(key, AllocationId.of(allocation)))
                            .thenApply(OneSidedPartitionTest::text);
                case READ -> log.readLinearizable().thenApply(state -> VolumeCommands.holder(state, key));
            };
            result = Optional.of(answer.join());
            results.incrementAndGet();
        } catch (CompletionException unanswered) {
            result = Optional.empty();
        }
        if (result.isPresent() || kind != Kind.READ) {
            histories
                    .computeIfAbsent(volume, unused -> new CopyOnWriteArrayList<>())
                    .add(new Operation(
                            kind, allocation, begun, result.isPresent() ? System.nanoTime() : Long.MAX_VALUE, result));
        }
    }

    private static String text(Outcome outcome) {
        return outcome.accepted() ? Operation.OK : Operation.REJECTED;
    }

    private void awaitResults(int more) {
        int atLeast = results.get() + more;
        await("results of " + more + " operations", () -> results.get() >= atLeast);
    }

    /** Ends the callers, and checks everything that is true of each run. */
    private void assertHealed() throws InterruptedException {
        heal();
        awaitResults(50);
        ended.set(true);
        for (Thread caller : callers) {
            caller.join(20_000);
            assertThat(caller.isAlive()).as("no caller hangs").isFalse();
        }
        logs.get(leader()).submit(node("last")).join();
        await("all peers have the last command", () -> logs.stream().allMatch(log -> has(log, "last")));
        assertThat(logs).allMatch(log -> log.failure().isEmpty());
        actingTimes.assertOneAfterTheOther();
        histories.forEach((volume, history) ->
                assertThat(Linearizability.problem(history)).as(volume).isEmpty());
    }

    @Test
    void leaderThatSendsAndHearsNothingStopsActingBeforeNextOneStarts() throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            awaitResults(30);
            int deaf = leader();
            cutOff = deaf;
            for (int other = 0; other < PEERS; other++) {
                if (other != deaf) {
                    block(other, deaf);
                }
            }
            await("the deaf leader stops", () -> !logs.get(deaf).status().leading());
            await("another peer leads", () -> leader() != deaf);
            awaitResults(20);
            heal();
        }
        assertHealed();
        assertThat(actingTimes.count()).isGreaterThan(ROUNDS);
    }

    @Test
    void leaderThatHearsAndSendsNothingStopsActingBeforeNextOneStarts() throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            awaitResults(30);
            int mute = leader();
            cutOff = mute;
            for (int other = 0; other < PEERS; other++) {
                if (other != mute) {
                    block(mute, other);
                }
            }
            await("the mute leader stops", () -> !logs.get(mute).status().leading());
            await("another peer leads", () -> leader() != mute);
            awaitResults(20);
            heal();
        }
        assertHealed();
        assertThat(actingTimes.count()).isGreaterThan(ROUNDS);
    }

    @Test
    void followerWithOneDirectionCutDoesNotStopCommands() throws Exception {
        for (int round = 0; round < 2 * ROUNDS; round++) {
            awaitResults(10);
            int leader = leader();
            int follower = (leader + 1) % PEERS;
            cutOff = follower;
            boolean hears = round % 2 == 0;
            block(hears ? follower : leader, hears ? leader : follower);
            awaitResults(20);
            String name = "round-" + round;
            await("a command is answered", () -> answered(logs.get(leader()), name));
            heal();
            await("the follower catches up", () -> has(logs.get(follower), name));
        }
        assertHealed();
    }

    private static boolean answered(RatisCommandLog log, String name) {
        return log.submit(node(name))
                .handle((outcome, failure) -> failure == null)
                .join();
    }
}
