package io.csi4j.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.GroupControllerCapability;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.csi.PluginService;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Calls that need a capability which the plugin has not reported are never sent (R42). */
class CapabilityGuardTest {
    private static final Capabilities NOTHING = Capabilities.unknown()
            .withServices(CapabilitySet.of(PluginService.class, List.of()))
            .withController(CapabilitySet.of(ControllerCapability.class, List.of()))
            .withGroupController(CapabilitySet.of(GroupControllerCapability.class, List.of()))
            .withNode(CapabilitySet.of(NodeCapability.class, List.of()));

    @TempDir
    Path directory;

    private final AtomicReference<Capabilities> known = new AtomicReference<>(NOTHING);
    private PluginServer server;
    private CsiClient client;

    @BeforeEach
    void start() throws Exception {
        Path socket = directory.resolve("x.sock");
        server = PluginServer.start(socket, call -> call.ok(Filled.message(call.rpc() + "Response", 0)));
        client = CsiClient.builder(Endpoint.unix(socket))
                .plugin("ebs")
                .capabilities(known::get)
                .build();
    }

    @AfterEach
    void stop() {
        client.close();
        server.close();
    }

    @ParameterizedTest
    @EnumSource
    void pluginWithoutCapabilitiesGetsOnlyMandatoryCalls(Rpc rpc) {
        boolean always = switch (rpc) {
            case GET_PLUGIN_INFO,
                    GET_PLUGIN_CAPABILITIES,
                    PROBE,
                    NODE_GET_CAPABILITIES,
                    NODE_GET_INFO,
                    NODE_UNPUBLISH_VOLUME -> true;
            default -> false;
        };
        var call = EveryRpc.call(client, rpc, FilledRequests.of(rpc, 0)).orTimeout(20, TimeUnit.SECONDS);
        if (always) {
            call.join();
            assertThat(server.calls()).isEqualTo(1);
        } else {
            assertThatThrownBy(call::join)
                    .hasCauseInstanceOf(CsiRequestException.class)
                    .hasMessageContainingAll(
                            rpc.csiName() + "Request was refused, nothing was sent", "plugin ebs has not announced");
            assertThat(server.calls()).isZero();
        }
    }

    @Test
    void callIsNotRejectedWhileCapabilitiesAreUnknown() {
        assertThatThrownBy(() -> EveryRpc.call(client, Rpc.LIST_VOLUMES, FilledRequests.of(Rpc.LIST_VOLUMES, 0))
                        .join())
                .hasMessageContaining("controller capability LIST_VOLUMES");
        known.set(Capabilities.unknown());
        assertThat(EveryRpc.call(client, Rpc.LIST_VOLUMES, FilledRequests.of(Rpc.LIST_VOLUMES, 0))
                        .orTimeout(20, TimeUnit.SECONDS)
                        .join())
                .isNotNull();
    }

    @Test
    void failingCapabilitySupplierFailsCall() {
        CsiClient broken = CsiClient.builder(Endpoint.unix(directory.resolve("x.sock")))
                .capabilities(() -> {
                    throw new IllegalStateException("no facts");
                })
                .build();
        try (broken) {
            assertThatThrownBy(() -> EveryRpc.call(broken, Rpc.PROBE, FilledRequests.of(Rpc.PROBE, 0))
                            .join())
                    .hasRootCauseMessage("no facts");
        }
        assertThat(server.calls()).isZero();
    }
}
