package io.csi4j.examples.scheduler;

import static io.csi4j.examples.scheduler.AdminRequests.text;

import com.google.gson.JsonObject;
import io.csi4j.replication.ratis.Peer;
import io.csi4j.replication.ratis.PeerId;
import io.csi4j.replication.ratis.RatisCommandLog;
import io.csi4j.server.CsiServer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** The requests of operators about the servers. */
final class PeerRequests {
    private static final long PEER_SECONDS = 120;

    private final CsiServer server;
    private final ClusterLayout layout;
    private final Supplier<String> meters;

    /** @param meters the meters of this server as text */
    PeerRequests(CsiServer server, ClusterLayout layout, Supplier<String> meters) {
        this.server = server;
        this.layout = layout;
        this.meters = meters;
    }

    record PeerRow(String peer, String address, boolean leads) {}

    List<PeerRow> answer(String op, JsonObject request) {
        switch (op) {
            case "server peers" -> {
                return list();
            }
            case "server add" -> finish(peers().addPeer(peer(request)));
            case "server replace" -> finish(peers().replacePeer(PeerId.of(text(request, "old")), peer(request)));
            case "server remove" -> finish(peers().removePeer(PeerId.of(text(request, "peer"))));
            default -> throw new IllegalArgumentException("there is no request '" + op + "'");
        }
        return list();
    }

    /** Returns the lines of the meters of this server that contain a text. */
    List<String> meters(JsonObject request) {
        String text = text(request, "text");
        return meters.get().lines().filter(line -> line.contains(text)).toList();
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

    private List<PeerRow> list() {
        String leader = server.log().status().leader().orElse("");
        return peers().peers().stream()
                .map(peer -> new PeerRow(
                        peer.id().value(), peer.address(), peer.id().value().equals(leader)))
                .toList();
    }
}
