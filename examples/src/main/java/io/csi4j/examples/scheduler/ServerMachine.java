package io.csi4j.examples.scheduler;

import com.google.gson.JsonObject;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The process of one server. Guarded by {@link Machines}. */
final class ServerMachine {
    private final ClusterLayout layout;
    private final int number;
    private boolean off;
    private @Nullable ChildProcess process;

    ServerMachine(ClusterLayout layout, int number) {
        this.layout = layout;
        this.number = number;
    }

    void start() throws IOException {
        off = false;
        String name = "server-" + number;
        process = ChildProcess.java(
                name,
                layout.log(name),
                SchedulerServer.class.getName(),
                layout.directory().toString(),
                String.valueOf(number));
    }

    /** Starts the process again if it has ended, unless the server is switched off. */
    void restart() throws IOException {
        if (!off && !process().isAlive()) {
            start();
        }
    }

    /** Ends the process, and does not start it until an operator does. */
    void switchOff() {
        off = true;
        process().end(true);
    }

    /**
     * Starts a server that was switched off, and waits until it is ready.
     *
     * @param empty whether the server starts with an empty directory and a new id, to take the place of a peer
     */
    void switchOn(boolean empty) throws IOException {
        if (!off) {
            throw new IllegalArgumentException("server-" + number + " is not stopped; stop it first");
        }
        if (empty && (layout.log() != LogPlace.FILES || layout.founders().isEmpty())) {
            throw new IllegalArgumentException("only one of several servers with their log in files starts empty");
        }
        if (empty) {
            layout.renewPeer(number);
        }
        start();
        awaitReady();
    }

    void awaitReady() throws IOException {
        process().awaitFirstLine();
    }

    void kill() {
        process().kill();
    }

    boolean isAlive() {
        return process().isAlive();
    }

    long pid() {
        return process().pid();
    }

    JsonObject status() throws IOException {
        JsonObject status = new JsonObject();
        status.addProperty("server", "server-" + number);
        if (!layout.founders().isEmpty()) {
            status.addProperty("peer", layout.peer(number).id().value());
            status.addProperty("address", layout.peer(number).address());
        }
        status.addProperty("runs", isAlive());
        return status;
    }

    void close() {
        if (process != null) {
            process.end(true);
        }
    }

    private ChildProcess process() {
        if (process == null) {
            throw new IllegalStateException("server-" + number + " is not started");
        }
        return process;
    }
}
