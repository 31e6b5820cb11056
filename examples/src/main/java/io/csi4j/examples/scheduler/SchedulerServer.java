package io.csi4j.examples.scheduler;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.csi4j.admin.AdminHistory;
import io.csi4j.admin.access.AccessPolicies;
import io.csi4j.core.spi.AccessControl;
import io.csi4j.core.spi.ControllerTrust;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.EventListener;
import io.csi4j.core.spi.LeadershipListener;
import io.csi4j.micrometer.CsiMeters;
import io.csi4j.replication.jdbc.JdbcCommandLog;
import io.csi4j.replication.jdbc.JdbcCommandLogBuilder;
import io.csi4j.replication.jdbc.JdbcLogOptions;
import io.csi4j.replication.ratis.Peer;
import io.csi4j.replication.ratis.RatisCommandLog;
import io.csi4j.replication.ratis.RatisCommandLogBuilder;
import io.csi4j.server.CsiServer;
import io.csi4j.server.CsiServerBuilder;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** One server of the scheduler, in a process of its own: csi4j's durable server, the scheduling loop, a socket for
 * agents and the scheduler's own commands, and a status page with the API. */
public final class SchedulerServer {
    private SchedulerServer() {}

    /**
     * Serves until the end of the standard input.
     *
     * @param args the directory of the cluster, and the number of this server
     */
    @SuppressWarnings("try") // loop, socket and page work until the block ends
    public static void main(String[] args) throws IOException {
        ClusterLayout layout = ClusterLayout.read(Path.of(args[0]));
        int number = Integer.parseInt(args[1]);
        AdminHistory history = AdminHistory.create();
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        try (Environment environment = ShiftedClock.environment(layout.clock("server-" + number));
                CsiMeters meters = CsiMeters.of(registry);
                // The server's own calls have no token; the policies decide about all others.
                AccessPolicies policies = AccessPolicies.open(layout.policies(), environment, AccessControl.off());
                CsiServer server = builder(
                                layout,
                                number,
                                EventListener.all(history.listener(), meters.listener(), new MissedSteps(layout)),
                                policies)
                        .environment(environment)
                        .commands(meters::timed)
                        .build();
                SchedulingLoop loop =
                        new SchedulingLoop(server.lifecycle(), server.state(), layout, layout.firstToken(number));
                LineSocket admin = LineSocket.listen(
                        layout.adminSocket(number),
                        new AdminRequests(
                                server.lifecycle(),
                                server.state(),
                                loop,
                                layout,
                                new PeerRequests(server, layout, registry::scrape)));
                StatusPage page = new StatusPage(server, history, layout.page(number), policies)) {
            meters.observe(server.lifecycle(), environment);
            meters.observe(server.log(), environment);
            server.log().onLeadership(new LeadershipListener() {
                @Override
                public void startLeading() {
                    loop.start();
                }

                @Override
                public void stopLeading() {
                    loop.stop();
                }
            });
            var unused = server.log().failed().thenAccept(failure -> {
                System.err.println("server-" + number + " has to be restarted: " + failure.getMessage());
                Runtime.getRuntime().halt(1);
            });
            System.out.println("ready");
            awaitEndOfInput();
        }
    }

    /** Describes the server: alone on its own disk, or as one of several peers that replicate the log. */
    private static CsiServerBuilder builder(
            ClusterLayout layout, int number, EventListener events, AccessPolicies policies) throws IOException {
        // DOC
        RatisCommandLogBuilder log = RatisCommandLog.builder(layout.serverData(number));
        List<Peer> founders = layout.founders();
        if (!founders.isEmpty()) {
            Peer self = layout.peer(number);
            log.secretsCipher(layout.cipher())
                    .peer(self)
                    // A server that replaces another one starts empty, and waits until it is added.
                    .newCluster(founders.contains(self) ? founders : List.of())
                    .tls(layout.certificate().tls());
        }
        return CsiServer.builder(layout.log() == LogPlace.FILES ? log : database(layout, number))
                // Every node of this cluster runs the whole plugin, so every node may have its secrets.
                .lifecycle(engine -> engine.listener(events)
                        .controllers(ControllerTrust.everyNode())
                        .secrets(SecretsFile.in(layout.directory()))
                        .access(policies))
                .agents(layout.routes(), gateway -> gateway)
                .agentServer(agents -> layout.listen(agents, number));
        // DOC
    }

    private static JdbcCommandLogBuilder database(ClusterLayout layout, int number) throws IOException {
        HikariConfig pool = new HikariConfig();
        pool.setJdbcUrl("jdbc:postgresql://127.0.0.1:" + layout.database() + "/postgres?user=postgres");
        pool.setMaximumPoolSize(4);
        pool.setConnectionTimeout(2_000);
        return JdbcCommandLog.builder(new HikariDataSource(pool))
                .server("server-" + number)
                .createTables()
                .secretsCipher(layout.cipher())
                .options(JdbcLogOptions.builder().lease(Duration.ofSeconds(3)).build());
    }

    static void awaitEndOfInput() throws IOException {
        while (System.in.read() >= 0) {
            // Ignores the bytes. The end of the input asks the server to end.
        }
    }
}
