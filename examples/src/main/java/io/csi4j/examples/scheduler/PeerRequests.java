package io.csi4j.examples.scheduler;

import static io.csi4j.examples.scheduler.AdminRequests.text;

import com.google.gson.JsonObject;
import io.csi4j.core.spi.LogStatus;
import io.csi4j.replication.ratis.Peer;
import io.csi4j.replication.ratis.PeerId;
import io.csi4j.replication.ratis.RatisCommandLog;
import io.csi4j.server.CsiServer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** The requests of operators about the servers and their log. */
final class PeerRequests {
    private static final long PEER_SECONDS = 120;

    private final CsiServer server;
    private final ClusterLayout layout;
    private final int number;

    PeerRequests(CsiServer server, ClusterLayout layout, int number) {
        this.server = server;
        this.layout = layout;
        this.number = number;
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
            case "server add" -> finish(peers().addPeer(peer(request)));
            case "server replace" -> finish(peers().replacePeer(PeerId.of(text(request, "old")), peer(request)));
            case "server remove" -> finish(peers().removePeer(PeerId.of(text(request, "peer"))));
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

    private RatisCommandLog peers() {
        if (layout.log() != LogPlace.FILES) {
            throw new IllegalArgumentException(
                    "the servers share a database; start another one with the same database, or stop one");
        }
        return server.log(RatisCommandLog.class);
    }

    private StatusRow status() {
        LogStatus status = server.log().status();
        String leader = status.leader().orElse("");
        Map<String, String> addresses = layout.log() == LogPlace.FILES
                ? peers().peers().stream()
                        .collect(Collectors.toMap(peer -> peer.id().value(), Peer::address))
                : Map.of();
        return new StatusRow(
                leader,
                status.term(),
                status.lastIndex(),
                status.committedIndex(),
                status.appliedIndex(),
                status.snapshotIndex(),
                status.servers().stream()
                        .map(name -> new PeerRow(name, addresses.getOrDefault(name, ""), name.equals(leader)))
                        .toList());
    }

    private BackupRow backup() {
        long index = finish(server.log().takeSnapshot());
        if (layout.log() == LogPlace.POSTGRES) {
            return new BackupRow(
                    server.log().status().self(), index, "the database", "it runs; use its own tools for backups");
        }
        Path data = layout.serverData(number);
        return new BackupRow(
                server.log().status().self(),
                index,
                data.resolve("log") + " and " + data.resolve("secrets.key"),
                "stop this server, copy, start it again; with several servers, stop a follower instead");
    }
}
