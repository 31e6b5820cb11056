package io.csi4j.replication.ratis.internal.lead;

import java.util.List;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.grpc.GrpcFactory;
import org.apache.ratis.grpc.server.GrpcLogAppender;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.rpc.RpcFactory;
import org.apache.ratis.rpc.RpcType;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.leader.LogAppender;
import org.apache.ratis.server.protocol.TermIndex;

/** The transport of Ratis over gRPC; a lease receives the answers of the followers. */
public final class LeaseFactory extends GrpcFactory {
    private static final String LEASE = "csi4j.lease";

    private final LeaderLease lease;

    private LeaseFactory(Parameters parameters) {
        super(parameters);
        this.lease = parameters.getNonNull(LEASE, LeaderLease.class);
    }

    /** Puts the lease of a peer into the parameters from which Ratis creates the peer's transport. */
    public static void setLease(Parameters parameters, LeaderLease lease) {
        parameters.put(LEASE, lease, LeaderLease.class);
    }

    @Override
    public LogAppender newLogAppender(RaftServer.Division server, LeaderState state, FollowerInfo follower) {
        LogAppender appender = new GrpcLogAppender(server, new Observed(state, lease), follower);
        lease.add(state, appender);
        return appender;
    }

    /** The type of this transport. */
    public static final class Type implements RpcType {
        /**
         * Creates the type. Ratis calls this constructor by reflection, because its settings contain the name of the
         * class.
         */
        public Type() {}

        @Override
        public String name() {
            return Type.class.getName();
        }

        @Override
        public RpcFactory newFactory(Parameters parameters) {
            return new LeaseFactory(parameters);
        }
    }

    /** Passes each answer of a follower to the lease first, and then to Ratis. */
    private record Observed(LeaderState state, LeaderLease lease) implements LeaderState {
        @Override
        public void onAppendEntriesReply(LogAppender appender, AppendEntriesReplyProto reply) {
            lease.answered(appender, reply);
            state.onAppendEntriesReply(appender, reply);
        }

        @Override
        public void restart(LogAppender appender) {
            state.restart(appender);
        }

        @Override
        public AppendEntriesRequestProto newAppendEntriesRequestProto(
                FollowerInfo follower, List<LogEntryProto> entries, TermIndex previous, long callId) {
            return state.newAppendEntriesRequestProto(follower, entries, previous, callId);
        }

        @Override
        public void checkHealth(FollowerInfo follower) {
            state.checkHealth(follower);
        }

        @Override
        public boolean onFollowerTerm(FollowerInfo follower, long followerTerm) {
            return state.onFollowerTerm(follower, followerTerm);
        }

        @Override
        public void onFollowerCommitIndex(FollowerInfo follower, long commitIndex) {
            state.onFollowerCommitIndex(follower, commitIndex);
        }

        @Override
        public void onFollowerSuccessAppendEntries(FollowerInfo follower) {
            state.onFollowerSuccessAppendEntries(follower);
        }

        @Override
        public boolean isFollowerBootstrapping(FollowerInfo follower) {
            return state.isFollowerBootstrapping(follower);
        }
    }
}
