package io.csi4j.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class CsiServerTest {
    @TempDir
    Path directory;

    @Test
    void restartedServerKeepsAllocations() throws Exception {
        AllocationId web = AllocationId.of("web-1");
        NodeId local = NodeId.of("local");
        try (CsiServer server = CsiServer.builder(directory).build()) {
            assertThat(server.node().nodeId()).isEqualTo(local);
            server.lifecycle().cluster().nodeReady(local).join();
            server.lifecycle()
                    .cluster()
                    .allocationStarted(web, Namespace.of("default"), local)
                    .join();
        }
        try (CsiServer server = CsiServer.builder(directory).build()) {
            assertThat(server.store().snapshot().allocation(web)).isPresent();
            assertThat(server.log().status().leading()).isTrue();
        }
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.resolve("secrets.key"))))
                .isEqualTo("rw-------");
    }
}
