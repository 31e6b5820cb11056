package io.csi4j.replication.ratis.internal.peer;

import io.csi4j.agent.spi.PeerRules;
import io.csi4j.client.TlsOptions;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.LogFailedException;
import io.csi4j.replication.ratis.Peer;
import io.csi4j.replication.ratis.PeerId;
import io.csi4j.replication.ratis.RatisLogOptions;
import io.csi4j.replication.ratis.internal.lead.LeaderLease;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.ratis.statemachine.StateMachine;

/**
 * The settings with which a peer is started.
 *
 * @param directory the directory of log and snapshots
 * @param cluster the name of the cluster
 * @param self the id of the peer
 * @param listen where to listen; empty: the peer runs alone
 * @param newCluster the peers of a cluster that starts for the first time; empty: the peer waits until it is added
 * @param tls the certificates; empty: every user of this machine is trusted
 * @param rules whose certificates are those of servers
 * @param options the settings
 * @param environment time and threads
 * @param machine gets the entries
 * @param lease receives the answers of the followers
 * @param failed stops the peer for good
 */
public record PeerSettings(
        Path directory,
        String cluster,
        PeerId self,
        Optional<Peer> listen,
        List<Peer> newCluster,
        Optional<TlsOptions> tls,
        PeerRules rules,
        RatisLogOptions options,
        Environment environment,
        StateMachine machine,
        LeaderLease lease,
        Consumer<LogFailedException> failed) {
    public PeerSettings {
        newCluster = List.copyOf(newCluster);
    }
}
