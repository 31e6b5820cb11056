package io.csi4j.client.registry.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.GroupControllerCapability;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.VolumeExpansion;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.rpc.ControllerGetCapabilitiesResponse;
import io.csi4j.core.rpc.ControllerService;
import io.csi4j.core.rpc.GetPluginCapabilitiesResponse;
import io.csi4j.core.rpc.GetPluginInfoResponse;
import io.csi4j.core.rpc.GroupControllerGetCapabilitiesResponse;
import io.csi4j.core.rpc.GroupControllerService;
import io.csi4j.core.rpc.IdentityService;
import io.csi4j.core.rpc.NodeService;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The facts of a controller plugin, which are read from three services. */
class RpcQuestionsTest {
    private static final CapabilitySet<ControllerCapability> CONTROLLER =
            CapabilitySet.of(ControllerCapability.class, List.of(ControllerCapability.LIST_VOLUMES));
    private static final CapabilitySet<GroupControllerCapability> GROUP = CapabilitySet.of(
            GroupControllerCapability.class,
            List.of(GroupControllerCapability.CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT));

    /** The responses by method. */
    private final Map<String, CompletableFuture<?>> responses = new HashMap<>();

    private <S> S service(Class<S> type) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, none) -> {
            CompletableFuture<?> response = responses.get(method.getName());
            assertThat(response).as(method.getName()).isNotNull();
            return response;
        }));
    }

    private CompletableFuture<Capabilities> capabilities(PluginService... services) {
        responses.put(
                "getPluginInfo", CompletableFuture.completedFuture(new GetPluginInfoResponse("p", "1", Map.of())));
        responses.put(
                "getPluginCapabilities",
                CompletableFuture.completedFuture(new GetPluginCapabilitiesResponse(
                        CapabilitySet.of(PluginService.class, List.of(services)),
                        CapabilitySet.of(VolumeExpansion.class, List.of()))));
        return new RpcQuestions(
                        new ConnectedServices(
                                service(IdentityService.class),
                                service(ControllerService.class),
                                service(GroupControllerService.class),
                                service(NodeService.class),
                                () -> {}),
                        PluginType.CONTROLLER,
                        new CapabilityCache(() -> 0))
                .facts(true)
                .thenApply(facts -> facts.capabilities());
    }

    private static CompletableFuture<Object> failure(StatusCode code) {
        Rpc rpc = Rpc.GROUP_CONTROLLER_GET_CAPABILITIES;
        return CompletableFuture.failedFuture(
                new CsiCallException(rpc, "p", null, code, CallOutcome.of(rpc, code, false), "failed", null));
    }

    @Test
    void capabilitiesOfServicesThatPluginHasAreRead() {
        assertThat(capabilities().join().controller()).isEmpty();
        responses.put(
                "controllerGetCapabilities",
                CompletableFuture.completedFuture(new ControllerGetCapabilitiesResponse(CONTROLLER)));
        Capabilities one = capabilities(PluginService.CONTROLLER_SERVICE).join();
        assertThat(one.controller()).contains(CONTROLLER);
        assertThat(one.groupController()).isEmpty();
        responses.put(
                "groupControllerGetCapabilities",
                CompletableFuture.completedFuture(new GroupControllerGetCapabilitiesResponse(GROUP)));
        Capabilities both = capabilities(PluginService.CONTROLLER_SERVICE, PluginService.GROUP_CONTROLLER_SERVICE)
                .join();
        assertThat(both.controller()).contains(CONTROLLER);
        assertThat(both.groupController()).contains(GROUP);
        assertThat(both.node()).isEmpty();
    }

    @Test
    void unsupportedQueryOfGroupControllerLeavesItsCapabilitiesUnknown() {
        responses.put("groupControllerGetCapabilities", failure(StatusCode.UNIMPLEMENTED));
        assertThat(capabilities(PluginService.GROUP_CONTROLLER_SERVICE).join().groupController())
                .isEmpty();
        responses.put("groupControllerGetCapabilities", failure(StatusCode.INTERNAL));
        assertThat(capabilities(PluginService.GROUP_CONTROLLER_SERVICE)).isCompletedExceptionally();
    }
}
