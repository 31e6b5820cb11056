package io.csi4j.registry.internal.connection;

import io.csi4j.core.internal.concurrent.SerialExecutor;
import io.csi4j.core.spi.Cancellable;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Looks at the paths of all sockets of a registry, all in one go: one timer and a few microseconds for each socket,
 * however many there are. Nothing else tells of a process that takes over a path while the old one lives.
 */
public final class SocketPoller {
    private final RegistryEnvironment around;
    private final Duration interval;
    private final Function<Path, SocketFile> look;
    private final Map<Object, Watched> watched = new ConcurrentHashMap<>();
    private final SerialExecutor serial;
    /** Whether a look is planned; in the serial executor only. */
    private boolean planned;

    /** Somebody who wants to know when what is at a path changes; {@code last} in the serial executor only. */
    private static final class Watched {
        private final Path path;
        private final Consumer<SocketFile> changed;
        private SocketFile last = SocketFile.ABSENT;

        Watched(Path path, Consumer<SocketFile> changed) {
            this.path = path;
            this.changed = changed;
        }
    }

    public SocketPoller(RegistryEnvironment around, Duration interval, Function<Path, SocketFile> look) {
        this.around = around;
        this.interval = interval;
        this.look = look;
        this.serial = around.serialExecutor();
    }

    /** Tells {@code changed} what is at the path, unless nothing is, and from then on when that changes. */
    public Cancellable watch(Path path, Consumer<SocketFile> changed) {
        Object key = new Object();
        Watched added = new Watched(path, changed);
        watched.put(key, added);
        around.execute(
                serial,
                () -> {
                    look(added);
                    plan();
                },
                () -> {});
        return () -> watched.remove(key);
    }

    private void plan() {
        if (!planned && !watched.isEmpty()) {
            planned = true;
            var unused = around.schedule(interval, () -> around.execute(serial, this::lookAtAll, () -> {}), () -> {});
        }
    }

    private void lookAtAll() {
        planned = false;
        watched.values().forEach(this::look);
        plan();
    }

    private void look(Watched each) {
        SocketFile there = look.apply(each.path);
        if (!there.equals(each.last)) {
            each.last = there;
            each.changed.accept(there);
        }
    }
}
