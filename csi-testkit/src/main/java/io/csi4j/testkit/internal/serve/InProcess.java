package io.csi4j.testkit.internal.serve;

import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.inprocess.InProcessServerBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A server for callers in this process.
 *
 * @param name the name with which a gRPC channel finds the server
 * @param server the running server
 */
public record InProcess(String name, Server server) {
    /** Returns a name that is unique in this process. */
    public static String newName() {
        return InProcessServerBuilder.generateName();
    }

    /**
     * Starts a server.
     *
     * @param services the services
     * @param executor runs the calls; null: the caller's thread
     */
    public static InProcess start(String name, List<ServerServiceDefinition> services, @Nullable Executor executor) {
        InProcessServerBuilder builder = InProcessServerBuilder.forName(name);
        services.forEach(builder::addService);
        try {
            Server server = (executor == null ? builder.directExecutor() : builder.executor(executor))
                    .build()
                    .start();
            return new InProcess(name, server);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot serve in process: " + e, e);
        }
    }

    /**
     * Stops the server. Calls in flight may continue until a time limit.
     *
     * @param millis the time limit
     */
    public void close(long millis) {
        server.shutdown();
        try {
            if (!server.awaitTermination(millis, TimeUnit.MILLISECONDS)) {
                server.shutdownNow();
                server.awaitTermination(1, TimeUnit.SECONDS);
            }
        } catch (InterruptedException e) {
            server.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }
}
