package io.csi4j.examples.scheduler;

import static io.csi4j.examples.scheduler.AdminRequests.text;

import com.google.gson.JsonObject;
import io.csi4j.core.spi.LogStatus;
import io.csi4j.replication.ratis.Peer;
import io.csi4j.replication.ratis.PeerId;
import io.csi4j.replication.ratis.RatisCommandLog;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** The requests of operators about the servers and their log. */
final class PeerRequests {
    private static final long PEER_SECONDS = 120;

    private final RatisCommandLog log;
    private final Path dataDirectory;

    PeerRequests(RatisCommandLog log, Path dataDirectory) {
        this.log = log;
        this.dataDirectory = dataDirectory;
    }

    private record StatusRow(
            String leader,
            long term,
            long lastIndex,
            long committedIndex,
            long appliedIndex,
            long snapshotIndex,
            List<PeerRow> peers) {}

    private record PeerRow(String peer, String address, boolean leads) {}

    private record BackupRow(String server, long snapshotIndex, String copy, String whileStopped) {}

    Object answer(String op, JsonObject request) {
        switch (op) {
            case "server status" -> {
                return status();
            }
            case "server add" -> finish(log.addPeer(peer(request)));
            case "server replace" -> finish(log.replacePeer(PeerId.of(text(request, "old")), peer(request)));
            case "server remove" -> finish(log.removePeer(PeerId.of(text(request, "peer"))));
            case "server backup" -> {
                return backup();
            }
            default -> throw new IllegalArgumentException("there is no request '" + op + "'");
        }
        return status();
    }

    private static <T> T finish(CompletableFuture<T> operation) {
        return operation.orTimeout(PEER_SECONDS, TimeUnit.SECONDS).join();
    }

    private static Peer peer(JsonObject request) {
        String address = text(request, "address");
        int colon = address.lastIndexOf(':');
        if (colon < 0 || !address.substring(colon + 1).matches("\\d{1,5}")) {
            throw new IllegalArgumentException("the address '" + address + "' is not HOST:PORT");
        }
        return Peer.of(
                text(request, "peer"), address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
    }

    private StatusRow status() {
        LogStatus status = log.status();
        String leader = status.leader().orElse("");
        return new StatusRow(
                leader,
                status.term(),
                status.lastIndex(),
                status.committedIndex(),
                status.appliedIndex(),
                status.snapshotIndex(),
                log.peers().stream()
                        .map(peer -> new PeerRow(
                                peer.id().value(),
                                peer.address(),
                                peer.id().value().equals(leader)))
                        .toList());
    }

    private BackupRow backup() {
        long index = finish(log.takeSnapshot());
        return new BackupRow(
                log.status().self(),
                index,
                dataDirectory.resolve("log") + " and " + dataDirectory.resolve("secrets.key"),
                "stop this server, copy, start it again; with several servers, stop a follower instead");
    }
}
