package io.csi4j.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.Message;
import io.csi4j.client.retry.RetryOptions;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.rpc.CsiRequest;
import io.grpc.Status;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The request log contains no confidential value, even if the plugin repeats values in any field (R35). */
class RequestLogCanaryTest {
    private static final List<String> SECRETS = List.of(Canaries.SECRET, Canaries.LONG_SECRET);

    @TempDir
    Path directory;

    private final List<String> lines = Collections.synchronizedList(new ArrayList<>());
    private PluginServer plugin;
    private CsiClient client;

    @BeforeEach
    void start() throws Exception {
        Path socket = directory.resolve("x.sock");
        plugin = PluginServer.start(socket, call -> call.end(Status.OK));
        client = CsiClient.builder(Endpoint.unix(socket))
                .retries(RetryOptions.none())
                .requestLog(RequestLog.to(lines::add))
                .build();
    }

    @AfterEach
    void stop() {
        client.close();
        plugin.close();
    }

    @ParameterizedTest
    @EnumSource
    void requestLogContainsNoConfidentialValues(Rpc rpc) throws Exception {
        CsiRequest request = Canaries.in(rpc, FilledRequests.of(rpc, 1));
        Message answer = Filled.message(rpc.csiName() + "Response", 1);
        List<String> canaries = new ArrayList<>(Canaries.all());
        canaries.add(Canaries.PARAMETER);
        for (String canary : canaries) {
            boolean secret = SECRETS.contains(canary);
            for (String form : Canaries.forms(List.of(canary))) {
                plugin.behave(call -> call.ok(reported(call, canary) ? echoing(answer, form, secret) : answer));
                boolean reported = called(rpc, request, canary);
                plugin.behave(call ->
                        call.end(Status.INTERNAL.withDescription(reported(call, canary) ? "not with " + form : "no")));
                assertThat(called(rpc, request, canary)).isEqualTo(reported);
                nothingIsShown();
                if (reported) {
                    assertThat(lines).anySatisfy(line -> assertThat(line).contains("not with [hidden]"));
                    assertThat(lines)
                            .anySatisfy(line -> assertThat(line).contains("is sent with a deadline of", "[hidden]"));
                }
                assertThat(lines).hasSizeGreaterThanOrEqualTo(4);
                lines.clear();
                client.unresolved().forEach(left -> client.forgetUnresolved(left.subject()));
            }
        }
    }

    /** Makes a call; returns whether the plugin has received the canary. */
    private boolean called(Rpc rpc, CsiRequest request, String canary) throws Exception {
        EveryRpc.call(client, rpc, request)
                .orTimeout(20, TimeUnit.SECONDS)
                .handle((answer, failure) -> true)
                .join();
        return reported(plugin.next(), canary);
    }

    private static boolean reported(PluginServer.Call call, String canary) {
        return call.request().toString(StandardCharsets.ISO_8859_1).contains(canary);
    }

    private void nothingIsShown() {
        String all = String.join("\n", lines).toLowerCase(Locale.ROOT);
        Set<String> forbidden = Canaries.forbidden();
        forbidden.addAll(Canaries.forms(List.of(Canaries.PARAMETER)));
        for (String form : forbidden) {
            assertThat(all.contains(form.toLowerCase(Locale.ROOT))).as(form).isFalse();
        }
    }

    /** Returns a response with the given text in all text fields; a secret is also put into ids and into the keys of maps. */
    private static Message echoing(Message message, String text, boolean secret) {
        Message.Builder echo = message.toBuilder();
        message.getAllFields().forEach((field, value) -> {
            if (field.isMapField()) {
                if (secret || !field.getName().equals("segments")) {
                    echo.addRepeatedField(field, entry(field, secret ? text : "echo", text));
                }
            } else if (field.isRepeated()) {
                List<?> elements = (List<?>) value;
                for (int i = 0; i < elements.size(); i++) {
                    echo.setRepeatedField(field, i, echoing(field, elements.get(i), text, secret));
                }
            } else {
                echo.setField(field, echoing(field, value, text, secret));
            }
        });
        return echo.build();
    }

    private static Object echoing(FieldDescriptor field, Object value, String text, boolean secret) {
        return switch (field.getJavaType()) {
            case MESSAGE -> echoing((Message) value, text, secret);
            case STRING -> secret || !field.getName().matches("name|.*_ids?|.*_path") ? "so: " + text : value;
            default -> value;
        };
    }

    private static Message entry(FieldDescriptor field, String key, String value) {
        List<FieldDescriptor> fields = field.getMessageType().getFields();
        return DynamicMessage.newBuilder(field.getMessageType())
                .setField(fields.get(0), key)
                .setField(fields.get(1), value)
                .build();
    }
}
