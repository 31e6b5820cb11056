package io.csi4j.replication.ratis.internal.lead;

import static io.csi4j.replication.ratis.internal.lead.FakeAppender.reply;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.agent.LogCapture;
import java.time.Clock;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto.AppendResult;
import org.apache.ratis.protocol.RaftPeerId;
import org.junit.jupiter.api.Test;

class PeerContactsTest {
    private static final String LOST = "Peer b has not answered the leader for 10 seconds or longer";

    private final AtomicLong now = new AtomicLong(1);
    private final LeaderLease lease = new LeaderLease(Duration.ofSeconds(1), now::get);
    private final FakeAppender b = new FakeAppender("b");
    private final Set<RaftPeerId> members = new HashSet<>(Set.of(RaftPeerId.valueOf("a"), RaftPeerId.valueOf("b")));
    private final PeerContacts contacts = new PeerContacts(lease, () -> members, Runnable::run, Clock.systemUTC());

    private List<String> linesAfter(Duration passed) {
        try (LogCapture log = LogCapture.of(PeerContacts.class)) {
            now.addAndGet(passed.toNanos());
            contacts.check();
            return log.lines();
        }
    }

    private void lose() {
        lease.add(new FakeLeaderState(), b);
        assertThat(linesAfter(PeerContacts.LOST.minusNanos(1))).isEmpty();
        assertThat(linesAfter(Duration.ofNanos(1))).singleElement().asString().startsWith("WARNING " + LOST);
    }

    @Test
    void silentPeerIsLoggedOnce() {
        lose();
        assertThat(linesAfter(Duration.ofSeconds(1))).isEmpty();
    }

    @Test
    void peerThatAnswersAgainIsLogged() {
        lose();
        lease.renew();
        lease.answered(b, reply(b.nextCall, AppendResult.SUCCESS));
        assertThat(linesAfter(Duration.ZERO)).containsExactly("INFO Peer b answers the leader again");
        assertThat(linesAfter(PeerContacts.LOST)).hasSize(1);
    }

    @Test
    void removedPeerIsNeitherLostNorBack() {
        lose();
        members.remove(RaftPeerId.valueOf("b"));
        assertThat(linesAfter(PeerContacts.LOST)).isEmpty();
    }
}
