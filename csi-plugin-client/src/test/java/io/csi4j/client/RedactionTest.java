package io.csi4j.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.retry.RetryOptions;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.MountVolume;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.rpc.ControllerPublishVolumeRequest;
import io.csi4j.core.rpc.ControllerUnpublishVolumeRequest;
import io.csi4j.core.rpc.ListVolumesRequest;
import io.csi4j.core.rpc.NodeUnpublishVolumeRequest;
import io.csi4j.core.rpc.NodeUnstageVolumeRequest;
import io.csi4j.proto.csi.v1.ControllerPublishVolumeResponse;
import io.grpc.Status;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The parts of error texts that are hidden, and the parts that stay readable. */
class RedactionTest {
    private static final String SECRET = "Tr0ub4dor&3/correct?";

    @TempDir
    Path dir;

    private final List<String> lines = Collections.synchronizedList(new ArrayList<>());
    private PluginServer plugin;
    private CsiClient client;

    @BeforeEach
    void start() throws IOException {
        Path socket = dir.resolve("csi.sock");
        plugin = PluginServer.start(socket, call -> call.end(Status.OK));
        client = CsiClient.builder(Endpoint.unix(socket))
                .plugin("hostpath")
                .retries(RetryOptions.none())
                .requestLog(RequestLog.to(lines::add))
                .build();
    }

    @AfterEach
    void stop() {
        client.close();
        plugin.close();
    }

    @Test
    void volumeIdStaysVisibleEvenIfContextContainsIt() {
        String text = publish(
                Map.of("id", "vol-1", "node", "node-7", "driver", "hostpath", "rpc", "ControllerPublishVolume"),
                "vol-1 of hostpath is not found for node-7");

        assertThat(text)
                .startsWith("ControllerPublishVolume for vol-1 on node-7 at plugin hostpath failed (NOT_FOUND): ")
                .contains("the plugin says: vol-1 of hostpath is not found for node-7");
        assertThat(lines).noneMatch(line -> line.contains("for [hidden]") || line.contains("[hidden] failed"));
        assertThat(lines).anySatisfy(line -> assertThat(line).contains(text));
    }

    @Test
    void shortValueIsHiddenOnlyAsWholeToken() {
        String text = publish(
                Map.of("n", "1", "mode", "rw", "tier", "gold", "plugin", "plugin"),
                "lun 1 of 10 at 10.0.0.1 in disk1, 1.5 GB, golden; forward=rw, gold, failed");

        assertThat(text)
                .startsWith("ControllerPublishVolume for vol-1 on node-7 at plugin hostpath failed (NOT_FOUND): ")
                .contains(
                        "lun [hidden] of 10 at 10.0.0.1 in disk1, 1.5 GB, golden; forward=[hidden], [hidden], failed");
        assertThat(lines).anySatisfy(line -> assertThat(line).contains(text));
    }

    @Test
    void idInsideLongerSensitiveValueIsHidden() {
        assertThat(publish(Map.of("path", "/exports/vol-1/key"), "no /exports/vol-1/key for vol-1"))
                .contains("no [hidden] for vol-1.");
    }

    @Test
    void longValueIsHiddenInAnyCaseAndEncoding() {
        byte[] bytes = SECRET.getBytes(StandardCharsets.UTF_8);
        List<String> forms = List.of(
                SECRET,
                SECRET.toLowerCase(Locale.ROOT),
                SECRET.toUpperCase(Locale.ROOT),
                Base64.getEncoder().encodeToString(bytes),
                Base64.getEncoder().withoutPadding().encodeToString(bytes),
                Base64.getUrlEncoder().encodeToString(bytes),
                Base64.getUrlEncoder().withoutPadding().encodeToString(bytes),
                HexFormat.of().formatHex(bytes),
                HexFormat.of().withUpperCase().formatHex(bytes));
        for (String form : forms) {
            assertThat(publish(Map.of(), "not with x" + form + "y"))
                    .as(form)
                    .contains("[hidden]")
                    .doesNotContainIgnoringCase(form.substring(2, form.length() - 4));
        }
    }

    @Test
    void valueFromEarlierCallIsHiddenInTextAboutSameVolume() {
        publish(Map.of("share", "nfs-share-of-the-tenant"), "no");
        plugin.behave(call -> call.end(Status.INVALID_ARGUMENT.withDescription(
                "not with " + SECRET + " on nfs-share-of-the-tenant for vol-1")));
        ExternalVolumeId volume = ExternalVolumeId.of("vol-1");

        List<String> texts = List.of(
                failed(client.controller()
                        .controllerUnpublishVolume(ControllerUnpublishVolumeRequest.fromAllNodes(volume)
                                .build())),
                failed(client.node()
                        .nodeUnpublishVolume(
                                NodeUnpublishVolumeRequest.builder(volume, "/t").build())),
                failed(client.node()
                        .nodeUnstageVolume(
                                NodeUnstageVolumeRequest.builder(volume, "/s").build())),
                failed(client.relay()
                        .relay(
                                RelayedCall.of(
                                        Rpc.CONTROLLER_UNPUBLISH_VOLUME,
                                        io.csi4j.proto.csi.v1.ControllerUnpublishVolumeRequest.newBuilder()
                                                .setVolumeId("vol-1")
                                                .build()
                                                .toByteArray()),
                                Duration.ofSeconds(20))));

        assertThat(texts).allSatisfy(text -> assertThat(text).contains("not with [hidden] on [hidden] for"));
        assertThat(lines).noneMatch(line -> line.contains(SECRET) || line.contains("nfs-share"));
    }

    @Test
    void sensitiveValuesOfAllVolumesAreHiddenInErrorsOfCallsWithoutVolume() {
        publish(Map.of("share", "nfs-share-of-the-tenant"), "no");
        plugin.behave(call ->
                call.end(Status.INTERNAL.withDescription("not with " + SECRET + " on nfs-share-of-the-tenant")));

        assertThat(failed(client.identity().probe())).contains("not with [hidden] on [hidden].");
        assertThat(failed(client.controller()
                        .listVolumes(ListVolumesRequest.builder().build())))
                .contains("not with [hidden] on [hidden].");
    }

    @Test
    void contextFromResponseIsHiddenInLaterTexts() {
        plugin.behave(call -> call.ok(ControllerPublishVolumeResponse.newBuilder()
                .putPublishContext("lun", "lun-with-a-chap-password")
                .build()));
        client.controller()
                .controllerPublishVolume(publishing(Map.of()))
                .orTimeout(20, TimeUnit.SECONDS)
                .join();
        plugin.behave(call -> call.end(Status.INTERNAL.withDescription("not at lun-with-a-chap-password")));

        assertThat(failed(client.node()
                        .nodeUnpublishVolume(NodeUnpublishVolumeRequest.builder(ExternalVolumeId.of("vol-1"), "/t")
                                .build())))
                .contains("not at [hidden].");
    }

    private String publish(Map<String, String> context, String said) {
        plugin.behave(call -> call.end(Status.NOT_FOUND.withDescription(said)));
        return failed(client.controller().controllerPublishVolume(publishing(context)));
    }

    private static ControllerPublishVolumeRequest publishing(Map<String, String> context) {
        return ControllerPublishVolumeRequest.builder(
                        ExternalVolumeId.of("vol-1"),
                        ExternalNodeId.of("node-7"),
                        VolumeCapability.mount(
                                VolumeAccessMode.SINGLE_NODE_WRITER,
                                MountVolume.builder().build()))
                .volumeContext(VolumeContext.of(context))
                .secrets(Secrets.of(Map.of("token", SECRET)))
                .build();
    }

    private static String failed(CompletableFuture<?> call) {
        try {
            throw new AssertionError(
                    "unexpected answer: " + call.orTimeout(20, TimeUnit.SECONDS).join());
        } catch (CompletionException failure) {
            assertThat(failure).hasCauseInstanceOf(CsiCallException.class);
            return failure.getCause().getMessage();
        }
    }
}
