package io.csi4j.examples.operate;

import io.csi4j.admin.AdminHistory;
import io.csi4j.admin.AdminServer;
import io.csi4j.admin.access.AccessPolicies;
import io.csi4j.admin.access.FirstToken;
import io.csi4j.admin.access.TokenAuthenticator;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.spi.AccessControl;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.EventListener;
import io.csi4j.micrometer.CsiMeters;
import io.csi4j.replication.ratis.RatisCommandLog;
import io.csi4j.server.CsiServer;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import javax.net.ssl.SSLContext;

/** The server of the guide for operators, with all that they need. */
abstract class OperatedServer {
    /** The scheduler's own work, until it ends. */
    abstract void schedule(CsiServer server, AdminServer admin) throws Exception;

    void run(Path directory, InetSocketAddress address, SSLContext tls, MeterRegistry registry) throws Exception {
        // DOC
        AdminHistory history = AdminHistory.create();
        try (Environment environment = Environment.system();
                CsiMeters meters = CsiMeters.of(registry);
                // The host's own calls have no token; all else is decided by the files *.policy of the directory.
                AccessPolicies policies =
                        AccessPolicies.open(directory.resolve("policies"), environment, AccessControl.off());
                CsiServer server = CsiServer.builder(RatisCommandLog.builder(directory.resolve("log")))
                        .environment(environment)
                        .commands(meters::timed)
                        .lifecycle(engine -> engine.access(policies)
                                .listener(EventListener.all(history.listener(), meters.listener())))
                        .node(NodeId.of("local"), directory.resolve("node"))
                        .build();
                AdminServer admin = AdminServer.builder(server.lifecycle())
                        .environment(environment)
                        .listen(address)
                        .tls(tls)
                        .authenticator(TokenAuthenticator.of(server.state(), environment.clock()))
                        .policies(policies)
                        .log(server.log())
                        .history(history)
                        .start()) {
            meters.observe(server.lifecycle(), environment);
            meters.observe(server.log(), environment);
            FirstToken.create(server.lifecycle(), directory.resolve("first-token"))
                    .join();
            System.out.println("For operators: " + admin.uri());
            schedule(server, admin);
        }
        // DOC
    }
}
