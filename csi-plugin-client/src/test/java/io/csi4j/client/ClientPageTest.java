package io.csi4j.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.retry.RetryOptions;
import io.csi4j.client.retry.UnresolvedRequest;
import io.csi4j.client.retry.VolumeOrder;
import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CallRule;
import io.csi4j.core.call.CallRules;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.rpc.NodeUnpublishVolumeRequest;
import io.grpc.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the examples of docs/guide/client.md, which are the code of this test and of FirstExample. */
class ClientPageTest {
    private static final Pattern EXAMPLE = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

    @TempDir
    Path directory;

    @Test
    void exampleInDocumentationEqualsCompiledCode() throws IOException {
        String code = squeezed(Files.readString(Path.of("src/test/java/io/csi4j/client/ClientPageTest.java"))
                + Files.readString(Path.of("../examples/src/main/java/io/csi4j/examples/first/FirstExample.java")));
        Matcher examples = EXAMPLE.matcher(Files.readString(Path.of("../docs/guide/client.md")));
        int count = 0;
        while (examples.find()) {
            count++;
            assertThat(code).as("%s", examples.group(1)).contains(squeezed(examples.group(1)));
        }
        assertThat(count).isEqualTo(3);
    }

    private static String squeezed(String text) {
        return text.replaceAll("\\s", "");
    }

    @Test
    void clientInExampleUsesConfiguredOptions() throws Exception {
        Path socket = directory.resolve("csi.sock");
        AtomicInteger tries = new AtomicInteger();
        Capabilities announced = Capabilities.unknown()
                .withNode(CapabilitySet.of(NodeCapability.class, List.of(NodeCapability.STAGE_UNSTAGE_VOLUME)));
        try (PluginServer server = PluginServer.start(socket, call -> {
            if (tries.incrementAndGet() < 3) {
                call.end(Status.INTERNAL);
            } else {
                call.ok(new byte[0]);
            }
        })) {
            CsiClient client = CsiClient.builder(Endpoint.unix(socket))
                    .plugin("ebs")
                    .rules(CallRules.defaults()
                            .with(
                                    Rpc.NODE_UNPUBLISH_VOLUME,
                                    StatusCode.INTERNAL,
                                    CallRule.here(CallOutcome.OUTCOME_UNKNOWN, "busy mounts end soon")))
                    .retries(RetryOptions.builder()
                            .maxAttempts(6)
                            .maxBackoff(Duration.ofSeconds(10))
                            .build())
                    .volumeOrder(VolumeOrder.oneAtATime().blockTime(Duration.ofMinutes(5)))
                    .capabilities(() -> announced)
                    .build();
            try (client) {
                client.node()
                        .nodeUnpublishVolume(
                                NodeUnpublishVolumeRequest.builder(ExternalVolumeId.of("vol-1"), "/run/web-1/data")
                                        .build())
                        .join();
                for (UnresolvedRequest left : client.unresolved()) {
                    System.out.println(left.rpc().csiName() + " of " + left.subject() + " may take effect yet");
                }
                assertThat(client.unresolved()).isEmpty();
            }
            assertThat(server.calls()).isEqualTo(3);
        }
    }

    @Test
    void requestLogInExampleHasReadableLines() throws Exception {
        Path socket = directory.resolve("csi.sock");
        try (PluginServer server = PluginServer.start(socket, call -> call.ok(new byte[0]));
                LogCapture log = new LogCapture()) {
            CsiClient client = CsiClient.builder(Endpoint.unix(socket))
                    .plugin("ebs")
                    .requestLog(RequestLog.ofDefaults())
                    .build();
            try (client) {
                client.node()
                        .nodeUnpublishVolume(
                                NodeUnpublishVolumeRequest.builder(ExternalVolumeId.of("vol-1"), "/run/web-1/data")
                                        .build())
                        .join();
            }
            assertThat(log.texts())
                    .anySatisfy(
                            text -> assertThat(text)
                                    .contains(
                                            "call 1, attempt 1: NodeUnpublishVolume for vol-1 at plugin ebs is sent with a deadline of "))
                    .anySatisfy(text -> assertThat(text)
                            .contains("call 1, attempt 1: NodeUnpublishVolume for vol-1 at plugin ebs ended with OK"));
            assertThat(server.calls()).isEqualTo(1);
        }
    }
}
