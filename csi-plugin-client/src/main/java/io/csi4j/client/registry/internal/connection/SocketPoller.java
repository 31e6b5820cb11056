package io.csi4j.client.registry.internal.connection;

import io.csi4j.client.Endpoint;
import io.csi4j.client.internal.transport.SocketFile;
import io.csi4j.core.internal.concurrent.SerialExecutor;
import io.csi4j.core.spi.Cancellable;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Checks the files at the paths of all sockets of a registry, with one timer. A new process may replace the socket
 * file while the old process still runs and answers. Only the file at the path shows this, so it is polled.
 */
public final class SocketPoller {
    /** Stands for the socket file of a fake plugin in this process, which has no file. */
    private static final SocketFile IN_PROCESS = new SocketFile("in process", FileTime.fromMillis(0));

    private final RegistryEnvironment environment;
    private final Duration interval;
    private final Function<Path, SocketFile> reader;
    private final Map<Object, Watched> watched = new ConcurrentHashMap<>();
    private final SerialExecutor serial;
    /** Whether a check is scheduled; used in the serial executor only. */
    private boolean planned;

    /** A path and the callback for changes of its file. The field {@code last} is used in the serial executor only. */
    private static final class Watched {
        private final Path path;
        private final Consumer<SocketFile> changed;
        private SocketFile last = SocketFile.ABSENT;

        Watched(Path path, Consumer<SocketFile> changed) {
            this.path = path;
            this.changed = changed;
        }
    }

    public SocketPoller(RegistryEnvironment environment, Duration interval, Function<Path, SocketFile> reader) {
        this.environment = environment;
        this.interval = interval;
        this.reader = reader;
        this.serial = environment.serialExecutor();
    }

    /**
     * Calls {@code changed} with the file at the path of a socket if the file exists, and again after each change of
     * the file. For a plugin in this process, calls {@code changed} once.
     */
    public Cancellable watch(Endpoint endpoint, Consumer<SocketFile> changed) {
        Path path = endpoint.path().orElse(null);
        if (path == null) {
            changed.accept(IN_PROCESS);
            return () -> {};
        }
        Object key = new Object();
        Watched added = new Watched(path, changed);
        watched.put(key, added);
        environment.execute(
                serial,
                () -> {
                    poll(added);
                    plan();
                },
                () -> {});
        return () -> watched.remove(key);
    }

    private void plan() {
        if (!planned && !watched.isEmpty()) {
            planned = true;
            var unused = environment.schedule(
                    interval, () -> environment.execute(serial, this::pollAll, () -> {}), () -> {});
        }
    }

    private void pollAll() {
        planned = false;
        watched.values().forEach(this::poll);
        plan();
    }

    private void poll(Watched each) {
        SocketFile there = reader.apply(each.path);
        if (!there.equals(each.last)) {
            each.last = there;
            each.changed.accept(there);
        }
    }
}
