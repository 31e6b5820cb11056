package io.csi4j.replication.ratis.internal.lead;

import static io.csi4j.replication.ratis.internal.lead.FakeAppender.reply;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto.AppendResult;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.leader.LeaderState;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class LeaderLeaseTest {
    private static final FakePeers THREE = FakePeers.of("a", "b", "c");
    private static final RaftPeerId SELF = RaftPeerId.valueOf("a");

    private final AtomicLong now = new AtomicLong(1);
    private final LeaderLease lease = new LeaderLease(Duration.ofNanos(100), now::get);
    private final FakeAppender b = new FakeAppender("b");
    private final FakeAppender c = new FakeAppender("c");
    private final LeaderState leadership = new FakeLeaderState();

    @BeforeEach
    void lead() {
        lease.add(leadership, b);
        lease.add(leadership, c);
    }

    private boolean held() {
        return lease.held(THREE, SELF);
    }

    @Test
    void leaseIsHeldOnceMajorityHasAcknowledgedLeader() {
        assertThat(held()).isFalse();
        lease.renew();
        assertThat(b.heartbeats).isEqualTo(1);
        assertThat(held()).isFalse();
        lease.answered(b, reply(0, AppendResult.SUCCESS));
        assertThat(held()).isTrue();
    }

    @Test
    void leaseStartsWhenRequestIsSentAndNotWhenAnswered() {
        lease.renew();
        now.addAndGet(99);
        lease.answered(b, reply(0, AppendResult.SUCCESS));
        assertThat(held()).isTrue();
        now.addAndGet(1);
        assertThat(held()).isFalse();
    }

    @Test
    void answerToEarlierRequestDoesNotRenewLease() {
        b.nextCall = 5;
        lease.renew();
        lease.answered(b, reply(4, AppendResult.SUCCESS));
        assertThat(held()).isFalse();
        lease.answered(b, reply(5, AppendResult.SUCCESS));
        assertThat(held()).isTrue();
    }

    @Test
    void refusalByPeerDoesNotRenewLease() {
        lease.renew();
        lease.answered(b, reply(0, AppendResult.NOT_LEADER));
        lease.answered(c, reply(0, AppendResult.INCONSISTENCY));
        assertThat(held()).isFalse();
    }

    @Test
    void leaseEndsAfterLostHeartbeatsAndLaterHeartbeatsRenewIt() {
        lease.renew();
        lease.answered(b, reply(0, AppendResult.SUCCESS));
        now.addAndGet(60);
        lease.renew();
        now.addAndGet(60);
        assertThat(held()).isFalse();
        lease.renew();
        lease.answered(c, reply(0, AppendResult.SUCCESS));
        assertThat(held()).isTrue();
    }

    @Test
    void newLeadershipIgnoresAnswersToFormerLeadership() {
        lease.renew();
        lease.answered(b, reply(0, AppendResult.SUCCESS));
        lease.add(new FakeLeaderState(), c);
        assertThat(held()).isFalse();
        lease.answered(b, reply(9, AppendResult.SUCCESS));
        assertThat(held()).isFalse();
    }

    @Test
    void leaseNeedsMajorityOfOldAndNewPeersDuringMembershipChange() {
        FakePeers changing = new FakePeers(FakePeers.peers("a", "b", "c"), FakePeers.peers("a", "d", "e"));
        lease.renew();
        lease.answered(b, reply(0, AppendResult.SUCCESS));
        assertThat(lease.held(changing, SELF)).isFalse();
        FakeAppender d = new FakeAppender("d");
        lease.add(leadership, d);
        lease.renew();
        lease.answered(d, reply(0, AppendResult.SUCCESS));
        assertThat(lease.held(changing, SELF)).isTrue();
    }

    @Test
    void twoOfFourPeersAreNoMajority() {
        lease.renew();
        lease.answered(b, reply(0, AppendResult.SUCCESS));
        assertThat(lease.held(FakePeers.of("a", "b", "c", "d"), SELF)).isFalse();
    }
}
