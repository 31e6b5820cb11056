package io.csi4j.ratis;

import io.csi4j.core.spi.Environment;
import io.csi4j.ratis.internal.LogProcess;
import io.csi4j.ratis.internal.LogSettings;
import io.csi4j.state.StateStoreOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;

/** Builds {@link RatisCommandLog}s. Not thread-safe. */
public final class RatisCommandLogBuilder {
    private final LogSettings settings;

    RatisCommandLogBuilder(Path directory) {
        this.settings = new LogSettings(directory);
    }

    /**
     * Sets the options of the state. Commands with secrets, contexts, mount flags or parameters need a cipher there; all
     * peers need the same keys.
     *
     * @param options default: {@link StateStoreOptions#ofDefaults()}, without a cipher
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
     * @param name the same at all peers, always. Default: {@code csi4j}
     */
    public RatisCommandLogBuilder cluster(String name) {
        settings.cluster = Objects.requireNonNull(name, "name");
        return this;
    }

    /**
     * Sets the timer, the threads and the random numbers.
     *
     * @param environment the host's environment, which the host closes after the log; if not set, the log has its own
     *     {@link Environment#system()} and closes it
     */
    public RatisCommandLogBuilder environment(Environment environment) {
        settings.environment = Objects.requireNonNull(environment, "environment");
        return this;
    }

    /** Returns whether the log has no other peers. */
    boolean alone() {
        return true;
    }

    /**
     * Reads the files and starts the peer. Blocks while files are read; does not wait for a leader.
     *
     * @return a running log; the host closes it
     * @throws PeerFailedException if the files are damaged, or the directory is in use
     * @throws IOException if the directory cannot be used, or the address cannot be listened on
     */
    public RatisCommandLog start() throws IOException {
        return new RatisCommandLog(LogProcess.start(settings));
    }
}
