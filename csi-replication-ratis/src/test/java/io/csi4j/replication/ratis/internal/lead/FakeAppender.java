package io.csi4j.replication.ratis.internal.lead;

import java.util.Comparator;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto.AppendResult;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcReplyProto;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.leader.LogAppender;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.statemachine.SnapshotInfo;
import org.apache.ratis.util.AwaitForSignal;

/** The sender of a leader to one follower, which sends nothing. */
public final class FakeAppender implements LogAppender {
    private final RaftPeerId follower;
    public long nextCall;
    int heartbeats;

    public FakeAppender(String follower) {
        this.follower = RaftPeerId.valueOf(follower);
    }

    public static AppendEntriesReplyProto reply(long call, AppendResult result) {
        return AppendEntriesReplyProto.newBuilder()
                .setServerReply(RaftRpcReplyProto.newBuilder().setCallId(call).setSuccess(true))
                .setResult(result)
                .build();
    }

    @Override
    public RaftPeerId getFollowerId() {
        return follower;
    }

    @Override
    public long getCallId() {
        return nextCall;
    }

    @Override
    public void triggerHeartbeat() {
        heartbeats++;
    }

    @Override
    public Comparator<Long> getCallIdComparator() {
        return Comparator.naturalOrder();
    }

    private static UnsupportedOperationException unused() {
        return new UnsupportedOperationException("the lease does not call it");
    }

    @Override
    public RaftServer.Division getServer() {
        throw unused();
    }

    @Override
    public void start() {
        throw unused();
    }

    @Override
    public boolean isRunning() {
        throw unused();
    }

    @Override
    public LeaderState getLeaderState() {
        throw unused();
    }

    @Override
    public FollowerInfo getFollower() {
        throw unused();
    }

    @Override
    public AppendEntriesRequestProto newAppendEntriesRequest(long callId, boolean heartbeat) {
        throw unused();
    }

    @Override
    public InstallSnapshotRequestProto newInstallSnapshotNotificationRequest(TermIndex firstAvailable) {
        throw unused();
    }

    @Override
    public Iterable<InstallSnapshotRequestProto> newInstallSnapshotRequests(String requestId, SnapshotInfo snapshot) {
        throw unused();
    }

    @Override
    public void run() {
        throw unused();
    }

    @Override
    public AwaitForSignal getEventAwaitForSignal() {
        throw unused();
    }
}
