package io.csi4j.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.rpc.CsiRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each field of each request reaches the plugin, and each field of each response reaches the caller. */
@Tag("versions")
class RoundTripTest {
    private static final int VARIANTS = 2;

    @TempDir
    Path dir;

    private PluginServer plugin;
    private CsiClient client;
    private volatile byte[] answer = new byte[0];

    @BeforeEach
    void start() throws IOException {
        Path socket = dir.resolve("csi.sock");
        plugin = PluginServer.start(socket, call -> call.ok(answer));
        client = CsiClient.connect("unix://" + socket);
    }

    @AfterEach
    void stop() {
        client.close();
        plugin.close();
    }

    @ParameterizedTest
    @EnumSource
    void eachFieldOfRequestReachesPlugin(Rpc rpc) throws Exception {
        answer = answer(rpc, 0).toByteArray();
        for (int variant = 0; variant < VARIANTS; variant++) {
            call(rpc, FilledRequests.of(rpc, variant));

            PluginServer.Call received = plugin.next();
            assertThat(received.wire().getMethodDescriptor().getFullMethodName())
                    .isEqualTo("csi.v1." + rpc.service().csiName() + "/" + rpc.csiName());
            Message expected = Filled.message(rpc.csiName() + "Request", variant);
            assertThat(DynamicMessage.parseFrom(expected.getDescriptorForType(), received.request()))
                    .isEqualTo(expected);
        }
    }

    @ParameterizedTest
    @EnumSource
    void eachFieldOfResponseReachesCaller(Rpc rpc) throws Exception {
        for (int variant = 0; variant < VARIANTS; variant++) {
            answer = answer(rpc, variant).toByteArray();

            assertThat(call(rpc, FilledRequests.of(rpc, 0))).isEqualTo(FilledResponses.of(rpc, variant));
        }
    }

    /** Removing any field of a response changes the decoded response, so no field is ignored. */
    @ParameterizedTest
    @EnumSource
    void removingAnyFieldFromResponseChangesDecodedValue(Rpc rpc) throws Exception {
        for (int variant = 0; variant < VARIANTS; variant++) {
            Object whole = FilledResponses.of(rpc, variant);
            for (Message without : withoutOneField(answer(rpc, variant))) {
                answer = without.toByteArray();
                assertThat(outcome(rpc)).as("%s", without).isNotEqualTo(whole);
            }
        }
    }

    private Object outcome(Rpc rpc) throws Exception {
        try {
            return call(rpc, FilledRequests.of(rpc, 0));
        } catch (CompletionException failed) {
            assertThat(failed.getCause()).isInstanceOf(CsiCallException.class);
            return failed.getCause();
        }
    }

    private Object call(Rpc rpc, CsiRequest request) throws Exception {
        return EveryRpc.call(client, rpc, request)
                .orTimeout(20, TimeUnit.SECONDS)
                .join();
    }

    private static Message answer(Rpc rpc, int variant) throws InvalidProtocolBufferException {
        return Filled.message(rpc.csiName() + "Response", variant);
    }

    /** Returns copies of a message, each without one of its fields at any depth. */
    private static List<Message> withoutOneField(Message message) {
        List<Message> all = new ArrayList<>();
        message.getAllFields().forEach((field, value) -> {
            all.add(message.toBuilder().clearField(field).build());
            if (field.getJavaType() != FieldDescriptor.JavaType.MESSAGE || field.isMapField()) {
                return;
            }
            if (!field.isRepeated()) {
                withoutOneField((Message) value)
                        .forEach(inner -> all.add(
                                message.toBuilder().setField(field, inner).build()));
                return;
            }
            for (int i = 0; i < message.getRepeatedFieldCount(field); i++) {
                int at = i;
                withoutOneField((Message) message.getRepeatedField(field, i))
                        .forEach(inner -> all.add(message.toBuilder()
                                .setRepeatedField(field, at, inner)
                                .build()));
            }
        });
        return all;
    }
}
