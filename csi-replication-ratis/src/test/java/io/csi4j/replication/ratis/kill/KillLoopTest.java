package io.csi4j.replication.ratis.kill;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.replication.ratis.kill.Operation.Kind;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Five peers in processes of their own, of which two at a time are killed with SIGKILL under load. The results of all operations are checked
 * for linearizability, so nothing that was answered is lost and no volume has two holders. Takes about 20 seconds: each
 * round waits for an election. More rounds: {@code -Dcsi4j.kill.rounds=100}; three peers, of which one at a time is
 * killed: {@code -Dcsi4j.kill.peers=3}.
 */
class KillLoopTest {
    private static final int PEERS = Integer.getInteger("csi4j.kill.peers", 5);
    /** As many peers as a majority does without. */
    private static final int KILLED = (PEERS - 1) / 2;

    private static final int CALLERS = 4;
    private static final int VOLUMES = 25;
    private static final int ROUNDS = Integer.getInteger("csi4j.kill.rounds", 4);
    private static final long SEED = Long.getLong("csi4j.seed", 1);
    private static final long LIMIT_SECONDS = 60;

    @TempDir
    Path directory;

    private final List<Integer> ports = new ArrayList<>();
    private final AtomicReferenceArray<PeerProcess> peers = new AtomicReferenceArray<>(PEERS);
    private final Map<String, List<Operation>> histories = new ConcurrentHashMap<>();
    private final AtomicInteger results = new AtomicInteger();
    private final AtomicInteger lost = new AtomicInteger();
    private final AtomicBoolean ended = new AtomicBoolean();
    private final List<String> stopped = new CopyOnWriteArrayList<>();
    private int leadersKilled;

    @Test
    @Timeout(value = 30, unit = TimeUnit.MINUTES)
    void resultsStayLinearizableWhilePeersAreKilled() throws Exception {
        System.out.println("kill loop: seed " + SEED + ", " + ROUNDS + " rounds");
        SplittableRandom random = new SplittableRandom(SEED);
        choosePorts();
        for (int peer = 0; peer < PEERS; peer++) {
            start(peer);
        }
        try {
            prepare();
            List<Thread> callers = new ArrayList<>();
            for (int caller = 0; caller < CALLERS; caller++) {
                callers.add(caller(caller, random.split()));
            }
            for (int round = 0; round < ROUNDS; round++) {
                killSome(random);
            }
            ended.set(true);
            for (Thread caller : callers) {
                caller.join(TimeUnit.SECONDS.toMillis(LIMIT_SECONDS));
                assertThat(caller.isAlive()).as("no caller hangs").isFalse();
            }
            assertThat(stopped).as("no peer stopped by itself").isEmpty();
            assertPeersAgree();
        } finally {
            for (int peer = 0; peer < PEERS; peer++) {
                peers.get(peer).kill();
            }
        }
        histories.forEach((volume, history) ->
                assertThat(Linearizability.problem(history)).as(volume).isEmpty());
        System.out.println("kill loop: " + ROUNDS * KILLED + " kills, " + leadersKilled + " of leaders; " + results
                + " operations with a result, " + lost + " without");
        assertThat(results.get()).isGreaterThan(20 * ROUNDS);
    }

    private void choosePorts() throws IOException {
        List<ServerSocket> open = new ArrayList<>();
        for (int peer = 0; peer < PEERS; peer++) {
            ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
            open.add(socket);
            ports.add(socket.getLocalPort());
        }
        for (ServerSocket socket : open) {
            socket.close();
        }
    }

    private void start(int peer) throws IOException {
        PeerProcess process = PeerProcess.start(peer, directory.resolve("peer-" + peer), ports);
        var unused = process.stopped().thenAccept(stopped::add);
        peers.set(peer, process);
    }

    private String ask(int peer, String request) {
        return peers.get(peer)
                .ask(request)
                .completeOnTimeout(PeerProgram.FAILED, LIMIT_SECONDS, TimeUnit.SECONDS)
                .join();
    }

    private void prepare() {
        String result = PeerProgram.FAILED;
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
        while (!result.equals(Operation.OK) && System.nanoTime() < end) {
            result = ask(0, "prepare " + VOLUMES);
        }
        assertThat(result).isEqualTo(Operation.OK);
    }

    /**
     * Kills random peers after the load has gone on for a while, more often with the leader among them, and starts them
     * again.
     */
    private void killSome(SplittableRandom random) throws IOException {
        int atLeast = results.get() + 30;
        waitFor(() -> "results after a kill", () -> results.get() >= atLeast);
        int peer = random.nextInt(PEERS);
        if (random.nextInt(3) > 0) {
            for (int other = 0; other < PEERS; other++) {
                if (ask(other, "leads").equals("true")) {
                    peer = other;
                    leadersKilled++;
                    break;
                }
            }
        }
        for (int i = 0; i < KILLED; i++) {
            peers.get((peer + i) % PEERS).kill();
        }
        if (random.nextBoolean()) {
            int without = results.get() + 20;
            waitFor(() -> "results of the other peers", () -> results.get() >= without);
        }
        for (int i = 0; i < KILLED; i++) {
            start((peer + i) % PEERS);
        }
    }

    private void waitFor(Supplier<String> what, BooleanSupplier condition) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime())
                    .as(() -> "no " + what.get() + "; stopped: " + stopped)
                    .isLessThan(end);
            LockSupport.parkNanos(1_000_000);
        }
    }

    private Thread caller(int number, SplittableRandom random) {
        Thread thread = new Thread(
                () -> {
                    for (int i = 0; !ended.get(); i++) {
                        String volume = "v" + random.nextInt(VOLUMES);
                        String allocation = "a-" + number + "-" + i;
                        String taken = operation(Kind.TAKE, volume, allocation, random);
                        operation(Kind.READ, volume, "", random);
                        // After a lost result too: the volume would stay taken.
                        for (int tries = 0;
                                tries < 20
                                        && !taken.equals(Operation.REJECTED)
                                        && operation(Kind.RELEASE, volume, allocation, random)
                                                .equals(PeerProgram.FAILED);
                                tries++) {
                            LockSupport.parkNanos(50_000_000);
                        }
                    }
                },
                "caller-" + number);
        thread.start();
        return thread;
    }

    private String operation(Kind kind, String volume, String allocation, SplittableRandom random) {
        String request = kind.name().toLowerCase(java.util.Locale.ROOT) + " " + volume + " " + allocation;
        int peer = random.nextInt(PEERS);
        long begun = System.nanoTime();
        String result = ask(peer, request.strip());
        boolean known = !result.equals(PeerProgram.FAILED);
        if (known || kind != Kind.READ) {
            histories
                    .computeIfAbsent(volume, key -> new CopyOnWriteArrayList<>())
                    .add(new Operation(
                            kind,
                            allocation,
                            begun,
                            known ? System.nanoTime() : Long.MAX_VALUE,
                            known ? Optional.of(result) : Optional.empty()));
        }
        (known ? results : lost).incrementAndGet();
        return result;
    }

    /** All peers apply the same commands, so at the same index their states have the same bytes. */
    private void assertPeersAgree() {
        AtomicReference<List<String>> digests = new AtomicReference<>(List.of());
        waitFor(() -> "agreement of the peers: " + digests.get(), () -> {
            List<CompletableFuture<String>> asked = new ArrayList<>();
            for (int peer = 0; peer < PEERS; peer++) {
                asked.add(peers.get(peer).ask("digest"));
            }
            digests.set(asked.stream()
                    .map(answer -> answer.completeOnTimeout(PeerProgram.FAILED, 10, TimeUnit.SECONDS)
                            .join())
                    .toList());
            return Set.copyOf(digests.get()).size() == 1 && !digests.get().contains(PeerProgram.FAILED);
        });
    }
}
