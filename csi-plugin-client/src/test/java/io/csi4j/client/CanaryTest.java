package io.csi4j.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.Message;
import io.csi4j.client.retry.RetryOptions;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.rpc.CsiRequest;
import io.grpc.Metadata;
import io.grpc.Status;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Secrets, contexts and mount flags appear in calls to the plugin and nowhere else, even if the plugin repeats them in its responses (R35).
 */
class CanaryTest {
    private static final Metadata.Key<String> TRAILER = Metadata.Key.of("x-detail", Metadata.ASCII_STRING_MARSHALLER);

    @TempDir
    Path dir;

    private final LogCapture log = new LogCapture();
    private final List<String> observed = new ArrayList<>();
    private PluginServer plugin;
    private CsiClient client;

    @BeforeEach
    void start() throws IOException {
        Path socket = dir.resolve("csi.sock");
        plugin = PluginServer.start(socket, call -> call.end(Status.OK));
        client = CsiClient.builder(Endpoint.unix(socket))
                .retries(RetryOptions.builder()
                        .initialBackoff(Duration.ofMillis(1))
                        .maxBackoff(Duration.ofMillis(1))
                        .build())
                .build();
    }

    @AfterEach
    void stop() {
        client.close();
        plugin.close();
        log.close();
    }

    @ParameterizedTest
    @EnumSource
    void secretsInErrorTextOfPluginAreRemoved(Rpc rpc) throws Exception {
        CsiRequest request = Canaries.in(rpc, FilledRequests.of(rpc, 1));
        // Tests each canary in a separate error text, because long texts are truncated, and then all of them around the
        // place of the truncation.
        List<List<String>> echoes = Stream.concat(Canaries.all().stream().map(List::of), Stream.of(Canaries.all()))
                .toList();
        List<Status> statuses = List.of(
                Status.INTERNAL, Status.INVALID_ARGUMENT, Status.UNAVAILABLE, Status.UNAUTHENTICATED, Status.UNKNOWN);
        for (int i = 0; i < echoes.size(); i++) {
            List<String> canaries = echoes.get(i);
            Status status = statuses.get(i % statuses.size());
            plugin.behave(call -> {
                List<String> reported = new ArrayList<>(reportedTo(call));
                reported.retainAll(canaries);
                String all = String.join(" ", reported);
                Metadata trailers = new Metadata();
                trailers.put(TRAILER, all);
                String text = "no: " + all + " or " + String.join(" ", Canaries.forms(reported)) + " or " + all + all;
                call.wire().close(status.withDescription(text), trailers);
            });

            CsiCallException failure = failure(rpc, request);

            assertThat(failure.code().name()).isEqualTo(status.getCode().name());
            seeAll(failure);
            boolean hidden = failure.getMessage().contains("[hidden]");
            assertThat(hidden).isEqualTo(!Collections.disjoint(reportedTo(arrived(rpc, request)), canaries));
        }
        nothingIsShown(request);
    }

    @ParameterizedTest
    @EnumSource
    void secretsInResponseOfPluginAreRemoved(Rpc rpc) throws Exception {
        CsiRequest request = Canaries.in(rpc, FilledRequests.of(rpc, 1));
        Message answer = Filled.message(rpc.csiName() + "Response", 1);
        plugin.behave(call -> call.ok(echoing(answer, String.join(" and ", reportedTo(call)))));

        Object response = EveryRpc.call(client, rpc, request)
                .orTimeout(20, TimeUnit.SECONDS)
                .join();

        observed.add(String.valueOf(response));
        arrived(rpc, request);
        nothingIsShown(request);
    }

    @ParameterizedTest
    @EnumSource
    void errorForUnusableResponseShowsNoSecrets(Rpc rpc) throws Exception {
        CsiRequest request = Canaries.in(rpc, FilledRequests.of(rpc, 1));
        // An undecodable message that contains the canaries: field 1 with a length beyond the end.
        byte[] garbage = ByteString.copyFrom(new byte[] {0x0A, 0x7F})
                .concat(ByteString.copyFromUtf8(Canaries.SECRET))
                .toByteArray();
        plugin.behave(call -> call.ok(garbage));

        seeAll(failure(rpc, request));
        arrived(rpc, request);
        nothingIsShown(request);
    }

    @ParameterizedTest
    @EnumSource
    void errorForBrokenConnectionShowsNoSecrets(Rpc rpc) throws Exception {
        CsiRequest request = Canaries.in(rpc, FilledRequests.of(rpc, 1));
        plugin.behave(call -> {});
        var pending = EveryRpc.call(client, rpc, request);
        observed.add(pending.toString());
        arrived(rpc, request);
        plugin.close();

        pending.exceptionally(failure -> null).get(20, TimeUnit.SECONDS);
        pending.handle((answer, failure) -> {
                    seeAll(failure);
                    return null;
                })
                .join();
        nothingIsShown(request);
    }

    /** Checks that this test would find a canary in the logs. */
    @Test
    void secretLoggedAtTraceLevelIsFoundInCapturedLogs() {
        System.getLogger("io.csi4j.client.CanaryTest").log(System.Logger.Level.TRACE, "a {0}", Canaries.SECRET);

        assertThat(log.texts()).anySatisfy(text -> assertThat(text).contains(Canaries.SECRET));
    }

    /** Returns the confidential values that the plugin has received and could repeat. */
    private static List<String> reportedTo(PluginServer.Call call) {
        String bytes = call.request().toString(StandardCharsets.ISO_8859_1);
        return Canaries.all().stream().filter(bytes::contains).toList();
    }

    private CsiCallException failure(Rpc rpc, CsiRequest request) {
        try {
            Object answer = EveryRpc.call(client, rpc, request)
                    .orTimeout(20, TimeUnit.SECONDS)
                    .join();
            throw new AssertionError("unexpected answer: " + answer);
        } catch (CompletionException failed) {
            seeAll(failed);
            assertThat(failed).hasCauseInstanceOf(CsiCallException.class);
            return (CsiCallException) failed.getCause();
        }
    }

    /** Checks the text of an exception, the texts of its causes, and the stack trace. */
    private void seeAll(Throwable failure) {
        StringWriter trace = new StringWriter();
        failure.printStackTrace(new PrintWriter(trace, true));
        observed.add(failure.toString());
        observed.add(trace.toString());
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            observed.add(String.valueOf(cause.getMessage()));
            observed.add(String.valueOf(cause.getLocalizedMessage()));
        }
    }

    private void nothingIsShown(CsiRequest request) {
        observed.add(request.toString());
        observed.add(client.toString());
        observed.addAll(log.texts());
        List<String> texts =
                observed.stream().map(text -> text.toLowerCase(Locale.ROOT)).toList();
        for (String form : Canaries.forbidden()) {
            String lower = form.toLowerCase(Locale.ROOT);
            assertThat(texts.stream().filter(text -> text.contains(lower)))
                    .as(form)
                    .isEmpty();
        }
    }

    /** Checks that the plugin has received all confidential values of the request. */
    private PluginServer.Call arrived(Rpc rpc, CsiRequest request) throws Exception {
        PluginServer.Call call = plugin.next();
        Message wire = DynamicMessage.parseFrom(Filled.descriptor(rpc.csiName() + "Request"), call.request());
        String bytes = call.request().toString(StandardCharsets.ISO_8859_1);
        int expected = 0;
        for (FieldDescriptor field : wire.getDescriptorForType().getFields()) {
            switch (field.getName()) {
                case "secrets" -> {
                    assertThat(bytes).contains(Canaries.SECRET, Canaries.LONG_SECRET);
                    expected++;
                }
                case "volume_context" -> {
                    assertThat(bytes).contains(Canaries.VOLUME_CONTEXT);
                    expected++;
                }
                case "publish_context" -> {
                    assertThat(bytes).contains(Canaries.PUBLISH_CONTEXT);
                    expected++;
                }
                case "volume_capability", "volume_capabilities" -> {
                    assertThat(bytes).contains(Canaries.FLAG);
                    expected++;
                }
                default -> {
                    // The field has no confidential value.
                }
            }
        }
        assertThat(expected > 0).isEqualTo(carries(request));
        return call;
    }

    private static boolean carries(CsiRequest request) {
        return request.toString().contains("not shown]");
    }

    /** Returns a response that repeats the confidential values in all texts for people and in all opaque fields. */
    private static Message echoing(Message message, String all) {
        Message.Builder echo = message.toBuilder();
        for (FieldDescriptor field : message.getAllFields().keySet()) {
            String name = field.getName();
            if (name.equals("message") || name.equals("reason")) {
                echo.setField(field, "refused: " + all);
            } else if (name.equals("volume_context") || name.equals("publish_context")) {
                List<FieldDescriptor> entry = field.getMessageType().getFields();
                echo.addRepeatedField(
                        field,
                        DynamicMessage.newBuilder(field.getMessageType())
                                .setField(entry.get(0), "echo")
                                .setField(entry.get(1), all)
                                .build());
            } else if (name.equals("mount_flags")) {
                echo.addRepeatedField(field, all);
            } else if (field.getJavaType() == FieldDescriptor.JavaType.MESSAGE && !field.isMapField()) {
                if (field.isRepeated()) {
                    for (int i = 0; i < message.getRepeatedFieldCount(field); i++) {
                        echo.setRepeatedField(field, i, echoing((Message) message.getRepeatedField(field, i), all));
                    }
                } else {
                    echo.setField(field, echoing((Message) message.getField(field), all));
                }
            }
        }
        return echo.build();
    }
}
