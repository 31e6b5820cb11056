package io.csi4j.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.csi4j.core.call.Rpc;
import io.csi4j.proto.csi.v1.ControllerGrpc;
import io.csi4j.proto.csi.v1.GroupControllerGrpc;
import io.csi4j.proto.csi.v1.IdentityGrpc;
import io.csi4j.proto.csi.v1.NodeGrpc;
import io.csi4j.proto.csi.v1.SnapshotMetadataGrpc;
import io.grpc.MethodDescriptor;
import io.grpc.ServiceDescriptor;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A repeated request has identical fields (R29), so its encoded bytes are equal. */
class RequestEncodingTest {
    @TempDir
    Path dir;

    @ParameterizedTest
    @EnumSource
    void equalRequestsAreEncodedToEqualBytesAndMapEntriesKeepTheirOrder(Rpc rpc) throws Exception {
        Path socket = dir.resolve("csi.sock");
        byte[] answer = Filled.message(rpc.csiName() + "Response", 0).toByteArray();
        try (PluginServer plugin = PluginServer.start(socket, call -> call.ok(answer));
                CsiClient client = CsiClient.connect("unix://" + socket)) {
            ByteString first = sent(plugin, client, rpc);

            assertThat(sent(plugin, client, rpc)).isEqualTo(first);
            String bytes = first.toString(StandardCharsets.ISO_8859_1);
            Filled.descriptor(rpc.csiName() + "Request").getFields().stream()
                    .filter(field -> field.isMapField())
                    .forEach(field -> assertThat(bytes.indexOf(field.getName() + ".z"))
                            .isNotNegative()
                            .isLessThan(bytes.indexOf(field.getName() + ".a")));
        }
    }

    private static ByteString sent(PluginServer plugin, CsiClient client, Rpc rpc) throws Exception {
        EveryRpc.call(client, rpc, FilledRequests.of(rpc, 0))
                .orTimeout(20, TimeUnit.SECONDS)
                .join();
        return plugin.next().request();
    }

    /** The RPCs of the enum are those of the proto file. */
    @Test
    void rpcEnumContainsExactlyRpcsOfProtoFile() {
        Stream<ServiceDescriptor> services = Stream.of(
                IdentityGrpc.getServiceDescriptor(),
                ControllerGrpc.getServiceDescriptor(),
                GroupControllerGrpc.getServiceDescriptor(),
                SnapshotMetadataGrpc.getServiceDescriptor(),
                NodeGrpc.getServiceDescriptor());

        assertThat(services.flatMap(service -> service.getMethods().stream()).map(MethodDescriptor::getFullMethodName))
                .hasSize(36)
                .containsExactlyInAnyOrderElementsOf(Arrays.stream(Rpc.values())
                        .map(rpc -> "csi.v1." + rpc.service().csiName() + "/" + rpc.csiName())
                        .toList());
    }
}
