package io.csi4j.replication.ratis.internal.lead;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.LongSupplier;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto.AppendResult;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftConfiguration;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.leader.LogAppender;
import org.jspecify.annotations.Nullable;

/**
 * The time until which this leader may act: a fixed time after it sent a request that a majority of the peers has accepted.
 * The time counts from the sending, because a peer may vote for another leader as soon as it has answered. Thread-safe.
 */
public final class LeaderLease {
    private final long duration;
    private final LongSupplier clock;

    // The monitor of this object guards the fields below.
    private final Map<RaftPeerId, Follower> followers = new HashMap<>();
    private @Nullable LeaderState leadership;

    /** One follower, as this leader knows it in its current term. */
    private static final class Follower {
        final LogAppender appender;
        final Deque<Probe> sent = new ArrayDeque<>();
        boolean answered;
        /** The sending of the last request that was accepted; before the first, the beginning of the term. */
        long acceptedAt;

        Follower(LogAppender appender, long now) {
            this.appender = appender;
            this.acceptedAt = now;
        }
    }

    /** A time, and the number of the first request that was sent after it. */
    private record Probe(long time, long firstCall) {}

    /**
     * Creates a lease that is not held.
     *
     * @param duration the length of the lease, from the sending of a request that is accepted later
     * @param clock elapsed time in nanoseconds
     */
    public LeaderLease(Duration duration, LongSupplier clock) {
        this.duration = duration.toNanos();
        this.clock = clock;
    }

    /**
     * Begins to record which requests a follower accepts. When a new leadership begins, forgets all followers of the
     * former one.
     */
    public synchronized void add(LeaderState state, LogAppender appender) {
        if (!state.equals(leadership)) {
            leadership = state;
            followers.clear();
        }
        followers.put(appender.getFollowerId(), new Follower(appender, clock.getAsLong()));
    }

    /** Sends a heartbeat to each follower soon. */
    public synchronized void renew() {
        for (Follower follower : followers.values()) {
            // Reads the time before the next request's number, so that the request with this number is sent after this
            // time.
            long now = clock.getAsLong();
            follower.sent.addLast(new Probe(now, follower.appender.getCallId()));
            follower.appender.triggerHeartbeat();
            forgetOld(follower, now);
        }
    }

    private void forgetOld(Follower follower, long now) {
        while (now - follower.sent.getFirst().time() > duration) {
            follower.sent.removeFirst();
        }
    }

    /** Notes that a follower has answered. */
    public synchronized void answered(LogAppender appender, AppendEntriesReplyProto reply) {
        Follower follower = followers.get(appender.getFollowerId());
        if (follower == null || !follower.appender.equals(appender) || reply.getResult() != AppendResult.SUCCESS) {
            return;
        }
        long call = reply.getServerReply().getCallId();
        while (!follower.sent.isEmpty() && follower.sent.getFirst().firstCall() <= call) {
            follower.acceptedAt = follower.sent.removeFirst().time();
            follower.answered = true;
        }
    }

    /** Returns whether the lease is held now. */
    public synchronized boolean held(RaftConfiguration peers, RaftPeerId self) {
        long now = clock.getAsLong();
        Set<RaftPeerId> recent = new HashSet<>();
        recent.add(self);
        followers.forEach((id, follower) -> {
            if (follower.answered && now - follower.acceptedAt < duration) {
                recent.add(id);
            }
        });
        Collection<RaftPeer> previous = Objects.requireNonNullElse(peers.getPreviousPeers(), Set.of());
        return majority(peers.getCurrentPeers(), recent) && (previous.isEmpty() || majority(previous, recent));
    }

    /** Returns the followers that have accepted nothing for at least a time. */
    public synchronized Set<RaftPeerId> silent(Duration limit) {
        long now = clock.getAsLong();
        Set<RaftPeerId> silent = new HashSet<>();
        followers.forEach((id, follower) -> {
            if (now - follower.acceptedAt >= limit.toNanos()) {
                silent.add(id);
            }
        });
        return silent;
    }

    private static boolean majority(Collection<RaftPeer> peers, Set<RaftPeerId> recent) {
        long count =
                peers.stream().filter(peer -> recent.contains(peer.getId())).count();
        return 2 * count > peers.size();
    }
}
