package io.csi4j.examples.scheduler;

import io.csi4j.console.Console;
import io.csi4j.console.ConsoleHistory;
import io.csi4j.core.lifecycle.health.HealthCheck;
import io.csi4j.core.spi.Environment;
import io.csi4j.server.CsiServer;
import java.io.IOException;
import java.net.InetSocketAddress;

/** The status page of a server. */
final class StatusPage implements AutoCloseable {
    private final Environment environment = Environment.system();
    private final Console console;

    /**
     * Starts the page.
     *
     * @param history a listener of the server's engine
     * @param address a loopback address; a page at any other address needs TLS and a token
     */
    StatusPage(CsiServer server, ConsoleHistory history, InetSocketAddress address) throws IOException {
        HealthCheck health = HealthCheck.builder(server.lifecycle(), environment)
                .log(server.log())
                .build();
        this.console = Console.builder(server.lifecycle())
                .environment(environment)
                .history(history)
                .health(health)
                .log(server.log())
                .listen(address)
                .start();
    }

    @Override
    public void close() {
        console.close();
        environment.close();
    }
}
