package io.csi4j.replication.ratis.internal.lead;

import io.csi4j.core.internal.log.CauseLog;
import java.lang.System.Logger.Level;
import java.time.Clock;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.apache.ratis.protocol.RaftPeerId;

/** Writes to the log which peers the leader has lost, and which answer again. Used by one thread at a time. */
public final class PeerContacts {
    /** The silence after which a peer counts as lost; several times the longest pause of a healthy peer. */
    static final Duration LOST = Duration.ofSeconds(10);

    private static final System.Logger LOG = System.getLogger(PeerContacts.class.getName());

    private final LeaderLease lease;
    private final Supplier<Set<RaftPeerId>> members;
    private final Executor lines;
    private final CauseLog causes;
    private Set<RaftPeerId> lost = Set.of();

    /**
     * Creates an object that has lost no peer.
     *
     * @param lease knows which followers answer
     * @param members the present peers; a peer that was removed cannot be lost
     * @param lines writes the lines, because a log that blocks must not delay the lease
     * @param clock decides when a line is repeated
     */
    public PeerContacts(LeaderLease lease, Supplier<Set<RaftPeerId>> members, Executor lines, Clock clock) {
        this.lease = lease;
        this.lines = lines;
        this.members = members;
        this.causes = new CauseLog(LOG, clock);
    }

    /** Compares the silent peers with those of the last check. */
    void check() {
        Set<RaftPeerId> now = lease.silent(LOST);
        Set<RaftPeerId> present = members.get();
        now.retainAll(present);
        for (RaftPeerId peer : now) {
            lines.execute(() -> causes.warn(
                    peer.toString(),
                    "Peer " + peer + " has not answered the leader for " + LOST.toSeconds()
                            + " seconds or longer; without a majority of the peers no command succeeds. Look whether its"
                            + " process runs and whether this machine reaches its address"));
        }
        Set<RaftPeerId> back = new HashSet<>(lost);
        back.removeAll(now);
        for (RaftPeerId peer : back) {
            boolean member = present.contains(peer);
            lines.execute(() -> {
                causes.over(peer.toString());
                if (member) {
                    LOG.log(Level.INFO, () -> "Peer " + peer + " answers the leader again");
                }
            });
        }
        lost = now;
    }

    /** This peer does not lead any more, so it does not know what the others do. */
    void ended() {
        lost.forEach(peer -> causes.over(peer.toString()));
        lost = Set.of();
    }
}
