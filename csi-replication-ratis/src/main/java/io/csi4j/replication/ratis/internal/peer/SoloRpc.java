package io.csi4j.replication.ratis.internal.peer;

import java.net.InetSocketAddress;
import java.util.Collection;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotReplyProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteReplyProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionReplyProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionRequestProto;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.rpc.RpcFactory;
import org.apache.ratis.rpc.RpcType;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerRpc;
import org.apache.ratis.server.ServerFactory;

/** The transport of a peer without other peers: opens no port, because there is no peer to send to. */
public final class SoloRpc implements RpcType {
    /**
     * Creates the transport. Ratis calls this constructor by reflection, because its settings contain the name of the
     * class.
     */
    public SoloRpc() {}

    @Override
    public String name() {
        return SoloRpc.class.getName();
    }

    @Override
    public RpcFactory newFactory(Parameters parameters) {
        return new Factory(this);
    }

    private record Factory(RpcType type) implements ServerFactory {
        @Override
        public RaftServerRpc newRaftServerRpc(RaftServer server) {
            return new NoPeers(type);
        }

        @Override
        public RpcType getRpcType() {
            return type;
        }
    }

    /** The server side for a peer without other peers: listens nowhere, and rejects every request. */
    private record NoPeers(RpcType type) implements RaftServerRpc {
        @Override
        public RpcType getRpcType() {
            return type;
        }

        @Override
        public void start() {
            // There is nothing to listen on.
        }

        @Override
        public void close() {
            // There is nothing to close.
        }

        /** Returns an address on which no socket listens, because Ratis asks every transport for an address. */
        @Override
        public InetSocketAddress getInetSocketAddress() {
            return InetSocketAddress.createUnresolved("localhost", 0);
        }

        @Override
        public void addRaftPeers(Collection<RaftPeer> peers) {
            // There is no other peer to connect to.
        }

        @Override
        public void handleException(RaftPeerId serverId, Exception e, boolean reconnect) {
            // There are no connections.
        }

        @Override
        public RequestVoteReplyProto requestVote(RequestVoteRequestProto request) {
            throw alone();
        }

        @Override
        public AppendEntriesReplyProto appendEntries(AppendEntriesRequestProto request) {
            throw alone();
        }

        @Override
        public InstallSnapshotReplyProto installSnapshot(InstallSnapshotRequestProto request) {
            throw alone();
        }

        @Override
        public StartLeaderElectionReplyProto startLeaderElection(StartLeaderElectionRequestProto request) {
            throw alone();
        }

        private static UnsupportedOperationException alone() {
            return new UnsupportedOperationException("This peer was started without other peers");
        }
    }
}
