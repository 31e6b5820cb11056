package io.csi4j.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import com.google.protobuf.UnknownFieldSet;
import io.csi4j.client.internal.call.CapabilityGuard;
import io.csi4j.client.retry.VolumeOrder;
import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.RpcService;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.GroupControllerCapability;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.WireEnum;
import io.csi4j.core.internal.capability.CapabilityRow;
import io.csi4j.core.internal.capability.CapabilityTable;
import io.csi4j.core.metadata.MetadataPage;
import io.csi4j.core.rpc.CsiRequest;
import io.csi4j.core.rpc.DeleteVolumeRequest;
import io.grpc.Status;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Relayed calls have the same bytes, responses, checks and retries as direct calls. */
class RelayTest {
    private static final Duration DEADLINE = Duration.ofSeconds(20);

    @TempDir
    Path dir;

    private PluginServer plugin;
    private CsiClient client;
    private volatile Capabilities announced = Capabilities.unknown();
    /** The capabilities that the sender of relayed calls has. */
    private volatile Capabilities known = Capabilities.unknown();

    @BeforeEach
    void start() throws Exception {
        Path socket = dir.resolve("csi.sock");
        plugin = PluginServer.start(socket, call -> call.end(Status.OK));
        client = CsiClient.builder(Endpoint.unix(socket))
                .plugin("ebs")
                .volumeOrder(VolumeOrder.oneAtATime())
                .capabilities(() -> announced)
                .build();
    }

    @AfterEach
    void stop() {
        client.close();
        plugin.close();
    }

    static Stream<Rpc> relayed() {
        return Stream.of(Rpc.values())
                .filter(rpc -> rpc.service() == RpcService.CONTROLLER || rpc.service() == RpcService.GROUP_CONTROLLER);
    }

    /** Makes the same call over a relay that passes messages as bytes. */
    private CompletableFuture<?> far(CallRelay relay, Rpc rpc, CsiRequest request) throws Exception {
        RelayedServices services = RelayedServices.over(
                new CallRelay() {
                    @Override
                    public CompletableFuture<byte[]> relay(RelayedCall call, Duration deadline) {
                        return relay.relay(RelayedCall.of(call.rpc(), call.message()), deadline);
                    }

                    @Override
                    public CompletableFuture<MetadataPage<byte[]>> page(RelayedCall call, Duration deadline) {
                        return relay.page(RelayedCall.of(call.rpc(), call.message()), deadline);
                    }
                },
                "ebs",
                CallDeadlines.ofDefaults().withAll(DEADLINE),
                () -> known);
        return call(
                rpc.service() == RpcService.CONTROLLER ? services.controller() : services.groupController(),
                rpc,
                request);
    }

    private static CompletableFuture<?> call(Object service, Rpc rpc, CsiRequest request) throws Exception {
        String name =
                Character.toLowerCase(rpc.csiName().charAt(0)) + rpc.csiName().substring(1);
        for (Method method : service.getClass().getInterfaces()[0].getMethods()) {
            if (method.getName().equals(name)) {
                Object[] arguments = method.getParameterCount() == 0 ? new Object[0] : new Object[] {request};
                return (CompletableFuture<?>) method.invoke(service, arguments);
            }
        }
        throw new AssertionError("no method " + name);
    }

    @ParameterizedTest
    @MethodSource("relayed")
    void relayedCallHasSameBytesAndResponseAsDirectCall(Rpc rpc) throws Exception {
        Message answer = Filled.message(rpc.csiName() + "Response", 1);
        plugin.behave(call -> call.ok(answer));
        CsiRequest request = FilledRequests.of(rpc, 1);

        Object near = EveryRpc.call(client, rpc, request).get(20, TimeUnit.SECONDS);
        Object far = far(client.relay(), rpc, request).get(20, TimeUnit.SECONDS);

        assertThat(String.valueOf(far)).isEqualTo(String.valueOf(near));
        assertThat(plugin.next().request()).isEqualTo(plugin.next().request());
    }

    @ParameterizedTest
    @MethodSource("relayed")
    void callOfFoundClientHasSameBytesAndResponseAsDirectCall(Rpc rpc) throws Exception {
        Message answer = Filled.message(rpc.csiName() + "Response", 1);
        plugin.behave(call -> call.ok(answer));
        CsiRequest request = FilledRequests.of(rpc, 1);
        ClientServices services = ClientServices.of(
                new ClientServices.Finder() {
                    @Override
                    public <R> CompletableFuture<R> call(
                            RelayedCall call, Function<CsiClient, CompletableFuture<R>> made) {
                        assertThat(call.rpc()).isEqualTo(rpc);
                        return made.apply(client);
                    }
                },
                CallDeadlines.ofDefaults());
        Object service = rpc.service() == RpcService.CONTROLLER ? services.controller() : services.groupController();

        Object near = EveryRpc.call(client, rpc, request).get(20, TimeUnit.SECONDS);
        Object found = call(service, rpc, request).get(20, TimeUnit.SECONDS);

        assertThat(String.valueOf(found)).isEqualTo(String.valueOf(near));
        assertThat(plugin.next().request()).isEqualTo(plugin.next().request());
    }

    @ParameterizedTest
    @MethodSource("relayed")
    void relayedCallHasSameVolumeAndPathAsDirectCall(Rpc rpc) throws Exception {
        RelayedCall[] near = new RelayedCall[1];
        CallRelay looking = new CallRelay() {
            @Override
            public CompletableFuture<byte[]> relay(RelayedCall call, Duration deadline) {
                near[0] = call;
                return new CompletableFuture<>();
            }

            @Override
            public CompletableFuture<MetadataPage<byte[]>> page(RelayedCall call, Duration deadline) {
                return CompletableFuture.failedFuture(new AssertionError("unexpected request for a page"));
            }
        };
        RelayedServices services =
                RelayedServices.over(looking, "ebs", CallDeadlines.ofDefaults(), Capabilities::unknown);
        Object service = rpc.service() == RpcService.CONTROLLER ? services.controller() : services.groupController();
        var unused = call(service, rpc, FilledRequests.of(rpc, 1));

        RelayedCall arrived = RelayedCall.of(near[0].rpc(), near[0].message());

        assertThat(arrived.subject()).isEqualTo(near[0].subject());
        assertThat(arrived.call().continuesPage()).isEqualTo(near[0].call().continuesPage());
        assertThat(arrived.call().location()).isEqualTo(near[0].call().location());
        assertThat(arrived.call().identity()).isEqualTo(near[0].call().identity());
    }

    @ParameterizedTest
    @EnumSource
    void relayRejectsCallsOfOtherServices(Rpc rpc) {
        if (relayed().anyMatch(rpc::equals) || rpc.service() == RpcService.SNAPSHOT_METADATA) {
            byte[] message = Filled.message(rpc.csiName() + "Request", 1).toByteArray();
            assertThat(RelayedCall.of(rpc, message).rpc()).isEqualTo(rpc);
        } else {
            assertThatThrownBy(() -> RelayedCall.of(rpc, new byte[0]))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(rpc.csiName())
                    .hasMessageContaining("Controller");
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"GET_METADATA_ALLOCATED", "GET_METADATA_DELTA", "LIST_VOLUMES"})
    void streamsHavePagesAndOtherCallsOneResponse(Rpc rpc) {
        RelayedCall call =
                RelayedCall.of(rpc, Filled.message(rpc.csiName() + "Request", 1).toByteArray());
        try (CsiClient client = CsiClient.connect("unix:///tmp/nobody-listens.sock")) {
            boolean stream = rpc.service() == RpcService.SNAPSHOT_METADATA;
            assertThatThrownBy(() -> {
                        if (stream) {
                            client.relay().relay(call, Duration.ofSeconds(1));
                        } else {
                            client.relay().page(call, Duration.ofSeconds(1));
                        }
                    })
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(rpc.csiName());
        }
    }

    @Test
    void undecodableRequestIsRejectedAndItsBytesAreNotInError() {
        byte[] garbage = ByteString.copyFrom(new byte[] {0x0A, 0x7F})
                .concat(ByteString.copyFromUtf8(Canaries.SECRET))
                .toByteArray();
        assertThatThrownBy(() -> RelayedCall.of(Rpc.CREATE_VOLUME, garbage))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("CreateVolume")
                .hasNoCause()
                .satisfies(refused -> assertThat(refused.getMessage()).doesNotContain("canary"));
    }

    /** A field and an enum number that only a newer CSI version has are relayed in both directions. */
    @Test
    void unknownFieldsFromNewerVersionAreRelayed() throws Exception {
        UnknownFieldSet newer = UnknownFieldSet.newBuilder()
                .addField(
                        4711,
                        UnknownFieldSet.Field.newBuilder()
                                .addLengthDelimited(ByteString.copyFromUtf8("from the future"))
                                .build())
                .build();
        byte[] request = Filled.message("DeleteVolumeRequest", 1).toBuilder()
                .setUnknownFields(newer)
                .build()
                .toByteArray();
        byte[] answer = Filled.message("DeleteVolumeResponse", 1).toBuilder()
                .setUnknownFields(newer)
                .build()
                .toByteArray();
        plugin.behave(call -> call.ok(answer));

        byte[] got = client.relay()
                .relay(RelayedCall.of(Rpc.DELETE_VOLUME, request), DEADLINE)
                .get(20, TimeUnit.SECONDS);

        assertThat(new String(got, StandardCharsets.UTF_8)).contains("from the future");
        assertThat(plugin.next().request().toStringUtf8()).contains("from the future");
    }

    @Test
    void relayWithExecutorCompletesCallOnThatExecutor() throws Exception {
        plugin.behave(call -> call.ok(Filled.message("DeleteVolumeResponse", 1).toByteArray()));
        byte[] request = Filled.message("DeleteVolumeRequest", 1).toByteArray();
        ExecutorService executor = Executors.newSingleThreadExecutor(task -> new Thread(task, "relay"));
        try {
            CompletableFuture<String> thread = new CompletableFuture<>();
            CompletableFuture<Void> attached = new CompletableFuture<>();
            // Blocks the executor until the stage below is attached, so that the stage runs where the call completes.
            executor.execute(attached::join);
            var unused = client.relay(executor)
                    .relay(RelayedCall.of(Rpc.DELETE_VOLUME, request), DEADLINE)
                    .thenAccept(answer -> thread.complete(Thread.currentThread().getName()));
            attached.complete(null);
            assertThat(thread.get(20, TimeUnit.SECONDS)).isEqualTo("relay");
        } finally {
            executor.shutdown();
        }
    }

    @Test
    void invalidRelayedResponseFailsCallAtReceiver() throws Exception {
        plugin.behave(call -> call.ok(new byte[0]));
        CsiRequest request = FilledRequests.of(Rpc.CREATE_VOLUME, 1);

        CsiCallException failure = failure(far(client.relay(), Rpc.CREATE_VOLUME, request), CsiCallException.class);

        assertThat(failure.code()).isEqualTo(StatusCode.INTERNAL);
        assertThat(failure.outcome()).isEqualTo(CallOutcome.OUTCOME_UNKNOWN);
        assertThat(failure).hasMessageContaining("volume is missing");
    }

    @Test
    void relayedAndDirectCallsOfOneVolumeWaitForEachOther() throws Exception {
        plugin.behave(call -> {});
        DeleteVolumeRequest delete =
                DeleteVolumeRequest.builder(ExternalVolumeId.of("vol-1")).build();
        CompletableFuture<?> first = client.controller().deleteVolume(delete);
        PluginServer.Call underWay = plugin.next();
        CompletableFuture<?> second = far(client.relay(), Rpc.DELETE_VOLUME, delete);
        // A call about another volume completes in the meantime, so the second call would have been sent if it could.
        plugin.behave(call -> call.ok(new byte[0]));
        far(
                        client.relay(),
                        Rpc.DELETE_VOLUME,
                        DeleteVolumeRequest.builder(ExternalVolumeId.of("vol-2"))
                                .build())
                .get(20, TimeUnit.SECONDS);
        assertThat(plugin.calls()).isEqualTo(2);
        assertThat(second).isNotDone();

        underWay.ok(new byte[0]);

        first.get(20, TimeUnit.SECONDS);
        second.get(20, TimeUnit.SECONDS);
        assertThat(plugin.calls()).isEqualTo(3);
    }

    @Test
    void relayedCallOfUnsupportedRpcIsNotSent() throws Exception {
        announced = Capabilities.unknown()
                .withController(CapabilitySet.of(
                        ControllerCapability.class, List.of(ControllerCapability.PUBLISH_UNPUBLISH_VOLUME)));
        plugin.behave(call -> call.ok(new byte[0]));
        DeleteVolumeRequest delete =
                DeleteVolumeRequest.builder(ExternalVolumeId.of("vol-1")).build();

        CsiRequestException refused =
                failure(far(client.relay(), Rpc.DELETE_VOLUME, delete), CsiRequestException.class);

        assertThat(refused).hasMessageContaining("CREATE_DELETE_VOLUME");
        assertThat(plugin.calls()).isZero();
    }

    /** The sender rejects a request like the client does if it needs an unsupported RPC or field (R42). */
    @ParameterizedTest
    @MethodSource("relayed")
    void relayedCallWithUnsupportedFieldIsRejectedLikeDirectCall(Rpc rpc) throws Exception {
        plugin.behave(call -> call.ok(Filled.message(call.rpc() + "Response", 1)));
        int refused = 0;
        for (CapabilityRow row : CapabilityTable.rows()) {
            announced = allBut(row.capability());
            known = announced;
            for (int variant = 1; variant <= 4; variant++) {
                CsiRequest request = FilledRequests.of(rpc, variant);
                RuntimeException near = new CapabilityGuard("ebs", () -> announced).refusal(rpc, request);
                if (near instanceof CsiRequestException local) {
                    int before = plugin.calls();
                    CsiRequestException far = failure(far(client.relay(), rpc, request), CsiRequestException.class);
                    assertThat(far.problems()).as("%s", row).isEqualTo(local.problems());
                    assertThat(far).hasMessage(local.getMessage());
                    assertThat(plugin.calls()).isEqualTo(before);
                    refused++;
                }
            }
        }
        announced = Capabilities.unknown();
        known = announced;
        far(client.relay(), rpc, FilledRequests.of(rpc, 1)).get(20, TimeUnit.SECONDS);
        assertThat(refused).isPositive();
    }

    /** Returns all capabilities except one. */
    private static Capabilities allBut(WireEnum missing) {
        return Capabilities.unknown()
                .withServices(but(PluginService.class, missing))
                .withController(but(ControllerCapability.class, missing))
                .withGroupController(but(GroupControllerCapability.class, missing))
                .withNode(but(NodeCapability.class, missing));
    }

    private static <E extends Enum<E> & WireEnum> CapabilitySet<E> but(Class<E> type, WireEnum missing) {
        Set<E> all = EnumSet.allOf(type);
        all.removeIf(each -> each == missing);
        return CapabilitySet.of(type, all);
    }

    @Test
    void cancellingRelayedCallCancelsItAtPlugin() throws Exception {
        plugin.behave(call -> {});
        CompletableFuture<?> call = far(
                client.relay(),
                Rpc.DELETE_VOLUME,
                DeleteVolumeRequest.builder(ExternalVolumeId.of("vol-1")).build());
        plugin.next();
        call.cancel(false);
        assertThat(plugin.nextCancelled().rpc()).isEqualTo("DeleteVolume");
    }

    private static <T extends Throwable> T failure(CompletableFuture<?> future, Class<T> type) throws Exception {
        try {
            throw new AssertionError("unexpected answer: " + future.get(20, TimeUnit.SECONDS));
        } catch (ExecutionException failed) {
            assertThat(failed.getCause()).isInstanceOf(type);
            return type.cast(failed.getCause());
        }
    }
}
