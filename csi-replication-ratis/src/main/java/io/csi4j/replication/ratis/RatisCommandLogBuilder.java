package io.csi4j.replication.ratis;

import io.csi4j.agent.spi.PeerRules;
import io.csi4j.client.TlsOptions;
import io.csi4j.core.internal.file.OwnDirectory;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.LogFailedException;
import io.csi4j.core.spi.ReplicatedLogBuilder;
import io.csi4j.core.state.SecretsCipher;
import io.csi4j.replication.ratis.internal.LogProcess;
import io.csi4j.replication.ratis.internal.LogSettings;
import io.csi4j.state.StateStoreOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/** Builds {@link RatisCommandLog}s. Not thread-safe. */
public final class RatisCommandLogBuilder implements ReplicatedLogBuilder {
    static {
        // Ratis cannot be a module, so its jars are on the class path of a modular program (compatibility.md).
        RatisCommandLogBuilder.class
                .getModule()
                .addReads(RatisCommandLogBuilder.class.getClassLoader().getUnnamedModule());
    }

    private final LogSettings settings;

    RatisCommandLogBuilder(Path directory) {
        this.settings = new LogSettings(directory);
    }

    /**
     * Sets the options of the state, which may have the {@linkplain #secretsCipher cipher}.
     */
    public RatisCommandLogBuilder state(StateStoreOptions options) {
        settings.state = Objects.requireNonNull(options, "options");
        return this;
    }

    /** Sets limits and intervals. Default: {@link RatisLogOptions#ofDefaults()}. */
    public RatisCommandLogBuilder options(RatisLogOptions options) {
        settings.options = Objects.requireNonNull(options, "options");
        return this;
    }

    /**
     * Sets the name of the cluster. Peers of other clusters are refused.
     *
     * @param name the name, which must be the same at all peers and never change. Default: {@code csi4j}
     */
    public RatisCommandLogBuilder cluster(String name) {
        settings.cluster = Objects.requireNonNull(name, "name");
        return this;
    }

    @Override
    public RatisCommandLogBuilder environment(Environment environment) {
        settings.environment = Objects.requireNonNull(environment, "environment");
        return this;
    }

    /**
     * Makes this log a peer of a cluster, which other peers reach under an address.
     *
     * @param self the id of this peer, and the address under which the other peers reach it; both stay the same as long
     *     as the peer exists. A log on one machine, whose peer has the id {@code local}, can get an address and then
     *     other peers
     */
    public RatisCommandLogBuilder peer(Peer self) {
        settings.self = self.id();
        settings.address = self;
        return this;
    }

    /**
     * Sets the address to listen on, if it differs from the address that the other peers use.
     *
     * @param host an address of this machine; {@code 0.0.0.0} for all
     * @param port a free port
     */
    public RatisCommandLogBuilder listen(String host, int port) {
        settings.listen = new Peer(settings.self, host, port);
        return this;
    }

    /**
     * Sets all peers of a new cluster, including this one. Start all peers with the same list. The list counts only at
     * the first start: a peer that has files reads the peers from them. A peer without this setting and with an empty
     * directory waits until it is {@linkplain RatisCommandLog#addPeer added} to a cluster. If the files of a peer are
     * lost, never use its id again: the peer might forget what it had confirmed.
     *
     * @param peers three or five; an even number tolerates no more failures than one less
     */
    public RatisCommandLogBuilder newCluster(List<Peer> peers) {
        settings.newCluster = List.copyOf(peers);
        return this;
    }

    /**
     * Sets the certificates of the peers. Each peer presents its certificate on both sides of a connection. The other
     * side accepts it if the trusted authority has signed it and it is the certificate of a server; see {@link
     * #peerRules}. Replaced files are read again within seconds, and are used for new connections.
     *
     * @param tls with {@code trustedCertificates} and {@code certificate}
     */
    public RatisCommandLogBuilder tls(TlsOptions tls) {
        if (tls.trustedCertificates().isEmpty() || tls.privateKey().isEmpty()) {
            throw new IllegalArgumentException("RatisCommandLogBuilder: tls needs trustedCertificates and"
                    + " certificate, because each peer checks who calls");
        }
        settings.tls = tls;
        return this;
    }

    /**
     * Sets the rules that identify the certificates of servers. Only servers are accepted as peers. A server of another
     * cluster is one, too, so give each cluster an authority or rules of its own.
     *
     * @param rules of which {@link PeerRules#isServer} is used. Default: {@link PeerRules#byUri()}
     */
    public RatisCommandLogBuilder peerRules(PeerRules rules) {
        settings.rules = Objects.requireNonNull(rules, "rules");
        return this;
    }

    /**
     * Lets this peer listen on a loopback address without {@link #tls}. Every user and every program of this machine can
     * then take the role of a peer: read, change and destroy the log, with all claims in it. For tests, and for machines
     * with one user.
     */
    public RatisCommandLogBuilder everyLocalUserIsTrusted() {
        settings.everyLocalUserIsTrusted = true;
        return this;
    }

    /**
     * Reads the files and starts the peer. Blocks while files are read; does not wait for a leader.
     *
     * @return a running log; the host closes it
     * @throws LogFailedException if the files are damaged, or the directory is in use
     * @throws IllegalStateException if a required setting is missing
     * @throws IOException if the directory cannot be used, belongs to another user or can be written by others, or the
     *     address cannot be listened on
     */
    @Override
    public RatisCommandLog start() throws IOException {
        checkAddress();
        OwnDirectory.make(settings.directory);
        requireCipher();
        return new RatisCommandLog(LogProcess.start(settings));
    }

    private void checkAddress() throws IOException {
        if (settings.address == null) {
            if (!settings.newCluster.isEmpty()) {
                throw new IllegalStateException("RatisCommandLogBuilder: newCluster is set without peer; set both");
            }
            return;
        }
        if (settings.tls != null) {
            return;
        }
        Peer listen = settings.listen == null ? settings.address : settings.listen;
        if (!InetAddress.getByName(listen.host()).isLoopbackAddress()) {
            throw new IllegalStateException("RatisCommandLogBuilder: peer " + settings.self + " listens on "
                    + listen.address()
                    + ", which is not a loopback address, so every process in the network could write to the log;"
                    + " set tls");
        }
        if (!settings.everyLocalUserIsTrusted) {
            throw new IllegalStateException("RatisCommandLogBuilder: peer " + settings.self + " listens on "
                    + listen.address() + " without tls, so every user of this machine could change and destroy the log;"
                    + " set tls, leave out peer if the server has no other peers, or call everyLocalUserIsTrusted if"
                    + " that is so");
        }
    }

    /**
     * Requires a cipher, or creates the default one. Without a cipher, the log would start, but later the first command
     * with a publish context would fail.
     */
    private void requireCipher() throws IOException {
        if (settings.state.secretsCipher().isPresent()) {
            return;
        }
        if (settings.address != null) {
            throw new IllegalStateException(
                    "RatisCommandLogBuilder: peer " + settings.self
                            + " has other peers and no cipher for secrets; set secretsCipher with the same keys at all peers, for example an AesGcmSecretsCipher");
        }
        secretsCipher(KeyFile.cipher(settings.directory));
    }

    /**
     * Sets the cipher for secrets, contexts, mount flags and parameters in log and snapshots, and keeps the other options
     * of the {@link #state}. All peers need the same keys.
     *
     * @param cipher for example an {@link io.csi4j.state.AesGcmSecretsCipher}; required with {@link #peer}. Default for a
     *     log without other peers: AES-GCM with the keys in the file {@code secrets.key} of the data directory, created
     *     with the mode 0600
     */
    public RatisCommandLogBuilder secretsCipher(SecretsCipher cipher) {
        Objects.requireNonNull(cipher, "cipher");
        StateStoreOptions.Builder options = StateStoreOptions.builder()
                .writeTimeout(settings.state.writeTimeout())
                .secretsCipher(cipher);
        settings.state.watchExecutor().ifPresent(options::watchExecutor);
        settings.state = options.build();
        return this;
    }
}
