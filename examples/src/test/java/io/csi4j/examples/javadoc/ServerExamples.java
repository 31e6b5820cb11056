package io.csi4j.examples.javadoc;

import io.csi4j.admin.AdminHistory;
import io.csi4j.admin.AdminServer;
import io.csi4j.admin.access.AccessPolicies;
import io.csi4j.admin.access.FirstToken;
import io.csi4j.admin.access.TokenAuthenticator;
import io.csi4j.agent.spi.NodeDirectory;
import io.csi4j.client.Endpoint;
import io.csi4j.core.access.AccessTokenRequest;
import io.csi4j.core.access.AccessTokenSecret;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.CallerOperations;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.lifecycle.VolumeLifecycleBuilder;
import io.csi4j.core.lifecycle.health.HealthCheck;
import io.csi4j.core.spi.AccessControl;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.NodeGateway;
import io.csi4j.core.state.SecretsCipher;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.micrometer.CsiMeters;
import io.csi4j.replication.jdbc.JdbcCommandLog;
import io.csi4j.replication.jdbc.JdbcTransaction;
import io.csi4j.replication.ratis.RatisCommandLog;
import io.csi4j.server.CsiServer;
import io.csi4j.simulation.LifecycleSimulation;
import io.csi4j.simulation.PlacementPolicy;
import io.csi4j.simulation.SimulationReport;
import io.csi4j.state.AesGcmSecretsCipher;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;
import javax.sql.DataSource;

/** The Javadoc examples of servers and of the simulation, so that the build compiles them. */
@SuppressWarnings({"unused", "FutureReturnValueIgnored", "UnusedVariable"})
abstract class ServerExamples {
    abstract void serve();

    abstract void alert(Object problems);

    void admin(CommandLog log, NodeGateway gateway) throws IOException {
        AdminHistory history = AdminHistory.create();
        VolumeLifecycle lifecycle = VolumeLifecycle.builder()
                .log(log)
                .gateway(gateway)
                .listener(history.listener())
                .build();
        try (AdminServer admin = AdminServer.builder(lifecycle).history(history).start()) {
            System.out.println("Open " + admin.uri());
            serve();
        }
    }

    abstract void handOver(AccessTokenSecret secret);

    void tokens(VolumeLifecycle lifecycle) {
        lifecycle
                .accessTokens()
                .create(AccessTokenRequest.of("ada", List.of("team-a")))
                .thenAccept(created -> handOver(created.secret()));
    }

    void access(VolumeLifecycleBuilder builder, Environment environment, String secret) {
        AccessPolicies policies = AccessPolicies.open(Path.of("/etc/csi4j/policies"), environment, AccessControl.off());
        VolumeLifecycle lifecycle = builder.access(policies).build();
        FirstToken.create(lifecycle, Path.of("/var/lib/csi4j/first-token")).join();

        TokenAuthenticator tokens = TokenAuthenticator.of(lifecycle.log().state(), environment.clock());
        Optional<CallerOperations> caller = tokens.authenticate(secret).map(lifecycle::as);
    }

    void health(VolumeLifecycle lifecycle, Environment environment) {
        HealthCheck check = HealthCheck.of(lifecycle, environment);
        check.run().thenAccept(health -> {
            if (!health.able()) {
                alert(health.problems());
            }
        });
    }

    void meters(MeterRegistry registry, CommandLog log, NodeGateway gateway, Environment environment) {
        CsiMeters meters = CsiMeters.of(registry);
        VolumeLifecycle lifecycle = VolumeLifecycle.builder()
                .log(meters.timed(log))
                .gateway(gateway)
                .listener(meters.listener())
                .environment(environment)
                .build();
        meters.observe(lifecycle, environment);
        lifecycle.startLeading();
    }

    void server(VolumeKey key, VolumeSpec spec) throws IOException {
        Path directory = Path.of("/var/lib/scheduler");
        try (CsiServer server = CsiServer.builder(RatisCommandLog.builder(directory))
                .node(NodeId.of("local"), directory.resolve("node"))
                .build()) {
            server.lifecycle().volumes().register(key, spec).join();
        }
    }

    void database(DataSource dataSource, SecretsCipher cipher, NodeDirectory nodeDirectory, Endpoint address)
            throws IOException {
        CsiServer server = CsiServer.builder(JdbcCommandLog.builder(dataSource)
                        .server("server-1")
                        .createTables()
                        .secretsCipher(cipher))
                .agents(nodeDirectory, gateway -> gateway)
                .agentServer(endpoint -> endpoint.listen(address))
                .build();
    }

    abstract void serve(VolumeLifecycle volumes, JdbcCommandLog log);

    void firstServer(DataSource pool, String base64Key, Path directory) throws IOException {
        // The same 32 bytes at all servers, from the place of your other secrets.
        SecretKey key = new SecretKeySpec(Base64.getDecoder().decode(base64Key), "AES");
        try (CsiServer server = CsiServer.builder(JdbcCommandLog.builder(pool)
                        .server("server-1")
                        .createTables()
                        .secretsCipher(AesGcmSecretsCipher.builder()
                                .currentKey("2026-11", key)
                                .build()))
                .node(NodeId.of("local"), directory.resolve("node"))
                .build()) {
            VolumeLifecycle volumes = server.lifecycle();
            JdbcCommandLog log = server.log(JdbcCommandLog.class);
            serve(volumes, log);
        }
    }

    abstract void insertWorkload(Connection connection, AllocationId allocation) throws SQLException;

    void transaction(
            Connection connection,
            JdbcCommandLog log,
            AllocationId web,
            Namespace namespace,
            NodeId node,
            VolumeKey data,
            VolumeSpec spec,
            RequestedCapability capability)
            throws SQLException {
        connection.setAutoCommit(false);
        insertWorkload(connection, web);
        JdbcTransaction transaction = log.in(connection);
        transaction.createVolume(data, spec);
        transaction.allocationPlaced(web, namespace, node);
        transaction.requestClaims(web, List.of(ClaimRequest.writing(data, capability)));
        connection.commit();
    }

    void log(Path directory, NodeGateway gateway, NodeId node) throws IOException {
        try (RatisCommandLog log = RatisCommandLog.builder(directory).start();
                VolumeLifecycle lifecycle = VolumeLifecycle.of(log, gateway)) {
            lifecycle.cluster().nodeReady(node).join();
        }
    }

    void simulation(PlacementPolicy scheduler) {
        LifecycleSimulation simulation =
                LifecycleSimulation.builder().nodes(5).placement(scheduler).build();
        SimulationReport report = simulation.run(4711);
        if (!report.ok()) {
            throw new AssertionError(report + "\n" + report.diagram());
        }
    }

    void defaultSimulation() {
        SimulationReport report = LifecycleSimulation.ofDefaults().run(4711);
    }
}
