package io.csi4j.replication.ratis.internal;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.replication.ratis.Peer;
import io.csi4j.replication.ratis.PeerId;
import io.csi4j.replication.ratis.internal.peer.Addresses;
import io.csi4j.replication.ratis.internal.peer.PeerServer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.jspecify.annotations.Nullable;

/** Changes the peers of a cluster. To repeat a change is safe: a change that was already made has no further effect. */
final class Membership {
    private final CompletableFuture<PeerServer> server;
    private final LogSettings settings;

    Membership(CompletableFuture<PeerServer> server, LogSettings settings) {
        this.server = server;
        this.settings = settings;
    }

    CompletableFuture<Void> add(Peer peer) {
        return change("add " + peer.id(), peers -> {
            if (peers.stream().noneMatch(is(peer.id()))) {
                peers.add(Addresses.toRaft(peer));
            }
            return peers;
        });
    }

    CompletableFuture<Void> remove(PeerId id) {
        return change("remove " + id, peers -> {
            peers.removeIf(is(id));
            return peers;
        });
    }

    CompletableFuture<Void> replace(PeerId old, Peer replacement) {
        return change("replace " + old + " by " + replacement.id(), peers -> {
            peers.removeIf(is(old));
            if (peers.stream().noneMatch(is(replacement.id()))) {
                peers.add(Addresses.toRaft(replacement));
            }
            return peers;
        });
    }

    private static Predicate<RaftPeer> is(PeerId id) {
        RaftPeerId raft = RaftPeerId.valueOf(id.value());
        return peer -> peer.getId().equals(raft);
    }

    private CompletableFuture<Void> change(String what, UnaryOperator<List<RaftPeer>> edit) {
        return Futures.start(() -> changeNow(what, edit));
    }

    private CompletableFuture<Void> changeNow(String what, UnaryOperator<List<RaftPeer>> edit) {
        PeerServer running = server.join();
        List<RaftPeer> present = List.copyOf(running.configuration().getCurrentPeers());
        List<RaftPeer> wanted = edit.apply(new ArrayList<>(present));
        wanted.replaceAll(this::withAddress);
        if (wanted.isEmpty()) {
            return CompletableFuture.failedFuture(new CsiException(
                    "RatisCommandLog: cannot " + what + ", because no peer would be left; close the log instead"));
        }
        return Futures.compose(
                running.setPeers(present, wanted),
                reply -> ended(what, reply),
                failure -> CompletableFuture.failedFuture(failed(what, failure)));
    }

    /**
     * Returns this peer with its address, because a peer that ran alone has no address in the log yet. Returns any
     * other peer unchanged.
     */
    private RaftPeer withAddress(RaftPeer peer) {
        Peer self = settings.address;
        return self != null && is(self.id()).test(peer) ? Addresses.toRaft(self) : peer;
    }

    private static CompletableFuture<Void> ended(String what, RaftClientReply reply) {
        return reply.isSuccess()
                ? CompletableFuture.completedFuture(null)
                : CompletableFuture.failedFuture(failed(what, reply.getException()));
    }

    private static CsiException failed(String what, @Nullable Throwable reason) {
        return new CsiException(
                "RatisCommandLog: the attempt to " + what + " did not succeed: "
                        + (reason == null ? "no reason was given" : reason.getMessage())
                        + ". Check that the new peer runs with an empty directory and reaches the others, that a"
                        + " majority of the peers runs, and that no other change is in progress; then repeat it",
                reason);
    }
}
