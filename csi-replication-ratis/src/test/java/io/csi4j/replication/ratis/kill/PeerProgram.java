package io.csi4j.replication.ratis.kill;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.id.AllocationId;
import io.csi4j.replication.ratis.Peer;
import io.csi4j.replication.ratis.RatisCommandLog;
import io.csi4j.replication.ratis.RatisLogOptions;
import io.csi4j.state.ClearTextSecretsCipher;
import io.csi4j.state.StateStoreOptions;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A peer in a process of its own. It reads one request a line (number, operation, volume, allocation) and answers each with one line (number,
 * result), in any order.
 */
public final class PeerProgram {
    static final String FAILED = "failed";

    private final RatisCommandLog log;

    private PeerProgram(RatisCommandLog log) {
        this.log = log;
    }

    /**
     * Serves until the end of the input.
     *
     * @param args the number of this peer, the directory, and the ports of all peers
     */
    public static void main(String[] args) throws IOException {
        List<Peer> peers = new ArrayList<>();
        for (String port : Arrays.asList(args).subList(2, args.length)) {
            peers.add(Peer.of("peer-" + peers.size(), "127.0.0.1", Integer.parseInt(port)));
        }
        Peer self = peers.get(Integer.parseInt(args[0]));
        RatisLogOptions options = RatisLogOptions.builder()
                .electionTimeout(Duration.ofMillis(500))
                .submitTimeout(Duration.ofSeconds(5))
                // Small, so that many kills meet a snapshot.
                .snapshotInterval(200)
                .checkInterval(50)
                .build();
        try (RatisCommandLog log = RatisCommandLog.builder(Path.of(args[1]))
                .options(options)
                .state(StateStoreOptions.builder()
                        .secretsCipher(ClearTextSecretsCipher.secretsStayReadable())
                        .build())
                .peer(self)
                .everyLocalUserIsTrusted()
                .newCluster(peers)
                .start()) {
            var unused = log.failed().thenAccept(failure -> System.out.println("0 stopped " + failure.getMessage()));
            System.out.println("0 started");
            new PeerProgram(log).serve();
        }
    }

    private void serve() throws IOException {
        var requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = requests.readLine(); line != null; line = requests.readLine()) {
            String[] request = line.split(" ");
            var unused = answer(request).handle((result, failure) -> {
                System.out.println(request[0] + " " + (failure == null ? result : FAILED));
                return null;
            });
        }
    }

    private CompletableFuture<String> answer(String[] request) {
        try {
            return switch (request[1]) {
                case "prepare" ->
                    log.submit(VolumeCommands.cluster(Integer.parseInt(request[2])))
                            .thenApply(PeerProgram::text);
                case "take" ->
                    log.submit(VolumeCommands.take(VolumeCommands.volume(request[2]), AllocationId.of(request[3])))
                            .thenApply(PeerProgram::text);
                case "release" ->
                    log.submit(VolumeCommands.release(VolumeCommands.volume(request[2]), AllocationId.of(request[3])))
                            .thenApply(PeerProgram::text);
                case "read" ->
                    log.readLinearizable()
                            .thenApply(state -> VolumeCommands.holder(state, VolumeCommands.volume(request[2])));
                case "leads" ->
                    CompletableFuture.completedFuture(
                            Boolean.toString(log.status().leading()));
                case "digest" -> log.readLinearizable().thenApply(state -> digest());
                default -> throw new IllegalArgumentException("unknown request " + request[1]);
            };
        } catch (CsiException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private static String text(Outcome outcome) {
        return outcome.accepted() ? Operation.OK : Operation.REJECTED;
    }

    /** Returns the index and the digest of this peer's state. */
    private String digest() {
        try {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            long index = log.state().encode(bytes);
            return index
                    + ":"
                    + HexFormat.of()
                            .formatHex(MessageDigest.getInstance("SHA-256").digest(bytes.toByteArray()));
        } catch (IOException | NoSuchAlgorithmException e) {
            throw new IllegalStateException("the state cannot be encoded", e);
        }
    }
}
