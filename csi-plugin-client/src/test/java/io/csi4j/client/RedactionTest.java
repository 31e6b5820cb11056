package io.csi4j.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.discipline.RetryOptions;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.csi.AccessMode;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.MountVolume;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.rpc.ControllerPublishVolumeRequest;
import io.grpc.Status;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
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

/** What of a failure's text is hidden, and what stays readable. */
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
    void contextThatHoldsTheVolumeIdHidesNoIdOfTheCall() {
        String text = publish(
                Map.of("id", "vol-1", "node", "node-7", "driver", "hostpath", "rpc", "ControllerPublishVolume"),
                "vol-1 of hostpath is not found for node-7");

        assertThat(text)
                .startsWith("ControllerPublishVolume for vol-1 at plugin hostpath failed (NOT_FOUND): ")
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
                .startsWith("ControllerPublishVolume for vol-1 at plugin hostpath failed (NOT_FOUND): ")
                .contains(
                        "lun [hidden] of 10 at 10.0.0.1 in disk1, 1.5 GB, golden; forward=[hidden], [hidden], failed");
        assertThat(lines).anySatisfy(line -> assertThat(line).contains(text));
    }

    @Test
    void idInsideLongerValueIsHiddenWithIt() {
        assertThat(publish(Map.of("path", "/exports/vol-1/key"), "no /exports/vol-1/key for vol-1"))
                .contains("no [hidden] for vol-1.");
    }

    @Test
    void longValueIsHiddenInOtherCaseAndInBase64AndHex() {
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

    private String publish(Map<String, String> context, String said) {
        plugin.behave(call -> call.end(Status.NOT_FOUND.withDescription(said)));
        return failed(client.controller()
                .controllerPublishVolume(ControllerPublishVolumeRequest.builder(
                                ExternalVolumeId.of("vol-1"),
                                ExternalNodeId.of("node-7"),
                                VolumeCapability.mount(
                                        AccessMode.SINGLE_NODE_WRITER,
                                        MountVolume.builder().build()))
                        .volumeContext(VolumeContext.of(context))
                        .secrets(Secrets.of(Map.of("token", SECRET)))
                        .build()));
    }

    private static String failed(CompletableFuture<?> call) {
        try {
            throw new AssertionError(
                    "answered: " + call.orTimeout(20, TimeUnit.SECONDS).join());
        } catch (CompletionException failure) {
            assertThat(failure).hasCauseInstanceOf(CsiCallException.class);
            return failure.getCause().getMessage();
        }
    }
}
