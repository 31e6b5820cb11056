package io.csi4j.replication.ratis.internal;

import io.csi4j.agent.spi.PeerRules;
import io.csi4j.client.TlsOptions;
import io.csi4j.core.spi.Environment;
import io.csi4j.replication.ratis.Peer;
import io.csi4j.replication.ratis.PeerId;
import io.csi4j.replication.ratis.RatisLogOptions;
import io.csi4j.state.StateStoreOptions;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The settings that the builder of a log has collected. */
public final class LogSettings {
    public final Path directory;
    public StateStoreOptions state = StateStoreOptions.ofDefaults();
    public RatisLogOptions options = RatisLogOptions.ofDefaults();
    public String cluster = "csi4j";
    public PeerId self = PeerId.of("local");
    /** The address under which the other peers reach this peer; null: this peer runs alone. */
    public @Nullable Peer address;
    /** The address to listen on; null: the same as {@code address}. */
    public @Nullable Peer listen;

    public List<Peer> newCluster = List.of();
    public @Nullable TlsOptions tls;
    public PeerRules rules = PeerRules.byUri();
    /** Whether a peer may listen without certificates, on loopback addresses. */
    public boolean everyLocalUserIsTrusted;

    public @Nullable Environment environment;

    public LogSettings(Path directory) {
        this.directory = directory.toAbsolutePath();
    }
}
