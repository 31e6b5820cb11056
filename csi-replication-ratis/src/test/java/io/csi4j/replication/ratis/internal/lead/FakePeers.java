package io.csi4j.replication.ratis.internal.lead;

import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;
import org.apache.ratis.proto.RaftProtos.RaftPeerRole;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftConfiguration;

/** A configuration, with a former one while it changes. */
public record FakePeers(List<RaftPeer> current, List<RaftPeer> previous) implements RaftConfiguration {
    public static FakePeers of(String... ids) {
        return new FakePeers(peers(ids), List.of());
    }

    static List<RaftPeer> peers(String... ids) {
        return Stream.of(ids).map(id -> RaftPeer.newBuilder().setId(id).build()).toList();
    }

    @Override
    public RaftPeer getPeer(RaftPeerId id, RaftPeerRole... roles) {
        return getAllPeers().stream()
                .filter(peer -> peer.getId().equals(id))
                .findFirst()
                .orElse(null);
    }

    @Override
    public Collection<RaftPeer> getAllPeers(RaftPeerRole role) {
        return Stream.concat(current.stream(), previous.stream()).distinct().toList();
    }

    @Override
    public Collection<RaftPeer> getCurrentPeers(RaftPeerRole roles) {
        return current;
    }

    @Override
    public Collection<RaftPeer> getPreviousPeers(RaftPeerRole roles) {
        return previous;
    }

    @Override
    public long getLogEntryIndex() {
        return 0;
    }
}
