package io.csi4j.agent;

import static io.csi4j.agent.Ground.NODE;
import static io.csi4j.agent.Ground.get;
import static io.csi4j.agent.Ground.writing;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.csi4j.agent.spi.NodeRoute;
import io.csi4j.client.Endpoint;
import io.csi4j.client.TlsOptions;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The certificates that {@code examples/certificates} makes connect servers and agents. */
@Timeout(180)
class CertificatesScriptTest {
    private static final Path SCRIPT = Path.of("..", "examples", "certificates").toAbsolutePath();

    @TempDir
    Path directory;

    @BeforeEach
    void needsOpenssl() {
        boolean there = Stream.of(System.getenv("PATH").split(":", -1))
                .anyMatch(each -> Files.isExecutable(Path.of(each, "openssl")));
        assumeTrue(there, "needs openssl");
    }

    private String run(int exitCode, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of("bash", SCRIPT.toString()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(output).isEqualTo(exitCode);
        return output;
    }

    private Endpoint at(String host, int port, String name) {
        TlsOptions tls = TlsOptions.builder()
                .trustedCertificates(directory.resolve("authority.pem"))
                .certificate(directory.resolve(name + ".pem"), directory.resolve(name + ".key"))
                .build();
        return Endpoint.remote("tcp://" + host + ":" + port, tls);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    @Test
    void serverAndAgentTrustEachOther() throws Exception {
        assertThat(run(0, directory.toString(), "server", "localhost")).contains("for localhost as csi4j://server");
        run(0, directory.toString(), "node", "node-1", "127.0.0.1");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.resolve("node-node-1.key"))))
                .isEqualTo("rw-------");
        int server = freePort();
        int node = freePort();
        try (Ground ground = new Ground()) {
            ground.start(ground.server().listen(at("localhost", server, "server-localhost")));
            var agent = ground.start(
                    ground.agent(at("127.0.0.1", node, "node-node-1"), at("localhost", server, "node-node-1")));
            ground.plugin(agent);
            ground.routes.put(NODE, NodeRoute.direct(at("127.0.0.1", node, "server-localhost")));
            ground.knows(true);
            VolumeKey key = ground.volume("db");
            ground.running("web-1");

            assertThat(get(agent.prepare(AllocationId.of("web-1"), List.of(writing(key)))))
                    .hasSize(1);
        }
    }

    @Test
    void idWithOtherCharactersIsRefused() throws Exception {
        assertThat(run(2, directory.toString(), "node", "node/1", "127.0.0.1")).contains("has other characters");
        assertThat(run(2, directory.toString(), "node", "node-1")).contains("Usage: examples/certificates");
        assertThat(directory).isEmptyDirectory();
    }
}
