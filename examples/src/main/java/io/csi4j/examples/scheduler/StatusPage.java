package io.csi4j.examples.scheduler;

import io.csi4j.admin.AdminHistory;
import io.csi4j.admin.AdminServer;
import io.csi4j.admin.access.AccessPolicies;
import io.csi4j.admin.access.TokenAuthenticator;
import io.csi4j.core.lifecycle.health.HealthCheck;
import io.csi4j.core.spi.Environment;
import io.csi4j.server.CsiServer;
import java.io.IOException;
import java.net.InetSocketAddress;

/** The status page of a server, and its API for the shell of operators. */
final class StatusPage implements AutoCloseable {
    private final Environment environment = Environment.system();
    private final AdminServer admin;

    /**
     * Starts the page.
     *
     * @param history a listener of the server's engine
     * @param address a loopback address; a page at any other address needs TLS
     * @param policies the access control of the server's engine. Other users of this machine can reach the address, so
     *     each request needs a token, and the token's policies say what it may do
     */
    StatusPage(CsiServer server, AdminHistory history, InetSocketAddress address, AccessPolicies policies)
            throws IOException {
        HealthCheck health = HealthCheck.builder(server.lifecycle(), environment)
                .log(server.log())
                .build();
        this.admin = AdminServer.builder(server.lifecycle())
                .environment(environment)
                .history(history)
                .health(health)
                .log(server.log())
                .listen(address)
                .authenticator(TokenAuthenticator.of(server.state(), environment.clock()))
                .policies(policies)
                .start();
    }

    @Override
    public void close() {
        admin.close();
        environment.close();
    }
}
