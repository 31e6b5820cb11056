package io.csi4j.replication.ratis.internal.lead;

import java.util.List;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.leader.LogAppender;
import org.apache.ratis.server.protocol.TermIndex;

/** The leadership of one term; only its identity counts. */
public final class FakeLeaderState implements LeaderState {
    private static UnsupportedOperationException unused() {
        return new UnsupportedOperationException("the lease does not call it");
    }

    @Override
    public void restart(LogAppender appender) {
        throw unused();
    }

    @Override
    public AppendEntriesRequestProto newAppendEntriesRequestProto(
            FollowerInfo follower, List<LogEntryProto> entries, TermIndex previous, long callId) {
        throw unused();
    }

    @Override
    public void checkHealth(FollowerInfo follower) {
        throw unused();
    }

    @Override
    public boolean onFollowerTerm(FollowerInfo follower, long followerTerm) {
        throw unused();
    }

    @Override
    public void onFollowerCommitIndex(FollowerInfo follower, long commitIndex) {
        throw unused();
    }

    @Override
    public void onFollowerSuccessAppendEntries(FollowerInfo follower) {
        throw unused();
    }

    @Override
    public boolean isFollowerBootstrapping(FollowerInfo follower) {
        throw unused();
    }

    @Override
    public void onAppendEntriesReply(LogAppender appender, AppendEntriesReplyProto reply) {
        throw unused();
    }
}
